"""The linear map between small displacements of the platform and of the joints."""

from __future__ import annotations

import gough
from gough import plot
from gough.datasheet.model import Column, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.present.show import jsonable, significant

HEADS = ("dx", "dy", "dz", "dRx", "dRy", "dRz")


def linear_map(sheet: Datasheet) -> Section:
    """The matrix T^-1 at home, and the error of taking it for the truth."""
    m, show = sheet.machine, sheet.show
    linear = gough.kinematics.linear_map(m)
    joint = show.unit(m.legs.joint_unit)
    per = [f"{joint}/{show.unit('m')}"] * 3 + [f"{joint}/{show.unit('rad')}"] * 3
    scale = [show.in_units(1.0, m.legs.joint_unit) / show.in_units(1.0, "m")] * 3
    scale += [show.in_units(1.0, m.legs.joint_unit) / show.in_units(1.0, "rad")] * 3
    matrix = linear.T_inv * scale
    table = Table(
        "Joint displacement per displacement of the point of interest, at home",
        [Column("leg", is_number=False), *(Column(head, unit) for head, unit in zip(HEADS, per, strict=True))],
        [[str(i + 1), *(significant(float(value)) for value in matrix[i])] for i in range(6)],
    )
    picture = Picture(
        figure=plot.linear_map_error(linear),
        caption="Error of the linear map, the largest of the six legs: it grows with the square of the displacement.",
        description="Logarithmic lines of the error against the displacement along and about each axis.",
    )
    text = Text(
        "Near home the joints move as this matrix times the displacement (dx, dy, dz, dRx, dRy, dRz) of the point of "
        "interest, with rotations by Rx Ry Rz about it; its inverse goes from joints to platform. It is the exact "
        "derivative."
    )
    units = [f"{m.legs.joint_unit}/{si}" for si in ("m", "rad") for _ in range(3)]
    return Section(
        key="linear_map",
        title="Linear map at home",
        blocks=[text, table, picture],
        numbers={"T_inv": jsonable(linear.T_inv), "units": units},
    )
