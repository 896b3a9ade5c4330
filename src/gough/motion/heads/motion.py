"""Motions of a tool head, and of the platform for given motions of tool and head, exact at every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.dynamics.motions import SHORTEST_STEP, Motion, States, interval
from gough.errors import InputError, ShapeError
from gough.head import Head
from gough.limits.margins import Margins
from gough.limits.table import Column
from gough.machine import Machine
from gough.motion.heads.kinematics import head_margins, head_of, joint_margins
from gough.motion.path import Path, Rates, carried
from gough.motion.timed_path import Schedule
from gough.poses import inverse_matrices
from gough.results import ShowsFacts

HeadMotion: TypeAlias = Callable[[ArrayLike], tuple[Array, Array, Array]]
"""Motion of the head's joints: coordinates, rates and accelerations (..., n) at times (...) [s]."""
ROUNDING = 1e-12
"""Part of the limits' scales by which bounds of joints are widened."""


class HeadSpline(ShowsFacts):
    """Cubic splines of the head's joints through given coordinates at given times, with continuous acceleration.

    Parameters
    ----------
    time : (k,) array
        Increasing, at least two [s]; `knots`.
    joints : (k, n) array
        [rad or m]. Angles are interpolated as numbers: from 179 to -179 deg is nearly a whole turn back.

    """

    @checks_arguments
    def __init__(self, time: ArrayLike, joints: ArrayLike) -> None:
        from scipy.interpolate import CubicSpline

        t, q = numbers("time", time), numbers("joints", joints)
        if t.ndim != 1 or len(t) < 2 or q.ndim != 2 or len(q) != len(t):
            raise ShapeError.expected("joints", "(k, n) with k times, at least two", q.shape)
        if not np.isfinite(t).all() or not np.isfinite(q).all() or not (np.diff(t) > 0).all():
            raise InputError("time and joints: finite numbers, and times that increase, are expected")
        if np.diff(t).min() < SHORTEST_STEP:
            raise InputError(
                f"time: knots {np.diff(t).min():g} s apart, at least {SHORTEST_STEP:g} s are needed for rates"
            )
        self.span = float(t[0]), float(t[-1])
        self.knots = t
        self._spline = CubicSpline(t, q)

    def facts(self) -> dict[str, str]:
        """Return the duration, and the numbers of joints and of knots."""
        return {"time": interval(self.span), "joints": str(self._spline.c.shape[-1]), "knots": str(len(self.knots))}

    def __call__(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """See `HeadMotion`."""
        t = numbers("time", time)
        return self._spline(t), self._spline(t, 1), self._spline(t, 2)

    def margins(self, machine: Machine, X: Array, time: Array) -> Margins:
        """Compute margins at poses X (n, 4, 4) of the platform, including the head's joints at times (n,)."""
        return head_margins(machine, X, self(time)[0])

    def along(self, schedule: Schedule) -> HeadMotion:
        """Return the joints over time, for knots that are parameters of a path with a schedule."""

        def motion(time: ArrayLike) -> tuple[Array, Array, Array]:
            s, v, u = (part[..., None] for part in schedule(time))
            q, first, second = self(s[..., 0])
            return q, first * v, second * v**2 + first * u

        return motion

    def bounds(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Compute upper bounds of |rates| and |accelerations| (m, n) from `low` to `high` (m,), without a knot between
        them."""
        # Accelerations are linear between knots, so largest at the ends; rates follow from the middle by Taylor.
        acceleration = np.maximum(np.abs(self._spline(low, 2)), np.abs(self._spline(high, 2)))
        middle, half = (low + high) / 2, (high - low)[:, None] / 2
        return np.abs(self._spline(middle, 1)) + half * acceleration, acceleration


def joint_bounds(columns: list[tuple[int, Column]], head: HeadSpline, low: Array, high: Array) -> tuple[Array, ...]:
    """Return margins (n, c) of the head's joints in the middle of intervals from `low` to `high` (n,), and their lower
    and upper bounds over each interval."""
    values = joint_margins(columns, head((low + high) / 2)[0])
    reach = ((high - low)[:, None] / 2 * head.bounds(low, high)[0])[:, [k for k, _ in columns]]
    reach = reach + ROUNDING * np.array([column.scale for _, column in columns])
    return values, values - reach, values + reach


@dataclass(eq=False)
class LinkMotion:
    """Motion of a link in the base frame: angular velocity and acceleration, a point and that point's acceleration."""

    w: Array
    alpha: Array
    point: Array
    a: Array

    def acceleration_at(self, point: Array) -> Array:
        """Return the acceleration of the link's point at `point` (..., 3)."""
        arm = point - self.point
        return self.a + np.cross(self.alpha, arm) + np.cross(self.w, np.cross(self.w, arm))

    def after(self, unit: str, axis: Array, through: Array, qd: Array, qdd: Array) -> LinkMotion:
        """Return the motion of the next link, after a joint about or along an axis through a point (Craig 1986, section
        6.5)."""
        w, alpha, a = self.w, self.alpha, self.acceleration_at(through)
        if unit == "rad":
            alpha = alpha + axis * qdd + np.cross(w, axis * qd)
            w = w + axis * qd
        else:
            a = a + axis * qdd + 2 * np.cross(w, axis * qd)
        return LinkMotion(w, alpha, through, a)


class UnderTool(ShowsFacts):
    """Motion of the platform for given motions of the tool's tip and the head's joints: X_BP = X_BT X_PT(q)^-1.

    Twist and acceleration are those of the tip minus the head's contribution (Craig 1986, section 6.5), so that the tip
    follows its own motion at every time.

    Parameters
    ----------
    machine : Machine
        With a head.
    tip : Motion
        Of the tip in the base, such as `RecordedMotion` through the poses of a `ToolTrack`.
    head : HeadMotion
        Of its joints, such as `HeadSpline`.

    """

    @checks_arguments
    def __init__(self, machine: Machine, tip: Motion, head: HeadMotion) -> None:
        self.machine, self.tip, self.head = machine, tip, head
        self.span = tip.span

    def facts(self) -> dict[str, str]:
        """Return the machine's name, and the motions of the tip and of the head."""
        return {"machine": self.machine.name, "tip": repr(self.tip), "head": repr(self.head)}

    def __call__(self, time: ArrayLike) -> States:
        """See `gough.dynamics.motions.Motion`."""
        return _platform_states(head_of(self.machine), self.tip(time), self.head(time))


class SharedPath(Path):
    """The platform's path for a tool path and a spline of head joints: the tool is exact everywhere."""

    def __init__(self, machine: Machine, tool: Path, head: HeadSpline) -> None:
        self.knots, self.breaks = np.union1d(tool.knots, head.knots), tool.breaks
        self.machine, self.tool, self.head = machine, tool, head

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        return _platform_states(head_of(self.machine), self.tool.states(s, before), self.head(s))

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        tool = self.tool.rates(low, high)
        return None if tool is None else under_tool(head_of(self.machine), self.head, tool, low, high)


def _platform_states(head: Head, tip: States, joints: tuple[Array, Array, Array]) -> States:
    """Pose, twist and acceleration of the platform from those of the tip and the motion of the head's joints."""
    (X_BT, V, A), (q, qd, qdd) = tip, joints
    X = X_BT @ inverse_matrices(head.tip(q))
    R = X[..., :3, :3]
    s, v, a, w, alpha = ((R @ part[..., None])[..., 0] for part in tip_on_platform(head, head.coordinates(q), qd, qdd))
    # Motion relative to the platform, solved for the platform's: w_T = w_P + w, v_T = v_P + w_P x s + v,
    # alpha_T = alpha_P + w_P x w + alpha, a_T = a_P + alpha_P x s + w_P x (w_P x s) + 2 w_P x v + a.
    w_P = V[..., 3:] - w
    alpha_P = A[..., 3:] - np.cross(w_P, w) - alpha
    v_P = V[..., :3] - np.cross(w_P, s) - v
    a_P = A[..., :3] - np.cross(alpha_P, s) - np.cross(w_P, np.cross(w_P, s)) - 2 * np.cross(w_P, v) - a
    return X, np.concatenate([v_P, w_P], axis=-1), np.concatenate([a_P, alpha_P], axis=-1)


def tip_on_platform(head: Head, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Return the position, velocity, acceleration, angular velocity and acceleration (..., 3) of the tip in the
    platform frame."""
    frames = head.frames(q)
    points, axes = head.axes(frames)
    tip = (frames[..., -1, :, :] @ head.X_NT)[..., :3, 3]
    zero = np.zeros_like(tip)
    link, v = LinkMotion(zero, zero, zero, zero), zero
    # Outwards along the chain, from the platform at rest: velocities add up, accelerations by `LinkMotion.after`.
    for k, unit in enumerate(head.units):
        z, o = axes[..., k, :], points[..., k, :]
        link = link.after(unit, z, o, qd[..., k, None], qdd[..., k, None])
        v = v + (np.cross(z, tip - o) if unit == "rad" else z) * qd[..., k, None]
    return tip, v, link.acceleration_at(tip), link.w, link.alpha


class TipRates(NamedTuple):
    """Upper bounds (n,) of the tip's motion in the platform frame: arm |s|, speed, angular speed, accelerations."""

    arm: Array
    sigma: Array
    omega: Array
    beta: Array
    epsilon: Array


def under_tool(head: Head, joints: HeadSpline, tool: Rates, low: Array, high: Array) -> Rates:
    """Return bounds of the platform's motion from `low` to `high` (n,), none with a knot of the joints inside."""
    # Triangle inequalities on the equations of `_platform_states`, with |w_P| <= |w_T| + omega.
    arm, sigma, omega, beta, epsilon = tip_rates(head, joints, low, high)
    w = tool.w + omega
    alpha = tool.alpha + carried(omega, w) + epsilon
    a = tool.a + carried(arm, alpha + w**2) + carried(2 * sigma, w) + beta
    return Rates(tool.v + carried(arm, w) + sigma, w, a, alpha)


def tip_rates(head: Head, joints: HeadSpline, low: Array, high: Array) -> TipRates:
    """Return bounds of the tip's motion in the platform frame over intervals from `low` to `high` (n,)."""
    middle, h = (low + high) / 2, (high - low) / 2
    rate, acceleration = joints.bounds(low, high)
    frames = head.frames(joints(middle)[0])
    tip = (frames[:, -1] @ head.X_NT)[:, :3, 3]
    distance = np.linalg.norm(tip[:, None] - head.axes(frames)[0], axis=-1)
    zero = np.zeros_like(low)
    sigma, beta, omega, epsilon = zero, zero, zero, zero
    # From the tip inwards: only joints beyond joint k change the tip's distance from its axis, at most by their speed.
    for k in reversed(range(len(head.units))):
        turns = head.units[k] == "rad"
        r = distance[:, k] + h * sigma if turns else 1.0
        sigma, beta = sigma + r * rate[:, k], beta + r * acceleration[:, k]
        if turns:
            omega, epsilon = omega + rate[:, k], epsilon + acceleration[:, k]
    arm = np.linalg.norm(tip, axis=-1) + h * sigma
    # Products of rates of different joints: Coriolis terms at most 2 omega sigma, gyroscopic ones omega^2 / 2.
    return TipRates(arm, sigma, omega, beta + 2 * omega * sigma, epsilon + omega**2 / 2)
