"""The extent of a star-shaped part: rays from its middle are turned until they reach no farther, then follow limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array, Ints
from gough.displacements import rotations
from gough.limits._margins import LimitArrays
from gough.limits.climb import along_limits, climb
from gough.limits.interval_search import find_intervals, poses_at, twists_along
from gough.stacked import AnyMachine
from gough.workspaces.extent import Extent, active_limits, best_of_sides, search_bounds, starts
from gough.workspaces.levels import Levels, counted_margins, levels_of

FARTHEST = 10.0
"""Length of rays in machine sizes where the legs' reach does not end them."""
CLIMBS, FINE, TRUST = 3, 1e-6, (1.0, 0.1, 0.01)
"""Local searches along each axis in each sense, their last step in parts of the rays' spacing, and trust regions of
quadratic programming."""


@dataclass(frozen=True, eq=False)
class RaysFromMiddle:
    """Rays from one pose `middle` (4, 4), with the point of interest at `centre` (3,), as vectors (n, 3) from there:
    displacements [m], or rotation vectors [rad]."""

    machine: AnyMachine
    arrays: LimitArrays
    middle: Array
    centre: Array
    is_rotation: bool

    def extent(self, known: Array) -> Extent:
        """Return the farthest ends along the axes of the base, from the known ends (n, 3) of rays in all directions.

        For each axis a pattern search turns the ray, and quadratic programming follows the limits into their corners.
        Every result is the end of a ray.
        """
        spacing = float(np.sqrt(4 * np.pi / len(known)))
        signs, axes, first = starts(known, np.full(3, spacing * float(np.linalg.norm(known, axis=1).max())), CLIMBS)
        along = signs[:, None] * np.eye(3)[axes]
        points, values = self._turned(first, along, spacing)
        chosen = best_of_sides(values, signs, axes)
        points = np.array([self._followed(points[c], along[c], spacing) for c in chosen])
        active = active_limits(self.machine, self.poses(points), self.arrays)
        points = points + (0.0 if self.is_rotation else self.centre)
        return Extent.at(points, active, "rad" if self.is_rotation else "m")

    def poses(self, vectors: Array) -> Array:
        """Return poses (n, 4, 4) at vectors (n, 3)."""
        return poses_at(self.machine, *self._places(vectors))

    @property
    def reach(self) -> float:
        """Length of the longest rays."""
        return float(np.pi) if self.is_rotation else longest(self.machine, *self._places(np.zeros(3)))

    @property
    def levels(self) -> Levels:
        """Levels of the limits at vectors (n, 3)."""
        at = levels_of(self.machine, self.arrays)
        # The one orientation that counts comes from the vectors.
        return Levels(
            lambda _, v, *some: at(*self._places(v), *some), np.eye(3)[None], lambda v: np.ones((len(v), 1), dtype=bool)
        )

    def _places(self, vectors: Array) -> tuple[Array, Array]:
        """Orientations and positions of the point of interest at vectors (n, 3)."""
        R = self.machine.end_pose(self.middle)[:3, :3]
        if not self.is_rotation:
            return R, self.centre + vectors
        return rotations(vectors) @ R, np.broadcast_to(self.centre, vectors.shape)

    def first_ends(self, unit: Array) -> tuple[Array, Ints]:
        """Return lengths (n,) of the first intervals of rays along unit vectors (n, 3), and the columns that bind at
        their ends (n,); 0 and -1 where the middle is not allowed."""
        n, twists = len(unit), twists_along(unit, is_rotation=self.is_rotation)
        poses = np.broadcast_to(self.middle, (n, *self.middle.shape)).copy()
        found = find_intervals(self.machine, self.arrays, poses, twists, np.full(n, self.reach), most=1)
        starts = found.ends[:, 0, 0] == 0.0
        return np.where(starts, found.ends[:, 0, 1], 0.0), np.where(starts, found.binding[:, 0, 1], -1)

    def _ends(self, vectors: Array) -> Array:
        """Ends (n, 3) of the first intervals of the rays along vectors (n, 3); zero where the middle is not allowed."""
        size = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = vectors / np.where(size > 0, size, 1.0)
        return self.first_ends(unit)[0][:, None] * unit

    def _turned(self, points: Array, along: Array, step: float) -> tuple[Array, Array]:
        """Ends of rays (n, 3) from which turning reaches no farther `along` (n, 3), and how far they are (n,)."""
        # Search over z in the plane spanned by u and v across each ray: first + z_0 u + z_1 v.
        first = points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), np.finfo(float).tiny)
        u = np.cross(first, np.eye(3)[np.abs(first).argmin(axis=1)])
        v, n = np.cross(first, u), np.arange(len(points))

        def ends(z: Array, which: Ints) -> Array:
            return self._ends(first[which] + z[:, :1] * u[which] + z[:, 1:] * v[which])

        def heights(z: Array, which: Ints) -> Array:
            return np.asarray((ends(z, which) * along[which]).sum(axis=1))

        found, values = climb(heights, np.zeros((len(points), 2)), np.full(len(points), step), FINE)
        return ends(found, n), values

    def _followed(self, point: Array, e: Array, spacing: float) -> Array:
        """The end of a ray at least as far along e as the end `point`, after following limits."""
        size, box = float(np.linalg.norm(point)), (np.full(3, -np.inf), np.full(3, np.inf))
        h = 1e-6 * (1.0 if self.is_rotation else self.machine.size)
        for part in TRUST:
            found = self._ends(along_limits(self._relative, point, e, box, part * spacing * size + h, h)[None])[0]
            point = found if found @ e > point @ e else point
        return point

    def _relative(self, vectors: Array) -> Array:
        return counted_margins(self.machine, self.arrays, *self._places(vectors))


def longest(machine: AnyMachine, R: Array, place: Array) -> float:
    """Return the length of rays from `place` (3,) at orientation R (3, 3) that end beyond the legs' reach, or the
    tool's box."""
    low, high = search_bounds(machine, R, (None, None, None))
    far = float(np.linalg.norm(np.maximum(np.abs(low - place), np.abs(high - place))))
    return far if np.isfinite(far) else FARTHEST * machine.size
