"""How far sliders reach: as far as the machine goes from home, and a little more so that one can see what stops it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import gough
from gough.machine import Machine
from gough.plot._units import decimals

Array = NDArray[np.float64]

BEYOND = 1.15
"""Of the travel."""
WITHOUT = np.array([0.4, 1.0])
"""Where nothing ends it: parts of the machine's size [1], and [rad]."""
DIGITS, STEPS = 3, 100
"""Most decimals beside a slider, unless it had fewer steps than so many with them: small machines have tiny strokes."""


def slider_digits(machine: Machine, low: float, high: float, si_unit: str) -> int:
    """Decimals of a slider from `low` to `high` in the file's units."""
    needed = np.ceil(np.log10(STEPS / abs(high - low)) - 1e-9)
    return max(min(decimals(machine, si_unit), DIGITS), int(needed))


def pose_range(machine: Machine) -> Array:
    """Largest displacement from home along and about each axis worth a slider (6,) [m, rad]."""
    fallback = np.repeat(WITHOUT * (machine.size, 1.0), 3)
    directions = np.concatenate([np.eye(6), -np.eye(6)])
    farthest = gough.travel(machine, directions).distance.reshape(2, 6).max(axis=0)
    is_known = np.isfinite(farthest) & (farthest > 1e-6 * fallback)
    return np.where(is_known, np.minimum(BEYOND * np.where(is_known, farthest, 0.0), (2.5 * fallback)), fallback)


def joint_range(machine: Machine) -> tuple[Array, Array]:
    """Lowest and highest joint coordinates (6,) worth a slider [m or rad]."""
    half = 0.4 * machine.size if machine.legs.joint == "length" else np.pi
    home = np.nan_to_num(gough.inverse_kinematics(machine, machine.X_home))
    low, high = machine.limits.joint_min, machine.limits.joint_max
    return np.where(np.isfinite(low), low, home - half), np.where(np.isfinite(high), high, home + half)
