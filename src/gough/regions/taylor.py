"""Taylor models of first order over boxes: what composed quantities can be, with all that is dropped and rounded.

A model of f over a box about c says |f(z) - value - slope (z - c)| <= rest for every z of it. Sums, products and smooth
functions of models are models (Makino and Berz 2003): with D = |slope| half + rest the most that f changes,

    f g     rest_f |g| + |f| rest_g + D_f D_g               g(f)    |g'| rest_f + sup |g''| D_f^2 / 2

and every operation adds what it rounds. A rest that is not finite says that nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.arrays import Array

ROUND = 4 * float(np.finfo(float).eps)
"""Of the amounts that go into an operation: what it may round, derivatives and rests included."""
NEXT, AFTER = [1, 2, 0], [2, 0, 1]


@dataclass(frozen=True, eq=False)
class Model:
    """Quantities over n boxes.

    Attributes
    ----------
    value, rest : (n, ...) array
    slope : (n, ..., 6) array
        By the coordinates.
    half : (n, 6) array
        Half widths of the boxes.

    """

    value: Array
    slope: Array
    rest: Array
    half: Array

    @classmethod
    def constant(cls, value: Array, half: Array) -> Model:
        """Of numbers (n, ...) that do not change."""
        return cls(value, np.zeros((*value.shape, 6)), np.zeros(value.shape), half)

    @classmethod
    def joined(cls, models: Sequence[Model], axis: int) -> Model:
        """Models one after the other along an axis."""
        value, slope, rest = (
            np.concatenate([getattr(model, name) for model in models], axis=axis) for name in ("value", "slope", "rest")
        )
        return cls(value, slope, rest, models[0].half)

    @cached_property
    def change(self) -> Array:
        """Most by which the quantities differ from their values (n, ...)."""
        half = self.half.reshape(len(self.half), *(1,) * (self.value.ndim - 1), 6)
        return np.asarray(np.sum(np.abs(self.slope) * half, axis=-1) + self.rest)

    @property
    def size(self) -> Array:
        """Most that they are (n, ...)."""
        return np.asarray(np.abs(self.value) + self.change)

    def __getitem__(self, key: Any) -> Model:
        """Some of them, by an index of the first axes."""
        return Model(self.value[key], self.slope[key], self.rest[key], self.half)

    def chosen(self, last: Sequence[int] | slice) -> Model:
        """Some of the last axis."""
        return Model(self.value[..., last], self.slope[..., last, :], self.rest[..., last], self.half)

    @property
    def column(self) -> Model:
        """With one more axis of length one at the end."""
        return Model(self.value[..., None], self.slope[..., None, :], self.rest[..., None], self.half)

    def __neg__(self) -> Model:
        return Model(-self.value, -self.slope, self.rest, self.half)

    def __add__(self, other: Model | Array | float) -> Model:
        if isinstance(other, Model):
            rest = self.rest + other.rest + ROUND * (self.size + other.size)
            return Model(self.value + other.value, self.slope + other.slope, rest, self.half)
        value = self.value + other
        slope = np.broadcast_to(self.slope, (*value.shape, 6))
        return Model(value, slope, self.rest + ROUND * (self.size + np.abs(other)), self.half)

    def __sub__(self, other: Model | Array | float) -> Model:
        return self + (-other)

    def __mul__(self, other: Model | Array | float) -> Model:
        if isinstance(other, Model):
            slope = self.slope * other.value[..., None] + other.slope * self.value[..., None]
            rest = self.rest * np.abs(other.value) + other.rest * np.abs(self.value) + self.change * other.change
            return Model(self.value * other.value, slope, rest + ROUND * self.size * other.size, self.half)
        by = np.asarray(other, dtype=float)
        rest = (self.rest + ROUND * self.size) * np.abs(by)
        return Model(self.value * by, self.slope * by[..., None], rest, self.half)

    def sum(self, axis: int) -> Model:
        """Sums along an axis, which counts from the front."""
        count = self.value.shape[axis]
        rest = (self.rest + count * ROUND * self.size).sum(axis=axis)
        return Model(self.value.sum(axis=axis), self.slope.sum(axis=axis), rest, self.half)

    def dot(self, other: Model | Array) -> Model:
        """Scalar products along the last axis."""
        product = self * other
        return product.sum(product.value.ndim - 1)

    def cross(self, other: Model | Array) -> Model:
        """Vector products along the last axis."""
        if isinstance(other, Model):
            return self.chosen(NEXT) * other.chosen(AFTER) - self.chosen(AFTER) * other.chosen(NEXT)
        return self.chosen(NEXT) * other[..., AFTER] - self.chosen(AFTER) * other[..., NEXT]

    def combined(self, factors: Array) -> Model:
        """Sums (n, k, ...) along axis 1 with factors (k, m)."""
        rest = np.tensordot(np.abs(factors), self.rest + len(factors.T) * ROUND * self.size, (1, 1))
        value, slope = (np.moveaxis(np.tensordot(factors, part, (1, 1)), 0, 1) for part in (self.value, self.slope))
        return Model(value, slope, np.moveaxis(rest, 0, 1), self.half)

    def smooth(self, value: Array, slope: Array, bend: Array) -> Model:
        """A smooth function of them: its values and derivatives there, and bounds of its second derivatives."""
        rest = np.abs(slope) * self.rest + bend / 2 * self.change**2
        rest = rest + ROUND * (np.abs(value) + np.abs(slope) * self.size + bend * self.change**2)
        return Model(value, slope[..., None] * self.slope, rest, self.half)

    @property
    def reciprocal(self) -> Model:
        """1 / f; unknown where f may be zero."""
        least = _above_zero(np.abs(self.value) - self.change * (1 + ROUND))
        return self.smooth(1 / self.value, -1 / self.value**2, 2 / least**3)

    @property
    def root(self) -> Model:
        """Square roots; unknown where f may be zero or less."""
        least, root = _above_zero(self.value - self.change * (1 + ROUND)), np.sqrt(_above_zero(self.value))
        return self.smooth(root, 0.5 / root, 0.25 / least**1.5)

    @property
    def unit(self) -> Model:
        """Vectors, along the last axis, by their lengths."""
        return self * self.dot(self).root.reciprocal.column

    @property
    def longest(self) -> Model:
        """Upper bounds of the lengths of vectors along the last axis: only value + slope (z - c) + rest counts.

        |x + d| <= |x| + x d / |x| + |d|^2 / (2 |x|), and no more than |x| + |d|.
        """
        length = np.linalg.norm(self.value, axis=-1)
        most = np.linalg.norm(self.change, axis=-1)
        along = self.value / np.where(length > 0, length, 1.0)[..., None]
        slope = np.sum(along[..., None] * self.slope, axis=-2)
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = np.sum(np.abs(along) * self.rest, axis=-1) + most**2 / (2 * length)
        half = self.half.reshape(len(self.half), *(1,) * (length.ndim - 1), 6)
        is_far = np.asarray(rest + np.sum(np.abs(slope) * half, axis=-1) <= most)
        rest = np.where(is_far, rest, most) + 4 * ROUND * (length + most)
        return Model(length, np.where(is_far[..., None], slope, 0.0), rest, self.half)


def _above_zero(least: Array) -> Array:
    return np.where(least > 0, least, np.nan)


def inverse(A: Model, scale: Array) -> Model:
    """Inverses (n, k, k) of matrices; `scale` (k,) has the sizes of the inverses' rows.

    With T the computed inverse of the value and M = T A - 1, A^-1 = (1 + M)^-1 T = T - M T + M^2 T - ...: where rows
    of |M| sum to a number below one, in the given scale, what is dropped is no more than a geometric series.
    """
    known = np.asarray(np.isfinite(A.value).all(axis=(1, 2)))
    values = np.where(known[:, None, None], A.value, np.eye(len(scale)))
    known &= np.linalg.svd(values, compute_uv=False)[:, -1] > 0
    values[~known] = np.eye(len(scale))
    T = np.linalg.inv(values)
    product = (Model.constant(T, A.half)[:, :, :, None] * A[:, None]).sum(2) - np.eye(len(scale))
    M = Model(np.zeros_like(T), product.slope, product.rest + np.abs(product.value), A.half)
    dropped = M.change @ (M.change @ np.abs(T))
    part = (M.change @ scale / scale).max(axis=1)
    part = np.where(known & (part < 1), part, np.nan)
    series = part / (1 - part) * (dropped / scale[:, None]).max(axis=(1, 2))
    first = (M[:, :, :, None] * T[:, None]).sum(2)
    rest = first.rest + (dropped + series[:, None, None] * scale[:, None]) * (1 + 64 * ROUND)
    return Model(T, -first.slope, rest + ROUND * np.abs(T), A.half)
