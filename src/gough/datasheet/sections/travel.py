"""Travel from home along and about each axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough import plot
from gough.datasheet.model import Card, Picture, Section, Text
from gough.datasheet.sheet import Sheet
from gough.present.answer import ALONG_AXES, AXES, Field
from gough.present.show import NO_LIMIT


def travel(sheet: Sheet[Any]) -> Section:
    """Table, figure and cards of the travel."""
    point = "the point of interest" if sheet.machine.point_of_interest.any() else "the platform's origin"
    fields = travel_fields(sheet)
    picture = Picture(
        figure=plot.travel(sheet.machine, result=sheet.travel),
        caption="Travel from home in both directions. Every bar is by itself: the other five displacements are zero.",
        description="Bars of the travel along x, y, z and about them, with the numbers of the table.",
    )
    text = Text(
        f"Displacements of {point}, along and about the axes of the base. Each is exact: "
        f"the distance at which the first limit is reached.{sheet.shared}"
    )
    caption = "Travel from home, one axis at a time, and the limit that ends it"
    refused = Text("Home is not allowed, so that all travel from it is 0.", is_warning=True)
    return Section(
        key="travel",
        title="Travel",
        blocks=[
            *([] if sheet.is_home_allowed else [refused]),
            text,
            sheet.show.table("axis", AXES, fields, caption),
            picture,
        ],
        cards=[_card(sheet, "Translation", slice(3)), _card(sheet, "Rotation", slice(3, 6))],
        fields=fields,
    )


def travel_fields(sheet: Sheet[Any]) -> list[Field]:
    """Travel to both sides and what ends it."""
    rows = sheet.travel
    fields = []
    for side in ("minus", "plus"):
        ends = np.array([getattr(row, side) for row in rows])
        fields += [
            Field(f"{{}}.{side}", ends, ALONG_AXES, AXES, head=side, is_signed=True, unit_key="unit"),
            Field(f"{{}}.{side}_binding", [getattr(row, f"{side}_binding") for row in rows], labels=AXES),
            Field(f"{{}}.{side}_binding_set", [getattr(row, f"{side}_set") for row in rows], labels=AXES),
        ]
    for side in ("minus", "plus"):
        named = [(getattr(row, side), getattr(row, f"{side}_words")) for row in rows]
        words = [NO_LIMIT if np.isinf(end) else limit for end, limit in named]
        fields.append(Field("", words, head=f"ended by ({side})", is_json=False))
    return fields


def _card(sheet: Sheet[Any], label: str, part: slice) -> Card:
    """The symmetric travel of every axis: what is possible in both directions."""
    rows, si = sheet.travel[part], ALONG_AXES[part][0]
    shown = [sheet.show.promised(min(-row.minus, row.plus), si) for row in rows]
    return Card(
        f"{label} from home",
        "± " + " / ".join(shown),
        sheet.show.unit(si),
        f"{', '.join(row.axis for row in rows)}, the same in both senses",
        is_wide=True,
    )
