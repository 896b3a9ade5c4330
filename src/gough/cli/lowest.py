"""Answers of searches for the lowest value of a quantity in the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import gough
from gough.present.answer import Answer, Field, csv_columns, json_of
from gough.quantity import AXES

if TYPE_CHECKING:
    from gough.cli.request import Request


def lowest(request: Request, found: Mapping[str, gough.workspaces.WorkspaceMinimum]) -> Answer:
    """Lowest values by name of the quantity: a row of the table and of CSV, and a key of JSON each."""
    names, values, units = list(found), [each.value for each in found.values()], [each.unit for each in found.values()]
    fields = [
        *csv_columns(of=names, lowest=values / request.sizes(units), unit=[request.unit(each) for each in units]),
        Field("", values, units, head="lowest found", is_csv=False, is_json=False),
        Field("", [each.position for each in found.values()], "m", AXES[:3], "{}", "{}", is_json=False),
        Field("", [each.limited_by for each in found.values()], head="limited there by", is_csv=False, is_json=False),
    ]
    for name, each in found.items():
        fields += json_of(each, ("value", "lowest"), under=f"{name}.")
        fields += json_of(
            each, ("on_grid", "lowest_on_grid"), "position", "active_limits", "reach_margin", under=f"{name}."
        )
    return Answer(fields, lambda: [request.show.table("of", names, fields)])
