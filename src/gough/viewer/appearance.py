"""The page's colours and numbers: those of the figures, and what a margin looks like."""

from __future__ import annotations

from math import floor, log10

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.limits.gradient import TIGHT
from gough.limits.margins import Margins
from gough.machine import Machine
from gough.plot import _style as style
from gough.present.units import decimals, file_unit, in_file_units, rounded

Array = NDArray[np.float64]
Rgb = tuple[int, int, int]

EASY = 0.25
"""A relative margin above this is none to think about."""
GOOD, NEAR, BROKEN = style.AXES[1], "#d97706", style.AXES[0]


def rgb(colour: str) -> Rgb:
    """Red, green and blue, 0 to 255, of a colour "#rrggbb"."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def margin_colour(relative: float) -> str:
    """Green with room, over amber near a limit, to red on it and beyond, for a relative margin."""
    if not relative > 0:
        return BROKEN
    if relative >= EASY:
        return GOOD
    ends = (BROKEN, NEAR, GOOD)
    at = relative / TIGHT if relative < TIGHT else 1.0 + (relative - TIGHT) / (EASY - TIGHT)
    low, high = np.array(rgb(ends[int(at)])), np.array(rgb(ends[int(at) + 1]))
    red, green, blue = (low + (at - int(at)) * (high - low)).round().astype(int).tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def leg_margins(found: Margins) -> Array:
    """Smallest relative margin of the limits that concern each leg alone (6,)."""
    worst = np.full(6, np.inf)
    for column, relative in zip(found.columns, found.relative.tolist(), strict=True):
        if len(column.legs) == 1:
            i = column.legs[0] - 1
            worst[i] = min(worst[i], relative) if np.isfinite(relative) else worst[i]
    return worst


def number(machine: Machine, value: float, si_unit: str) -> str:
    """A length or an angle in the units of the machine's file, without the unit's name; columns keep their width."""
    if not np.isfinite(value):
        return "–" if np.isnan(value) else "∞"
    digits = decimals(machine, si_unit)
    return f"{round(float(in_file_units(machine, value, si_unit)), digits) + 0.0:.{digits}f}".replace("-", "−")


def with_unit(machine: Machine, value: float, si_unit: str, digits: int | None = None) -> str:
    """A length or an angle with its unit, with so many digits that count where that is said."""
    if not np.isfinite(value):
        shown = number(machine, value, si_unit)
    elif digits is None:
        shown = rounded(machine, value, si_unit)
    else:
        size = float(in_file_units(machine, value, si_unit))
        shown = fixed(size, max(0, digits_after(size, digits)))
    return f"{shown.replace('-', '−')} {file_unit(machine, si_unit)}"


def point(machine: Machine, values: ArrayLike) -> str:
    """A point (x, y, z) with its unit."""
    shown = ", ".join(number(machine, float(v), "m") for v in np.asarray(values))
    return f"({shown}) {machine.units.length}"


def significant(value: float, digits: int = 4) -> str:
    """A number with so many digits that count, zeros included, so that columns keep their width."""
    return fixed(value, digits_after(value, digits))


def digits_after(size: float, digits: int) -> int:
    """Decimals of numbers of this size with so many digits that count."""
    return digits - 1 - floor(log10(abs(size))) if np.isfinite(size) and size != 0 else 0


def fixed(value: float, digits: int) -> str:
    """A number with so many decimals; with a power of ten where these are many or few."""
    if not np.isfinite(value):
        return "–" if np.isnan(value) else "∞"
    if not -3 <= digits <= 8:
        return f"{value:.2e}".replace("-", "−")
    return f"{round(value, digits) + 0.0:.{max(digits, 0)}f}".replace("-", "−")
