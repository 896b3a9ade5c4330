"""Limits on request over regions, in addition to those of the machine's file: their interface, and the limit of
joint speeds at which the drives follow specified motions of the platform."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Bools, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point, numbers
from gough.errors import InputError, ShapeError
from gough.legs.ups import UPS
from gough.limits import _margins as layout
from gough.limits._margins import margins_at
from gough.limits.quantities import Limited, bounds_of, per_size
from gough.limits.rods import Pose, Quantity, Rods, centre_of, dot
from gough.limits.table import Column, LimitTable, limit_table
from gough.limits.velocity_envelope import velocity_envelope
from gough.machine import Machine
from gough.regions.tasks import Task, own_tasks


class RequestedLimit(ABC):
    """A limit of what a machine does at a pose, for `also=` of `gough.certify_region`: a speed, a force, a stiffness.

    Over boxes of poses the quantities are Taylor models (`gough.regions.models`). Margins at a pose are those of the
    quantities there, or come from a function that computes them.
    """

    of_legs: ClassVar[bool] = False
    """Whether the quantities are of single legs, which then have boxes of their own."""

    @abstractmethod
    def columns(self, machine: Machine) -> tuple[Column, ...]:
        """Return a column for each margin; `InputError` if the machine lacks the data for the limit."""

    def margins(self, machine: Machine, X: Array) -> Array:
        """Compute margins (n, k) at poses (n, 4, 4); NaN where a leg cannot close, and at a singular pose."""
        count, point = 6 if self.of_legs else 1, machine.point_of_interest
        i, each = np.tile(np.arange(count), len(X)), np.repeat(X, count, axis=0)
        R, p = np.moveaxis(each[:, :3, :3], 0, -1), (each[:, :3, :3] @ point + each[:, :3, 3]).T
        found = np.full((len(X), len(self.columns(machine))), np.inf)
        with np.errstate(all="ignore"):
            for limited in self.quantities(machine, i, Pose(R, p, point)):
                columns = limited.place + np.arange(count)
                found[:, columns] = np.minimum(found[:, columns], limited.margin(limited.value).reshape(-1, count))
        return found

    @abstractmethod
    def quantities(self, machine: Machine, i: Ints, pose: Pose) -> Iterator[Limited]:
        """Compute the limited quantities of legs i (n,), one at each pose, or of the platform.

        `place`: the column among this limit's, of the first leg where every leg has one.
        """


@dataclass(frozen=True, eq=False)
class RegionLimits:
    """All limits that count over a region: the machine's own, and those on request."""

    machine: Machine
    own: LimitTable
    requested: tuple[RequestedLimit, ...] = ()

    @classmethod
    def of(cls, machine: Machine, also: Sequence[RequestedLimit] | RequestedLimit = ()) -> RegionLimits:
        """Return the limits of a machine, and those on request."""
        requested = (also,) if isinstance(also, RequestedLimit) else tuple(also)
        return cls(machine, limit_table(machine), requested)

    @classmethod
    def regular(cls, machine: Machine, least: float) -> RegionLimits:
        """Return the limits of a machine, and instead of its own one of singularities `least` for the least singular
        value, of either sign of the determinant."""
        table = limit_table(machine)
        G = table.arrays.G.copy()
        G[layout.SINGULAR_MIN], G[layout.SIDE] = least, 0.0
        singular = replace(table.columns[-1], bound=least)
        return cls(machine, replace(table, columns=(*table.columns[:-1], singular), arrays=table.arrays._replace(G=G)))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The machine's own, then those on request; where names repeat the later ones are numbered."""
        found: dict[str, Column] = {column.name: column for column in self.own.columns}
        for each in self.requested:
            for column in each.columns(self.machine):
                count = sum(name.split(" (")[0] == column.name for name in found)
                name = column.name if not count else f"{column.name} ({count + 1})"
                found[name] = replace(column, name=name)
        return tuple(found.values())

    @cached_property
    def scales(self) -> Array:
        """Sizes (k,) that make the margins comparable."""
        return np.array([max(column.scale, np.finfo(float).tiny) for column in self.columns])

    @cached_property
    def tolerance(self) -> Array:
        """Errors (k,) of the margins by rounding, to which limits hold."""
        return np.array([column.tolerance for column in self.columns])

    def margins(self, X: Array) -> Array:
        """Return margins (n, k) of poses (n, 4, 4)."""
        own = margins_at(self.own.arrays, X)[0]
        if not self.requested:
            return own
        with np.errstate(all="ignore"):
            return np.concatenate([own, *(each.margins(self.machine, X) for each in self.requested)], axis=1)

    def tasks(self, counted: Bools) -> list[Task]:
        """Return what is to be proven of the limits that count (columns,)."""
        return own_tasks(self.own, counted[: len(self.own.columns)]) + self.requested_tasks(counted)

    @np.errstate(all="ignore")
    def requested_tasks(self, counted: Bools) -> list[Task]:
        """Return tasks for the limits on request that count (columns,)."""
        found, first = [], len(self.own.columns)
        for each in self.requested:
            count = 6 if each.of_legs else 1
            quantities = partial(each.quantities, self.machine)
            numbers = np.arange(first, first := first + len(each.columns(self.machine)))
            numbers = np.append(np.where(counted[numbers], numbers, -1), -1)
            places = [each.place for each in quantities(np.zeros(1, dtype=int), self.machine_pose)]
            columns = numbers[np.array(places)[:, None] + np.arange(count)]
            if (columns >= 0).any():
                found.append(Task(quantities, count, columns, self.tolerance, self.scales))
        return found

    @property
    def machine_pose(self) -> Pose:
        """Home, as a pose of the point of interest."""
        X, point = self.machine.X_home, self.machine.point_of_interest
        return Pose(X[:3, :3, None], (X[:3, :3] @ point + X[:3, 3])[:, None], point)


@dataclass(frozen=True, eq=False)
class VectorSet:
    """Set of twists or wrenches: any of `each` (k, 6), plus a vector of length up to `first` [m/s or N] in the first
    three components, and one up to `last` [rad/s or N m] in the others."""

    each: Array
    first: float
    last: float

    @classmethod
    def of(cls, what: str, each: ArrayLike | None, **amounts: float) -> VectorSet:
        """Return the set of checked arguments; raises `InputError` for an empty one."""
        rows = numbers(what, np.zeros((1, 6)) if each is None else each)
        if rows.shape[-1:] != (6,) or rows.ndim > 2 or not rows.size:
            raise ShapeError.expected(what, "(6,) or (k, 6)", rows.shape)
        if not np.isfinite(rows).all():
            raise InputError(f"{what}: expected finite numbers")
        for name, amount in amounts.items():
            if not 0 <= amount < np.inf:
                raise InputError(f"{name} {amount:g}: expected a finite amount of zero or more")
        if not (rows.any() or any(amounts.values())):
            raise InputError(f"specify {', '.join(amounts)} or {what} above zero: otherwise the limit is empty")
        return cls(np.unique(rows.reshape(-1, 6), axis=0), *amounts.values())

    def most(self, rows: Array, offset: Array | float = 0.0) -> Array:
        """Return the largest |row . x + offset| (..., m) over the set, for rows (..., m, 6)."""
        middle = np.abs(rows @ self.each.T + np.asarray(offset)[..., None]).max(axis=-1)
        lengths = (np.linalg.norm(rows[..., part], axis=-1) for part in (slice(3), slice(3, 6)))
        return np.asarray(middle + sum(a * length for a, length in zip((self.first, self.last), lengths, strict=True)))

    def amounts(self, rows: Quantity) -> Quantity:
        """Return the largest |row . x| of the vectors of given lengths alone, for rows (6, ...)."""
        found = rows[0] * 0.0
        for part, amount in ((rows[:3], self.first), (rows[3:], self.last)):
            if amount:
                found = found + np.sqrt(dot(part, part)) * amount
        return found

    def products(self, rows: Quantity, offset: Quantity | None = None) -> list[Quantity]:
        """Return row . x + offset of each vector, for rows (6, ...), and its opposite; zero alone where it is
        nothing else."""
        found = []
        for x in self.each:
            if x.any() or offset is not None:
                one = (rows * x.reshape(6, *[1] * (rows.ndim - 1))).sum(0)
                one = one if offset is None else one + offset
                found += [one, -one]
        return found or [rows[0] * 0.0]


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class SpeedLimit(RequestedLimit):
    """Joint speeds of specified motions of a platform point stay below their limits, at every pose.

    Row i of the Jacobian is [u, r x u] / (u . p' + L'), r the platform joint seen from the point: the largest of
    |row . V| over all V is |row . twist| + translation |row's first three| + rotation |row's last three|.

    Attributes
    ----------
    translation, rotation : float
        Speeds in any direction [m/s] and about any axis [rad/s], both at a time.
    twist : (6,) or (k, 6) array, optional
        One motion [v, w] in base axes, or several, to each of which those are added [m/s, rad/s].
    joint_speed : float or (6,) array, optional
        Limits [m/s or rad/s]; default: the machine's value.
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
