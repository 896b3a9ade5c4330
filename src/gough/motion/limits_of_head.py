"""Margins of platform and head together: the limits of the head's joints beside those of the machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough._arguments import checks_arguments
from gough.analysis.limits import Column
from gough.analysis.margins import Margins, margins
from gough.analysis.singular_bounds import ROUNDING
from gough.machine import Machine
from gough.motion.head_spline import HeadSpline
from gough.motion.tip import head_of
from gough.poses import PoseLike, common_shape

Array = NDArray[np.float64]


@checks_arguments
def head_margins(machine: Machine, X: PoseLike, joints: ArrayLike | None = None) -> Margins:
    """Signed distances to every limit of the machine and of its head's joints.

    Parameters
    ----------
    machine : Machine
        With a head.
    X : PoseLike, (..., 4, 4)
        Poses of the platform.
    joints : (..., n) array, optional
        Of the head [rad or m]; where it stands if none are given.

    Returns
    -------
    Margins
        The columns of `gough.margins`, then the lowest and highest coordinates of the head's joints, as far as they are
        limited; relative to half a joint's range.

    """
    head, own = head_of(machine), margins(machine, X)
    q, columns = head.coordinates(joints), head_columns(machine)
    shape = common_shape("poses and head joints", own.values.shape[:-1], q.shape[:-1])
    values = [np.broadcast_to(part, (*shape, part.shape[-1])) for part in (own.values, _beside(columns, q))]
    return Margins(np.concatenate(values, axis=-1), (*own.columns, *(column for _, column in columns)), machine)


def margins_along(machine: Machine, X: Array, head: HeadSpline | None, s: Array) -> Margins:
    """Margins at poses X (n, 4, 4) of a path, with those of the head's joints at its parameters s (n,) if it moves."""
    return margins(machine, X) if head is None else head_margins(machine, X, head(s)[0])


def head_columns(machine: Machine) -> list[tuple[int, Column]]:
    """The limits that the head's joints have, each with the joint's place."""
    head = head_of(machine)
    found: list[tuple[int, Column]] = []
    for k, (joint, unit) in enumerate(zip(head.moving, head.units, strict=True)):
        half = (joint.maximum - joint.minimum) / 2
        scale = half if np.isfinite(half) else np.pi if unit == "rad" else machine.size
        for bound, end, is_lower in ((joint.minimum, "lowest", True), (joint.maximum, "highest", False)):
            if np.isfinite(bound):
                name, quantity = f"head {joint.name} {end}", f"head joint {joint.name}"
                found.append((k, Column(name, (), unit, scale, bound, is_lower, quantity)))
    return found


def joint_bounds(columns: list[tuple[int, Column]], head: HeadSpline, low: Array, high: Array) -> tuple[Array, ...]:
    """Margins (n, c) of the head's joints in the middle of intervals from `low` to `high` (n,), and bounds of them over
    the whole of each: the least, and the most."""
    values = _beside(columns, head((low + high) / 2)[0])
    way = ((high - low)[:, None] / 2 * head.bounds(low, high)[0])[:, [k for k, _ in columns]]
    way = way + ROUNDING * np.array([column.scale for _, column in columns])
    return values, values - way, values + way


def _beside(columns: list[tuple[int, Column]], q: Array) -> Array:
    """Margins (..., c) of head joints q (..., n)."""
    places, bound = [k for k, _ in columns], np.array([column.bound for _, column in columns])
    sign = np.array([1.0 if column.is_lower else -1.0 for _, column in columns])
    return np.asarray((q[..., places] - bound) * sign)
