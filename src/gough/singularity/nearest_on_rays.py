"""The nearest place of a singular surface that rays from a pose meet: an upper bound of the distance."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.singularity.cubic import SingularityCubic, sphere
from gough.singularity.surface import FARTHEST, TOUCHING, RodSurface, SingularSurface

CLOSER = 1e-12
"""A place is found exactly only where it is nearer by this part."""
NARROWED = (0.0, 3.0, 3.0, 10.0, 10.0, 30.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6)
"""Rounds of rays for a first guess: all round, then how much nearer to the best one they are."""
AIMED = (0.1, 0.03, 0.01)
"""Tangents of the angles about the closest rays in which more are looked at where no ray met the surface."""
INSIDE = 1e-9
"""Of the machine's size: a place counts where the legs close as far around it, not at the very end of their reach."""
CLOSELY = 200
"""Places on each ray where none has met the surface."""
ACROSS = 6
"""Places on each short line."""
CLOSES = 16
"""Halvings by which the end of the legs' reach is found on a line."""
STARTS = 30
"""Places from which the surface is approached where no ray has met it."""
ROUNDS = 20
"""Of short lines through those places."""
NARROWLY = np.array([0.5, 0.75, 0.9, 0.97, 0.99, 1.0])
"""Places on rays about the nearest one found, by its distance."""


def first_guess(surface: SingularSurface, origin: Array) -> tuple[float, Array]:
    """A distance from which to begin, and where that is; infinite where none was met."""
    if isinstance(surface, SingularityCubic):
        return surface.nearest(origin)
    if abs(float(surface.sided(origin[None])[0])) < 1e-12:
        return 0.0, origin
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
        reach = best[0] * NARROWLY if narrow else np.geomspace(1e-2, 1.0, 24) * far
        best = nearer(surface, origin, _on_rays(origin, d, reach), best)
        best = nearer(surface, origin, _up_to_reach(surface, origin, d, min(best[0], far)), best)
    return best


def _aimed(surface: RodSurface, origin: Array, far: float) -> tuple[float, Array]:
    """What rays meet about those that come closest to the surface, as `nearer`; closer about them from pass to pass."""
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
    """What many places on rays meet, as `nearer`: where the legs close again beyond a gap, a region may be small.
    Where they meet nothing, short lines through the places that come closest to the surface, each its own way."""
    d, none = sphere(400), (np.inf, np.full(3, np.nan))
    places = _on_rays(origin, d, np.linspace(0.0, 1.0, CLOSELY) * far)
    value = _sided(surface, places)
    if np.isfinite((best := nearer(surface, origin, places, none, value))[0]):
        return best
    to_reach = _up_to_reach(surface, origin, d, far)
    closest, least = _closest(np.concatenate([places, to_reach]), np.concatenate([value, _sided(surface, to_reach)]))
    chosen = np.argsort(least)[:STARTS]
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


def _sided(surface: SingularSurface, places: Array) -> Array:
    """`sided` of places (k, n, 3)."""
    with np.errstate(invalid="ignore"):
        return surface.sided(places.reshape(-1, 3)).reshape(places.shape[:2])


def _closest(places: Array, value: Array) -> tuple[Array, Array]:
    """Of each column of places (k, n, 3) with values (k, n) the one closest to the surface (n, 3), and how close."""
    least = np.nan_to_num(np.abs(value), nan=np.inf)
    k = least.argmin(axis=0)[None]
    return np.take_along_axis(places, k[..., None], axis=0)[0], np.take_along_axis(least, k, axis=0)[0]


def _on_rays(origin: Array, d: Array, away: Array) -> Array:
    """Places (k + 1, n, 3) on rays d (n, 3): the origin, and at distances (k,)."""
    return origin + np.concatenate([[0.0], away])[:, None, None] * d


def _up_to_reach(surface: RodSurface, origin: Array, d: Array, far: float | Array, count: int = 26) -> Array:
    """Places (count, n, 3) on rays d (n, 3) as far as the legs close: some come to the surface only just before they
    do not."""
    low, high = np.zeros((len(d), 1)), np.broadcast_to(far, (len(d), 1))
    for _ in range(CLOSES):
        middle = (low + high) / 2
        closes = surface.closes(origin + middle * d)[:, None]
        low, high = np.where(closes, middle, low), np.where(closes, high, middle)
    return np.asarray(origin + np.linspace(0.0, 1.0, count)[:, None, None] * low * d)


def nearer(
    surface: SingularSurface, origin: Array, places: Array, best: tuple[float, Array], value: Array | None = None
) -> tuple[float, Array]:
    """The place of the surface nearest to the origin on lines of places (k, n, 3), between two on either side of it;
    places between them where a leg cannot close count as the first of the two. `value` (k, n) is `sided` there."""
    value = _sided(surface, places) if value is None else value
    at = np.where(np.isfinite(value) & (value != 0), np.arange(len(places))[:, None], 0)
    last = np.maximum.accumulate(at, axis=0)[:-1]
    before = np.take_along_axis(value, last, axis=0)
    with np.errstate(invalid="ignore"):
        k, ray = np.nonzero(before * value[1:] < 0)
    starts, ends, sides = places[last[k, ray], ray], places[k + 1, ray], before[k, ray]
    away = np.linalg.norm(ends - origin, axis=1)
    is_closed = last[k, ray] == k
    chosen = np.union1d(np.argsort(away)[:192], np.lexsort((away, ~is_closed))[:64])
    chosen = chosen[away[chosen] < 2 * best[0]]
    if not len(chosen):
        return best
    starts, ends, sides = starts[chosen], ends[chosen], sides[chosen]
    low, high = np.zeros(len(ends)), np.ones(len(ends))
    for _ in range(54):
        middle = (low + high) / 2
        with np.errstate(invalid="ignore"):
            is_past = surface.sided(starts + middle[:, None] * (ends - starts)) * sides < 0
        low, high = np.where(is_past, low, middle), np.where(is_past, middle, high)
    met = starts + high[:, None] * (ends - starts)
    around = met + INSIDE * surface.length * np.concatenate([np.eye(3), -np.eye(3)])[:, None]
    is_met = (np.abs(surface.sided(met)) < TOUCHING) & np.isfinite(_sided(surface, around)).all(axis=0)
    away = np.where(is_met, np.linalg.norm(met - origin, axis=1), np.inf)
    nearest = int(np.argmin(away))
    if not away[nearest] < best[0] * (1 - CLOSER):
        return best
    found = surface.first(origin, met[nearest] - origin)
    ray = (met[nearest] - origin) / away[nearest]
    return (found, origin + found * ray) if found < best[0] else best
