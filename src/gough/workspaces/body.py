"""What workspaces of every kind say of themselves: whether they are empty, their intervals, volume and boundary."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Ints
from gough.errors import InputError
from gough.present.show import Show
from gough.results import Result
from gough.stacked import AnyMachine
from gough.workspaces.mesh import RANGE


class Body(Result):
    """Base of workspaces, which are known by intervals along columns or rays: `ends` and `binding` (..., k, 2)."""

    NOTHING: ClassVar[str]
    """Why one is empty."""

    machine: AnyMachine
    names: tuple[str, ...]
    ends: Array
    binding: Ints

    @property
    def unit(self) -> str:
        """SI unit along its columns or rays."""
        return "m"

    @property
    def is_empty(self) -> bool:
        """Whether it has no boundary."""
        return not np.isfinite(self.ends).any()

    def check_boundary(self) -> None:
        """`InputError` where it has no boundary."""
        if self.is_empty:
            raise InputError(f"{self.NOTHING}: there is no boundary")

    @property
    def intervals(self) -> tuple[tuple[Ints, ...], Array, NDArray[np.str_]]:
        """Places of all intervals (n,) along each axis of columns or rays, their ends (n, 2) [m or rad], and the limits
        that bind there (n, 2)."""
        *places, k = np.nonzero(np.isfinite(self.ends[..., 0]))
        chosen = (*places, k)
        return tuple(places), self.ends[chosen], np.array([*self.names, RANGE])[self.binding[chosen]]

    def facts(self) -> dict[str, str]:
        """What it is and how much, in words and in the units of the machine's file: the volume first."""
        volume, error = (float(getattr(self, name)) for name in ("volume", "volume_error"))
        return {"volume": Show(self.machine).uncertain(volume, error, f"{self.unit}3")}

    def sentence(self) -> str:
        """Its facts, or why it is empty."""
        if self.is_empty:
            return f"empty: {self.NOTHING}"
        return "; ".join(f"{what} {much}" for what, much in self.facts().items())
