"""Controllers: from time, pose and twist to actuator forces. They see the true state, without delay."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import displacement
from gough.dynamics.equations import inverse_dynamics, mass_matrix
from gough.dynamics.motions import Motion, States, states_along
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import inverse_jacobian, joint_rates
from gough.stacked import AnyMachine, joint_limits

Command = tuple[Array, Array]


class Controller(ABC):
    """Base of the controllers.

    Attributes
    ----------
    machine : Machine
    motion : Motion or None
        Motion to follow; None for a controller that follows none.
    memory : int
        How many numbers it keeps besides the machine's state, such as integrals; the simulation carries them along.

    """

    motion: Motion | None = None
    memory: int = 0

    @checks_arguments
    def __init__(self, machine: AnyMachine) -> None:
        self.machine, self.legs = machine, 6 * len(machine.stages)

    @abstractmethod
    def command(self, time: float, X: Array, V: Array, memory: Array) -> Command:
        """Actuator forces (6,) [N or N m] at a pose (4, 4) and twist (6,), and the rate in time of `memory`.

        Of two stages (12,), at poses (2, 4, 4) and twists (2, 6).
        """

    def saturation(self, time: float, X: Array, V: Array, memory: Array) -> NDArray[np.bool_]:
        """Which legs' speed demand (row 0) and force (row 1) are cut to their limits in that state, (2, legs)."""
        return np.zeros((2, self.legs), dtype=np.bool_)

    def reference(self, time: float) -> States:
        """Poses, twists and accelerations of all platforms that the motion wants: see `motion_loads` for two stages."""
        assert self.motion is not None
        return states_along(self.machine, self.motion, time)

    def holding(self, X: Array) -> Array:
        """Forces (legs,) that hold the weight of all bodies at rest."""
        still = np.zeros((*self.machine.stage_shape, 6))
        return inverse_dynamics(self.machine, X, still, still)


class GravityCompensation(Controller):
    """Forces that hold the weight of all bodies at the pose where the platform is: nothing else moves it."""

    def command(self, time: float, X: Array, V: Array, memory: Array) -> Command:
        """See `Controller.command`."""
        return self.holding(X), memory


class LegPID(Controller):
    """Each leg by itself: a position loop whose speed demand is limited, a speed loop inside it, an integral.

    With the joint's error e = q_ref - q,

        demand = clip(q_ref' + (stiffness / damping) e, rate_limit)
        force = clip(damping (demand - q') + integral * (time integral of e) [+ weight], force_limit)

    which is a PID controller of the gains stiffness, damping and integral while nothing is clipped. The integral stands
    still while the force is clipped and e would drive it further (no wind-up). PD is integral = 0.

    Parameters
    ----------
    machine : Machine
        Of two stages the arrays are of twelve legs, the lower stage's first.
    motion : Motion
        Its joint coordinates are the reference; of two stages as in `gough.dynamics.motion_loads`.
    stiffness : float or (6,) array
        [N/m or N m/rad].
    damping : float or (6,) array
        Above 0 [N s/m or N m s/rad].
    integral : float or (6,) array
        [N/(m s) or N m/(rad s)].
    rate_limit : float or (6,) array, optional
        Largest joint speed commanded; the machine's `limits.joint_speed` where not given, none without it.
    force_limit : float or (6,) array, optional
        Largest force; the machine's `limits.actuator_force` where not given, none without it.
    holds_weight : bool
        Whether the forces that hold the weight at the reference pose are added.

    """

    @checks_arguments
    def __init__(
        self,
        machine: AnyMachine,
        motion: Motion,
        *,
        stiffness: ArrayLike,
        damping: ArrayLike,
        integral: ArrayLike = 0.0,
        rate_limit: ArrayLike | None = None,
        force_limit: ArrayLike | None = None,
        holds_weight: bool = False,
    ) -> None:
        super().__init__(machine)
        self.motion, self.memory, n = motion, self.legs, self.legs
        self.stiffness, self.integral = _gains("stiffness", stiffness, n), _gains("integral", integral, n)
        self.damping = _gains("damping", damping, n, above_zero=True)
        self.rate_limit = _limit("rate_limit", rate_limit, machine, "joint_speed")
        self.force_limit = _limit("force_limit", force_limit, machine, "actuator_force")
        self.holds_weight = holds_weight
        self._kept: tuple[float, tuple[Array, Array, Array]] | None = None

    @classmethod
    @checks_arguments
    def tuned(
        cls,
        machine: AnyMachine,
        motion: Motion,
        bandwidth: float,
        *,
        has_integral: bool = True,
        holds_weight: bool = False,
    ) -> LegPID:
        """Gains from a bandwidth [rad/s]: each leg critically damped on the mass that it alone moves at home.

        That mass is the leg's diagonal element of J^-T M J^-1. The integral is a tenth of bandwidth times stiffness.
        """
        if not (np.isfinite(bandwidth) and bandwidth > 0):
            raise InputError(f"bandwidth: {bandwidth:g} is not above 0")
        J_Vq = inverse_jacobian(machine, machine.X_home)
        mass = np.diag(J_Vq.T @ mass_matrix(machine, machine.X_home) @ J_Vq)
        stiffness = bandwidth**2 * mass
        integral = 0.1 * bandwidth * stiffness if has_integral else 0.0
        gains = {"stiffness": stiffness, "damping": 2 * bandwidth * mass, "integral": integral}
        return cls(machine, motion, **gains, holds_weight=holds_weight)

    def command(self, time: float, X: Array, V: Array, memory: Array) -> Command:
        """See `Controller.command`; `memory` is the integral of the errors."""
        error, _, wanted = self._wanted(time, X, V, memory)
        force = np.clip(wanted, -self.force_limit, self.force_limit)
        winds_up = (wanted - force) * error > 0
        return force, np.where(winds_up, 0.0, error)

    def saturation(self, time: float, X: Array, V: Array, memory: Array) -> NDArray[np.bool_]:
        """See `Controller.saturation`."""
        _, demand, wanted = self._wanted(time, X, V, memory)
        return np.array([np.abs(demand) > self.rate_limit, np.abs(wanted) > self.force_limit])

    def _wanted(self, time: float, X: Array, V: Array, memory: Array) -> tuple[Array, Array, Array]:
        """Errors of the joints, speeds demanded before they are cut, forces before they are cut, (legs,) each."""
        q_ref, rate_ref, weight = self._joints_wanted(time)
        error, rate = q_ref - inverse_kinematics(self.machine, X), joint_rates(self.machine, X, V)
        demand = rate_ref + self.stiffness / self.damping * error
        allowed = np.clip(demand, -self.rate_limit, self.rate_limit)
        return error, demand, self.damping * (allowed - rate) + self.integral * memory + weight

    def _joints_wanted(self, time: float) -> tuple[Array, Array, Array]:
        """Joints, their rates and the forces of the weight at the reference, (legs,) each; those of the last time are
        kept, as integrators try many states at one time."""
        if self._kept is None or self._kept[0] != time:
            X_ref, V_ref, _ = self.reference(time)
            weight = self.holding(X_ref) if self.holds_weight else np.zeros(self.legs)
            q, rate = inverse_kinematics(self.machine, X_ref), joint_rates(self.machine, X_ref, V_ref)
            self._kept = time, (q, rate, weight)
        return self._kept[1]


class ComputedTorque(Controller):
    """Inverse dynamics of the acceleration that lets the platform's error die out as a spring and a damper would.

    A_command = A_ref + 2 damping_ratio bandwidth (V_ref - V) + bandwidth^2 error, with the error [p_ref - p, the
    rotation vector from R to R_ref], in base axes. With an exact model the error obeys that linear equation, whatever
    the pose (for rotations: while they are small).

    Parameters
    ----------
    machine : Machine
    motion : Motion
        Of two stages as in `gough.dynamics.motion_loads`: the errors of both platforms die out.
    bandwidth : float
        Of the error [rad/s].
    damping_ratio : float
    model : Machine, optional
        What the controller takes the machine for, where that is not what it is.
    force_limit : float or (6,) array, optional
        As for `LegPID`.

    """

    @checks_arguments
    def __init__(
        self,
        machine: AnyMachine,
        motion: Motion,
        *,
        bandwidth: float,
        damping_ratio: float = 1.0,
        model: AnyMachine | None = None,
        force_limit: ArrayLike | None = None,
    ) -> None:
        super().__init__(machine)
        for name, value in (("bandwidth", bandwidth), ("damping_ratio", damping_ratio)):
            if not (np.isfinite(value) and value > 0):
                raise InputError(f"{name}: {value:g} is not above 0")
        self.motion, self.model = motion, machine if model is None else model
        self.bandwidth, self.damping_ratio = bandwidth, damping_ratio
        self.force_limit = _limit("force_limit", force_limit, machine, "actuator_force")

    def command(self, time: float, X: Array, V: Array, memory: Array) -> Command:
        """See `Controller.command`."""
        return np.clip(self._wanted(time, X, V), -self.force_limit, self.force_limit), memory

    def saturation(self, time: float, X: Array, V: Array, memory: Array) -> NDArray[np.bool_]:
        """See `Controller.saturation`; it demands accelerations, no speeds."""
        return np.array([np.zeros(self.legs, dtype=np.bool_), np.abs(self._wanted(time, X, V)) > self.force_limit])

    def _wanted(self, time: float, X: Array, V: Array) -> Array:
        """Forces (legs,) before they are cut."""
        X_ref, V_ref, A_ref = self.reference(time)
        error = pose_error(X_ref, X)
        A = A_ref + 2 * self.damping_ratio * self.bandwidth * (V_ref - V) + self.bandwidth**2 * error
        return inverse_dynamics(self.model, X, V, A)


def pose_error(X_ref: Array, X: Array) -> Array:
    """[p_ref - p, rotation vector from R to R_ref] (..., 6) in base axes [m, rad]."""
    return displacement(X, X_ref)


def _gains(name: str, values: ArrayLike, legs: int, *, above_zero: bool = False) -> Array:
    gains = _per_leg(name, values, legs)
    bad = ~(np.isfinite(gains) & ((gains > 0) if above_zero else (gains >= 0)))
    if bad.any():
        i = int(np.argmax(bad))
        raise InputError(f"{name}: {gains[i]:g} (leg {i + 1}) is {'not above' if above_zero else 'below'} 0")
    return gains


def _limit(name: str, given: ArrayLike | None, machine: AnyMachine, own: str) -> Array:
    """Largest values (legs,): the given ones, or the machine's of that name."""
    if given is None:
        return joint_limits(machine, own)
    limit = _per_leg(name, given, 6 * len(machine.stages))
    if not (limit > 0).all():
        raise InputError(f"{name}: {limit.min():g} is not above 0")
    return limit


def _per_leg(name: str, values: ArrayLike, legs: int) -> Array:
    array = of_shape(name, values, f"() or ({legs},)")
    return np.broadcast_to(array, legs)
