"""Limits of joint speeds over regions: the drives follow given motions of the platform at every pose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point
from gough.legs.ups import UPS
from gough.limits.quantities import Limited, bounds_of, per_size
from gough.limits.rods import Pose, Rods, centre_of
from gough.limits.table import Column, limit_table
from gough.limits.velocity_envelope import velocity_envelope
from gough.machine import Machine
from gough.regions.requested import RequestedLimit, VectorSet


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class SpeedLimit(RequestedLimit):
    """Joint speeds of given motions of a platform point stay below their limits, at every pose.

    Row i of the Jacobian is [u, r x u] / (u . p' + L'), r the platform joint seen from the point: the largest of
    |row . V| over all V is |row . twist| + translation |row's first three| + rotation |row's last three|.

    Attributes
    ----------
    translation, rotation : float
        Speeds in any direction [m/s] and about any axis [rad/s], both at a time.
    twist : (6,) or (k, 6) array, optional
        One motion [v, w] in base axes, or several, to each of which those are added [m/s, rad/s].
    joint_speed : float or (6,) array, optional
        Limits [m/s or rad/s]; the machine's own where not given.
    point : (3,) array, optional
        In the platform frame [m]; default the point of interest.

    """

    translation: float = 0.0
    rotation: float = 0.0
    twist: ArrayLike | None = None
    joint_speed: ArrayLike | None = None
    point: ArrayLike | None = None
    of_legs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _ = self._twists
        given_point(self.point, np.zeros(3))

    @cached_property
    def _twists(self) -> VectorSet:
        return VectorSet.of("twist", self.twist, translation=self.translation, rotation=self.rotation)

    def columns(self, machine: Machine) -> tuple[Column, ...]:
        """See `RequestedLimit.columns`."""
        most = velocity_envelope(machine, machine.X_home, joint_speed=self.joint_speed).joint_speed
        unit = f"{machine.legs.joint_unit}/s"
        return tuple(
            Column(f"leg {i} speed", (i,), unit, float(limit), float(limit), False, "speed")
            for i, limit in enumerate(most, 1)
        )

    def margins(self, machine: Machine, X: Array) -> Array:
        """See `RequestedLimit.margins`: by `gough.velocity_envelope`."""
        envelope = velocity_envelope(machine, X, joint_speed=self.joint_speed, point=self.point)
        return np.asarray(envelope.joint_speed - self._twists.most(envelope.J_qV))

    def quantities(self, machine: Machine, i: Ints, pose: Pose) -> Iterator[Limited]:
        """See `RequestedLimit.quantities`: |d . p'| limit - |row . V|, with rows [d, r x d]."""
        twists, point = self._twists, given_point(self.point, machine.point_of_interest)
        arrays, most = limit_table(machine).arrays, np.array([column.bound for column in self.columns(machine)])[i]
        rods = Rods(arrays.code, arrays.T, i, pose)
        rows = np.concatenate([rods.d, rods.moment(rods.b_P - point[:, None])])
        rate = rods.transmission * np.sign(centre_of(rods.transmission))
        least, largest = bounds_of(rate)
        if rods.code == UPS.code:  # |d| (limit - speed), exact where both are the same
            spare = rods.length * (most - twists.first)
        else:
            spare = rate * most - rods.length * twists.first
        turning = replace(twists, first=0.0).amounts(rows)
        for moved in twists.products(rows):
            yield Limited(0, spare - turning - moved, lambda v: per_size(v, least, largest), 0.0)
