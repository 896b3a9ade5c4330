"""Bounds of every margin over what boxes of six coordinates have in common with a region."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Bools, Ints
from gough.legs.leg import Enclosure
from gough.limits import _margins as layout
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.regions._placing import WIDENED
from gough.regions.ball_bounds import PoseBalls, leg_enclosure, margin_bounds
from gough.regions.cells import Cells, least_linear, motion_of
from gough.regions.clearance import distances
from gough.regions.least_singular import singular_bounds
from gough.regions.motions import Motion, Part
from gough.regions.rod_reach import reach_of, reaches
from gough.regions.rods import Rods, rods
from gough.regions.second_order import directions, strokes, tool, twist
from gough.regions.shapes import PoseRegion


class Bounds(NamedTuple):
    """Of n boxes: margins (n, k) at their centres, lower bounds over box and region, derivatives of what grows
    with each margin (n, k, 6), and by how much it may fall, along these, before a limit is broken (n, k): -inf where
    that is not known."""

    values: Array
    lower: Array
    slope: Array
    spare: Array


def margins_at(table: LimitTable, X: Array) -> Array:
    """Margins (n, k) of poses (n, 4, 4)."""
    values = np.empty((len(X), len(table.columns)))
    layout.margins_batch(table.arrays, X, values)
    return values


class Surroundings(NamedTuple):
    """How poses and legs go over boxes: what all bounds rest on."""

    motion: Motion
    balls: PoseBalls
    enclosure: Enclosure
    legs: Rods


def surroundings(machine: Machine, region: PoseRegion, cells: Cells, motion: Motion | None = None) -> Surroundings:
    """Of boxes of a region, or as poses go in them otherwise."""
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
    slopes, spare = np.zeros((*values.shape, 6)), np.full(values.shape, -np.inf)
    places = np.where(wanted, table.arrays.places, -1)
    groups = set(places.tolist())

    def has(first: int, count: int = 6) -> bool:
        return not groups.isdisjoint(range(first, first + count))

    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        parts: dict[int, Part] = {}
        if has(layout.SHORTEST, 12):
            parts[layout.SHORTEST], parts[layout.LONGEST] = strokes(machine, motion, legs)
        if has(layout.BASE_CONE, 24):
            parts |= directions(machine, table, motion, legs)
        if has(layout.BOX, 9):
            parts |= tool(table, motion)
        for first, part in parts.items():
            _tighten(table, places, region, cells, first, part, lower, slopes, spare)
        if layout.RADIUS in groups:
            _tighten_radius(table, region, cells, parts[layout.BOX], lower)
        if has(layout.ROTATION, 1):
            _tighten_twist(table, region, cells, motion, values, lower, slopes)
        if has(layout.REACH):
            _tighten_reach(machine, places, region, cells, motion, lower, slopes, spare)
        if has(layout.PAIR, 15):
            _tighten_clearance(machine, table, places, region, cells, motion, legs, lower, slopes, spare)
        if has(layout.SINGULARITY, 1):
            _tighten_singularity(machine, table, region, cells, motion, values, lower, slopes)
    lower, spare = (np.where(np.isnan(found), -np.inf, found) for found in (lower, spare))
    return Bounds(values, lower, np.nan_to_num(slopes), spare)


def balls_of(machine: Machine, motion: Motion) -> PoseBalls:
    """How far everything goes at the most."""
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


def _lowest(region: PoseRegion, cells: Cells, part: Part) -> Array:
    """Lower bound (n, k) of a quantity over box and region."""
    return np.asarray(part.value + least_linear(region, cells, part.slope) - part.drop / 2 - part.error)


def _tighten(
    table: LimitTable,
    places: Ints,
    region: PoseRegion,
    cells: Cells,
    first: int,
    part: Part,
    lower: Array,
    slopes: Array,
    spare: Array,
) -> None:
    """Bounds of the margins from `first` on in the layout, where the second order gives better ones; `places` (k,) are
    those of the columns in the layout, -1 where a margin is not wanted."""
    columns = np.flatnonzero((places >= first) & (places < first + part.value.shape[1]))
    if not len(columns):
        return
    own = Part(*(array[:, places[columns] - first] for array in part))
    least = _lowest(region, cells, own)
    found = _as_margin(table, first, columns, least)
    lower[:, columns] = np.fmax(lower[:, columns], found)
    slopes[:, columns] = own.slope
    spare[:, columns] = own.value - own.drop / 2 - own.error - _level(table, first, columns)


def _as_margin(table: LimitTable, first: int, columns: NDArray[np.intp], least: Array) -> Array:
    """The margin of the lowest value of a quantity."""
    bound = np.array([table.columns[c].bound for c in columns])
    if first in (layout.BASE_CONE, layout.PLATFORM_CONE, layout.TILT):
        return bound - np.arccos(np.clip(least, -1.0, 1.0)) - 1e-15
    if first in (layout.BASE_PLATE, layout.PLATFORM_PLATE):
        return np.arcsin(np.clip(least, -1.0, 1.0)) - bound - 1e-15
    if first == layout.RADIUS:
        return bound - np.sqrt(np.maximum(-least, 0.0)) * (1 + 1e-15)
    return np.asarray(least - _level(table, first, columns))


def _level(table: LimitTable, first: int, columns: NDArray[np.intp]) -> Array:
    """What a quantity has to be at least, that its limit is kept."""
    bound = np.array([table.columns[c].bound for c in columns])
    if first in (layout.BASE_CONE, layout.PLATFORM_CONE, layout.TILT):
        return np.asarray(np.cos(np.minimum(bound, np.pi)))
    if first in (layout.BASE_PLATE, layout.PLATFORM_PLATE):
        return np.asarray(np.sin(np.minimum(bound, np.pi / 2)))
    if first == layout.RADIUS:
        return -(bound**2)
    return np.where([table.columns[c].is_lower for c in columns], bound, -bound)


def _tighten_twist(
    table: LimitTable, region: PoseRegion, cells: Cells, motion: Motion, values: Array, lower: Array, slopes: Array
) -> None:
    """The twist in both senses."""
    column = int(np.flatnonzero(table.arrays.places == layout.ROTATION)[0])
    positive, negative = twist(table, motion)
    both = [_lowest(region, cells, part)[:, 0] for part in (positive, negative)]
    lower[:, column] = np.fmax(lower[:, column], table.columns[column].bound + np.minimum(*both))
    is_positive = positive.value[:, :1] <= 0
    slopes[:, column] = np.where(is_positive, positive.slope[:, 0], negative.slope[:, 0])


def _tighten_radius(table: LimitTable, region: PoseRegion, cells: Cells, sides: Part, lower: Array) -> None:
    """The radius of the smallest rectangle about the tool's place, along the axes."""
    column = int(np.flatnonzero(table.arrays.places == layout.RADIUS)[0])
    home = table.arrays.G[layout.TOOL_HOME : layout.TOOL_HOME + 2]
    least = _lowest(region, cells, Part(*(array[:, :4] for array in sides))) - np.repeat(home, 2) * [1, -1, 1, -1]
    far = np.maximum(-least[:, 0::2], -least[:, 1::2])
    radius = np.hypot(*far.T) * (1 + 1e-15)
    lower[:, column] = np.fmax(lower[:, column], table.columns[column].bound - radius)


def _tighten_reach(
    machine: Machine,
    places: Ints,
    region: PoseRegion,
    cells: Cells,
    motion: Motion,
    lower: Array,
    slopes: Array,
    spare: Array,
) -> None:
    """The reach of rods; of cranks towards both ends."""
    columns = np.flatnonzero((places >= layout.REACH) & (places < layout.REACH + 6))
    legs = places[columns]
    rod = np.asarray(machine.legs.rod())[legs]
    found, is_open = np.full((len(cells), len(columns)), np.inf), np.zeros((len(cells), len(columns)), dtype=np.int64)
    for part, sign in reaches(machine, motion):
        own = Part(*(array[:, legs] for array in part))
        reach, now = (reach_of(rod, value, sign) for value in (_lowest(region, cells, own), own.value))
        slopes[:, columns] = np.where(((now <= found) | ~(reach >= 0))[..., None], own.slope, slopes[:, columns])
        left = own.value - own.drop / 2 - own.error - sign * rod**2
        is_open += ~(reach >= 0)
        spare[:, columns] = np.where(reach >= 0, spare[:, columns], np.where(is_open > 1, -np.inf, left))
        found = np.minimum(found, reach)
    lower[:, columns] = np.fmax(lower[:, columns], found)


def _tighten_clearance(
    machine: Machine,
    table: LimitTable,
    places: Ints,
    region: PoseRegion,
    cells: Cells,
    motion: Motion,
    legs: Rods,
    lower: Array,
    slopes: Array,
    spare: Array,
) -> None:
    """The clearance of pairs of legs."""
    columns = np.flatnonzero((places >= layout.PAIR) & (places < layout.BOX))
    pairs = table.arrays.pairs[places[columns] - layout.PAIR]
    bound = np.array([table.columns[c].bound for c in columns])
    found, slopes[:, columns], spare[:, columns] = distances(machine, region, cells, motion, legs, pairs, bound)
    lower[:, columns] = np.fmax(lower[:, columns], found - bound)


def _tighten_singularity(
    machine: Machine,
    table: LimitTable,
    region: PoseRegion,
    cells: Cells,
    motion: Motion,
    values: Array,
    lower: Array,
    slopes: Array,
) -> None:
    """The least singular value on home's side; of a machine that is singular at home on either."""
    bound, side = table.arrays.G[layout.SINGULAR_MIN], table.arrays.G[layout.SIDE]
    column = len(table.columns) - 1
    found = singular_bounds(machine, region, cells, motion, bound, np.ones(6))
    is_sound = (found.margins > -np.inf) & (values[:, column] + bound > 0)
    lower[is_sound, column] = np.fmax(lower[is_sound, column], found.margins[is_sound])
    if side == 0.0:
        lower[:, column] = np.maximum(lower[:, column], -bound)
    slopes[:, column] = found.slope
