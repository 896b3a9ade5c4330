"""Boxes of a region's six coordinates, how far the platform moves over them, and their measure [m3 rad3].

Along a straight line of coordinates, z(s) = c + s h, the angular velocity is at most |h| for a rotation vector. For
products of rotations the angular velocities add: with axes at an angle g, |h1 + h2|^2 = h1^2 + h2^2 + 2 cos(g) h1 h2.

The measure of poses is the volume of positions times the invariant measure of rotations. The measure of rotations
(Haar) is scaled so that small rotations count as their rotation vectors do, dx dy dz [rad3]; all of them together have
8 pi^2 rad3. It does not depend on frames, on the reference orientation, or on the point whose position counts. By the
three coordinates of an orientation it has the density

    rotvec   (sin(t / 2) / (t / 2))^2      t the angle
    cone     sin(t) / t                    t the tilt
    XYZ ...  cos(z_2)                      Euler angles about three axes; of sequences such as ZXZ sin(z_2)

(Chirikjian and Kyatkin 2001, sections 5.4 and 6.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.errors import InputError
from gough.regions.charts import CONE, ROTVEC, rotations
from gough.regions.models import WIDER
from gough.regions.shapes import ON_BOUNDARY, PoseRegion, group_norm


class Cells(NamedTuple):
    """Boxes: centres and half widths (n, 6) [m, rad]."""

    centre: Array
    half: Array

    def __len__(self) -> int:
        return len(self.centre)

    def chosen(self, which: Bools | Ints | slice) -> Cells:
        """Return some of the boxes."""
        return Cells(self.centre[which], self.half[which])


def joined(parts: Sequence[Cells]) -> Cells:
    """Return boxes of several sets, one after the other."""
    return Cells(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def meets(region: PoseRegion, cells: Cells) -> Bools:
    """Find which boxes intersect the region (n,)."""
    away, found = np.abs(cells.centre - region.centre) - cells.half * WIDER, np.ones(len(cells), dtype=bool)
    for group in region.groups:
        cols = [k for k in group if region.half[k] > 0]
        found &= group_norm(np.maximum(away[:, cols], 0.0), region.half[cols]) <= WIDER
    return found


class Motion(NamedTuple):
    """Poses X (n, 4, 4) at the centres of boxes with half widths `half` (n, 6), and bounds (n,) of the displacement of
    the region's point [m] and of the platform's rotation [rad] from there to any place of the box."""

    X: Array
    half: Array
    shift: Array
    turn: Array
    region: PoseRegion

    @classmethod
    def over(cls, region: PoseRegion, cells: Cells) -> Motion:
        """Bound the motion over boxes of a region."""
        half = cells.half * WIDER
        shift = np.linalg.norm(half[:, :3], axis=1)
        return cls(region.poses(cells.centre), half, shift, _turns(region, cells.centre[:, 3:], half[:, 3:]), region)

    def chosen(self, which: Bools | Ints) -> Motion:
        """Return the motion over some of the boxes."""
        X, half, shift, turn, region = self
        return Motion(X[which], half[which], shift[which], turn[which], region)

    def arms(self, points_P: Array) -> Array:
        """Return vectors (n, k, 3) from the region's point to points (k, 3) of the platform, in base axes."""
        return np.asarray((points_P - self.region.about) @ np.swapaxes(self.X[:, :3, :3], 1, 2))

    def moved(self, length: Array) -> Array:
        """Return bounds (n, k) of the displacements of points at distances (k,) from the region's point [m]."""
        return np.asarray((self.shift[:, None] + self.turn[:, None] * length) * WIDER)


def _turns(region: PoseRegion, z: Array, h: Array) -> Array:
    """Bounds (n,) of the rotation over boxes of orientations with centres and half widths (n, 3) [rad]."""
    if region.chart == ROTVEC:
        return np.linalg.norm(h, axis=1) * WIDER
    if region.chart == CONE:
        # The tilt's angular velocity is along the torsion's axis by no more than half of the tilt.
        first, third = np.linalg.norm(h[:, :2], axis=1), h[:, 2]
        cosine, across = np.linalg.norm(np.abs(z[:, :2]) + h[:, :2], axis=1) / 2, 0.0
    else:
        # The second axis is across the others; the middle angle turns the third towards the first.
        first, across, third = h.T
        axes = np.eye(3)[["xyz".index(letter) for letter in region.chart.lower()]]
        between = rotations("rotvec", region.axes, z[:, 1:2] * axes[1])
        cosine = np.abs(np.einsum("i,nij,j->n", axes[0], between, axes[2])) + across
    cosine = np.minimum(cosine, 1.0)
    return np.asarray(np.sqrt(first**2 + across**2 + third**2 + 2 * first * third * cosine) * WIDER)


ROUNDING = 1e-12
"""Relative widening of bounds of measures, sums of terms of one sign: thousands of their roundings."""
TOGETHER = 20_000
"""Boxes that are projected together."""


def density(region: PoseRegion, z: Array) -> Array:
    """Return density (n,) of the measure at coordinates (n, 6); zero outside the region."""
    inside = np.ones(len(z), dtype=bool)
    for group in region.groups:
        cols = list(group)
        inside &= group_norm(z[:, cols] - region.centre[cols], region.half[cols]) <= 1
    return np.where(inside, _density(region.chart, np.abs(z[:, 3:] - _middle(region.chart))), 0.0)


def density_bounds(region: PoseRegion, cells: Cells) -> tuple[Array, Array]:
    """Return the smallest and largest density (n,) over boxes; the smallest is zero where a box is not wholly in the
    region."""
    away = np.abs(cells.centre[:, 3:] - _middle(region.chart))
    low = _density(region.chart, away + cells.half[:, 3:])
    return np.where(is_within(region, cells), low, 0.0), largest_density(region, cells)


def largest_density(region: PoseRegion, cells: Cells) -> Array:
    """Return the largest density (n,) over boxes."""
    away = np.abs(cells.centre[:, 3:] - _middle(region.chart))
    return _density(region.chart, np.maximum(away - cells.half[:, 3:], 0.0))


def measure_bounds(region: PoseRegion, cells: Cells) -> tuple[Array, Array]:
    """Lower and upper bounds (n,) of the measure that boxes have in common with the region [m3 rad3]."""
    volume = np.prod(2 * cells.half, axis=1)
    if region.chart in (ROTVEC, CONE):
        low, high = density_bounds(region, cells)
    else:  # of Euler angles: the exact integral of a cosine; only the region's boundary makes the bounds differ
        away, half = (cells.centre[:, 3:] - _middle(region.chart))[:, 1], cells.half[:, 4]
        high = np.cos(away) * np.sinc(half / np.pi)
        low = np.where(is_within(region, cells), high, 0.0)
    return low * volume * (1 - ROUNDING), high * volume * (1 + ROUNDING)


def is_within(region: PoseRegion, cells: Cells) -> Bools:
    """Find which boxes (n,) lie within the region."""
    found = np.ones(len(cells), dtype=bool)
    for group in region.groups:
        cols = list(group)
        far = np.abs(cells.centre[:, cols] - region.centre[cols]) + cells.half[:, cols]
        # Halved boxes share the faces of the region's intervals: rounding must not put them outside.
        found &= group_norm(far, region.half[cols]) <= (WIDER if len(cols) == 1 else 1 - ROUNDING)
    return found


def projected(
    region: PoseRegion,
    parts: tuple[Cells, ...],
    pair: tuple[int, int],
    squares: int,
    edges: tuple[Array, Array] | None = None,
) -> tuple[tuple[Array, Array], Array]:
    """Return edges of squares along two coordinates, about all boxes where not given, and the boxes' measure over each
    square.

    The upper bound of a box's measure is distributed evenly over its projection [m3 rad3].
    """
    cells = joined(parts)
    found = np.zeros((squares, squares))
    if edges is None:
        ends = [_ends(region, cells, axis) for axis in pair]
        edges = np.linspace(*ends[0], squares + 1), np.linspace(*ends[1], squares + 1)
    for first in range(0, len(cells), TOGETHER):
        some = cells.chosen(slice(first, first + TOGETHER))
        weight = measure_bounds(region, some)[1]
        x, y = (_spread(some, axis, ends) for axis, ends in zip(pair, edges, strict=True))
        found += x.T @ (weight[:, None] * y)
    return edges, found


def _ends(region: PoseRegion, cells: Cells, axis: int) -> tuple[float, float]:
    """Ends of all boxes along a coordinate; those of the region without boxes."""
    centre, half = (cells.centre[:, axis], cells.half[:, axis]) if len(cells) else (region.centre, region.half)
    middle, away = (centre, half) if len(cells) else (centre[axis : axis + 1], half[axis : axis + 1])
    return float((middle - away).min()), float((middle + away).max())


def _spread(cells: Cells, axis: int, edges: Array) -> Array:
    """Part (n, squares) of each box's extent between edges along a coordinate."""
    low, high = (cells.centre + side * cells.half for side in (-1, 1))
    shared = np.minimum(high[:, axis, None], edges[1:]) - np.maximum(low[:, axis, None], edges[:-1])
    return np.asarray(np.maximum(shared, 0.0) / (high - low)[:, axis, None])


def check_measurable(region: PoseRegion) -> None:
    """Raise `InputError` for a region without extent in all six coordinates, or in which an orientation counts
    twice."""
    if not (region.half > 0).all():
        raise InputError(
            "the region has no extent in all of its six coordinates, so no 6-D volume; "
            "specify positions and orientations, or use gough.workspace for one orientation"
        )
    low, high = (region.centre + sign * region.half for sign in (-1, 1))
    if region.chart in (ROTVEC, CONE):
        most = np.abs([low[3:], high[3:]]).max()
        if most > np.pi + ON_BOUNDARY:
            raise InputError(f"angles up to {most:.6g} rad count orientations twice; use at most pi")
        return
    # Within these ranges of the middle angle each orientation has one triple, within full turns of the others.
    ends = (0.0, np.pi) if _is_proper(region.chart) else (-np.pi / 2, np.pi / 2)
    if low[4] < ends[0] - ON_BOUNDARY or high[4] > ends[1] + ON_BOUNDARY:
        raise InputError(
            f"middle angle of {region.chart} from {low[4]:.6g} to {high[4]:.6g} rad: "
            f"beyond {ends[0]:.6g} to {ends[1]:.6g} orientations are counted twice"
        )


def _is_proper(chart: str) -> bool:
    """Whether angles are of a sequence such as ZXZ, whose first and last axis are the same."""
    return chart not in (ROTVEC, CONE) and chart[0] == chart[2]


def _middle(chart: str) -> Array:
    """Coordinates (3,) of the orientation with the largest density; it falls monotonically from there."""
    return np.array([0.0, np.pi / 2 if _is_proper(chart) else 0.0, 0.0])


def _density(chart: str, away: Array) -> Array:
    """Density (n,) at coordinates (n, 3) from the middle: 1 there, falling to zero."""
    if chart == ROTVEC:
        return np.asarray(np.sinc(np.minimum(np.linalg.norm(away, axis=-1) / (2 * np.pi), 1.0)) ** 2)
    if chart == CONE:
        return np.asarray(np.sinc(np.minimum(np.linalg.norm(away[:, :2], axis=-1) / np.pi, 1.0)))
    return np.asarray(np.cos(np.minimum(away[:, 1], np.pi / 2)))
