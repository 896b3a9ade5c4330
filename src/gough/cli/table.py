"""Tables of quantities, and numbers of options, read strictly: one error names everything that is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from gough._compile import expect_rows
from gough.arrays import Array
from gough.cli.progress import progress
from gough.cli.table_files import MATRIX, RawTable, hint, lies_beside, parsed_title, read_file
from gough.description.units import ANGLE, LENGTH, SPELLED_OUT, TIME
from gough.errors import InputError
from gough.machine import DisplayUnits
from gough.present.write import print_text

Row = Sequence[str]
Check = Callable[[Collection[str]], Sequence[str]]

TURNED = {"length or turns": {**LENGTH, "turn": 1.0}, "angle or turns": {**ANGLE, "turn": 1.0}}
"""Units of motors' readings, whose turns become lengths or angles by the lead or gear."""
_MISSING = "8.98846567431158e307"
"""Number in place of missing cells while a table is parsed: half the largest float, which nothing measures."""
MANY = range(1, 10_000)
"""Counts of an option with any number of numbers, such as positions of a map along an axis."""
_TICK = 8192
"""Rows between two updates of the progress."""
_NAMED = 3
"""Largest number of cells that an error names."""


def note(message: str) -> None:
    """Write a note on standard error, in addition to the result."""
    print_text(f"note: {message}", sys.stderr)


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
    lines : sequence of int
        Place of each row in the file; none where the table is not a file.
    header : int
        Place of the header, 0 where there is none.

    """

    where: str
    columns: Mapping[str, Array]
    units: Mapping[str, str] = field(default_factory=dict)
    lines: Sequence[int] = ()
    header: int = 0

    def stack(self, names: Sequence[str]) -> Array:
        """Return the columns of these names, (n, len(names))."""
        return np.stack([self.columns[name] for name in names], axis=-1)

    def place(self, row: int) -> str:
        """Return the table and a row in it, for errors."""
        return _place(self.where, self.lines[row], self.header) if len(self.lines) else self.where


def _place(where: str, line: int, header: int) -> str:
    return f"{where}, row {line}{' (the header is row 1)' if header == 1 else ''}"


def read_table(
    source: str,
    dimensions: Mapping[str, str],
    units: DisplayUnits,
    *,
    check: Check = lambda names: (),
    layouts: Sequence[Sequence[str]] = (),
    may_miss: bool = False,
) -> Table:
    """Return the table from a file of CSV, JSON or netCDF, or from standard input if `source` is "-".

    Parameters
    ----------
    source : str
        Path of the file, or "-".
    dimensions : mapping
        Columns that are read, each with its dimension: "length", "angle", "time" (in s) or "number". Other columns that
        are known lie beside them unread.
    units : DisplayUnits
        Units of columns that do not name theirs ("x", as against "x_mm").
    check : callable
        Receives the names of the columns, and returns sentences on what is wrong with them together.
    layouts : sequence of sequences of str
        Columns of tables without a header; the one with as many columns as the table holds.
    may_miss : bool
        Whether cells may be empty or nan: NaN then.

    Raises
    ------
    InputError
        Names everything that is wrong with the columns, and the first cells that are not numbers.

    """
    raw = read_file(source)
    expect_rows(len(raw.cells))
    titles = _titles(raw, dimensions, units, layouts)
    scales, faults = _columns_of(titles, raw, dimensions, units)
    names = [name for name, _, _ in scales.values()]
    faults += check(names)
    if not len(raw.cells):
        faults.append("It has a header but no rows.")
    kept = list(scales)
    values, bad = _values(raw, kept, len(titles), titles, may_miss)
    if faults or bad:
        raise InputError(_all_faults(raw.where, faults, bad))
    return Table(
        raw.where,
        {name: values[:, k] * scale for k, (name, scale, _) in enumerate(scales.values())},
        {name: unit for name, _, unit in scales.values()},
        raw.lines,
        raw.header,
    )


def _all_faults(where: str, faults: Sequence[str], bad: Sequence[str]) -> str:
    """One sentence or several on one line: what is wrong with the columns, then cells."""
    cells = [f"{'; '.join(bad[:_NAMED])}{f'; and {len(bad) - _NAMED} more cells' if len(bad) > _NAMED else ''}"]
    if not faults:
        return cells[0]
    words = [f"{where}: {faults[0][0].lower()}{faults[0][1:]}", *faults[1:], *(f"{each}." for each in cells if bad)]
    return " ".join(words).rstrip(".")


def _titles(
    raw: RawTable, dimensions: Mapping[str, str], units: DisplayUnits, layouts: Sequence[Sequence[str]]
) -> Sequence[str]:
    """Titles of the columns; of a table without a header from the comment above, or by their number."""
    if raw.titles:
        return raw.titles
    width = len(raw.cells[0])
    if len(raw.remark) == width and not _columns_of(raw.remark, raw, dimensions, units)[1]:
        return raw.remark
    fitting = [layout for layout in layouts if len(layout) == width]
    if len(fitting) == 1:
        shown = ", ".join(f"{name}{_shown_unit(dimensions[name], units)}" for name in fitting[0])
        note(f"{raw.where} has no header; its columns are read as {shown}")
        return fitting[0]
    meanings = " or ".join(", ".join(layout) for layout in fitting or layouts)
    is_one = "may be one of several things" if fitting else "are none of what is read here"
    raise InputError(
        f"{raw.where} has no header, and {width} columns {is_one}: {meanings}; name the columns in a first row"
        if layouts
        else f"{raw.where} has no header; name the columns in a first row: {', '.join(dimensions)}"
    )


def _shown_unit(dimension: str, units: DisplayUnits) -> str:
    name = {"length": units.length, "angle": units.angle, "time": "s"}.get(dimension, "")
    return f" [{name}]" if name else ""


def _columns_of(
    titles: Sequence[str], raw: RawTable, dimensions: Mapping[str, str], units: DisplayUnits
) -> tuple[dict[int, tuple[str, float, str]], list[str]]:
    """Name, size of the unit in SI and unit of the columns that are read, by their places; and what is wrong."""
    scales: dict[int, tuple[str, float, str]] = {}
    faults, is_unknown = [], False
    for place, title in enumerate(titles):
        name, unit = parsed_title(title)
        if not name:
            if place and not all(not str(row[place]).strip() for row in raw.cells if len(row) > place):
                faults.append(f"Column {place + 1} has no title.")
        elif name not in dimensions:
            if not lies_beside(title, name, dimensions):
                is_unknown = True
                faults.append(f"Unknown column {title.strip()!r}.{hint(name, dimensions)}")
        elif name in (other for other, _, _ in scales.values()):
            faults.append(f"Column {name!r} is there twice.")
        else:
            scale, fault = _scale(title.strip(), unit, dimensions[name], units)
            scales[place] = name, scale, unit
            faults += filter(None, [fault])
    if is_unknown:
        faults.append(f"Known here: {', '.join(dimensions).replace(', '.join(MATRIX), 'm00 to m33')}.")
    return scales, faults


def _scale(title: str, unit: str, dimension: str, units: DisplayUnits) -> tuple[float, str]:
    """Size of a unit in SI, and what is wrong with it."""
    known = {"length": LENGTH, "angle": ANGLE, "time": TIME, **TURNED}.get(dimension, {})
    if not unit or (not known and unit in ("1", "-")):
        return {"length": units.metres, "angle": units.radians}.get(dimension.removesuffix(" or turns"), 1.0), ""
    symbol = next((each for each in (unit, SPELLED_OUT.get(unit.casefold(), ""), unit.casefold()) if each in known), "")
    if symbol:
        return known[symbol], ""
    expected = f"expected one of {', '.join(known)}" if known else "it has none"
    return 1.0, f"Unit {unit!r} of column {title!r} is not known, {expected}."


def _values(
    raw: RawTable, kept: Sequence[int], width: int, titles: Sequence[str], may_miss: bool
) -> tuple[Array, list[str]]:
    """Numbers (n, k) of the columns that are kept, and what is wrong with cells."""
    if isinstance(raw.cells, np.ndarray):
        values, count = raw.cells[:, kept], len(raw.cells)
        off = [] if may_miss else np.argwhere(~np.isfinite(values)).tolist()
        bad = [_cell(raw, k, titles[kept[j]], f"{values[k, j]:g} is not a finite number") for k, j in off]
        return values, bad
    values, bad, count = np.empty((len(raw.cells), len(kept))), [], len(raw.cells)
    with progress(f"reading {raw.where}", count) as advance:
        for start in range(0, count, _TICK):
            part: Sequence[Row] = raw.cells[start : start + _TICK]
            if may_miss:
                part = [[_MISSING if cell.strip().lower() in ("", "nan") else cell for cell in row] for row in part]
            numbers = _numbers(part, kept, width, raw.has_decimal_commas)
            if numbers is None:
                bad += _faults(raw, part, start, kept, titles)
            else:
                values[start : start + len(part)] = numbers
            advance(len(part))
    if not bad and raw.has_decimal_commas and (point := _decimal_point(raw, kept, titles)):
        bad = [point]
    if may_miss:
        values[values == float(_MISSING)] = np.nan
    return values, bad


def _numbers(rows: Sequence[Row], kept: Sequence[int], width: int, commas: bool) -> list[list[float]] | None:
    """Numbers of some rows at once, which is fast; None where a cell is none."""
    try:
        cells = [[row[k] for k in kept] for row in rows if len(row) == width]
        text = "".join(map("".join, cells))
        if len(cells) != len(rows) or "_" in text or not text.isascii():
            return None
        if commas:
            cells = [[cell.replace(",", ".") for cell in row] for row in cells]
        values = [[float(cell) for cell in row] for row in cells]
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def _faults(raw: RawTable, rows: Sequence[Row], start: int, kept: Sequence[int], titles: Sequence[str]) -> list[str]:
    """Cells that are not numbers, and rows of another length."""
    found = []
    for index, row in enumerate(rows, start):
        if len(row) != len(titles):
            found.append(f"{_place(raw.where, raw.lines[index], raw.header)}: {len(row)} cells, expected {len(titles)}")
            continue
        for k in kept:
            complaint = number_complaint(row[k].replace(",", ".") if raw.has_decimal_commas else row[k])
            if complaint:
                found.append(_cell(raw, index, titles[k], complaint))
    return found


def _cell(raw: RawTable, index: int, title: str, complaint: str) -> str:
    return f"{_place(raw.where, raw.lines[index], raw.header)}, column {title.strip()!r}: {complaint}"


def _decimal_point(raw: RawTable, kept: Sequence[int], titles: Sequence[str]) -> str:
    """The first number with a point in a table of decimal commas."""
    for index, row in enumerate(raw.cells):
        for k in kept:
            if "." in row[k]:
                words = f"{row[k].strip()!r} has a point, other numbers have decimal commas; write all alike"
                return _cell(raw, index, titles[k], words)
    return ""


def strict_number(kind: type, text: str) -> Any:
    """Return a `float` or `int` without underscores and other scripts' digits, which Python reads; `ValueError` for
    those."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return kind(text)


def number_complaint(text: str) -> str:
    """Explain why a text is not a finite number; nothing if it is one."""
    try:
        value = strict_number(float, text)
    except ValueError:
        remedy = "; write a decimal point" if "," in text else ""
        return f"{text.strip()!r} is not a number{remedy}" if text.strip() else "the cell is empty, expected a number"
    return "" if isfinite(value) else f"{text.strip()} is not a finite number"


def numbers(option: str, text: str, counts: Collection[int]) -> Array:
    """Return the numbers of an option, separated by commas or spaces; as many as one of `counts` says."""
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
