"""Bounds of the platform's motion while its legs go along given ways.

With u the rods' directions and rho the arms from the mean of the platform joints, over the length l, differentiating
the leg equation gives

    A [v_c, l w] = (u . p' + L') q',     A with the rows [u, rho x u]

so |[v_c, l w]| <= |(|p'| + |L'|) q'| / sigma, with sigma the least singular value of A. Over an interval sigma is
bounded by itself: as long as the platform goes no faster than a bound B its joints stay in balls, over which sigma
falls by no more than a shift (`gough.analysis.pose_balls`); if what is left asks for no more than B, it never goes
faster, by continuity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.analysis.margins import margins
from gough.analysis.pose_balls import rod_turns, singular_growth
from gough.machine import Machine
from gough.motion.path import Rates

Array = NDArray[np.float64]

ROOM = 2.0
"""How much faster than in the middle of an interval the platform may go before the interval is called too long."""
UNKNOWN = 1e12
"""Stands for no bound."""


def platform_rates(machine: Machine, X: Array, q: Array, rate: Array, h: Array) -> Rates:
    """Bounds within h (n,) of places where the poses are X and the joints q (n, 6), with joint rates up to `rate`."""
    size, centre = machine.characteristic_length, machine.platform_centre
    asked = np.linalg.norm(driven_speed(machine, q) * rate, axis=1)
    sigma = np.abs(margins(machine, X).values[:, -1] + machine.limits.singular_value)
    with np.errstate(divide="ignore"):
        B = np.minimum(ROOM * asked / sigma, UNKNOWN)
    arms = np.linalg.norm(machine.b_P - centre, axis=1)
    balls = (h * B)[:, None] * np.hypot(1.0, arms / size)
    b_B = X[:, None, :3, 3] + machine.b_P @ np.swapaxes(X[:, :3, :3], 1, 2)
    chord, _ = rod_turns(machine.legs.enclosure(b_B, balls))
    left = sigma - singular_growth(machine, chord, np.minimum(h * B / size, np.pi))
    is_proven = left * ROOM >= sigma
    B = np.where(is_proven, asked / np.where(is_proven, left, 1.0), UNKNOWN)
    unknown = np.full(len(B), UNKNOWN)
    return Rates(B * np.hypot(1.0, np.linalg.norm(centre) / size), B / size, unknown, unknown)


def driven_speed(machine: Machine, q: Array) -> Array:
    """|p'| + |L'| (n, 6): one for struts and sliders, the arm's radius for cranks."""
    legs = machine.legs
    if legs.rod() is None:
        return np.ones_like(q)
    arm = legs.driven_points(q) - legs.carriers(q)[..., :3, 3]
    twist = legs.carrier_twist()
    return np.asarray(np.linalg.norm(twist[:, :3] + np.cross(twist[:, 3:], arm), axis=-1))
