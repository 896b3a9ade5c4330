"""Smallest steps of the platform, the effect of errors of the geometry, and a calibration's remaining errors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gough
from gough import plot
from gough.accuracy.accuracy import PARAMETERS, ErrorBudget, Resolution, length_name, likely_error, parameter_names
from gough.arrays import Array
from gough.calibration.remaining import has_covariance
from gough.datasheet.model import Block, Card, Folded, Picture, Section, Text, facts, for_people
from gough.datasheet.sheet import Datasheet, Sheet
from gough.limits.ties import listed, tied
from gough.machine import Machine
from gough.present.answer import Field, of_result
from gough.present.show import metric, significant
from gough.quantity import ALONG_AXES, AXES, LEGS, of_legs, ratios


def resolution(sheet: Sheet[Any]) -> Section | None:
    """Return the displacement of the platform by one step of every actuator, in the worst case and for independent
    steps."""
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
    """Return the worst case and RMS along and about each axis, to three digits of the units shown."""
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


SHOWN = 1e-3
"""Effects that differ by less than this part of the largest are equal: the table has three digits."""
ACCURACY_EXPLAINED = (
    "To first order, what errors of the machine's geometry do to the point of interest while the joint coordinates "
    "stay as they are: of the base and platform joints, x, y and z each, and of the {lengths}; 42 parameters. RMS "
    "is for independent errors."
)


def accuracy(sheet: Datasheet) -> Section | None:
    """Return the error budget of the 42 parameters, and the effect of each as colours."""
    m = sheet.machine
    if sheet.is_singular:
        return None
    G = gough.accuracy.parameter_sensitivity(m, m.X_home)
    error = likely_error(m)
    budget = gough.accuracy.pose_error(m, m.X_home, error)
    shift, turn, least = (
        metric(values, unit, m.units)[1]
        for values, unit in ((budget.worst_case[:3], "m"), (budget.worst_case[3:], "rad"), ([error], "m"))
    )
    most = [most_due_to(row, parameter_names(m)) for row in np.abs(G)]
    fields = (
        Field("error_of_each_parameter", error, "m",
            doc="Error d of each of the 42 parameters that the next rows suppose."),
        *of_axes(budget, [shift] * 3 + [turn] * 3),
        for_people("largest contributions", most),
        Field("parameters", list(PARAMETERS),
            doc="Names of the columns of sensitivity: x, y, z of base joints (base frame), of platform "
            "joints (platform frame), rod lengths (of struts: an offset)."),
        Field("sensitivity", G, ratios(ALONG_AXES, ["m"] * len(PARAMETERS)), frame="base",
            doc="Slope of the point of interest's position and of the platform's rotation vector against "
            "each parameter, joint coordinates held."),
    )  # fmt: skip
    picture = Picture(
        figure=plot.sensitivity(m, result=G),
        caption="What an error of each parameter does along (above) and about (below) each axis of the base.",
        description="Colours of the 42 parameters' effects on the six displacements.",
    )
    caption = f"Pose error for errors of {sheet.show.with_unit(error, least, 2)} in each of the 42 parameters"
    return Section(
        key="accuracy",
        title="Errors of the geometry at home",
        blocks=[
            Text(ACCURACY_EXPLAINED.format(lengths=f"{length_name(m)}s")),
            sheet.show.table("axis", AXES, fields, caption),
            Folded("Every parameter by itself", [picture]),
        ],
        fields=fields,
    )


def most_due_to(effects: NDArray[np.float64], names: Sequence[str] = PARAMETERS) -> str:
    """Return the parameters with the largest of the effects (42,) in words: "rod lengths 1 and 6", "platform point 4
    x"."""
    legs: dict[tuple[str, str], list[str]] = {}
    for name in compress(names, tied(-effects / effects.max(), rtol=SHOWN)):
        what, leg, axis = re.fullmatch(r"(.+) (\d)( [xyz])?", name).groups("")  # type: ignore[union-attr]
        legs.setdefault((what, axis), []).append(leg)
    return listed(
        f"all six {what}s{axis}" if len(of) == 6 else f"{what}{'s' if len(of) > 1 else ''} {listed(of)}{axis}"
        for (what, axis), of in legs.items()
    )


CALIBRATION_EXPLAINED = (
    "Numbers of this machine's file were found from measurements. By leg: by how much rods were longer than modelled "
    "at the poses measured, with the drawing (frames of device and target fitted) and calibrated, root mean square."
)
BEFORE = "The same for each leg with the drawing, the frames of the measuring device and of the target fitted to it."
OPEN = "The measurements left these open, and they stay as drawn: "


def calibration(sheet: Datasheet) -> Section | None:
    """Return the source, residuals and remaining errors of a calibration."""
    m = sheet.machine
    given = m.calibration
    if not given:
        return None
    fields = [
        Field("date", given["date"], head="Calibrated on" if given["date"] else "", doc="Day of the calibration."),
        Field("data", given["data"], head="Measurements" if given["data"] else "", doc="File of the measurements."),
        Field("sha256", given["sha256"], doc="Hash of that file."),
        Field("rows", given["rows"], head="Rows used",
            doc="Rows of it that were used: those measured, without those that do not belong."),
        Field("undetermined", list(given["undetermined"]),
            doc="Combinations of errors that the measurements leave open."),
    ]  # fmt: skip
    if given["rms"] is not None:
        fields.append(Field("rms", given["rms"], "m", head="Residual of the legs, RMS", digits=3,
            doc="Root mean square over rows and legs of by how much rods are longer than the calibrated "
            "machine says at the poses measured."))  # fmt: skip
    by_leg = [
        Field(name, np.array(given[name]), "m", LEGS, head=f"{name}, RMS", digits=3, doc=doc)
        for name, doc in (("before", BEFORE), ("after", "The same for each leg, calibrated."))
        if given[name] is not None
    ]
    # All but the list of undetermined parameters, which has a sentence of its own.
    blocks: list[Block] = [Text(CALIBRATION_EXPLAINED), facts(sheet.show, fields[:4] + fields[5:])]
    if by_leg:
        columns = [replace(each, labels=()) for each in by_leg]
        blocks.append(sheet.show.table("leg", LEGS, columns, "Residuals before and after"))
    if given["undetermined"]:
        blocks.append(Text(OPEN + "; ".join(given["undetermined"]) + "."))
    if has_covariance(m):
        picture = Picture(
            figure=plot.calibration(m),
            caption="Error of the position that is left, one standard deviation, over the plane of x and y through "
            "home; up to where the frames of base and platform are.",
            description="Colours of the error over positions.",
        )
        blocks.append(picture)
    return Section("calibration", "Calibration", blocks, fields=[*fields, *by_leg])
