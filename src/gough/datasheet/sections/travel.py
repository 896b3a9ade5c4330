"""Travel from home along and about each axis."""

from __future__ import annotations

from typing import Any

from gough import plot
from gough.datasheet.model import Card, Picture, Section, Text, warnings
from gough.datasheet.sheet import Sheet
from gough.limits.travel import fitting_unit, travel_fields
from gough.quantity import ALONG_AXES, AXES


def travel(sheet: Sheet[Any]) -> Section:
    """Table, figure and cards of the travel."""
    point = "the point of interest" if sheet.machine.point_of_interest.any() else "the platform's origin"
    fields = travel_fields(sheet.travel)
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
    refused = "" if sheet.is_home_allowed else "Home is not allowed, so that all travel from it is 0"
    return Section(
        key="travel",
        title="Travel",
        blocks=[*warnings(refused), text, sheet.show.table("axis", AXES, fields, caption), picture],
        cards=[_card(sheet, "Translation", slice(3)), _card(sheet, "Rotation", slice(3, 6))],
        fields=fields,
    )


def _card(sheet: Sheet[Any], label: str, part: slice) -> Card:
    """The symmetric travel of every axis: the smaller one of both directions."""
    rows = sheet.travel[part]
    unit = fitting_unit(rows, ALONG_AXES[part][0])
    shown = [sheet.show.short(min(-row.minus, row.plus), unit) for row in rows]
    return Card(
        f"{label} from home",
        "± " + " / ".join(shown),
        sheet.show.unit(unit),
        f"{', '.join(row.axis for row in rows)}, the same in both senses",
        is_wide=True,
        of=("{}.minus", "{}.plus"),
    )
