"""Bounds of a platform's motion under a moving tool, from bounds of the tool's and of the head's.

With X_BP = X_BT X_PT(q)^-1, the tip at the arm s from the platform's origin, moving on the platform with the speed
sigma and turning on it with omega (`gough.motion.under_tool`; Craig 1986, section 6.5), the triangle inequality gives

    |w_P| <= |w| + omega                        |v_P| <= |v| + |w_P| |s| + sigma
    |alpha_P| <= |alpha| + |w_P| omega + epsilon
    |a_P| <= |a| + |alpha_P| |s| + |w_P|^2 |s| + 2 |w_P| sigma + beta

where joint k moves the tip by no more than its rate times r_k, the distance of the tip from its axis (1 if it slides):

    omega = sum |q_k'|,   epsilon = sum |q_k''| + omega^2 / 2      over the joints that turn
    sigma = sum r_k |q_k'|,   beta = sum r_k |q_k''| + 2 omega sigma
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.head import Head
from gough.motion.head_spline import HeadSpline
from gough.motion.path import Rates

Array = NDArray[np.float64]


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
    alpha = tool.alpha + w * omega + epsilon
    a = tool.a + (alpha + w**2) * arm + 2 * w * sigma + beta
    return Rates(tool.v + w * arm + sigma, w, a, alpha)


def tip_rates(head: Head, joints: HeadSpline, low: Array, high: Array) -> TipRates:
    """Bounds of the tip's motion on the platform over intervals from `low` to `high` (n,)."""
    middle, h = (low + high) / 2, (high - low) / 2
    rate, bend = joints.bounds(low, high)
    frames = head.frames(joints(middle)[0])
    tip = (frames[:, -1] @ head.X_NT)[:, :3, 3]
    distance = np.linalg.norm(tip[:, None] - head.axes(frames)[0], axis=-1)
    nought = np.zeros_like(low)
    sigma, beta, omega, epsilon = nought, nought, nought, nought
    # From the tip inwards: only joints beyond one change the tip's distance from its axis.
    for k in reversed(range(len(head.units))):
        turns = head.units[k] == "rad"
        r = distance[:, k] + h * sigma if turns else 1.0
        sigma, beta = sigma + r * rate[:, k], beta + r * bend[:, k]
        if turns:
            omega, epsilon = omega + rate[:, k], epsilon + bend[:, k]
    arm = np.linalg.norm(tip, axis=-1) + h * sigma
    return TipRates(arm, sigma, omega, beta + 2 * omega * sigma, epsilon + omega**2 / 2)
