"""Tubes: paths whose poses are known, or followed, to within a distance and an angle.

At every place of the path all poses count that move a platform point by no more than the one and turn the platform by
no more than the other. Over an interval they lie in one ball of positions and rotation vectors about the pose in its
middle, whose radii are those of the tube and how far the path goes from there: the bounds of second order of
`gough.regions` hold over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from gough.arrays import Array, Bools, Ints
from gough.checks.numbers import numbers
from gough.errors import InputError, ShapeError
from gough.machine import Machine
from gough.regions.cell_bounds import Bounds, bounds_of, surroundings
from gough.regions.cells import Cells, lowest_places, motion_of
from gough.regions.certificate import certify_region
from gough.regions.constructors import ball
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion
from gough.regions.worst import polished

TOGETHER = 1024
"""Intervals that are bounded together."""
FINE = 1e-3
"""Part of the tube's radii below which an interval's own length does not matter: it is not halved."""
SHORT = 0.1
"""The same, from which on boxes that halve are tried where bounds over one ball do not decide."""
TRIED, FEW = 8, 256
"""Tubes of a round for which this is done, and boxes of each."""
GROUPS = ((0, 1, 2), (3, 4, 5))


@dataclass(frozen=True, eq=False)
class Tube:
    """Radii about a path's poses: of the positions of a platform point [m], and of rotation vectors [rad]."""

    machine: Machine
    position: float
    rotation: float
    tried: int = TRIED
    """Tubes of a round for which boxes that halve are tried: none where a path is broken already."""

    @classmethod
    def of(cls, machine: Machine, uncertainty: ArrayLike | None) -> Tube | None:
        """From a distance, or a distance and an angle; None of none."""
        if uncertainty is None:
            return None
        given = np.atleast_1d(numbers("uncertainty", uncertainty))
        if given.shape not in ((1,), (2,)):
            raise ShapeError.expected("uncertainty", "() or (2,), a distance [m] and an angle [rad]", given.shape)
        if not ((given >= 0).all() and np.isfinite(given).all() and (given[1:] <= np.pi).all()):
            raise InputError(
                f"uncertainty {given.tolist()}: expected a distance [m] and an angle up to pi, zero or more"
            )
        return cls(machine, *np.append(given, 0.0)[:2].tolist()) if given.any() else None

    @property
    def point(self) -> Array:
        """The platform point, of interest, in the platform frame (3,) [m]."""
        return self.machine.point_of_interest

    @property
    def lever(self) -> float:
        """Largest distance of a platform joint from the point [m]."""
        return float(np.linalg.norm(self.machine.b_P - self.point, axis=-1).max())

    def halved(self, X: Array, shift: Array, turn: Array, which: Ints) -> Iterator[tuple[int, Array]]:
        """Those of `which` tubes about short intervals for which boxes that halve prove every limit, since they are too
        wide for bounds over one ball, with lower bounds (k,) of the margins."""
        is_short = self.is_wide(shift / (SHORT / FINE), turn / (SHORT / FINE))
        for i in which[is_short[which]][: self.tried]:
            radius, angle = self.position + float(shift[i]), min(self.rotation + float(turn[i]), np.pi)
            place = X[i, :3, :3] @ self.point + X[i, :3, 3]
            region = ball(place, radius, turn=angle, about=self.point, reference=X[i, :3, :3])
            proof = certify_region(self.machine, region, max_boxes=FEW)
            if proof.is_proven:
                yield int(i), proof.lower

    def is_wide(self, shift: Array, turn: Array) -> Bools:
        """Whether paths that move and turn so little (n,) hardly leave the poses of the tube in their middle."""
        return np.asarray(shift + self.lever * turn <= FINE * (self.position + self.lever * self.rotation))

    def bounds(self, X: Array, shift: Array, turn: Array) -> Bounds:
        """Bounds of the machine's margins over the tube about paths that go and turn no farther than that from poses
        X (n, 4, 4)."""
        parts = [slice(first, first + TOGETHER) for first in range(0, len(X), TOGETHER)]
        found = [self._bounds(X[part], float(shift[part].max()), float(turn[part].max())) for part in parts]
        return Bounds(*(np.concatenate(each) for each in zip(*found, strict=True)))

    def _bounds(self, X: Array, shift: float, turn: float) -> Bounds:
        half = np.repeat([self.position + shift, self.rotation + turn], 3)
        region = PoseRegion(centre=np.zeros(6), half=half, groups=GROUPS, about=self.point)
        cells = Cells(np.zeros((len(X), 6)), np.tile(half, (len(X), 1)))
        motion = motion_of(region, cells)._replace(X=X)
        table = RegionLimits.of(self.machine).own
        wanted = np.ones(len(table.columns), dtype=bool)
        return bounds_of(self.machine, table, region, cells, wanted, surroundings(self.machine, region, cells, motion))

    def lowest(self, X: Array, slope: Array) -> tuple[Array, Array, Array]:
        """Of poses X (n, 4, 4): the pose of the tube with the smallest margin in its scale (n, 4, 4) among those where
        each margin would be smallest if all were linear, with slopes (n, k, 6); how all are displaced (n, k, 6), and
        their margins (n, k, k)."""
        n, k = slope.shape[:2]
        half = np.repeat([self.position, self.rotation], 3)
        z = lowest_places(PoseRegion(centre=np.zeros(6), half=half, groups=GROUPS), slope.reshape(-1, 6))
        limits = RegionLimits.of(self.machine)
        poses = self.displaced(np.repeat(X, k, axis=0), z)
        found = limits.margins(poses).reshape(n, k, k)
        relative = np.where(np.isnan(found), np.inf, found / limits.scales)
        worst, rows = np.argmin(relative.min(axis=2), axis=1), np.arange(n)
        return poses.reshape(n, k, 4, 4)[rows, worst], z.reshape(n, k, 6), found

    def displaced(self, X: Array, z: Array) -> Array:
        """Poses (n, 4, 4) whose point is displaced, and which are turned about it, by z (n, 6)."""
        Y = X.copy()
        Y[:, :3, :3] = Rotation.from_rotvec(z[:, 3:]).as_matrix() @ X[:, :3, :3]
        Y[:, :3, 3] += z[:, :3] + (X[:, :3, :3] - Y[:, :3, :3]) @ self.point
        return Y

    def worst(self, X: Array, column: int) -> tuple[Array, float]:
        """The pose (4, 4) in the tube about X (4, 4) where descent finds the smallest margin of a column, and that."""
        limits, nothing = RegionLimits.of(self.machine), np.zeros(1)
        _, z, found = self.lowest(X[None], self.bounds(X[None], nothing, nothing).slope)
        place = X[:3, :3] @ self.point + X[:3, 3]
        region = ball(place, self.position, turn=self.rotation, about=self.point, reference=X[:3, :3])
        start = region.centre + z[0, int(np.nanargmin(found[0, :, column]))]
        pose = region.poses(polished(limits, region, start, column)[None])
        return pose[0], float(limits.margins(pose)[0, column])
