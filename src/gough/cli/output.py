"""Answers, written out: CSV, JSON or a table for people; to standard output or a file."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gough.cli.progress import progress
from gough.report.write import write_whole

Row = Sequence[str]

_TICK = 8192
"""Rows between two signs of life."""


def emit(columns: Mapping[str, Any], document: Mapping[str, Any], *, as_json: bool, output: Path | None) -> None:
    """Write an answer as CSV, one column for each of `columns`, or the `document` as JSON."""
    text = json_text(document) if as_json else csv_text(columns)
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)


def csv_text(columns: Mapping[str, Any]) -> str:
    """Columns of equal length, numbers with 15 digits."""
    arrays = [np.atleast_1d(np.asarray(column)) for column in columns.values()]
    count = len(arrays[0])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    with progress("writing", count) as advance:
        for start in range(0, count, _TICK):
            part = [_cells(array[start : start + _TICK]) for array in arrays]
            writer.writerows(zip(*part, strict=True))
            advance(len(part[0]))
    return text.getvalue()


def _cells(values: np.ndarray[Any, Any]) -> list[str]:
    if values.dtype.kind == "f":
        return [f"{value:.15g}" for value in values.tolist()]
    if values.dtype.kind == "b":
        return ["yes" if value else "no" for value in values.tolist()]
    return [str(value) for value in values.tolist()]


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
