"""Margins at home to every limit."""

from __future__ import annotations

import numpy as np

from gough import plot
from gough.report.datasheet import Datasheet
from gough.report.model import Card, Column, Picture, Section, Table, Text
from gough.report.show import jsonable, number

LISTED = 12
"""Rows of the table: the tightest limits; the JSON output has all."""


def margins(sheet: Datasheet) -> Section:
    """Figure of all margins, table of the tightest, card of the binding one."""
    found, show = sheet.margins, sheet.show
    percent = 100 * found.relative
    order = [int(c) for c in np.argsort(percent) if np.isfinite(percent[c])]
    binding = int(found.binding_index)
    table = Table(
        f"The {min(LISTED, len(order))} tightest limits at home"
        if len(order) > LISTED
        else "Limits at home, tightest first",
        [
            Column("limit", is_number=False),
            Column("margin"),
            Column("unit", is_number=False),
            Column("of its scale", "%"),
        ],
        [
            [
                found.names[c],
                show.value(found.values[c], found.units[c]),
                show.unit(found.units[c]),
                number(percent[c], 1),
            ]
            for c in order[:LISTED]
        ],
    )
    picture = Picture(
        figure=plot.margins(sheet.machine, found=found),
        caption="How far home is from each sort of limit: the bar ends at the tightest one, the dots are all of them.",
        description=f"Bars of the relative margins at home; the tightest is {found.names[binding]}.",
        height=110 + 34 * len({name.split(" ", 2)[-1] for name in found.names}),
    )
    text = Text(
        f"Tightest at home: {found.sentence()}. A margin is the signed distance to a limit; its scale is half the "
        "stroke, the half-angle of the cone, the legs' thickness and so on, so that margins of different kinds compare."
    )
    return Section(
        key="margins",
        title="Margins at home",
        blocks=[text, picture, table],
        cards=[Card("Tightest margin at home", number(percent[binding], 0), "%", found.names[binding])],
        numbers={
            "binding": found.binding,
            "sentence": found.sentence(),
            "limits": [
                {
                    "name": found.names[c],
                    "margin": show.plain(found.values[c], found.units[c]),
                    "unit": show.unit(found.units[c]),
                    "relative": jsonable(found.relative[c]),
                }
                for c in order
            ],
        },
    )
