"""A machine under forces or a controller: the rates of its state, its history, its poles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import displacement
from gough.dynamics._equations import STATE_NUMBERS, states_of
from gough.dynamics.controllers import Command, Controller, LegPID
from gough.dynamics.drive_peaks import motion_extremes, times_between
from gough.dynamics.equations import check_moves, forward_dynamics
from gough.dynamics.extremes import extremes
from gough.dynamics.histories import history, joint_unit, limits_broken, saturation
from gough.dynamics.integration import DIFFERENCE, Evaluated
from gough.dynamics.model import AppliedWrench, ForceOf, function_of, state_rate_of
from gough.dynamics.motions import Motion, States, states_along
from gough.errors import ShapeError
from gough.kinematics.inverse import inverse_kinematics
from gough.poses import PoseLike, checked_matrices
from gough.present.show import fitting, significant
from gough.present.units import with_unit
from gough.results import Labelled
from gough.stacked import AnyMachine

if TYPE_CHECKING:
    from scipy.integrate import OdeSolution


HALVED_INTERVALS = 5000
"""Largest number of intervals that are halved for extremes: forces are evaluated one by one."""


class Plant:
    """The machine with its drives as a differential equation in SciPy's form.

    The state has the numbers of `_equations` for each platform, the controller's memory, and for two stages the work.
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
        """Return initial state; `InputError` where the machine cannot move from there."""
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
        """Return actuator forces, wrench and the rate of the controller's memory."""
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
        """Return histories of the states y at times t, and extremes of the continuous solution."""
        path, motion = Simulated(self, solution), None if self.controller is None else self.controller.motion
        X, _, _ = states = path.states(t, y)
        force, wrench = path.forces
        of_platform = ("time", *self.machine.stage_dims, "component")
        more: dict[str, Any] = {"wrench": (of_platform, wrench, {"units": "N, N m"})}
        if self.has_work:
            work = y[:, self.size + self.memory]
            more["work"] = "time", work, {"units": "J", "long_name": "of actuators and wrenches since the start"}

        def of_control(time: Array, at: States) -> dict[str, Array]:
            if self.controller is None:
                return {}
            found = {"demand": path.demands(time).reshape(len(time), -1)}
            if motion is not None:
                wanted = states_along(self.machine, motion, time)[0]
                found["joint_error"] = _errors(self.controller.machine, wanted, at[0])["joint_error"][1]
            return found

        span = float(t[0]), float(t[-1])
        found = motion_extremes(
            self.machine,
            path,
            lambda *_: path.forces[0],
            span=span,
            more=of_control,
            is_state=True,
            most=HALVED_INTERVALS,
        )
        knots = times_between(path, span)
        if "limits_broken" not in attrs:
            attrs = {**attrs, "limits_broken": limits_broken(self.machine, path.poses, knots, HALVED_INTERVALS)}
        if self.controller is not None:
            if motion is not None:
                more |= _errors(self.controller.machine, states_along(self.machine, motion, t)[0], X)
                error = found["joint_error"].peak
                attrs = {**attrs, "peak_joint_error": error, "largest_error": _largest_error(self.machine, error)}
            is_cut = np.reshape(
                [self.controller.saturation(*each) for each in self.of_controller(t, y)], (-1, 2, self.legs)
            )
            more |= {f"{name}_saturated": (("time", "leg"), is_cut[:, k]) for k, name in enumerate(("speed", "force"))}
            peaks = found["demand"].peak.reshape(2, -1)
            parts = path.saturated_parts(knots, peaks)
            attrs = {**attrs, "saturated": saturation(self.machine, peaks, parts), "saturated_part": parts}
        return history.labelled(self.machine, t, states, force, found, self.gravity, more, attrs)

    def of_controller(self, t: Array, y: Array) -> list[tuple[float, Array, Array, Array]]:
        """Return times (n,), poses, twists and the controller's memory in states y, one by one."""
        return list(zip(t.tolist(), *states_of(self.shape, y), y[:, self.size : self.size + self.memory], strict=True))


class Simulated:
    """The motion of a plant by the continuous solution of its equations, smooth between the steps.

    Attributes
    ----------
    forces : (n, legs) and (n, ..., 6) array
        Of the actuators, and wrenches, at the times of the last call.

    """

    def __init__(self, plant: Plant, solution: OdeSolution) -> None:
        self.plant, self.solution = plant, solution
        self.knots, self.span = solution.ts, (solution.t_min, solution.t_max)

    def __call__(self, time: ArrayLike) -> States:
        """See `Motion`."""
        t = np.asarray(time, dtype=float)
        return self.states(t, np.ascontiguousarray(self.solution(t).T))

    def poses(self, time: Array) -> Array:
        """Return poses at times (n,)."""
        return states_of(self.plant.shape, np.ascontiguousarray(self.solution(time).T))[0]

    def demands(self, time: Array) -> Array:
        """Return demands (n, 2, legs) of the controller at times (n,), see `Controller.demand`."""
        plant, controller = self.plant, self.plant.controller
        assert controller is not None
        states = plant.of_controller(time, np.ascontiguousarray(self.solution(time).T))
        return np.reshape([controller.demand(*each) for each in states], (-1, 2, plant.legs))

    def saturated_parts(self, knots: Array, peaks: Array) -> Array:
        """Return parts (2,) of the time from the first to the last of the knots in which a speed demand and a force of
        any leg are clipped; `peaks` (2, legs) are the largest demands."""
        found = np.zeros(2)
        for k in np.flatnonzero((peaks > 1.0).any(axis=1)):
            # The part in which none is clipped is that in which one, the limit, is the largest of them all.
            every = lambda t: {"demand": np.insert(self.demands(t)[:, k], 0, 1.0, axis=1)}  # noqa: B023, E731
            found[k] = 1.0 - extremes(every, knots, limits={"demand": 1.0}, most=HALVED_INTERVALS)["demand"].share[0]
        return found

    def states(self, t: Array, y: Array) -> States:
        """Return poses, twists and accelerations at times t (n,) with states y of the equations."""
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


NEUTRAL = DIFFERENCE**0.5
"""Real part of a pole that counts as zero, as a part of the largest pole: by this much the derivatives' error splits a
double pole at zero."""
DOUBLINGS = 10
"""Number of doublings of a bandwidth that are tried."""
EQUAL_POSES = 1e-9
"""Difference of the elements of equal poses [1, m]."""


@checks_arguments
def closed_loop_poles(
    machine: AnyMachine,
    controller: Controller,
    X: PoseLike | None = None,
    *,
    wrench: ArrayLike | None = None,
    point: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = None,
) -> Array:
    """Compute the poles of the closed loop, linearised about rest at a pose that the controller holds.

    They are the eigenvalues of the derivative of the equations of motion and of the controller's memory by the pose,
    the twist and the memory, by whose signs a small deviation grows or dies out (Lyapunov 1892). Coulomb friction,
    which has no derivative at rest, is left out of the machine and of the controller's models.

    Parameters
    ----------
    machine : Machine
    controller : Controller
    X : PoseLike, optional
        Default: home.
    wrench, point, gravity
        As in `gough.simulate`.

    Returns
    -------
    (n,) array
        Complex [1/s], in ascending order of their real parts; n is 12 for each platform, and the controller's memory.
        Deviations die out if all real parts are negative. A memory that no force depends on has poles at zero.

    Raises
    ------
    InputError
        The machine has no masses, or cannot move at the pose.

    """
    from scipy.linalg import null_space

    pose = machine.X_home if X is None else checked_matrices(X)
    applied, alone = AppliedWrench(machine.stage_shape, wrench, point), machine.without_coulomb_friction()
    plant = Plant(alone, controller.held_at(pose), applied, gravity, None)
    y = plant.start(pose, np.zeros((*machine.stage_shape, 6)))
    # Changes of unit quaternions are perpendicular to them, and the work of two stages follows from the other states.
    fixed = np.zeros((len(machine.stages), len(y)))
    for k, row in enumerate(fixed):
        turn = slice(STATE_NUMBERS * k + 3, STATE_NUMBERS * k + 7)
        row[turn] = y[turn]
    free = null_space(np.concatenate([fixed, np.eye(len(y))[plant.size + plant.memory :]]))
    poles = np.linalg.eigvals(free.T @ Evaluated(plant, 1.0).jacobian(0.0, y) @ free)
    return np.asarray(poles[np.lexsort((poles.imag, poles.real))])


def instability(machine: AnyMachine, poles: Array, X: Array) -> str:
    """Return sentence on the least stable of the poles (n,) of a closed loop at a pose; empty where none is
    unstable."""
    worst = poles[-1]
    if not worst.real > NEUTRAL * np.abs(poles).max():
        return ""
    where = "at home" if np.allclose(X, machine.X_home, rtol=0, atol=EQUAL_POSES) else "where the motion begins"
    rate = significant(worst.real, 3)
    pole = f"{rate} ± {significant(abs(worst.imag), 3)}i" if abs(worst.imag) > NEUTRAL * abs(worst) else rate
    return (
        f"the closed loop is unstable {where}: a pole at {pole} 1/s, with which deviations grow by e in "
        f"{significant(1 / worst.real, 3)} s"
    )


def settling_pid(
    machine: AnyMachine, motion: Motion, bandwidth: float, decay: float, *, has_integral: bool = True, **applied: Any
) -> tuple[LegPID, float, Array]:
    """Return the tuned controller that holds the weight with the smallest of the bandwidths w, 2 w, 4 w, ... at which
    every pole at home decays by at least a rate [1/s], with its bandwidth [rad/s] and poles; the last where none does.
    `applied` is as in `closed_loop_poles`."""
    for k in range(DOUBLINGS + 1):
        w = bandwidth * 2.0**k
        pid = LegPID.tuned(machine, motion, w, has_integral=has_integral, holds_weight=True)
        poles = closed_loop_poles(machine, pid, **applied)
        if poles[-1].real <= -decay:
            break
    return pid, w, poles
