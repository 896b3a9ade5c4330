"""Static forces at home, where any mass is known."""

from __future__ import annotations

import numpy as np

from gough import plot
from gough.datasheet.model import Column, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.present.show import jsonable, significant
from gough.statics.weights import counted, has_weight, left_out, masses_in_words


def forces(sheet: Datasheet) -> Section | None:
    """What the actuators hold under the weights of platform and legs."""
    m = sheet.machine
    if not has_weight(m) or not np.linalg.norm(m.gravity) > 0 or sheet.is_singular:
        return None
    held = sheet.held
    name, unit = ("force", "N") if m.legs.joint == "length" else ("torque", "N m")
    largest = m.limits.actuator_force
    columns = [Column("leg", is_number=False), Column(name, unit)]
    rows = [[str(i + 1), significant(float(held[i]))] for i in range(6)]
    if largest is not None:
        columns += [Column("allowed", unit), Column("used", "%")]
        for i, row in enumerate(rows):
            row += [significant(float(largest[i])), significant(100 * abs(float(held[i])) / float(largest[i]), 3)]
    return Section(
        key="forces",
        title="Static forces at home",
        blocks=[
            Text(f"What the actuators hold at rest: {masses_in_words(m)}. Positive drives the joint coordinate up."),
            Table(f"Actuator {name}s that hold the machine's own weight", columns, rows),
            Picture(
                figure=plot.leg_forces(m, held),
                caption=f"Actuator {name}s under the machine's own weight at home; lines, where near enough, are the "
                "largest allowed.",
                description=f"Bars of the six actuator {name}s of the table.",
            ),
        ],
        numbers={
            f"actuator_{name}": jsonable(held),
            "unit": unit,
            **({} if largest is None else {"allowed": jsonable(largest), "used": jsonable(np.abs(held) / largest)}),
            "counted": list(counted(m)),
            "left_out": list(left_out(m)),
        },
    )
