"""A calibrated machine: residuals before and after, remaining errors of its poses, undetermined parameters."""

from __future__ import annotations

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
OPEN = "The measurements left these open, and they stay as drawn: "


def calibration(sheet: Datasheet) -> Section | None:
    """Source, residuals and remaining errors of a calibration."""
    m = sheet.machine
    given = m.calibration
    if not given:
        return None
    fields = [
        Field("date", given["date"], head="Calibrated on" if given["date"] else ""),
        Field("data", given["data"], head="Measurements" if given["data"] else ""),
        Field("sha256", given["sha256"]),
        Field("rows", given["rows"], head="Rows used"),
        Field("undetermined", list(given["undetermined"])),
    ]
    if given["rms"] is not None:
        fields.append(Field("rms", given["rms"], "m", head="Residual of the legs, RMS", digits=3))
    by_leg = [
        Field(name, np.array(given[name]), "m", LEGS, head=f"{name}, RMS", digits=3)
        for name in ("before", "after")
        if given[name] is not None
    ]
    # All but the list of undetermined parameters, which has a sentence of its own.
    blocks: list[Block] = [Text(EXPLAINED), facts(sheet.show, fields[:4] + fields[5:])]
    if by_leg:
        columns = [Field("", each.value, "m", head=each.head, digits=3) for each in by_leg]
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
