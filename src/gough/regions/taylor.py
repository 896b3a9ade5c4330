"""Taylor models of second order over boxes: enclosures of composed quantities, truncation and rounding included.

A model of f over a box about c, of half widths h, encloses f: for every c + x of the box

    |f(c + x) - value - gradient . x - x . hessian x / 2| <= remainder

Sums, products and smooth functions of models are models (Makino and Berz 2003). With r the remainders,
L = |gradient| h the largest change of the linear part, S = h |hessian| h / 2 + r that of all else, and D = L + S,
products and functions have the remainders

    f g     r_f |g| + |f| r_g + L_f S_g + S_f L_g + S_f S_g
    h(f)    |h_f| r_f + |h_ff| (L S + S^2 / 2) + the largest departure of h from its quadratic part within D

and every operation adds its rounding error. A remainder that is not finite means that no enclosure is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.regions._taylor import FIRST, REMAINDER, ROUND, SECOND

NEXT, AFTER = [1, 2, 0], [2, 0, 1]
"""Components of a vector product: x_next y_after - x_after y_next."""


@dataclass(frozen=True, eq=False)
class Model:
    """Quantities over n boxes.

    Attributes
    ----------
    value : (n, ...) array
        At the boxes' centres.
    gradient : (n, ..., 6) array
        Gradients by the coordinates.
    hessian : (n, ..., 6, 6) array
        Hessians, symmetric.
    remainder : (n, ...) array
        Bounds of the remainders.
    half : (n, 6) array
        Half widths of the boxes.

    """

    value: Array
    gradient: Array
    hessian: Array
    remainder: Array
    half: Array

    @classmethod
    def linear(cls, value: Array, gradient: Array, remainder: Array, half: Array) -> Model:
        """Quantities that are linear but for a remainder."""
        return cls(value, gradient, np.zeros((*gradient.shape, 6)), remainder, half)

    @classmethod
    def constant(cls, value: Array, half: Array) -> Model:
        """Quantities (n, ...) that are constant over each box."""
        return cls.linear(value, np.zeros((*value.shape, 6)), np.zeros(value.shape), half)

    @classmethod
    def joined(cls, models: Sequence[Model], axis: int) -> Model:
        """Models one after the other along an axis."""
        parts = zip(*(model.parts for model in models), strict=True)
        return models[0]._of(np.concatenate(part, axis=axis) for part in parts)

    @property
    def parts(self) -> tuple[Array, Array, Array, Array]:
        """Values, gradients, Hessians and remainders; the axes of the quantities come first in all of them."""
        return self.value, self.gradient, self.hessian, self.remainder

    def _of(self, parts: Iterable[Array]) -> Model:
        """Other quantities over the same boxes."""
        value, gradient, hessian, remainder = parts
        return Model(value, gradient, hessian, remainder, self.half)

    @cached_property
    def linear_variation(self) -> Array:
        """L, the variation of the linear part (n, ...)."""
        n = len(self.half)
        return np.asarray((np.abs(self.gradient).reshape(n, -1, 6) @ self.half[:, :, None]).reshape(self.value.shape))

    @cached_property
    def nonlinear_variation(self) -> Array:
        """S, a bound of the departure from the linear part (n, ...)."""
        n = len(self.half)
        squares = (self.half[:, :, None] * self.half[:, None, :]).reshape(n, 36, 1)
        return np.asarray(
            (np.abs(self.hessian).reshape(n, -1, 36) @ squares).reshape(self.value.shape) / 2 + self.remainder
        )

    @cached_property
    def change(self) -> Array:
        """D, a bound of the departure from the values at the centres (n, ...)."""
        return np.asarray(self.linear_variation + self.nonlinear_variation)

    @property
    def closeness(self) -> Array:
        """Lower bounds relative to the largest amount of the linear part (n, ...), 1 at best, to compare models."""
        return np.asarray((self.value - self.change) / (np.abs(self.value) + self.linear_variation))

    def remainder_share(self, weight: Array) -> Array:
        """Share of remainders of third order by each coordinate (n, 6), whose `weight` (6,) is how far it moves
        joints."""
        cubes = (self.half * weight) ** 3
        return np.asarray(cubes / np.maximum(cubes.sum(axis=1, keepdims=True), 1e-300))

    @property
    def size(self) -> Array:
        """Upper bounds of the amounts (n, ...)."""
        return np.asarray(np.abs(self.value) + self.change)

    def __getitem__(self, key: Any) -> Model:
        """Quantities by an index of the first axes, which keeps all boxes."""
        return self._of(part[key] for part in self.parts)

    def chosen(self, last: Sequence[int] | slice | None) -> Model:
        """Quantities by an index of the last axis; None adds an axis of length one."""
        gradient, hessian = self.gradient[..., last, :], self.hessian[..., last, :, :]
        return Model(self.value[..., last], gradient, hessian, self.remainder[..., last], self.half)

    def boxes(self, which: Ints) -> Model:
        """The quantities over some of the boxes."""
        return Model(*(part[which] for part in (*self.parts, self.half)))

    @property
    def transposed(self) -> Model:
        """Transposes of matrices (n, k, m)."""
        return self._of(np.swapaxes(part, 1, 2) for part in self.parts)

    @property
    def column(self) -> Model:
        """The quantities with one more axis of length one at the end, to scale vectors."""
        return self.chosen(None)

    def __neg__(self) -> Model:
        return Model(-self.value, -self.gradient, -self.hessian, self.remainder, self.half)

    def __add__(self, other: Model | Array | float) -> Model:
        if isinstance(other, Model):
            remainder = self.remainder + other.remainder + ROUND * (self.size + other.size)
            gradient, hessian = self.gradient + other.gradient, self.hessian + other.hessian
            return Model(self.value + other.value, gradient, hessian, remainder, self.half)
        value = self.value + other
        gradient = np.broadcast_to(self.gradient, (*value.shape, 6))
        hessian = np.broadcast_to(self.hessian, (*value.shape, 6, 6))
        return Model(value, gradient, hessian, self.remainder + ROUND * (self.size + np.abs(other)), self.half)

    def __sub__(self, other: Model | Array | float) -> Model:
        return self + (-other)

    def __mul__(self, other: Model | Array | float) -> Model:
        if isinstance(other, Model):
            # Products up to second order are kept; L_f L_g is among them, in the Hessian's outer products.
            f, g = self.value[..., None], other.value[..., None]
            outer = self.gradient[..., :, None] * other.gradient[..., None, :]
            hessian = self.hessian * g[..., None] + other.hessian * f[..., None] + outer + np.swapaxes(outer, -1, -2)
            remainder = self.remainder * np.abs(other.value) + other.remainder * np.abs(self.value)
            remainder = (
                remainder
                + self.linear_variation * other.nonlinear_variation
                + self.nonlinear_variation * other.change
                + ROUND * self.size * other.size
            )
            return Model(
                self.value * other.value, self.gradient * g + other.gradient * f, hessian, remainder, self.half
            )
        by = np.asarray(other, dtype=float)
        remainder = (self.remainder + ROUND * self.size) * np.abs(by)
        return Model(
            self.value * by, self.gradient * by[..., None], self.hessian * by[..., None, None], remainder, self.half
        )

    def sum(self, axis: int) -> Model:
        """Sums along an axis, counted from the front."""
        count = self.value.shape[axis]
        remainder = (self.remainder + count * ROUND * self.size).sum(axis=axis)
        value, gradient, hessian = (part.sum(axis=axis) for part in (self.value, self.gradient, self.hessian))
        return Model(value, gradient, hessian, remainder, self.half)

    def dot(self, other: Model | Array) -> Model:
        """Scalar products along the last axis."""
        if not isinstance(other, Model):
            # Matrix products with a row in place of sums over an axis: several times faster.
            by = np.broadcast_to(other, np.broadcast_shapes(self.value.shape, np.shape(other)))[..., None, :]
            hessian = (by @ self.hessian.reshape(*self.value.shape, 36))[..., 0, :]
            remainder = np.sum(
                (self.remainder + (by.shape[-1] + 1) * ROUND * self.size) * np.abs(by[..., 0, :]), axis=-1
            )
            value, gradient = np.sum(self.value * by[..., 0, :], axis=-1), (by @ self.gradient)[..., 0, :]
            return Model(value, gradient, hessian.reshape(*value.shape, 6, 6), remainder, self.half)
        f, g = self.value[..., None, :], other.value[..., None, :]
        outer = np.swapaxes(self.gradient, -1, -2) @ other.gradient
        value, gradient = np.sum(self.value * other.value, axis=-1), (g @ self.gradient + f @ other.gradient)[..., 0, :]
        parts = (row @ model.hessian.reshape(*model.value.shape, 36) for row, model in ((g, self), (f, other)))
        hessian = (
            sum(part[..., 0, :].reshape(*value.shape, 6, 6) for part in parts) + outer + np.swapaxes(outer, -1, -2)
        )
        remainder = self.remainder * np.abs(other.value) + other.remainder * np.abs(self.value)
        remainder = (
            remainder + self.linear_variation * other.nonlinear_variation + self.nonlinear_variation * other.change
        )
        rounded = (self.value.shape[-1] + 1) * ROUND * self.size * other.size
        return Model(value, gradient, np.asarray(hessian), np.sum(remainder + rounded, axis=-1), self.half)

    def cross(self, other: Model | Array) -> Model:
        """Vector products along the last axis."""
        if isinstance(other, Model):
            return self.chosen(NEXT) * other.chosen(AFTER) - self.chosen(AFTER) * other.chosen(NEXT)
        K = np.zeros((*np.shape(other), 3))  # x cross other = K x
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            K[..., i, j], K[..., j, i] = other[..., k], -other[..., k]
        hessian = (K @ self.hessian.reshape(*self.value.shape, 36)).reshape(*self.gradient.shape, 6)
        remainder = (np.abs(K) @ (self.remainder + 2 * ROUND * self.size)[..., None])[..., 0]
        return Model((K @ self.value[..., None])[..., 0], K @ self.gradient, hessian, remainder, self.half)

    def left_times(self, C: Array) -> Model:
        """Products of matrices of numbers C (n, k, m) with columns or matrices (n, m, ...)."""

        def times(by: Array, part: Array) -> Array:
            return (by @ part.reshape(*part.shape[:2], -1)).reshape(*by.shape[:2], *part.shape[2:])

        remainder = times(np.abs(C), self.remainder + C.shape[2] * ROUND * self.size)
        return Model(times(C, self.value), times(C, self.gradient), times(C, self.hessian), remainder, self.half)

    def combined(self, factors: Array) -> Model:
        """Linear combinations (n, k, ...) along axis 1 with factors (k, m)."""
        remainder = np.tensordot(np.abs(factors), self.remainder + len(factors.T) * ROUND * self.size, (1, 1))
        parts = (self.value, self.gradient, self.hessian)
        value, gradient, hessian = (np.moveaxis(np.tensordot(factors, part, (1, 1)), 0, 1) for part in parts)
        return Model(value, gradient, hessian, np.moveaxis(remainder, 0, 1), self.half)

    def smooth(self, value: Array, first: Array, second: Array, third: Array) -> Model:
        """A smooth function of the quantities, from its value and first two derivatives at theirs, and a bound `third`
        of its departure from its quadratic part: third D^3 / 6, as of its third derivative."""
        # With d = linear + nonlinear part: h' d + h'' d^2 / 2, of which (linear)^2 joins the Hessian.
        outer = self.gradient[..., :, None] * self.gradient[..., None, :]
        hessian = first[..., None, None] * self.hessian + second[..., None, None] * outer
        remainder = (
            np.abs(first) * self.remainder
            + np.abs(second) * (self.linear_variation + self.nonlinear_variation / 2) * self.nonlinear_variation
        )
        size = np.abs(value) + np.abs(first) * self.size + np.abs(second) * self.change**2 + third * self.change**3
        remainder = remainder + third / 6 * self.change**3 + ROUND * size
        return Model(value, first[..., None] * self.gradient, hessian, remainder, self.half)

    @property
    def reciprocal(self) -> Model:
        """1 / f; unknown where f may be zero.

        Within d of f it departs from its quadratic part by at most d^3 / (f^3 (f - d)).
        """
        least = _above_zero(np.abs(self.value) - self.change * (1 + ROUND))
        third = 6 / np.abs(self.value**3 * least)
        return self.smooth(1 / self.value, -1 / self.value**2, 2 / self.value**3, third)

    @property
    def root(self) -> Model:
        """Square roots s; unknown where f may be zero or less.

        Within d of f, t the least root there, they depart from their quadratic parts by at most
        d^3 (3 s + t) / (2 s (s + t))^3.
        """
        root, least = (np.sqrt(_above_zero(f)) for f in (self.value, self.value - self.change * (1 + ROUND)))
        third = 6 * (3 * root + least) / (2 * root * (root + least)) ** 3
        return self.smooth(root, 0.5 / root, -0.25 / root**3, third)

    def root_if_any(self, least: Array | float = 0.0) -> Model:
        """Square roots over the part of each box where f is not negative, and no less than `least` where that is known;
        unknown where f is negative everywhere.

        `root`, or the chord of the root over the range of f, whichever has the smaller remainder: that of `root` grows
        without bound where f is near zero, the chord's does not.
        """
        sharp, far = self.root, self.change * (1 + ROUND)
        # At the poses that count f is no less than `least`: lower values of its range are left out.
        low, high = np.sqrt(np.maximum(self.value - far, least)), np.sqrt(self.value + far)
        chord_slope = 1 / (low + high)
        most = (high - low) ** 2 * chord_slope / 4  # of the root above its chord; half is added to the value
        value = low + chord_slope * (self.value - low**2) + most / 2
        remainder = chord_slope * self.remainder + most / 2 + 2 * ROUND * high
        chord = Model(
            value,
            chord_slope[..., None] * self.gradient,
            chord_slope[..., None, None] * self.hessian,
            remainder,
            self.half,
        )
        return sharp.or_where(~(sharp.remainder <= chord.remainder), chord)

    @property
    def arcsine(self) -> Model:
        """Arc sines, within a quarter turn; unknown where the sine may be one."""
        most = np.abs(self.value) + self.change * (1 + ROUND)
        cosine, least = np.sqrt(1 - self.value**2), np.sqrt(_above_zero(1 - most**2))
        third = (1 + 2 * most**2) / least**5
        return self.smooth(np.arcsin(self.value), 1 / cosine, self.value / cosine**3, third)

    def or_where(self, which: Bools, other: Model) -> Model:
        """Another model where marked, this one elsewhere."""
        value, remainder = (
            np.where(which, *both) for both in ((other.value, self.value), (other.remainder, self.remainder))
        )
        gradient = np.where(which[..., None], other.gradient, self.gradient)
        return Model(
            value, gradient, np.where(which[..., None, None], other.hessian, self.hessian), remainder, self.half
        )

    def or_better(self, other: Model) -> Model:
        """The one of two models with the higher lower bound, each quantity by itself."""
        return self.or_where(other.value - other.change > self.value - self.change, other)

    @property
    def unit(self) -> Model:
        """Unit vectors along the last axis."""
        return self * self.dot(self).root.reciprocal.column

    @property
    def longest(self) -> Model:
        """Models whose upper ends bound the lengths of vectors along the last axis; their lower ends mean nothing.

        With e = x / |x|, a = e . d and c the part of d across e, |x + d| <= |x| + a + |c|^2 / (2 (|x| + a)) where the
        last sum is above zero; and |x + d| <= |x| + |d|. The better of both counts.
        """
        length = np.linalg.norm(self.value, axis=-1)
        most, moved, bent = (
            np.linalg.norm(part, axis=-1) for part in (self.change, self.linear_variation, self.nonlinear_variation)
        )
        e = self.value / np.where(length > 0, length, 1.0)[..., None]
        gradient = np.sum(e[..., None] * self.gradient, axis=-2)
        across = self.gradient - e[..., None] * gradient[..., None, :]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            per = 1 / length
            hessian = np.sum(e[..., None, None] * self.hessian, axis=-3)
            along = Model(length, gradient, hessian, np.sum(np.abs(e) * self.remainder, axis=-1), self.half)
            # |c|^2 / (2 |x|): the linear part of c joins the Hessian; what else c has, and the change of the
            # denominator, join the remainder.
            hessian = hessian + np.swapaxes(across, -1, -2) @ across * per[..., None, None]
            far = most**2 / 2 * along.change * per / _above_zero(length - along.change)
            remainder = along.remainder + (2 * moved + bent) * bent / 2 * per + far
            is_far = np.asarray(Model(length, gradient, hessian, remainder, self.half).change <= most)
            rounded = 8 * ROUND * (length + most + np.where(is_far, most**2 * per, 0.0))
        remainder = np.where(is_far, remainder, most) + rounded
        gradient, hessian = np.where(is_far[..., None], gradient, 0.0), np.where(is_far[..., None, None], hessian, 0.0)
        return Model(length, gradient, hessian, remainder, self.half)


def _above_zero(least: Array) -> Array:
    """Positive numbers as they are, NaN for others, which makes a remainder unknown."""
    return np.where(least > 0, least, np.nan)


def unpacked(rows: Array, half: Array) -> Model:
    """Models of rows (n, ..., NUMBERS) as in `gough.regions._taylor`, over boxes of half widths (n, 6)."""
    per = np.where(half > 0, 1 / np.where(half > 0, half, 1.0), 0.0).reshape(-1, *[1] * (rows.ndim - 2), 6)
    hessian = np.zeros((*rows.shape[:-1], 6, 6))
    i, j = np.triu_indices(6)
    hessian[..., i, j] = rows[..., SECOND:]
    hessian = (hessian + np.swapaxes(hessian, -1, -2)) * per[..., None] * per[..., None, :]
    return Model(rows[..., 0], rows[..., FIRST:SECOND] * per, hessian, rows[..., REMAINDER], half)
