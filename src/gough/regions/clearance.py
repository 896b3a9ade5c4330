"""Clearance of legs: the distance of two rods at poses, and models of lower bounds of it over boxes.

Rods are segments: for any vector N their distance times |N| is at least the least N . (x - y) over their ends x and y.
N is linear in the pose. At a box's centre it is the unit vector between the nearest points; over the box it turns so
that it stays across both rods, to first order, where their nearest points are inside, and with the points themselves
where that is better at the farther ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gough.arrays import Array, Ints
from gough.limits import _margins as layout
from gough.limits._margins import LimitArrays
from gough.limits.quantities import HALF, Limited
from gough.limits.rods import Quantity, Rods, centre_of, dot
from gough.regions.models import Model

PARALLEL = 0.05
"""About the sine of the angle between rods below which no direction across both is followed."""
SAME = 1e-9
"""Relative difference of two distances that are equal but for rounding."""


class Segment(NamedTuple):
    """Rods (n,): driven points, platform joints, and the vectors between both (3, n)."""

    foot: Quantity
    d: Quantity
    head: Quantity

    @classmethod
    def of(cls, rods: Rods, where: tuple[Any, ...] = ()) -> Segment:
        """Return all rods, or some of them."""
        return cls(*(x[(slice(None), *where)] for x in (rods.foot, rods.d, rods.head)))


def pair_limits(limits: LimitArrays, k: Ints, first: Segment, second: Segment) -> Iterator[Limited]:
    """Return clearance of pairs of legs, number k (n,) at each pose: four quantities, one for each pair of ends."""
    return apart(layout.PAIR, limits.L[layout.LEG_RADIUS, limits.pairs[k]].sum(axis=-1), first, second)


def apart(place: int, thickness: Array, first: Segment, second: Segment) -> Iterator[Limited]:
    """Yield the distance of two segments at each pose less a thickness (n,): four quantities, one for each pair of
    ends."""
    s, t = nearest_points(*(centre_of(x) for x in (first.foot, first.d, second.foot, second.d)))
    if not isinstance(first.d, Model):
        away = first.foot + s * first.d - second.foot - t * second.d
        distance = np.sqrt(dot(away, away)) - thickness
        yield from (Limited(place, distance, lambda v: v) for _ in range(4))
        return
    N = _normals(first, second, s, t)
    most = np.sqrt(dot(N, N)) * thickness
    turned = np.sqrt((N.change**2).sum(axis=0))
    short, long = np.maximum(1 - turned - 1e-12, 1e-300), 1 + turned + 1e-12

    def margin(v: Array) -> Array:
        return v / np.where(v > 0, long, short)

    # The points that are nearest at the centre are nowhere nearer than the segments.
    points = first.foot * (1 - s) + first.head * s - second.foot * (1 - t) - second.head * t
    yield Limited(
        place,
        dot(N, first.foot - second.foot) - most,
        margin,
        HALF,
        lambda: dot(points, points) - thickness**2,
        is_exact=True,
    )
    for x, y in ((first.foot, second.head), (first.head, second.foot), (first.head, second.head)):
        yield Limited(place, dot(N, x - y) - most, margin)


def _normals(first: Segment, second: Segment, s: Array, t: Array) -> Model:
    """Vectors N (3, boxes), linear in the pose."""
    n = first.d.n
    away = first.foot * (1 - s) + first.head * s - second.foot * (1 - t) - second.head * t
    v = _linear(away)
    size = np.maximum(np.linalg.norm(v[:, :, 0], axis=1), 1e-300)[:, None]
    w = v[:, :, 0] / size
    inside = ((s > 0) & (s < 1), (t > 0) & (t < 1))
    with np.errstate(all="ignore"):
        rods = [
            _linear(d) * (k / np.linalg.norm(d.value, axis=0))[:, None, None]
            for d, k in zip((first.d, second.d), inside, strict=True)
        ]
    rods = np.nan_to_num(np.stack(rods, axis=1), posinf=0.0, neginf=0.0)  # (boxes, 2, 3, 1 + n)
    U, S, Vt = np.linalg.svd(rods[..., 0], full_matrices=False)
    V = Vt.swapaxes(1, 2) * (S > PARALLEL)[:, None]
    across = -(V / np.maximum(S, PARALLEL)[:, None]) @ U.swapaxes(1, 2) @ (w[:, None, None] @ rods[..., 1:])[:, :, 0]
    free = np.eye(3) - w[:, :, None] * w[:, None] - V @ V.swapaxes(1, 2)
    both = np.nan_to_num(np.stack([across, across + free @ v[:, :, 1:] / size[:, None]]), posinf=0.0, neginf=0.0)
    # The better one at the four pairs of ends, to first order.
    ends = [x + away * 0.0 - y for x in (first.foot, first.head) for y in (second.foot, second.head)]  # models all
    gaps = np.stack([_linear(end) for end in ends])
    slope = (w[:, None] @ gaps)[:, None, :, 0, 1:] + (gaps[:, None, :, None, :, 0] @ both)[..., 0, :]
    least = ((w[:, None] @ gaps[..., :1])[:, None, :, 0, 0] - np.abs(slope).sum(axis=-1)).min(axis=0)
    # At an end of a rod both may be the same to rounding, which must not choose.
    is_better = least[1] - least[0] > SAME * np.abs(least).max(axis=0)
    turn = np.where(is_better[:, None, None], both[1], both[0])
    c = np.zeros((len(away.c), *w.T.shape))
    c[0], c[1 : 1 + n] = w.T, turn.transpose(2, 1, 0)
    return Model(c, np.zeros(w.T.shape), np.abs(c).sum(axis=0), n)


def _linear(vectors: Model) -> Array:
    """Values and slopes (boxes, 3, 1 + n)."""
    return vectors.c[: 1 + vectors.n].transpose(2, 1, 0)


def nearest_points(p: Quantity, d: Quantity, q: Quantity, f: Quantity) -> tuple[Array, Array]:
    """Return parameters (n,) of the nearest points of segments p + s d and q + t f (3, n)."""
    r, a, e, b = p - q, dot(d, d), dot(f, f), dot(d, f)
    c, k = dot(d, r), dot(f, r)
    with np.errstate(all="ignore"):
        det = a * e - b * b
        s = np.where(det > 1e-12 * a * e, np.clip((b * k - c * e) / det, 0, 1), 0.0)
        free = (b * s + k) / e
        t = np.clip(free, 0, 1)
        return np.where(free != t, np.clip((t * b - c) / a, 0, 1), s), t
