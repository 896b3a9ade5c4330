"""Smallest steps of the platform, if those of the actuators are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import gough
from gough import plot
from gough.accuracy.accuracy import ErrorBudget, Resolution
from gough.arrays import Array
from gough.datasheet.model import Card, Picture, Section, Text, facts
from gough.datasheet.sheet import Sheet
from gough.limits.ties import listed, tied
from gough.machine import Machine
from gough.present.answer import Field, of_result
from gough.present.show import metric, significant
from gough.quantity import AXES, of_legs


def resolution(sheet: Sheet[Any]) -> Section | None:
    """Displacement of the platform by one step of every actuator, in the worst case and for independent steps."""
    m, show, each = sheet.machine, sheet.show, [stage.actuators.resolution for stage in sheet.machine.stages]
    if any(step is None for step in each) or sheet.is_singular:
        return None
    found = gough.accuracy.resolution(m, m.X_home)
    # Units that fit the worst case, for all numbers of the section.
    shift, turn = metric(found.worst_case[:3], "m", m.units)[1], metric(found.worst_case[3:], "rad", m.units)[1]
    axes = of_axes(found, [shift] * 3 + [turn] * 3)
    steps = m.by_stage(_in_words(stage, step) for step, stage in zip(each, m.stages, strict=True))
    picture = Picture(
        figure=plot.resolution(m, result=found),
        caption="The platform's step along (left) and about (right) each axis for one step of every actuator.",
        description="Bars of the worst case and RMS of the table.",
    )
    whole = [*_whole(found, "translation", shift), *_whole(found, "rotation", turn)]
    return Section(
        key="resolution",
        title="Resolution at home",
        blocks=[
            Text(
                f"What one step of the actuators, {steps}, does to the point of interest: in the worst case all "
                f"{sheet.all_legs} push it in the same sense; RMS is the root of the sum of squares, as of "
                f"{sheet.all_legs} independent steps. "
                "Each axis by itself; the whole displacement and rotation are lengths over three axes."
            ),
            show.table("axis", AXES, axes, "Smallest step of the platform"),
            facts(show, whole),
            picture,
        ],
        cards=[_card(sheet, found, shift, turn)],
        fields=[
            Field("step.values", np.concatenate(each), of_legs(m, lambda s: s.legs.joint_unit),
                doc="The actuators' resolution, leg by leg."),
            *axes,
            *whole,
        ],
    )  # fmt: skip


def _whole(found: Resolution, motion: str, shown: str) -> list[Field]:
    """Length of the whole displacement or rotation, worst case and RMS."""
    size = {"translation": "distance", "rotation": "angle"}[motion]
    of_motion = (f"worst_{motion}", f"whole_{motion}.worst"), (f"rms_{size}", f"whole_{motion}.rms")
    return of_result(found, *of_motion, shown=shown, digits=3)


def _in_words(stage: Machine, step: Array) -> str:
    """Smallest and largest step of a stage's actuators, or one if they are the same."""
    size, unit = metric(step, stage.legs.joint_unit, stage.units)
    return f"{' to '.join(dict.fromkeys(significant(float(v) / size, 3) for v in (step.min(), step.max())))} {unit}"


def of_axes(found: ErrorBudget, shown: Sequence[str]) -> list[Field]:
    """Worst case and RMS along and about each axis, to three digits of the units shown."""
    return of_result(found, ("worst_case", "worst"), "rms", under="{}.", shown=shown, digits=3)


def _card(sheet: Sheet[Any], found: Resolution, shift: str, turn: str) -> Card:
    whole = sheet.show.with_unit(found.rms_distance, shift, 3)
    about = f"{sheet.show.with_unit(found.rms[3:].max(), turn, 3)} about {_worst(found, 3)}"
    return Card(
        "Resolution, worst axis",
        sheet.show.value(found.rms[:3].max(), shift, 3),
        shift,
        f"RMS along {_worst(found, 0)} at home, {whole} in all; {about}",
        of=("{}.rms",),
    )


def _worst(found: Resolution, first: int) -> str:
    """The axes of translation (first = 0) or rotation (3) with the largest RMS."""
    part = found.rms[first : first + 3]
    return listed(AXES[first + int(k)] for k in np.flatnonzero(tied(-part / part.max())))
