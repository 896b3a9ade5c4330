"""Limits on request over regions, in addition to those of the machine's file: their interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Bools
from gough.checks.numbers import numbers
from gough.errors import InputError, ShapeError
from gough.limits import _margins as layout
from gough.limits.table import Column, LimitTable, limit_table
from gough.machine import Machine
from gough.regions.cell_bounds import Bounds, bounds_of, margins_at, surroundings
from gough.regions.cells import Cells
from gough.regions.leg_models import LegModels
from gough.regions.shapes import PoseRegion


class RequestedLimit(ABC):
    """A limit of what a machine does at a pose, for `also=` of `gough.certify_region`: a speed, a force, a stiffness.

    Its margins at a pose are those of the functions that compute the quantity there; its bounds over boxes of poses
    are Taylor models of them (`gough.regions.taylor`).
    """

    @abstractmethod
    def columns(self, machine: Machine) -> tuple[Column, ...]:
        """One for each margin; `InputError` where the machine lacks what the limit needs."""

    @abstractmethod
    def margins(self, machine: Machine, X: Array) -> Array:
        """Margins (n, k) at poses (n, 4, 4); NaN where a leg cannot close, and at a singular pose."""

    @abstractmethod
    def bounds(self, machine: Machine, models: LegModels, region: PoseRegion, cells: Cells) -> tuple[Array, ...]:
        """Lower bounds of the margins (n, k) over boxes and region, gradients (n, k, 6) and `spare` (n, k), as in
        `gough.regions.cell_bounds.Bounds`."""


@dataclass(frozen=True, eq=False)
class RegionLimits:
    """All limits that count over a region: the machine's own, and those on request."""

    machine: Machine
    own: LimitTable
    requested: tuple[RequestedLimit, ...] = ()

    @classmethod
    def of(cls, machine: Machine, also: Sequence[RequestedLimit] | RequestedLimit = ()) -> RegionLimits:
        """The limits of a machine, and those on request."""
        requested = (also,) if isinstance(also, RequestedLimit) else tuple(also)
        return cls(machine, limit_table(machine), requested)

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
    def of_turns(self) -> Bools:
        """Which limits (k,) depend on the orientation alone: tilt and twist of the tool."""
        found = np.zeros(len(self.columns), dtype=bool)
        places = self.own.arrays.places
        found[: len(places)] = (places == layout.TILT) | (places == layout.ROTATION)
        return found

    @cached_property
    def scales(self) -> Array:
        """Sizes (k,) that make the margins comparable."""
        return np.array([max(column.scale, np.finfo(float).tiny) for column in self.columns])

    def margins(self, X: Array) -> Array:
        """Margins (n, k) of poses (n, 4, 4)."""
        own = margins_at(self.own, X)
        if not self.requested:
            return own
        with np.errstate(all="ignore"):
            return np.concatenate([own, *(each.margins(self.machine, X) for each in self.requested)], axis=1)

    def sensitivity(self, region: PoseRegion) -> Array:
        """Relative change (6,) of the inverse Jacobian per change of each coordinate [1/m, 1/rad] at a region's centre:
        Frobenius norms of J^+ dJ/dz, in which lengths are made comparable."""
        centre = Cells(region.centre[None], np.zeros((1, 6)))
        near = surroundings(self.machine, region, centre)
        with np.errstate(all="ignore"):
            models = LegModels(self.machine, near.motion)
            found = models.twists(self.machine.platform_centre) * models.transmitted.column
            found = found * np.repeat([1.0, self.machine.characteristic_length], 3)
            # The pseudoinverse: at a singular centre there is no inverse, and only ratios of the changes matter.
            change = np.linalg.pinv(np.nan_to_num(found.value[0])) @ np.moveaxis(found.gradient[0], -1, 0)
        return np.linalg.norm(change, axis=(1, 2))

    def bounds(self, region: PoseRegion, cells: Cells, wanted: Bools) -> Bounds:
        """Bounds of the margins (k,) that are wanted over boxes of a region."""
        near = surroundings(self.machine, region, cells)
        count = len(self.own.columns)
        own = bounds_of(self.machine, self.own, region, cells, wanted[:count], near)
        if not self.requested:
            return own
        models, parts = LegModels(self.machine, near.motion), [own]
        with np.errstate(all="ignore"):
            for each in self.requested:
                values = each.margins(self.machine, near.motion.X)
                here = wanted[count : count + values.shape[1]]
                count += values.shape[1]
                if here.any():
                    lower, gradient, spare = each.bounds(self.machine, models, region, cells)
                else:  # models of limits that are not wanted would cost most of the time
                    lower = spare = np.full(values.shape, -np.inf)
                    gradient = np.zeros((*values.shape, 6))
                lower, spare = (np.where(np.isnan(found), -np.inf, found) for found in (lower, spare))
                parts.append(Bounds(values, lower, np.nan_to_num(gradient, posinf=0.0, neginf=0.0), spare))
        return Bounds(*(np.concatenate(each, axis=1) for each in zip(*parts, strict=True)))


@dataclass(frozen=True, eq=False)
class VectorSet:
    """Set of twists or wrenches: any of `each` (k, 6), plus a vector of length up to `first` [m/s or N] in the first
    three components, and one up to `last` [rad/s or N m] in the others."""

    each: Array
    first: float
    last: float

    @classmethod
    def of(cls, what: str, each: ArrayLike | None, **amounts: float) -> VectorSet:
        """The set of checked arguments; raises `InputError` for an empty one."""
        rows = numbers(what, np.zeros((1, 6)) if each is None else each)
        if rows.shape[-1:] != (6,) or rows.ndim > 2 or not rows.size:
            raise ShapeError.expected(what, "(6,) or (k, 6)", rows.shape)
        if not np.isfinite(rows).all():
            raise InputError(f"{what}: expected finite numbers")
        for name, amount in amounts.items():
            if not 0 <= amount < np.inf:
                raise InputError(f"{name} {amount:g}: expected a finite amount of zero or more")
        if not (rows.any() or any(amounts.values())):
            raise InputError(f"give {', '.join(amounts)} or {what} above zero: with nothing there is no limit")
        return cls(np.unique(rows.reshape(-1, 6), axis=0), *amounts.values())

    @property
    def signed(self) -> Array:
        """The vectors and their opposites (b, 6)."""
        return np.unique(np.concatenate([self.each, -self.each]), axis=0)

    def most(self, rows: Array, offset: Array | float = 0.0) -> Array:
        """Largest |row . x + offset| (..., m) over the set, for rows (..., m, 6)."""
        middle = np.abs(rows @ self.each.T + np.asarray(offset)[..., None]).max(axis=-1)
        lengths = (np.linalg.norm(rows[..., part], axis=-1) for part in (slice(3), slice(3, 6)))
        return np.asarray(middle + sum(a * length for a, length in zip((self.first, self.last), lengths, strict=True)))
