"""Recorded motions: smooth motions through low-passed samples of poses; running averages and ramps over time."""

from __future__ import annotations

from math import factorial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.displacements import displaced, displacement
from gough.dynamics.motions import SHORTEST_STEP, States
from gough.errors import InputError, ShapeError
from gough.machine import Machine
from gough.motion.path import Path, Rates
from gough.poses import PoseLike, checked_matrices, one_pose

LEAST_SAMPLES = 8
"""Smallest number of samples, for splines of fifth degree."""
DEGREE = 5
"""Degree of the splines."""
MOST_TIMES = 10_000_000
"""Largest number of times of a resampled motion."""
ORDER = 4
"""Order of the low-pass filter, which is applied forwards and backwards."""


class RecordedMotion(Path):
    """A motion through recorded poses, with continuous fourth derivatives: splines of fifth degree.

    It is a path whose parameter is time: `gough.motion.check_path` proves it between the samples, too.

    Positions and components of quaternions, which are normalised afterwards, are processed alike, so that the result
    does not depend on the axes of the poses. With a `cutoff` the samples are resampled at even times and low-passed
    without phase shift (Butterworth, fourth order, forwards and backwards), so that noise does not become acceleration.

    Parameters
    ----------
    time : (k,) array
        Increasing, at least eight [s].
    X : PoseLike, (k, 4, 4)
        Rotations from sample to sample below half a turn.
    cutoff : float, optional
        Cutoff frequency [Hz], at which the amplitude is halved. Default: no filter.

    """

    PARAMETER: ClassVar[str] = "time"

    @checks_arguments
    def __init__(self, time: ArrayLike, X: PoseLike, *, cutoff: float | None = None) -> None:
        from scipy.interpolate import make_interp_spline
        from scipy.spatial.transform import Rotation

        t, poses = np.asarray(time, dtype=float), checked_matrices(X)
        _check(t, poses)
        quaternions = on_one_side(Rotation.from_matrix(poses[:, :3, :3]).as_quat())
        values = np.concatenate([poses[:, :3, 3], quaternions], axis=1)
        if cutoff is not None:
            t, values = _low_passed(t, values, cutoff)
        self.cutoff = cutoff
        self.time = t
        """Times of the samples the splines go through [s]."""
        self._spline = make_interp_spline(t, values, k=DEGREE)
        # The spline's knots repeat at the ends, and two samples next to each end are no knots (not-a-knot conditions).
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
        """See `Path.rates`.

        Between knots the splines are polynomials, bounded by their Taylor series about the middle. The angular velocity
        is at most 2 |q'| / |q|, the acceleration at most 2 |q''| / |q| + 2 (|q'| / |q|)^2.
        """
        middle, half = (low + high) / 2, (high - low) / 2
        parts = [self._spline(middle, k) for k in range(DEGREE + 1)]
        p, q = (np.stack([np.linalg.norm(part[:, c], axis=1) for part in parts]) for c in (slice(0, 3), slice(3, 7)))
        first, second = _taylor(q, half, 1), _taylor(q, half, 2)
        # Between samples the quaternion is not of unit length; no bounds where it may vanish.
        shortest = q[0] - half * first
        with np.errstate(divide="ignore"):
            first, second = (np.where(shortest > 0, x / np.maximum(shortest, 0.0), np.inf) for x in (first, second))
        return Rates(_taylor(p, half, 1), 2 * first, _taylor(p, half, 2), 2 * second + 2 * first**2)

    @checks_arguments
    def resampled(self, rate: float) -> tuple[Array, Array]:
        """Resample to evenly spaced times (n,) [s] and poses (n, 4, 4), at `rate` samples per second.

        `InputError` where the rate is below twice the motion's `cutoff`, its Nyquist rate.
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
    def relative(
        self, reference: Literal["mean", "first"] | PoseLike = "mean", *, own_axes: bool = False
    ) -> RecordedMotion:
        """Express the motion as displacements D from a reference pose (R0, p0): rotation R R0^T and translation p - p0.

        They are in the axes of the record, or with `own_axes` in those of what moves, as they are at the reference:
        R0^T R and R0^T (p - p0). A ship's roll is about x in its own axes, whatever its heading.
        `gough.frames.displaced` applies them to a machine.
        """
        poses, X = self(self.time)[0], self.reference_pose(reference)
        D = poses.copy()
        D[:, :3, :3] = poses[:, :3, :3] @ X[:3, :3].T
        D[:, :3, 3] = poses[:, :3, 3] - X[:3, 3]
        if own_axes:
            D[:, :3, :3] = X[:3, :3].T @ D[:, :3, :3] @ X[:3, :3]
            D[:, :3, 3] = D[:, :3, 3] @ X[:3, :3]
        found = RecordedMotion(self.time, D)
        found.cutoff = self.cutoff
        return found

    @checks_arguments
    def reference_pose(self, reference: Literal["mean", "first"] | PoseLike = "mean") -> Array:
        """Return the reference pose (4, 4): the mean of the splines' samples, the first sample, or a specified pose."""
        from scipy.spatial.transform import Rotation

        poses = self(self.time)[0]
        if not isinstance(reference, str):
            X = one_pose(reference, name="reference")
        elif reference not in ("mean", "first"):
            raise InputError(f"reference: {reference!r} is not known, expected 'mean', 'first' or a pose")
        else:
            X = poses[0].copy()
            if reference == "mean":
                X[:3, 3] = poses[:, :3, 3].mean(axis=0)
                X[:3, :3] = Rotation.from_matrix(poses[:, :3, :3]).mean().as_matrix()
        return X


def on_machine(machine: Machine, D: Array, gain: ArrayLike = 1.0) -> Array:
    """Return poses (..., 4, 4) of the platform: displacements D from home about the point of interest, times gains
    (...).

    A gain scales the translation and the angle of the rotation about its axis.
    """
    k = np.asarray(gain, dtype=float)[..., None]
    return displaced(machine.X_home, k * displacement(np.eye(4), D), machine.point_of_interest)


def _check(t: Array, X: Array) -> None:
    if t.ndim != 1 or X.shape != (len(t), 4, 4):
        raise ShapeError.expected("X", f"({t.size}, 4, 4), a pose for each time", X.shape)
    if len(t) < LEAST_SAMPLES:
        raise InputError(f"time: {len(t)} samples, a recorded motion needs at least {LEAST_SAMPLES}")
    if not np.isfinite(t).all() or not np.isfinite(X).all():
        raise InputError("time and X: a time or a pose has an entry that is not finite")
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        k = int(back[0])
        raise InputError(f"time: {t[k + 1]:g} s comes after {t[k]:g} s (sample {k + 2}); times must increase")
    if np.diff(t).min() < SHORTEST_STEP:
        raise InputError(
            f"time: samples {np.diff(t).min():g} s apart, at least {SHORTEST_STEP:g} s are needed for rates"
        )


def _taylor(sizes: Array, half: Array, k: int) -> Array:
    """Bound (n,) of the k-th derivative within `half` of a parameter with derivatives of `sizes` (DEGREE + 1, n)."""
    return np.asarray(sum(sizes[j] * half ** (j - k) / factorial(j - k) for j in range(k, DEGREE + 1)))


def _low_passed(t: Array, values: Array, cutoff: float) -> tuple[Array, Array]:
    """As many even times as samples, and the values there without frequencies above the cutoff."""
    from scipy.interpolate import make_interp_spline
    from scipy.signal import butter, sosfiltfilt

    rate = (len(t) - 1) / (t[-1] - t[0])
    least = 0.1 * rate / (len(t) - 1)  # a tenth of a period in the record, which says nothing of slower oscillations
    if not least <= cutoff < rate / 2:
        raise InputError(
            f"cutoff: {cutoff:g} Hz, expected between {least:.6g} Hz, a tenth of a period in the record, and "
            f"{rate / 2:.6g} Hz, half of the {rate:.6g} samples a second"
        )
    even = np.linspace(t[0], t[-1], len(t))
    sos = butter(ORDER, cutoff, fs=rate, output="sos")
    # The extension at the ends lasts three periods of the cutoff: the filter's transients decay outside the record.
    pad = min(len(t) - 1, int(3 * rate / cutoff))
    return even, np.asarray(sosfiltfilt(sos, make_interp_spline(t, values, k=DEGREE)(even), axis=0, padlen=pad))


def ramp(time: Array, duration: float) -> Array:
    """Ramp from 0 at time 0 to 1 at the duration, with three continuous derivatives: 35 s^4 - 84 s^5 + 70 s^6 - 20
    s^7."""
    if duration <= 0:
        return np.ones_like(time)
    s = np.clip(time / duration, 0.0, 1.0)
    return np.asarray(s**4 * (35 + s * (-84 + s * (70 - 20 * s))))


def average(values: Array, width: int) -> Array:
    """Return running average of values (n, ...) over `width` samples, constant beyond the ends.

    The weights are the fourth power of a cosine: none is negative, so that extremes of values and rates do not grow.
    """
    from scipy.ndimage import convolve1d

    half = max(width // 2, 0)
    weights = np.cos(np.linspace(-np.pi / 2, np.pi / 2, 2 * half + 3)[1:-1]) ** 4
    return np.asarray(convolve1d(values, weights / weights.sum(), axis=0, mode="nearest"))


def below(values: Array, width: int) -> Array:
    """Return a smooth curve (n,) nowhere above values (n,): the running average of their running minimum, of the same
    width.

    Every minimum in the average is over a window with the sample itself, and no weight is negative.
    """
    from scipy.ndimage import minimum_filter1d

    half = max(width // 2, 0)
    return average(minimum_filter1d(values, 2 * half + 1, mode="nearest"), 2 * half)


def on_one_side(q: Array) -> Array:
    """Return quaternions (k, 4) of the same rotations with signs such that successive ones are nearest: no jumps to
    -q."""
    # A negative scalar product with the one before flips the sign of all that follow.
    turns = np.sign(np.sum(q[1:] * q[:-1], axis=1))
    turns[turns == 0] = 1.0
    return np.asarray(q * np.concatenate([[1.0], np.cumprod(turns)])[:, None])


def _product(a: Array, b: Array) -> Array:
    """Hamilton product (..., 4), x, y, z, w; for unit quaternions the rotation b, then a."""
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = aw * bv + bw * av + np.cross(av, bv)
    return np.concatenate([vector, aw * bw - np.sum(av * bv, axis=-1, keepdims=True)], axis=-1)


def angular_rates(q: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Return the angular velocity and acceleration (..., 3) in the fixed axes from q (..., 4), of any length, and its
    derivatives.

    With s = q' q^-1 the vector part of 2 s is the angular velocity, of 2 (q'' q^-1 - s s) the acceleration; a length
    that changes shows in the scalar parts alone.
    """
    # q^-1 is the conjugate over the squared length. Derived from q' = (w / 2 + |q|' / |q|) q and its derivative.
    inverse = q * [-1.0, -1.0, -1.0, 1.0] / np.sum(q * q, axis=-1, keepdims=True)
    s = _product(first, inverse)
    return 2 * s[..., :3], 2 * (_product(second, inverse) - _product(s, s))[..., :3]
