"""Motions: functions of time that return pose, twist and acceleration of the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape, six
from gough.displacements import displaced
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, one_pose
from gough.present.show import bracketed, plain
from gough.results import ShowsFacts
from gough.stacked import AnyMachine, by_machine

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline
    from scipy.spatial.transform import RotationSpline

States = tuple[Array, Array, Array]
"""Poses, twists and accelerations."""
SHORTEST_STEP = 1e-9
"""Smallest time between two poses of a motion [s]: rates of closer ones would overflow."""


class Motion(Protocol):
    """A motion of the platform in time.

    Times between which alone a motion is smooth are its attribute `knots` (m,) [s]: extremes are found between them.

    Attributes
    ----------
    span : (float, float)
        First and last time of the motion [s].

    """

    @property
    def span(self) -> tuple[float, float]: ...  # noqa: D102

    def __call__(self, time: ArrayLike, /) -> States:
        """Poses (..., 4, 4), twists (..., 6) and accelerations (..., 6) at times (...) [s]."""


@by_machine
def states_of_all(machine: Machine, states: States) -> States:
    """Return states of all platforms, pose (..., 4, 4), twist and acceleration (..., 6), from those of the platform:
    these."""
    return states


def states_along(machine: AnyMachine, motion: Motion, time: ArrayLike) -> States:
    """Return states of all platforms at times (...) of a motion of the (end) platform, or of all platforms."""
    states = motion(time)
    is_of_all = states[0].ndim == np.ndim(time) + 2 + len(machine.stage_shape)
    return states if is_of_all else states_of_all(machine, states)


class CosineMotion(ShowsFacts):
    """Motion along one direction and back: displacement amplitude (1 - cos(pi t / half_period)) from a start.

    Sinatra, Xi, Staicu (2009), eq. (6), with a half period of 3 s. The farthest point, twice the amplitude, is reached
    at half_period, the start again at twice that.

    Parameters
    ----------
    direction : (6,) array
        Displacement per amplitude [d, theta] of the platform's origin, in the base frame: metres along d, radians about
        the constant axis theta.
    amplitude : float
    half_period, duration : float
        [s]; the duration is half_period by default.
    start : PoseLike
        One pose.

    """

    @checks_arguments
    def __init__(
        self,
        start: PoseLike,
        direction: ArrayLike,
        amplitude: float,
        half_period: float = 3.0,
        duration: float | None = None,
    ) -> None:
        self.start, self.direction = one_pose(start, name="start"), six("direction", direction)
        if not (np.isfinite(half_period) and half_period > 0):
            raise InputError(f"half_period: {half_period:g} s, expected above 0 s")
        self.amplitude, self.half_period = amplitude, half_period
        self.span = (0.0, half_period if duration is None else duration)

    def facts(self) -> dict[str, str]:
        """Return the duration, start, and amplitude."""
        farthest = 2 * self.amplitude * self.direction
        parts = [bracketed(part, unit) for part, unit in ((farthest[:3], "m"), (farthest[3:], "rad")) if part.any()]
        return {
            "time": interval(self.span),
            "start": bracketed(self.start[:3, 3], "m"),
            "farthest": f"{' and '.join(parts) or '0 m'} from it, after {plain(self.half_period)} s",
        }

    def __call__(self, time: ArrayLike) -> States:
        """See `Motion`."""
        rate, t = np.pi / self.half_period, numbers("time", time)[..., None]
        shift = self.amplitude * (1 - np.cos(rate * t)) * self.direction
        V = self.amplitude * rate * np.sin(rate * t) * self.direction
        A = self.amplitude * rate**2 * np.cos(rate * t) * self.direction
        return displaced(self.start, shift), V, A


class SplineMotion(ShowsFacts):
    """Motion through poses at specified times, with continuous acceleration: cubic splines of position and rotation.

    Rotations are interpolated on the rotation group (SciPy's `RotationSpline`). The splines are extrapolated before the
    first and after the last time.

    Parameters
    ----------
    time : (n,) array
        Increasing, at least two [s].
    X : PoseLike, (n, 4, 4)

    Attributes
    ----------
    knots : (n,) array
        The times [s].
    span : (float, float)
        First and last of them [s].

    """

    @checks_arguments
    def __init__(self, time: ArrayLike, X: PoseLike) -> None:
        from scipy.interpolate import CubicSpline
        from scipy.spatial.transform import Rotation, RotationSpline

        t, poses = numbers("time", time), checked_matrices(X)
        _check_times(t, poses)
        self.knots = t
        self.span, self._stage_shape = (float(t[0]), float(t[-1])), poses.shape[1:-2]
        each = np.moveaxis(poses.reshape(len(t), -1, 4, 4), 1, 0)
        self._splines: list[tuple[CubicSpline, RotationSpline]] = [
            (CubicSpline(t, X[:, :3, 3]), RotationSpline(t, Rotation.from_matrix(X[:, :3, :3]))) for X in each
        ]

    def facts(self) -> dict[str, str]:
        """Return the duration, number of poses, start and end."""
        ends = {name: self(t)[0].reshape(-1, 4, 4)[-1] for name, t in zip(("start", "end"), self.span, strict=True)}
        return {
            "time": interval(self.span),
            "poses": str(len(self.knots)),
            **{name: bracketed(X[:3, 3], "m") for name, X in ends.items()},
        }

    def __call__(self, time: ArrayLike) -> States:
        """See `Motion`."""
        t = numbers("time", time)
        X, V, A = map(np.stack, zip(*(spline_states(*each, t.ravel()) for each in self._splines), strict=True))
        shape = (*t.shape, *self._stage_shape)
        X, V, A = (np.moveaxis(part, 0, 1) for part in (X, V, A))  # times first, then platforms
        return X.reshape(*shape, 4, 4), V.reshape(*shape, 6), A.reshape(*shape, 6)


def interval(span: tuple[float, float]) -> str:
    """Return first and last time [s] in words."""
    return f"{plain(span[0])} to {plain(span[1])} s"


def spline_states(position: CubicSpline, rotation: RotationSpline, s: Array) -> States:
    """Return poses and their derivatives at parameters (n,) of a spline of positions and one of rotations."""
    X = np.tile(np.eye(4), (len(s), 1, 1))
    R = rotation(s).as_matrix()
    X[:, :3, :3], X[:, :3, 3] = R, position(s)
    # SciPy returns angular rates in the axes of the body.
    V, A = (np.concatenate([position(s, k), (R @ rotation(s, k)[..., None])[..., 0]], axis=1) for k in (1, 2))
    return X, V, A


def _check_times(t: Array, X: Array) -> None:
    if t.ndim != 1 or len(t) < 2:
        raise InputError("time: a motion needs at least two poses, each at its time")
    of_shape("X", X, f"({len(t)}, 4, 4) or ({len(t)}, 2, 4, 4)")
    if not np.isfinite(t).all():
        raise InputError("time: a time is not a finite number")
    if not np.isfinite(X).all():
        raise InputError("X: a pose has an entry that is not finite")
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        k = int(back[0])
        raise InputError(f"time: {t[k + 1]:g} s comes after {t[k]:g} s (pose {k + 2}); times must increase")
    if len(near := np.flatnonzero(np.diff(t) < SHORTEST_STEP)):
        k = int(near[0])
        raise InputError(
            f"time: pose {k + 2} comes {t[k + 1] - t[k]:g} s after the one before, at least {SHORTEST_STEP:g} s"
        )


NAMED = {"vertical": 0.15, "horizontal": 0.1, "rotation": np.pi / 12}
"""The motions of Sinatra, Xi and Staicu (2009) by name, with their amplitudes [m, m, rad]."""


@checks_arguments
def named_motion(
    machine: AnyMachine,
    name: str,
    amplitude: float | None = None,
    half_period: float = 3.0,
    duration: float | None = None,
) -> CosineMotion:
    """Build one of the motions of Sinatra, Xi and Staicu (2009), from the home of any machine.

    Parameters
    ----------
    machine : Machine
    name : str
        "vertical" (against gravity; along z where there is none), "horizontal" (along x of the base) or "rotation"
        (about z of the base).
    amplitude : float, optional
        Half the shift [m or rad]; the paper's 0.15 m, 0.1 m and pi/12 where not given.
    half_period, duration : float
        [s]; as in `CosineMotion`.

    Returns
    -------
    CosineMotion
        From home, from rest to rest.

    Raises
    ------
    InputError
        No motion has this name; the message lists the names.

    """
    if name not in NAMED:
        raise InputError(f"unknown motion {name!r}, expected {', '.join(NAMED)}")
    # Displacement [d, theta] for unit amplitude.
    direction = np.zeros(6)
    pull = float(np.linalg.norm(machine.gravity))
    if name == "vertical":
        direction[:3] = -machine.gravity / pull if pull > 0 else (0.0, 0.0, 1.0)
    else:
        direction[0 if name == "horizontal" else 5] = 1.0
    return CosineMotion(
        machine.end_home, direction, NAMED[name] if amplitude is None else amplitude, half_period, duration
    )
