"""Load capacity at home, where the forces of the actuators are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Folded, Picture, Section, Text
from gough.datasheet.sheet import Datasheet
from gough.limits.ties import legs_in_words
from gough.present.answer import WRENCH, Field, Table
from gough.statics.payload_table import PayloadRow
from gough.statics.weights import counted, left_out, masses_in_words

MOUNTINGS = {
    "upright": "platform horizontal, upright",
    "hanging": "platform horizontal, hanging",
    "on its side": "on its side, the worst direction",
    "any": "any mounting, the worst direction",
}
WHOLE = ("every direction", "every axis")
"""Rows below the axes: the least force and the least moment of all directions."""


def capacity(sheet: Datasheet) -> Section | None:
    """Payload by mounting, force and moment by axis and in every direction, and their envelopes."""
    m, show = sheet.machine, sheet.show
    if m.limits.actuator_force is None or sheet.is_singular:
        return None
    payloads = gough.statics.payload_table(m, m.X_home)
    of_payload, loads, whole = _payloads(payloads), _loads(sheet), _whole(sheet)
    names = [MOUNTINGS[row.mounting] for row in payloads]
    detail = f"platform horizontal; {show.promised(payloads[-1].mass, 'kg')} kg in any mounting"
    return Section(
        key="capacity",
        title="Load capacity at home",
        blocks=[
            Text(
                "What the actuators hold at rest at home before the first reaches its force. The payload's mass centre "
                "is at the point of interest; the worst direction of gravity is exact, not sampled, and that of the "
                "leg named first. Forces and moments act at the point of interest, one at a time, under the machine's "
                f"own gravity. Beside them {masses_in_words(m)}."
            ),
            show.table(
                "mounting",
                names,
                of_payload,
                "Largest payload",
            ),
            _table(sheet, loads, whole),
            *_pictures(sheet),
        ],
        cards=[Card("Largest payload", show.promised(payloads[0].mass, "kg"), "kg", detail)],
        fields=[*of_payload, *loads, *whole, Field("counted", counted(m)), Field("left_out", left_out(m))],
    )


def _payloads(rows: Sequence[PayloadRow]) -> list[Field]:
    names = [row.mounting for row in rows]
    gravity = np.array([row.gravity for row in rows])
    return [
        Field("payload.{}.mass", [row.mass for row in rows], "kg", names, head="payload", unit_key="unit"),
        Field("payload.{}.leg", [row.leg for row in rows], labels=names),
        Field("payload.{}.legs", [row.legs for row in rows], labels=names),
        Field("payload.{}.gravity", gravity, "1", names),
        Field("", [legs_in_words(row.legs) for row in rows], head="ended by", is_json=False),
        Field("", gravity, "1", tuple("xyz"), head="gravity {}", digits=3, is_json=False),
    ]


def _loads(sheet: Datasheet) -> list[Field]:
    """Along and about each axis."""
    rows = sheet.capacity
    names = [row.axis for row in rows]
    return [
        Field("load.{}.minus", np.array([row.minus for row in rows]), WRENCH, names),
        Field("load.{}.plus", np.array([row.plus for row in rows]), WRENCH, names),
        Field("load.{}.minus_legs", [row.minus_legs for row in rows], labels=names),
        Field("load.{}.plus_legs", [row.plus_legs for row in rows], labels=names),
    ]


def _whole(sheet: Datasheet) -> list[Field]:
    """In every direction and about every axis."""
    return [
        Field("every_direction.force", sheet.guaranteed_load["force"], "N", unit_key="unit"),
        Field("every_axis.moment", sheet.guaranteed_load["moment"], "N m", unit_key="unit"),
    ]


def _table(sheet: Datasheet, loads: Sequence[Field], whole: Sequence[Field]) -> Table:
    ends = [*(float(each.value) for each in whole)]
    units = (*WRENCH, "N", "N m")
    words = [[legs_in_words(legs) for legs in each.value] + ["", ""] for each in loads[2:]]
    columns = [
        *(
            Field("", [*each.value, *ends], units, head=name)
            for each, name in zip(loads[:2], ("minus", "plus"), strict=True)
        ),
        *(Field("", each, head=f"{name} ended by") for each, name in zip(words, ("minus", "plus"), strict=True)),
    ]
    names = [*loads[0].labels, *WHOLE]
    caption = "Largest force (f) and moment (m) along and about each axis"
    return sheet.show.table("along or about", names, columns, caption)


def _pictures(sheet: Datasheet) -> list[Block]:
    most = sheet.machine.limits.actuator_force
    if not (np.abs(sheet.held) < most).all():
        return [Text("The machine's own weights are too much for its actuators already.", is_warning=True)]
    pictures = [
        Picture(
            figure=plot.load_capacity(sheet.machine, kind="force" if what == "forces" else "moment"),
            caption=f"All {what} that the actuators can hold at home; on each flat side one is at its limit.",
            description=f"A solid around zero with flat sides, coloured by size: the {what} that can be held.",
            is_half=True,
            is_scene=True,
        )
        for what in ("forces", "moments")
    ]
    return [Folded("Forces and moments in all directions", pictures)]
