"""Controllers: actuator forces from time, pose and twist, which are the true ones, without delay."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import displacement
from gough.dynamics.equations import inverse_dynamics, mass_matrix
from gough.dynamics.motions import Motion, SplineMotion, States, states_along
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import inverse_jacobian, joint_rates
from gough.stacked import AnyMachine, joint_limits

Command = tuple[Array, Array]


class Controller(ABC):
    """Base class of controllers.

    Attributes
    ----------
    machine : Machine
    motion : Motion or None
        Motion to follow; None for a controller that follows none.
    memory : int
        Number of states of the controller itself, such as integrals; the simulation integrates them.

    """

    motion: Motion | None = None
    memory: int = 0

    @checks_arguments
    def __init__(self, machine: AnyMachine) -> None:
        self.machine, self.legs = machine, 6 * len(machine.stages)

    @abstractmethod
    def command(self, time: float, X: Array, V: Array, memory: Array) -> Command:
        """Compute the actuator forces (6,) [N or N m] at a pose (4, 4) and twist (6,), and the time derivative of
        `memory`."""

    def demand(self, time: float, X: Array, V: Array, memory: Array) -> Array:
        """Compute the speed demand (row 0) and force (row 1) of each leg before clipping, by size and as parts of their
        limits, (2, legs); zero without limits."""
        return np.zeros((2, self.legs))

    def saturation(self, time: float, X: Array, V: Array, memory: Array) -> NDArray[np.bool_]:
        """Test whether the speed demand (row 0) and force (row 1) of each leg are clipped in that state, (2, legs)."""
        return self.demand(time, X, V, memory) > 1.0

    def held_at(self, X: Array) -> Self:
        """Return the controller with a pose of all platforms as its reference, and without Coulomb friction in its
        models: as linearisation about rest needs it."""
        held = copy(self)
        held.machine, held.motion = self.machine.without_coulomb_friction(), SplineMotion([0.0, 1.0], np.stack([X, X]))
        return held

    def reference(self, time: float) -> States:
        """Compute poses, twists and accelerations of all platforms on the motion, see `motion_forces`."""
        assert self.motion is not None
        return states_along(self.machine, self.motion, time)

    def holding(self, X: Array) -> Array:
        """Compute the forces (legs,) that hold the weight of all bodies at rest."""
        still = np.zeros((*self.machine.stage_shape, 6))
        return inverse_dynamics(self.machine, X, still, still)


class GravityCompensation(Controller):
    """Forces that balance the weight of all bodies at the current pose."""

    def command(self, time: float, X: Array, V: Array, memory: Array) -> Command:
        """See `Controller.command`."""
        return self.holding(X), memory


class LegPID(Controller):
    """Independent cascade control of each leg: position loop with limited speed demand, speed loop, integral.

    With the joint's error e = q_ref - q,

        demand = clip(q_ref' + (stiffness / damping) e, rate_limit)
        force = clip(damping (demand - q') + integral * (time integral of e) [+ weight], force_limit)

    which is a PID controller with these gains while nothing is clipped. The integral is frozen while the force is
    clipped and e would drive it further (anti-windup by conditional integration). PD is integral = 0.

    Parameters
    ----------
    machine : Machine
    motion : Motion
        Its joint coordinates are the reference.
    stiffness : float or (6,) array
        [N/m or N m/rad].
    damping : float or (6,) array
        Above 0 [N s/m or N m s/rad].
    integral : float or (6,) array
        [N/(m s) or N m/(rad s)].
    rate_limit : float or (6,) array, optional
        Largest joint speed commanded; default: the machine's `limits.joint_speed`, none without it.
    force_limit : float or (6,) array, optional
        Largest force; default: the machine's `limits.actuator_force`, none without it.
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
        self.motion, n = motion, self.legs
        self.stiffness, self.integral = _gains("stiffness", stiffness, n), _gains("integral", integral, n)
        self.damping = _gains("damping", damping, n, above_zero=True)
        self.rate_limit = _limit("rate_limit", rate_limit, machine, "joint_speed")
        self.force_limit = _limit("force_limit", force_limit, machine, "actuator_force")
        self.memory = self.legs if self.integral.any() else 0
        self.holds_weight = holds_weight
        self._kept: tuple[tuple[float, Motion | None], tuple[Array, Array, Array]] | None = None

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
        """Tune the gains from a bandwidth [rad/s]: each leg critically damped with its own inertia at home.

        This is its diagonal element of the joint-space mass matrix J^-T M J^-1. The integral is a tenth of bandwidth
        times stiffness.
        """
        if not (np.isfinite(bandwidth) and bandwidth > 0):
            raise InputError(f"bandwidth: {bandwidth:g}, expected above 0")
        J_Vq = inverse_jacobian(machine, machine.X_home)
        mass = np.diag(J_Vq.T @ mass_matrix(machine, machine.X_home) @ J_Vq)
        # Critical damping: poles at -bandwidth twice, m (s + bandwidth)^2.
        stiffness = bandwidth**2 * mass
        integral = 0.1 * bandwidth * stiffness if has_integral else 0.0
        gains = {"stiffness": stiffness, "damping": 2 * bandwidth * mass, "integral": integral}
        return cls(machine, motion, **gains, holds_weight=holds_weight)

    def command(self, time: float, X: Array, V: Array, memory: Array) -> Command:
        """See `Controller.command`; `memory` is the integral of the errors, empty without an integral."""
        error, _, wanted = self._wanted(time, X, V, memory)
        force = np.clip(wanted, -self.force_limit, self.force_limit)
        winds_up = (wanted - force) * error > 0  # the error would push the clipped force further beyond its limit
        return force, np.where(winds_up, 0.0, error)[: self.memory]

    def demand(self, time: float, X: Array, V: Array, memory: Array) -> Array:
        """See `Controller.demand`."""
        _, demand, wanted = self._wanted(time, X, V, memory)
        return np.abs([demand / self.rate_limit, wanted / self.force_limit])

    def _wanted(self, time: float, X: Array, V: Array, memory: Array) -> tuple[Array, Array, Array]:
        """Joint errors, and speed demands and forces before clipping, (legs,) each."""
        q_ref, rate_ref, weight = self._joints_wanted(time)
        error, rate = q_ref - inverse_kinematics(self.machine, X), joint_rates(self.machine, X, V)
        demand = rate_ref + self.stiffness / self.damping * error
        allowed = np.clip(demand, -self.rate_limit, self.rate_limit)
        integral = self.integral * memory if self.memory else 0.0
        return error, demand, self.damping * (allowed - rate) + integral + weight

    def _joints_wanted(self, time: float) -> tuple[Array, Array, Array]:
        """Joints, their rates and the forces of the weight at the reference, (legs,) each.

        The last result is cached, as integrators evaluate many states at one time.
        """
        key = time, self.motion
        if self._kept is None or self._kept[0] != key:
            X_ref, V_ref, _ = self.reference(time)
            weight = self.holding(X_ref) if self.holds_weight else np.zeros(self.legs)
            q, rate = inverse_kinematics(self.machine, X_ref), joint_rates(self.machine, X_ref, V_ref)
            self._kept = key, (q, rate, weight)
        return self._kept[1]


class ComputedTorque(Controller):
    """Inverse dynamics of a commanded acceleration: feedback linearisation of the platform's error.

    A_command = A_ref + 2 damping_ratio bandwidth (V_ref - V) + bandwidth^2 error, with the error [p_ref - p, the
    rotation vector from R to R_ref], in base axes. With an exact model the error obeys this linear equation at any
    pose, for rotations to first order.

    Parameters
    ----------
    machine : Machine
    motion : Motion
    bandwidth : float
        Of the error [rad/s].
    damping_ratio : float
    model : Machine, optional
        Model of the machine in the controller; default: the machine itself.
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
                raise InputError(f"{name}: {value:g}, expected above 0")
        self.motion, self.model = motion, machine if model is None else model
        self.bandwidth, self.damping_ratio = bandwidth, damping_ratio
        self.force_limit = _limit("force_limit", force_limit, machine, "actuator_force")

    def command(self, time: float, X: Array, V: Array, memory: Array) -> Command:
        """See `Controller.command`."""
        return np.clip(self._wanted(time, X, V), -self.force_limit, self.force_limit), memory

    def held_at(self, X: Array) -> Self:
        """See `Controller.held_at`."""
        held = super().held_at(X)
        held.model = self.model.without_coulomb_friction()
        return held

    def demand(self, time: float, X: Array, V: Array, memory: Array) -> Array:
        """See `Controller.demand`; there is no speed demand."""
        return np.abs([np.zeros(self.legs), self._wanted(time, X, V) / self.force_limit])

    def _wanted(self, time: float, X: Array, V: Array) -> Array:
        """Forces (legs,) before clipping."""
        X_ref, V_ref, A_ref = self.reference(time)
        error = displacement(X, X_ref)
        A = A_ref + 2 * self.damping_ratio * self.bandwidth * (V_ref - V) + self.bandwidth**2 * error
        return inverse_dynamics(self.model, X, V, A)


def _gains(name: str, values: ArrayLike, legs: int, *, above_zero: bool = False) -> Array:
    gains = _per_leg(name, values, legs)
    bad = ~(np.isfinite(gains) & ((gains > 0) if above_zero else (gains >= 0)))
    if bad.any():
        i = int(np.argmax(bad))
        raise InputError(f"{name}: {gains[i]:g} (leg {i + 1}) is {'not above' if above_zero else 'below'} 0")
    return gains


def _limit(name: str, given: ArrayLike | None, machine: AnyMachine, own: str) -> Array:
    """Limits (legs,): the given ones, or the machine's of the name `own`."""
    if given is None:
        return joint_limits(machine, own)
    limit = _per_leg(name, given, 6 * len(machine.stages))
    if not (limit > 0).all():
        raise InputError(f"{name}: {limit.min():g}, expected above 0")
    return limit


def _per_leg(name: str, values: ArrayLike, legs: int) -> Array:
    array = of_shape(name, values, f"() or ({legs},)")
    return np.broadcast_to(array, legs)
