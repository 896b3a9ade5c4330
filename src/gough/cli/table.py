"""Numbers of options and of CSV tables, read strictly: errors name the place of what is not a number."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from gough.arrays import Array
from gough.cli.progress import progress
from gough.description.units import ANGLE, LENGTH, TIME
from gough.errors import InputError, nearest
from gough.files import DATA, read_bounded
from gough.machine import DisplayUnits

Row = Sequence[str]

TURNED = {"length or turns": {**LENGTH, "turn": 1.0}, "angle or turns": {**ANGLE, "turn": 1.0}}
"""Units of motors' readings, whose turns become lengths or angles by the lead or gear."""
_MISSING = "8.98846567431158e307"
"""Number in place of missing cells while a table is parsed: half the largest float, which nothing measures."""
MANY = range(1, 10_000)
"""Counts of an option with any number of numbers, such as positions of a map along an axis."""
_TICK = 8192
"""Rows between two updates of the progress."""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers, in SI.

    Attributes
    ----------
    where : str
        Name of the table in errors.
    columns : mapping of str to (n,) array
        By name, without the unit.
    units : mapping of str to str
        Unit in the title of each column, "" where there is none.

    """

    where: str
    columns: Mapping[str, Array]
    units: Mapping[str, str] = field(default_factory=dict)

    def stack(self, names: Sequence[str]) -> Array:
        """The columns of these names, (n, len(names))."""
        return np.stack([self.columns[name] for name in names], axis=-1)


def read_table(
    source: str,
    dimensions: Mapping[str, str],
    units: DisplayUnits,
    ignored: Collection[str] = (),
    *,
    may_miss: bool = False,
) -> Table:
    """Table from a CSV file, or from standard input if `source` is "-".

    Parameters
    ----------
    source : str
        Path of the file, or "-".
    dimensions : mapping
        Columns that are read, each with its dimension: "length", "angle", "time" (in s) or "number".
    units : DisplayUnits
        Units of columns that do not name theirs ("x", as against "x_mm").
    ignored : collection of str
        Further columns, which are not read.
    may_miss : bool
        Whether cells may be empty or nan: NaN then.

    """
    where = "standard input" if source == "-" else source
    rows = _rows(_text(source, where), where)
    if not rows:
        raise InputError(f"{where} is empty, expected a header row that names columns")
    header, *body = rows
    scales = _parsed_header(header, dimensions, units, ignored, where)
    if not body:
        raise InputError(f"{where} has a header but no rows")
    values = np.empty((len(body), len(scales)))
    kept = list(scales)
    with progress(f"reading {where}", len(body)) as advance:
        for start in range(0, len(body), _TICK):
            part = body[start : start + _TICK]
            if may_miss:
                part = [[_MISSING if cell.strip().lower() in ("", "nan") else cell for cell in row] for row in part]
            values[start : start + len(part)] = _numbers(part, start, kept, header, where)
            advance(len(part))
    if may_miss:
        values[values == float(_MISSING)] = np.nan
    named = {
        name: title.strip().partition("_")[2]
        for (name, _), title in zip(scales.values(), (header[k] for k in kept), strict=True)
    }
    return Table(where, {name: values[:, k] * scale for k, (name, scale) in enumerate(scales.values())}, named)


def _text(source: str, where: str) -> str:
    content = read_bounded(sys.stdin.buffer if source == "-" else source, DATA, where)
    try:
        return content.decode("utf-8-sig")  # without the byte order mark of spreadsheets
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not a text file in UTF-8 (byte {error.start})") from None


def _rows(text: str, where: str) -> list[list[str]]:
    """Rows of cells, separated by the header's delimiter, without blank lines at the end."""
    header = text.partition("\n")[0]
    delimiter = next((mark for mark in ";\t" if mark in header), ",")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True))
    except csv.Error as error:
        raise InputError(f"{where} is not a CSV file: {error}") from None
    while rows and not any(map(str.strip, rows[-1])):
        rows.pop()
    return rows


ANGLES = ("rx", "ry", "rz", "heel", "trim")
"""Titles of columns that others give to angles."""


def _hint(name: str, known: Collection[str]) -> str:
    """What an unknown column may be meant for."""
    if name.casefold() in ANGLES and "roll" in known:
        return " Angles are roll, pitch, yaw, or a, b, c with their sequence."
    return nearest(name, known)


def _parsed_header(
    header: Row,
    dimensions: Mapping[str, str],
    units: DisplayUnits,
    ignored: Collection[str],
    where: str,
) -> dict[int, tuple[str, float]]:
    """Name and unit size in SI of the columns that are read, by their places."""
    scales: dict[int, tuple[str, float]] = {}
    for place, title in enumerate(header):
        name, _, unit = title.strip().partition("_")
        if name in ignored:
            continue
        if name not in dimensions:
            hint, known = _hint(name, dimensions), ", ".join(dimensions)
            raise InputError(f"{where}: unknown column {title!r}.{hint} Known here: {known}")
        if any(name == other for other, _ in scales.values()):
            raise InputError(f"{where}: column {name!r} is there twice")
        scales[place] = name, _scale(title, unit, dimensions[name], units, where)
    return scales


def _scale(title: str, unit: str, dimension: str, units: DisplayUnits, where: str) -> float:
    known = {"length": LENGTH, "angle": ANGLE, "time": TIME, **TURNED}.get(dimension, {})
    if not unit:
        return {"length": units.metres, "angle": units.radians}.get(dimension.removesuffix(" or turns"), 1.0)
    if unit not in known:
        expected = f"expected one of {', '.join(known)}" if known else "it has none"
        raise InputError(f"{where}: unit {unit!r} of column {title!r} is not known, {expected}")
    return known[unit]


def _numbers(rows: Sequence[Row], start: int, kept: Sequence[int], header: Row, where: str) -> list[list[float]]:
    width = len(header)
    try:  # the whole part at once, which is fast; cells are checked one by one only where it fails
        values = [[float(row[k]) for k in kept] for row in rows if len(row) == width]
    except ValueError:
        values = []
    if len(values) != len(rows) or not np.isfinite(values).all():
        raise _first_fault(rows, start, kept, header, where)
    return values


def _first_fault(rows: Sequence[Row], start: int, kept: Sequence[int], header: Row, where: str) -> InputError:
    """The first cell that is not a number, or the first row of another length."""
    for index, row in enumerate(rows, start + 2):  # row 1 is the header
        if len(row) != len(header):
            return InputError(f"{where}, row {index} (the header is row 1): {len(row)} cells, expected {len(header)}")
        for k in kept:
            complaint = number_complaint(row[k])
            if complaint:
                place = f"row {index} (the header is row 1), column {header[k].strip()!r}"
                return InputError(f"{where}, {place}: {complaint}")
    raise AssertionError("every cell is a finite number")


def number_complaint(text: str) -> str:
    """Why a text is not a finite number; nothing if it is one."""
    try:
        value = float(text)
    except ValueError:
        hint = "; write a decimal point" if "," in text else ""
        return f"{text.strip()!r} is not a number{hint}" if text.strip() else "the cell is empty, expected a number"
    return "" if isfinite(value) else f"{text.strip()} is not a finite number"


def numbers(option: str, text: str, counts: Collection[int]) -> Array:
    """The numbers of an option, separated by commas or spaces; as many as one of `counts` says."""
    parts = [part.strip() for part in text.split(",")] if "," in text else text.split()
    for position, part in enumerate(parts, 1):
        complaint = number_complaint(part)
        if complaint:
            what = "there is no number" if not part else complaint
            raise InputError(f"{option}: {what} (position {position} of {len(parts)} in {text!r})")
    if len(parts) not in counts:
        expected = "1 or more" if counts == MANY else " or ".join(map(str, sorted(counts)))
        raise InputError(f"{option}: {len(parts)} numbers in {text!r}, expected {expected}, separated by commas")
    return np.array([float(part) for part in parts])
