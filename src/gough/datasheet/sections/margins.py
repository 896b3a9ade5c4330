"""Margins of home to every limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gough import plot
from gough.datasheet.model import Card, Folded, Picture, Section, Text, warnings
from gough.datasheet.sheet import Datasheet, Sheet
from gough.limits.margins import Margins
from gough.limits.ties import TIE
from gough.present.answer import Field, Table

LISTED = 12
"""Rows of the table: the tightest limits; the JSON output has all."""
EXPLAINED = (
    "A margin is the signed distance to a limit; its scale is half the stroke, the half-angle of the cone, the legs' "
    "thickness and so on, so that margins of different kinds compare."
)


def margins(sheet: Datasheet) -> Section:
    """Figure of all margins, table of the tightest, card of the binding one."""
    found = sheet.margins
    # Rounded to the tolerance of ties, so that limits that tie keep their order.
    by_ties = np.argsort(np.round(found.relative / TIE), kind="stable")
    order = [int(c) for c in by_ties if np.isfinite(found.relative[c])]
    picture = Picture(
        figure=plot.margins(sheet.machine, result=found),
        caption="How far home is from each kind of limit: the bar ends at the tightest one, the dots are all of them, "
        "as far as the scale reaches.",
        description=f"Bars of the relative margins at home; the tightest is {found.binding_words}.",
    )
    return Section(
        key="margins",
        title="Margins at home",
        blocks=[
            *warnings(found.singular_sentence()),
            Text(f"{title(found)}: {tightest(found)}. {EXPLAINED}"),
            picture,
            Folded("Limits in numbers", [_table(sheet, order)]),
        ],
        cards=[tightest_card(sheet)],
        fields=[
            Field("binding", found.binding, doc="The limit with the smallest relative margin."),
            Field("binding_set", found.binding_set,
                doc="All limits whose relative margin is within 1e-5 of that, as all ties of limits and legs."),
            Field("sentence", found.sentence(), doc="That limit in words."),
            Field("is_singular", found.is_singular,
                doc="Whether home is singular: its smallest singular value is zero to rounding, so that the "
                "limit singularity has no side."),
            *_limits(found, order),
        ],
    )  # fmt: skip


def of_legs(found: Margins) -> Margins:
    """Margins to limits of the legs and their joints, by which machines are compared; all where the legs have none."""
    counted = np.array([bool(column.legs) for column in found.columns]) & np.isfinite(found.values)
    return replace(found, values=np.where(counted, found.values, np.nan)) if counted.any() else found


def title(found: Margins) -> str:
    """Title of what `tightest` says."""
    return "Tightest limit at home" if of_legs(found) is found else "Tightest leg or joint at home"


def tightest(found: Margins) -> str:
    """The tightest limit of the legs and their joints in words, and a tighter one of another kind if there is one."""
    own = of_legs(found)
    others = "" if own.binding_index == found.binding_index else f"; tighter: {found.sentence()}"
    return f"{own.sentence()}{others}"


def tightest_card(sheet: Sheet[Any]) -> Card:
    """The key figure of home's margins."""
    found, own = sheet.margins, of_legs(sheet.margins)
    percent = partial(sheet.show.value, si_unit="%")
    words = own.binding_words
    if own.binding_index != found.binding_index:
        words += f"; {found.binding_words} {percent(found.smallest)} %"
    return Card(title(found), percent(own.smallest), "%", words, of=("limits.relative",))


def _table(sheet: Datasheet, order: list[int]) -> Table:
    found, listed = sheet.margins, order[:LISTED]
    columns = _limits(found, listed)
    is_long = len(order) > LISTED
    caption = f"The {LISTED} tightest of {len(order)} limits at home" if is_long else "Limits at home, tightest first"
    return sheet.show.table("limit", [found.names[c] for c in listed], columns, caption)


def _limits(found: Margins, order: Sequence[int]) -> list[Field]:
    """Fields with an entry for each limit."""
    columns, units = [found.columns[c] for c in order], [found.units[c] for c in order]
    value = [column.value(found.values[c]) for c, column in zip(order, columns, strict=True)]
    return [
        Field("limits.name", [column.name for column in columns], doc="Name of the limit."),
        Field("limits.margin", found.values[order], units, head="margin",
            doc="Signed distance of home to the limit: positive inside, zero on it, negative beyond. Joint: "
            "q - min or max - q. Cone: half-angle less the angle between rod and axis. Plate: angle of "
            "the rod to the plate less the least one. Clearance: distance of two rods' axes less the sum "
            "of the radii. Box, radius, tilt, rotation: what is left. Reach: rod length less the joint's "
            "distance from the guide's line; of a crank from the nearest point of the foot's circle, or "
            "the farthest one's less the rod length, whichever is smaller. Singularity: smallest "
            "singular value of the six rows [u, R(b - c) x u / l], less singular_value."),
        Field("limits.value", value, units,
            doc="The limited quantity at home: bound plus margin where the bound is the least, bound less "
            "margin where it is the greatest."),
        Field("limits.bound", [column.bound for column in columns], units,
            doc="The least or greatest allowed value from which the margin is measured."),
        Field("limits.relative", found.relative[order], head="of its scale", shown="%", digits=3,
            doc="The margin over its scale: half the range of a joint or of the box between two limits (with "
            "one limit the machine's size, pi for cranks); half-angle of a cone; 90 deg less the least "
            "angle to a plate, at least 1 mrad; sum of two radii for a clearance; the limit itself for "
            "radius, tilt and rotation; the rod's length for reach; 1 for the singularity."),
    ]  # fmt: skip
