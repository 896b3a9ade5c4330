"""Simulation: forward dynamics over time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import check_count, numbers, of_shape, six
from gough.displacements import displacement
from gough.dynamics._equations import STATE_NUMBERS, states_of
from gough.dynamics.arguments import AppliedWrench, ForceOf, function_of
from gough.dynamics.controllers import Command, Controller
from gough.dynamics.drive_peaks import motion_extremes
from gough.dynamics.equations import check_moves, forward_dynamics, inverse_dynamics
from gough.dynamics.histories import history, joint_unit, saturation
from gough.dynamics.integration import IMPLICIT, STOPS, Evaluated, check_integrator, check_start, stops_of
from gough.dynamics.model import state_rate_of
from gough.dynamics.motions import Motion, States, states_along
from gough.errors import InputError, NotConvergedError, ShapeError
from gough.kinematics.inverse import inverse_kinematics
from gough.poses import PoseLike, checked_matrices
from gough.present.show import fitting
from gough.present.units import with_unit
from gough.results import Labelled, returns_dataset
from gough.stacked import AnyMachine

if TYPE_CHECKING:
    from scipy.integrate import OdeSolution

MOST = 5000
"""Largest number of intervals that are halved for extremes: forces are evaluated one by one."""
SAMPLES = 201
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
    samples: int = SAMPLES,
    stop_at: Collection[str] = STOPS,
    singular_value: float | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-12,
    method: str | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> Labelled:
    """Motion of the machine under actuator forces, from a pose and twist.

    dX_BP/dt = V, dV/dt = `gough.forward_dynamics` (by definition), by SciPy's integrators with error control.

    Parameters
    ----------
    machine : Machine
    X0, V0 : PoseLike and (6,) array, optional
        Initial pose and twist; of two stages (2, 4, 4) and (2, 6), and so in functions of them. Without both, those of
        the motion that a controller follows, or home at rest; zero twist with a pose alone.
    force : (6,) array, function or Controller, optional
        Actuator forces [N or N m], (12,) of two stages: constant, a function of (time, pose, twist), or a controller;
        by default constant forces that hold the weight at the start.
    duration : float, optional
        [s]; by default that of the motion which a controller follows.
    wrench : (6,) array or function, optional
        Applied to the platform, in the base frame, about its origin or about `point` [N, N m]. Of two stages to the end
        platform; (2, 6) to both.
    point : (3,) array, optional
        Where the wrench acts, in the platform frame [m].
    gravity : (3,) array, optional
        The machine's own where not given [m/s2].
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
        (leg), true where its demands were limited. The attributes `stopped_by` and `saturated` are "" or the reason in
        words, `ended` is when and why it ended, `peak_joint_error` (leg) and `largest_error` the largest joint error as
        numbers and in words; `evaluations` counts those of the machine's equations. Of two stages also `work`, that of
        actuators and wrenches [J]: `energy` less `work` is constant but for friction and the integrator's error.

    Raises
    ------
    InputError
        The machine has no masses, cannot be at the start, or exceeds there what would stop it; no duration is given or
        known, or it is that of a motion that does not begin at 0 s.
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
    plant = _Plant(machine, force, AppliedWrench(machine.stage_shape, wrench, point), gravity, report)
    y0 = plant.start(X, V)
    t_eval = _times(times, whole, samples)
    check_integrator(method, rtol, atol)
    stops = stops_of(machine, stop_at, singular_value)
    check_start(stops, y0)
    rate = Evaluated(plant, whole, None if method in IMPLICIT else method, stop_at)
    how: dict[str, Any] = {"method": method or rate.method(y0), "rtol": rtol, "atol": atol}
    found = _solved(machine, rate, y0, (0.0, whole), t_eval=t_eval, events=stops or None, dense_output=True, **how)
    # The result, up to the stop; SciPy leaves an empty list where it stopped before the first of the times.
    t, y = np.asarray(found.t), np.reshape(np.transpose(found.y), (-1, len(y0)))
    stopped = next((k for k in range(len(stops)) if len(found.t_events[k])), None)
    reason = "" if stopped is None else stops[stopped].sentence(found.y_events[stopped][-1])
    if stopped is not None:
        t, y = np.append(t, found.t_events[stopped]), np.concatenate([y, found.y_events[stopped]])
    elif not (found.success and np.isfinite(y).all()):
        raise _vanished(machine, rate, float(t[np.isfinite(y).all(axis=1)].max(initial=0.0)))
    ended = f"stopped at {t[-1]:.6g} s: {reason}" if reason else f"ran to its end at {t[-1]:.6g} s"
    attrs = {"stopped_by": reason, "ended": ended, "evaluations": rate.count, **how}
    return plant.answer(t, np.ascontiguousarray(y), found.sol, attrs)


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


class _Plant:
    """The machine with its drives as a differential equation in SciPy's form.

    States are those of `_equations` for each platform, the controller's memory, and for two stages the work.
    """

    def __init__(
        self,
        machine: AnyMachine,
        force: ArrayLike | ForceOf | Controller,
        wrench: AppliedWrench,
        gravity: bool | ArrayLike | None,
        progress: Callable[[float], None] | None,
    ) -> None:
        self.machine, self.rate = machine, state_rate_of(machine)
        self.shape, count = machine.stage_shape, len(machine.stages)
        self.legs, self.size, self.has_work = 6 * count, STATE_NUMBERS * count, count > 1
        self.controller = force if isinstance(force, Controller) else None
        self.memory = 0 if self.controller is None else self.controller.memory
        self.command = _command_of(force, self.legs)
        self.wrench, self.progress = wrench, progress
        self.gravity = of_shape("gravity", machine.free_fall(gravity), "(3,)").copy()
        # Constant forces are evaluated once, at any state.
        self.is_constant = self.controller is None and not callable(force) and wrench.is_constant
        if self.is_constant:
            self.constant = self.forces_at(0.0, machine.X_home, np.zeros((*self.shape, 6)), np.empty(0))

    def start(self, X: Array, V: Array) -> Array:
        """Initial state; `InputError` where the machine cannot move from there."""
        from scipy.spatial.transform import Rotation

        pose, twist = (*self.shape, 4, 4), (*self.shape, 6)
        if X.shape != pose or V.shape != twist:
            raise ShapeError(f"a start is one pose {pose} and one twist {twist}, got {X.shape} and {V.shape}")
        # Accelerations at the start exist exactly if the legs close and the mass matrix is positive.
        f, F, _ = self.forces_at(0.0, X, V, np.zeros(self.memory))
        A = forward_dynamics(self.machine, X, V, f, F, self.gravity)
        check_moves(self.machine, X, A)
        turn = Rotation.from_matrix(X[..., :3, :3]).as_quat()
        more = np.zeros(self.memory + self.has_work)
        return np.concatenate([np.concatenate([X[..., :3, 3], turn, V], axis=-1).ravel(), more])

    def forces_at(self, t: float, X: Array, V: Array, memory: Array) -> tuple[Array, Array, Array]:
        """Actuator forces, wrench and the rate of the controller's memory."""
        force, memory_rate = self.command(t, X, V, memory)
        return force, self.wrench(t, X, V), memory_rate

    def __call__(self, t: float, y: Array) -> Array:
        """Rate of the state y."""
        if self.progress is not None:
            self.progress(t)
        # y has the states of the platforms up to n, the controller's memory up to m, then the work of two stages.
        dy, n, m = np.empty(len(y)), self.size, self.size + self.memory
        if self.is_constant:
            force, wrench, dy[n:m] = self.constant
        else:
            force, wrench, dy[n:m] = self.forces_at(t, *states_of(self.shape, y), y[n:m])
        power = self.rate(np.ascontiguousarray(y[:n]), force, wrench, self.gravity, dy[:n])
        if power is not None:
            dy[m] = power
        return dy

    def answer(self, t: Array, y: Array, solution: OdeSolution, attrs: dict[str, Any]) -> Labelled:
        """Histories of the states y at times t, and extremes of the continuous solution."""
        path, motion = _Simulated(self, solution), None if self.controller is None else self.controller.motion
        X, _, _ = states = path.states(t, y)
        force, wrench = path.forces
        of_platform = ("time", *self.machine.stage_dims, "component")
        more: dict[str, Any] = {"wrench": (of_platform, wrench, {"units": "N, N m"})}
        if self.has_work:
            work = y[:, self.size + self.memory]
            more["work"] = "time", work, {"units": "J", "long_name": "of actuators and wrenches since the start"}

        def errors(time: Array, at: States) -> dict[str, Array]:
            if self.controller is None or motion is None:
                return {}
            wanted = states_along(self.machine, motion, time)[0]
            return {"joint_error": _errors(self.controller.machine, wanted, at[0])["joint_error"][1]}

        span = float(t[0]), float(t[-1])
        found = motion_extremes(self.machine, path, lambda *_: path.forces[0], span=span, more=errors, most=MOST)
        if self.controller is not None:
            if motion is not None:
                more |= _errors(self.controller.machine, states_along(self.machine, motion, t)[0], X)
                error = found["joint_error"].peak
                attrs = {**attrs, "peak_joint_error": error, "largest_error": _largest_error(self.machine, error)}
            of_controller = self.of_controller(t, y)
            is_cut = np.reshape([self.controller.saturation(*state) for state in of_controller], (-1, 2, self.legs))
            more |= {f"{name}_saturated": (("time", "leg"), is_cut[:, k]) for k, name in enumerate(("speed", "force"))}
            attrs = {**attrs, "saturated": saturation(self.machine, t, is_cut)}
        return history.labelled(self.machine, t, states, force, found, self.gravity, more, attrs)

    def of_controller(self, t: Array, y: Array) -> list[tuple[float, Array, Array, Array]]:
        """Times (n,), poses, twists and the controller's memory in states y, one by one."""
        return list(zip(t.tolist(), *states_of(self.shape, y), y[:, self.size : self.size + self.memory], strict=True))


class _Simulated:
    """The motion of a plant by the continuous solution of its equations, smooth between the steps.

    Attributes
    ----------
    forces : (n, legs) and (n, ..., 6) array
        Of the actuators, and wrenches, at the times of the last call.

    """

    def __init__(self, plant: _Plant, solution: OdeSolution) -> None:
        self.plant, self.solution = plant, solution
        self.knots, self.span = solution.ts, (solution.t_min, solution.t_max)

    def __call__(self, time: ArrayLike) -> States:
        """See `Motion`."""
        t = np.asarray(time, dtype=float)
        return self.states(t, np.ascontiguousarray(self.solution(t).T))

    def states(self, t: Array, y: Array) -> States:
        """Poses, twists and accelerations at times t (n,) with states y of the equations."""
        plant = self.plant
        applied = [plant.forces_at(*state) for state in plant.of_controller(t, y)]
        force = np.reshape([each[0] for each in applied], (-1, plant.legs))
        wrench = np.reshape([each[1] for each in applied], (-1, *plant.shape, 6))
        self.forces = force, wrench
        X, V = states_of(plant.shape, y)
        return X, V, forward_dynamics(plant.machine, X, V, force, wrench, plant.gravity)


def _errors(machine: AnyMachine, wanted: Array, X: Array) -> dict[str, Any]:
    """Reference of the joints, and errors of joints and platforms."""
    q, unit = inverse_kinematics(machine, wanted), {"units": joint_unit(machine)}
    return {
        "joint_reference": (("time", "leg"), q, unit),
        "joint_error": (("time", "leg"), q - inverse_kinematics(machine, X), unit),
        "pose_error": (("time", *machine.stage_dims, "component"), displacement(X, wanted), {"units": "m, rad"}),
    }


def _command_of(force: ArrayLike | ForceOf | Controller, count: int) -> Callable[[float, Array, Array, Array], Command]:
    if isinstance(force, Controller):
        return force.command
    function = function_of("force", force, (count,))
    return lambda t, X, V, memory: (function(t, X, V), memory)


def _largest_error(machine: AnyMachine, error: Array) -> str:
    """Largest error of a joint of each stage, in words, of largest errors (legs,)."""
    parts = zip(np.split(error, len(machine.stages)), machine.stages, strict=True)
    worst = [(float(part.max()), stage.legs.joint_unit) for part, stage in parts]
    return machine.by_stage(with_unit(machine, error, fitting(machine, error, unit), 3) for error, unit in worst)


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
        raise InputError("duration: give how long to simulate, in s")
    begin, end = motion.span
    if begin != 0:
        raise InputError(f"duration: the motion begins at {begin:g} s, and a simulation at 0 s; give how long it is")
    return end


def _times(times: ArrayLike | None, duration: float, samples: int) -> Array:
    if not (np.isfinite(duration) and duration > 0):
        raise InputError(f"duration: {duration:g} s is not above 0 s")
    if times is None:
        if samples < 2:
            raise InputError(f"samples {samples}: the answer needs at least 2, its begin and end")
        check_count("samples", samples)
        return np.linspace(0.0, duration, samples)
    t = numbers("times", times)
    if t.ndim != 1 or not len(t):
        raise ShapeError.expected("times", "(n,)", t.shape)
    if not ((t >= 0) & (t <= duration)).all():
        raise InputError(f"times: {t.min():g} to {t.max():g} s, expected times from 0 to the duration, {duration:g} s")
    if not (np.diff(t) > 0).all():
        raise InputError("times: they must increase")
    return t


def _vanished(machine: AnyMachine, rate: Evaluated, time: float) -> NotConvergedError:
    return NotConvergedError(
        f"the simulation of {machine.name!r} got stuck at {time:.6g} s: its steps vanish. A slider or crank is at its "
        f"turning point, or the forces jump{rate.stop_first('the former')}"
    )
