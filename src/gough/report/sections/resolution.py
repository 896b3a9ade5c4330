"""Smallest steps of the platform, where those of the actuators are known."""

from __future__ import annotations

from typing import Any

import gough
from gough import plot
from gough.analysis.accuracy import Resolution
from gough.analysis.travel import AXES
from gough.report.datasheet import Datasheet
from gough.report.model import Card, Column, Picture, Section, Table, Text
from gough.report.show import metric, significant

COLUMNS = (Column("axis", is_number=False), Column("worst case"), Column("RMS"), Column("unit", is_number=False))
SI = ("m", "m", "m", "rad", "rad", "rad")


def resolution(sheet: Datasheet) -> Section | None:
    """What one step of every actuator does to the platform, at worst and as independent steps."""
    m = sheet.machine
    step = m.actuators.resolution
    if step is None or sheet.is_singular:
        return None
    found = gough.resolution(m, m.X_home)
    scales = [metric(found.worst_case[:3], "m")] * 3 + [metric(found.worst_case[3:], "rad")] * 3
    size, unit = metric(step, m.legs.joint_unit)
    steps = " to ".join(dict.fromkeys(significant(float(v) / size, 3) for v in (step.min(), step.max())))
    text = Text(
        f"What one step of the actuators, {steps} {unit}, does to the point of interest: in the worst case all six "
        "push it the same way; RMS is the root of the sum of squares, as of six independent steps."
    )
    picture = Picture(
        figure=plot.resolution(m, found=found),
        caption="The platform's step along (left) and about (right) each axis for one step of every actuator.",
        description="Bars of the worst case and RMS of the table.",
    )
    return Section(
        key="resolution",
        title="Resolution at home",
        blocks=[text, Table("Smallest step of the platform", COLUMNS, _rows(found, scales)), picture],
        cards=[_card(found, scales)],
        numbers={axis: _numbers(sheet, found, k) for k, axis in enumerate(AXES)},
    )


def _rows(found: Resolution, scales: list[tuple[float, str]]) -> list[list[str]]:
    return [
        [
            axis,
            significant(float(found.worst_case[k]) / scales[k][0], 3),
            significant(float(found.rms[k]) / scales[k][0], 3),
            scales[k][1],
        ]
        for k, axis in enumerate(AXES)
    ]


def _card(found: Resolution, scales: list[tuple[float, str]]) -> Card:
    (size, unit), (angle, angle_unit) = scales[0], scales[3]
    shift, turn = (significant(float(part.max()) / s, 3) for part, s in ((found.rms[:3], size), (found.rms[3:], angle)))
    return Card("Resolution", shift, unit, f"RMS at home; {turn} {angle_unit} in rotation")


def _numbers(sheet: Datasheet, found: Resolution, k: int) -> dict[str, Any]:
    show = sheet.show
    return {
        "worst": show.plain(found.worst_case[k], SI[k]),
        "rms": show.plain(found.rms[k], SI[k]),
        "unit": show.unit(SI[k]),
    }
