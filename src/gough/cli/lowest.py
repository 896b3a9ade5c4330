"""The pose of the workspace where a quantity is least, told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gough.cli.machine import units_of
from gough.cli.output import emit, print_table
from gough.limits.ties import in_words
from gough.machine import Machine
from gough.workspaces.minimum import WorkspaceMinimum

Found = tuple[WorkspaceMinimum, float, str]
"""The pose, and size in SI and name of the unit of its value."""


def tell_lowest(machine: Machine, answers: Mapping[str, Found], *, as_json: bool, output: Path | None) -> None:
    """Lowest values by name of the quantity: a table for people, or JSON or CSV."""
    length = machine.units.length
    if not as_json and output is None:
        rows = [_row(machine, name, found) for name, found in answers.items()]
        header = ("of", "lowest", "unit", f"x [{length}]", f"y [{length}]", f"z [{length}]", "held there by")
        print_table(header, rows, numeric=(1, 3, 4, 5))
        return
    document: dict[str, Any] = {"machine": machine.name, "units": units_of(machine)}
    columns: dict[str, list[Any]] = {"of": [], "lowest": [], "unit": [], **{f"{a}_{length}": [] for a in "xyz"}}
    for name, (found, size, unit) in answers.items():
        position = found.position / machine.units.metres
        document[name] = {
            "lowest": found.value / size,
            "unit": unit,
            "lowest_on_grid": found.on_grid / size,
            "position": position,
            "active_limits": list(found.active_limits),
            "reach_margin": found.reach_margin,
        }
        for column, value in zip(columns.values(), (name, found.value / size, unit, *position), strict=True):
            column.append(value)
    emit(columns, document, as_json=as_json, output=output)


def _row(machine: Machine, name: str, answer: Found) -> tuple[str, ...]:
    found, size, unit = answer
    place = tuple(f"{value / machine.units.metres:.6g}" for value in found.position)
    return (name, f"{found.value / size:.6g}", unit, *place, in_words(found.active_limits) or "no limit")
