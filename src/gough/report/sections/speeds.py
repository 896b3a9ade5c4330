"""Top speeds at home, where the drives' top speeds are known."""

from __future__ import annotations

import numpy as np

import gough
from gough.analysis.travel import AXES
from gough.report.datasheet import Datasheet
from gough.report.model import Card, Column, Facts, Section, Table, Text
from gough.report.show import jsonable, significant


def speeds(sheet: Datasheet) -> Section | None:
    """Top speed along each axis alone, and the speed that every direction allows."""
    m, show = sheet.machine, sheet.show
    if m.limits.joint_speed is None:
        return None
    envelope = gough.velocity_envelope(m, m.X_home)
    si = ["m"] * 3 + ["rad"] * 3
    units = [f"{show.unit(s)}/s" for s in si]
    top = [_shown(sheet, v, s) for v, s in zip(envelope.speed(np.eye(6)), si, strict=True)]
    legs = [int(leg) for leg in envelope.limiting_leg(np.eye(6))]
    any_way = (
        _shown(sheet, float(envelope.guaranteed("translation")), "m"),
        _shown(sheet, float(envelope.guaranteed("rotation")), "rad"),
    )
    columns = [Column("axis", is_number=False), Column("top speed"), Column("unit", is_number=False)]
    return Section(
        key="speeds",
        title="Speeds at home",
        blocks=[
            Text(
                "Top speed of the point of interest along, and about, each axis alone, when no drive exceeds its own: "
                f"{_drive_speed(sheet)}."
            ),
            Table(
                "Top speed, one axis at a time",
                [*columns, Column("set by", is_number=False)],
                [[axis, significant(top[k]), units[k], f"leg {legs[k]}"] for k, axis in enumerate(AXES)],
            ),
            Facts(
                [
                    ("In every direction", f"{significant(any_way[0])} {units[0]} without turning"),
                    ("About every axis", f"{significant(any_way[1])} {units[3]} in place"),
                ]
            ),
        ],
        cards=[
            Card(
                "Speed in every direction",
                significant(any_way[0], 3),
                units[0],
                f"at home; {significant(any_way[1], 3)} {units[3]} about every axis",
            )
        ],
        numbers={
            **{axis: {"top_speed": jsonable(top[k]), "unit": units[k], "leg": legs[k]} for k, axis in enumerate(AXES)},
            "every_direction": {"speed": jsonable(any_way[0]), "unit": units[0]},
            "every_axis": {"speed": jsonable(any_way[1]), "unit": units[3]},
        },
    )


def _shown(sheet: Datasheet, value: float, si_unit: str) -> float:
    """Speed in the file's unit per second; infinite where no leg has to move."""
    return float(sheet.show.plain(value, si_unit)) if np.isfinite(value) else np.inf


def _drive_speed(sheet: Datasheet) -> str:
    show, si = sheet.show, sheet.machine.legs.joint_unit
    speed = np.asarray(sheet.machine.limits.joint_speed)
    ends = dict.fromkeys(significant(float(show.plain(v, si))) for v in (speed.min(), speed.max()))
    return f"{' to '.join(ends)} {show.unit(si)}/s"
