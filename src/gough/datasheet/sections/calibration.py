"""A calibrated machine: residuals before and after, remaining errors of its poses, undetermined parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough import plot
from gough.calibration.remaining import has_covariance
from gough.datasheet.model import Block, Picture, Section, Text, facts
from gough.datasheet.sheet import Datasheet
from gough.present.answer import Field
from gough.quantity import LEGS

EXPLAINED = (
    "Numbers of this machine's file were found from measurements. By leg: by how much rods were longer than modelled "
    "at the poses measured, with the drawing (frames of device and target fitted) and calibrated, root mean square."
)
BEFORE = "The same for each leg with the drawing, the frames of the measuring device and of the target fitted to it."
OPEN = "The measurements left these open, and they stay as drawn: "


def calibration(sheet: Datasheet) -> Section | None:
    """Source, residuals and remaining errors of a calibration."""
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
    blocks: list[Block] = [Text(EXPLAINED), facts(sheet.show, fields[:4] + fields[5:])]
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
