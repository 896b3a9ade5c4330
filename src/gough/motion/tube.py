"""Tubes: bounds of margins over all poses near a path, within an uncertainty (`gough.motion.uncertainty`).

At each parameter the tube holds every pose that a displacement of the set there leads to. Over an interval of the path
these poses lie about the one in its middle, within the sum of such a set and of the path's own motion. The second-order
bounds of `gough.regions` hold over that sum; their linear part has a closed-form minimum over balls and ellipsoids.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.displacements import displaced
from gough.limits.margins import margins
from gough.limits.rods import Pose, Quantity
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.motion.uncertainty import DisplacementSets, Uncertainty
from gough.regions.ball_bounds import ROUNDING, Rates, balls_along, carried, margin_bounds, moved_along
from gough.regions.box_limits import BoxLimits, Family, limits_over
from gough.regions.cells import Cells
from gough.regions.certificate import certify_region
from gough.regions.charts import WIDER
from gough.regions.constructors import ball
from gough.regions.descent import local_minimum
from gough.regions.placing import product, rotation
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion

ORTHONORMAL = 1e-13
"""Departure of a path's orientations from orthonormal matrices."""
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Section(PoseRegion):
    """Poses near n poses of a path: displaced by the set there, and moved along with the path by at most `shift` (n,)
    and `turn` (n,) [m, rad].

    Rotation vectors of successive rotations add up to first order only: d/dt ln(exp(a) exp(t b)) = J^-1 b and
    |J^-1 - 1| is below the angle, so that the error is at most the product of the angles' sum and the second angle.
    """

    sets: DisplacementSets
    shift: Array
    turn: Array

    @classmethod
    def about_path(cls, point: Array, sets: DisplacementSets, shift: Array, turn: Array) -> Section:
        """The section about n poses, for a point (3,) of the platform."""
        # Only sets and the path's motion bound the coordinates: the box of the base class is infinite.
        endless = np.full(6, np.inf)
        return cls(centre=np.zeros(6), half=endless, groups=SEPARATE, about=point, sets=sets, shift=shift, turn=turn)

    @property
    def angle(self) -> Array:
        """Largest change (n,) of the rotation vectors by the path's rotation [rad]."""
        # Balls need no correction: a product of rotations is at most the sum of their angles.
        second_order = 0.0 if self.sets.ends is None else (self.sets.outer[:, 1] + self.turn) * self.turn
        return np.asarray(self.turn + second_order)

    @property
    def cells(self) -> Cells:
        """Boxes about the sets, one for each pose."""
        half = self.sets.half + np.repeat(np.stack([self.shift, self.angle], axis=1), 3, axis=1)
        return Cells(np.zeros_like(half), half)

    def support(self, gradient: Array) -> Array:
        """See `PoseRegion.support`."""
        # The support function of a Minkowski sum is the sum of the support functions.
        lengths = np.linalg.norm(gradient[..., :3], axis=-1), np.linalg.norm(gradient[..., 3:], axis=-1)
        path = lengths[0] * self.shift[:, None] + lengths[1] * self.angle[:, None]
        return np.asarray((self.sets.support(gradient) + path) * WIDER)

    def chosen(self, which: Ints) -> Section:
        """The section about some of the poses."""
        return Section.about_path(self.about, self.sets.chosen(which), self.shift[which], self.turn[which])

    @np.errstate(divide="ignore", invalid="ignore")
    def limits(self, machine: Machine, X: Array) -> BoxLimits:
        """Bounds of a machine's margins about the path's poses X (n, 4, 4)."""
        half, R = self.cells.half.T * WIDER, np.moveaxis(X[:, :3, :3], 0, -1)
        place = X[:, :3, :3] @ self.about + X[:, :3, 3]

        def pose_at(y: Quantity, box: Ints) -> Pose:
            z = y * half[:, box]
            turned = product(rotation([z[3], z[4], z[5]], np.eye(3)), R[:, :, box])
            return Pose(turned, z[:3] + place[box].T, self.about, ORTHONORMAL)

        def support(slope: Array, box: Ints) -> Array:
            gradient = np.nan_to_num(slope / half[:, box], posinf=0.0, neginf=0.0).T[:, None]
            return self.chosen(box).support(gradient)[:, 0]

        table = RegionLimits.of(machine)
        balls = (np.arange(3), np.arange(3, 6)) if self.sets.ends is None else ()
        family = Family(np.zeros(half.shape), np.ones(half.shape), balls, pose_at)
        every = np.ones(len(table.columns), dtype=bool)
        found = limits_over(table.tasks(every), len(every), family, support)
        gradient = np.nan_to_num(found.gradient / half.T[:, None], posinf=0.0, neginf=0.0)
        return BoxLimits(found.lower, gradient)


@dataclass(frozen=True, eq=False)
class Tube:
    """Poses displaced from those of a path within an uncertainty."""

    machine: Machine
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
    def lever(self) -> float:
        """Largest distance of a platform joint from the point [m]."""
        return float(np.linalg.norm(self.machine.b_P - self.point, axis=-1).max())

    def displaced(self, X: Array, z: Array) -> Array:
        """Poses (n, 4, 4) displaced by z (n, 6) about the point."""
        return displaced(X, z, self.point)

    def halved(
        self, X: Array, shift: Array, turn: Array, sets: DisplacementSets, which: Ints
    ) -> Iterator[tuple[int, Array]]:
        """Tubes of `which`, about short intervals, in which bisected boxes prove every limit where bounds over the
        whole set are too wide; with lower bounds (k,) of the margins."""
        is_short = self.is_wide(shift / (SHORT / NEGLIGIBLE), turn / (SHORT / NEGLIGIBLE), sets)
        for i in which[is_short[which]][: self.tried]:
            region = self._region_about(X[i], sets.chosen([i]), shift[[i]], turn[[i]])
            proof = certify_region(self.machine, region, max_boxes=MAX_BOXES)
            if proof.is_proven:
                yield int(i), proof.lower

    def _region_about(self, X: Array, sets: DisplacementSets, shift: Array, turn: Array) -> PoseRegion:
        """A region that holds one tube about X (4, 4): two balls; for an ellipsoid a box of positions and rotations."""
        place, R = X[:3, :3] @ self.point + X[:3, 3], X[:3, :3]
        radius, angle = float(sets.outer[0, 0] + shift[0]), float(sets.outer[0, 1] + turn[0])
        if sets.ends is None or angle > np.pi:
            return ball(place, radius, turn=min(angle, np.pi), about=self.point, reference=R)
        half = Section.about_path(self.point, sets, shift, turn).cells.half[0]
        centre = np.append(place, np.zeros(3))
        return PoseRegion(centre=centre, half=half, groups=SEPARATE, about=self.point, reference=R)

    def is_wide(self, shift: Array, turn: Array, sets: DisplacementSets) -> Bools:
        """Whether the tube (n,) is much wider than the path's motion over the interval and its own change of width."""
        wide, uneven = (each @ [1.0, self.lever] for each in (sets.outer, sets.outer - sets.inner))
        return np.asarray(shift + self.lever * turn + uneven <= NEGLIGIBLE * wide)

    def bounds(self, X: Array, shift: Array, turn: Array, sets: DisplacementSets) -> BoxLimits:
        """Bounds of the machine's margins over the tube about paths that move and turn by at most `shift` and `turn`
        (n,) from poses X (n, 4, 4)."""
        section = Section.about_path(self.point, sets, shift, turn)
        return section.limits(self.machine, X)

    def lowest(self, X: Array, gradient: Array, sets: DisplacementSets) -> tuple[Array, Array, Array]:
        """Minimisers of the margins in tubes about poses X (n, 4, 4), linearised with gradients (n, k, 6): the pose
        with the smallest margin in its scale (n, 4, 4), all displacements (n, k, 6), and their margins (n, k, k)."""
        n, k = gradient.shape[:2]
        z = sets.lowest(gradient)
        limits = RegionLimits.of(self.machine)
        poses = self.displaced(np.repeat(X, k, axis=0), z.reshape(-1, 6))
        found = limits.margins(poses).reshape(n, k, k)
        # Every minimiser is evaluated for all margins: that of one limit may break another.
        relative = np.where(np.isnan(found), np.inf, found / limits.scales)
        worst, rows = np.argmin(relative.min(axis=2), axis=1), np.arange(n)
        return poses.reshape(n, k, 4, 4)[rows, worst], z, found

    def worst(self, X: Array, s: float, column: int) -> tuple[Array, float]:
        """The pose (4, 4) in the tube about X (4, 4), at s, with the smallest margin of a column found by descent, and
        that margin."""
        at, zero = np.array([s]), np.zeros(1)
        sets, limits = self.uncertainty.over(at, at), RegionLimits.of(self.machine)
        _, z, found = self.lowest(X[None], self.bounds(X[None], zero, zero, sets).gradient, sets)
        start = z[0, int(np.nanargmin(found[0, :, column]))]
        if sets.ends is None:
            region = self._region_about(X, sets, zero, zero)
            pose = region.poses(local_minimum(limits, region, region.centre + start, column)[None])
        else:
            pose = self.displaced(X[None], start[None])
            # Frank-Wolfe steps of full length: to the minimiser of the margin linearised at the last pose.
            for _ in range(DESCENT_STEPS):
                gradient = self.bounds(pose, zero, zero, sets).gradient[:, column, None]
                other = self.displaced(X[None], sets.lowest(gradient)[0])
                if not limits.margins(other)[0, column] < limits.margins(pose)[0, column]:
                    break
                pose = other
        return pose[0], float(limits.margins(pose)[0, column])


def margins_around(
    table: LimitTable,
    tube: Tube,
    sets: DisplacementSets,
    X: Array,
    V: Array,
    rates: Rates,
    h: Array,
    values: Array,
    upper: Array,
) -> tuple[Array, Array, Array, Bools]:
    """Margins, their lower bounds over a tube and intervals, and upper bounds along displaced paths in it (n, k); which
    intervals are too short for bisection to tighten these."""
    m, c, lower = tube.machine, tube.point, np.full_like(values, -np.inf)
    tolerance = table.arrays.tolerance
    shift, turn = moved_along(X, V, rates, h, c[None])[1][:, 0], h * rates.w * (1 + ROUNDING)
    # Where the path itself is broken the tube is too: no bounds over it.
    at = np.flatnonzero(~(upper < -tolerance).any(axis=1))
    if len(at):
        here = sets.chosen(at)
        bounds = tube.bounds(X[at], shift[at], turn[at], here)
        lower[at] = bounds.lower
        # Refutation: one displaced path within the tube that breaks a limit over the whole interval.
        Y, _, found = tube.lowest(X[at], bounds.gradient, here)
        there = margins(m, Y).values
        swept = Rates(*(bound[at] for bound in rates))
        _, above = margin_bounds(m, table, balls_along(m, Y, *_displaced(X[at], Y, V[at], swept, c), h[at]), there)
        is_open = ~(bounds.lower > 0).all(axis=1) & ~(above < -tolerance).any(axis=1)
        for i, proven in tube.halved(X, shift, turn, sets, at[is_open]):
            lower[i] = np.maximum(proven, np.finfo(float).tiny)  # proven: no limit is crossed
        values[at], upper[at] = np.fmin(values[at], np.fmin.reduce(found, axis=1)), np.fmin(upper[at], above)
    return values, lower, upper, tube.is_wide(shift, turn, sets)


def _displaced(X: Array, Y: Array, V: Array, rates: Rates, point: Array) -> tuple[Array, Rates]:
    """Twists (n, 6) and bounds of the rates of paths through X displaced to Y: the point's velocity is the same, the
    platform is rotated about it."""
    R, R_Y = X[:, :3, :3], Y[:, :3, :3]
    # R_Y = Q R with the same Q in base axes all along, so w_Y = Q w; v + w x R c of the point does not change.
    w = (R_Y @ np.swapaxes(R, 1, 2) @ V[:, 3:, None])[..., 0]
    v = V[:, :3] + np.cross(V[:, 3:], R @ point) - np.cross(w, R_Y @ point)
    lever = 2 * float(np.linalg.norm(point))
    faster = carried(lever, rates.w), carried(lever, rates.alpha + rates.w**2)
    return np.concatenate([v, w], axis=1), Rates(rates.v + faster[0], rates.w, rates.a + faster[1], rates.alpha)
