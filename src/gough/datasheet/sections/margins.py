"""Margins at home to every limit."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough import plot
from gough.datasheet.model import Card, Column, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.present.show import jsonable, number

LISTED = 12
"""Rows of the table: the tightest limits; the JSON output has all."""
COLUMNS = (
    Column("limit", is_number=False),
    Column("margin"),
    Column("unit", is_number=False),
    Column("of its scale", "%"),
)


def margins(sheet: Datasheet) -> Section:
    """Figure of all margins, table of the tightest, card of the binding one."""
    found = sheet.margins
    percent = 100 * found.relative
    order = [int(c) for c in np.argsort(percent) if np.isfinite(percent[c])]
    is_long = len(order) > LISTED
    caption = f"The {LISTED} tightest of {len(order)} limits at home" if is_long else "Limits at home, tightest first"
    text = Text(
        f"Tightest at home: {found.sentence()}. A margin is the signed distance to a limit; its scale is half the "
        "stroke, the half-angle of the cone, the legs' thickness and so on, so that margins of different kinds compare."
    )
    picture = Picture(
        figure=plot.margins(sheet.machine, result=found),
        caption="How far home is from each kind of limit: the bar ends at the tightest one, the dots are all of them, "
        "as far as the scale reaches.",
        description=f"Bars of the relative margins at home; the tightest is {found.binding_words}.",
    )
    singular = found.singular_sentence()
    warning = [Text(f"{singular[:1].upper()}{singular[1:]}.", is_warning=True)] if singular else []
    headline = number(float(percent[found.binding_index]), 0)
    return Section(
        key="margins",
        title="Margins at home",
        blocks=[*warning, text, picture, Table(caption, COLUMNS, [_row(sheet, c) for c in order[:LISTED]])],
        cards=[Card("Tightest margin at home", headline, "%", found.binding_words)],
        numbers={
            "binding": found.binding,
            "binding_set": list(found.binding_set),
            "sentence": found.sentence(),
            "is_singular": bool(found.is_singular),
            "limits": [_numbers(sheet, c) for c in order],
        },
    )


def _row(sheet: Datasheet, c: int) -> list[str]:
    found, show = sheet.margins, sheet.show
    unit = found.units[c]
    return [found.names[c], show.value(found.values[c], unit), show.unit(unit), number(100 * found.relative[c], 1)]


def _numbers(sheet: Datasheet, c: int) -> dict[str, Any]:
    found, column = sheet.margins, sheet.margins.columns[c]
    return {
        "name": found.names[c],
        "margin": jsonable(found.values[c]),
        "value": jsonable(column.bound + (1 if column.is_lower else -1) * found.values[c]),
        "bound": jsonable(column.bound),
        "unit": found.units[c],
        "relative": jsonable(found.relative[c]),
    }
