"""Lower bounds of quadratic functions over boxes and ellipsoids, and where such a function can be below zero.

With prices t >= 0 of leaving the box and s >= 0 of leaving an ellipsoid, x in the box's half widths,

    f(x) >= f(x) + sum t_j (x_j^2 - 1) + s (|o + k x|^2 - 1)        (weak duality)

The right side has one minimum where M = H + 2 diag(t + s k^2) is positive definite: B, at y = -M^-1 (g + 2 s k o).
Each place where f < 0 therefore has

    t_j (1 - x_j^2) < -B        (x_j - y_j)^2 < -2 B (M^-1)_jj
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions.cells import EPS, WIDER, Cells
from gough.regions.shapes import PoseRegion

ROUNDS = 12
"""In which the prices are bettered."""
CLOSE = 1.0
"""Part of a minimum below zero, beside which its bound is not bettered."""
FIRST_PRICE, FIRST_BARRIER, FALL, STEP = 0.001, 0.001, (0.1, 0.5), 0.9
"""Parts of the slope that prices have at the least, and the barrier's weight, to begin with; parts of that weight after
whole steps and others; how far a step goes, as a part of that to where M may be singular or a price zero."""
TINY = 1e-60
"""Changes of functions over boxes that are none."""
SOUND = 1e-6
"""Least eigenvalue of M, as a part of its largest entry: some 1e9 roundings."""
_ROWS = np.arange(6)


class Quadratic(NamedTuple):
    """Functions of n boxes, f >= value + slope . z + z . curve z / 2 - rest with z from each box's centre to the places
    of box and region: (n,), (n, 6), (n, 6, 6) and (n,)."""

    value: Array
    slope: Array
    curve: Array
    rest: Array


class Least(NamedTuple):
    """Lower bounds (n,) of functions; what encloses the places where each is below zero; where its minimum is near, and
    what of the bound is lost along each coordinate (n, 6)."""

    lower: Array
    left: Cells
    near: Array
    loss: Array


class _Dual(NamedTuple):
    """The right side at its minimum y (n, 6): its value, prices of the box (n, 6), the diagonal of M^-1, and y."""

    value: Array
    price: Array
    spread: Array
    y: Array


def least_values(region: PoseRegion, cells: Cells, functions: Quadratic) -> Least:
    """Lower bounds of functions over boxes and region, one of each box; sharpened until they are above zero."""
    half = cells.half * WIDER
    g = functions.slope * half
    H = functions.curve * half[:, :, None] * half[:, None, :]
    f = functions.value - functions.rest
    first, second = np.abs(g).sum(axis=-1), np.abs(H).sum(axis=(-1, -2))
    size = np.abs(functions.value) + first + second
    lower = f - first - second / 2 - 16 * EPS * size
    best = _Dual(np.full_like(f, -np.inf), np.zeros_like(g), np.full_like(g, np.inf), np.zeros_like(g))
    at = np.flatnonzero(~(lower >= 0) & np.isfinite(size + f) & (first > TINY))
    work = _Work.of(region, cells, f, g, H, half, at) if len(at) else None
    for _ in range(ROUNDS):
        if work is None:
            break
        dual, better = _bettered(work)
        for array, new in zip(best, dual, strict=True):
            array[at] = new  # any prices are true, and the last ones the best but for little
        lower[at] = least = np.maximum(lower[at], dual.value)
        x = _inside(work, dual.y)
        reached = work.f + (x * (work.g + (work.H @ x[..., None])[..., 0] / 2)).sum(axis=-1)
        is_open = (least < 0) & (reached - least >= CLOSE * -reached)
        at, work = at[is_open], better.chosen(is_open) if is_open.any() else None
    near = np.clip(best.y, -1.0, 1.0)
    return Least(lower, _left(cells, half, best), cells.centre + near * half, best.price * (1 - near**2))


class _Work(NamedTuple):
    """Functions in the boxes' half widths; constraints |x_j| <= 1 and |o + k x| <= 1 as (a x x / 2 + c x)(n, m, 6) less
    `room` (n, m), their prices (n, m), and the weight (n,) of a barrier that keeps them off their ends."""

    f: Array
    g: Array
    H: Array
    a: Array
    c: Array
    room: Array
    prices: Array
    barrier: Array

    @classmethod
    def of(cls, region: PoseRegion, cells: Cells, f: Array, g: Array, H: Array, half: Array, at: Ints) -> _Work:
        g, H, half, off = g[at], H[at], half[at], cells.centre[at] - region.centre
        groups = [cols for cols in region.together if region.half[cols].any()]
        a, c = np.zeros((2, len(at), 6 + len(groups), 6))
        a[:, :6] = 2 * np.eye(6)
        room, prices = np.ones(a.shape[:2]), np.empty(a.shape[:2])
        x = -np.sign(g)
        for row, cols in enumerate(groups, 6):
            r = region.half[cols] * WIDER
            per = np.where(r > 0, 1 / np.where(r > 0, r, 1.0), 0.0)
            k, o = half[:, cols] * per, off[:, cols] * per
            a[:, row, cols], c[:, row, cols] = 2 * k**2, 2 * k * o
            room[:, row] = 1 - np.sum(o**2, axis=-1)
            slope = np.where(k > 0, g[:, cols] / np.where(k > 0, k, 1.0), 0.0)
            length = np.linalg.norm(slope, axis=-1)
            is_outer = np.abs(g[:, cols]).sum(axis=-1) - np.sum(slope * o, axis=-1) > length
            place = -slope / np.maximum(length, 1e-300)[:, None] - o
            place = np.clip(np.where(k > 0, place / np.where(k > 0, k, 1.0), 0.0), -1.0, 1.0)
            x[:, cols] = np.where(is_outer[:, None], place, x[:, cols])
            prices[:, row] = np.where(is_outer, length / 2, 0.0)
        y = g + (H @ x[..., None])[..., 0]
        top = (np.abs(g) + np.abs(y)).max(axis=-1, initial=0.0) + np.abs(H).max(axis=(-1, -2), initial=0.0) + 1e-300
        prices[:, :6] = np.maximum(-y * x, 0.0) / 2
        for row, cols in enumerate(groups, 6):
            prices[:, cols] = np.where(prices[:, row, None] > 0, 0.0, prices[:, cols])
        prices += FIRST_PRICE * top[:, None]
        lowest = np.linalg.eigvalsh(_priced(H, a, prices))[:, 0]
        prices[:, :6] += np.maximum(FIRST_PRICE * top - lowest, 0.0)[:, None]
        return cls(f[at], g, H, a, c, room, prices, FIRST_BARRIER * top)

    def chosen(self, which: Bools) -> _Work:
        return self if which.all() else _Work(*(array[which] for array in self))


def _inside(work: _Work, y: Array) -> Array:
    """Places (n, 6) in the boxes, and nearer the ellipsoids."""
    x = np.clip(y, -1.0, 1.0)
    for row in range(6, work.a.shape[1]):
        k, c = np.sqrt(work.a[:, row] / 2), work.c[:, row]
        o = np.where(k > 0, c / np.where(k > 0, 2 * k, 1.0), 0.0)
        norm = np.linalg.norm(o + k * x, axis=-1, keepdims=True)
        moved = (o + k * x) / np.maximum(norm, 1.0) - o
        x = np.where(k > 0, np.clip(moved / np.where(k > 0, k, 1.0), -1.0, 1.0), x)
    return x


def _bettered(work: _Work) -> tuple[_Dual, _Work]:
    """The bound at these prices, and a Newton step towards better ones (Boyd and Vandenberghe 2004, section 11.3)."""
    f, g, H, a, c, room, prices, barrier = work
    b = g + (prices[:, None] @ c)[:, 0]
    M = _priced(H, a, prices)
    top = np.abs(M).max(axis=(-1, -2))
    is_definite, inverse = _inverses(M, SOUND * top)
    y = -(inverse @ b[..., None])[..., 0]
    My = (M @ y[..., None])[..., 0]
    error = ((My + b) ** 2).sum(axis=-1) / (SOUND / 2 * top)
    terms = np.abs(f) + (np.abs(y) * (np.abs(My) + np.abs(b))).sum(axis=-1) + (prices * (2 - room)).sum(axis=-1)
    value = f - (prices * room).sum(axis=-1) + (y * (My / 2 + b)).sum(axis=-1) - error - 64 * EPS * terms
    value[~is_definite] = -np.inf
    dual = _Dual(value, prices[:, :6], inverse[:, _ROWS, _ROWS], y)
    v = a * y[:, None] + c
    squares = a @ inverse**2 @ np.swapaxes(a, 1, 2)
    per, weight = 1 / prices, barrier[:, None]
    slope = ((v + c) * y[:, None]).sum(axis=-1) / 2 - room + weight * ((a @ dual.spread[..., None])[..., 0] + per)
    curve = v @ inverse @ np.swapaxes(v, 1, 2) + weight[..., None] * squares
    rows = np.arange(prices.shape[1])
    curve[:, rows, rows] += weight * per**2
    step = np.linalg.solve(curve, slope[..., None])[..., 0]
    moved = np.sqrt(np.abs(step[:, None] @ squares @ step[..., None])[:, 0, 0])  # of M, as a part of it
    far = np.maximum(moved, (-step * per).max(axis=-1))
    prices = prices + step * np.minimum(1.0, STEP / np.maximum(far, 1e-300))[:, None]
    return dual, work._replace(prices=prices, barrier=barrier * np.where(far < STEP, *FALL))


def _priced(H: Array, a: Array, prices: Array) -> Array:
    """M (n, 6, 6) at prices."""
    M = H.copy()
    M[:, _ROWS, _ROWS] += (prices[:, None] @ a)[:, 0]
    return M


def _inverses(M: Array, least: Array) -> tuple[Bools, Array]:
    """Which symmetric matrices (n, 6, 6) have no eigenvalue below half of `least` (n,), and inverses of these.

    A Cholesky factorisation that ends is that of a matrix some tens of roundings away (Higham 2002, theorem 10.3).
    """
    is_definite: Bools = np.ones(len(M), dtype=bool)
    try:
        np.linalg.cholesky(M - least[:, None, None] * np.eye(6))
    except np.linalg.LinAlgError:  # it says not of which
        is_definite = np.linalg.eigvalsh(M)[:, 0] > least
        M = np.where(is_definite[:, None, None], M, np.eye(6))
    return is_definite, np.asarray(np.linalg.inv(M))


def _left(cells: Cells, half: Array, dual: _Dual) -> Cells:
    """What encloses the places where the functions are below zero."""
    spare = np.where(np.isfinite(dual.value), np.maximum(-dual.value, 0.0), np.inf)[:, None]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = np.sqrt(2 * spare * dual.spread) * WIDER
        inner = np.sqrt(np.maximum(1 - spare / dual.price, 0.0)) / WIDER  # |x| is above
    inner = np.where(np.isfinite(inner), inner, 0.0)
    low, high = np.fmax(dual.y - far, -1.0), np.fmin(dual.y + far, 1.0)
    low = np.where((low > -inner) & (inner > 0), np.maximum(low, inner), low)
    high = np.where((high < inner) & (inner > 0), np.minimum(high, -inner), high)
    return Cells(cells.centre + (low + high) / 2 * half, np.maximum(high - low, 0.0) / 2 * half)
