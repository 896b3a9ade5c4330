"""Simulation of both stages: direct dynamics over time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.dynamics.arguments import check_integrator
from gough.dynamics.simulate import bounded
from gough.errors import InputError, NotConvergedError, ShapeError
from gough.poses import PoseLike
from gough.stacked import StackedMachine
from gough.stages.dynamics import forward_dynamics
from gough.stages.equations import gravity_of, kinetic_energy, potential_energy
from gough.stages.forward import joints_of
from gough.stages.frames import both_poses, both_six
from gough.stages.limits import margins
from gough.stages.rates import joint_rates

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]
ForceOf: TypeAlias = Callable[[float, Array, Array], ArrayLike]
"""Numbers from time [s], poses (2, 4, 4) and twists (2, 6): twelve forces, or a wrench."""

SAMPLES = 201
"""Times in the answer where the caller names none."""
STOPS = ("limits",)
BODY, TWISTS, WORK = slice(0, 14), slice(14, 26), 26
"""Places in the state: position and quaternion of both platforms, their twists, the work done."""


@checks_arguments
def simulate(
    machine: StackedMachine,
    X0: PoseLike,
    V0: ArrayLike,
    force: ArrayLike | ForceOf,
    duration: float,
    *,
    wrench: ArrayLike | ForceOf | None = None,
    gravity: ArrayLike | None = None,
    times: ArrayLike | None = None,
    stop_at: Collection[str] = STOPS,
    rtol: float = 1e-9,
    atol: float = 1e-12,
    method: str = "DOP853",
    progress: Callable[[float], None] | None = None,
) -> xarray.Dataset:
    """Motion of both stages under twelve actuator forces.

    Parameters
    ----------
    machine : StackedMachine
    X0, V0 : PoseLike (2, 4, 4), and (2, 6) array
        Where both platforms start, and with which twists.
    force : (12,) array or function of (time, poses, twists)
        Actuator forces [N or N m].
    duration : float
        [s].
    wrench : (6,) array or function, optional
        On the end platform about its origin, in base axes [N, N m].
    gravity : (3,) array, optional
        That of the lower stage's file where not given [m/s2].
    times : (n,) array, optional
        At which the answer is given, rising, from 0 to `duration`.
    stop_at : collection of str
        "limits" ends the simulation where a limit of either stage is reached, singularities among them; () never.
    rtol, atol, method
        Of the integrator, as in `gough.simulate`.
    progress : callable, optional
        Called with the time reached [s].

    Returns
    -------
    xarray.Dataset
        Over `time`: pose, twist, acceleration of both platforms (stage), joint, joint_rate, force, power (leg, 1 to
        12), kinetic, potential, energy, work (of forces and wrench), margin (limit). The attribute `stopped_by` is ""
        or the limit. Energy less work is constant but for friction and the integrator's error.

    Raises
    ------
    InputError
        A stage has no masses, cannot be at the start, or is there beyond a limit.
    NotConvergedError
        The integrator's steps vanish.

    """
    from scipy.integrate import solve_ivp

    plant = _Plant(machine, force, wrench, gravity_of(machine, gravity), progress)
    y0 = plant.start(X0, V0)
    t_eval = _times(times, duration)
    check_integrator(method, rtol, atol)
    if any(sort not in STOPS for sort in stop_at):
        raise InputError(f"stop_at: {', '.join(map(repr, stop_at))}, expected 'limits' or nothing")
    events = [_Limit(plant)] if stop_at else None
    if events and events[0](0.0, y0) < 0:
        raise InputError(
            f"at the start already {margins(machine, plant.states(y0)[0]).sentences()[0]}; start elsewhere"
        )
    found = solve_ivp(
        bounded(plant), (0.0, duration), y0, method=method, t_eval=t_eval, events=events, rtol=rtol, atol=atol
    )
    if found.status < 0:
        raise NotConvergedError(f"the simulation of {machine.name!r} got stuck: {found.message}")
    t, y = found.t, found.y.T
    if events and len(found.t_events[0]):
        t, y = np.append(t, found.t_events[0]), np.concatenate([np.reshape(y, (-1, len(y0))), found.y_events[0]])
    stopped = bool(events) and bool(len(found.t_events[0]))
    return plant.answer(t, y, stopped, {"evaluations": found.nfev, "method": method, "rtol": rtol, "atol": atol})


class _Plant:
    """Both stages with their drives as a differential equation, in the form SciPy takes."""

    def __init__(
        self,
        machine: StackedMachine,
        force: ArrayLike | ForceOf,
        wrench: ArrayLike | ForceOf | None,
        gravity: Array,
        progress: Callable[[float], None] | None,
    ) -> None:
        self.machine, self.gravity, self.progress = machine, gravity, progress
        self.force = _function_of("force", force, 12)
        self.wrench = _function_of("wrench", np.zeros(6) if wrench is None else wrench, 6)

    def start(self, X0: PoseLike, V0: ArrayLike) -> Array:
        """State at the start."""
        from scipy.spatial.transform import Rotation

        X, V = both_poses(X0), both_six("V0", V0)
        if X.shape != (2, 4, 4) or V.shape != (2, 6):
            raise ShapeError(
                f"a start is poses (2, 4, 4) and twists (2, 6) of both platforms, got {X.shape}, {V.shape}"
            )
        A = forward_dynamics(self.machine, X, V, self.force(0.0, X, V), self.wrench(0.0, X, V), self.gravity)
        if not np.isfinite(A).all():
            raise InputError(
                "the machine cannot move from the start: a leg cannot close, or some motion has no inertia"
            )
        body = np.concatenate([X[:, :3, 3], Rotation.from_matrix(X[:, :3, :3]).as_quat()], axis=1)
        return np.concatenate([body.ravel(), V.ravel(), [0.0]])

    def states(self, y: Array) -> tuple[Array, Array]:
        """Poses (..., 2, 4, 4) and twists (..., 2, 6) of states (..., 27)."""
        from scipy.spatial.transform import Rotation

        body = y[..., BODY].reshape(*y.shape[:-1], 2, 7)
        X = np.zeros((*body.shape[:-1], 4, 4))
        turns = Rotation.from_quat(body[..., 3:].reshape(-1, 4)).as_matrix()
        X[..., :3, :3] = turns.reshape(*body.shape[:-1], 3, 3)
        X[..., :3, 3], X[..., 3, 3] = body[..., :3], 1.0
        return X, y[..., TWISTS].reshape(*y.shape[:-1], 2, 6)

    def __call__(self, t: float, y: Array) -> Array:
        """Rate of the state y: quaternions (x, y, z, w) turn by q' = (w, 0) q / 2."""
        if self.progress is not None:
            self.progress(t)
        X, V = self.states(y)
        f, F = self.force(t, X, V), self.wrench(t, X, V)
        A = forward_dynamics(self.machine, X, V, f, F, self.gravity)
        quaternion, w = y[BODY].reshape(2, 7)[:, 3:], V[:, 3:]
        vector = quaternion[:, 3:] * w + np.cross(w, quaternion[:, :3])
        scalar = -np.sum(w * quaternion[:, :3], axis=1, keepdims=True)
        body = np.concatenate([V[:, :3], 0.5 * vector, 0.5 * scalar], axis=1)
        power = float(f @ joint_rates(self.machine, X, V) + F @ V[1])
        return np.concatenate([body.ravel(), A.ravel(), [power]])

    def answer(self, t: Array, y: Array, stopped: bool, attrs: dict[str, Any]) -> xarray.Dataset:
        """The states (n, 27) at times t, with all that follows from them."""
        import xarray

        m, (X, V) = self.machine, self.states(y)
        loads = [(self.force(*state), self.wrench(*state)) for state in zip(t.tolist(), X, V, strict=True)]
        f, F = (np.array([load[k] for load in loads]) for k in (0, 1))
        A = forward_dynamics(m, X, V, f, F, self.gravity)
        qd, found = joint_rates(m, X, V), margins(m, X)
        kinetic, potential = kinetic_energy(m, X, V), potential_energy(m, X, self.gravity)
        both, leg, joule = ("time", "stage", "component"), ("time", "leg"), {"units": "J"}
        units = "m or rad"
        return xarray.Dataset(
            {
                "pose": (("time", "stage", "row", "column"), X, {"units": "1, m", "long_name": "platform in the base"}),
                "twist": (both, V, {"units": "m/s, rad/s"}),
                "acceleration": (both, A, {"units": "m/s2, rad/s2"}),
                "joint": (leg, joints_of(m, X), {"units": units}),
                "joint_rate": (leg, qd, {"units": "m/s or rad/s"}),
                "force": (leg, f, {"units": "N or N m"}),
                "power": (leg, f * qd, {"units": "W"}),
                "wrench": (("time", "component"), F, {"units": "N, N m"}),
                "kinetic": ("time", kinetic, joule),
                "potential": ("time", potential, joule),
                "energy": ("time", kinetic + potential, joule),
                "work": ("time", y[:, WORK], {**joule, "long_name": "of actuators and wrench since the start"}),
                "margin": (("time", "limit"), found.values, {"units": "SI, of each limit"}),
            },
            coords={
                "time": ("time", t, {"units": "s"}),
                "stage": [1, 2],
                "leg": np.arange(1, 13),
                "component": ["x", "y", "z", "rx", "ry", "rz"],
                "limit": np.array(found.names, dtype=str),
            },
            attrs={"machine": m.name, "stopped_by": str(margins(m, X[-1]).binding) if stopped else "", **attrs},
        )


class _Limit:
    """Smallest relative margin of both stages: the event, as an event of `solve_ivp`: a falling zero crossing."""

    terminal = True
    direction = -1.0

    def __init__(self, plant: _Plant) -> None:
        self.plant = plant

    def __call__(self, t: float, y: Array) -> float:
        least = float(margins(self.plant.machine, self.plant.states(y)[0]).smallest)
        return least if np.isfinite(least) else -1.0


def _function_of(name: str, given: ArrayLike | ForceOf, count: int) -> Callable[[float, Array, Array], Array]:
    """So many numbers, constant or from a function, checked."""

    def checked(values: ArrayLike) -> Array:
        array = np.array(values, dtype=float)
        if array.shape != (count,):
            raise ShapeError.expected(name, f"({count},)", array.shape)
        return array

    if callable(given):
        function = given
        return lambda t, X, V: checked(function(t, X, V))
    constant = checked(given)
    return lambda t, X, V: constant


def _times(times: ArrayLike | None, duration: float) -> Array:
    if not (np.isfinite(duration) and duration > 0):
        raise InputError(f"duration: {duration:g} s is not above 0 s")
    t = np.linspace(0.0, duration, SAMPLES) if times is None else np.asarray(times, dtype=float)
    if t.ndim != 1 or not len(t) or not ((t >= 0) & (t <= duration)).all() or not (np.diff(t) > 0).all():
        raise InputError(f"times: expected rising times from 0 to the duration, {duration:g} s")
    return t
