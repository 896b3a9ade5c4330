"""Static forces at home, if any mass is known."""

from __future__ import annotations

import numpy as np

from gough import plot
from gough.datasheet.model import Picture, Section, Text
from gough.datasheet.sheet import Datasheet
from gough.present.answer import Field
from gough.present.units import force_unit
from gough.quantity import LEGS
from gough.statics.weights import counted, left_out, masses_in_words


def forces(sheet: Datasheet) -> Section | None:
    """Actuator forces that hold the weights of platform and legs."""
    m, held, largest = sheet.machine, sheet.held, sheet.machine.limits.actuator_force
    if not m.has_weight or not np.linalg.norm(m.gravity) > 0 or sheet.is_singular:
        return None
    name, unit = "force" if m.legs.joint == "length" else "torque", force_unit(m)
    fields = [Field(f"actuator_{name}", held, unit, head=name, doc="The same of cranks.")]
    if largest is not None:
        fields += [
            Field("allowed", largest, unit, head="allowed", doc="The machine file's actuator_force."),
            Field("used", np.abs(held) / largest, head="used", shown="%", digits=3,
                doc="Part of what each actuator can give that home takes: |actuator_force| over allowed, "
                "where the file (both files of two stages) says what it can."),
        ]  # fmt: skip
    picture = Picture(
        figure=plot.leg_forces(m, held),
        caption=f"Actuator {name}s under the machine's own weight at home; lines, where near enough, are the largest "
        "allowed.",
        description=f"Bars of the six actuator {name}s of the table.",
    )
    return Section(
        key="forces",
        title="Static forces at home",
        blocks=[
            Text(f"What the actuators hold at rest: {masses_in_words(m)}. Positive drives the joint coordinate up."),
            sheet.show.table("leg", LEGS, fields, f"Actuator {name}s that hold the machine's own weight"),
            picture,
        ],
        fields=[*fields, Field("counted", counted(m),
            doc="Bodies whose weight is held."), Field("left_out", left_out(m),
            doc="Bodies without a known mass, whose weight is not.")],
    )  # fmt: skip
