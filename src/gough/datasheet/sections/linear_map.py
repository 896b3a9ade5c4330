"""The linear map between small displacements of the platform and of the joints."""

from __future__ import annotations

import gough
from gough import plot
from gough.datasheet.model import Picture, Section, Text
from gough.datasheet.sheet import Datasheet
from gough.present.answer import ALONG_AXES, LEGS, Field

HEADS = ("dx", "dy", "dz", "dRx", "dRy", "dRz")
EXPLAINED = (
    "Near home the joints move as this matrix times the displacement (dx, dy, dz, dRx, dRy, dRz) of the point of "
    "interest, with rotations by Rx Ry Rz about it; its inverse goes from joints to platform. It is the exact "
    "derivative."
)


def linear_map(sheet: Datasheet) -> Section:
    """The matrix T^-1 at home, and the error of the linear map."""
    show, joint = sheet.show, sheet.machine.legs.joint_unit
    linear = gough.kinematics.linear_map(sheet.machine)
    shown = [f"{show.unit(joint)}/{show.unit(si)}" for si in ALONG_AXES]
    # An entry is a joint unit per unit of displacement, both those of the file.
    scale = [show.in_units(1.0, joint) / show.in_units(1.0, si) for si in ALONG_AXES]
    matrix = Field("", linear.T_inv * scale, shown, HEADS, head="{}")
    picture = Picture(
        figure=plot.linear_map_error(linear),
        caption="Error of the linear map, the largest of the six legs: it grows with the square of the displacement.",
        description="Logarithmic lines of the error against the displacement along and about each axis.",
    )
    caption = "Joint displacement per displacement of the point of interest, at home"
    return Section(
        key="linear_map",
        title="Linear map at home",
        blocks=[Text(EXPLAINED), show.table("leg", LEGS, [matrix], caption), picture],
        fields=[Field("T_inv", linear.T_inv), Field("units", [f"{joint}/{si}" for si in ALONG_AXES])],
        is_folded=True,
    )
