"""Top speeds at home, where the drives' top speeds are known."""

from __future__ import annotations

import numpy as np

import gough
from gough.analysis.travel import AXES
from gough.report.datasheet import Datasheet
from gough.report.model import Card, Column, Facts, Section, Table, Text
from gough.report.show import jsonable, significant

COLUMNS = (
    Column("axis", is_number=False),
    Column("top speed"),
    Column("unit", is_number=False),
    Column("set by", is_number=False),
)
SI = ("m", "m", "m", "rad", "rad", "rad")


def speeds(sheet: Datasheet) -> Section | None:
    """Top speed along each axis alone, and the speed that every direction allows."""
    m = sheet.machine
    if m.limits.joint_speed is None:
        return None
    envelope = gough.velocity_envelope(m, m.X_home)
    units = [f"{sheet.show.unit(si)}/s" for si in SI]
    top = [_in_file_units(sheet, v, si) for v, si in zip(envelope.speed(np.eye(6)), SI, strict=True)]
    legs = [int(leg) for leg in envelope.limiting_leg(np.eye(6))]
    shift = _in_file_units(sheet, float(envelope.guaranteed("translation")), "m")
    turn = _in_file_units(sheet, float(envelope.guaranteed("rotation")), "rad")
    rows = [[axis, significant(top[k]), units[k], f"leg {legs[k]}"] for k, axis in enumerate(AXES)]
    every_way = Facts(
        [
            ("In every direction", f"{significant(shift)} {units[0]} without turning"),
            ("About every axis", f"{significant(turn)} {units[3]} in place"),
        ]
    )
    detail = f"at home; {significant(turn, 3)} {units[3]} about every axis"
    return Section(
        key="speeds",
        title="Speeds at home",
        blocks=[_text(sheet), Table("Top speed, one axis at a time", COLUMNS, rows), every_way],
        cards=[Card("Speed in every direction", significant(shift, 3), units[0], detail)],
        numbers={
            **{axis: {"top_speed": jsonable(top[k]), "unit": units[k], "leg": legs[k]} for k, axis in enumerate(AXES)},
            "every_direction": {"speed": jsonable(shift), "unit": units[0]},
            "every_axis": {"speed": jsonable(turn), "unit": units[3]},
        },
    )


def _in_file_units(sheet: Datasheet, value: float, si_unit: str) -> float:
    """Speed in the file's unit per second; infinite where no leg has to move."""
    return float(sheet.show.plain(value, si_unit)) if np.isfinite(value) else np.inf


def _text(sheet: Datasheet) -> Text:
    show, si = sheet.show, sheet.machine.legs.joint_unit
    speed = np.asarray(sheet.machine.limits.joint_speed)
    ends = dict.fromkeys(significant(float(show.plain(v, si))) for v in (speed.min(), speed.max()))
    return Text(
        "Top speed of the point of interest along, and about, each axis alone, when no drive exceeds its own: "
        f"{' to '.join(ends)} {show.unit(si)}/s."
    )
