"""How far interpolation in strut space leaves the straight line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import ShapeError
from gough.machine import Machine
from gough.motion.joint_space.path import JointSpacePath
from gough.poses import PoseLike

Array = NDArray[np.float64]

LOOKS, ZOOMS = 33, 4
"""Places looked at between two via points, and how often again about the farthest: its place to 1e-5 of the piece."""


@dataclass(frozen=True, eq=False)
class Straightness:
    """Departure of a point from the straight lines between via points, and of the rotation from an even turn.

    Attributes
    ----------
    s : (n,) array
        Parameters looked at.
    departure, turn : (n,) array
        Distance of the point from the line [m]; angle from the rotation of the straight motion there [rad].
    point : (n, 3) array
        Where the point is, in the base [m].
    largest, largest_turn : (k,) array
        Of each of the pieces between via points [m, rad].
    at : (k,) array
        Where that largest departure is.
    vias : (k + 1,) array
        Parameters of the via points.
    machine : Machine

    """

    s: Array
    departure: Array
    turn: Array
    point: Array
    largest: Array
    largest_turn: Array
    at: Array
    vias: Array
    machine: Machine


@checks_arguments
def straightness(
    machine: Machine, poses: PoseLike, *, twists: ArrayLike | None = None, point: ArrayLike | None = None
) -> Straightness:
    """How far interpolation in strut space leaves the straight lines between via points.

    De Sapio (1998) expects straight lines of it. It leaves them by an amount that falls with the square of the distance
    between via points.

    Parameters
    ----------
    machine : Machine
    poses, twists
        As in `JointSpacePath`.
    point : (3,) array, optional
        The point that is followed, in the platform frame [m]; the tool's origin where not given.

    Returns
    -------
    Straightness
        Departures along the path [m, rad], and the largest between each two via points.

    Raises
    ------
    InputError
        A leg cannot close at a via point.

    """
    path = JointSpacePath(machine, poses, twists)
    arm = machine.X_PT[:3, 3] if point is None else np.asarray(point, dtype=float)
    if arm.shape != (3,):
        raise ShapeError.expected("point", "(3,)", arm.shape)
    low, high = path.knots[:-1], path.knots[1:]
    s = np.linspace(low, high, LOOKS, axis=1)
    found = _off(path, arm, s)
    first = s, found
    for _ in range(ZOOMS):
        best = np.argmax(found[0], axis=1)[:, None]
        below, above = (np.take_along_axis(s, np.clip(best + k, 0, LOOKS - 1), axis=1)[:, 0] for k in (-1, 1))
        s = np.linspace(below, above, LOOKS, axis=1)
        found = _off(path, arm, s)
    best = np.argmax(found[0], axis=1)[:, None]
    return Straightness(
        s=first[0].ravel(),
        departure=first[1][0].ravel(),
        turn=first[1][1].ravel(),
        point=first[1][2].reshape(-1, 3),
        largest=np.take_along_axis(found[0], best, axis=1)[:, 0],
        largest_turn=first[1][1].max(axis=1),
        at=np.take_along_axis(s, best, axis=1)[:, 0],
        vias=path.knots,
        machine=machine,
    )


def _off(path: JointSpacePath, arm: Array, s: Array) -> tuple[Array, Array, Array]:
    """Distances and angles from the straight motion, and points, at parameters (k, n), a row for each piece."""
    from scipy.spatial.transform import Rotation

    X, vias, low = path(s)[0], path(path.knots)[0], path.knots[:-1, None]
    point, ends = (poses[..., :3, :3] @ arm + poses[..., :3, 3] for poses in (X, vias))
    chord, arm = np.diff(ends, axis=0)[:, None], point - ends[:-1, None]
    square = np.sum(chord**2, axis=-1)
    share = np.sum(arm * chord, axis=-1) / np.where(square > 0, square, 1.0)
    departure = np.linalg.norm(arm - share[..., None] * chord, axis=-1)
    length = np.diff(path.knots)[:, None]
    # The straight motion has its share of the turn where its point has that share of the path.
    even = np.where(square > 0, np.clip(share, 0, 1) * length, s - low)
    R = path.straight(np.minimum(low + even, path.knots[-1]))[0][..., :3, :3]
    apart = np.swapaxes(R, -1, -2) @ X[..., :3, :3]
    turn = Rotation.from_matrix(apart.reshape(-1, 3, 3)).magnitude().reshape(s.shape)
    return departure, turn, point
