"""Numbers as text, in the units of the machine's file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil, copysign, floor, isfinite, isinf, isnan, log10
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.present.answer import Field, Table
from gough.present.units import KEPT, NO_SIZE, apart, decimals, file_unit, readable, unit_of, volume_unit
from gough.present.units import metric as metric
from gough.stacked import AnyMachine

DIGITS = 4
"""Significant digits by default."""
NOTHING = "–"
NO_LIMIT = "no limit"
_FITTING = {"nm", "µm", "mm", "µin", "mas", "arcsec", "nrad", "µrad", "mrad"}
"""Units that `metric` chooses so that three decimals suit the largest number."""

ROUNDING = 1e-13
"""Part of the largest of several numbers below which the others are rounding errors."""
PLAIN = Field("", None)
"""A field without anything special for people."""
MANY = 5
"""Decimals beyond which zeros at the end of lengths and angles are left out."""
SMALL = 1e-3
"""Part of a unit of length or angle below which displacements are written in a smaller one."""
NEGLIGIBLE = 1e-6
"""Relative error below which a number is written without it, in six digits."""
TINY = 1e-5
"""Numbers with errors below it have a power of ten."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Show:
    """Quantities of one machine as text for people, in the terminal, on the datasheet and in the viewer.

    One rule rounds them all: lengths and angles to the decimals that fit the machine's size and strokes
    (`gough.present.units.decimals`); pure numbers of order one, whose unit is "1", to four decimals; parts of a whole,
    "%", to whole numbers; everything else, and everything for which `digits` is given, to significant digits.
    """

    def __init__(self, machine: AnyMachine) -> None:
        self.machine = machine

    def unit(self, si_unit: str) -> str:
        """Return the name of the unit in which a quantity of this SI unit is written; empty for pure numbers."""
        return file_unit(self.machine, si_unit)

    def in_units(self, value: Any, si_unit: str) -> float:
        """Return a number in that unit."""
        return float(value / unit_of(self.machine.units, si_unit)[0])

    def value(self, value: Any, si_unit: str, digits: int | None = None, *, sign: bool = False) -> str:
        """Return a number without its unit; "no limit" for infinity."""
        if isinf(value):
            return NO_LIMIT
        shown, fixed = self.in_units(value, si_unit), self._decimals(si_unit, digits)
        return significant(shown, digits or DIGITS) if fixed is None else number(shown, fixed, sign=sign)

    def _decimals(self, si_unit: str, digits: int | None) -> int | None:
        """Decimals of numbers in this unit; None for those with significant digits."""
        if si_unit == "%" and digits is None:
            return 0
        if si_unit == "1" or (digits is None and si_unit in ("m", "rad")):
            return digits or decimals(self.machine, si_unit)
        return 3 if digits is None and si_unit in _FITTING else None

    def with_unit(self, value: Any, si_unit: str, digits: int | None = None) -> str:
        """Return a number with its unit; 0 for a rounding error."""
        value = without_noise(value, si_unit)
        text = self._without_zeros([self.value(value, si_unit, digits)], si_unit, digits)[0]
        return text if not isfinite(value) else f"{text} {self.unit(si_unit)}".rstrip()

    def short(self, value: Any, si_unit: str) -> str:
        """Return a number without the unit for headlines, in the digits that it has in tables."""
        return "∞" if isinf(value) else self.value(value, si_unit)

    def promised(self, value: Any, si_unit: str) -> str:
        """Return a guaranteed least value, as `value` but rounded towards zero, so that the guarantee holds; never 0
        for others."""
        shown, fixed = self.in_units(value, si_unit), self._decimals(si_unit, None)
        if not isfinite(shown) or shown == 0:
            return self.short(value, si_unit)
        least = abs(shown)
        if fixed is None or least * 10.0**fixed + KEPT < 1:
            # Below 1e7 numbers are written out: no digit before the point is rounded away.
            fixed, power = None, DIGITS - 1 - floor(log10(least))
            finer = 10.0 ** (power if least >= 1e7 else max(power, 0))
        else:
            finer = 10.0**fixed
        held = copysign(floor(least * finer + KEPT) / finer, shown)
        return significant(held, DIGITS) if fixed is None else number(held, fixed)

    def apart(self, value: float, bound: float, si_unit: str) -> tuple[str, str]:
        """Return a number and its limit without their unit, with as many digits as show that they differ."""
        texts = self.value(value, si_unit), self.value(bound, si_unit)
        if texts[0] != texts[1] or not (isfinite(value) and isfinite(bound)):
            return texts
        texts = apart(self.machine, value, bound, si_unit)
        return texts if texts[0] != texts[1] else (self.value(value, si_unit), self.value(bound, si_unit))

    def is_visible(self, value: float, si_unit: str) -> bool:
        """Test whether a length, an angle or a pure number does not round to zero; False for NaN."""
        return abs(self.in_units(value, si_unit)) >= 0.5 * 10.0 ** -decimals(self.machine, si_unit)

    def between(self, lower: float, upper: float, si_unit: str) -> str:
        """Return an interval of lengths, angles or pure numbers with its unit, rounded outwards; a positive lower end
        is not 0."""
        digits = decimals(self.machine, si_unit)
        # `KEPT` keeps bounds that are whole but for rounding errors from moving by a whole last digit.
        low, high = (self.in_units(bound, si_unit) * 10.0**digits for bound in (lower, upper))
        ends = [number(whole / 10.0**digits, digits) for whole in (floor(low + KEPT), ceil(high - KEPT))]
        if low > 0 and low + KEPT < 1:
            ends[0] = self.promised(lower, si_unit)
        return f"{ends[0]} to {ends[1]} {self.unit(si_unit)}".rstrip()

    def uncertain(self, value: float, error: float, si_unit: str) -> str:
        """Return a number with its error and its unit."""
        size, name = unit_of(self.machine.units, si_unit)
        return f"{uncertain(value / size, error / size)} {name}"

    def volume(self, value: float, error: float) -> str:
        """Return a volume [m3] with its error, in its `volume_unit`."""
        return self.uncertain(value, error, volume_unit(value))

    def numbers(self, values: ArrayLike, si_unit: str = "m", digits: int | None = None) -> str:
        """Return x, y, z without the unit."""
        texts = (self.value(v, si_unit, digits) for v in np.asarray(values))
        return ", ".join(self._without_zeros([text], si_unit, digits)[0] for text in texts)

    def point(self, values: ArrayLike, si_unit: str = "m", digits: int | None = None) -> str:
        """(x, y, z) with its unit."""
        return f"({self.numbers(values, si_unit, digits)}) {self.unit(si_unit)}".rstrip()

    def cell(self, value: Any, si_unit: str, digits: int | None = None, each: Field = PLAIN) -> str:
        """Return a number of a field without its unit; text and counts as they are."""
        if isinstance(value, str | int | np.integer):
            return str(value)
        return (
            self.promised(value, si_unit)
            if each.is_promised
            else self.value(value, si_unit, digits, sign=each.is_signed)
        )

    def _without_zeros(self, texts: Sequence[str], si_unit: str, digits: int | None = None) -> Sequence[str]:
        """Lengths or angles with more than `MANY` decimals, without the zeros that all of them end with, but for
        three."""
        many = {len(text.partition(".")[2]) for text in texts if "." in text}
        if digits is not None or si_unit not in ("m", "rad") or min(many, default=0) <= MANY or len(many) > 1:
            return texts
        spare = min(len(text) - len(text.rstrip("0")) for text in texts if "." in text)
        cut = min(spare, many.pop() - 3)
        return [text[: len(text) - cut] if "." in text else text for text in texts]

    def table(self, name: str, labels: Sequence[str], fields: Iterable[Field], caption: str = "") -> Table:
        """Return a table with a row for each label, and a column for each field with a head.

        Units are in the heads, or in a column behind the last field whose rows have different units. A field with
        labels has a column for each.
        """
        columns = [column for each in fields if each.head for column in _columns(each)]
        mixed = [k for k, each in enumerate(columns) if not isinstance(self._shown(each), str)]
        if mixed:
            units = [self.unit(unit) for unit in self._shown(columns[mixed[0]])]
            columns.insert(mixed[-1] + 1, Field("", units, head="unit"))
        header, numeric, rows = [name], [], [[label] for label in labels]
        for each in columns:
            unit, values = self._shown(each), np.asarray(each.value)
            if values.dtype.kind != "U":
                numeric.append(len(header))
            header.append(
                f"{each.head} [{self.unit(unit)}]" if isinstance(unit, str) and self.unit(unit) else each.head
            )
            of_rows = [unit] * len(rows) if isinstance(unit, str) else unit
            digits = each.row_digits or [each.digits] * len(rows)
            cells: Sequence[str] = [self.cell(*of, each) for of in zip(values, of_rows, digits, strict=True)]
            if isinstance(unit, str) and not each.row_digits:
                cells = self._without_zeros(cells, unit, each.digits)
            rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
        keys: dict[str, tuple[str, ...]] = {}
        for each in columns:
            keys[each.head] = (*keys.get(each.head, ()), *each.shows)
        return Table(header, rows, numeric, caption, keys)

    def pairs(self, fields: Iterable[Field]) -> list[tuple[str, str]]:
        """Return the head and value with its unit, for each field with a head: text, a number, or the x, y, z of a
        point."""
        return [(each.head, self._with_unit(each)) for each in fields if each.head]

    def _with_unit(self, each: Field) -> str:
        unit = str(self._shown(each))  # one, as it is one quantity
        if isinstance(each.value, str | int | np.integer):
            return str(each.value)
        values = _for_people(each)
        return self.with_unit(values, unit, each.digits) if values.ndim == 0 else self.point(values, unit, each.digits)

    def facts(self, fields: Iterable[Field], header: Sequence[str] = ("what", "how much", "unit")) -> Table:
        """Return a table with a row for each number of the fields with a head: head with the label for "{}", value,
        unit."""
        rows = []
        for each in fields:
            unit = self._shown(each)
            for k, label in enumerate((each.labels or ("",)) if each.head else ()):
                value = _for_people(each)[..., k] if each.labels else _for_people(each)
                si = unit if isinstance(unit, str) else unit[k % len(unit)]
                rows.append(
                    (each.head.format(label), self.value(value, si, each.digits), unit_of(self.machine.units, si)[1])
                )
        return Table(header, rows)

    def _shown(self, each: Field) -> str | Sequence[str]:
        """Unit of a field for people, one for each label or row where they differ."""
        if each.shown:  # chosen by the command or section
            return each.shown
        units = self.machine.units
        return readable(units, each.unit) if isinstance(each.unit, str) else [readable(units, u) for u in each.unit]


def without_noise(values: ArrayLike, si_unit: str = "") -> Any:
    """Return numbers in SI for people, with zeros for rounding errors: below `ROUNDING` of the largest, or below
    `NO_SIZE`."""
    array = np.asarray(values)
    if array.dtype.kind != "f":
        return values
    sizes = np.abs(array)
    largest = np.max(sizes, initial=0.0, where=np.isfinite(sizes))
    smallest = max(ROUNDING * largest, NO_SIZE.get(si_unit, 0.0))
    return np.where(sizes <= smallest, 0.0, array)


def _columns(each: Field) -> list[Field]:
    """A field for each label of a field with labels, without rounding errors."""
    values = _for_people(each)
    if not each.labels or values.ndim < 2:
        return [replace(each, value=values)]
    units = [each.unit] if isinstance(each.unit, str) else each.unit
    return [
        replace(each, value=values[:, k], unit=units[k % len(units)], head=each.head.format(label), labels=())
        for k, label in enumerate(each.labels)
    ]


def _for_people(each: Field) -> Any:
    """Values of a field without rounding errors, which are found among the numbers of each unit by themselves."""
    values = np.asarray(each.value)
    if isinstance(each.unit, str):
        return without_noise(values, each.shown if isinstance(each.shown, str) and each.shown else each.unit)
    units = np.array([each.unit[k % len(each.unit)] for k in range(values.shape[-1])])
    shown = values.copy()
    for unit in set(each.unit):
        shown[..., units == unit] = without_noise(values[..., units == unit], unit)
    return shown


def plain(value: Any, digits: int = 6) -> str:
    """Return significant digits as programs read them, such as "1e-05"; no negative zero."""
    return f"{float(value) + 0.0:.{digits}g}"


def number(value: float, digits: int, *, sign: bool = False) -> str:
    """Return fixed decimals with a true minus sign; no negative zero."""
    if isnan(value):
        return NOTHING
    rounded = round(value, digits) + 0.0
    text = f"{rounded:{'+' if sign and rounded else ''}.{digits}f}"
    return text.replace("-", "−")


def in_column(values: Iterable[float], largest: float, digits: int = DIGITS) -> list[str]:
    """Return numbers with equal decimals, as many as give the largest `digits` significant digits."""
    decimals = max(0, digits - 1 - floor(log10(largest)))
    return [number(value, decimals) for value in values]


def significant(value: float, digits: int = 4) -> str:
    """Return significant digits, written out between 1e-4 and 1e7."""
    if not isfinite(value):
        return NOTHING if isnan(value) else NO_LIMIT
    if value == 0:
        return "0"
    # Rounded first, as 9.9996 has one digit before the point, and 10.00 two.
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    if not 1e-4 <= abs(value) < 1e7:
        return f"{mantissa}{_power_of_ten(int(power))}".replace("-", "−")
    return number(value, max(0, digits - 1 - int(power)))


def _power_of_ten(power: int) -> str:
    return f"×10{str(power).translate(_RAISED)}"


def uncertain(value: float, error: float) -> str:
    """Return a number with its error, "8.9 ± 0.3".

    The error has one significant digit, or two that begin with a one; the number has as many decimals. Both have a
    power of ten where they are `TINY`, "(1.235 ± 0.008)×10⁻⁹"; `NEGLIGIBLE` errors are left out.
    """
    if not (isfinite(value) and isfinite(error)):
        return NOTHING
    if error <= NEGLIGIBLE * abs(value):
        return significant(value, 6)
    if (largest := max(abs(value), error)) < TINY:
        power = floor(log10(largest))
        return f"({uncertain(value / 10.0**power, error / 10.0**power)}){_power_of_ten(power)}"
    power = floor(log10(error) + 1e-12)  # for errors that are a power of ten but for rounding
    digits = int(error / 10.0**power < 1.95) - power  # 1.95 would be rounded to 2.0
    return f"{number(round(value, digits), max(digits, 0))} ± {number(round(error, digits), max(digits, 0))}"


def fitting(machine: AnyMachine, values: ArrayLike, si_unit: str) -> str:
    """Return the unit for displacements [m or rad]: that of the machine's file, or a smaller one of its family where
    all are so small that the file's would need zeros behind the point (`SMALL`)."""
    largest = np.max(np.abs(values), initial=0.0, where=np.isfinite(values))
    is_small = 0 < largest < SMALL * unit_of(machine.units, si_unit)[0]
    return metric([largest], si_unit, machine.units)[1] if is_small else si_unit


def bracketed(values: ArrayLike, si_unit: str) -> str:
    """Format several numbers with their SI unit, without rounding errors: "(0, 0, 0.3) m"."""
    return f"({', '.join(plain(value, 5) for value in without_noise(values, si_unit))}) {si_unit}"


def same_for_all(values: ArrayLike) -> bool:
    """Test whether all values, such as those of six legs, are equal."""
    array = np.asarray(values, dtype=float)
    return bool(np.all(array == array[0]))


def counted(count: int, noun: str, nouns: str = "") -> str:
    """Return a number of things: "1 interval", "3 intervals"."""
    return f"{count} {noun}" if count == 1 else f"{count} {nouns or noun + 's'}"


def article(words: str) -> str:
    """Return words with their indefinite article: "an extending strut", "a crank"."""
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
