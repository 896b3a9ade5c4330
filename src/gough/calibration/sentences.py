"""Lengths and joint readings in sentences, in the units of the machine's file."""

from __future__ import annotations

from gough.machine import DisplayUnits, Machine
from gough.present.show import significant

METRES = DisplayUnits()


def length(value: float, units: DisplayUnits, digits: int = 3, *, sign: bool = False) -> str:
    """A length [m] with its unit."""
    return f"{_signed(value / units.metres, digits, sign)} {units.length}"


def lengths(low: float, high: float, units: DisplayUnits, digits: int = 2) -> str:
    """Two lengths [m] with one unit: "0.2 to 0.5 mm"."""
    return f"{_signed(low / units.metres, digits, False)} to {length(high, units, digits)}"


def reading(value: float, machine: Machine, digits: int = 3, *, sign: bool = False) -> str:
    """A joint reading [m or rad] with its unit."""
    return f"{_signed(value / machine.displayed_joint_size, digits, sign)} {machine.displayed_joint_unit}"


def _signed(value: float, digits: int, sign: bool) -> str:
    text = significant(value, digits)
    return f"+{text}" if sign and value > 0.0 else text
