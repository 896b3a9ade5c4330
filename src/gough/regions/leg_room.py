"""Limits on request of the room that legs have: the angle between neighbouring legs, and the distance from a cylinder
that does not move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import finite
from gough.errors import InputError
from gough.limits.quantities import HALF, Limited, bounds_of, per_size
from gough.limits.rods import Pose, Rods, dot
from gough.limits.table import Column, limit_table
from gough.machine import Machine
from gough.regions.clearance import Segment, apart
from gough.regions.requested import RequestedLimit


def _rods(machine: Machine, i: Ints, pose: Pose) -> Rods:
    arrays = limit_table(machine).arrays
    return Rods(arrays.code, arrays.T, i, pose)


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class LegAngleLimit(RequestedLimit):
    """The angle between the rods of neighbouring legs, 1-2 to 5-6 and 6-1, stays within limits at every pose.

    With rods d and e the angle is at least a where |d| |e| cos(a) - d . e is not negative: by definition of the angle.

    Attributes
    ----------
    least, most : float
        Smallest and largest angle [rad]; at least one of them.

    """

    least: float = 0.0
    most: float = np.pi
    of_legs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.least < self.most <= np.pi:
            raise InputError(f"least {self.least:g} rad, most {self.most:g} rad: expected 0 <= least < most <= pi")
        if not self._ends:
            raise InputError("specify least above 0 or most below pi: otherwise the limit is empty")

    @property
    def _ends(self) -> list[tuple[float, float]]:
        """Limiting angles that can be broken [rad], and 1 of the smallest angle, -1 of the largest."""
        ends = (self.least, 1.0), (self.most, -1.0)
        return [(angle, sign) for angle, sign in ends if 0 < angle < np.pi]

    def columns(self, machine: Machine) -> tuple[Column, ...]:
        """See `RequestedLimit.columns`."""
        pairs = [(i + 1, (i + 1) % 6 + 1) for i in range(6)]
        return tuple(
            Column(f"legs {i}-{j} {name} angle", (i, j), "rad", angle, angle, sign > 0, "angle")
            for angle, sign in self._ends
            for name in ("smallest" if sign > 0 else "largest",)
            for i, j in pairs
        )

    def quantities(self, machine: Machine, i: Ints, pose: Pose) -> Iterator[Limited]:
        """See `RequestedLimit.quantities`."""
        first, second = _rods(machine, i, pose), _rods(machine, (i + 1) % 6, pose)
        lengths, product = first.length * second.length, dot(first.d, second.d)
        sizes = bounds_of(lengths)
        for k, (angle, sign) in enumerate(self._ends):

            def margin(v: Array, angle: float = angle, sign: float = sign) -> Array:
                cosine = np.cos(angle) - sign * per_size(v, *sizes)
                return sign * (np.arccos(np.clip(cosine, -1.0, 1.0)) - angle)

            value = (lengths * np.cos(angle) - product) * sign
            yield Limited(6 * k, value, margin, HALF * np.sin(angle) * sizes[0], is_exact=True)


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class CylinderLimit(RequestedLimit):
    """Rods stay clear of a cylinder with round ends that is fixed in the base, at every pose.

    Attributes
    ----------
    start, end : (3,) array
        Ends of the cylinder's axis in the base frame [m].
    radius : float
        Of the cylinder [m]; radii of legs, where the machine has them, are added.

    """

    start: ArrayLike
    end: ArrayLike
    radius: float
    of_legs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        start, end = self._ends
        if not (start != end).any():
            raise InputError(f"start and end {start.tolist()} m: expected two points that differ")
        if not 0 < self.radius < np.inf:
            raise InputError(f"radius {self.radius:g} m: expected a finite length above 0")

    @property
    def _ends(self) -> tuple[Array, Array]:
        return finite("start", self.start, "(3,)"), finite("end", self.end, "(3,)")

    def _thickness(self, machine: Machine) -> Array:
        """Radii of the cylinder and of each leg together (6,) [m]."""
        legs = machine.limits.leg_radius
        return np.asarray(self.radius + (np.zeros(6) if legs is None else legs))

    def columns(self, machine: Machine) -> tuple[Column, ...]:
        """See `RequestedLimit.columns`."""
        return tuple(
            Column(
                f"leg {i} cylinder", (i,), "m", float(least), float(least), True, "distance from the cylinder's axis"
            )
            for i, least in enumerate(self._thickness(machine), 1)
        )

    def quantities(self, machine: Machine, i: Ints, pose: Pose) -> Iterator[Limited]:
        """See `RequestedLimit.quantities`: the distance of two segments."""
        rod = Segment.of(_rods(machine, i, pose))
        start, end = (point[:, None] for point in self._ends)
        still = rod.d * 0.0
        return apart(0, self._thickness(machine)[i], rod, Segment(still + start, still + (end - start), still + end))
