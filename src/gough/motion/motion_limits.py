"""Limits of a motion along a path: speeds, accelerations and forces of the legs, feed of the tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import finite, given_point, of_shape
from gough.dynamics.equations import inverse_dynamics
from gough.dynamics.model import SLIP_SPEED
from gough.errors import InputError
from gough.kinematics.rates import joint_accelerations, joint_rates
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion._topp import PathRows
from gough.motion.path import Path
from gough.present.show import Show
from gough.present.units import force_unit
from gough.results import ShowsFacts

ENDLESS = 1e100
"""Squared speed that stands for no limit: finite, so that kernels need no infinities."""
PLACES_AT_ONCE = 8192
"""Places evaluated at once: arrays of more leave the processor's caches."""
Feed = float | Callable[[Array], ArrayLike]


@dataclass(frozen=True, eq=False, kw_only=True)
class MotionLimits(ShowsFacts):
    """Limits of a motion along a path; None where there is no such limit. Made by `motion_limits`.

    Attributes
    ----------
    machine : Machine
    speed, acceleration, force : (6,) array or None
        Of the joints and of their actuators [m/s or rad/s, m/s2 or rad/s2, N or N m].
    jerk : (6,) array or None
        Of the joints [m/s3 or rad/s3].
    feed : float, callable or None
        Speed of the point in the base [m/s], or a function of the path's parameters (n,).
    turn_feed : float, callable or None
        Angular speed of the platform [rad/s].
    point : (3,) array
        The point, in the platform frame [m].
    wrench : (6,) array or None
        Constant [f, m] on the platform, about that point, in base axes [N, N m].

    """

    machine: Machine
    speed: Array | None
    acceleration: Array | None
    force: Array | None
    jerk: Array | None
    feed: Feed | None
    turn_feed: Feed | None
    point: Array
    wrench: Array | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the limits, in the order of `utilisation`, those of jerks last."""
        of_legs = [
            name
            for name, value in (("speed", self.speed), ("acceleration", self.acceleration), ("force", self.force))
            if value is not None
        ]
        legs = [f"leg {i} {name}" for name in of_legs for i in range(1, 7)]
        feeds = [name for name, value in (("feed", self.feed), ("turn feed", self.turn_feed)) if value is not None]
        jerks = [] if self.jerk is None else [f"leg {i} jerk" for i in range(1, 7)]
        return (*legs, *feeds, *jerks)

    def facts(self) -> dict[str, str]:
        """Return the limits, as a range where they differ from leg to leg."""
        joint, force = self.machine.legs.joint_unit, force_unit(self.machine)
        each = (
            ("speed", self.speed, f"{joint}/s"),
            ("acceleration", self.acceleration, f"{joint}/s2"),
            ("force", self.force, force),
            ("jerk", self.jerk, f"{joint}/s3"),
            ("feed", self.feed, "m/s"),
            ("turn feed", self.turn_feed, "rad/s"),
        )
        found = {name: self._shown(value, unit) for name, value, unit in each if value is not None}
        return {"machine": self.machine.name, **found}

    def _shown(self, limit: Feed | Array, unit: str) -> str:
        if callable(limit):
            return "a function of the path's parameter"
        ends = (Show(self.machine).with_unit(end, unit) for end in (np.min(limit), np.max(limit)))
        return " to ".join(dict.fromkeys(ends))

    def feeds(self, s: Array) -> list[Array]:
        """Compute feed [m/s] and turn feed [rad/s], if specified, each (n,), at parameters (n,); `InputError` if not >
        0."""
        found = []
        for feed in (self.feed, self.turn_feed):
            if feed is not None:
                values = np.broadcast_to(np.asarray(feed(s) if callable(feed) else feed, dtype=float), s.shape)
                if not (values > 0).all():
                    raise InputError(f"feed: {values.min():g}, expected above 0")
                found.append(values)
        return found

    def speeds(self, X: Array, V: Array) -> list[Array]:
        """Compute the speeds (n,) that the existing feeds limit, of the point [m/s] and of rotation [rad/s], at poses
        (n, 4, 4) with twists (n, 6)."""
        arm = (X[:, :3, :3] @ self.point[:, None])[..., 0]
        v = np.linalg.norm(V[:, :3] + np.cross(V[:, 3:], arm), axis=1)
        both = ((self.feed, v), (self.turn_feed, np.linalg.norm(V[:, 3:], axis=1)))
        return [size for feed, size in both if feed is not None]

    def forces(self, X: Array, V: Array, A: Array) -> Array:
        """Compute the actuator forces (n, 6) of a motion."""
        point = None if self.wrench is None else self.point
        return inverse_dynamics(self.machine, X, V, A, self.wrench, point=point)

    def utilisation(self, s: Array, X: Array, V: Array, A: Array) -> Array:
        """Compute the utilisation (n, k) of each limit except jerks at parameters (n,): 1 on the limit."""
        parts = []
        if self.speed is not None:
            parts.append(np.abs(joint_rates(self.machine, X, V)) / self.speed)
        if self.acceleration is not None:
            parts.append(np.abs(joint_accelerations(self.machine, X, V, A)) / self.acceleration)
        if self.force is not None:
            parts.append(np.abs(self.forces(X, V, A)) / self.force)
        for feed, size in zip(self.feeds(s), self.speeds(X, V), strict=True):
            parts.append((size / feed)[:, None])
        return np.concatenate(parts, axis=1)


class JointLimitsGiven(TypedDict, total=False):
    """Limits of the legs that replace the machine's, see `motion_limits`."""

    joint_speed: ArrayLike | None
    joint_acceleration: ArrayLike | None
    actuator_force: ArrayLike | None


class LimitsGiven(JointLimitsGiven, total=False):
    """All limits of `motion_limits` except jerks."""

    feed: Feed | None
    turn_feed: Feed | None
    point: ArrayLike | None
    wrench: ArrayLike | None


@checks_arguments
def motion_limits(
    machine: Machine,
    *,
    joint_speed: ArrayLike | None = None,
    joint_acceleration: ArrayLike | None = None,
    actuator_force: ArrayLike | None = None,
    joint_jerk: ArrayLike | None = None,
    feed: Feed | None = None,
    turn_feed: Feed | None = None,
    point: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
) -> MotionLimits:
    """Collect the machine's limits of speed, acceleration and force, replaced by arguments where specified.

    Parameters
    ----------
    machine : Machine
    joint_speed, joint_acceleration, actuator_force : float or (6,) array, optional
        [m/s, m/s2, N; or rad/s, rad/s2, N m]; infinite removes a limit of the machine. Forces are limited only where
        the machine has masses.
    joint_jerk : float or (6,) array, optional
        [m/s3 or rad/s3]; machine files have none.
    feed : float or callable, optional
        Speed of the tool tip in the base [m/s], or a function of the path's parameters (n,).
    turn_feed : float or callable, optional
        Angular speed of the platform [rad/s].
    point : (3,) array, optional
        The tool tip in the platform frame [m]; default: the tool's origin.
    wrench : (6,) array, optional
        Constant [f, m] on the platform, about the tool tip, in base axes [N, N m].

    Returns
    -------
    MotionLimits
        None for each kind of limit that neither the machine nor the caller has.

    Raises
    ------
    InputError
        A limit that is not above zero; forces limited on a machine without masses.

    """
    own = machine.limits
    # The machine's own force limits are ignored without masses; given ones are an error.
    force = _limit("actuator_force", actuator_force, own.actuator_force)
    if force is not None and machine.platform is None:
        if actuator_force is not None:
            raise InputError(
                f"actuator_force: machine {machine.name!r} has no masses, so forces of a motion are unknown"
            )
        force = None
    return MotionLimits(
        machine=machine,
        speed=_limit("joint_speed", joint_speed, own.joint_speed),
        acceleration=_limit("joint_acceleration", joint_acceleration, own.joint_acceleration),
        force=force,
        jerk=_limit("joint_jerk", joint_jerk, None),
        feed=feed,
        turn_feed=turn_feed,
        point=given_point(point, machine.X_PT[:3, 3]),
        wrench=None if wrench is None else finite("wrench", wrench, "(6,)"),
    )


def _limit(name: str, given: ArrayLike | None, own: Array | None) -> Array | None:
    if given is None:
        return own
    values = of_shape(name, given, "() or (6,)")
    if not (values > 0).all():
        raise InputError(f"{name}: {values.min():g}, expected above 0")
    return None if np.isinf(values).all() else np.broadcast_to(values, 6).copy()


def rows_at(limits: MotionLimits, path: Path, s: Array, *, before: bool = False) -> tuple[PathRows, Array]:
    """Return the limits along a path at parameters (n,): rows (n, r, 3) of `gough.motion._topp`, and the largest
    squared speed (n,) that limits of speeds allow.

    Without friction a force is exactly quadratic in the speed; friction has terms of its own.
    """
    if len(s) > PLACES_AT_ONCE:
        chunks = np.array_split(s, -(-len(s) // PLACES_AT_ONCE))
        found = [rows_at(limits, path, part, before=before) for part in chunks]
        of_smooth, of_friction = (
            np.concatenate([getattr(part, name) for part, _ in found]) for name in ("smooth", "friction")
        )
        return PathRows(of_smooth, of_friction, found[0][0].limit), np.concatenate([part for _, part in found])
    machine = limits.machine
    X, V, A = path(s, before=before)
    rate, bend = joint_rates(machine, X, V), joint_accelerations(machine, X, V, A)
    if not (np.isfinite(rate).all() and np.isfinite(bend).all()):
        k = int(np.argmin(np.isfinite(rate).all(axis=1) & np.isfinite(bend).all(axis=1)))
        # All margins kept but no finite rates: only a leg at its turning point, where its joint rate is unbounded.
        why = (margins(machine, X[k]).sentences() or ["a leg is at its turning point"])[0]
        raise InputError(f"the path cannot be followed at s = {s[k]:.6g}: {why}")
    # Speeds bound x = s'^2 directly: q' = q_s s'.
    cap = np.full(len(s), ENDLESS)
    with np.errstate(divide="ignore"):
        if limits.speed is not None:
            cap = np.minimum(cap, np.min((limits.speed / np.abs(rate)) ** 2, axis=1))
        for feed, size in zip(limits.feeds(s), limits.speeds(X, V), strict=True):
            cap = np.minimum(cap, (feed / size) ** 2)
    smooth, bounds, zero = [np.zeros((len(s), 0, 3))], [np.zeros(0)], np.zeros_like(rate)
    friction = [np.zeros((len(s), 0, 3))]
    # q'' = q_s u + q_ss x with x = s'^2 and u = s'': m = q_s, c = q_ss, g = 0.
    if limits.acceleration is not None:
        smooth.append(np.stack([rate, bend, zero], axis=-1))
        friction.append(np.stack([zero, zero, zero], axis=-1))
        bounds.append(limits.acceleration)
    if limits.force is not None:
        smooth.append(_force_rows(limits, X, V, A))
        friction.append(_friction_rows(machine, rate))
        bounds.append(limits.force)
    # Without friction an empty array spares the kernels its terms.
    drives, of_friction = machine.actuators, np.concatenate(friction, axis=1)
    if limits.force is None or (drives.viscous_friction is None and drives.coulomb_friction is None):
        of_friction = of_friction[:, :0]
    return PathRows(np.concatenate(smooth, axis=1), of_friction, np.concatenate(bounds)), cap


def _force_rows(limits: MotionLimits, X: Array, V: Array, A: Array) -> Array:
    """m, c, g (n, 6, 3) of the forces without friction."""
    # Inverse dynamics is affine in x and u: three evaluations, at rest, with u = 1, and with x = 1, give all terms.
    machine = limits.machine
    drives = replace(machine.actuators, viscous_friction=None, coulomb_friction=None)
    smooth, still = replace(limits, machine=replace(machine, actuators=drives)), np.zeros_like(V)
    g = smooth.forces(X, still, still)
    return np.stack([smooth.forces(X, still, V) - g, smooth.forces(X, V, A) - g, g], axis=-1)


def _friction_rows(machine: Machine, rate: Array) -> Array:
    """d, e, k (n, 6, 3) of the friction of the drives; zero where there is none."""
    drives = machine.actuators
    viscous, coulomb = (
        np.zeros(6) if value is None else value for value in (drives.viscous_friction, drives.coulomb_friction)
    )
    slip = SLIP_SPEED * (machine.size if machine.legs.joint == "length" else 1.0)
    # Coulomb friction e tanh(q' / slip): smoothed about zero speed as in the dynamics.
    turning = np.where(coulomb != 0, rate / slip, 0.0)
    return np.stack([viscous * rate, np.broadcast_to(coulomb, rate.shape), turning], axis=-1)
