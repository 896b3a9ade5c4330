"""Numbers as they are read: what is written, to which digits, in which unit; and what is known of them in SI."""

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import constants as c

from gough.present.write import as_json

SIZES = {
    "m": 1.0, "cm": c.centi, "mm": c.milli, "um": c.micro, "µm": c.micro, "nm": c.nano, "in": c.inch, "ft": c.foot,
    "µin": c.micro * c.inch, "dm": c.deci, "rad": 1.0, "mrad": c.milli, "µrad": c.micro, "nrad": c.nano,
    "deg": c.degree, "arcmin": c.arcminute, "arcsec": c.arcsecond, "mas": c.milli * c.arcsecond, "lbf": c.pound_force,
    "s": 1.0, "kg": 1.0, "N": 1.0, "W": 1.0, "J": 1.0, "kN": c.kilo, "Hz": 1.0, "%": 1e-2, "1": 1.0,
}  # fmt: skip
"""Of units in SI: those by CODATA and by definition, not Gough's own table."""
OF_LENGTH = ("m", "cm", "mm", "um", "µm", "nm", "in", "µin", "ft", "dm")
OF_ANGLE = ("rad", "mrad", "µrad", "nrad", "deg", "arcmin", "arcsec", "mas")
BASES = {
    "s": {"s": 1},
    "kg": {"kg": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "kN": {"kg": 1, "m": 1, "s": -2},
    "lbf": {"kg": 1, "m": 1, "s": -2},
    "Hz": {"s": -1},
    "%": {},
    "1": {},
}
BASES |= {"W": {"kg": 1, "m": 2, "s": -3}, "J": {"kg": 1, "m": 2, "s": -2}}
BASES |= {name: {"m": 1} for name in OF_LENGTH} | {name: {"rad": 1} for name in OF_ANGLE}
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
_TERM = f"(?:{'|'.join(sorted(map(re.escape, SIZES), key=len, reverse=True))})"
NUMBER = re.compile(r"(?<![\w.])[+−-]?\d+(?:\.\d+)?(?:×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|e[+-]?\d+)?(?![\w.]*\w)(?!-\d)")
UNIT = re.compile(rf"\)? ?(\(m/rad\)\^?[⁶6]|(?:N m|kg m|(?!1){_TERM})[²³23]?(?:/{_TERM}[²³23]?)?)(?!\w)")
BETWEEN = re.compile(r"[\s,;()…/±]*(?:\b(?:to|and|[xyz])\b[\s,;()…/±]*)*")
"""What may stand between two numbers of one unit, which the last one has."""
LEGS = re.compile(r"\blegs? \d+(?:(?:, | and |-)\d+)*")
ROUNDING = 1e-9


@dataclass(frozen=True)
class Unit:
    """Size in SI, and powers of m, rad, s, kg."""

    size: float
    dimension: tuple


@dataclass(frozen=True)
class Written:
    """A number, half a unit of its last digit, and its unit's name; "" where there is none."""

    value: float
    half: float
    unit: str


@cache
def unit_of(name):
    """The unit of a name such as "N m/mrad", "in_per_s" or "rad/(m sqrt(kg))"; None if it is none."""
    name = name.replace("_per_", "/").replace("_", " ").replace("^", "").translate(RAISED)
    size, powers = 1.0, dict.fromkeys(("m", "rad", "s", "kg"), 0.0)
    sign, outer = 1.0, re.fullmatch(r"\((.+)\)(\d)", name)
    name, outer = (outer[1], int(outer[2])) if outer else (name, 1)
    for word in re.split(r"([ /()])", name):
        root = 1.0
        if word == "/":
            sign = -1.0
        elif word == "sqrt":
            pass
        elif word.strip(" ()"):
            match = re.fullmatch(rf"({_TERM})(-?\d)?", word)
            if match is None:
                return None
            root = 0.5 if f"sqrt({word})" in name else 1.0
            power = sign * root * int(match[2] or 1) * outer
            size *= SIZES[match[1]] ** power
            for base, exponent in BASES[match[1]].items():
                powers[base] += power * exponent
    return Unit(size, tuple(powers.values()))


def number(text):
    """Value and half a unit of the last digit of a number as it is written."""
    plain = text.replace("×10", "e").translate(RAISED)
    mantissa, _, exponent = plain.partition("e")
    return float(plain), 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def written(text, unit=""):
    """The numbers in a cell or a sentence, legs' numbers left out; those without a unit have the cell's."""
    text, found, end = LEGS.sub("leg", text), [], 0
    matches = list(NUMBER.finditer(text))
    for k, match in enumerate(matches):
        if match.start() < end:
            continue
        value, half = number(match[0])
        behind = UNIT.match(text, match.end())
        between = text[match.end() : matches[k + 1].start()] if k + 1 < len(matches) else None
        own = behind[1] if behind else None if between is not None and BETWEEN.fullmatch(between) else unit
        found.append([value, half, own])
        error = re.match(r" ± ([\d.]+)", text[match.end() :])
        if error:  # one digit, or two that begin with a one; the number as far
            size = float(error[1])
            power = np.floor(np.log10(size) + 1e-9)
            found[-1][1] = 0.5 * 10.0 ** (power - (size / 10.0**power < 2))
        elif k and text[: match.start()].endswith("± ") and found[:-1]:
            found[-1][1] = found[-2][1]
    for k in reversed(range(len(found))):
        if found[k][2] is None:
            found[k][2] = found[k + 1][2]
    return [Written(*each) for each in found]


def agrees(shown, values, dimensions, *, both_signs=False, is_directed=False):
    """Whether a written number is, to its digits, one of the values [SI] of one of the dimensions: to half of the last
    digit, or to a whole one where it is rounded in one direction."""
    unit = unit_of(shown.unit)
    if unit is None or unit.dimension not in dimensions or not len(values):
        return False
    values, value = np.asarray(values, float), shown.value * unit.size
    off = np.abs(values - value)
    off = np.minimum(off, np.abs(values + value)) if both_signs else off
    return bool(np.any(off <= 1.001 * (1 + is_directed) * shown.half * unit.size + ROUNDING * np.abs(values)))


@dataclass(frozen=True)
class Known:
    """Values in SI of one key of a section's numbers, and the dimensions that its declaration allows."""

    key: str
    values: np.ndarray
    dimensions: frozenset


def known(section):
    """All numbers of a section of a report by their keys."""
    for key, field in section.declared.items():
        if section.key == "published":  # in the units that the names of the figures say
            for name, value in zip(field.labels, field.value, strict=True):
                unit = _suffix(name)
                yield Known(key, unit_of(unit).size * floats(as_json(value)), frozenset([dimension_of(unit)]))
            continue
        units = np.unique(np.array(field.unit))
        yield Known(key, floats(as_json(field.value)), frozenset(dimension_of(str(unit) or "1") for unit in units))


def dimension_of(name):
    """The dimension of a unit, which must be one."""
    unit = unit_of(name)
    assert unit is not None, name
    return unit.dimension


def floats(value):
    """The finite numbers of a list of lists, or of a mapping."""
    if isinstance(value, dict):
        return floats(list(value.values()))
    if isinstance(value, list):
        return np.concatenate([np.zeros(0), *map(floats, value)])
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return np.array([float(value)] if is_number and np.isfinite(value) else [])


def _suffix(name):
    """The unit at the end of a name, as of "home_lengths_in" or "top_speed_mm_per_s"; "1" where there is none."""
    match = re.search(rf"_({_TERM}(?:_per_{_TERM}[23]?)?)$", name)
    return match[1] if match else "1"


def is_vector(value, unit):
    """Whether an array of JSON holds vectors, by its shape and its units.

    A vector is a list of three numbers, a quaternion, a matrix, or six numbers in two units.
    """
    try:
        values = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return False
    if not values.ndim:
        return False
    has_two_units = len(np.unique(unit)) > 1
    square = values.ndim > 1 and values.shape[-1] == values.shape[-2] and values.shape[-1] in (3, 4)
    return values.shape[-1] in (3, 4) or square or (values.shape[-1] == 6 and has_two_units)


def vectors(document, units, path=""):
    """Keys of all arrays of vectors."""
    for name, value in document.items():
        key = f"{path}{name}"
        if isinstance(value, dict):
            yield from vectors(value, units, f"{key}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from vectors(value[0], units, f"{key}.")
        elif isinstance(value, list) and is_vector(value, units.get(key, "")):
            yield key
