"""What the machine's file says of drives and struts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.datasheet.model import Column, Section, Table
from gough.datasheet.sheet import Datasheet
from gough.present.show import jsonable, same_for_all, significant

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Known:
    name: str
    values: Array | None
    unit: str
    size: float = 1.0
    """Of the unit in SI."""


def drives(sheet: Datasheet) -> Section | None:
    """One row for each known quantity; six columns only where legs differ."""
    rows = [known for known in _quantities(sheet) if known.values is not None]
    if not rows:
        return None
    alike = all(same_for_all(known.values) for known in rows if known.values is not None)
    columns = [Column("quantity", is_number=False), Column("unit", is_number=False)]
    columns += [Column("each leg")] if alike else [Column(f"leg {i + 1}") for i in range(6)]
    cells = []
    for known in rows:
        values = np.asarray(known.values) / known.size
        cells.append([known.name, known.unit, *(significant(float(v), 5) for v in (values[:1] if alike else values))])
    return Section(
        key="drives",
        title="Drives and struts",
        blocks=[Table("As given in the machine's file", columns, cells)],
        numbers={
            k.name.replace(" ", "_"): {"values": jsonable(k.values), "unit": k.unit.replace("²", "2")}
            for k in _quantities(sheet, is_si=True)
            if k.values is not None
        },
    )


def _quantities(sheet: Datasheet, *, is_si: bool = False) -> list[_Known]:
    m, limits, a = sheet.machine, sheet.machine.limits, sheet.machine.actuators
    is_length = m.legs.joint == "length"
    joint, size = (m.legs.joint_unit, 1.0) if is_si else (m.joint_unit, m.joint_scale)
    length, metres = ("m", 1.0) if is_si else (m.units.length, m.units.metres)
    force = "N" if is_length else "N m"
    rate = "s/m" if is_length else "s/rad"
    return [
        _Known("top speed", limits.joint_speed, f"{joint}/s", size),
        _Known("top acceleration", limits.joint_acceleration, f"{joint}/s²", size),
        _Known("largest force" if is_length else "largest torque", limits.actuator_force, force),
        _Known("resolution", a.resolution, joint, size),
        _Known("axial stiffness", a.stiffness, "N/m"),
        _Known("axial rigidity E A", a.axial_rigidity, "N"),
        _Known("base joint stiffness", a.base_joint_stiffness, "N/m"),
        _Known("platform joint stiffness", a.platform_joint_stiffness, "N/m"),
        _Known("viscous friction", a.viscous_friction, f"{force} {rate}"),
        _Known("Coulomb friction", a.coulomb_friction, force),
        _Known("rotor inertia", a.rotor_inertia, "kg m²"),
        _Known("transmission", a.transmission, "rad/m" if is_length else "rad/rad"),
        _Known("leg radius", limits.leg_radius, length, metres),
    ]
