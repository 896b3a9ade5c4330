"""Velocities of all solids from the given twists of some, through the joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.multibody._dense import motion_rows
from gough.multibody._rows import Tables
from gough.multibody.bodies import Body, place_of
from gough.multibody.redundancy import RANK
from gough.poses import skew

AGREES = 1e-9
"""Largest residual of given twists in the joints, as a part of the largest speed."""


def velocities(bodies: Sequence[Body], tables: Tables, size: float, Z: Array, twists: Mapping[str, ArrayLike]) -> Array:
    """V (n, 3, 4) at Z from given twists [v, w] of frame origins.

    `InputError` where the joints do not allow them, or where they do not determine the motion of all solids.
    """
    n = len(bodies)
    wide = motion_rows(Z, np.zeros_like(Z), tables)[2]
    given, wanted = given_motions(bodies, tables.centres, Z, twists)
    rows = np.vstack([wide, given])
    right = np.concatenate([np.zeros(len(wide)), wanted])
    # Angular velocities are counted as speeds at the distance `size`, so that the rank does not depend on units.
    scale = np.tile([1.0, 1.0, 1.0, *[1.0 / size] * 3], n)
    solution, _, rank, _ = np.linalg.lstsq(rows * scale, right, rcond=RANK)
    if rank < 6 * n:
        raise InputError(
            f"the twists of {', '.join(map(repr, twists))} leave {6 * n - rank} motions of the system open; give "
            "those of more solids"
        )
    motion = solution * scale
    if np.abs(rows @ motion - right).max() > AGREES * max(1.0, float(np.abs(right).max())):
        raise InputError(f"the joints do not allow these twists of {', '.join(map(repr, twists))} together")
    v, w = np.split(motion.reshape(n, 6), 2, axis=1)
    V = np.empty_like(Z[:-1])
    V[:, :, 1:] = skew(w) @ Z[:-1, :, 1:]  # R' = [w]x R, T' = v - R' OG0 (2016, eq. 8)
    V[:, :, 0] = v - np.einsum("kij,kj->ki", V[:, :, 1:], tables.centres[:-1])
    return V


def given_motions(
    bodies: Sequence[Body], centres: Array, Z: Array, twists: Mapping[str, ArrayLike]
) -> tuple[Array, Array]:
    """Rows (6 k, 6 n) that select the twists of the named solids, and the given twists at their mass centres (6 k,)."""
    n = len(bodies)
    rows, wanted = np.zeros((6 * len(twists), 6 * n)), np.zeros(6 * len(twists))
    for k, (name, twist) in enumerate(twists.items()):
        body = place_of(name, bodies)
        if body == n:
            raise InputError("the ground does not move; give twists of other solids")
        V = of_shape(f"twist of {name!r}", twist, "(6,)")
        arm = Z[body, :, 1:] @ (centres[body] - bodies[body].origin)
        rows[6 * k : 6 * k + 6, 6 * body : 6 * body + 6] = np.eye(6)
        wanted[6 * k : 6 * k + 6] = [*(V[:3] + np.cross(V[3:], arm)), *V[3:]]
    return rows, wanted
