"""Masses of the platform and of the legs' parts, where they are known."""

from __future__ import annotations

from gough.datasheet.model import Column, Section, Table
from gough.datasheet.sheet import Datasheet
from gough.machine import Body
from gough.present.show import jsonable, significant


def masses(sheet: Datasheet) -> Section | None:
    """Mass, mass centre and inertia of every known body."""
    m, show = sheet.machine, sheet.show
    bodies = {**m.platform_parts, **m.leg_parts}
    if not bodies:
        return None
    columns = [Column("body", is_number=False), Column("mass", "kg")]
    columns += [Column(f"centre {axis}", show.unit("m")) for axis in "xyz"]
    columns += [Column(f"J{pair}", "kg m²") for pair in ("xx", "yy", "zz", "xy", "xz", "yz")]
    rows = [[name, *_cells(sheet, body)] for name, body in bodies.items()]
    return Section(
        key="masses",
        title="Masses",
        blocks=[Table("Bodies, each in its own frame; inertia about the mass centre", columns, rows)],
        numbers={
            name: {
                "mass": body.mass,
                "mass_unit": "kg",
                "mass_centre": jsonable(body.mass_centre),
                "unit": "m",
                "inertia": body.inertia.tolist(),
                "inertia_unit": "kg m2",
            }
            for name, body in bodies.items()
        },
    )


def _cells(sheet: Datasheet, body: Body) -> list[str]:
    J = body.inertia
    products = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    centre = [sheet.show.value(float(v), "m") for v in body.mass_centre]
    return [significant(body.mass), *centre, *(significant(float(v)) for v in products)]
