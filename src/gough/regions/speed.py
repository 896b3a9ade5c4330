"""Limits of joint speeds over regions: the drives follow given motions of the platform at every pose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point
from gough.limits.table import Column
from gough.limits.velocity_envelope import velocity_envelope
from gough.machine import Machine
from gough.regions.cells import Cells
from gough.regions.leg_models import LegModels
from gough.regions.quadratic import minimum_over_branches
from gough.regions.requested import RequestedLimit, VectorSet
from gough.regions.shapes import PoseRegion
from gough.regions.taylor import Model


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

    def bounds(self, machine: Machine, models: LegModels, region: PoseRegion, cells: Cells) -> tuple[Array, ...]:
        """See `RequestedLimit.bounds`."""
        twists, point = self._twists, given_point(self.point, machine.point_of_interest)
        # The rods' rates |[u, r x u] . V| over all V, and their division by u . p' + L'.
        per = models.transmitted.reciprocal
        u = models.in_base.u
        moments = models.in_base.moments(point, u)
        rates = Model.joined([u, moments], axis=2)[:, :, None].dot(twists.signed)
        rates = rates + (moments.longest * twists.last)[:, :, None] + twists.first
        most = np.array([column.bound for column in self.columns(machine)])
        return minimum_over_branches(region, cells, -(rates * per[:, :, None]) + most[:, None])
