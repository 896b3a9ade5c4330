"""Distance of a pose from the singular surface of its orientation, between two bounds, by branch and bound.

The nearest intersection of the surface with rays from the pose is the upper bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.limits.climb import bisected
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices
from gough.present.show import Show
from gough.quantity import quantity, result
from gough.regions.boxes import Boxes
from gough.results import Result
from gough.singularity.cubic import sphere
from gough.singularity.surface import FARTHEST, TOUCHING, RodSurface, singular_surface

CLOSER = 1e-15
"""Smallest relative gain for which an intersection replaces the nearest one."""
NARROWED = (0.0, 3.0, 3.0, 10.0, 10.0, 30.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7)
"""Rounds of rays for a first guess: in all directions, then narrowed about the best one by these factors."""
AIMED = (0.1, 0.03, 0.01)
"""Tangents of the angles about the closest rays within which more are tried if no ray meets the surface."""
INSIDE = 1e-9
"""The legs must close this far around an intersection, in machine sizes: at the end of their reach none counts."""
CLOSELY = 200
"""Samples on each ray once no ray has met the surface."""
ACROSS = 6
"""Samples on each short line."""
CLOSES = 16
"""Bisections for the end of the legs' reach on a line."""
STARTS = 30
"""Points from which the surface is approached once no ray has met it."""
ROUNDS = 20
"""Rounds of short lines through those points."""
NARROWLY = np.array([0.5, 0.75, 0.9, 0.97, 0.99, 1.0])
"""Samples on rays about the nearest intersection found, in units of its distance."""


def first_guess(surface: RodSurface, origin: Array) -> tuple[float, Array]:
    """Return the distance of a point of the surface near the origin, and that point (3,); infinite and NaN where none
    is found."""
    if abs(float(surface.sided(origin[None])[0])) < 1e-12:
        return 0.0, origin
    # Rays in all directions; if they miss the surface, two more expensive searches; then ever narrower bundles of rays.
    best, far = (np.inf, np.full(3, np.nan)), FARTHEST * surface.length
    for narrow in NARROWED:
        if narrow and np.isinf(best[0]):
            best = _aimed(surface, origin, far)
        if narrow and np.isinf(best[0]):
            best = _beyond_gaps(surface, origin, far)
        if narrow and np.isinf(best[0]):
            break
        d = sphere(400 if narrow < 20.0 else 100)
        d = d + (narrow * (best[1] - origin) / best[0] if narrow else 0.0)
        d /= np.linalg.norm(d, axis=1, keepdims=True)
        reach = best[0] * NARROWLY if narrow else np.geomspace(1e-2, 100.0, 48) * far
        best = nearer(surface, origin, _on_rays(origin, d, reach), best)
        best = nearer(surface, origin, _up_to_reach(surface, origin, d, min(best[0], far)), best)
    return best


def _aimed(surface: RodSurface, origin: Array, far: float) -> tuple[float, Array]:
    """Nearest intersection, as from `nearer`, of rays in narrowing cones about those that come closest to the
    surface."""
    d, best = sphere(400), (np.inf, np.full(3, np.nan))
    places = _up_to_reach(surface, origin, d, far)
    value = _sided(surface, places)
    for spread in AIMED:
        closest = d[np.argsort(_closest(places, value)[1])[:20]]
        d = (closest[:, None] + spread * sphere(40)).reshape(-1, 3)
        d /= np.linalg.norm(d, axis=1, keepdims=True)
        places = _up_to_reach(surface, origin, d, far)
        value = _sided(surface, places)
        if np.isfinite((best := nearer(surface, origin, places, best, value))[0]):
            break
    return best


def _beyond_gaps(surface: RodSurface, origin: Array, far: float) -> tuple[float, Array]:
    """Nearest intersection, as from `nearer`, by many samples on rays: regions in which the legs close again beyond a
    gap may be small. If they miss the surface, by short lines through the samples that come closest to it: these
    points move closer from round to round."""
    d, none = sphere(400), (np.inf, np.full(3, np.nan))
    places = _on_rays(origin, d, np.linspace(0.0, 1.0, CLOSELY) * far)
    value = _sided(surface, places)
    if np.isfinite((best := nearer(surface, origin, places, none, value))[0]):
        return best
    to_reach = _up_to_reach(surface, origin, d, far)
    closest, least = _closest(np.concatenate([places, to_reach]), np.concatenate([value, _sided(surface, to_reach)]))
    chosen = np.argsort(least)[:STARTS]
    # Each point moves to the closest sample of 20 lines about it; its lines grow after a gain and shrink after none.
    closest, least, length = closest[chosen], least[chosen], np.full((STARTS, 1), far / CLOSELY)
    about = np.repeat(sphere(20), STARTS, axis=0)
    for _ in range(ROUNDS):
        lines = _up_to_reach(surface, np.tile(closest, (20, 1)), about, np.tile(length, (20, 1)), ACROSS)
        value = _sided(surface, lines)
        if np.isfinite((best := nearer(surface, origin, lines, none, value))[0]):
            break
        place, away = _closest(lines.reshape(-1, STARTS, 3), value.reshape(-1, STARTS))
        is_closer = away < least
        closest, least = np.where(is_closer[:, None], place, closest), np.minimum(away, least)
        length = length * np.where(is_closer, 1.5, 0.5)[:, None]
    return best


def _sided(surface: RodSurface, places: Array) -> Array:
    """`surface.sided` of places (k, n, 3)."""
    with np.errstate(invalid="ignore"):
        return surface.sided(places.reshape(-1, 3)).reshape(places.shape[:2])


def _closest(places: Array, value: Array) -> tuple[Array, Array]:
    """The place (n, 3) closest to the surface in each column of places (k, n, 3), and its absolute value of (k, n)."""
    least = np.nan_to_num(np.abs(value), nan=np.inf)
    k = least.argmin(axis=0)[None]
    return np.take_along_axis(places, k[..., None], axis=0)[0], np.take_along_axis(least, k, axis=0)[0]


def _on_rays(origin: Array, d: Array, away: Array) -> Array:
    """Places (k + 1, n, 3) on rays d (n, 3): the origin, and at distances (k,)."""
    return origin + np.concatenate([[0.0], away])[:, None, None] * d


def _up_to_reach(surface: RodSurface, origin: Array, d: Array, far: float | Array, count: int = 26) -> Array:
    """Places (count, n, 3) on rays d (n, 3) as far as the legs close: some rays meet the surface only just before
    that."""
    low, high = np.zeros((len(d), 1)), np.broadcast_to(far, (len(d), 1))
    end, _ = bisected(lambda s: surface.closes(origin + s * d)[:, None], low, high, CLOSES)
    return np.asarray(origin + np.linspace(0.0, 1.0, count)[:, None, None] * end * d)


def nearer(
    surface: RodSurface, origin: Array, places: Array, best: tuple[float, Array], value: Array | None = None
) -> tuple[float, Array]:
    """Return the better of `best` and the nearest intersection of the surface with lines of places (k, n, 3), as its
    distance from the origin and its position; `value` (k, n) is `sided` at the places.

    An intersection lies between two places on either side of the surface; places between them at which a leg cannot
    close are skipped.
    """
    value = _sided(surface, places) if value is None else value
    at = np.where(np.isfinite(value) & (value != 0), np.arange(len(places))[:, None], 0)
    # For every place but the first, the last place before it that has a sign.
    last = np.maximum.accumulate(at, axis=0)[:-1]
    before = np.take_along_axis(value, last, axis=0)
    with np.errstate(invalid="ignore"):
        k, ray = np.nonzero(before * value[1:] < 0)
    starts, ends, sides = places[last[k, ray], ray], places[k + 1, ray], before[k, ray]
    # The nearest sign changes, and the nearest of those without a gap, which are sure to have an intersection.
    away = np.linalg.norm(ends - origin, axis=1)
    is_closed = last[k, ray] == k
    chosen = np.union1d(np.argsort(away)[:192], np.lexsort((away, ~is_closed))[:64])
    chosen = chosen[away[chosen] < 2 * best[0]]
    if not len(chosen):
        return best
    starts, ends, sides = starts[chosen], ends[chosen], sides[chosen]

    def is_before(s: Array) -> Bools:
        with np.errstate(invalid="ignore"):
            return ~(surface.sided(starts + s[:, None] * (ends - starts)) * sides < 0)

    _, high = bisected(is_before, np.zeros(len(ends)), np.ones(len(ends)), 54)
    met = starts + high[:, None] * (ends - starts)
    # An intersection counts if it is singular and no leg opens right next to it.
    around = met + INSIDE * surface.length * np.concatenate([np.eye(3), -np.eye(3)])[:, None]
    is_met = (np.abs(surface.sided(met)) < TOUCHING) & np.isfinite(_sided(surface, around)).all(axis=0)
    away = np.where(is_met, np.linalg.norm(met - origin, axis=1), np.inf)
    nearest = int(np.argmin(away))
    if not away[nearest] < best[0] * (1 - CLOSER):
        return best
    return float(away[nearest]), met[nearest]


MOST_BOXES = 40_000
"""Most boxes for one distance."""
TOGETHER = 256
"""Most boxes halved at a time."""


@result
class SingularDistance(Result):
    """Distance of a pose from the singular surface of its orientation.

    Attributes
    ----------
    machine : Machine

    """

    lower: float = quantity(
        "m", doc="Proven: no singular position is nearer; the radius that was searched where none was found."
    )
    upper: float = quantity("m", doc="Distance of the nearest singular position found; inf where none was.")
    position: Array = quantity(
        "m", "axis", frame="base", doc="Position of the point of interest at it; NaN where none was found."
    )
    machine: Machine

    def sentence(self) -> str:
        """State both bounds of the distance, rounded outwards, and the position, in the units of the machine's file."""
        show = Show(self.machine)
        if not np.isfinite(self.upper):
            return f"more than {show.with_unit(self.lower, 'm')}; no singular position found"
        return f"{show.between(self.lower, self.upper, 'm')}, at ({show.numbers(self.position)})"


@checks_arguments
def singular_distance(
    machine: Machine, X: PoseLike | None = None, *, rtol: float = 1e-3, max_boxes: int = MOST_BOXES
) -> SingularDistance:
    """Compute the distance of a pose from the nearest singular pose of the same orientation, with a lower bound.

    The least |t' - t| over positions t' with det J_qV = 0 (by definition). Boxes about the pose are halved, the nearest
    first, until those that may hold a singular position are as far as the nearest one found.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose; default: home. It need not be allowed.
    rtol : float
        Largest relative difference of the bounds.
    max_boxes : int
        Most boxes, after which the bounds are returned as they are.

    Returns
    -------
    SingularDistance
        Bounds [m] and the nearest singular position found; infinite where none was found within the search.

    Raises
    ------
    InputError
        A leg cannot close at the pose.

    """
    pose = machine.X_home if X is None else checked_matrices(X)
    surface, excludes = RodSurface(machine, pose[:3, :3]), singular_surface(machine, pose).excludes
    origin, offset = pose[:3, 3], pose[:3, :3] @ machine.point_of_interest
    if np.isnan(surface.sided(origin[None])[0]):
        raise InputError("distance from singularity is undefined: a leg cannot close at that pose, see gough.margins")
    upper, nearest = first_guess(surface, origin)
    if upper <= 1e-12 * machine.size:
        return SingularDistance(0.0, 0.0, origin + offset, machine)
    # Search the cube about the ball within which a nearer singular position could lie.
    radius = min(upper, FARTHEST * machine.size)
    pool, enough = _Pool(excludes, origin), (1 - rtol) * radius
    pool.add(Boxes.of(origin - radius, origin + radius), enough)
    while pool.count < max_boxes and pool.lower < enough:
        boxes = pool.nearest(enough).halved()
        # The segment from the pose to each centre may cross the surface nearer than before.
        centres = np.stack([np.broadcast_to(origin, boxes.centres.shape), boxes.centres])
        upper, nearest = nearer(surface, origin, centres, (upper, nearest))
        enough = (1 - rtol) * min(upper, radius)
        pool.add(boxes, enough)
    return SingularDistance(min(pool.lower, upper, radius), upper, nearest + offset, machine)


class _Pool:
    """Boxes that may hold a singular position, by level, with the distance of each from the origin."""

    def __init__(self, excludes: Callable[[Array, Array], Bools], origin: Array) -> None:
        self.excludes, self.origin = excludes, origin
        self.levels: dict[int, tuple[Boxes, Array]] = {}
        self.count = 0

    @property
    def lower(self) -> float:
        """Distance of the nearest box; infinite where there is none."""
        return min((float(away.min(initial=np.inf)) for _, away in self.levels.values()), default=np.inf)

    def add(self, boxes: Boxes, enough: float) -> None:
        """Add the boxes that are not proven free; those as far as `enough` are added without a test."""
        self.count += len(boxes)
        # Distance of a box: that of its nearest point.
        away = np.linalg.norm(np.maximum(np.abs(boxes.centres - self.origin) - boxes.half, 0.0), axis=1)
        is_open = away >= enough
        near = np.flatnonzero(~is_open)
        is_open[near] = ~self.excludes(boxes.centres[near], boxes.half)
        boxes, away = boxes[is_open], away[is_open]
        if boxes.level in self.levels:
            others, their = self.levels[boxes.level]
            boxes = replace(boxes, place=np.concatenate([others.place, boxes.place]))
            away = np.concatenate([their, away])
        self.levels[boxes.level] = boxes, away

    def nearest(self, enough: float) -> Boxes:
        """Remove and return the nearest boxes of the level of the nearest one, `TOGETHER` at most, none as far as
        `enough`."""
        level = min(self.levels, key=lambda k: float(self.levels[k][1].min(initial=np.inf)))
        boxes, away = self.levels[level]
        chosen = np.zeros(len(boxes), dtype=bool)
        chosen[np.argsort(away)[:TOGETHER]] = True
        chosen &= away < enough
        self.levels[level] = boxes[~chosen], away[~chosen]
        return boxes[chosen]
