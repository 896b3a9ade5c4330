"""The nearest place of a singular surface that rays from a pose meet: an upper bound of the distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.singularity.cubic import SingularityCubic, sphere

if TYPE_CHECKING:
    from gough.singularity.surface import RodSurface, SingularSurface


FARTHEST = 3.0
"""Machine sizes within which the surface of rods is looked for."""
CLOSER = 1e-12
"""A place is found exactly only where it is nearer by this part."""
NARROWED = (0.0, 3.0, 3.0, 10.0, 10.0, 30.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6)
"""Rounds of rays for a first guess: all round, then how much nearer to the best one they are."""
TOUCHING = 1e-6
"""A line that comes this near to singular without crossing touches the surface."""


AIMED = (0.1, 0.03, 0.01)
"""Tangents of the angles about the closest rays in which more are looked at where no ray met the surface."""


def first_guess(surface: SingularSurface, origin: Array) -> tuple[float, Array]:
    """A distance from which to begin, and where that is; infinite where none was met."""
    if isinstance(surface, SingularityCubic):
        return surface.nearest(origin)
    value = float(surface.sided(origin[None])[0])
    if abs(value) < 1e-12:
        return 0.0, origin
    value = float(np.sign(value))
    best = np.inf, np.full(3, np.nan)
    radii = np.geomspace(1e-2, FARTHEST, 24)[:, None, None] * surface.length
    for narrow in NARROWED:
        if narrow and np.isinf(best[0]):
            best = _aimed(surface, origin, value)
        if narrow and np.isinf(best[0]):
            break
        d = sphere(400 if narrow < 20.0 else 100)
        d = d + (narrow * (best[1] - origin) / best[0] if narrow else 0.0)
        d /= np.linalg.norm(d, axis=1, keepdims=True)
        reach = best[0] * np.linspace(0.5, 1.0, 4)[:, None, None] if narrow else radii
        for centres in (origin + reach * d, _up_to_reach(surface, origin, d, min(best[0], radii.max()))):
            best = nearer(surface, origin, value, centres.reshape(-1, 3), best)
    return best


def _aimed(surface: RodSurface, origin: Array, sign: float) -> tuple[float, Array]:
    """What rays meet about those that come closest to the surface, as `nearer`; closer about them from pass to pass."""
    d, best, far = sphere(400), (np.inf, np.full(3, np.nan)), FARTHEST * surface.length
    for spread in AIMED:
        places = _up_to_reach(surface, origin, d, far)
        least = np.abs(surface.sided(places.reshape(-1, 3))).reshape(places.shape[:2])
        closest = d[np.argsort(np.nan_to_num(least, nan=np.inf).min(axis=0))[:20]]
        d = (closest[:, None] + spread * sphere(40)).reshape(-1, 3)
        d /= np.linalg.norm(d, axis=1, keepdims=True)
        best = nearer(surface, origin, sign, _up_to_reach(surface, origin, d, far).reshape(-1, 3), best)
        if np.isfinite(best[0]):
            break
    return best


def _up_to_reach(surface: RodSurface, origin: Array, d: Array, far: float) -> Array:
    """Places (k, n, 3) on rays d (n, 3) as far as the legs close: some come to the surface only just before they do
    not."""
    low, high = np.zeros((len(d), 1)), np.full((len(d), 1), far)
    for _ in range(20):
        middle = (low + high) / 2
        with np.errstate(invalid="ignore"):
            closes = np.isfinite(surface.sided(origin + middle * d))[:, None]
        low, high = np.where(closes, middle, low), np.where(closes, high, middle)
    return np.asarray(origin + np.linspace(0.04, 1.0, 25)[:, None, None] * low * d)


def nearer(
    surface: SingularSurface, origin: Array, sign: float, centres: Array, best: tuple[float, Array]
) -> tuple[float, Array]:
    """The nearest place of the surface on segments to those centres that lie on its other side."""
    near = np.linalg.norm(centres - origin, axis=1)
    centres = centres[(near < 2 * best[0]) & (near > 0)]
    with np.errstate(invalid="ignore"):
        beyond = centres[surface.sided(centres) * sign < 0]
    if not len(beyond):
        return best
    beyond = beyond[np.argsort(np.linalg.norm(beyond - origin, axis=1))[:256]]
    low, high = np.zeros(len(beyond)), np.ones(len(beyond))
    for _ in range(54):
        middle = (low + high) / 2
        with np.errstate(invalid="ignore"):
            is_past = surface.sided(origin + middle[:, None] * (beyond - origin)) * sign < 0
        low, high = np.where(is_past, low, middle), np.where(is_past, middle, high)
    places = origin + high[:, None] * (beyond - origin)
    away = np.where(np.abs(surface.sided(places)) < TOUCHING, np.linalg.norm(places - origin, axis=1), np.inf)
    nearest = int(np.argmin(away))
    if not away[nearest] < best[0] * (1 - CLOSER):
        return best
    found = surface.first(origin, places[nearest] - origin)
    ray = (places[nearest] - origin) / away[nearest]
    return (found, origin + found * ray) if found < best[0] else best
