"""The pose of the workspace where a quantity is least."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from gough.cli.command import Request
from gough.present.answer import Answer, Table, Words, csv_columns, json_of

if TYPE_CHECKING:
    from gough.workspaces.minimum import WorkspaceMinimum

Lowest: TypeAlias = "tuple[WorkspaceMinimum, str]"
"""The pose, and the SI unit of its value."""


def lowest(request: Request, answers: Mapping[str, Lowest]) -> Answer:
    """Lowest values by name of the quantity: a table, a key of JSON each, or a row of CSV each."""
    sizes = dict(zip(answers, request.sizes([unit for _, unit in answers.values()]), strict=True))
    rows = {
        "of": list(answers),
        "lowest": [found.value / sizes[name] for name, (found, _) in answers.items()],
        "unit": [request.unit(unit) for _, unit in answers.values()],
    }
    positions = {axis: [found.position[k] for found, _ in answers.values()] for k, axis in enumerate("xyz")}
    keys = []
    for name, (found, unit) in answers.items():
        keys += [
            *json_of(found, "value:lowest", f"{name}.", unit=unit, unit_key="unit"),
            *json_of(found, "on_grid:lowest_on_grid", f"{name}.", unit=unit),
            *json_of(found, "position active_limits reach_margin", f"{name}."),
        ]
    return Answer([*csv_columns(**rows), *csv_columns("m", **positions), *keys], lambda: _words(request, answers))


def _words(request: Request, answers: Mapping[str, Lowest]) -> Words:
    from gough.limits.ties import in_words
    from gough.present.units import READABLE

    header = ("of", "lowest found", "unit", *(f"{axis} [{request.unit('m')}]" for axis in "xyz"), "held there by")
    rows = []
    for name, (found, unit) in answers.items():
        place = (request.show.value(value, "m") for value in found.position)
        shown = READABLE.get(unit, unit)
        least = request.show.value(found.value, shown), request.show.unit(shown)
        rows.append((name, *least, *place, in_words(found.active_limits) or "no limit"))
    yield Table(header, rows)
