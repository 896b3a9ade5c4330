"""Answers, written out: CSV, JSON or a table for people; to standard output or a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gough.cli.progress import progress
from gough.errors import InputError
from gough.files import write_whole

Row = Sequence[str]

NETCDF = (".nc", ".nc3", ".cdf")
"""Endings of files that are written as netCDF."""
_TICK = 8192
"""Rows between two signs of life."""


def emit(columns: Mapping[str, Any], document: Mapping[str, Any], *, as_json: bool, output: Path | None) -> None:
    """Write an answer as CSV, one column for each of `columns`, or the `document` as JSON.

    Where the file's name ends in .nc the columns go there as netCDF, along the dimension `row`; as in CSV their names
    tell the units.
    """
    if output is not None and is_netcdf(output, as_json=as_json):
        write_whole(output, _netcdf(columns, str(document.get("machine", ""))))
        return
    text = json_text(document) if as_json else csv_text(columns)
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)


def is_netcdf(path: Path, *, as_json: bool = False) -> bool:
    """Whether a file's name asks for netCDF; `InputError` where JSON is asked for besides."""
    if path.suffix.lower() not in NETCDF:
        return False
    if as_json:
        raise InputError(
            f"{path} is a name for netCDF ({', '.join(NETCDF)}); --json goes to a file with another ending"
        )
    return True


def _netcdf(columns: Mapping[str, Any], machine: str) -> bytes:
    import xarray

    arrays = {name: ("row", np.atleast_1d(column)) for name, column in columns.items()}
    return bytes(xarray.Dataset(arrays, attrs={"machine": machine}).to_netcdf(engine="scipy"))


def csv_text(columns: Mapping[str, Any]) -> str:
    """Columns of equal length; numbers with 15 digits, no text with a comma in it."""
    arrays = [_printable(np.atleast_1d(column)) for column in columns.values()]
    template = ",".join("%.15g" if array.dtype.kind == "f" else "%s" for array in arrays)
    lines = [",".join(columns)]
    count = len(arrays[0])
    with progress("writing", count) as advance:
        for start in range(0, count, _TICK):
            part = [array[start : start + _TICK].tolist() for array in arrays]
            lines.extend(template % row for row in zip(*part, strict=True))
            advance(len(part[0]))
    return "\n".join(lines) + "\n"


def _printable(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype.kind == "b":
        return np.where(array, "yes", "no")
    return array + 0.0 if array.dtype.kind == "f" else array  # no -0


def json_text(document: Mapping[str, Any]) -> str:
    """JSON, a line for each key; numbers that are not finite become null, which JSON has instead."""
    lines = (f"  {json.dumps(key)}: {json.dumps(_plain(value), allow_nan=False)}" for key, value in document.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def print_json(document: Any) -> None:
    """Print JSON on standard output, indented."""
    print(json.dumps(document, indent=2))


def print_table(header: Row, rows: Iterable[Row], *, numeric: Collection[int] = ()) -> None:
    """Print a table for people, folded to the terminal's width; columns in `numeric` are set flush right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for k, title in enumerate(header):
        table.add_column(title, justify="right" if k in numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else _UNFOLDED, markup=False, highlight=False).print(table)


_UNFOLDED = 1000
"""Characters in a line of a table that goes into a file or a pipe."""


def note(message: str) -> None:
    """Tell something beside the answer, on the standard error output."""
    print(f"note: {message}", file=sys.stderr)
