"""What errors of the geometry do to the pose at home."""

from __future__ import annotations

import numpy as np

import gough
from gough import plot
from gough.accuracy.accuracy import PARAMETERS
from gough.datasheet.model import Column, Picture, Section, Table, Text
from gough.datasheet.sections.resolution import COLUMNS, SI, pair
from gough.datasheet.sheet import Datasheet
from gough.limits.travel import AXES
from gough.present.show import jsonable, significant

ERROR = 10e-6
"""Error of every parameter whose effect is shown [m]."""


EXPLAINED = (
    "To first order, what errors of the machine's geometry do to the point of interest while the joint coordinates "
    "stay as they are: of the base and platform joints, x, y and z each, and of the rods' lengths (of struts: of "
    "the zero of the measured length); 42 parameters. RMS is for independent errors."
)


def accuracy(sheet: Datasheet) -> Section | None:
    """Error budget of the 42 parameters, and the effect of each as colours."""
    m = sheet.machine
    if sheet.is_singular:
        return None
    G = gough.accuracy.parameter_sensitivity(m, m.X_home)
    budget = gough.accuracy.pose_error(m, m.X_home, ERROR)
    most = [PARAMETERS[int(k)] for k in np.argmax(np.abs(G), axis=1)]
    rows = [
        [
            axis,
            *(significant(1e6 * float(part[k]), 3) for part in (budget.worst_case, budget.rms)),
            f"µ{SI[k]}",
            most[k],
        ]
        for k, axis in enumerate(AXES)
    ]
    picture = Picture(
        figure=plot.sensitivity(m, result=G),
        caption="What an error of each parameter does along (above) and about (below) each axis of the base.",
        description="Colours of the 42 parameters' effects on the six displacements.",
    )
    caption = f"Pose error for errors of {1e6 * ERROR:g} µm in each of the 42 parameters"
    table = Table(caption, (*COLUMNS, Column("most due to", is_number=False)), rows)
    return Section(
        key="accuracy",
        title="Errors of the geometry at home",
        blocks=[Text(EXPLAINED), table, picture],
        numbers={
            "error_of_each_parameter": ERROR,
            **{axis: pair(budget.worst_case[k], budget.rms[k], SI[k]) for k, axis in enumerate(AXES)},
            "parameters": list(PARAMETERS),
            "sensitivity": jsonable(G),
            "sensitivity_unit": "m/m; rad/m",
        },
    )
