"""Answers written out: CSV, JSON, netCDF, or sentences and tables for people."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from numpy.typing import NDArray

from gough.errors import one_line, printable
from gough.present.answer import Table, Words
from gough.present.show import NO_LIMIT, NOTHING

if TYPE_CHECKING:
    import xarray

Row = Sequence[str]
_POWER = re.compile("×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_TICK = 8192
"""Rows between two reports of progress."""
_UNFOLDED = 1000
"""Characters in a line of a table that goes into a file or a pipe."""


def csv_text(columns: Mapping[str, Any], advance: Callable[[int], object] = lambda _: None) -> str:
    """Return CSV of columns of equal length; `advance` receives the number of rows written.

    Numbers have the fewest digits that read back as exactly the same number, as in JSON.

    Texts are quoted where CSV needs it, and begin with an apostrophe where a spreadsheet would read a formula.
    """
    arrays = [_printable(np.atleast_1d(column)) for column in columns.values()]
    are_numbers = [array.dtype.kind == "f" for array in arrays]
    lines = [",".join(map(_csv_cell, columns))]
    for start in range(0, len(arrays[0]), _TICK):
        part = [array[start : start + _TICK].tolist() for array in arrays]
        cells = [
            _digits(column) if is_number else map(str, column)
            for column, is_number in zip(part, are_numbers, strict=True)
        ]
        lines.extend(map(",".join, zip(*cells, strict=True)))
        advance(len(part[0]))
    return "\n".join(lines) + "\n"


def _digits(numbers: Iterable[float]) -> list[str]:
    """Numbers with the fewest digits that read back as the same, whole ones without a point."""
    return [repr(number).removesuffix(".0") for number in numbers]


def _printable(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind == "b":
        return np.where(array, "yes", "no")
    if array.dtype.kind in "UO":
        return np.array([_csv_cell(str(cell)) for cell in array], dtype=object)
    return array + 0.0 if array.dtype.kind == "f" else array  # no -0


def _csv_cell(text: str) -> str:
    """A text as a cell of CSV (RFC 4180), which no spreadsheet takes for a formula (CWE-1236)."""
    text = one_line(text)
    if text.startswith(("=", "+", "-", "@")) and not _is_number(text):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text


def json_text(document: Mapping[str, Any]) -> str:
    """Return JSON with a line for each key; numbers that are not finite become null."""
    lines = (f"  {json.dumps(key)}: {json.dumps(as_json(value), allow_nan=False)}" for key, value in document.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def as_json(value: Any) -> Any:
    """Return a value that JSON can hold: arrays as lists, numbers that are not finite as None."""
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        # An array of objects holds None, where one of floats would make it NaN again.
        missing = ~np.isfinite(value)
        if missing.any():
            value = value.astype(object)
            value[missing] = None
        return value.tolist()
    if isinstance(value, np.ndarray | np.generic):
        return as_json(value.tolist())
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def print_json(document: Any) -> None:
    """Print JSON on standard output, indented."""
    print(json.dumps(document, indent=2, allow_nan=False))


def netcdf(data: xarray.Dataset | Mapping[str, Any], machine: str = "") -> bytes:
    """Return a netCDF file of a dataset, or of columns along the dimension `row`, whose names have the units as in
    CSV."""
    import xarray

    if not isinstance(data, xarray.Dataset):
        arrays = {name: ("row", np.atleast_1d(column)) for name, column in data.items()}
        data = xarray.Dataset(arrays, attrs={"machine": machine})
    return bytes(data.to_netcdf(engine="scipy"))


def print_words(words: Words) -> None:
    """Print sentences, each on its own lines, and tables; with numbers that programs can read."""
    for each in words:
        if isinstance(each, Table):
            print_table(each.header, [[plain_text(cell) for cell in row] for row in each.rows], numeric=each.numeric)
        else:
            print_text(plain_text(each))


def print_text(text: str, file: TextIO | None = None) -> None:
    """Print text for people: a file's texts cannot command the terminal."""
    print(printable(text), file=file)


def plain_text(text: str) -> str:
    """Return a text with its numbers in ASCII: "-1.2e-05"."""
    return _POWER.sub(lambda found: f"e{int(found[1].translate(_LOWERED)):+03d}", text).replace("−", "-")


def print_table(header: Row, rows: Iterable[Row], *, numeric: Collection[int] | None = None) -> None:
    """Print a table for people, folded to the terminal's width; columns in `numeric` are right-aligned."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable

    cells = [[one_line(cell) for cell in row] for row in (header, *rows)]
    # The first column holds labels, which are right-aligned where all are numbers, as those of legs are.
    columns = range(len(header)) if numeric is None else range(1)
    numeric = {*(numeric or ()), *(k for k in columns if all(_is_number(row[k]) for row in cells[1:]))}
    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for k, title in enumerate(cells[0]):
        table.add_column(title, justify="right" if k in numeric else "left", overflow="fold")
    for row in cells[1:]:
        table.add_row(*row)
    console = Console(width=None if sys.stdout.isatty() else _UNFOLDED, markup=False, highlight=False)
    with console.capture() as written:
        console.print(table)
    print("\n".join(line.rstrip() for line in written.get().splitlines()))


def _is_number(text: str) -> bool:
    if text in (NOTHING, NO_LIMIT):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True
