"""Effect of errors of the geometry on the pose at home."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

import gough
from gough import plot
from gough.accuracy.accuracy import PARAMETERS, length_name, likely_error, parameter_names
from gough.datasheet.model import Folded, Picture, Section, Text, for_people
from gough.datasheet.sections.resolution import of_axes
from gough.datasheet.sheet import Datasheet
from gough.limits.ties import listed, tied
from gough.present.answer import Field
from gough.present.show import metric
from gough.quantity import ALONG_AXES, AXES, ratios

SHOWN = 1e-3
"""Effects that differ by less than this part of the largest are equal: the table has three digits."""
EXPLAINED = (
    "To first order, what errors of the machine's geometry do to the point of interest while the joint coordinates "
    "stay as they are: of the base and platform joints, x, y and z each, and of the {lengths}; 42 parameters. RMS "
    "is for independent errors."
)


def accuracy(sheet: Datasheet) -> Section | None:
    """Error budget of the 42 parameters, and the effect of each as colours."""
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
        for_people("most due to", most),
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
            Text(EXPLAINED.format(lengths=f"{length_name(m)}s")),
            sheet.show.table("axis", AXES, fields, caption),
            Folded("Every parameter by itself", [picture]),
        ],
        fields=fields,
    )


def most_due_to(effects: NDArray[np.float64], names: Sequence[str] = PARAMETERS) -> str:
    """The parameters with the largest of the effects (42,) in words: "rod lengths 1 and 6", "platform point 4 x"."""
    legs: dict[tuple[str, str], list[str]] = {}
    for name in compress(names, tied(-effects / effects.max(), rtol=SHOWN)):
        what, leg, axis = re.fullmatch(r"(.+) (\d)( [xyz])?", name).groups("")  # type: ignore[union-attr]
        legs.setdefault((what, axis), []).append(leg)
    return listed(
        f"all six {what}s{axis}" if len(of) == 6 else f"{what}{'s' if len(of) > 1 else ''} {listed(of)}{axis}"
        for (what, axis), of in legs.items()
    )
