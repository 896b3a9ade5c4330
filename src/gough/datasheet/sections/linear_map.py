"""The linear map between small displacements of the platform and of the joints."""

from __future__ import annotations

from typing import Any

import gough
from gough import plot
from gough.datasheet.model import Picture, Section, Text
from gough.datasheet.sheet import Sheet
from gough.limits.ties import listed
from gough.plot.linear_map_figure import EXACT
from gough.present.answer import of_result

EXPLAINED = (
    "Near home the joints move as this matrix times the displacement (dx, dy, dz, dRx, dRy, dRz) of the point of "
    "interest, with rotations by Rx Ry Rz about it; its inverse goes from joints to platform. It is the exact "
    "derivative."
)


def linear_map(sheet: Sheet[Any]) -> Section:
    """The matrix T^-1 at home, and the error of the linear map."""
    m = sheet.machine
    linear = gough.kinematics.linear_map(m)
    figure = plot.linear_map_error(linear)
    exact = dict.fromkeys(trace.name.removesuffix(EXACT) for trace in figure.data if trace.name.endswith(EXACT))
    picture = Picture(
        figure=figure,
        caption=f"Error of the linear map, the largest of the {sheet.all_legs}: it grows with the square of the "
        f"displacement{f'; for {listed(exact)} alone the map is exact' if exact else ''}.",
        description="Logarithmic lines of the error against the displacement along and about each axis.",
    )
    return Section(
        key="linear_map",
        title="Linear map at home",
        blocks=[Text(EXPLAINED + sheet.shared), *linear.tables(), picture],
        fields=of_result(linear, "T_inv"),
        is_folded=True,
    )
