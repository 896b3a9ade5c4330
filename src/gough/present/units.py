"""From SI to the units of a machine's file and back, and to prefixed units for quantities that files do not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from math import ceil, floor, isfinite, log10, pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.machine import DisplayUnits, Machine
from gough.stacked import AnyMachine

_ANGLE_DECIMALS = {"deg": 3, "rad": 5, "mrad": 2, "urad": 0, "arcmin": 2, "arcsec": 0}
_KINEMATIC = re.compile(r"(m|rad)(3?(?:/s2?)?)|(m|rad|1)/(m|rad)")
PREFIXED = {"%": 1e-2, "N/µm": 1e6, "N m/mrad": 1e3}
PREFIXED |= {"N/mm": 1e3, "N/nm": 1e9, "mm": 1e-3, "µm": 1e-6, "nm": 1e-9, "mrad": 1e-3, "µrad": 1e-6, "nrad": 1e-9}
PREFIXED |= {"µin": 2.54e-8, "mas": pi / 648e6, "arcsec": pi / 648e3, "lbf/in": 4.4482216152605 / 0.0254}
PREFIXED |= {"dm³": 1e-3, "cm³": 1e-6, "mm³": 1e-9, "µm³": 1e-18}
"""Sizes in SI of units whose size does not depend on the machine's file."""
NO_SIZE = {
    "1": 1e-13,
    "m": 1e-13,
    "rad": 1e-11,
    **dict.fromkeys(("m/s", "rad/s"), 1e-13),
    **dict.fromkeys(("m/s2", "rad/s2", "W", "%"), 1e-12),
}
"""Values below these are rounding errors, by SI unit: of pure numbers of order one; lengths and angles a thousand times
smaller than what is measured; rates and powers of order one."""
KEPT = 1e-3
"""Part of the last digit that outward rounding ignores: 299.99999999 mm are 300."""
_FAMILIES = {
    "m": ((1e-9, "nm"), (1e-6, "µm"), (1e-3, "mm"), (1.0, "m")),
    "in": ((2.54e-8, "µin"), (0.0254, "in")),
    "rad": ((1e-9, "nrad"), (1e-6, "µrad"), (1e-3, "mrad"), (1.0, "rad")),
    "deg": ((pi / 648e6, "mas"), (pi / 648e3, "arcsec"), (pi / 180, "deg")),
    "N/m": ((1.0, "N/m"), (1e3, "N/mm"), (1e6, "N/µm"), (1e9, "N/nm")),
}
"""Units of one family with their sizes in SI, smallest first."""


def readable(units: DisplayUnits, si_unit: str) -> str:
    """Return the name of the unit for people: stiffnesses in the file's unit, or where SI is too small for machines in
    N/µm."""
    if si_unit == "N/m":
        return units.stiffness or "N/µm"
    return "N m/mrad" if si_unit == "N m/rad" else si_unit


def metric(values: Iterable[float], si_unit: str, units: DisplayUnits | None = None) -> tuple[float, str]:
    """Return the largest unit (size in SI, name) of the family of the file's unit in which the largest of `values` is
    at least one: of "m" millimetres or inches, of "rad" radians or degrees; stiffnesses in the file's unit."""
    if units is not None and si_unit == "N/m" and units.stiffness:
        return unit_of(units, units.stiffness)
    family = si_unit
    if units is not None and si_unit in ("m", "rad"):
        named = units.length if si_unit == "m" else units.angle
        family = {"in": "in", "ft": "in", **dict.fromkeys(("deg", "arcmin", "arcsec"), "deg")}.get(named, si_unit)
    largest = max((abs(v) for v in values if isfinite(v)), default=1.0)
    fitting = [entry for entry in _FAMILIES[family] if largest >= entry[0]]
    return fitting[-1] if fitting else _FAMILIES[family][0]


def unit_of(units: DisplayUnits, si_unit: str) -> tuple[float, str]:
    """Return the size in SI and name of the unit in which a quantity of this SI unit is shown.

    Lengths, angles, their third powers, rates and ratios have the unit of the machine's file; everything else stays in
    SI, or in the unit of `PREFIXED` that is given.
    """
    match = _KINEMATIC.fullmatch(si_unit)
    if match is None:
        return PREFIXED.get(si_unit, 1.0), si_unit
    of_files = {"m": (units.metres, units.length), "rad": (units.radians, units.angle), "1": (1.0, "1")}
    base, more, over, under = match.groups()
    if under is not None:
        (size, name), (per, of) = of_files[over], of_files[under]
        return size / per, f"{name}/{of}"
    size, name = of_files[base]
    return size**3 if more.startswith("3") else size, f"{name}{more}"


def volume_unit(volume: float) -> str:
    """Return the largest unit of which a volume [m3] has at least one."""
    return "m³" if volume >= 1 else next((u for u in ("dm³", "cm³", "mm³") if volume >= PREFIXED[u]), "µm³")


def in_file_units(machine: AnyMachine, values: ArrayLike, si_unit: str | Sequence[str]) -> Array:
    """Return values in the units of the machine's file, from SI; with one SI unit, or one for each entry of the last
    axis."""
    return np.asarray(np.asarray(values, dtype=float) / _sizes(machine, si_unit))


def to_si(machine: AnyMachine, values: ArrayLike, si_unit: str | Sequence[str]) -> Array:
    """Return values in SI, from the units of the machine's file; the inverse of `in_file_units`."""
    return np.asarray(np.asarray(values, dtype=float) * _sizes(machine, si_unit))


def _sizes(machine: AnyMachine, si_unit: str | Sequence[str]) -> Any:
    if isinstance(si_unit, str):
        return unit_of(machine.units, si_unit)[0]
    return np.array([unit_of(machine.units, unit)[0] for unit in si_unit])


def file_unit(machine: AnyMachine, si_unit: str) -> str:
    """Return the name of the file's unit for an SI unit; empty for pure numbers."""
    return without_one(unit_of(machine.units, si_unit)[1])


def without_one(unit: str) -> str:
    """Return the name of a unit; empty for pure numbers, whose unit is "1"."""
    return "" if unit == "1" else unit


def with_unit(machine: AnyMachine, value: float, si_unit: str, digits: int = 6) -> str:
    """Return a quantity [SI] for a message, in significant digits, with the file's unit."""
    return in_units(machine.units, value, si_unit, digits)


def in_units(units: DisplayUnits, value: float, si_unit: str, digits: int = 6) -> str:
    """Return a quantity [SI] for a message, in significant digits, with its unit among `units`, such as those of a
    program."""
    size, unit = unit_of(units, si_unit)
    return f"{value / size:.{digits}g} {unit}"


def span_in_words(
    lower: float, upper: float, write: Callable[[float], str], unit: str = "", between: str = " to "
) -> str:
    """Return a range between two limits, each written by `write`: "310 to 400 mm", or "up to 970 mm" without a lower
    one."""
    if isfinite(lower) and isfinite(upper):
        ends = f"{write(lower)}{between}{write(upper)}"
    elif isfinite(lower) or isfinite(upper):
        ends = f"up to {write(upper)}" if isfinite(upper) else f"above {write(lower)}"
    else:
        return "no limit"
    return f"{ends} {unit}".rstrip()


def megabytes(size: float) -> str:
    """Return a number of bytes for a message, in MB."""
    return f"{size / 1e6:.4g} MB"


def round_number(value: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten that is not above a value."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(max(k * power for k in (1, 2, 5) if k * power <= value * (1 + 1e-9)))


def percent(part: float, digits: int = 6, decimals: int | None = None) -> str:
    """Return a part of a whole for a message, in per cent, in significant digits or with so many decimals."""
    return f"{100 * part:.{digits}g} %" if decimals is None else f"{100 * part:.{decimals}f} %"


def titled(name: str, unit: str) -> str:
    """Return a column's title with its unit: "speed_mm_per_s"."""
    title = f"{name}_{unit}".replace("/", "_per_").replace(" ", "_").replace("-", "_")
    return title.removesuffix("_1").removesuffix("_")


def decimals(machine: AnyMachine, si_unit: str) -> int:
    """Return decimals that show about 1e-5 of the machine's size, or 20 microradians or less, and more where its
    strokes are short; four for a plain number."""
    if si_unit == "m":
        # 4.5 and rounding up: the last decimal is between 3e-6 and 3e-5 of the size.
        return max(0, ceil(4.5 - log10(machine.size / machine.units.metres)) + _finer(machine))
    return _ANGLE_DECIMALS[machine.units.angle] + _finer(machine) if si_unit == "rad" else 4


def rounded(machine: AnyMachine, value: float, si_unit: str) -> str:
    """Return a number [SI] for a sentence, in the file's unit without its name.

    Lengths, angles and plain numbers have `decimals` without zeros at the end, or two significant digits where they
    would round to zero; other quantities have six significant digits.
    """
    if abs(value) <= NO_SIZE.get(si_unit, 0.0):
        return "0"
    shown, digits = float(in_file_units(machine, value, si_unit)), decimals(machine, si_unit)
    if si_unit not in ("m", "rad", "1"):
        return f"{shown:.6g}"
    short = f"{shown:.{digits}f}"
    if float(short) == 0:
        return f"{shown:.2g}" if shown else "0"
    return short.rstrip("0").rstrip(".") if "." in short else short


def apart(machine: AnyMachine, value: float, bound: float, si_unit: str) -> tuple[str, str]:
    """Return a number and its limit [SI] for a sentence, in the file's unit without its name: `rounded`, and with as
    many more digits as show that they differ."""
    texts = rounded(machine, value, si_unit), rounded(machine, bound, si_unit)
    ends = float(in_file_units(machine, value, si_unit)), float(in_file_units(machine, bound, si_unit))
    for digits in range(7, 17):
        if texts[0] != texts[1] or abs(value - bound) <= NO_SIZE.get(si_unit, 0.0):
            break
        texts = f"{ends[0]:.{digits}g}", f"{ends[1]:.{digits}g}"
    return texts


def bound_in_words(bound: float, digits: int = 4, *, is_upper: bool = False) -> str:
    """Return a proven lower or upper bound in significant digits, rounded so that it stays one: a positive one is never
    0."""
    if not isfinite(bound) or bound == 0:
        return f"{bound + 0.0:g}"
    step = 10.0 ** (floor(log10(abs(bound))) + 1 - digits)
    whole = ceil(bound / step - KEPT) if is_upper else floor(bound / step + KEPT)
    return f"{whole * step:.{digits}g}"


def _finer(machine: AnyMachine) -> int:
    """Additional decimals, up to four, where a stroke is below a hundredth of the machine's size, or of a radian."""
    least = min(
        float(np.min(one.limits.joint_max - one.limits.joint_min)) / (one.size if one.legs.joint == "length" else 1.0)
        for one in machine.stages
    )
    # -1e-9: a stroke of exactly a hundredth, but for rounding, needs none.
    return max(0, ceil(-2 - log10(min(max(least, 1e-6), 1.0)) - 1e-9))


def force_unit(machine: Machine) -> str:
    """Return the unit of an actuator's force, or of its torque where the joint turns."""
    return "N" if machine.legs.joint == "length" else "N m"
