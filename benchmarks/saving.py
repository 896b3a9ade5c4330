"""Results kept in `benchmarks/results`, from which the site makes its tables: every command's `--save NOTE`."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from rich.table import Table

RESULTS = Path(__file__).parent / "results"


def words_and_note(arguments: Sequence[str]) -> tuple[list[str], str | None]:
    """What a command is called with, and the note behind `--save`; `--help` says what the command does and ends it."""
    words = list(arguments)
    if {"-h", "--help"} & set(words):
        print(sys.modules["__main__"].__doc__)
        raise SystemExit
    if "--save" not in words:
        return words, None
    place = words.index("--save")
    return words[:place], " ".join(words[place + 1 :])


def run(command: str, note: str, **results: Any) -> dict[str, Any]:
    """A run with its date and place."""
    about = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    return {"date": date.today().isoformat(), "command": command, "note": note, **about, **results}


def save(name: str, command: str, note: str, **results: Any) -> None:
    """Write a run where the site finds it."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(run(command, note, **results), indent=1)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def save_case(case: str, command: str, note: str, rows: list[Any]) -> None:
    """Write the rows of one case of speeds; other cases stay as they were measured."""
    path = RESULTS / "speed.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    known[case] = run(command, note, rows=rows)
    path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def cells(table: Table) -> dict[str, Any]:
    """A printed table as data."""
    heads = [str(column.header) for column in table.columns]
    columns = [[str(cell) for cell in column.cells] for column in table.columns]
    return {"title": str(table.title), "heads": heads, "rows": [list(row) for row in zip(*columns, strict=True)]}
