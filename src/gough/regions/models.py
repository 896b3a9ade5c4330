"""Taylor models of second order in n variables on [-1, 1]^n, over arrays of boxes.

    f(x) = value + slope . x + x^T curvature x + e,   |e| <= remainder

A quantity of poses that is written with NumPy's arithmetic and `np.sqrt`, `np.sin`, `np.stack`, ... is computed at
poses with arrays, and enclosed over boxes of poses with `Model`s: models take part in these functions (Makino and Berz
2003, Int. J. Pure Appl. Math. 4; Neumaier 2003, Reliable Computing 9). Boxes are the last axis, so that vectors
(3, n), numbers (n,) and constants broadcast alike.

A product keeps the terms up to second order; with |f| the value, L and S bounds of the linear and the other terms,

    remainder(f g) = |f| r_g + |g| r_f + L_f S_g + S_f (L_g + S_g)

A function h of a model is its Taylor polynomial of second degree at the value, and a bound of h''' over the range.

Rounding: each operation adds `ROUND` times a bound `size` of the sum of the absolute terms to the remainder: 32 units
of rounding, where a coefficient has at most eight roundings. Remainders are sums of products of numbers of one sign, so
that their own roundings are relative: `WIDENED` covers a million of them where a model is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import factorial
from typing import Any

import numpy as np

from gough.arrays import Array, Bools, Ints

ROUND = 2.0**-48
"""Rounding of an operation, relative to the absolute terms of its operands."""
WIDENED = 1 + 1e-9
"""Factor of remainders for their own roundings."""
WIDER = 1 + 1e-9
"""Factor of half widths of boxes: covers the gaps that rounding leaves where boxes are halved."""
TERMS = 20
"""Terms of the series of sin(t) / t and (1 - cos(t)) / t^2: exact to rounding for angles up to sqrt(3) pi."""
FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""NumPy's functions of models."""


@cache
def pairs(n: int) -> tuple[Ints, Ints, Array]:
    """Return indices i <= j of the products x_i x_j in their order, and a factor 1/2 where both are the same."""
    i, j = np.triu_indices(n)
    return i, j, np.where(i == j, 0.5, 1.0)


class Model:
    """Quantities over boxes.

    Attributes
    ----------
    c : (1 + n + n (n + 1) / 2, ..., boxes) array
        Coefficients of 1, x_i and x_i x_j, i <= j; of models of first order (1 + n, ..., boxes).
    r, size : (..., boxes) array
        Remainder; bound of the sum of the absolute terms, for rounding.
    n : int

    """

    __slots__ = ("_spread", "c", "n", "r", "size")

    def __init__(self, c: Array, r: Array, size: Array, n: int) -> None:
        self.c, self.r, self.size, self.n = c, r, size, n
        self._spread: tuple[Array, Array] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the quantity, with the boxes' axis."""
        return self.r.shape

    @property
    def ndim(self) -> int:
        """Number of these axes."""
        return self.r.ndim

    @property
    def value(self) -> Array:
        """At the boxes' centres."""
        return self.c[0]

    @property
    def is_linear(self) -> bool:
        """Whether only terms of first order are kept: those of the second are in the remainder."""
        return len(self.c) == 1 + self.n

    @property
    def spread(self) -> tuple[Array, Array]:
        """Bounds of the linear terms, and of all others but the value."""
        if self._spread is None:
            size = np.abs(self.c[1:])
            self._spread = size[: self.n].sum(0), size[self.n :].sum(0) + self.r
        return self._spread

    @property
    def change(self) -> Array:
        """Bound of the change from the value."""
        linear, rest = self.spread
        return (linear + rest) * WIDENED

    def __len__(self) -> int:
        return len(self.r)

    def __getitem__(self, key: Any) -> Model:
        key = key if isinstance(key, tuple) else (key,)
        return Model(self.c[(slice(None), *key)], self.r[key], self.size[key], self.n)

    def with_axes(self, ndim: int) -> Model:
        """Add axes of length one in front, as arrays broadcast."""
        more = ndim - self.ndim
        if more <= 0:
            return self
        front = (None,) * more
        return Model(self.c[(slice(None), *front)], self.r[front], self.size[front], self.n)

    def sum(self, axis: int) -> Model:
        """Sum over an axis, counted from the front."""
        size = self.size.sum(axis)
        return Model(self.c.sum(axis + 1), self.r.sum(axis) + ROUND * size, size, self.n)

    def swapaxes(self, first: int, second: int) -> Model:
        """Exchange two axes."""
        arrays = self.c.swapaxes(first + 1, second + 1), self.r.swapaxes(first, second)
        return Model(*arrays, self.size.swapaxes(first, second), self.n)

    def unknown_where(self, where: Bools) -> Model:
        """Remove the bounds in some boxes."""
        return Model(self.c, np.where(where, np.inf, self.r), self.size, self.n)

    def widened(self, by: Array | float) -> Model:
        """Widen the remainders."""
        return Model(self.c, self.r + by, self.size, self.n)

    def within(self, low: Array | float, high: Array | float) -> Model:
        """Remove the bounds in boxes that may hold values outside of an interval."""
        inside = (self.value - self.change > low) & (self.value + self.change < high)
        return self.unknown_where(~inside)

    def enclosed(self, value: Array, first: Array, half_second: Array, rest: Array) -> Model:
        """Return a function of the model, from its value and derivatives there and a bound `rest` of its departure from
        the polynomial of second degree."""
        i, j, factor = pairs(self.n)
        linear, others = self.spread
        slope, a, b = self.c[1 : 1 + self.n], np.abs(first), np.abs(half_second)
        c = first * self.c
        c[0] = value
        size = np.abs(value) + a * (np.abs(self.value) + linear + others) + b * linear * linear
        r = a * self.r + b * (2 * linear + others) * others + rest + ROUND * size
        if self.is_linear:
            r += b * linear * linear
        else:
            c[1 + self.n :] += slope[i] * slope[j] * (2 * half_second * _column(factor, slope))
        return Model(c, np.where(np.isfinite(r), r, np.inf), size, self.n)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **how: Any) -> Any:
        if method != "__call__" or how or ufunc not in FUNCTIONS:
            return NotImplemented
        with np.errstate(all="ignore"):
            return FUNCTIONS[ufunc](*inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, how: Any) -> Any:
        return FUNCTIONS[function](*args, **how) if function in FUNCTIONS else NotImplemented

    def __neg__(self) -> Model:
        return Model(-self.c, self.r, self.size, self.n)

    def __add__(self, other: Any) -> Model:
        return _add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Model:
        return _add(self, -other)

    def __rsub__(self, other: Any) -> Model:
        return _add(-self, other)

    def __mul__(self, other: Any) -> Model:
        return _multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Model:
        return _multiply(self, reciprocal(other) if isinstance(other, Model) else 1 / np.asarray(other))

    def __rtruediv__(self, other: Any) -> Model:
        return _multiply(reciprocal(self), other)


def variables(centre: Array, half: Array, *, is_linear: bool = False) -> Model:
    """Return the coordinates (n, boxes) themselves, over boxes with centres and half widths (n, boxes)."""
    n, count = centre.shape
    c = np.zeros((1 + n if is_linear else (1 + n) * (2 + n) // 2, n, count))
    c[0], c[1 + np.arange(n), np.arange(n)] = centre, half
    return Model(c, np.zeros((n, count)), np.abs(centre) + half, n)


def centre_of(quantity: Any) -> Array:
    """Return values at the boxes' centres, of a model or of an array."""
    return quantity.value if isinstance(quantity, Model) else quantity


def times_matrices(left: Array, model: Model, right: Array) -> Model:
    """Return products A M B of matrices of models (k, l, boxes) with arrays A (boxes, i, k) and B (boxes, l, j)."""
    c = np.moveaxis(model.c, -1, 0)
    a, b = np.abs(left), np.abs(right)
    size = a @ np.moveaxis(model.size, -1, 0) @ b
    r = a @ np.moveaxis(model.r, -1, 0) @ b + 4 * ROUND * size
    return Model(
        np.moveaxis(left[:, None] @ c @ right[:, None], 0, -1), np.moveaxis(r, 0, -1), np.moveaxis(size, 0, -1), model.n
    )


def bounded_solution(W: Array, b: Array, known: Bools) -> tuple[Array, Bools]:
    """Return upper bounds of (1 - W)^-1 b for matrices W and b (n, k, l) that are not negative, and where these are
    known.

    1 - W is an M-matrix if it maps a positive vector to a positive one. A vector that it maps to b or more is then no
    less than the solution, however the vector was computed.
    """
    one = np.ones((*b.shape[:2], 1))
    A = np.eye(W.shape[1]) - W
    try:
        v = np.linalg.solve(A, np.concatenate([one, b], axis=2))
    except np.linalg.LinAlgError:  # an eigenvalue of W is one, in some box
        v = np.linalg.pinv(A) @ np.concatenate([one, b], axis=2)
    positive, found = v[:, :, :1], v[:, :, 1:]
    found = found * WIDENED + positive * (1e-12 * b.max(axis=1, keepdims=True))
    known = known & (positive > 0).all(axis=(1, 2)) & (positive - W @ positive > 0.5).all(axis=(1, 2))
    return found, known & (found - W @ found >= b).all(axis=(1, 2))


def _column(numbers: Array, model: Array) -> Array:
    """Numbers (k,) to multiply the first axis of an array."""
    return numbers.reshape(-1, *[1] * (model.ndim - 1))


def _numpy(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Use a function where NumPy's is called with models."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for each in functions:
            FUNCTIONS[each] = function
        return function

    return register


@_numpy(np.add)
def _add(f: Any, g: Any) -> Model:
    if not isinstance(f, Model):
        f, g = g, f
    if isinstance(g, Model):
        f, g = f.with_axes(g.ndim), g.with_axes(f.ndim)
        size = f.size + g.size
        return Model(f.c + g.c, f.r + g.r + ROUND * size, size, f.n)
    g = np.asarray(g, dtype=float)
    f = f.with_axes(g.ndim)
    size = f.size + np.abs(g)
    c = np.array(np.broadcast_to(f.c, (len(f.c), *size.shape)))
    c[0] += g
    return Model(c, f.r + ROUND * size, size, f.n)


@_numpy(np.subtract)
def _subtract(f: Any, g: Any) -> Model:
    return _add(f, -g)


@_numpy(np.multiply)
def _multiply(f: Any, g: Any) -> Model:
    if not isinstance(f, Model):
        f, g = g, f
    if not isinstance(g, Model):
        g = np.asarray(g, dtype=float)
        f, a = f.with_axes(g.ndim), np.abs(g)
        size = f.size * a
        return Model(f.c * g, f.r * a + ROUND * size, size, f.n)
    f, g = f.with_axes(g.ndim), g.with_axes(f.ndim)
    n, (i, j, factor) = f.n, pairs(f.n)
    (f1, f2), (g1, g2), a, b = f.spread, g.spread, np.abs(f.value), np.abs(g.value)
    c = f.value * g.c
    c += g.value * f.c
    c[0] = f.value * g.value
    size = (a + f1 + f2) * (b + g1 + g2)
    r = a * g.r + b * f.r + f1 * g2 + f2 * (g1 + g2) + ROUND * size
    if f.is_linear:
        return Model(c, r + f1 * g1, size, n)
    p, q = f.c[1 : 1 + n], g.c[1 : 1 + n]
    both = p[i] * q[j]
    both += p[j] * q[i]
    both *= _column(factor, both)
    c[1 + n :] += both
    return Model(c, r, size, n)


@_numpy(np.einsum)
def _weighted(_: str, f: Model, g: Array) -> Model:
    """Products "ij...,j...->i..." of matrices of models with vectors of numbers."""
    a = np.abs(g)
    size = _times_vectors(f.size, a)
    return Model(_times_vectors(f.c, g), _times_vectors(f.r, a) + 2 * ROUND * size, size, f.n)


def _times_vectors(A: Array, v: Array) -> Array:
    """Products of matrices A (..., 3, 3, *axes, boxes) with vectors v (3, *axes, boxes), whose axes broadcast."""
    if v.shape[-1] == 1 and v.ndim == 3 and A.shape[-2] == 1:
        return np.asarray(v[:, :, 0].T @ A[..., 0, :])
    columns = np.moveaxis(A, A.ndim - v.ndim, 0)
    return np.asarray(sum(column * part for column, part in zip(columns, v, strict=True)))


@_numpy(np.true_divide)
def _divide(f: Any, g: Any) -> Model:
    return f / g if isinstance(f, Model) else reciprocal(g) * f


@_numpy(np.negative)
def _negative(f: Model) -> Model:
    return -f


@_numpy(np.square)
def _square(f: Model) -> Model:
    return f * f


@_numpy(np.stack)
def _stack(parts: Sequence[Any]) -> Model:
    """Quantities of one shape along a new first axis."""
    return _join([_with_front(part) for part in parts])


def _with_front(part: Any) -> Any:
    if isinstance(part, Model):
        return Model(part.c[:, None], part.r[None], part.size[None], part.n)
    return np.asarray(part)[None]


@_numpy(np.concatenate)
def _join(parts: Sequence[Any]) -> Model:
    """Quantities along their first axis."""
    one = next(part for part in parts if isinstance(part, Model))
    shape = np.broadcast_shapes(*(part.shape[1:] for part in parts))
    count = sum(len(part) for part in parts)
    c, r, size = np.zeros((len(one.c), count, *shape)), np.zeros((count, *shape)), np.zeros((count, *shape))
    first = 0
    for part in parts:
        to = slice(first, first := first + len(part))
        if isinstance(part, Model):
            c[:, to], r[to], size[to] = part.c, part.r, part.size
        else:
            c[0, to], size[to] = part, np.abs(part)
    return Model(c, r, size, one.n)


@_numpy(np.where)
def _where(which: Bools, f: Model, g: Model) -> Model:
    """The one or the other in each box."""
    return Model(np.where(which, f.c, g.c), np.where(which, f.r, g.r), np.where(which, f.size, g.size), f.n)


@_numpy(np.sqrt)
def sqrt(f: Model) -> Model:
    """Return the square root where f >= 0, in the part of each box where that holds: the polynomial at the centre, or,
    where f comes near zero, the middle of the chord and the tangent that is parallel to it; of a box whose centre is
    outside, the middle of the range."""
    with np.errstate(all="ignore"):
        v, d = f.value, f.change
        s, t = np.sqrt(v), np.sqrt(v - d)
        near = f.enclosed(s, 0.5 / s, -0.125 / s**3, d**3 * (3 * s + t) / (2 * s * (s + t)) ** 3)
        low, high = np.sqrt(np.maximum(v - d, 0.0)), np.sqrt(np.maximum(v + d, 1e-300))
        is_out = v < 0
        slope = np.where(is_out, 0.0, 1 / (low + high))
        gap = np.where(is_out, high, (high - low) ** 2 * slope / 4)
        c = slope * f.c
        c[0] = low + slope * (v - low**2) + gap / 2
        size = high + slope * f.size
        r = slope * f.r + gap / 2 + ROUND * size
        chord = ~((v - d > 0) & (near.r <= r))
    return Model(np.where(chord, c, near.c), np.where(chord, r, near.r), np.where(chord, size, near.size), f.n)


@_numpy(np.reciprocal)
def reciprocal(f: Model) -> Model:
    """1 / f; unknown where f may vanish."""
    with np.errstate(all="ignore"):
        per, least = 1 / f.value, np.abs(f.value) - f.change
        found = f.enclosed(per, -per * per, per**3, f.change**3 * np.abs(per) ** 3 / least)
    return found.unknown_where(~(least > 0))


@_numpy(np.sin)
def sin(f: Model) -> Model:
    """Sine."""
    s, c = np.sin(f.value), np.cos(f.value)
    return f.enclosed(s, c, -s / 2, f.change**3 / 6 + ROUND)


@_numpy(np.cos)
def cos(f: Model) -> Model:
    """Compute the cosine."""
    s, c = np.sin(f.value), np.cos(f.value)
    return f.enclosed(c, -s, -c / 2, f.change**3 / 6 + ROUND)


@_numpy(np.arctan2)
def arctan2(y: Model, x: Model) -> Model:
    """Return the angle of points of the unit circle about (1, 0): the arc sine of y; unknown where x may be zero or
    less."""
    with np.errstate(all="ignore"):
        v, most = y.value, np.abs(y.value) + y.change
        c = np.sqrt(1 - v * v)
        third = (1 + 2 * most * most) / np.sqrt(1 - most * most) ** 5
        found = y.enclosed(np.arcsin(v), 1 / c, 0.5 * v / c**3, y.change**3 / 6 * third)
    return found.unknown_where(~((most < 1) & (x.value - x.change > 0)))


@cache
def _series() -> Array:
    """Coefficients (6, TERMS) by powers of s = t^2 of sin(t) / t, (1 - cos(t)) / t^2 and two derivatives of each."""
    rows = []
    for first in (1, 2):
        a = np.array([(-1) ** k / factorial(2 * k + first) for k in range(TERMS + 2)])
        once = a[1:] * np.arange(1, TERMS + 2)
        rows += [a[:TERMS], once[:TERMS], once[1:] * np.arange(1, TERMS + 1)]
    return np.array(rows)


def rotation_factors(s: Any) -> tuple[Any, Any]:
    """Return sin(t) / t and (1 - cos(t)) / t^2 by s = t^2, arrays or models: entire functions, whose derivatives by s
    are largest at zero; the third ones are 1 / 840 and 1 / 6720 there."""
    v = centre_of(s)
    a, a1, a2, b, b1, b2 = np.tensordot(_series(), v[None] ** _column(np.arange(float(TERMS)), v[None]), 1)
    if not isinstance(s, Model):
        return a, b
    # Terms of alternating signs: their absolute sum is below cosh(t).
    rest, rounding = s.change**3 / 6, ROUND * np.cosh(np.sqrt(np.abs(v))) * (1 + s.change) ** 2
    return s.enclosed(a, a1, a2 / 2, rest / 840 + rounding), s.enclosed(b, b1, b2 / 2, rest / 6720 + rounding)
