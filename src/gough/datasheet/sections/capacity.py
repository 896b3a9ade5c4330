"""Load capacity at home, if the largest forces of the actuators are known."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Folded, Picture, Section, Text, warnings
from gough.datasheet.sheet import Sheet
from gough.present.answer import Field
from gough.stacked import joint_limits
from gough.statics.capacity_table import capacity_fields, capacity_rows
from gough.statics.payload_table import payload_fields
from gough.statics.weights import counted, left_out, masses_in_words

CAPTION = "Largest force (f) and moment (m) along and about each axis"
MOUNTINGS = {
    "upright": "platform horizontal, upright",
    "hanging": "platform horizontal, hanging",
    "on its side": "on its side, the worst direction",
    "any": "any mounting, the worst direction",
}


def capacity(sheet: Sheet[Any]) -> Section | None:
    """Payload by mounting, force and moment by axis and in every direction, and their envelopes."""
    m, show = sheet.machine, sheet.show
    if any(stage.limits.actuator_force is None for stage in m.stages) or sheet.is_singular:
        return None
    payloads = gough.statics.payload_table(m, m.X_home)
    of_payload, whole = payload_fields(payloads), sheet.guaranteed_wrench
    names = [MOUNTINGS[row.mounting] for row in payloads]
    is_further = any(stage.payload is not None for stage in m.stages)
    detail = f"platform horizontal; {show.promised(payloads[-1].mass, 'kg')} kg in any mounting"
    detail = f"besides that carried; {detail}" if is_further else detail
    return Section(
        key="capacity",
        title="Load capacity at home",
        blocks=[
            Text(
                "What the actuators hold at rest at home before the first reaches its force"
                f"{', besides the payload carried' * is_further}. The payload's mass centre "
                "is at the point of interest; the worst direction of gravity is exact, not sampled, and that of the "
                "leg named first. Forces and moments act at the point of interest, one at a time, under the machine's "
                f"own gravity. Beside them {masses_in_words(m)}."
            ),
            show.table("mounting", names, of_payload, "Largest payload"),
            show.table("along or about", *capacity_rows(sheet.capacity, whole), CAPTION),
            *_pictures(sheet),
        ],
        cards=[Card("Largest payload", show.promised(payloads[0].mass, "kg"), "kg", detail, of=("payload.{}.mass",))],
        fields=[
            *of_payload,
            *capacity_fields(sheet.capacity),
            Field("every_direction.force", whole["force"], "N",
                doc="Largest force, without a moment, that is held whatever its direction."),
            Field("every_axis.moment", whole["moment"], "N m",
                doc="Largest pure moment that is held whatever its axis."),
            Field("counted", counted(m), doc="Bodies whose weight counts."),
            Field("left_out", left_out(m), doc="Bodies without a known mass, whose weight does not."),
        ],
    )  # fmt: skip


def _pictures(sheet: Sheet[Any]) -> list[Block]:
    if not (np.abs(sheet.held) < joint_limits(sheet.machine, "actuator_force")).all():
        return [*warnings("The machine's own weights are too much for its actuators already")]
    pictures = [
        Picture(
            figure=plot.wrench_capacity(sheet.machine, kind="force" if what == "forces" else "moment"),
            caption=f"All {what} that the actuators can hold at home; on each flat side one is at its limit.",
            description=f"A solid around zero with flat sides, coloured by size: the {what} that can be held.",
            is_half=True,
            is_scene=True,
        )
        for what in ("forces", "moments")
    ]
    return [Folded("Forces and moments in all directions", pictures)]
