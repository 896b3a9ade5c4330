"""Tubes: paths whose poses are known, or followed, to within a set of displacements.

At every place of the path all poses count that displacements of `gough.motion.uncertainty` lead to. Over an interval
they lie about the pose in its middle, in the sum of such a set and of how far the path goes from there: the bounds of
second order of `gough.regions` hold over it, whose linear part is smallest over balls and ellipsoids in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.displacements import displaced
from gough.limits.margins import margins
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.motion.uncertainty import Spreads, Uncertainty
from gough.regions._placing import WIDER
from gough.regions.ball_bounds import ROUNDING, Rates, balls_along, carried, margin_bounds, moved_along
from gough.regions.cell_bounds import Bounds, bounds_of, surroundings
from gough.regions.cells import Cells
from gough.regions.certificate import certify_region
from gough.regions.charts import ROTVEC, turned
from gough.regions.constructors import ball
from gough.regions.descent import local_minimum
from gough.regions.motions import Motion
from gough.regions.requested import RegionLimits
from gough.regions.shapes import PoseRegion

TOGETHER = 1024
"""Intervals that are bounded together."""
FINE = 1e-3
"""Part of the tube's radii below which an interval's own length does not matter: it is not halved."""
SHORT = 0.1
"""The same, from which on boxes that halve are tried where bounds over one ball do not decide."""
TRIED, FEW = 8, 256
"""Tubes of a round for which this is done, and boxes of each."""
BALLS = ((0, 1, 2), (3, 4, 5))
DESCENTS = 8
"""Steps of a descent in an ellipsoid."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Section(PoseRegion):
    """Poses near n poses of a path, near each those of its own part: displaced by its set, and gone `shift` (n,) and
    turned by `turn` (n,) with the path [m, rad].

    Rotations in turn compose to vectors that are off their sum by no more than the product of the angles' sum and the
    second angle: ln(exp(a) exp(t b)) goes with J^-1 b per t, and |J^-1 - 1| is below the angle.
    """

    spreads: Spreads
    shift: Array
    turn: Array

    @property
    def angle(self) -> Array:
        """What the path adds to rotation vectors (n,) [rad]."""
        bent = 0.0 if self.spreads.ends is None else (self.spreads.most[:, 1] + self.turn) * self.turn
        return np.asarray(self.turn + bent)

    @property
    def cells(self) -> Cells:
        """Boxes about the sets, one for each pose."""
        half = self.spreads.half + np.repeat(np.stack([self.shift, self.angle], axis=1), 3, axis=1)
        return Cells(np.zeros_like(half), half)

    def support(self, slope: Array) -> Array:
        """See `PoseRegion.support`."""
        lengths = np.linalg.norm(slope[..., :3], axis=-1), np.linalg.norm(slope[..., 3:], axis=-1)
        path = lengths[0] * self.shift[:, None] + lengths[1] * self.angle[:, None]
        return np.asarray((self.spreads.support(slope) + path) * WIDER)

    def motion(self, X: Array) -> Motion:
        """How poses go from those of the path, X (n, 4, 4)."""
        half = self.cells.half * WIDER
        far = (self.spreads.most + np.stack([self.shift, self.turn], axis=1)) * WIDER
        turn = turned(ROTVEC, np.eye(3), np.zeros((len(X), 3)), half[:, 3:], far[:, 1])
        return Motion(X, turn.W, half, far[:, 0], turn.rate, turn.bend, np.zeros((len(X), 6)), self)


@dataclass(frozen=True, eq=False)
class Tube:
    """Poses about those of a path, by their displacements."""

    machine: Machine
    uncertainty: Uncertainty
    tried: int = TRIED
    """Tubes of a round for which boxes that halve are tried: none where a path is broken already."""

    @property
    def radii(self) -> tuple[float, float]:
        """The largest along the path [m, rad]."""
        position, rotation = self.uncertainty.radii.max(axis=0).tolist()
        return position, rotation

    @property
    def point(self) -> Array:
        """The platform point, of interest, in the platform frame (3,) [m]."""
        return self.machine.point_of_interest

    @property
    def lever(self) -> float:
        """Largest distance of a platform joint from the point [m]."""
        return float(np.linalg.norm(self.machine.b_P - self.point, axis=-1).max())

    def halved(self, X: Array, shift: Array, turn: Array, near: Spreads, which: Ints) -> Iterator[tuple[int, Array]]:
        """Those of `which` tubes about short intervals for which boxes that halve prove every limit, since they are too
        wide for bounds over one set, with lower bounds (k,) of the margins."""
        is_short = self.is_wide(shift / (SHORT / FINE), turn / (SHORT / FINE), near)
        for i in which[is_short[which]][: self.tried]:
            region = self._about(X[i], near.chosen([i]), float(shift[i]), float(turn[i]))
            proof = certify_region(self.machine, region, max_boxes=FEW)
            if proof.is_proven:
                yield int(i), proof.lower

    def _about(self, X: Array, near: Spreads, shift: float = 0.0, turn: float = 0.0) -> PoseRegion:
        """A region that holds one tube about X (4, 4): balls, or the ellipsoid of positions and a box of rotations."""
        place, R = X[:3, :3] @ self.point + X[:3, 3], X[:3, :3]
        radius, angle = (near.most[0] + [shift, turn]).tolist()
        if near.ends is None or angle > np.pi:
            return ball(place, radius, turn=min(angle, np.pi), about=self.point, reference=R)
        section = Section(
            centre=np.zeros(6),
            half=np.zeros(6),
            groups=BALLS,
            spreads=near,
            shift=np.array([shift]),
            turn=np.array([turn]),
        )
        half = section.cells.half[0]
        return PoseRegion(
            centre=np.append(place, np.zeros(3)),
            half=half,
            groups=tuple((k,) for k in range(6)),
            about=self.point,
            reference=R,
        )

    def is_wide(self, shift: Array, turn: Array, near: Spreads) -> Bools:
        """Whether paths that move and turn so little (n,) hardly leave the poses of the tube in their middle, and the
        tube is as wide all along."""
        wide, uneven = (each @ [1.0, self.lever] for each in (near.most, near.most - near.least))
        return np.asarray(shift + self.lever * turn + uneven <= FINE * wide)

    def bounds(self, X: Array, shift: Array, turn: Array, near: Spreads) -> Bounds:
        """Bounds of the machine's margins over the tube about paths that go and turn no farther than that from poses
        X (n, 4, 4)."""
        parts = [slice(first, first + TOGETHER) for first in range(0, len(X), TOGETHER)]
        found = [self._bounds(X[part], shift[part], turn[part], near.chosen(part)) for part in parts]
        return Bounds(*(np.concatenate(each) for each in zip(*found, strict=True)))

    def _bounds(self, X: Array, shift: Array, turn: Array, near: Spreads) -> Bounds:
        most = np.repeat([np.inf, np.inf], 3)
        groups = tuple((k,) for k in range(6))
        region = Section(
            centre=np.zeros(6), half=most, groups=groups, about=self.point, spreads=near, shift=shift, turn=turn
        )
        table = RegionLimits.of(self.machine).own
        wanted, cells = np.ones(len(table.columns), dtype=bool), region.cells
        around = surroundings(self.machine, region, cells, region.motion(X))
        return bounds_of(self.machine, table, region, cells, wanted, around)

    def lowest(self, X: Array, slope: Array, near: Spreads) -> tuple[Array, Array, Array]:
        """Of poses X (n, 4, 4): the pose of the tube with the smallest margin in its scale (n, 4, 4) among those where
        each margin would be smallest if all were linear, with slopes (n, k, 6); how all are displaced (n, k, 6), and
        their margins (n, k, k)."""
        n, k = slope.shape[:2]
        z = near.lowest(slope)
        limits = RegionLimits.of(self.machine)
        poses = self.displaced(np.repeat(X, k, axis=0), z.reshape(-1, 6))
        found = limits.margins(poses).reshape(n, k, k)
        relative = np.where(np.isnan(found), np.inf, found / limits.scales)
        worst, rows = np.argmin(relative.min(axis=2), axis=1), np.arange(n)
        return poses.reshape(n, k, 4, 4)[rows, worst], z, found

    def displaced(self, X: Array, z: Array) -> Array:
        """Poses (n, 4, 4) whose point is displaced, and which are turned about it, by z (n, 6)."""
        return displaced(X, z, self.point)

    def worst(self, X: Array, s: float, column: int) -> tuple[Array, float]:
        """The pose (4, 4) in the tube about X (4, 4), at s, where descent finds the smallest margin of a column, and
        that."""
        at, nothing = np.array([s]), np.zeros(1)
        near, limits = self.uncertainty.over(at, at), RegionLimits.of(self.machine)
        _, z, found = self.lowest(X[None], self.bounds(X[None], nothing, nothing, near).slope, near)
        start = z[0, int(np.nanargmin(found[0, :, column]))]
        if near.ends is None:
            region = self._about(X, near)
            pose = region.poses(local_minimum(limits, region, region.centre + start, column)[None])
        else:
            pose = self._descended(X, start, near, column)
        return pose[0], float(limits.margins(pose)[0, column])

    def _descended(self, X: Array, z: Array, near: Spreads, column: int) -> Array:
        """The pose (1, 4, 4) of an ellipsoid from which no linear step leads farther down."""
        limits, nothing = RegionLimits.of(self.machine), np.zeros(1)
        pose = self.displaced(X[None], z[None])
        for _ in range(DESCENTS):
            slope = self.bounds(pose, nothing, nothing, near).slope[:, column, None]
            other = self.displaced(X[None], near.lowest(slope)[0])
            if not limits.margins(other)[0, column] < limits.margins(pose)[0, column]:
                break
            pose = other
        return pose


def margins_around(
    table: LimitTable,
    tube: Tube,
    near: Spreads,
    X: Array,
    V: Array,
    rates: Rates,
    h: Array,
    values: Array,
    most: Array,
) -> tuple[Array, Array, Array, Bools]:
    """Margins, their lower bounds over a tube and intervals, and upper bounds along displaced paths in it (n, k); which
    intervals are as short as matters."""
    m, c, least = tube.machine, tube.point, np.full_like(values, -np.inf)
    shift, turn = moved_along(X, V, rates, h, c[None])[1][:, 0], h * rates.w * (1 + ROUNDING)
    at = np.flatnonzero(~(most < 0).any(axis=1))
    if len(at):
        here = near.chosen(at)
        bounds = tube.bounds(X[at], shift[at], turn[at], here)
        least[at] = bounds.lower
        Y, _, found = tube.lowest(X[at], bounds.slope, here)
        there = margins(m, Y).values
        swept = Rates(*(bound[at] for bound in rates))
        _, above = margin_bounds(m, table, balls_along(m, Y, *_displaced(X[at], Y, V[at], swept, c), h[at]), there)
        is_open = ~(bounds.lower > 0).all(axis=1) & ~(above < 0).any(axis=1)
        for i, lower in tube.halved(X, shift, turn, near, at[is_open]):
            least[i] = np.maximum(lower, np.finfo(float).tiny)  # no limit is crossed
        values[at], most[at] = np.fmin(values[at], np.fmin.reduce(found, axis=1)), np.fmin(most[at], above)
    return values, least, most, tube.is_wide(shift, turn, near)


def _displaced(X: Array, Y: Array, V: Array, rates: Rates, point: Array) -> tuple[Array, Rates]:
    """Twists (n, 6) at Y, and bounds of the rates, of the path through X displaced by what leads from X to Y: its point
    goes as before, about which it is turned."""
    R, R_Y = X[:, :3, :3], Y[:, :3, :3]
    w = (R_Y @ np.swapaxes(R, 1, 2) @ V[:, 3:, None])[..., 0]
    v = V[:, :3] + np.cross(V[:, 3:], R @ point) - np.cross(w, R_Y @ point)
    lever = 2 * float(np.linalg.norm(point))
    faster = carried(lever, rates.w), carried(lever, rates.alpha + rates.w**2)
    return np.concatenate([v, w], axis=1), Rates(rates.v + faster[0], rates.w, rates.a + faster[1], rates.alpha)
