"""Regions of poses: a shape of positions of a platform point, times a set of orientations.

Six coordinates place a pose: the position of the point, along the axes of the shape [m], and three of the orientation
(`gough.regions.charts`) [rad]. A region is a product of ellipsoids over groups of coordinates: a box is one group for
each coordinate, a ball one of three, a cylinder one of two and one of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, ReadOnly, read_only
from gough.poses import PoseLike, checked_matrices
from gough.regions.charts import ROTVEC, coordinates, rotations

Groups = tuple[tuple[int, ...], ...]
Scaled = Literal["all", "positions", "orientations"]

ON_BOUNDARY = 1e-9
"""Distance from the boundary within which a pose counts as inside [m, rad]: the precision of coordinates of a
matrix."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PoseRegion(ReadOnly):
    """Poses with sum over each group of ((z - centre) / half)^2 <= 1, z their six coordinates.

    Attributes
    ----------
    centre, half : (6,) array
        Middle, with the position in the base [m], and half widths: position [m] and orientation [rad].
    groups : tuple of tuples of int
        Coordinates that one ellipsoid bounds; a single one has an interval.
    chart : str
        Meaning of the last three coordinates: "rotvec", "cone" or the sequence of Euler angles.
    about : (3,) array
        The point whose position counts, in the platform frame [m].
    directions : (3, 3) array
        Columns: the axes along which positions count from the centre, in the base.
    reference : (3, 3) array
        Orientation from which the platform is turned, about the base's axes.
    name : str

    """

    centre: Array
    half: Array
    groups: Groups
    chart: str = ROTVEC
    about: Array = field(default_factory=lambda: np.zeros(3))
    directions: Array = field(default_factory=lambda: np.eye(3))
    reference: Array = field(default_factory=lambda: np.eye(3))
    name: str = ""

    @property
    def regions(self) -> tuple[PoseRegion, ...]:
        """The region itself; of a union its parts."""
        return (self,)

    @cached_property
    def axes(self) -> Array:
        """Axes of a cone's coordinates: rows a, n x a and n, the platform's z axis at the reference."""
        n = self.reference[:, 2].copy()
        a = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
        a /= np.linalg.norm(a)
        return read_only(np.stack([a, np.cross(n, a), n]))

    def scaled(self, factor: float, what: Scaled = "all") -> PoseRegion:
        """Scale the region's half widths by a factor, about its centre."""
        factors = np.ones(6)
        factors[{"all": slice(6), "positions": slice(3), "orientations": slice(3, 6)}[what]] = factor
        return replace(self, half=self.half * factors)

    def poses(self, z: Array) -> Array:
        """Compute poses (n, 4, 4) from coordinates z (n, 6)."""
        R = (rotations(self.chart, self.axes, z[:, 3:]).reshape(-1, 3) @ self.reference).reshape(-1, 3, 3)
        X = np.zeros((len(z), 4, 4))
        X[:, :3, :3], X[:, 3, 3] = R, 1.0
        X[:, :3, 3] = self.positions(z) - (R.reshape(-1, 3) @ self.about).reshape(-1, 3)
        return X

    def positions(self, z: Array) -> Array:
        """Compute positions of the point in the base (n, 3) from coordinates z (n, 6) [m]."""
        return np.asarray(self.centre[:3] + (z[:, :3] - self.centre[:3]) @ self.directions.T)

    @cached_property
    def alone(self) -> list[int]:
        """Coordinates that have intervals."""
        return [group[0] for group in self.groups if len(group) == 1]

    @cached_property
    def together(self) -> list[list[int]]:
        """Coordinates of each ellipsoid."""
        return [list(group) for group in self.groups if len(group) > 1]

    def excess(self, z: Array) -> Array:
        """Compute the distance (n,) of coordinates (n, 6) outside of the boundary, the largest over the groups [m,
        rad]; 0 inside."""
        away = np.abs(z - self.centre)
        worst = (away - self.half)[:, self.alone].max(axis=1, initial=0.0)
        # Beyond an ellipsoid: the distance along the ray from its centre, no less than the distance itself.
        for cols in self.together:
            norm = group_norm(away[:, cols], self.half[cols])
            off = np.where(
                self.half[cols] > 0,
                away[:, cols] * np.clip(1 - 1 / np.maximum(norm, 1e-300), 0, 1)[:, None],
                away[:, cols],
            )
            worst = np.maximum(worst, np.linalg.norm(off, axis=-1))
        return worst

    def moved_inside(self, z: Array) -> Array:
        """Move coordinates (n, 6) towards the centre, group by group, into the region."""
        found = np.clip(z, self.centre - self.half, self.centre + self.half)
        for cols in self.together:
            away = np.where(self.half[cols] > 0, z[:, cols] - self.centre[cols], 0.0)
            norm = group_norm(np.abs(away), self.half[cols])
            found[:, cols] = self.centre[cols] + away / np.maximum(norm, 1.0)[:, None]
        return found

    def contains(self, X: PoseLike) -> NDArray[np.bool_]:
        """Test whether poses (..., 4, 4) are in the region (...), to 1e-9 m and rad; unknown poses are not."""
        matrices = checked_matrices(X)
        # Several coordinates may give one orientation: the nearest to the region counts.
        excess = np.min([self.excess(z) for z in self.coordinates(matrices.reshape(-1, 4, 4))], axis=0)
        return np.asarray(excess <= ON_BOUNDARY).reshape(matrices.shape[:-2])

    def coordinates(self, X: Array) -> list[Array]:
        """Compute coordinates (n, 6) of poses (n, 4, 4), one array for each set that gives the orientation; NaN for
        unknown poses."""
        known = np.asarray(~np.isnan(X).any(axis=(1, 2)))[:, None]
        R = np.where(known[:, None], X[:, :3, :3], np.eye(3))
        middle, turn = self.centre[:3], R @ self.reference.T
        place = middle + (X[:, :3, 3] + R @ self.about - middle) @ self.directions
        turns = coordinates(self.chart, self.axes, turn, self.centre[3:], self.half[3:], ON_BOUNDARY)
        return [np.where(known, np.concatenate([place, z], axis=-1), np.nan) for z in np.moveaxis(turns, 1, 0)]

    def places(self, n: int, rng: np.random.Generator) -> Array:
        """Draw random coordinates (n, 6): of every second pose each group is uniform in its ellipsoid, of the others on
        its boundary."""
        z = np.empty((n, 6))
        outside = np.arange(n) % 2 == 1
        for group in self.groups:
            cols = list(group)
            direction = rng.normal(size=(n, len(cols)))
            direction /= np.linalg.norm(direction, axis=1, keepdims=True)
            # The volume within a radius r of an ellipsoid in k dimensions grows as r^k.
            radius = np.where(outside, 1.0, rng.uniform(size=n) ** (1 / len(cols)))
            z[:, cols] = self.centre[cols] + self.half[cols] * direction * radius[:, None]
        return z

    def sample(self, n: int, seed: int = 0) -> Array:
        """Draw random poses (n, 4, 4) of the region: half of them inside, half with every group on its boundary."""
        return self.poses(self.places(n, np.random.default_rng(seed)))


@dataclass(frozen=True, eq=False)
class RegionUnion:
    """Poses that are in one region or more.

    Attributes
    ----------
    regions : tuple of PoseRegion

    """

    regions: tuple[PoseRegion, ...]
    name: str = ""

    def __iter__(self) -> Iterator[PoseRegion]:
        return iter(self.regions)

    def contains(self, X: PoseLike) -> NDArray[np.bool_]:
        """Test whether poses (..., 4, 4) are in one of the regions (...)."""
        return np.asarray(np.any([region.contains(X) for region in self.regions], axis=0))

    def sample(self, n: int, seed: int = 0) -> Array:
        """Draw random poses (n, 4, 4), from each region in turn."""
        count, k = len(self.regions), np.arange(n)
        drawn = [region.sample(-(-n // count), seed + i) for i, region in enumerate(self.regions)]
        return np.stack(drawn, axis=1).reshape(-1, 4, 4)[k]

    def scaled(self, factor: float, what: Scaled = "all") -> RegionUnion:
        """Scale each region about its own centre."""
        return replace(self, regions=tuple(region.scaled(factor, what) for region in self.regions))


Region = PoseRegion | RegionUnion


def group_norm(away: Array, half: Array) -> Array:
    """Return norm (n,) of away / half over the coordinates of a group, without those of half width zero."""
    return np.asarray(np.linalg.norm(away / np.where(half > 0, half, np.inf), axis=-1))


def linear_minimisers(region: PoseRegion, gradient: Array) -> Array:
    """Return places (n, 6) of the region that minimise gradient . z, for gradients (n, 6)."""
    z = region.centre - region.half * np.sign(gradient)
    for cols in region.together:
        scaled = gradient[:, cols] * region.half[cols]
        norm = np.linalg.norm(scaled, axis=-1, keepdims=True)
        unit = np.where(norm > 0, scaled / np.where(norm > 0, norm, 1.0), 0.0)
        z[:, cols] = region.centre[cols] - region.half[cols] * unit
    return np.asarray(z)
