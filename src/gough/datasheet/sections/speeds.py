"""Top speeds at home and over the workspace, where the drives' top speeds are known."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Column, Facts, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.limits.ties import legs_in_words
from gough.limits.travel import AXES
from gough.limits.velocity_envelope import VelocityEnvelope
from gough.present.show import jsonable, significant
from gough.workspaces.minimum import REACH_MARGIN, Motion

COLUMNS = (
    Column("axis", is_number=False),
    Column("top speed"),
    Column("unit", is_number=False),
    Column("set by", is_number=False),
)
SI = ("m", "m", "m", "rad", "rad", "rad")
MOTIONS: tuple[tuple[Motion, str], ...] = (("translation", "m"), ("rotation", "rad"))


def speeds(sheet: Datasheet) -> Section | None:
    """Top speed along each axis alone, and in every direction, at home and anywhere in the workspace."""
    m = sheet.machine
    if m.limits.joint_speed is None:
        return None
    envelope = gough.velocity_envelope(m, m.X_home)
    units = [f"{sheet.show.unit(si)}/s" for si in SI]
    fastest = envelope.speed(np.eye(6))
    top = [_in_file_units(sheet, v, si) for v, si in zip(fastest, SI, strict=True)]
    legs = [int(leg) for leg in envelope.limiting_leg(np.eye(6))]
    ties = [envelope.limiting_legs(axis) for axis in np.eye(6)]
    rows = [[axis, significant(top[k]), units[k], legs_in_words(ties[k])] for k, axis in enumerate(AXES)]
    every = {motion: _in_file_units(sheet, float(envelope.guaranteed(motion)), si) for motion, si in MOTIONS}
    detail = f"at home; {significant(every['rotation'], 3)} {units[3]} about every axis"
    return Section(
        key="speeds",
        title="Speeds",
        blocks=[
            _text(sheet),
            Table("Top speed at home, one axis at a time", COLUMNS, rows),
            _facts(envelope, every, sheet),
            *_pictures(sheet, envelope),
        ],
        cards=[Card("Speed in every direction", significant(every["translation"], 3), units[0], detail)],
        numbers={
            **{
                axis: {"top_speed": jsonable(fastest[k]), "unit": f"{SI[k]}/s", "leg": legs[k], "legs": list(ties[k])}
                for k, axis in enumerate(AXES)
            },
            **{
                name: {
                    "speed": jsonable(envelope.guaranteed(motion)),
                    "fastest": jsonable(envelope.fastest(motion)),
                    "unit": f"{si}/s",
                }
                for name, (motion, si) in zip(("every_direction", "every_axis"), MOTIONS, strict=True)
            },
            "anywhere_in_the_workspace": _anywhere(sheet),
        },
    )


def _anywhere(sheet: Datasheet) -> dict[str, Any]:
    """Least speed that every direction allows over all allowed positions of home's orientation, for JSON: everywhere,
    and where rods keep a margin from the end of their reach."""
    if not sheet.has_workspace:
        return {}
    found: dict[str, Any] = {}
    for (motion, margin), lowest in sheet.slowest.items():
        found[motion if margin == 0 else f"{motion}_with_reach_margin"] = jsonable(lowest.value)
    if REACH_MARGIN in {margin for _, margin in sheet.slowest}:
        found["reach_margin"] = REACH_MARGIN
    return found


def _least(sheet: Datasheet, motion: Motion, si: str, unit: str) -> str:
    """The same in words."""
    if not sheet.has_workspace:
        return ""
    everywhere = sheet.slowest[motion, 0.0]
    if everywhere.value > 0:
        return f"; least found in the workspace {significant(_in_file_units(sheet, everywhere.value, si))} {unit}"
    kept = significant(_in_file_units(sheet, sheet.slowest[motion, REACH_MARGIN].value, si))
    return (
        f"; in the workspace down to 0 {unit} where {everywhere.active_limits[0].removesuffix(' reach')} meets the end "
        f"of its reach; least found {kept} {unit} where every rod keeps {100 * REACH_MARGIN:g} % of its length from it"
    )


def _facts(envelope: VelocityEnvelope, every: dict[Motion, float], sheet: Datasheet) -> Facts:
    words = {"translation": ("In every direction", "without turning"), "rotation": ("About every axis", "in place")}
    pairs = []
    for motion, si in MOTIONS:
        unit = f"{sheet.show.unit(si)}/s"
        fastest = significant(_in_file_units(sheet, float(envelope.fastest(motion)), si))
        text = f"{significant(every[motion])} {unit} {words[motion][1]} at home; the fastest direction {fastest} {unit}"
        text += _least(sheet, motion, si, unit)
        pairs.append((words[motion][0], text))
    return Facts(pairs)


def _pictures(sheet: Datasheet, envelope: VelocityEnvelope) -> list[Block]:
    """The envelopes at home, and how that of translation changes over the workspace."""
    m, blocks = sheet.machine, list[Block]()
    if sheet.is_singular:
        return blocks
    for motion, what in (("translation", "velocities without turning"), ("rotation", "angular velocities in place")):
        blocks.append(
            Picture(
                figure=plot.velocity_envelope(m, m.X_home, "rotation" if motion == "rotation" else "translation"),
                caption=f"Velocity envelope at home: all {what} that no drive is too slow for. A point of the surface "
                "is the top speed in its direction; on each flat side one drive is at its limit.",
                description=f"A solid around zero with flat sides, coloured by speed: the {what} that are possible.",
                is_half=True,
                is_scene=True,
            )
        )
    if sheet.has_workspace:
        blocks.append(
            Picture(
                figure=plot.velocity_map(m),
                caption="How the velocity envelope changes over the workspace, at home's orientation: each body is the "
                "envelope at its own place, all to one scale, in the colour of the speed.",
                description="Velocity envelopes at places of a grid in the workspace.",
                is_scene=True,
            )
        )
    return blocks


def _in_file_units(sheet: Datasheet, value: float, si_unit: str) -> float:
    """Speed in the file's unit per second; infinite where no leg has to move."""
    return sheet.show.in_units(value, si_unit) if np.isfinite(value) else np.inf


def _text(sheet: Datasheet) -> Text:
    show, si = sheet.show, sheet.machine.legs.joint_unit
    speed = np.asarray(sheet.machine.limits.joint_speed)
    ends = dict.fromkeys(significant(show.in_units(v, si)) for v in (speed.min(), speed.max()))
    return Text(
        "Top speed of the point of interest along, and about, each axis alone, when no drive exceeds its own: "
        f"{' to '.join(ends)} {show.unit(si)}/s."
    )
