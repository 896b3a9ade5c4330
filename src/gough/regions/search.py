"""How far the proof of a region has come."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gough.arrays import Array, Bools
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion


@dataclass(eq=False)
class Search:
    """One region, and how far the proof has come: bounds of each limit, places of the upper ones, boxes looked at."""

    limits: RegionLimits
    region: PoseRegion
    counted: Bools
    lower: Array = field(init=False)
    upper: Array = field(init=False)
    places: Array = field(init=False)
    looked: int = 0

    def __post_init__(self) -> None:
        count = len(self.limits.columns)
        self.lower, self.upper = np.full(count, np.inf), np.full(count, np.inf)
        self.places = np.tile(self.region.centre, (count, 1))

    @property
    def broken(self) -> int:
        """Column of the limit that is broken most, in its scale; -1 if none is known to be."""
        relative = np.where(self.counted, self.upper / self.limits.scales, np.inf)
        return int(np.argmin(relative)) if (relative < 0).any() else -1

    def look(self, z: Array) -> None:
        """Margins at places (n, 6) of the region."""
        self.note(z, self.limits.margins(self.region.poses(z)))

    def note(self, z: Array, values: Array) -> None:
        """Keep the smallest margins (n, k) with their places (n, 6)."""
        if not len(z):
            return
        values = np.where(np.isnan(values), np.inf, values)
        at = np.argmin(values, axis=0)
        least = values[at, np.arange(values.shape[1])]
        is_less = least < self.upper
        self.upper[is_less], self.places[is_less] = least[is_less], z[at[is_less]]

    def settle(self, lower: Array, where: Bools) -> None:
        """Lower bounds (n, k) that will not be bettered, of boxes and limits (n, k)."""
        self.lower = np.minimum(self.lower, np.where(where, lower, np.inf).min(axis=0, initial=np.inf))
