"""Base class of workspaces: intervals, extent, volume and boundary, as facts, tables and sentences."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Ints
from gough.errors import InputError
from gough.present.answer import Field, Table, json_of
from gough.present.show import Show
from gough.quantity import derived
from gough.results import Result
from gough.stacked import AnyMachine
from gough.workspaces.extent import Extent
from gough.workspaces.mesh import RANGE
from gough.workspaces.quadrature import Uncertain


class Body(Result):
    """A workspace known by intervals along columns or rays: `ends` and `binding` (..., k, 2)."""

    NOTHING: ClassVar[str]
    """Reason for which it is empty."""

    machine: AnyMachine
    names: tuple[str, ...]
    ends: Array
    binding: Ints

    @property
    @abstractmethod
    def extent(self) -> Extent:
        """Smallest and largest coordinate along each axis."""

    @property
    @abstractmethod
    def boundary_share(self) -> dict[str, Uncertain]:
        """Part of the boundary on which each limit binds, the largest first."""

    @property
    def unit(self) -> str:
        """SI unit along its columns or rays."""
        return "m"

    @property
    @derived("", is_listed=False)
    def is_empty(self) -> bool:
        """Whether it has no boundary."""
        return not np.isfinite(self.ends).any()

    def check_boundary(self) -> None:
        """`InputError` where it has no boundary."""
        if self.is_empty:
            raise InputError(f"{self.NOTHING}: the boundary is empty")

    @property
    def intervals(self) -> tuple[tuple[Ints, ...], Array, NDArray[np.str_]]:
        """Indices of all intervals (n,) along each axis of columns or rays, their ends (n, 2) [m or rad], and the names
        of the limits that bind there (n, 2)."""
        *places, k = np.nonzero(np.isfinite(self.ends[..., 0]))
        chosen = (*places, k)
        return tuple(places), self.ends[chosen], np.array([*self.names, RANGE])[self.binding[chosen]]

    @abstractmethod
    def rows(self) -> list[Field]:
        """Return its intervals as fields, a row for each: column or ray, ends, and the limits that bind there."""

    def volume_fields(self) -> list[Field]:
        """Return the volume and its error, for JSON."""
        return [*json_of(self, "volume"), *json_of(self, "volume_error")]

    def share_fields(self) -> list[Field]:
        """Return the part of the boundary on which each limit binds, and its error, for JSON."""
        of_limits = self.boundary_share.items()
        parts = {name: share.value for name, share in of_limits}
        errors = {name: share.error for name, share in of_limits}
        return [
            Field(
                "boundary_share", parts, is_csv=False, doc="Part of the boundary's area on which each limit is zero."
            ),
            Field("boundary_share_error", errors, is_csv=False, doc="Standard error of that part."),
        ]

    def extent_table(self) -> Table:
        """Return its extent along each axis, in the units of the machine's file."""
        axes = ("wx", "wy", "wz") if self.unit == "rad" else ("x", "y", "z")
        ends = {"from": self.extent.low, "to": self.extent.high}
        columns = [Field("", end, [self.unit] * 3, head=head) for head, end in ends.items()]
        return Show(self.machine).table("axis", axes, columns)

    def share_table(self, caption: str = "") -> Table:
        """Return the part of the boundary on which each limit binds, with its error [%]."""
        rows = [(name, share.percent) for name, share in self.boundary_share.items()]
        keys = {"of the boundary": ("boundary_share", "boundary_share_error")}
        return Table(("limit", "of the boundary [%]"), rows, (1,), caption, keys)

    def facts(self) -> dict[str, str]:
        """Return its quantities by name, in words and in the units of the machine's file: the volume first."""
        volume, error = (float(getattr(self, name)) for name in ("volume", "volume_error"))
        show = Show(self.machine)
        return {"volume": show.volume(volume, error) if self.unit == "m" else show.uncertain(volume, error, "rad3")}

    def sentence(self) -> str:
        """Return its facts, or why it is empty."""
        if self.is_empty:
            return f"empty: {self.NOTHING}"
        return "; ".join(f"{what} {much}" for what, much in self.facts().items())
