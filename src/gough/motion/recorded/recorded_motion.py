"""Recorded motions: poses at times, limited to a band, as smooth motions in time; smooth weights over time."""

from __future__ import annotations

from math import factorial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.displacements import displaced, displacement
from gough.dynamics.motions import CLOSEST, States
from gough.errors import InputError, ShapeError
from gough.machine import Machine
from gough.motion.path import Path
from gough.poses import PoseLike, checked_matrices, one_pose
from gough.regions.ball_bounds import Rates

LEAST = 8
"""Samples a motion needs: its splines are of fifth degree."""
DEGREE = 5
"""Of the splines."""
MOST_TIMES = 10_000_000
"""Of a motion sampled evenly."""
ORDER = 4
"""Of the low-pass filter, which runs forwards and backwards."""


class RecordedMotion(Path):
    """A motion through recorded poses, with continuous fourth derivatives: splines of fifth degree.

    It is a path whose parameter is time: `gough.motion.check_path` proves it between the samples, too.

    Positions, and the quaternions' components with their length taken out afterwards, go through the same steps, which
    makes all of them independent of the axes in which the poses are written. With a `cutoff` the samples are brought to
    even times and low-passed without phase (Butterworth, fourth order, forwards and backwards), so that noise is no
    acceleration.

    Parameters
    ----------
    time : (k,) array
        Increasing, at least eight [s].
    X : PoseLike, (k, 4, 4)
        Turned by less than half a turn from sample to sample.
    cutoff : float, optional
        Highest frequency that is kept [Hz]: there the amplitude is halved. All is kept where not given.

    """

    PARAMETER: ClassVar[str] = "time"

    @checks_arguments
    def __init__(self, time: ArrayLike, X: PoseLike, *, cutoff: float | None = None) -> None:
        from scipy.interpolate import make_interp_spline
        from scipy.spatial.transform import Rotation

        t, poses = np.asarray(time, dtype=float), checked_matrices(X)
        _check(t, poses)
        values = np.concatenate(
            [poses[:, :3, 3], on_one_side(Rotation.from_matrix(poses[:, :3, :3]).as_quat())], axis=1
        )
        if cutoff is not None:
            t, values = _low_passed(t, values, cutoff)
        self.cutoff = cutoff
        self.time = t
        """Times of the samples the splines go through [s]."""
        self._spline = make_interp_spline(t, values, k=DEGREE)
        self.knots, self.breaks = np.unique(self._spline.t), np.empty(0)

    def states(self, s: Array, before: bool) -> States:
        """See `gough.motion.Path`."""
        from scipy.spatial.transform import Rotation

        value, first, second = (self._spline(s, k) for k in range(3))
        w, alpha = angular_rates(value[:, 3:], first[:, 3:], second[:, 3:])
        X = np.tile(np.eye(4), (len(s), 1, 1))
        X[:, :3, :3], X[:, :3, 3] = Rotation.from_quat(value[:, 3:]).as_matrix(), value[:, :3]
        return X, np.concatenate([first[:, :3], w], axis=1), np.concatenate([second[:, :3], alpha], axis=1)

    def rates(self, low: Array, high: Array) -> Rates:
        """See `gough.motion.Path`.

        Between knots the splines are polynomials: Taylor's series about the middle bounds them. The angular velocity is
        no greater than 2 |q'| / |q|, the acceleration no greater than 2 |q''| / |q| + 2 (|q'| / |q|)^2.
        """
        middle, half = (low + high) / 2, (high - low) / 2
        parts = [self._spline(middle, k) for k in range(DEGREE + 1)]
        p, q = (np.stack([np.linalg.norm(part[:, c], axis=1) for part in parts]) for c in (slice(0, 3), slice(3, 7)))
        first, second = _taylor(q, half, 1), _taylor(q, half, 2)
        shortest = q[0] - half * first
        with np.errstate(divide="ignore"):
            first, second = (np.where(shortest > 0, x / np.maximum(shortest, 0.0), np.inf) for x in (first, second))
        return Rates(_taylor(p, half, 1), 2 * first, _taylor(p, half, 2), 2 * second + 2 * first**2)

    @checks_arguments
    def resampled(self, rate: float) -> tuple[Array, Array]:
        """Even times (n,) [s] and the poses (n, 4, 4) there, for a controller or a player of `rate` samples a second.

        `InputError` where the rate is too low for what the motion holds: below twice its `cutoff`.
        """
        if not (np.isfinite(rate) and rate > 0) or (self.cutoff is not None and rate < 2 * self.cutoff):
            least = "" if self.cutoff is None else f", at least {2 * self.cutoff:g} Hz, twice the motion's cutoff"
            raise InputError(f"rate: {rate:g} Hz, expected more than 0 Hz{least}")
        count = int(np.floor((self.span[1] - self.span[0]) * rate * (1 + 1e-12))) + 1
        if count > MOST_TIMES:
            raise InputError(f"rate: {rate:g} Hz makes {count:.3g} times of this motion, at most {MOST_TIMES} are made")
        t = self.span[0] + np.arange(count) / rate
        return t, self(t)[0]

    @checks_arguments
    def relative(self, reference: Literal["mean", "first"] | PoseLike = "mean") -> RecordedMotion:
        """The motion as displacements D from a reference pose: its own turn R R0^T and its translation p - p0.

        `gough.frames.displaced` puts them on a machine. The mean is that of the splines' samples.
        """
        poses = self(self.time)[0]
        D = poses.copy()
        X = self._reference(poses, reference)
        D[:, :3, :3] = poses[:, :3, :3] @ X[:3, :3].T
        D[:, :3, 3] = poses[:, :3, 3] - X[:3, 3]
        found = RecordedMotion(self.time, D)
        found.cutoff = self.cutoff
        return found

    def _reference(self, poses: Array, reference: str | PoseLike) -> Array:
        from scipy.spatial.transform import Rotation

        if isinstance(reference, str):
            if reference not in ("mean", "first"):
                raise InputError(f"reference: {reference!r} is not known, expected 'mean', 'first' or a pose")
            X = poses[0].copy()
            if reference == "mean":
                X[:3, 3] = poses[:, :3, 3].mean(axis=0)
                X[:3, :3] = Rotation.from_matrix(poses[:, :3, :3]).mean().as_matrix()
            return X
        return one_pose(reference, name="reference")


def on_machine(machine: Machine, D: Array, gain: ArrayLike = 1.0) -> Array:
    """Poses (..., 4, 4) of the platform: displacements D from home about the point of interest, times gains (...).

    A gain scales the translation and the turn's angle about its own axis.
    """
    k = np.asarray(gain, dtype=float)[..., None]
    return displaced(machine.X_home, k * displacement(np.eye(4), D), machine.point_of_interest)


def _check(t: Array, X: Array) -> None:
    if t.ndim != 1 or X.shape != (len(t), 4, 4):
        raise ShapeError.expected("X", f"({t.size}, 4, 4), a pose for each time", X.shape)
    if len(t) < LEAST:
        raise InputError(f"time: {len(t)} samples, a recorded motion needs at least {LEAST}")
    if not np.isfinite(t).all() or not np.isfinite(X).all():
        raise InputError("time and X: a time or a pose holds a number that is not finite")
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        k = int(back[0])
        raise InputError(f"time: {t[k + 1]:g} s comes after {t[k]:g} s (sample {k + 2}); times must increase")
    if np.diff(t).min() < CLOSEST:
        raise InputError(f"time: samples {np.diff(t).min():g} s apart, at least {CLOSEST:g} s are needed for rates")


def _taylor(sizes: Array, half: Array, k: int) -> Array:
    """Bound (n,) of the k-th derivative within `half` of where the derivatives have these sizes (DEGREE + 1, n)."""
    return np.asarray(sum(sizes[j] * half ** (j - k) / factorial(j - k) for j in range(k, DEGREE + 1)))


def _low_passed(t: Array, values: Array, cutoff: float) -> tuple[Array, Array]:
    """Even times, as many as there were, and the values there without what is above the cutoff."""
    from scipy.interpolate import make_interp_spline
    from scipy.signal import butter, sosfiltfilt

    rate = (len(t) - 1) / (t[-1] - t[0])
    if not 0 < cutoff < rate / 2:
        raise InputError(
            f"cutoff: {cutoff:g} Hz, expected between 0 and {rate / 2:.6g} Hz, half of the {rate:.6g} samples a second"
        )
    even = np.linspace(t[0], t[-1], len(t))
    sos = butter(ORDER, cutoff, fs=rate, output="sos")
    pad = min(len(t) - 1, int(3 * rate / cutoff))
    return even, np.asarray(sosfiltfilt(sos, make_interp_spline(t, values, k=DEGREE)(even), axis=0, padlen=pad))


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


def _product(a: Array, b: Array) -> Array:
    """Hamilton's product (..., 4): of unit quaternions the rotation b, then a."""
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = aw * bv + bw * av + np.cross(av, bv)
    return np.concatenate([vector, aw * bw - np.sum(av * bv, axis=-1, keepdims=True)], axis=-1)


def angular_rates(q: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Angular velocity and acceleration (..., 3) in the fixed axes from q (..., 4), of any length, and its derivatives.

    With s = q' q^-1 the vector part of 2 s is the angular velocity, of 2 (q'' q^-1 - s s) the acceleration; a length
    that changes shows in the scalar parts alone.
    """
    inverse = q * [-1.0, -1.0, -1.0, 1.0] / np.sum(q * q, axis=-1, keepdims=True)
    s = _product(first, inverse)
    return 2 * s[..., :3], 2 * (_product(second, inverse) - _product(s, s))[..., :3]
