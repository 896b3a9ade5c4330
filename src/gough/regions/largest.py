"""The largest scale of a region at which every limit is proven over it; trade-offs of travel against orientation.

The locally optimal centre, about which the scale is largest, is found by sequential linear programming. Each limit has
its smallest margin m over the region at some place. When the centre moves by dc and the scale changes by ds, m +
(dm/dc) dc + (dm/ds) ds remains, to first order: a linear programme for the largest ds, within a trust region that is
halved where the scale does not grow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.limits.interval_search import limits_for_search
from gough.machine import Machine
from gough.present.units import bound_in_words
from gough.quantity import derived, quantity, result
from gough.regions.branching import Search
from gough.regions.placing import Chart
from gough.regions.proof import MOST_BOXES, RegionProof, certified
from gough.regions.requested import RegionLimits, RequestedLimit
from gough.regions.shapes import PoseRegion, Region, Scaled
from gough.results import Result

ROUNDS = 40
"""Most linear programmes."""
NEWTON = 5
"""Newton steps for the scale at the first place."""
START = 1e-3
"""First and smallest scale of the search."""
STEP = 1e-6
"""Step of central differences, as a part of the machine's size and of the scale."""
WIDEST, NARROWEST = 0.1, 1e-5
"""First and last half width of the trust region of the centre, as parts of the machine's size."""


def best_place(limits: RegionLimits, region: PoseRegion, scaled: Scaled, ignored: tuple[str, ...]) -> PoseRegion:
    """Return the region about a centre near its own with a larger scale, as far as linear programmes find.

    Smallest margins are those at the minimisers of models over the region: the scale is not proven here, but later,
    about the centre that is found.
    """
    counted = np.array([column.name not in ignored for column in limits.columns])
    size = limits.machine.size
    best, scale, step = region, START, WIDEST * size
    room = _room(limits, best, scale, scaled, counted)
    # A scale near the largest one at the first centre: margins are linearised where they are small.
    for _ in range(NEWTON):
        reached = _reached(scale, room)
        if not np.isfinite(reached) or reached < START:
            break
        scale = reached
        room = _room(limits, best, scale, scaled, counted)
    reached = _reached(scale, room)
    for _ in range(ROUNDS):
        move = _programme(room, scale, step)
        if move is None or step < NARROWEST * size:
            break
        tried = replace(best, centre=best.centre + np.append(move[:3], np.zeros(3)))
        wanted = max(scale + float(move[3]), START)
        found = _room(limits, tried, wanted, scaled, counted)
        if _reached(wanted, found) > reached:
            best, scale, room, reached = tried, wanted, found, _reached(wanted, found)
        else:
            step /= 2  # the linearisation does not hold as far
    return best


class Room(NamedTuple):
    """Smallest margins (k,) of limits over a region, and their derivatives by its centre (k, 3) and its scale (k,)."""

    margins: Array
    by_place: Array
    by_scale: Array


def _reached(scale: float, room: Room) -> float:
    """The scale at which the first margin would be zero, at the same centre, if all were linear."""
    falls = room.by_scale < 0
    return scale + float((room.margins[falls] / -room.by_scale[falls]).min(initial=np.inf))


def _worst(limits: RegionLimits, region: PoseRegion, counted: Bools) -> tuple[Array, Array]:
    """Places (k, 6) where models over the region have the limits' smallest margins (k,); infinite for ignored ones."""
    search = Search(limits, Chart.of(region), counted)
    search.look_at_minimisers()
    record = search.record
    return search.chart.coordinates(record.places), np.where(counted, record.upper, np.inf)


def _room(limits: RegionLimits, region: PoseRegion, scale: float, scaled: Scaled, counted: Bools) -> Room:
    own = region.scaled(scale, scaled)
    z, least = _worst(limits, own, counted)
    h, k = STEP * limits.machine.size, np.arange(len(z))
    shifts = np.concatenate([h * np.eye(3), -h * np.eye(3)])
    X = own.poses(z)
    moved = np.tile(X, (6, 1, 1, 1))
    moved[:, :, :3, 3] += shifts[:, None]
    values = limits.margins(moved.reshape(-1, 4, 4)).reshape(6, len(z), -1)[:, k, k]
    by_place = (values[:3] - values[3:]).T / (2 * h)
    is_scaled = region.scaled(2.0, scaled).half != region.half  # half widths of zero are of no matter
    unit = (z - own.centre) / scale * is_scaled  # dz/ds
    ends = [limits.margins(own.poses(z + sign * STEP * unit))[k, k] for sign in (1, -1)]
    by_scale = (ends[0] - ends[1]) / (2 * STEP)
    is_known = counted & np.isfinite(least) & np.isfinite(by_place).all(axis=1) & np.isfinite(by_scale)
    return Room(least[is_known], by_place[is_known], by_scale[is_known])


def _programme(room: Room, scale: float, step: float) -> Array | None:
    """The change (4,) of centre and scale with the largest scale, in a cube of steps; None where there is none."""
    from scipy.optimize import linprog

    found = linprog(
        [0.0, 0.0, 0.0, -1.0],
        A_ub=-np.column_stack([room.by_place, room.by_scale]),
        b_ub=room.margins,
        bounds=[(-step, step)] * 3 + [(-scale, None)],
        method="highs",
    )
    return found.x if found.status == 0 else None


MOST_SCALES = 100
"""Most scales that are tried towards one boundary."""
FEW_BOXES = 64
"""Boxes where only a refutation is wanted: it comes with the first ones, or late."""
NEAR = (0.5, 1.0, 8.0)
"""First scales for a proof: so many relative tolerances below the one that few boxes refute."""
TOGETHER, PRECISION = 32, 1e-9
"""Scales at which the margin of a witness's place is computed together, and relative precision of the one that is
found."""
LARGEST = 1e6
"""Largest scale that is tried; the smallest is its inverse."""


@result
class LargestRegion(Result):
    """Largest scale of a region about its centre at which every limit is kept.

    Attributes
    ----------
    region : PoseRegion or RegionUnion
        The region at `scale`.
    proof, refutation : RegionProof or None
        Those at the two factors.
    machine : Machine

    """

    scale: float = quantity("1", doc="The largest factor found for which the region is proven; 0 where none is.")
    refuted: float = quantity("1", doc="The smallest factor found for which it is refuted; inf where none is.")
    region: Region
    proof: RegionProof | None
    refutation: RegionProof | None
    machine: Machine

    @property
    @derived("rad")
    def angle(self) -> float:
        """Largest half width of the orientations at `scale`, of a union those of its first part, as below [rad]."""
        return float(self.region.regions[0].half[3:].max())

    @property
    @derived("m", "axis", frame="base")
    def half_widths(self) -> Array:
        """Half widths of the positions at `scale` (3,) [m]."""
        return self.region.regions[0].half[:3]

    @property
    @derived("m", "axis", frame="base")
    def position(self) -> Array:
        """Position of the centre (3,) [m]."""
        return self.region.regions[0].centre[:3]

    @property
    def limit(self) -> str:
        """The limit that the refuted region breaks; "" where none is refuted."""
        return "" if self.refutation is None else self.refutation.limit

    @property
    def verdict(self) -> str:
        """Whether a scale is proven, in words."""
        return "none proven" if self.proof is None else "proven"

    def sentence(self) -> str:
        """State both factors, and the limit that ends the larger one."""
        refuted = bound_in_words(self.refuted, 6, is_upper=True)
        if self.proof is None:
            return f"no size of the region is proven; refuted from {refuted} times its size"
        end = "" if self.refutation is None else f"; {refuted} times is too large ({self.limit})"
        return f"proven at {bound_in_words(self.scale, 6)} times its size{end}"


@checks_arguments
def largest_region(
    machine: Machine,
    region: Region,
    *,
    scaled: Literal["all", "positions", "orientations"] = "all",
    rtol: float = 1e-3,
    place: Literal["given", "best"] = "given",
    ignore: tuple[str, ...] = (),
    also: Sequence[RequestedLimit] | RequestedLimit = (),
    max_boxes: int = MOST_BOXES,
) -> LargestRegion:
    """Compute the largest scale of a region about its centre at which every pose keeps every limit.

    By definition the supremum of the scales that `certify_region` proves. By doubling and bisection: regions of one
    centre and shape are nested, so that a proof at one scale holds at every smaller one, and a refutation at every
    larger one. Half widths of zero stay. The smallest scale that a few boxes refute is searched first, from that at
    which the last witness's place in the region begins to break a limit; then the largest proven one below it.

    Parameters
    ----------
    machine : Machine
    region : PoseRegion or RegionUnion
        Its centre and shape; of a union each part is scaled about its own centre.
    scaled : {"all", "positions", "orientations"}
        Which half widths are scaled; the others stay, for trade-offs of travel against tilt.
    rtol : float
        Relative distance of the two factors at which the search ends.
    place : {"given", "best"}
        Whether the centre's position stays, or is moved to a local optimum of the scale; `region` of the result has it.
    ignore : tuple of str
        Names of limits that do not count.
    also : limits on request
        As in `gough.certify_region`.
    max_boxes : int
        Of each proof.

    Returns
    -------
    LargestRegion
        `scale` is proven and `refuted` is refuted; farther apart than `rtol` where proofs between them are undecided.

    Raises
    ------
    InputError
        `rtol` out of range; a region without extent; the best place of a union.

    """
    if not 1e-12 <= rtol < 1:
        raise InputError(f"rtol {rtol:g}: expected a relative distance from 1e-12 to 1")
    if not any(part.half.any() for part in region.regions):
        raise InputError("the region has no extent: a single pose cannot be scaled")
    if place == "best":
        if not isinstance(region, PoseRegion):
            raise InputError("the best place of a union is not supported: pass one region, or place='given'")
        region = best_place(RegionLimits.of(machine, also), region, scaled, ignore)
    limits_for_search(machine, ignore)  # raises for names that are not limits
    limits, tried = RegionLimits.of(machine, also), dict[float, RegionProof]()
    places = [np.zeros((0, 6)) for _ in region.regions]

    def verdict(scale: float, boxes: int = max_boxes) -> str:
        own = region.scaled(scale, scaled)
        tried[scale] = certified(limits, own, ignore, boxes, places=places)
        return tried[scale].verdict

    # Proofs take longest near the boundary: refutations by few boxes locate it first. A witness is at a place of every
    # scaled region: the smallest scale at which that breaks its limit is refuted too.
    scale, high = 1.0, np.inf
    for _ in range(MOST_SCALES):
        if verdict(scale, FEW_BOXES) == "refuted":
            k, worst = _place_of(tried[scale])
            places[k] = np.concatenate([places[k], worst[None]])
            high = _first_broken(limits, region, scaled, k, worst, scale, tried[scale].limit)
            scale = high * (1 - rtol / 4)
        elif np.isinf(high):
            scale *= 2
        else:
            break
        if not 1 / LARGEST <= scale <= LARGEST:
            break
    if np.isfinite(high):
        verdict(high, FEW_BOXES)
    low, end = 0.0, high
    for part in NEAR if np.isfinite(high) else ():
        scale = high * (1 - part * rtol)
        if verdict(scale) == "proven":
            low = scale
            break
        end = scale
    low, end = _boundary(lambda scale: verdict(scale) == "proven", low, end, rtol)
    # Between `end`, which is not proven, and the smallest refuted scale, searches with all boxes may refute smaller
    # ones.
    refuted = [scale for scale, proof in tried.items() if proof.verdict == "refuted"]
    high = min(refuted, default=np.inf)
    if high > end:
        _, high = _boundary(lambda scale: verdict(scale) != "refuted", end, high, rtol)
    return LargestRegion(low, high, region.scaled(low, scaled), tried.get(low), tried.get(high), machine)


def _place_of(proof: RegionProof) -> tuple[int, Array]:
    """Which part of a union a witness is in, and its place (6,) there, in units of half widths from the centre."""
    assert proof.witness is not None
    found = []
    for k, part in enumerate(proof.region.regions):
        for z in part.coordinates(proof.witness[None]):
            away = np.where(part.half > 0, z[0] - part.centre, 0.0)
            found.append((float(part.excess(z)[0]), k, away / np.where(part.half > 0, part.half, 1.0)))
    _, k, place = min(found, key=lambda each: each[0])
    return k, place


def _first_broken(
    limits: RegionLimits, region: Region, scaled: Scaled, k: int, place: Array, scale: float, name: str
) -> float:
    """The smallest scale, below one at which a place (6,) of the k-th part breaks a limit, from which on it does."""
    column = [each.name for each in limits.columns].index(name)
    low, high = 0.0, scale
    while high - low > PRECISION * scale:
        tried = np.linspace(low, high, TOGETHER + 1)[1:]
        parts = [region.scaled(float(each), scaled).regions[k] for each in tried]
        z = np.stack([part.centre + part.half * place for part in parts])
        with np.errstate(invalid="ignore"):
            margins = limits.margins(parts[0].poses(z))[:, column]
        kept = np.flatnonzero(~(margins < -2 * limits.tolerance[column]))
        kept = kept[kept < TOGETHER - 1]
        low, high = (tried[kept[-1]], tried[kept[-1] + 1]) if len(kept) else (low, tried[0])
    return float(high)


def _boundary(holds: Callable[[float], bool], low: float, high: float, rtol: float) -> tuple[float, float]:
    """The largest scale at which a predicate holds and the smallest at which it does not, `rtol` apart; 0 and infinity
    where there is none. From 1 by factors of two, then by bisection."""
    for _ in range(MOST_SCALES):
        if low > LARGEST or high < 1 / LARGEST or high - low <= rtol * high < np.inf:
            break
        # Before there is an upper end: 1, then doubling. Afterwards bisection, towards zero while the lower end is
        # zero.
        scale = 1.0 if np.isinf(high) and low == 0 else 2 * low if np.isinf(high) else (low + high) / 2
        low, high = (scale, high) if holds(scale) else (low, scale)
    return low, high


@checks_arguments
def travel_tradeoff(
    machine: Machine,
    region: PoseRegion,
    angles: ArrayLike,
    *,
    place: Literal["given", "best"] = "given",
    rtol: float = 1e-3,
    ignore: tuple[str, ...] = (),
    also: Sequence[RequestedLimit] | RequestedLimit = (),
    max_boxes: int = MOST_BOXES,
) -> tuple[LargestRegion, ...]:
    """Compute the largest positions of a region, in proportion, for each of several angles of its orientations.

    Parameters
    ----------
    machine : Machine
    region : PoseRegion
        Its shape of positions is scaled, and its orientations as one, so that the largest half-angle is each angle.
    angles : (n,) array
        [rad].
    place, rtol, ignore, also, max_boxes
        As in `gough.largest_region`.

    Returns
    -------
    tuple of LargestRegion
        One for each angle; `.region.half[:3]` are the half widths there [m].

    Raises
    ------
    InputError
        The region has no extent of positions or of orientations, or an angle is out of range.

    """
    widest = float(region.half[3:].max())
    if not (widest > 0 and region.half[:3].any()):
        raise InputError("a trade-off needs a region of positions and of orientations, such as a box with a tilt")
    found = []
    for angle in np.atleast_1d(np.asarray(angles, dtype=float)).ravel():
        if not 0 <= angle <= np.pi:
            raise InputError(f"angle {angle:g} rad: expected an angle from 0 to pi")
        turned = region.scaled(float(angle) / widest, "orientations")
        how: dict[str, Any] = {"place": place, "rtol": rtol, "ignore": ignore, "also": also, "max_boxes": max_boxes}
        found.append(largest_region(machine, turned, scaled="positions", **how))
    return tuple(found)
