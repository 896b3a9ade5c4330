"""Range of motion as a cube-like volume: its eight corner points, for translations and for rotations.

Source: the hexapod kinematics page of a precision-engineering supplier ("HexaPod: Kinematics"): the ranges of pure
translations or pure rotations span a volume like a cube balanced on one corner; seen along z, the corners 2 to 7
form a regular hexagon about the corners 1 and 8. That is exact for machines with three-fold symmetry that are limited
by their strokes alone. For any machine:

- the range is what straight paths from home reach before their first limit. A translation is s (dx, dy, dz); a rotation
  is R(s) = Rx(s ax) Ry(s ay) Rz(s az) R_home about the point of interest, all three angles growing in proportion from
  zero: a straight line in the space of the angles (ax, ay, az);
- corners 1 and 8 are its lowest and highest points on the z axis, of displacements or of angles;
- six half-planes that end in the z axis, 60 degrees apart, are turned so that one holds the point of the range farthest
  from the axis; corners 2 to 7 are the farthest points from the axis in each. Between two half-planes the range may
  reach farther than in either of them;
- several local maxima that reach equally far tie (`gough.limits.ties`): the azimuth of the first one counterclockwise
  from x counts, and in a half-plane the one nearest to the plane of home, the lower one of two. Where the range reaches
  equally far along a whole interval, as with a limit of the tool's radius, all of it ties: the interval's first azimuth
  counterclockwise from x counts, and its elevation nearest to the plane of home.

Local searches from scans find the maxima, and branch and bound over all directions proves them
(`gough.regions.farther`): where it finds a path that reaches farther, searches start from there again.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Literal

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.checks.arguments import checks_arguments
from gough.limits.climb import along_limits, bisected, climb, drawn_back
from gough.limits.interval_search import poses_at, twists_along
from gough.limits.margins import margins
from gough.limits.ties import TIE
from gough.limits.travel import Travel, travel
from gough.machine import Machine
from gough.quantity import derived, quantity, result, transform
from gough.regions.farther import Directions, open_directions
from gough.results import Result
from gough.stacked import AnyMachine, by_machine

ENDLESS = 1e280
"""The range is unbounded if all distances are above this."""
STEPS, SCANS = (7.5, 3.75, 1.875, 0.9375), (91, 183, 367, 735)
"""Spacings in degrees of scans of all directions, and numbers of directions of scans of a half-plane."""
CLIMBS, PART = 24, 0.75
"""Most local searches of one scan, from its local maxima of at least this part of the highest."""
FLAT, ROUNDED, ASIDE = 1e-13, 2.0**-50, 1e-3
"""Difference of distances that are equal, relative to them and to the largest coordinate, and how far aside they are
compared [rad]: a smooth maximum, even that of a tilt of one degree, is lower there by more."""
PROVEN, BOXES, AGAIN = (1e-9, 1e-6, 1e-3), 20_000, 8
"""Parts of the distance beyond which paths are tried to be proven not to reach, most boxes of directions of each proof,
and most searches from where paths reach farther."""
CELLS = np.deg2rad(np.arange(7.5, 360.0, 15.0))
"""Middles of the parts of a turn, and the first twelve of half a turn, from which the proofs start."""
OVERLAP = 1 + 1e-12
"""Factor of half their widths."""
COARSE, LATER, FINE = 1e-2, 1e-4, 1e-6
"""Last step of coarse local searches, first and last of fine ones after quadratic programming, in steps of the scan."""
AHEAD = 10.0
"""Trust region of quadratic programming after a coarse local search, in last steps of that."""
NEAR, SLOPE_STEP = 1e-3, 1e-6
"""Trust region of quadratic programming after a fine local search, as a part of the distance; step of differences, in
machine sizes or in rad."""
POLISHED = (0.1, 1e-2, NEAR)
"""Those after the search whose azimuth counts, as maxima may be flat."""
RING, CLIFF = 2 * np.pi * np.arange(16) / 16, 1e-3
"""Directions about an end, and the part by which the distance drops close to it where paths graze a limit."""
BESIDE, NARROWER, TRIALS = np.linspace(-1.0, 1.0, 17), 8.0, 11
"""Elevations of one trial about the best one so far, in half widths; how much narrower the next trial is."""


@result
class Corners(Result):
    """The eight corners of the range of translations or of rotations from home.

    Attributes
    ----------
    binding : tuple of str
        The limit that ends the path to each corner.
    binding_sets : tuple of tuples of str
        All limits that end it together.

    """

    kind: Literal["translation", "rotation"] = quantity("", is_listed=False, doc='"translation" or "rotation".')
    points: Array = quantity(
        attrgetter("unit"), "corner", "axis", frame="base", is_headline=True,
        doc="Eight displacements of the point of interest from home, rows: translations t along base axes, or angles "
        "(a, b, c) of R = Rx(a) Ry(b) Rz(c) R_home about the point. r(e) is the largest s such that the whole "
        "path from home to s e keeps every limit, e a unit vector of (x, y, z) or of (a, b, c), all three "
        "growing in proportion; infinite where no limit ends it. Corner 1 is r(e) e for e = (0, 0, -1), corner 8 "
        "for (0, 0, 1). With e = (cos A cos E, sin A cos E, sin E), f(A) is the largest r(e) cos E over the "
        "elevations -90 deg < E < 90 deg: the farthest from the axis z in the half-plane at azimuth A. Corners 2 "
        "to 7 are those farthest points at the azimuths A0 + k 60 deg, k = 0 to 5; one of them is the A with the "
        "largest f over all azimuths, the smallest A >= 0 of several within 1e-5 of it. Number 2 is that one, or "
        "the next counterclockwise where its E is smaller; the others follow counterclockwise. Of elevations "
        "whose r(e) cos E are within 1e-5 of f(A) the one nearest to 0 counts, of two as near the lower one; of "
        "azimuths that tie over an interval the first one of the interval counterclockwise from x. Maxima are "
        "found by local searches from scans with steps of 7.5 deg, and branch and bound over all directions "
        "proves that none is larger by more than the part 1e-9 of it, or else 1e-6 or 1e-3. Of two stages "
        "nothing is proven: scans are halved up to three times until two lead to the same distance, and a tip "
        "narrower than that may be missed.",
    )  # fmt: skip
    binding: tuple[str, ...]
    azimuth: float = quantity("rad", doc="Azimuth of corner 2.")
    matrix: Array = transform("corner", has_platforms=True, doc="Poses at the corners.")
    machine: AnyMachine
    binding_sets: tuple[tuple[str, ...], ...] = ()
    gap: float = quantity(
        "1", default=np.nan, is_listed=False,
        doc="No path reaches farther from the axis, by more than this part, than the farthest point of the range, and "
        "in a half-plane than its corner: proven by branch and bound. Infinite where that has found no proof, NaN"
        " where it was not tried, as where corners are infinite.",
    )  # fmt: skip

    @property
    def unit(self) -> str:
        """SI unit of the points."""
        return "m" if self.kind == "translation" else "rad"

    @property
    @derived(attrgetter("unit"), "corner_of_hexagon")
    def radii(self) -> Array:
        """Distance of the corners 2 to 7 from the z axis, (6,) [m or rad]: equal where the hexagon is regular."""
        return np.linalg.norm(self.points[1:7, :2], axis=1)

    @property
    @derived(attrgetter("unit"), "side")
    def sides(self) -> Array:
        """Sides (6,) of the hexagon of the corners 2 to 7 seen along z [m or rad], the first from corner 2 to 3."""
        ring = self.points[1:7, :2]
        with np.errstate(invalid="ignore"):  # corners that no limit ends are infinite
            return np.linalg.norm(np.roll(ring, -1, axis=0) - ring, axis=1)


EDGES = ((0, 1), (0, 3), (0, 5), (7, 2), (7, 4), (7, 6), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 1))
"""Edges of the cube-like volume, as pairs of indices of `Corners.points`; corners 2, 4 and 6 (indices 1, 3, 5) are the
lower ones of the hexagon."""


@checks_arguments
def corners(machine: AnyMachine, kind: Literal["translation", "rotation"], *, strokes_only: bool = False) -> Corners:
    """Compute corner points 1 to 8 of the range of pure translations, or of pure rotations, from home.

    By definition of "HexaPod: Kinematics", range of motion: 1 and 8 are the lowest and the highest point on the z axis,
    2 to 7 are farthest from it at azimuths of 60 degrees from one another.

    Parameters
    ----------
    machine : Machine
    kind : "translation" or "rotation"
        Which three of the six displacements of the point of interest move; the other three stay zero.
    strokes_only : bool
        Count the strokes of the joints only, as the page does, and no other limit of the machine.

    Returns
    -------
    Corners
        Each is the end of a path to rounding; where the volume is round, its direction is found to about 1e-7. That
        none reaches farther is proven, see `gap`. For several directions that reach equally far, the first azimuth
        counterclockwise from x counts, then the elevation nearest to zero, then the lower one.

    Raises
    ------
    InputError
        Another `kind`. Corners that no limit ends are infinite, all are zero where home is not allowed.

    """
    if strokes_only:
        machine = machine.limited_by_strokes()
    azimuth, gap = _best_azimuth(machine, kind)
    around = azimuth + np.deg2rad(np.arange(0.0, 360.0, 60.0))
    azimuths = np.concatenate([[azimuth], around, [azimuth]])
    farthest, of_planes = _farthest(machine, kind, around)
    elevations = np.concatenate([[-np.pi / 2], farthest, [np.pi / 2]])
    ends, directions = _reach(machine, kind, azimuths, elevations), _directions(azimuths, elevations)
    # Corner 2 is one of the three lower ones of the hexagon, as corner 1 is the lowest of all.
    order = np.array([0, *(1 + (np.arange(6) + (directions[1, 2] > directions[2, 2])) % 6), 7])
    with np.errstate(invalid="ignore"):  # a component of zero stays zero however far the range extends
        points = np.where(directions == 0, 0.0, directions * ends.distance[:, None])[order]
    names, sets = np.asarray(ends.binding)[order], ends.binding_sets
    start = float(np.arctan2(directions[order[1], 1], directions[order[1], 0]))
    binding = tuple(str(name) for name in names)
    sets_in_order = tuple(sets[k] for k in order)
    most = float(np.maximum(gap, of_planes))
    return Corners(kind, points, binding, start, ends.matrix[order], machine, sets_in_order, most)


def _directions(azimuth: Array, elevation: Array) -> Array:
    """Unit vectors (..., 3)."""
    flat = np.cos(elevation)
    flat = np.where(flat < 1e-15, 0.0, flat)  # exactly along the axis at the poles
    return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], axis=-1)


def _reach(machine: AnyMachine, kind: str, azimuth: Array, elevation: Array) -> Travel:
    """Travel from home along displacements, or angles (Rx, Ry, Rz), in these directions."""
    six = twists_along(_directions(azimuth, elevation), is_rotation=kind == "rotation")
    return travel(machine, six, euler=True)


def _distance(found: Travel) -> Array:
    """Distances of travel (...); the largest float where no limit is known to end it, or where it is NaN."""
    is_ended = (found.binding_index >= 0) & np.isfinite(found.distance)
    return np.where(is_ended, found.distance, np.finfo(float).max)


def _heights(machine: AnyMachine, kind: str, azimuth: Array, elevation: Array) -> Array:
    """Distance of the volume from the z axis along directions (...)."""
    distance = np.asarray(_distance(_reach(machine, kind, azimuth, elevation)))
    return distance * np.cos(np.broadcast_to(elevation, distance.shape))


@by_machine
def proof(machine: Machine, kind: str, most: Array, planes: Array | None = None) -> tuple[float, Array, Ints]:
    """Return the part of the distances `most` (k,) from the axis beyond which no path reaches in half-planes at
    azimuths (k,), or in any direction; or else directions (m, 2) in which paths reach farther, and the numbers (m,) of
    their planes.

    Infinite without a proof, NaN where none is tried.
    """
    nothing = np.empty((0, 2)), np.empty(0, dtype=np.int64)
    if most.max() > ENDLESS:
        return np.nan, *nothing

    def heights(azimuth: Array, elevation: Array) -> Array:
        return _heights(machine, kind, azimuth, elevation)

    centre = np.stack(np.meshgrid(CELLS if planes is None else planes, CELLS[:12] - np.pi / 2)).reshape(2, -1)
    half = np.multiply.outer([CELLS[0] * (planes is None), CELLS[0]], np.full(centre.shape[1], OVERLAP))
    number = np.tile(np.arange(len(most)), centre.shape[1] // len(most))
    boxes = Directions(centre, half, number)
    for gap in PROVEN:
        most_boxes = BOXES + 2 * len(boxes.number)
        boxes, is_farther = open_directions(machine, kind, heights, boxes, most * (1 + gap), most_boxes)
        if is_farther:
            return np.inf, boxes.centre.T, boxes.number
        if not len(boxes.number):
            return gap, *nothing
    return np.inf, *nothing


def _best_azimuth(machine: AnyMachine, kind: str) -> tuple[float, float]:
    """Azimuth at which the volume reaches farthest from the axis, and the gap of the proof: local searches from every
    local maximum of a scan, and from where the proof finds paths that reach farther; without a proof, from scans whose
    step is halved until two in a row lead to the same distance."""
    most, gap = 0.0, np.nan
    ends, values = np.empty((0, 2)), np.empty(0)
    for step in STEPS:
        azimuth, elevation = np.deg2rad(np.arange(0.0, 360.0, step)), np.deg2rad(np.arange(-90.0 + step, 90.0, step))
        grid = np.stack(np.meshgrid(azimuth, elevation, indexing="ij"), axis=-1)
        heights = _heights(machine, kind, grid[..., 0], grid[..., 1])
        if heights.min() > ENDLESS or not heights.max() > 0.0:  # nothing ends the range, or home is refused
            return 0.0, np.nan
        peaks = grid[_is_peak(heights) & (heights >= PART * heights.max())]
        peaks = peaks[:: 1 + len(peaks) // CLIMBS]  # on a plateau all of it are peaks
        previous, width = most, np.deg2rad(step)
        for again in range(AGAIN):
            found = _climbed(machine, kind, lambda p, _: p, peaks, width, is_last=again > 0)
            on_cliffs = _along_cliffs(machine, kind, *found, np.deg2rad(step) / NARROWER)
            ends, values = (np.concatenate(each) for each in zip((ends, values), found, on_cliffs, strict=True))
            most = max(most, float(values.max()), float(heights.max()))
            gap, peaks, _ = proof(machine, kind, np.array([most]))
            if not len(peaks):
                break
            peaks, width = peaks[:: 1 + len(peaks) // CLIMBS], COARSE * np.deg2rad(step)
        if np.isfinite(gap) or most - previous <= TIE * previous:
            break
    # The first counterclockwise from x of the maxima that tie, and of intervals along which the distance is constant.
    flat = azimuth[heights.max(axis=1) >= _equal_to(machine, kind, most)]
    if len(flat) and _is_flat(machine, kind, flat[0], most):
        inside = next(at for at in azimuth if at == flat[0] or _is_reached(machine, kind, at, most))
        return _beginning(lambda at: _is_reached(machine, kind, at, most), inside, inside - np.deg2rad(step)), gap
    is_tied = values >= most * (1 - TIE)
    ahead = np.where(is_tied, np.mod(ends[:, 0] + FINE, 2 * np.pi), np.inf)
    # Searches that end close by have climbed one maximum, some farther than others.
    first = ends[np.argmax(np.where(ahead <= ahead.min() + np.deg2rad(step), values, -np.inf))]
    for near in POLISHED:
        exact = _at_limits(machine, kind, first, near)
        if exact is not None and _heights(machine, kind, *exact) >= _heights(machine, kind, *first):
            first = exact
    return float(np.mod(first[0] + FINE, 2 * np.pi) - FINE), gap


def _is_peak(heights: Array) -> Bools:
    """Whether heights (n, k) over azimuths, a whole turn, and elevations are not below their eight neighbours."""
    around = np.pad(np.pad(heights, ((1, 1), (0, 0)), mode="wrap"), ((0, 0), (1, 1)), constant_values=-np.inf)
    n, k = heights.shape
    return np.all([heights >= around[a : a + n, b : b + k] for a in range(3) for b in range(3)], axis=0)


def _equal_to(machine: AnyMachine, kind: str, most: float) -> float:
    """Distance from the axis from which on one is `most` but for rounding."""
    largest = machine.size + float(np.abs(machine.home_point).max()) if kind == "translation" else 1.0
    return most - FLAT * most - ROUNDED * largest


def _is_reached(machine: AnyMachine, kind: str, azimuth: float, most: float) -> bool:
    """Whether a scan of the half-plane reaches as far as `most`, but for rounding."""
    grid = _elevations(SCANS[0])
    return bool(_heights(machine, kind, np.full(len(grid), azimuth), grid).max() >= _equal_to(machine, kind, most))


def _is_flat(machine: AnyMachine, kind: str, azimuth: float, most: float) -> bool:
    """Whether neighbouring half-planes reach as far, on either side."""
    return any(_is_reached(machine, kind, azimuth + aside, most) for aside in (ASIDE, -ASIDE))


def _beginning(is_there: Callable[[float], bool], inside: float, outside: float) -> float:
    """Where a condition that holds at `inside` begins, going back to `outside`; not beyond zero, where it may hold."""
    if inside == 0.0 or is_there(outside):
        return inside
    held, _ = bisected(lambda at: np.asarray(is_there(float(at))), np.asarray(inside), np.asarray(outside), 40)
    return float(held)


def _elevations(count: int) -> Array:
    """So many elevations, evenly spaced between the poles, zero among them where their number is odd."""
    return np.linspace(-np.pi / 2, np.pi / 2, count + 2)[1:-1]


def _climbed(
    machine: AnyMachine,
    kind: str,
    directions: Callable[[Array, Ints], Array],
    starts: Array,
    step: float,
    *,
    is_last: bool = False,
) -> tuple[Array, Array]:
    """Points (n, d) farthest from the axis near `starts` (n, d), and their distances (n,); `directions` gives azimuth
    and elevation (n, 2) of points, from the numbers of their starts.

    Along a sharp edge of limits a pattern search takes hundreds of tiny steps, or stops early. Quadratic programming
    therefore follows coarse searches; fine ones, whose steps can grow again, start from the better result. It follows
    these too where they are the last ones.
    """

    def heights(points: Array, k: Ints) -> Array:
        return _heights(machine, kind, *directions(points, k).T)

    n, is_free = len(starts), starts.shape[1] == 2
    ends, values = climb(heights, starts, np.full(n, step), COARSE)
    # Quadratic programming ahead of each coarse end, within AHEAD of its last steps.
    far, numbers = ends.copy(), np.arange(n)
    for k, (azimuth, elevation) in enumerate(directions(ends, numbers)):
        found = _at_limits(machine, kind, np.array([azimuth, elevation]), AHEAD * COARSE * step, is_free=is_free)
        if found is not None:
            far[k] = found if is_free else found[1:]
    is_better = heights(far, numbers) > values
    part = np.where(is_better, LATER, COARSE)
    ends, values = climb(heights, np.where(is_better[:, None], far, ends), part * step, FINE / part, growth=1.0 / part)
    for k in range(n if is_last else 0):  # to rounding, where it is a corner of limits
        found = _at_limits(machine, kind, directions(ends, numbers)[k], NEAR, is_free=is_free)
        if found is not None:
            end = (found if is_free else found[1:])[None]
            height = float(heights(end, numbers[k : k + 1])[0])
            if height > values[k]:
                ends[k], values[k] = end[0], height
    return ends, values


def _along_cliffs(machine: AnyMachine, kind: str, ends: Array, values: Array, half: float) -> tuple[Array, Array]:
    """Farthest points (k, 2) and distances (k,) of cliffs on which the best ends (n, 2) of local searches stand.

    Where paths graze a limit the distance drops across a curve of directions. Local searches from one direction to the
    next stop on its edge, but the farthest distance in each half-plane is continuous along it.
    """
    from scipy.optimize import minimize_scalar

    points, distances = np.empty((0, 2)), np.empty(0)
    for best in np.argsort(-values, kind="stable"):
        ring = ends[best] + FINE * np.column_stack([np.cos(RING), np.sin(RING)])
        is_known = (np.abs(points - ends[best]).max(axis=1, initial=0.0) < half).any()
        if values[best] < (1 - CLIFF) * values.max() or is_known:
            continue
        if _heights(machine, kind, *ring.T).min() > (1 - CLIFF) * values[best]:
            continue

        def highest(azimuth: float, elevation: float = float(ends[best, 1])) -> tuple[float, float]:
            height, width = 0.0, 2 * half
            for _ in range(TRIALS):
                tried = np.clip(elevation + width * BESIDE, -np.pi / 2, np.pi / 2)
                heights = _heights(machine, kind, np.full(len(tried), azimuth), tried)
                k = int(heights.argmax())
                height, elevation, width = float(heights[k]), float(tried[k]), width / NARROWER
            return height, elevation

        bounds = ends[best, 0] - half, ends[best, 0] + half
        azimuth = float(minimize_scalar(lambda at: -highest(at)[0], bounds=bounds, options={"xatol": FINE * half}).x)
        height, elevation = highest(azimuth)
        points = np.concatenate([points, [[azimuth, elevation]]])
        distances = np.append(distances, height)
    return points, distances


def _at_limits(machine: AnyMachine, kind: str, at: Array, near: float, *, is_free: bool = True) -> Array | None:
    """Azimuth and elevation (2,) of the farthest point from the axis near those given, by quadratic programming, which
    follows limits into their corner.

    `near` is the trust region over the distance; if not `is_free`, the azimuth is fixed. None where no allowed point is
    found.
    """
    from scipy.spatial.transform import Rotation

    distance = float(_distance(_reach(machine, kind, *at)))
    if not 0.0 < distance <= ENDLESS:
        return None
    # Coordinates: distance from the axis, height, and the azimuth from the given one times the distance.
    start = distance * np.array([np.cos(at[1]), np.sin(at[1]), 0.0])[: 3 if is_free else 2]
    R, home, is_shift = machine.end_home[:3, :3], machine.home_point, kind == "translation"

    def turned_by(coordinates: Array) -> Array:
        return np.asarray(at[0] + coordinates[..., 2] / distance if is_free else at[0])

    def relative(coordinates: Array) -> Array:
        azimuth = turned_by(coordinates)
        radius, height = coordinates[:, 0], coordinates[:, 1]
        points = np.column_stack([radius * np.cos(azimuth), radius * np.sin(azimuth), height])
        turned = R if is_shift else Rotation.from_euler("XYZ", points).as_matrix() @ R
        poses = poses_at(machine, turned, home + points if is_shift else np.broadcast_to(home, points.shape))
        return np.nan_to_num(margins(machine, poses).relative, nan=-1.0)

    # Farthest along the first coordinate, the distance from the axis.
    outward, anywhere = np.eye(len(start))[0], (np.full(len(start), -np.inf), np.full(len(start), np.inf))
    step = SLOPE_STEP * (machine.size if is_shift else 1.0)
    end = along_limits(relative, start, outward, anywhere, near * distance, step)
    reached = drawn_back(relative, start, end, anywhere, outward)
    return None if reached is None else np.array([turned_by(reached), np.arctan2(reached[1], reached[0])])


def _farthest(machine: AnyMachine, kind: str, azimuth: Array) -> tuple[Array, float]:
    """Elevation (n,) of the point of each half-plane farthest from the z axis, and the gap of the proof: local searches
    as of the azimuth.

    Of maxima that tie, and of a whole interval, the elevation nearest to zero counts, and of two the lower one.
    """
    n = len(azimuth)
    best = np.zeros(n)
    place, ends, values = np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
    for count in SCANS:
        grid = _elevations(count)
        heights = _heights(machine, kind, azimuth[:, None], np.broadcast_to(grid, (n, count)))
        if heights.min() > ENDLESS or not heights.max() > 0.0:
            return np.zeros(n), np.nan
        around = np.pad(heights, ((0, 0), (1, 1)), constant_values=-np.inf)
        is_peak = (heights >= around[:, :-2]) & (heights > around[:, 2:])
        rows, at = np.nonzero(is_peak & (heights >= PART * heights.max(axis=1, keepdims=True)))

        previous, starts, width = best, grid[at], grid[1] - grid[0]
        for again in range(AGAIN):

            def directions(points: Array, k: Ints, rows: Ints = rows) -> Array:
                return np.column_stack([azimuth[rows[k]], points[:, 0]])

            found, reached = _climbed(machine, kind, directions, starts[:, None], width, is_last=again > 0)
            place, ends = np.concatenate([place, rows]), np.concatenate([ends, found[:, 0]])
            values = np.concatenate([values, reached])
            best = np.array([values[place == k].max() for k in range(n)])
            gap, better, rows = proof(machine, kind, best, azimuth)
            if not len(better):
                break
            starts, width = better[:, 1], COARSE * (grid[1] - grid[0])
        if np.isfinite(gap) or (best - previous <= TIE * previous).all():
            break
    of = [place == k for k in range(n)]
    nearest = (_nearest_to_zero(machine, kind, azimuth[k], ends[of[k]], values[of[k]]) for k in range(n))
    return np.array(list(nearest)), gap


def _nearest_to_zero(machine: AnyMachine, kind: str, azimuth: float, ends: Array, values: Array) -> float:
    """Of the maxima of a half-plane at elevations (m,) that tie, and of an interval about the first of them along which
    the distance from the axis is constant, the elevation nearest to zero, the lower one of two."""
    most = float(values.max())
    least = _equal_to(machine, kind, most)

    def is_there(elevation: float) -> bool:
        return bool(_heights(machine, kind, np.array(azimuth), np.array(elevation)) >= least)

    if is_there(0.0):
        return 0.0
    ties = ends[values >= most * (1 - TIE)]
    nearest = np.abs(ties) <= np.abs(ties).min() + ASIDE
    first = float(ties[nearest].min())
    aside = first - np.copysign(ASIDE, first)
    return _beginning(is_there, aside, 0.0) if is_there(aside) else first
