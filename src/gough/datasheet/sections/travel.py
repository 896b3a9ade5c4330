"""Travel from home along and about each axis."""

from __future__ import annotations

from math import isinf

from gough import plot
from gough.datasheet.model import Card, Column, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.datasheet.two_stages.sheet import StackedSheet
from gough.limits.travel import TravelRow
from gough.present.show import jsonable
from gough.stacked import AnyMachine


def travel(sheet: Datasheet | StackedSheet) -> Section:
    """Table, figure and cards of the travel."""
    point = "the point of interest" if sheet.machine.point_of_interest.any() else "the platform's origin"
    table = Table(
        "Travel from home, one axis at a time, and the limit that ends it",
        [Column("axis", is_number=False), Column("minus"), Column("plus"), Column("unit", is_number=False)]
        + [Column("ended by (minus)", is_number=False), Column("ended by (plus)", is_number=False)],
        [_row(sheet, row) for row in sheet.travel],
    )
    picture = Picture(
        figure=plot.travel(sheet.machine, result=sheet.travel),
        caption="Travel from home in both directions. Every bar is by itself: the other five displacements are zero.",
        description="Bars of the travel along x, y, z and about them, with the numbers of the table.",
    )
    text = Text(
        f"Displacements of {point}, along and about the axes of the base. Each is exact: "
        f"the distance at which the first limit is reached.{_shared(sheet.machine)}"
    )
    return Section(
        key="travel",
        title="Travel",
        blocks=[*_refused(sheet), text, table, picture],
        cards=[_card(sheet, "Translation", sheet.travel[:3]), _card(sheet, "Rotation", sheet.travel[3:])],
        numbers={
            row.axis: {
                "minus": jsonable(row.minus),
                "plus": jsonable(row.plus),
                "unit": si_unit(row),
                "minus_binding": row.minus_binding,
                "plus_binding": row.plus_binding,
                "minus_binding_set": list(row.minus_set),
                "plus_binding_set": list(row.plus_set),
            }
            for row in sheet.travel
        },
    )


def _shared(machine: AnyMachine) -> str:
    """What each stage goes of it, where there are two."""
    if len(machine.stages) == 1:
        return ""
    return f" The lower stage goes {100 * machine.share:.4g} % of each displacement, the upper one the rest."


def _refused(sheet: Datasheet | StackedSheet) -> list[Text]:
    """That there is no travel from a home which is not allowed."""
    return (
        []
        if sheet.is_home_allowed
        else [Text("Home is not allowed, so that all travel from it is 0.", is_warning=True)]
    )


def si_unit(row: TravelRow) -> str:
    """SI unit of a row's travel."""
    return "rad" if row.axis.startswith("r") else "m"


def _row(sheet: Datasheet | StackedSheet, row: TravelRow) -> list[str]:
    show, si = sheet.show, si_unit(row)
    ends = [show.value(value, si, sign=True) for value in (row.minus, row.plus)]
    return [row.axis, *ends, show.unit(si), _limit(row.minus, row.minus_words), _limit(row.plus, row.plus_words)]


def _limit(value: float, binding: str) -> str:
    return "no limit" if isinf(value) else binding


def _card(sheet: Datasheet | StackedSheet, label: str, rows: tuple[TravelRow, ...]) -> Card:
    """The symmetric travel of every axis: what is possible in both directions."""
    si = si_unit(rows[0])
    both = [min(-row.minus, row.plus) for row in rows]
    shown = [sheet.show.short(value, si) for value in both]
    names = ", ".join(row.axis for row in rows)
    return Card(
        f"{label} from home",
        "± " + " / ".join(shown),
        sheet.show.unit(si),
        f"{names}, the same in both senses",
        is_wide=True,
    )
