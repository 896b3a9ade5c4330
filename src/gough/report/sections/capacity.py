"""Load capacity at home, where the forces of the actuators are known."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough import plot
from gough.report.datasheet import Datasheet
from gough.report.model import Block, Card, Column, Picture, Section, Table, Text
from gough.report.show import jsonable, number, significant

MOUNTINGS = {
    "upright": "platform horizontal, upright",
    "hanging": "platform horizontal, hanging",
    "on its side": "on its side, the worst way",
    "any": "any mounting, the worst way",
}


def capacity(sheet: Datasheet) -> Section | None:
    """Payload by mounting, force and moment by axis and in every direction, and their envelopes."""
    m = sheet.machine
    if m.limits.actuator_force is None or sheet.is_singular:
        return None
    payloads = gough.payload_table(m, m.X_home)
    own = "" if m.platform is None else f" beside the platform's own {significant(m.platform.mass)} kg"
    text = Text(
        "What the actuators hold at rest at home before the first reaches its force. The payload's mass centre is at "
        f"the point of interest{own}; the worst direction of gravity is exact, not sampled. Forces and moments act at "
        "the point of interest, one at a time; the legs and the platform weigh nothing there."
    )
    columns = [Column("mounting", is_number=False), Column("payload", "kg"), Column("ended by", is_number=False)]
    columns += [Column(f"gravity {axis}") for axis in "xyz"]
    rows = [
        [MOUNTINGS[row.mounting], significant(row.mass), _leg(row.leg), *(number(float(g), 3) for g in row.gravity)]
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
            "payload": {row.mounting: {"mass": jsonable(row.mass), "unit": "kg", "leg": row.leg} for row in payloads},
            **_numbers(sheet),
        },
    )


def _loads(sheet: Datasheet) -> Table:
    m = sheet.machine
    rows = []
    for row in gough.capacity_table(m, m.X_home):
        unit = "N" if row.axis.startswith("f") else "N m"
        rows.append([row.axis, significant(row.plus), unit, _leg(row.plus_leg)])
    for name, kind, unit in (("every direction", "force", "N"), ("every axis", "moment", "N m")):
        value = gough.guaranteed_load(m, m.X_home, "force" if kind == "force" else "moment")
        rows.append([name, significant(float(value)), unit, ""])
    columns = [Column("along or about", is_number=False), Column("largest load")]
    columns += [Column("unit", is_number=False), Column("ended by", is_number=False)]
    return Table("Largest force (f) and moment (m), both ways alike", columns, rows)


def _pictures(sheet: Datasheet) -> list[Block]:
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


def _leg(number: int) -> str:
    return f"leg {number}" if number else "none"


def _numbers(sheet: Datasheet) -> dict[str, Any]:
    m = sheet.machine
    rows = gough.capacity_table(m, m.X_home)
    return {
        "load": {row.axis: {"plus": jsonable(row.plus), "minus": jsonable(row.minus)} for row in rows},
        "every_direction": {"force": jsonable(np.asarray(gough.guaranteed_load(m, m.X_home, "force"))), "unit": "N"},
        "every_axis": {"moment": jsonable(np.asarray(gough.guaranteed_load(m, m.X_home, "moment"))), "unit": "N m"},
    }
