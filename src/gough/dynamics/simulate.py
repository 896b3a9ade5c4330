"""Simulation: forward dynamics over time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import check_count, numbers, six
from gough.dynamics.controllers import Controller
from gough.dynamics.equations import inverse_dynamics
from gough.dynamics.integration import IMPLICIT, STOPS, Evaluated, StopEvent, check_integrator, check_start, stops_of
from gough.dynamics.model import AppliedWrench, ForceOf
from gough.dynamics.motions import Motion, states_along
from gough.dynamics.plant import Plant, closed_loop_poles, instability
from gough.errors import InputError, NotConvergedError, ShapeError
from gough.poses import PoseLike, checked_matrices
from gough.results import Labelled, returns_dataset
from gough.stacked import AnyMachine

RESULT_TIMES = 201
"""Default number of times of the result."""


@returns_dataset
@checks_arguments
def simulate(
    machine: AnyMachine,
    X0: PoseLike | None = None,
    V0: ArrayLike | None = None,
    force: ArrayLike | ForceOf | Controller | None = None,
    duration: float | None = None,
    *,
    wrench: ArrayLike | ForceOf | None = None,
    point: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = None,
    times: ArrayLike | None = None,
    samples: int = RESULT_TIMES,
    stop_at: Collection[str] = STOPS,
    singular_value: float | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-12,
    method: str | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> Labelled:
    """Simulate the machine under actuator forces, from a pose and twist.

    dX_BP/dt = V, dV/dt = `gough.forward_dynamics` (by definition), by SciPy's integrators with error control.

    Parameters
    ----------
    machine : Machine
    X0, V0 : PoseLike and (6,) array, optional
        Initial pose and twist. Without both, those of the motion that a controller follows, or home at rest; zero twist
        with a pose alone.
    force : (6,) array, function or Controller, optional
        Actuator forces [N or N m]: constant, a function of (time, pose, twist), or a controller; by default constant
        forces that hold the weight at the start.
    duration : float, optional
        [s]; by default that of the motion which a controller follows.
    wrench : (6,) array or function, optional
        Applied to the platform, in the base frame, about its origin or about `point` [N, N m].
    point : (3,) array, optional
        Where the wrench acts, in the platform frame [m].
    gravity : (3,) array, optional
        Acceleration of free fall [m/s2]; default: the machine's gravity.
    times : (n,) array, optional
        Times of the result, from 0 to `duration`; by default `samples` evenly spaced ones. They do not set the steps.
    samples : int
        At least 2.
    stop_at : collection of str
        Events that end the simulation: "limits" (any of the machine's limits is reached), "singularity" (one is near).
    singular_value : float, optional
        Threshold of "singularity"; by default the machine's `limits.singular_value` or 0.01.
    rtol, atol : float
        Relative and absolute error allowed in each step [m, 1, m/s, rad/s].
    method : str, optional
        SciPy's name of the integrator; by default "DOP853", or "BDF" for stiff motions: some component decays within a
        small part of the duration, as under controllers of legs and much friction. The attribute `method` names it.
    progress : callable, optional
        Called with the time reached and the duration [s].

    Returns
    -------
    xarray.Dataset
        See `gough.dynamics.histories.history`, up to the time of the stop; with a motion to follow also
        `joint_reference`, `joint_error` and `pose_error`, with a controller `speed_saturated` and `force_saturated`
        (leg), true where its demands were limited. The attributes `stopped_by`, `unstable` and `saturated` are "" or
        the reason in words, `unstable` by the poles of the controller's loop (`gough.dynamics.closed_loop_poles`);
        `saturated_part` (2,) is the part of the time in which a speed demand and a force of any leg were limited;
        `ended` is when and why it ended, `peak_joint_error` (leg) and `largest_error` the largest joint error as
        numbers and in words; `evaluations` counts those of the machine's equations.

    Raises
    ------
    InputError
        The machine has no masses, cannot be at the start, or exceeds there what would stop it; no duration is given or
        known, or it is that of a motion that does not begin at 0 s; the controller's loop is unstable where its motion
        begins, deviations grow by more than e in the duration, and `stop_at` has no "limits".
    NotConvergedError
        The integrator's steps vanish: forces that jump or oscillate without bound.

    """
    motion: Motion | None = force.motion if isinstance(force, Controller) else None
    X, V = _start(machine, X0, V0, motion)
    if force is None:
        still = np.zeros((*machine.stage_shape, 6))
        force = inverse_dynamics(machine, X, still, still, gravity=gravity)
    # The plant as a differential equation, and the events that end it.
    whole = _duration(duration, motion)
    report = None if progress is None else lambda time: progress(time, whole)
    plant = Plant(machine, force, AppliedWrench(machine.stage_shape, wrench, point), gravity, report)
    y0 = plant.start(X, V)
    unstable, growth = _instability(machine, force, wrench=wrench, point=point, gravity=gravity)
    if growth * whole > 1.0 and "limits" not in stop_at:
        raise InputError(f"{unstable}; it is simulated up to the first limit only: keep 'limits' in stop_at")
    t_eval = _times(times, whole, samples)
    check_integrator(method, rtol, atol)
    stops = stops_of(machine, stop_at, singular_value)
    check_start(stops, y0)
    rate = Evaluated(plant, whole, None if method in IMPLICIT else method, stop_at)
    how: dict[str, Any] = {"method": method or rate.method(y0), "rtol": rtol, "atol": atol}
    found = _up_to_stop(machine, rate, y0, t_eval, stops, **how)
    # The result, up to the stop; SciPy leaves an empty list where it stopped before the first of the times.
    t, y = np.asarray(found.t), np.reshape(np.transpose(found.y), (-1, len(y0)))
    stopped = next((k for k in range(len(stops)) if len(found.t_events[k])), None)
    reason = "" if stopped is None else stops[stopped].sentence(found.y_events[stopped][-1])
    if stopped is not None:
        t, y = np.append(t, found.t_events[stopped]), np.concatenate([y, found.y_events[stopped]])
    elif not (found.success and np.isfinite(y).all()):
        raise _vanished(machine, rate, float(t[np.isfinite(y).all(axis=1)].max(initial=0.0)))
    ended = f"stopped at {t[-1]:.6g} s: {reason}" if reason else f"ran to its end at {t[-1]:.6g} s"
    attrs = {"stopped_by": reason, "ended": ended, "unstable": unstable, "evaluations": rate.count, **how}
    if "limits" in stop_at:
        attrs["limits_broken"] = ""
    return plant.answer(t, np.ascontiguousarray(y), found.sol, attrs)


def _instability(machine: AnyMachine, force: object, **applied: Any) -> tuple[str, float]:
    """Sentence on a controller whose closed loop is unstable where its motion begins, and the rate of growth [1/s]; ""
    and 0 for others.

    A loop whose forces are clipped there has no poles of its own; `saturated` reports it.
    """
    if not isinstance(force, Controller) or force.motion is None:
        return "", 0.0
    X, V, _ = states_along(machine, force.motion, 0.0)
    if force.saturation(0.0, X, V, np.zeros(force.memory))[1].any():
        return "", 0.0
    poles = closed_loop_poles(machine, force, X, **applied)
    words = instability(machine, poles, X)
    return words, float(poles[-1].real) if words else 0.0


def _up_to_stop(
    machine: AnyMachine, rate: Evaluated, y0: Array, t_eval: Array, stops: list[StopEvent], **how: Any
) -> Any:
    """Result of SciPy's `solve_ivp` over the duration, or up to the first stop."""
    how |= {"events": stops or None, "dense_output": True}
    found = _solved(machine, rate, y0, (0.0, rate.duration), t_eval=t_eval, **how)
    while found.success and (end := min((stop.passed(found.sol) for stop in stops), default=np.inf)) < np.inf:
        # A stop is passed and left again within a step: the solution as far as there crosses it.
        shorter = _solved(machine, rate, y0, (0.0, end), t_eval=t_eval[t_eval <= end], **how)
        if not any(map(len, shorter.t_events)):
            break  # by less than the integrator's error
        found = shorter
    return found


def _solved(machine: AnyMachine, rate: Evaluated, y0: Array, span: tuple[float, float], **how: Any) -> Any:
    """Result of SciPy's `solve_ivp`; `NotConvergedError` where an implicit method fails at non-finite rates."""
    from scipy.integrate import solve_ivp

    if how["method"] in IMPLICIT:
        how["jac"] = rate.jacobian
    if how["method"] == "BDF":
        how["method"] = _bdf()
    try:
        return solve_ivp(rate, span, y0, **how)
    except (ValueError, np.linalg.LinAlgError):
        # Implicit methods factorise a Jacobian of the rates, and raise these errors where it is not finite.
        if rate.is_finite:
            raise
        raise _vanished(machine, rate, rate.time) from None


@cache
def _bdf() -> Any:
    """SciPy's BDF with a table of differences that begins with zeros.

    SciPy's is read before it is written. What is read has no effect, but may be infinite, for a warning now and then.
    """
    from scipy.integrate import BDF

    class FromZero(BDF):  # type: ignore[misc]
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.D[2:] = 0.0

    return FromZero


def _start(
    machine: AnyMachine, X0: PoseLike | None, V0: ArrayLike | None, motion: Motion | None
) -> tuple[Array, Array]:
    """Pose and twist at the start."""
    V = None if V0 is None else six("V0", V0)
    if X0 is None and motion is not None:
        X, along, _ = states_along(machine, motion, 0.0)
        return X, along if V is None else V
    X = machine.X_home if X0 is None else checked_matrices(X0)
    return X, np.zeros((*machine.stage_shape, 6)) if V is None else V


def _duration(duration: float | None, motion: Motion | None) -> float:
    if duration is not None:
        return duration
    if motion is None:
        raise InputError("duration [s] is required")
    begin, end = motion.span
    if begin != 0:
        raise InputError(f"duration: the motion begins at {begin:g} s, and a simulation at 0 s; pass the duration")
    return end


def _times(times: ArrayLike | None, duration: float, samples: int) -> Array:
    if not (np.isfinite(duration) and duration > 0):
        raise InputError(f"duration: {duration:g} s, expected above 0 s")
    if times is None:
        if samples < 2:
            raise InputError(f"samples {samples}: need at least 2, start and end")
        check_count("samples", samples)
        return np.linspace(0.0, duration, samples)
    t = numbers("times", times)
    if t.ndim != 1 or not len(t):
        raise ShapeError.expected("times", "(n,)", t.shape)
    if not ((t >= 0) & (t <= duration)).all():
        raise InputError(f"times: {t.min():g} to {t.max():g} s, expected 0 to the duration, {duration:g} s")
    if not (np.diff(t) > 0).all():
        raise InputError("times: they must increase")
    return t


def _vanished(machine: AnyMachine, rate: Evaluated, time: float) -> NotConvergedError:
    return NotConvergedError(
        f"the simulation of {machine.name!r} got stuck at {time:.6g} s: its steps vanish. A slider or crank is at its "
        f"turning point, or the forces jump{rate.stop_first('the former')}"
    )
