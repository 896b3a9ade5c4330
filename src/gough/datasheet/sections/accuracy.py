"""What errors of the geometry do to the pose at home."""

from __future__ import annotations

import numpy as np

import gough
from gough import plot
from gough.accuracy.accuracy import PARAMETERS
from gough.datasheet.model import Column, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.limits.travel import AXES
from gough.present.show import jsonable, significant

ERROR = 10e-6
"""Error of every parameter whose effect is shown [m]."""


def accuracy(sheet: Datasheet) -> Section | None:
    """Error budget of the 42 parameters, and the effect of each as colours."""
    m = sheet.machine
    if sheet.is_singular:
        return None
    G = gough.accuracy.parameter_sensitivity(m, m.X_home)
    budget = gough.accuracy.pose_error(m, m.X_home, ERROR)
    units = ["µm"] * 3 + ["µrad"] * 3
    columns = [Column("axis", is_number=False), Column("worst case"), Column("RMS"), Column("unit", is_number=False)]
    columns.append(Column("most due to", is_number=False))
    most = [PARAMETERS[int(k)] for k in np.argmax(np.abs(G), axis=1)]
    rows = [
        [axis, significant(1e6 * float(budget.worst_case[k]), 3), significant(1e6 * float(budget.rms[k]), 3)]
        + [units[k], most[k]]
        for k, axis in enumerate(AXES)
    ]
    text = Text(
        "To first order, what errors of the machine's geometry do to the point of interest while the joint coordinates "
        "stay as they are: of the base and platform joints, x, y and z each, and of the rods' lengths (of struts: of "
        "the zero of the measured length); 42 parameters. RMS is for independent errors."
    )
    picture = Picture(
        figure=plot.sensitivity(m, result=G),
        caption="What an error of each parameter does along (above) and about (below) each axis of the base.",
        description="Colours of the 42 parameters' effects on the six displacements.",
    )
    caption = f"Pose error for errors of {1e6 * ERROR:g} µm in each of the 42 parameters"
    return Section(
        key="accuracy",
        title="Errors of the geometry at home",
        blocks=[text, Table(caption, columns, rows), picture],
        numbers={
            "error_of_each_parameter": ERROR,
            **{
                axis: {
                    "worst": float(budget.worst_case[k]),
                    "rms": float(budget.rms[k]),
                    "unit": "m" if k < 3 else "rad",
                }
                for k, axis in enumerate(AXES)
            },
            "parameters": list(PARAMETERS),
            "sensitivity": jsonable(G),
            "sensitivity_unit": "m/m; rad/m",
        },
    )
