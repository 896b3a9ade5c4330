"""Motion cueing: the classical washout filter of motion simulators."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.displacements import rotation_vectors, rotations
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.motion.recorded.recorded_motion import RecordedMotion, average, ramp

SMOOTHING = 0.5
"""Time over which the tilt is averaged after its rate is limited [s]: weights that are not negative keep the limit."""
RATE = 100.0
"""Samples per second at which the filters run [Hz]; bilinear, so that they are exact at low frequencies."""


@checks_arguments
def washout(
    motion: Motion,
    gravity: ArrayLike = (0.0, 0.0, -9.80665),
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
    """What a platform with little room does so that its rider feels a vehicle's motion.

    Three channels (Conrad and Schmidt 1970; Reid and Nahon 1985): the vehicle's acceleration and its rotation, each
    high-passed,

        p / a = s / ((s^2 + 2 z w s + w^2) (s + w3))          rotation: s^2 / (s^2 + 2 z w s + w^2)

    bring the platform back to its middle after every onset; what lasts of the specific force R^T (a - g), low-passed
    by w^2 / (s^2 + 2 z w s + w^2), is felt by tilting against gravity, not quicker than `tilt_rate`. Rotations are
    taken as rotation vectors; tilt and rotation are turned one after the other.

    Parameters
    ----------
    motion : Motion
        Displacements of the vehicle: the unit pose is its rest (`RecordedMotion.relative`).
    gravity : (3,) array
        Acceleration of free fall in the axes of the motion [m/s2]; that of the machine.
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
        raise InputError("gravity: none, so nothing can be felt by tilting; give its acceleration [m/s2]")
    w, w3, turn_w = (
        _three(name, x) for name, x in (("translation", translation), ("third", third), ("rotation", rotation))
    )
    if not (min(w.min(), turn_w.min(), tilt, tilt_rate, damping) > 0 and w3.min() >= 0):
        raise InputError("the filters' frequencies, damping and tilt rate must be above 0 (third: at least 0)")
    t = np.linspace(*motion.span, int(np.ceil(RATE * (motion.span[1] - motion.span[0]))) + 1)
    step = t[1] - t[0]
    came_in = scale * ramp(t - t[0], fade) * ramp(t[-1] - t, fade)
    acceleration, force, turn = _felt(motion, t, g)
    p = np.stack(
        [_filtered(came_in * acceleration[:, k], *_translation(w[k], w3[k], damping), step) for k in range(3)], axis=1
    )
    turned = np.stack(
        [_filtered(came_in * turn[:, k], *_high_pass(turn_w[k], damping), step) for k in range(3)], axis=1
    )
    leaning = _tilted(came_in[:, None] * force, g, tilt, damping, tilt_rate, step)
    return RecordedMotion(t, _poses(p, leaning, turned))


@checks_arguments
def specific_force(motion: Motion, times: ArrayLike, gravity: ArrayLike = (0.0, 0.0, -9.80665)) -> Array:
    """What a rider feels: R^T (a - g) at times (n,), in the axes of the moving body (n, 3) [m/s2].

    At rest and upright it is as long as gravity, and points against it.

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
        Values that are no numbers.

    """
    X, _, A = motion(np.asarray(times, dtype=float))
    return np.einsum("...ji,...j->...i", X[..., :3, :3], A[..., :3] - np.asarray(gravity, dtype=float))


def _three(name: str, value: ArrayLike) -> Array:
    try:
        return np.broadcast_to(np.asarray(value, dtype=float), 3)
    except ValueError:
        raise InputError(f"{name}: one value or three, for x, y and z") from None


def _felt(motion: Motion, t: Array, g: Array) -> tuple[Array, Array, Array]:
    """Acceleration, specific force across gravity in the vehicle, and rotation vector, each (n, 3)."""
    X, _, A = motion(t)
    up = -g / np.linalg.norm(g)
    force = specific_force(motion, t, g)
    across = force - (force @ up)[:, None] * up
    return A[:, :3], across, rotation_vectors(X[:, :3, :3])


def _translation(w: float, w3: float, damping: float) -> tuple[Array, Array]:
    """From acceleration to position: numerator and denominator in s."""
    second = np.array([1.0, 2 * damping * w, w * w])
    return (np.array([1.0, 0.0]), np.polymul(second, [1.0, w3])) if w3 > 0 else (np.array([1.0]), second)


def _high_pass(w: float, damping: float) -> tuple[Array, Array]:
    return np.array([1.0, 0.0, 0.0]), np.array([1.0, 2 * damping * w, w * w])


def _filtered(values: Array, numerator: Array, denominator: Array, step: float) -> Array:
    """Through a filter in s, from rest (bilinear transform)."""
    from scipy.signal import bilinear, lfilter

    b, a = bilinear(numerator, denominator, 1.0 / step)
    return np.asarray(lfilter(b, a, values, axis=0))


def _tilted(force: Array, g: Array, w: float, damping: float, top: float, step: float) -> Array:
    """Rotation vectors (n, 3) of the tilt that is felt like the lasting part of the specific force (n, 3)."""
    strength = float(np.linalg.norm(g))
    up = -g / strength
    lasting = _filtered(force, np.array([w * w]), np.array([1.0, 2 * damping * w, w * w]), step)
    size = np.linalg.norm(lasting, axis=1, keepdims=True)
    axis = np.cross(lasting, up) / np.where(size > 0, size, 1.0)
    wanted = np.arctan2(size, strength) * axis
    tilt = np.zeros_like(wanted)
    for k in range(1, len(wanted)):
        change = wanted[k] - tilt[k - 1]
        far = float(np.sqrt(change @ change))
        tilt[k] = tilt[k - 1] + change * min(1.0, top * step / far if far > 0 else 1.0)
    return average(tilt, int(SMOOTHING / step))


def _poses(p: Array, leaning: Array, turned: Array) -> Array:
    X = np.tile(np.eye(4), (len(p), 1, 1))
    X[:, :3, :3] = rotations(leaning) @ rotations(turned)
    X[:, :3, 3] = p
    return X
