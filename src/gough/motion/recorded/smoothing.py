"""Smooth weights over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def ramp(time: Array, duration: float) -> Array:
    """From 0 at time 0 to 1 at the duration, with three continuous derivatives: 35 s^4 - 84 s^5 + 70 s^6 - 20 s^7."""
    if duration <= 0:
        return np.ones_like(time)
    s = np.clip(time / duration, 0.0, 1.0)
    return np.asarray(s**4 * (35 + s * (-84 + s * (70 - 20 * s))))


def window(half: int) -> Array:
    """Weights (2 half + 1,) of a running average, none negative, their sum one: the fourth power of a cosine."""
    weights = np.cos(np.linspace(-np.pi / 2, np.pi / 2, 2 * half + 3)[1:-1]) ** 4
    return np.asarray(weights / weights.sum())


def average(values: Array, width: int) -> Array:
    """Running average of values (n, ...) over so many samples, the ends going on as they are."""
    from scipy.ndimage import convolve1d

    return np.asarray(convolve1d(values, window(max(width // 2, 0)), axis=0, mode="nearest"))


def below(values: Array, width: int) -> Array:
    """A smooth curve (n,) nowhere above values (n,): their running minimum, averaged over the same width.

    Each minimum the average takes is over a stretch that holds the sample itself, and no weight is negative.
    """
    from scipy.ndimage import minimum_filter1d

    half = max(width // 2, 0)
    return average(minimum_filter1d(values, 2 * half + 1, mode="nearest"), 2 * half)


def on_one_side(q: Array) -> Array:
    """Quaternions (k, 4) of the same rotations, each on the side of the one before: no jumps from q to -q."""
    turns = np.sign(np.sum(q[1:] * q[:-1], axis=1))
    turns[turns == 0] = 1.0
    return np.asarray(q * np.concatenate([[1.0], np.cumprod(turns)])[:, None])


def product(a: Array, b: Array) -> Array:
    """Hamilton's product (..., 4): of unit quaternions the rotation b, then a."""
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = aw * bv + bw * av + np.cross(av, bv)
    return np.concatenate([vector, aw * bw - np.sum(av * bv, axis=-1, keepdims=True)], axis=-1)


def rates(q: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Angular velocity and acceleration (..., 3) in the fixed axes from q (..., 4), of any length, and its derivatives.

    With s = q' q^-1 the vector part of 2 s is the angular velocity, of 2 (q'' q^-1 - s s) the acceleration; a length
    that changes shows in the scalar parts alone.
    """
    inverse = q * [-1.0, -1.0, -1.0, 1.0] / np.sum(q * q, axis=-1, keepdims=True)
    s = product(first, inverse)
    return 2 * s[..., :3], 2 * (product(second, inverse) - product(s, s))[..., :3]
