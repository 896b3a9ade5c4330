"""The platform's motion under a moving tool: exact between the poses of a tool path as well as at them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.dynamics.motions import Motion, States
from gough.head import Head
from gough.machine import Machine
from gough.motion.heads.kinematics import head_of
from gough.motion.heads.newton_euler import LinkMotion
from gough.motion.heads.spline import HeadMotion, HeadSpline
from gough.motion.paths.path import Rates, carried
from gough.poses import inverse_matrices

Array = NDArray[np.float64]


class UnderTool:
    """Motion of the platform while the tool's tip moves so and the head's joints move so: X_BP = X_BT X_PT(q)^-1.

    Twist and acceleration follow from those of the tip less what the head adds (Craig 1986, section 6.5), so that the
    tip is where its own motion says at every time.

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

    def __call__(self, time: ArrayLike) -> States:
        """See `gough.dynamics.motions.Motion`."""
        (X_BT, V, A), (q, qd, qdd) = self.tip(time), self.head(time)
        chain = head_of(self.machine)
        X = X_BT @ inverse_matrices(chain.tip(q))
        R = X[..., :3, :3]
        s, v, a, w, alpha = (
            (R @ part[..., None])[..., 0] for part in tip_on_platform(chain, chain.coordinates(q), qd, qdd)
        )
        turning = V[..., 3:] - w
        spin = A[..., 3:] - np.cross(turning, w) - alpha
        moving = V[..., :3] - np.cross(turning, s) - v
        pull = A[..., :3] - np.cross(spin, s) - np.cross(turning, np.cross(turning, s)) - 2 * np.cross(turning, v) - a
        return X, np.concatenate([moving, turning], axis=-1), np.concatenate([pull, spin], axis=-1)


def tip_on_platform(head: Head, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Of the tip in the platform's frame: place, velocity, acceleration, angular velocity and acceleration (..., 3)."""
    frames = head.frames(q)
    points, axes = head.axes(frames)
    tip = (frames[..., -1, :, :] @ head.X_NT)[..., :3, 3]
    zero = np.zeros_like(tip)
    link, v = LinkMotion(zero, zero, zero, zero), zero
    for k, unit in enumerate(head.units):
        z, o = axes[..., k, :], points[..., k, :]
        link = link.after(unit, z, o, qd[..., k, None], qdd[..., k, None])
        v = v + (np.cross(z, tip - o) if unit == "rad" else z) * qd[..., k, None]
    return tip, v, link.acceleration_at(tip), link.w, link.alpha


class TipRates(NamedTuple):
    """Upper bounds (n,) of the tip on the platform: arm |s|, speed, turning rate, and their accelerations."""

    arm: Array
    sigma: Array
    omega: Array
    beta: Array
    epsilon: Array


def under_tool(head: Head, joints: HeadSpline, tool: Rates, low: Array, high: Array) -> Rates:
    """Bounds of the platform's motion from `low` to `high` (n,), none of which goes over a knot of the joints."""
    arm, sigma, omega, beta, epsilon = tip_rates(head, joints, low, high)
    w = tool.w + omega
    alpha = tool.alpha + carried(omega, w) + epsilon
    a = tool.a + carried(arm, alpha + w**2) + carried(2 * sigma, w) + beta
    return Rates(tool.v + carried(arm, w) + sigma, w, a, alpha)


def tip_rates(head: Head, joints: HeadSpline, low: Array, high: Array) -> TipRates:
    """Bounds of the tip's motion on the platform over intervals from `low` to `high` (n,)."""
    middle, h = (low + high) / 2, (high - low) / 2
    rate, bend = joints.bounds(low, high)
    frames = head.frames(joints(middle)[0])
    tip = (frames[:, -1] @ head.X_NT)[:, :3, 3]
    distance = np.linalg.norm(tip[:, None] - head.axes(frames)[0], axis=-1)
    zero = np.zeros_like(low)
    sigma, beta, omega, epsilon = zero, zero, zero, zero
    # From the tip inwards: only joints beyond one change the tip's distance from its axis.
    for k in reversed(range(len(head.units))):
        turns = head.units[k] == "rad"
        r = distance[:, k] + h * sigma if turns else 1.0
        sigma, beta = sigma + r * rate[:, k], beta + r * bend[:, k]
        if turns:
            omega, epsilon = omega + rate[:, k], epsilon + bend[:, k]
    arm = np.linalg.norm(tip, axis=-1) + h * sigma
    return TipRates(arm, sigma, omega, beta + 2 * omega * sigma, epsilon + omega**2 / 2)
