"""Tubes: bounds of margins over all poses near a path, within an uncertainty (`gough.motion.uncertainty`).

At each parameter the tube holds every pose that a displacement of the set there leads to. Over an interval of the path
these poses are functions of seven variables (`gough.motion.path_models`): the parameter, and the displacement in a set
that holds those of the interval. The minimum of linear functions over balls and ellipsoids has a closed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.displacements import displaced
from gough.machine import Machine
from gough.motion.path_models import PathModels
from gough.motion.uncertainty import DisplacementSets, Uncertainty
from gough.regions.box_limits import BoxLimits, Family, limits_over
from gough.regions.constructors import ball
from gough.regions.descent import local_minimum
from gough.regions.models import WIDER
from gough.regions.proof import certify_region
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion

NEGLIGIBLE = 1e-3
"""Path motion over an interval, as part of the tube's radii, below which bisection cannot tighten the bounds."""
SHORT = 0.1
"""The same part below which subdivision of the tube itself is tried."""
TRIED, MAX_BOXES = 8, 256
"""Tubes of a round that are subdivided, and boxes of each."""
DESCENT_STEPS = 8
"""Linearised steps of a descent in an ellipsoid."""
SEPARATE = tuple((k,) for k in range(6))
"""Groups of a region whose coordinates have an interval each."""


@dataclass(frozen=True, eq=False)
class Tube:
    """Poses displaced from those of a path within an uncertainty."""

    limits: RegionLimits
    uncertainty: Uncertainty
    tried: int = TRIED
    """Tubes of a round that are subdivided: none once the path is known to be broken."""

    @property
    def radii(self) -> tuple[float, float]:
        """The largest along the path [m, rad]."""
        position, rotation = self.uncertainty.radii.max(axis=0).tolist()
        return position, rotation

    @property
    def point(self) -> Array:
        """The machine's point of interest, in the platform frame (3,) [m]."""
        return self.machine.point_of_interest

    @property
    def machine(self) -> Machine:
        """The machine."""
        return self.limits.machine

    def bounds(self, models: PathModels, sets: DisplacementSets) -> BoxLimits:
        """Return bounds of the machine's margins over n sets of displacements from the poses of parts of a path, with
        gradients (n, k, 6) by displacements."""
        half = sets.half * WIDER

        def support(slope: Array, box: Ints) -> Array:
            gradient = np.nan_to_num(np.moveaxis(slope[1:], 0, -1) / half[box], posinf=0.0, neginf=0.0)
            return np.asarray(np.abs(slope[0]) + sets.chosen(box).support(gradient.swapaxes(0, 1)).T * WIDER)

        is_balls = sets.ends is None
        balls = (np.arange(1, 4), np.arange(4, 7)) if is_balls else ()
        with np.errstate(divide="ignore", invalid="ignore"):
            near = models.near(half, self.point, balls, None if is_balls else support)
            found = limits_over(self.limits, np.ones(len(self.limits.columns), dtype=bool), near)
            gradient = found.gradient[..., 1:] / half[:, None]
        return found._replace(gradient=np.nan_to_num(gradient, posinf=0.0, neginf=0.0))

    def along(self, family: Family) -> BoxLimits:
        """Return bounds of margins over parts of a path, or of one displaced from it."""
        every = np.ones(len(self.limits.columns), dtype=bool)
        found = limits_over(self.limits, every, family, is_whole=False)
        return found._replace(broken=found.broken & (found.values < -self.limits.tolerance))

    def around(self, models: PathModels, sets: DisplacementSets) -> tuple[Array, Array, Bools, Bools]:
        """Return the smallest margins found (n, k) in the tube over parts of a path, lower bounds of them, and which
        limits are broken all over a part, by the path or one displaced from it; which parts (n,) are too short for
        bisection to tighten these."""
        path, shift, turn = self.along(models.family()), *models.moved(self.point)
        values, broken = path.values.copy(), path.broken.copy()
        lower = np.full_like(values, -np.inf)
        # Where the path itself is broken the tube is too: no bounds over it.
        at = np.flatnonzero(~broken.any(axis=1))
        if len(at):
            here, there = models.chosen(at), sets.chosen(at)
            bounds = self.bounds(here, there)
            lower[at] = bounds.lower
            # Refutation: one displaced path within the tube that breaks a limit over the whole part.
            worst, _, found = self.lowest(here.poses, bounds.gradient, there)
            broken[at] = self.along(here.displaced(worst, self.point)).broken
            values[at] = np.fmin(values[at], np.fmin.reduce(found, axis=1))
            is_open = ~(lower[at] >= -self.limits.tolerance).all(axis=1) & ~broken[at].any(axis=1)
            for i, proven in self.halved(models.poses, shift, turn, sets, at[is_open]):
                lower[i] = np.maximum(proven, 0.0)  # proven: no limit is crossed
        return values, lower, broken, self.is_wide(shift, turn, sets)

    def displaced(self, X: Array, z: Array) -> Array:
        """Return poses (n, 4, 4) displaced by z (n, 6) about the point."""
        return displaced(X, z, self.point)

    def halved(
        self, X: Array, shift: Array, turn: Array, sets: DisplacementSets, which: Ints
    ) -> Iterator[tuple[int, Array]]:
        """Yield tubes of `which`, about short intervals, in which bisected boxes prove every limit where bounds over
        the whole set are too wide; with lower bounds (k,) of the margins."""
        is_short = self.is_wide(shift / (SHORT / NEGLIGIBLE), turn / (SHORT / NEGLIGIBLE), sets)
        for i in which[is_short[which]][: self.tried]:
            region = self._region_about(X[i], sets.chosen([i]), float(shift[i]), float(turn[i]))
            proof = certify_region(self.machine, region, also=self.limits.requested, max_boxes=MAX_BOXES)
            if proof.is_proven:
                yield int(i), proof.lower

    def _region_about(self, X: Array, sets: DisplacementSets, shift: float, turn: float) -> PoseRegion:
        """A region that holds one tube about X (4, 4), moved by at most `shift` [m] and `turn` [rad]: two balls; for an
        ellipsoid a box of positions and rotations."""
        place, R = X[:3, :3] @ self.point + X[:3, 3], X[:3, :3]
        radius, angle = (sets.outer[0] + [shift, turn]).tolist()
        if sets.ends is None or angle > np.pi:
            return ball(place, radius, turn=min(angle, np.pi), about=self.point, reference=R)
        # Rotation vectors of successive rotations add up to first order only: d/dt ln(exp(a) exp(t b)) = J^-1 b and
        # |J^-1 - 1| is below the angle, so that the error is at most the product of the angles' sum and the second one.
        half = sets.half[0] + np.repeat([shift, turn + angle * turn], 3)
        centre = np.append(place, np.zeros(3))
        return PoseRegion(centre=centre, half=half, groups=SEPARATE, about=self.point, reference=R)

    def is_wide(self, shift: Array, turn: Array, sets: DisplacementSets) -> Bools:
        """Test whether the tube (n,) is much wider than the path's motion over the interval and its own change of
        width."""
        lever = float(np.linalg.norm(self.machine.b_P - self.point, axis=-1).max())
        wide, uneven = (each @ [1.0, lever] for each in (sets.outer, sets.outer - sets.inner))
        return np.asarray(shift + lever * turn + uneven <= NEGLIGIBLE * wide)

    def lowest(self, X: Array, gradient: Array, sets: DisplacementSets) -> tuple[Array, Array, Array]:
        """Return minimisers of the margins in tubes about poses X (n, 4, 4), linearised with gradients (n, k, 6): the
        displacement to the smallest margin in its scale (n, 6), all displacements (n, k, 6), and their margins (n, k,
        k)."""
        n, k = gradient.shape[:2]
        z = sets.lowest(gradient)
        found = self.limits.margins(self.displaced(np.repeat(X, k, axis=0), z.reshape(-1, 6))).reshape(n, k, k)
        # Every minimiser is evaluated for all margins: that of one limit may break another.
        relative = np.where(np.isnan(found), np.inf, found / self.limits.scales)
        return z[np.arange(n), np.argmin(relative.min(axis=2), axis=1)], z, found

    def worst(self, X: Array, s: float, column: int) -> tuple[Array, float]:
        """Return the pose (4, 4) in the tube about X (4, 4), at s, with the smallest margin of a column found by
        descent, and that margin."""
        at, limits = np.array([s]), self.limits
        sets = self.uncertainty.over(at, at)
        _, z, found = self.lowest(X[None], self.bounds(PathModels.at(X[None]), sets).gradient, sets)
        start = z[0, int(np.nanargmin(found[0, :, column]))]
        if sets.ends is None:
            region = self._region_about(X, sets, 0.0, 0.0)
            pose = region.poses(local_minimum(limits, region, region.centre + start, column)[None])
        else:
            pose = self.displaced(X[None], start[None])
            # Frank-Wolfe steps of full length: to the minimiser of the margin linearised at the last pose.
            for _ in range(DESCENT_STEPS):
                gradient = self.bounds(PathModels.at(pose), sets).gradient[:, column, None]
                other = self.displaced(X[None], sets.lowest(gradient)[0])
                if not limits.margins(other)[0, column] < limits.margins(pose)[0, column]:
                    break
                pose = other
        return pose[0], float(limits.margins(pose)[0, column])
