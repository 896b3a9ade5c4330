"""Motion cueing: the classical washout filter of motion simulators."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.displacements import rotation_vectors, rotations
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.machine_parts import STANDARD_GRAVITY
from gough.motion.recorded.recorded_motion import RecordedMotion, average, ramp

SMOOTHING = 0.5
"""Width of the average of the tilt after its rate is limited [s]: weights that are not negative keep the limit."""
FILTER_RATE = 100.0
"""Sampling rate of the filters [Hz]; their bilinear transform is accurate at frequencies far below it."""


@checks_arguments
def washout(
    motion: Motion,
    gravity: ArrayLike = STANDARD_GRAVITY,
    *,
    translation: ArrayLike = 1.0,
    third: ArrayLike = 0.1,
    rotation: ArrayLike = 0.5,
    tilt: float = 0.5,
    tilt_rate: float = np.deg2rad(3.0),
    damping: float = 1.0,
    scale: float = 1.0,
    fade: float = 2.0,
) -> RecordedMotion:
    """Apply the classical washout filter: a motion in a small workspace that feels like the motion of a vehicle.

    Three channels (Conrad and Schmidt 1970; Reid and Nahon 1985): the vehicle's acceleration and its rotation, each
    high-passed,

        p / a = s / ((s^2 + 2 z w s + w^2) (s + w3))          rotation: s^2 / (s^2 + 2 z w s + w^2)

    return the platform to its middle after every onset; the sustained specific force R^T (a - g), low-passed by
    w^2 / (s^2 + 2 z w s + w^2), is simulated by tilting against gravity, with a rate of at most `tilt_rate`. Rotations
    are filtered as rotation vectors; the platform is turned by the filtered rotation, then tilted.

    Parameters
    ----------
    motion : Motion
        Displacements of the vehicle from its reference, the unit pose (`RecordedMotion.relative`).
    gravity : (3,) array
        Acceleration of free fall in the axes of the motion [m/s2], equal to the machine's.
    translation, third : float or (3,) array
        w and w3 of the translations, along x, y, z [rad/s]; w3 = 0 leaves the factor s / (s + w3) out.
    rotation : float or (3,) array
        w of the rotations, about x, y, z [rad/s].
    tilt : float
        w of the tilt [rad/s].
    tilt_rate : float
        Its top speed [rad/s].
    damping : float
        z of all filters.
    scale : float
        Input gain.
    fade : float
        Time of the transitions from and to rest [s].

    Returns
    -------
    RecordedMotion
        Displacements of the platform, at rest in its middle at the start.

    Raises
    ------
    InputError
        Gravity of zero; a frequency, damping or tilt rate that is not above zero.

    """
    g = np.asarray(gravity, dtype=float)
    if not np.linalg.norm(g) > 0:
        raise InputError("gravity is zero, so tilt coordination is impossible; pass its acceleration [m/s2]")
    w, w3, turn_w = (
        _three(name, x) for name, x in (("translation", translation), ("third", third), ("rotation", rotation))
    )
    if not (min(w.min(), turn_w.min(), tilt, tilt_rate, damping) > 0 and w3.min() >= 0):
        raise InputError("the filters' frequencies, damping and tilt rate must be above 0 (third: at least 0)")
    t = np.linspace(*motion.span, int(np.ceil(FILTER_RATE * (motion.span[1] - motion.span[0]))) + 1)
    step = t[1] - t[0]
    gain = scale * ramp(t - t[0], fade) * ramp(t[-1] - t, fade)
    vehicle, _, A = motion(t)
    acceleration, vectors = A[:, :3], rotation_vectors(vehicle[:, :3, :3])
    # Only the part across gravity can be simulated by tilting.
    up = -g / np.linalg.norm(g)
    force = specific_force(motion, t, g)
    across = force - (force @ up)[:, None] * up
    p, turns = (np.empty((len(t), 3)) for _ in range(2))
    for k in range(3):
        second = _second_order(w[k], damping)
        # w3 = 0 cancels s / (s + w3): numerator and denominator without the common factor.
        numerator, denominator = ([1.0, 0.0], np.polymul(second, [1.0, w3[k]])) if w3[k] > 0 else ([1.0], second)
        p[:, k] = _filtered(gain * acceleration[:, k], numerator, denominator, step)
        turns[:, k] = _filtered(gain * vectors[:, k], [1.0, 0.0, 0.0], _second_order(turn_w[k], damping), step)
    tilts = _tilted(gain[:, None] * across, g, tilt, damping, tilt_rate, step)
    X = np.tile(np.eye(4), (len(t), 1, 1))
    X[:, :3, :3] = rotations(tilts) @ rotations(turns)
    X[:, :3, 3] = p
    return RecordedMotion(t, X)


@checks_arguments
def specific_force(motion: Motion, times: ArrayLike, gravity: ArrayLike = STANDARD_GRAVITY) -> Array:
    """Compute the specific force R^T (a - g) at times (n,), in the axes of the moving body (n, 3) [m/s2].

    What an accelerometer measures (by definition; Conrad and Schmidt 1970): at rest and upright minus gravity.

    Parameters
    ----------
    motion : Motion
        Of the rider's frame.
    times : (n,) array
        [s].
    gravity : (3,) array
        Acceleration of free fall in the axes of the motion [m/s2].

    Returns
    -------
    (n, 3) array
        In the axes of the moving body [m/s2]; NaN where the motion is.

    Raises
    ------
    InputError
        Values that are not numbers.

    """
    X, _, A = motion(np.asarray(times, dtype=float))
    return np.einsum("...ji,...j->...i", X[..., :3, :3], A[..., :3] - np.asarray(gravity, dtype=float))


def _three(name: str, value: ArrayLike) -> Array:
    try:
        return np.broadcast_to(np.asarray(value, dtype=float), 3)
    except ValueError:
        raise InputError(f"{name}: one value or three, for x, y and z") from None


def _second_order(w: float, damping: float) -> list[float]:
    """Coefficients of s^2 + 2 z w s + w^2."""
    return [1.0, 2 * damping * w, w * w]


def _filtered(values: Array, numerator: ArrayLike, denominator: ArrayLike, step: float) -> Array:
    """Values (n, ...) after a filter in s, from rest, by the bilinear transform."""
    from scipy.signal import bilinear, lfilter

    b, a = bilinear(numerator, denominator, 1.0 / step)
    return np.asarray(lfilter(b, a, values, axis=0))


def _tilted(force: Array, g: Array, w: float, damping: float, top: float, step: float) -> Array:
    """Rotation vectors (n, 3) of the tilt that simulates the sustained specific force (n, 3), across gravity."""
    strength = float(np.linalg.norm(g))
    up = -g / strength
    sustained = _filtered(force, [w * w], _second_order(w, damping), step)
    size = np.linalg.norm(sustained, axis=1, keepdims=True)
    # The tilted platform's -R^T g is in the direction of up * |g| + force: the angle has the tangent |force| / |g|.
    axis = np.cross(sustained, up) / np.where(size > 0, size, 1.0)
    wanted = np.arctan2(size, strength) * axis
    # Rate limiter on the rotation vector, sample by sample: below the rider's threshold of perception.
    tilt = np.zeros_like(wanted)
    for k in range(1, len(wanted)):
        change = wanted[k] - tilt[k - 1]
        far = float(np.sqrt(change @ change))
        tilt[k] = tilt[k - 1] + change * min(1.0, top * step / far if far > 0 else 1.0)
    return average(tilt, int(SMOOTHING / step))
