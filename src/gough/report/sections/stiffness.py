"""Stiffness at home, where that of the legs is known."""

from __future__ import annotations

import numpy as np

import gough
from gough.report.datasheet import Datasheet
from gough.report.model import Column, Section, Table, Text
from gough.report.show import jsonable, number, significant


def stiffness(sheet: Datasheet) -> Section | None:
    """Principal stiffnesses of translation and rotation with their axes."""
    m = sheet.machine
    if (m.actuators.stiffness is None and m.actuators.axial_rigidity is None) or sheet.is_singular:
        return None
    K = gough.stiffness(m, m.X_home, point=m.point_of_interest)
    found = gough.principal_stiffness(K)
    sorts = (
        ("translation", "N/µm", 1e-6 * found.translation, found.translation_axes),
        ("rotation", "N m/mrad", 1e-3 * found.rotation, found.rotation_axes),
    )
    columns = [Column("of", is_number=False), Column("stiffness"), Column("unit", is_number=False)]
    columns += [Column(f"axis {axis}") for axis in "xyz"]
    rows = [
        [name, significant(float(value)), unit, *(number(float(v), 4) for v in axis)]
        for name, unit, values, axes in sorts
        for value, axis in zip(values, axes.T, strict=True)
    ]
    return Section(
        key="stiffness",
        title="Stiffness at home",
        blocks=[
            Text(
                "Principal stiffnesses of the platform on its legs with the drives held: of translation with rotation "
                "held, of rotation with the platform free to translate. They do not depend on the point that is loaded."
            ),
            Table("Principal stiffnesses and their axes in the base frame", columns, rows),
        ],
        numbers={
            **{
                name: {"values": jsonable(values), "unit": unit, "axes": jsonable(axes.T)}
                for name, unit, values, axes in sorts
            },
            "matrix_about_point_of_interest": jsonable(np.asarray(K)),
            "matrix_unit": "N/m, N/rad; N m/m, N m/rad",
        },
    )
