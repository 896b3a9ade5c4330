"""Numbers as text, in the units of the machine's file."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, isfinite, isinf, isnan, log10
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.present.units import decimals, file_unit, in_file_units
from gough.stacked import AnyMachine

NOTHING = "–"
NO_LIMIT = "no limit"
_METRIC = {
    "m": ((1e-9, "nm"), (1e-6, "µm"), (1e-3, "mm"), (1.0, "m")),
    "rad": ((1e-9, "nrad"), (1e-6, "µrad"), (1e-3, "mrad"), (1.0, "rad")),
}


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Show:
    """Writes the quantities of one machine: lengths, angles and joint coordinates arrive in SI."""

    def __init__(self, machine: AnyMachine) -> None:
        self.machine = machine
        self.joint_si = machine.stages[0].legs.joint_unit

    def unit(self, si_unit: str) -> str:
        """Name of the file's unit for m or rad."""
        return file_unit(self.machine, si_unit)

    def value(self, value: float, si_unit: str, *, sign: bool = False) -> str:
        """A number without its unit; infinite means that nothing limits it."""
        if isinf(value):
            return NO_LIMIT
        return number(self.in_units(value, si_unit), decimals(self.machine, si_unit), sign=sign)

    def short(self, value: float, si_unit: str) -> str:
        """Three significant digits without the unit, for headlines."""
        return "∞" if isinf(value) else significant(self.in_units(value, si_unit), 3)

    def with_unit(self, value: float, si_unit: str, *, sign: bool = False) -> str:
        """A number with its unit."""
        text = self.value(value, si_unit, sign=sign)
        return text if not isfinite(value) else f"{text} {self.unit(si_unit)}".rstrip()

    def point(self, values: ArrayLike, si_unit: str = "m") -> str:
        """(x, y, z) with its unit."""
        shown = ", ".join(self.value(float(v), si_unit) for v in np.asarray(values))
        return f"({shown}) {self.unit(si_unit)}"

    def in_units(self, value: float, si_unit: str) -> float:
        """A number in the file's unit."""
        return float(in_file_units(self.machine, value, si_unit))


def plain(value: Any, digits: int = 6) -> str:
    """Significant digits as a terminal shows them and programs read them; no negative zero."""
    return f"{float(value) + 0.0:.{digits}g}"


def number(value: float, digits: int, *, sign: bool = False) -> str:
    """Fixed decimals with a true minus sign; no negative zero."""
    if isnan(value):
        return NOTHING
    rounded = round(value, digits) + 0.0
    text = f"{rounded:{'+' if sign and rounded else ''}.{digits}f}"
    return text.replace("-", "−")


def significant(value: float, digits: int = 4) -> str:
    """Significant digits, written out between 1e-4 and 1e7."""
    if not isfinite(value):
        return NOTHING if isnan(value) else NO_LIMIT
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e7:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa}×10{str(int(power)).translate(_RAISED)}".replace("-", "−")
    return number(value, max(0, digits - 1 - floor(log10(abs(value)))))


def uncertain(value: float, error: float) -> str:
    """A number with its error, "8.9 ± 0.3": the error to one digit, or two that begin with a one, the number as far."""
    if not (isfinite(value) and isfinite(error)):
        return NOTHING
    if error <= 0:
        return significant(value, 6)
    power = floor(log10(error) + 1e-12)
    digits = 1 + (error / 10.0**power < 1.95) - 1 - power
    if digits > 12:
        return significant(value, 6)
    return f"{number(round(value, digits), max(digits, 0))} ± {number(round(error, digits), max(digits, 0))}"


def metric(values: Iterable[float], si_unit: str) -> tuple[float, str]:
    """The metric unit (size in SI, name) in which the largest of `values` reads well."""
    largest = max((abs(v) for v in values if isfinite(v)), default=1.0)
    fitting = [entry for entry in _METRIC[si_unit] if largest >= entry[0]]
    return fitting[-1] if fitting else _METRIC[si_unit][0]


def jsonable(values: ArrayLike) -> Any:
    """Numbers or nested lists for JSON, which has no infinity and no NaN: those become None."""
    array = np.asarray(values, dtype=float)
    if array.ndim:
        return [jsonable(part) for part in array]
    return float(array) if np.isfinite(array) else None


def same_for_all(values: ArrayLike) -> bool:
    """Whether six legs share one value."""
    array = np.asarray(values, dtype=float)
    return bool(np.all(array == array[0]))


def article(words: str) -> str:
    """'an extending strut', 'a crank'."""
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
