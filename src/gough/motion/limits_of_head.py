"""Margins of platform and head together: the limits of the head's joints beside those of the machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.analysis.limits import Column
from gough.analysis.margins import Margins, margins
from gough.machine import Machine
from gough.motion.tip import head_of
from gough.poses import PoseLike, common_shape

Array = NDArray[np.float64]


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
    q, columns = head.coordinates(joints), _columns(machine)
    shape = common_shape("poses and head joints", own.values.shape[:-1], q.shape[:-1])
    beside = [(q[..., k, None] - column.bound) * (1.0 if column.is_lower else -1.0) for k, column in columns]
    values = [np.broadcast_to(part, (*shape, part.shape[-1])) for part in (own.values, *beside)]
    return Margins(np.concatenate(values, axis=-1), (*own.columns, *(column for _, column in columns)), machine)


def _columns(machine: Machine) -> list[tuple[int, Column]]:
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
