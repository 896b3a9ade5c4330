"""Poses of a region by coordinates in the unit cube, for arrays and for Taylor models (`gough.regions.charts`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits.rods import Pose, Quantity
from gough.regions.charts import CONE, ROTVEC
from gough.regions.models import rotation_factors
from gough.regions.shapes import PoseRegion


@dataclass(frozen=True, eq=False)
class Chart:
    """Normalised coordinates y (n, ...) of a region in [-1, 1]: (coordinate - centre) / half width, without the
    coordinates of zero half width. `groups` hold the coordinates that share a ball."""

    region: PoseRegion
    free: Ints
    groups: tuple[Ints, ...]

    @classmethod
    def of(cls, region: PoseRegion) -> Chart:
        """Return the chart of a region."""
        free = np.flatnonzero(region.half > 0)
        balls = (np.flatnonzero(np.isin(free, group)) for group in region.together)
        return cls(region, free, tuple(ball for ball in balls if len(ball) > 1))

    def coordinates(self, y: Array) -> Array:
        """Return the region's coordinates (..., 6) of y (n, ...)."""
        z = np.array(np.broadcast_to(self.region.centre, (*y.shape[1:], 6)))
        z[..., self.free] += np.moveaxis(y, 0, -1) * self.region.half[self.free]
        return z

    def moved_inside(self, y: Array) -> Array:
        """Return places y (n, ...) moved into the region."""
        y = np.clip(y, -1.0, 1.0)
        for ball in self.groups:
            y[ball] /= np.maximum(np.sqrt((y[ball] ** 2).sum(0)), 1.0)
        return y

    def meets(self, centre: Array, half: Array) -> Bools:
        """Find which boxes (n, boxes) intersect the region."""
        found = np.ones(centre.shape[1], dtype=bool)
        for ball in self.groups:
            near = np.maximum(np.abs(centre[ball]) - half[ball], 0.0)
            found &= (near**2).sum(0) <= 1 + 1e-9
        return found

    def pose(self, y: Quantity) -> tuple[Quantity, Quantity]:
        """Return orientation (3, 3, ...) and position (3, ...) of the region's point."""
        region = self.region
        moved: list[Quantity] = [None] * 6
        for k, j in enumerate(self.free):
            moved[j] = y[k] * region.half[j]
        p: Quantity = region.centre[:3, None]
        for j in range(3):
            if moved[j] is not None:
                p = p + moved[j] * region.directions[:, j, None]
        turned = [region.centre[j] if moved[j] is None else moved[j] + region.centre[j] for j in (3, 4, 5)]
        R = region.reference[:, :, None]
        for factor in reversed(self._factors(turned)):
            R = product(factor, R)
        still = y[0] * 0.0 if len(y) else np.zeros(y.shape[1:])  # so that constants have the boxes' axis
        return R + np.zeros(y.shape[1:]), p + still

    def pose_at(self, y: Quantity) -> Pose:
        """Return the pose of coordinates y (n, ...), for the limited quantities."""
        R = self.region.reference
        return Pose(*self.pose(y), self.region.about, float(np.linalg.norm(R.T @ R - np.eye(3))))

    def _factors(self, z: list[Quantity]) -> list[Quantity]:
        """Rotations whose product is that of coordinates z (3,) from the reference."""
        region, axes = self.region, self.region.axes
        is_still = [self.region.half[3 + k] == 0 and self.region.centre[3 + k] == 0 for k in range(3)]
        if region.chart == ROTVEC:
            return [] if all(is_still) else [rotation(z, np.eye(3))]
        if region.chart == CONE:
            tilt = [] if all(is_still[:2]) else [rotation(z[:2], axes[:2])]
            return tilt + ([] if is_still[2] else [rotation_about(axes[2], z[2])])
        order = range(3) if region.chart.isupper() else range(2, -1, -1)
        letters = region.chart.lower()
        return [rotation_about(np.eye(3)["xyz".index(letters[k])], z[k]) for k in order if not is_still[k]]


def product(A: Quantity, B: Quantity) -> Quantity:
    """Return the product of matrices (3, 3, ...)."""
    return (A[:, :, None] * B[None]).sum(1)


def rotation(parts: list[Quantity], axes: Array) -> Quantity:
    """Return exp(v) (3, 3, ...) of rotation vectors v with some parts along axes (k, 3)."""
    v: Quantity = sum(part * axis[:, None] for part, axis in zip(parts, axes, strict=True))
    a, b = rotation_factors((v * v).sum(0))
    x, y, z = v[0] * a, v[1] * a, v[2] * a
    p = [[v[i] * v[j] * b for j in range(i + 1)] for i in range(3)]
    rows = [
        [1 - p[1][1] - p[2][2], p[1][0] - z, p[2][0] + y],
        [p[1][0] + z, 1 - p[0][0] - p[2][2], p[2][1] - x],
        [p[2][0] - y, p[2][1] + x, 1 - p[0][0] - p[1][1]],
    ]
    return np.stack([np.stack(row) for row in rows])


def rotation_about(axis: Array, angle: Quantity) -> Quantity:
    """Return rotation (3, 3, ...) about a unit vector."""
    x, y, z = axis
    cross, along = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]), np.outer(axis, axis)
    return np.sin(angle) * cross[..., None] + np.cos(angle) * (np.eye(3) - along)[..., None] + along[..., None]
