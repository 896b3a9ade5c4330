"""Smallest steps of the platform, where those of the actuators are known."""

from __future__ import annotations

import gough
from gough.analysis.travel import AXES
from gough.report.datasheet import Datasheet
from gough.report.model import Card, Column, Section, Table, Text
from gough.report.show import jsonable, metric, significant


def resolution(sheet: Datasheet) -> Section | None:
    """What one step of every actuator does to the platform, at worst and as independent steps."""
    m, show = sheet.machine, sheet.show
    step = m.actuators.resolution
    if step is None or sheet.is_singular:
        return None
    found = gough.resolution(m, m.X_home)
    worst, rms = found.worst_case, found.rms
    scales = [metric(worst[:3], "m")] * 3 + [metric(worst[3:], "rad")] * 3
    rows = [
        [axis, *(significant(float(v[k]) / scales[k][0], 3) for v in (worst, rms)), scales[k][1]]
        for k, axis in enumerate(AXES)
    ]
    columns = [Column("axis", is_number=False), Column("worst case"), Column("RMS"), Column("unit", is_number=False)]
    size, unit = metric(step, m.legs.joint_unit)
    steps = " to ".join(dict.fromkeys(significant(float(v) / size, 3) for v in (step.min(), step.max())))
    return Section(
        key="resolution",
        title="Resolution at home",
        blocks=[
            Text(
                f"What one step of the actuators, {steps} {unit}, does to the point of interest: in the worst case all "
                "six push it the same way; RMS is the root of the sum of squares, as of six independent steps."
            ),
            Table("Smallest step of the platform", columns, rows),
        ],
        cards=[
            Card(
                "Resolution",
                significant(float(rms[:3].max()) / scales[0][0], 3),
                scales[0][1],
                f"RMS at home; {significant(float(rms[3:].max()) / scales[3][0], 3)} {scales[3][1]} in rotation",
            )
        ],
        numbers={
            axis: {
                "worst": jsonable(show.plain(worst[k], "m" if k < 3 else "rad")),
                "rms": jsonable(show.plain(rms[k], "m" if k < 3 else "rad")),
                "unit": show.unit("m" if k < 3 else "rad"),
            }
            for k, axis in enumerate(AXES)
        },
    )
