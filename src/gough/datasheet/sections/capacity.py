"""Load capacity at home, where the forces of the actuators are known."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Column, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.limits.ties import legs_in_words
from gough.present.show import jsonable, number, significant
from gough.statics.weights import counted, has_weight, left_out, masses_in_words

FORCE: Literal["force"] = "force"
MOMENT: Literal["moment"] = "moment"
MOUNTINGS = {
    "upright": "platform horizontal, upright",
    "hanging": "platform horizontal, hanging",
    "on its side": "on its side, the worst direction",
    "any": "any mounting, the worst direction",
}


def capacity(sheet: Datasheet) -> Section | None:
    """Payload by mounting, force and moment by axis and in every direction, and their envelopes."""
    m = sheet.machine
    if m.limits.actuator_force is None or sheet.is_singular:
        return None
    payloads = gough.statics.payload_table(m, m.X_home)
    text = Text(
        "What the actuators hold at rest at home before the first reaches its force. The payload's mass centre is at "
        "the point of interest; the worst direction of gravity is exact, not sampled. Forces and moments act at the "
        f"point of interest, one at a time, under the machine's own gravity. Beside them {masses_in_words(m)}."
    )
    columns = [Column("mounting", is_number=False), Column("payload", "kg"), Column("ended by", is_number=False)]
    columns += [Column(f"gravity {axis}") for axis in "xyz"]
    rows = [
        [
            MOUNTINGS[row.mounting],
            significant(row.mass),
            legs_in_words(row.legs),
            *(number(float(g), 3) for g in row.gravity),
        ]
        for row in payloads
    ]
    upright, *_, anyhow = payloads
    detail = f"platform horizontal; {significant(anyhow.mass, 3)} kg in any mounting"
    return Section(
        key="capacity",
        title="Load capacity at home",
        blocks=[text, Table("Largest payload", columns, rows), _loads(sheet), *_pictures(sheet)],
        cards=[Card("Payload", significant(upright.mass, 3), "kg", detail)],
        numbers={
            "payload": {
                row.mounting: {
                    "mass": jsonable(row.mass),
                    "unit": "kg",
                    "leg": row.leg,
                    "legs": list(row.legs),
                    "gravity": jsonable(row.gravity),
                }
                for row in payloads
            },
            **_numbers(sheet),
        },
    )


def _loads(sheet: Datasheet) -> Table:
    m = sheet.machine
    rows = []
    for row in sheet.capacity:
        unit = "N" if row.axis.startswith("f") else "N m"
        ends = (legs_in_words(legs) for legs in (row.minus_legs, row.plus_legs))
        rows.append([row.axis, significant(row.minus), significant(row.plus), unit, *ends])
    for name, kind, unit in (("every direction", FORCE, "N"), ("every axis", MOMENT, "N m")):
        value = significant(float(gough.statics.guaranteed_load(m, m.X_home, kind, gravity=has_weight(m))))
        rows.append([name, value, value, unit, "", ""])
    columns = [Column("along or about", is_number=False), Column("minus"), Column("plus")]
    columns += [Column(title, is_number=False) for title in ("unit", "minus ended by", "plus ended by")]
    return Table("Largest force (f) and moment (m) along and about each axis", columns, rows)


def _pictures(sheet: Datasheet) -> list[Block]:
    most = sheet.machine.limits.actuator_force
    if not (np.abs(sheet.held) < most).all():
        return [Text("The machine's own weights are too much for its actuators already.", is_warning=True)]
    return [
        Picture(
            figure=plot.load_capacity(sheet.machine, kind="force" if what == "forces" else "moment"),
            caption=f"All {what} that the actuators can hold at home; on each flat side one is at its limit.",
            description=f"A solid around zero with flat sides, coloured by size: the {what} that can be held.",
            is_half=True,
            is_scene=True,
        )
        for what in ("forces", "moments")
    ]


def _numbers(sheet: Datasheet) -> dict[str, Any]:
    m = sheet.machine
    force, moment = (
        float(gough.statics.guaranteed_load(m, m.X_home, kind, gravity=has_weight(m))) for kind in (FORCE, MOMENT)
    )
    return {
        "load": {
            row.axis: {
                "plus": jsonable(row.plus),
                "minus": jsonable(row.minus),
                "plus_legs": list(row.plus_legs),
                "minus_legs": list(row.minus_legs),
            }
            for row in sheet.capacity
        },
        "every_direction": {"force": jsonable(force), "unit": "N"},
        "every_axis": {"moment": jsonable(moment), "unit": "N m"},
        "counted": list(counted(m)),
        "left_out": list(left_out(m)),
    }
