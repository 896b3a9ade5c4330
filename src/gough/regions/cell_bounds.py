"""Bounds of every margin over the intersections of boxes of six coordinates with a region.

Each margin has a bound of first order (`gough.regions.ball_bounds`) and one of second order, that of its kind; the
higher one counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.legs.leg import Enclosure
from gough.limits import _margins as layout
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.regions._placing import WIDENED
from gough.regions.ball_bounds import PoseBalls, leg_enclosure, margin_bounds
from gough.regions.cells import Cells, linear_minimum, motion_of
from gough.regions.clearance import distances
from gough.regions.least_singular import singular_bounds
from gough.regions.motions import Expansion, Motion
from gough.regions.rod_joints import reach_margin, reaches
from gough.regions.rods import Rods, rods
from gough.regions.second_order import directions, strokes, tool, twist
from gough.regions.shapes import PoseRegion

COSINES = (layout.BASE_CONE, layout.PLATFORM_CONE, layout.TILT)
SINES = (layout.BASE_PLATE, layout.PLATFORM_PLATE)
"""Angles that are bounded by their cosines, and by their sines."""


class Bounds(NamedTuple):
    """Bounds of margins (n, k) over n boxes.

    `values` are the margins at the centres, `lower` their lower bounds over box and region. `gradient` (n, k, 6) are
    gradients at the centres of quantities that grow with the margins, and `spare` (n, k) by how much the linear parts
    of these may fall before a limit is broken: -inf where that is not known.
    """

    values: Array
    lower: Array
    gradient: Array
    spare: Array


def margins_at(table: LimitTable, X: Array) -> Array:
    """Margins (n, k) of poses (n, 4, 4)."""
    values = np.empty((len(X), len(table.columns)))
    layout.margins_batch(table.arrays, X, values)
    return values


class Surroundings(NamedTuple):
    """Variation of poses and legs over boxes, from which all bounds follow."""

    motion: Motion
    balls: PoseBalls
    enclosure: Enclosure
    legs: Rods


def surroundings(machine: Machine, region: PoseRegion, cells: Cells, motion: Motion | None = None) -> Surroundings:
    """Variation of poses and legs over boxes of a region, or over those that `motion` describes."""
    motion = motion_of(region, cells) if motion is None else motion
    balls = balls_of(machine, motion)
    enclosure = leg_enclosure(machine, balls)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        squares = () if machine.legs.rod() is None else reaches(machine, motion)
        legs = rods(machine, motion, [_lowest(region, cells, square) for square, _ in squares])
        return Surroundings(motion, balls, enclosure, legs)


def bounds_of(
    machine: Machine,
    table: LimitTable,
    region: PoseRegion,
    cells: Cells,
    wanted: Bools,
    near: Surroundings | None = None,
) -> Bounds:
    """Bounds of the margins (k,) that are wanted over boxes of a region: the better one of first and second order."""
    motion, balls, enclosure, legs = surroundings(machine, region, cells) if near is None else near
    values = margins_at(table, motion.X)
    lower, _ = margin_bounds(machine, table, balls, values, enclosure)
    gradients, spare = np.zeros((*values.shape, 6)), np.full(values.shape, -np.inf)
    places = np.where(wanted, table.arrays.places, -1)
    groups = set(places.tolist())
    found = _Bounded(machine, table, region, cells, motion, places, values, lower, gradients, spare)

    def has(first: int, count: int = 6) -> bool:
        return not groups.isdisjoint(range(first, first + count))

    # Where no bound is known quantities are infinite or NaN: `fmax` keeps the bound of first order there.
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        parts: dict[int, Expansion] = {}
        if has(layout.SHORTEST, 12):
            parts[layout.SHORTEST], parts[layout.LONGEST] = strokes(machine, motion, legs)
        if has(layout.BASE_CONE, 24):
            parts |= directions(machine, table, motion, legs)
        if has(layout.BOX, 9):
            parts |= tool(table, motion)
        for first, part in parts.items():
            found.tighten(first, part)
        if layout.RADIUS in groups:
            found.tighten_radius(parts[layout.BOX])
        if has(layout.ROTATION, 1):
            found.tighten_twist()
        if has(layout.REACH):
            found.tighten_reach()
        if has(layout.PAIR, 15):
            found.tighten_clearance(legs)
        if has(layout.SINGULARITY, 1):
            found.tighten_singularity()
    lower, spare = (np.where(np.isnan(bound), -np.inf, bound) for bound in (lower, spare))
    return Bounds(values, lower, np.nan_to_num(gradients), spare)


def balls_of(machine: Machine, motion: Motion) -> PoseBalls:
    """Largest displacements of joints and tool, and rotations, over boxes."""
    points = np.concatenate([machine.b_P, machine.X_PT[None, :3, 3]])
    reach = np.linalg.norm(points - motion.about, axis=-1)
    moved = motion.speed(reach)
    along = motion.half[:, :3] @ np.abs(motion.directions).T + motion.turn[:, None] * reach[6] * WIDENED
    return PoseBalls(
        X=motion.X,
        joints=moved[:, :6],
        tool=np.minimum(moved[:, 6:], along),
        turn=motion.turn,
        stretch=np.full((len(moved), 6), np.inf),
    )


def _lowest(region: PoseRegion, cells: Cells, part: Expansion) -> Array:
    """Lower bound (n, k) of a quantity over box and region."""
    return np.asarray(part.value + linear_minimum(region, cells, part.gradient) - part.drop / 2 - part.error)


@dataclass(frozen=True, eq=False)
class _Bounded:
    """Bounds of first order over boxes, and methods that raise `lower` and set `gradients` and `spare` in place, one
    limit after the other. `places` (k,) are those of the columns in the layout, -1 where a margin is not wanted."""

    machine: Machine
    table: LimitTable
    region: PoseRegion
    cells: Cells
    motion: Motion
    places: Ints
    values: Array
    lower: Array
    gradients: Array
    spare: Array

    def columns(self, first: int, count: int) -> Ints:
        """Columns of the wanted margins whose places are `first` and the next ones."""
        return np.flatnonzero((self.places >= first) & (self.places < first + count))

    def bound(self, columns: Ints | int) -> Array:
        """Limiting values of columns."""
        return np.array([self.table.columns[c].bound for c in np.atleast_1d(columns)])

    def lowest(self, part: Expansion) -> Array:
        """Lower bound (n, k) of a quantity over box and region."""
        return _lowest(self.region, self.cells, part)

    def tighten(self, first: int, part: Expansion) -> None:
        """Margins from `first` on in the layout, by quantities that grow with them."""
        columns = self.columns(first, part.value.shape[1])
        if not len(columns):
            return
        own = Expansion(*(array[:, self.places[columns] - first] for array in part))
        level, found = self._level(first, columns), self._as_margin(first, columns, self.lowest(own))
        self.lower[:, columns] = np.fmax(self.lower[:, columns], found)
        self.gradients[:, columns] = own.gradient
        self.spare[:, columns] = own.value - own.drop / 2 - own.error - level

    def _as_margin(self, first: int, columns: Ints, least: Array) -> Array:
        """Margins whose quantities are at least `least`, rounded down: angles from cosines and sines, the radius from
        its square."""
        bound = self.bound(columns)
        if first in COSINES:
            return bound - np.arccos(np.clip(least, -1.0, 1.0)) - 1e-15
        if first in SINES:
            return np.arcsin(np.clip(least, -1.0, 1.0)) - bound - 1e-15
        if first == layout.RADIUS:
            return bound - np.sqrt(np.maximum(-least, 0.0)) * (1 + 1e-15)
        return np.asarray(least - self._level(first, columns))

    def _level(self, first: int, columns: Ints) -> Array:
        """Values of the quantities at which the margins are zero."""
        bound = self.bound(columns)
        if first in COSINES:
            return np.asarray(np.cos(np.minimum(bound, np.pi)))
        if first in SINES:
            return np.asarray(np.sin(np.minimum(bound, np.pi / 2)))
        if first == layout.RADIUS:
            return -(bound**2)
        return np.where([self.table.columns[c].is_lower for c in columns], bound, -bound)

    def tighten_twist(self) -> None:
        """The twist in both senses."""
        column = int(self.columns(layout.ROTATION, 1)[0])
        positive, negative = twist(self.table, self.motion)
        both = [self.lowest(part)[:, 0] for part in (positive, negative)]
        self.lower[:, column] = np.fmax(self.lower[:, column], self.bound(column) + np.minimum(*both))
        is_positive = positive.value[:, :1] <= 0
        self.gradients[:, column] = np.where(is_positive, positive.gradient[:, 0], negative.gradient[:, 0])

    def tighten_radius(self, sides: Expansion) -> None:
        """The radius, by the farthest corner of a rectangle along the axes that holds the tool's positions: better than
        the squared distance where the box is large."""
        column = int(self.columns(layout.RADIUS, 1)[0])
        home = self.table.arrays.G[layout.TOOL_HOME : layout.TOOL_HOME + 2]
        least = self.lowest(Expansion(*(array[:, :4] for array in sides))) - np.repeat(home, 2) * [1, -1, 1, -1]
        far = np.maximum(-least[:, 0::2], -least[:, 1::2])
        radius = np.hypot(*far.T) * (1 + 1e-15)
        self.lower[:, column] = np.fmax(self.lower[:, column], self.bound(column) - radius)

    def tighten_reach(self) -> None:
        """The reach of rods; of cranks the lesser of both ends. The linear part may cut boxes by one end only: `spare`
        stays -inf where both are undecided."""
        columns = self.columns(layout.REACH, 6)
        legs = self.places[columns]
        rod = np.asarray(self.machine.legs.rod())[legs]
        shape = (len(self.cells), len(columns))
        found, undecided = np.full(shape, np.inf), np.zeros(shape, dtype=np.int64)
        for part, sign in reaches(self.machine, self.motion):
            own = Expansion(*(array[:, legs] for array in part))
            reach, now = (reach_margin(rod, value, sign) for value in (self.lowest(own), own.value))
            is_lower = ((now <= found) | ~(reach >= 0))[..., None]
            self.gradients[:, columns] = np.where(is_lower, own.gradient, self.gradients[:, columns])
            left = own.value - own.drop / 2 - own.error - sign * rod**2
            undecided += ~(reach >= 0)
            spare = np.where(undecided > 1, -np.inf, left)
            self.spare[:, columns] = np.where(reach >= 0, self.spare[:, columns], spare)
            found = np.minimum(found, reach)
        self.lower[:, columns] = np.fmax(self.lower[:, columns], found)

    def tighten_clearance(self, legs: Rods) -> None:
        """The clearance of pairs of legs."""
        columns = self.columns(layout.PAIR, layout.BOX - layout.PAIR)
        pairs, bound = self.table.arrays.pairs[self.places[columns] - layout.PAIR], self.bound(columns)
        found, self.gradients[:, columns], self.spare[:, columns] = distances(
            self.machine, self.region, self.cells, self.motion, legs, pairs, bound
        )
        self.lower[:, columns] = np.fmax(self.lower[:, columns], found - bound)

    def tighten_singularity(self) -> None:
        """The least singular value on home's side; on either side for a machine that is singular at home.

        The bound is of the value without its sign: it counts where the sign cannot change, and the pose at the centre
        is on home's side.
        """
        bound, side = (self.table.arrays.G[place] for place in (layout.SINGULAR_MIN, layout.SIDE))
        column = len(self.table.columns) - 1
        found = singular_bounds(self.machine, self.region, self.cells, self.motion, bound, np.ones(6))
        is_sound = (found.margins > -np.inf) & (self.values[:, column] + bound > 0)
        self.lower[is_sound, column] = np.fmax(self.lower[is_sound, column], found.margins[is_sound])
        if side == 0.0:
            self.lower[:, column] = np.maximum(self.lower[:, column], -bound)
        self.gradients[:, column] = found.gradient
