"""Smallest steps of the platform, where those of the actuators are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import gough
from gough import plot
from gough.accuracy.accuracy import Resolution
from gough.datasheet.model import Card, Column, Facts, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.limits.ties import listed, tied
from gough.limits.travel import AXES
from gough.present.show import jsonable, metric, significant

COLUMNS = (Column("axis", is_number=False), Column("worst case"), Column("RMS"), Column("unit", is_number=False))
SI = ("m", "m", "m", "rad", "rad", "rad")


def resolution(sheet: Datasheet) -> Section | None:
    """What one step of every actuator does to the platform, at worst and as independent steps."""
    m = sheet.machine
    step = m.actuators.resolution
    if step is None or sheet.is_singular:
        return None
    found = gough.accuracy.resolution(m, m.X_home)
    scales = [metric(found.worst_case[:3], "m")] * 3 + [metric(found.worst_case[3:], "rad")] * 3
    size, unit = metric(step, m.legs.joint_unit)
    steps = " to ".join(dict.fromkeys(significant(float(v) / size, 3) for v in (step.min(), step.max())))
    text = Text(
        f"What one step of the actuators, {steps} {unit}, does to the point of interest: in the worst case all six "
        "push it in the same sense; RMS is the root of the sum of squares, as of six independent steps. "
        "Each axis by itself; the whole displacement and rotation are lengths over three axes."
    )
    whole = _whole(sheet, found, scales)
    picture = Picture(
        figure=plot.resolution(m, result=found),
        caption="The platform's step along (left) and about (right) each axis for one step of every actuator.",
        description="Bars of the worst case and RMS of the table.",
    )
    return Section(
        key="resolution",
        title="Resolution at home",
        blocks=[text, Table("Smallest step of the platform", COLUMNS, _rows(found, scales)), whole, picture],
        cards=[_card(found, scales)],
        numbers={
            "step": {"values": jsonable(step), "unit": m.legs.joint_unit},
            **{axis: _numbers(found, k) for k, axis in enumerate(AXES)},
            "whole_translation": pair(found.worst_translation, found.rms_translation, "m"),
            "whole_rotation": pair(found.worst_rotation, found.rms_rotation, "rad"),
        },
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
    whole = significant(float(found.rms_translation) / size, 3)
    return Card(
        "Resolution, worst axis",
        shift,
        unit,
        f"RMS along {_worst(found, 0)} at home, {whole} {unit} in all; {turn} {angle_unit} about {_worst(found, 3)}",
    )


def _worst(found: Resolution, first: int) -> str:
    """The axes of translation (first = 0) or rotation (3) with the largest RMS."""
    part = found.rms[first : first + 3]
    return listed(AXES[first + int(k)] for k in np.flatnonzero(tied(-part / part.max())))


def _whole(sheet: Datasheet, found: Resolution, scales: list[tuple[float, str]]) -> Facts:
    """Lengths of the whole displacement and rotation."""
    rows = (
        ("Whole displacement", found.worst_translation, found.rms_translation, scales[0]),
        ("Whole rotation", found.worst_rotation, found.rms_rotation, scales[3]),
    )
    pairs = []
    for name, worst, rms, (size, unit) in rows:
        most, mean = (significant(float(value) / size, 3) for value in (worst, rms))
        pairs.append((name, f"{most} {unit} at worst, {mean} {unit} RMS"))
    return Facts(pairs)


def _numbers(found: Resolution, k: int) -> dict[str, Any]:
    return pair(found.worst_case[k], found.rms[k], SI[k])


def pair(worst: ArrayLike, rms: ArrayLike, si: str) -> dict[str, Any]:
    """Worst case and RMS of an axis, for programs."""
    return {"worst": jsonable(worst), "rms": jsonable(rms), "unit": si}
