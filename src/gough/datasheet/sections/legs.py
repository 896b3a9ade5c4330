"""The legs at home: joint coordinate, stroke used, distance to the limits, directions and angles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.datasheet.model import Block, Column, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.present.show import NOTHING, jsonable, number

Array = NDArray[np.float64]

JOINT = {"length": "displacement", "angle": "crank angle"}


def legs(sheet: Datasheet) -> Section:
    """Two tables: along the joint, and directions."""
    blocks: list[Block] = [_travel_table(sheet), _direction_table(sheet)]
    if any(name.endswith(("base cone", "platform cone")) for name in sheet.margins.names):
        blocks.append(_cone_table(sheet))
    blocks.append(
        Text(
            "The direction runs along the rod from the base side to the platform, in base axes. Angles to the plates "
            "are those between the rod and the xy plane of the base, and of the platform."
        )
    )
    return Section(key="legs", title="Legs at home", blocks=blocks, numbers=_numbers(sheet))


def joint_name(sheet: Datasheet) -> str:
    """What the joint coordinate is in words."""
    return "length" if sheet.machine.legs.rod() is None else JOINT[sheet.machine.legs.joint]


def used(sheet: Datasheet) -> Array:
    """Part of each leg's stroke that lies below home (6,); NaN where the stroke is not limited on both sides."""
    limits = sheet.machine.limits
    with np.errstate(invalid="ignore"):
        part = (sheet.q - limits.joint_min) / (limits.joint_max - limits.joint_min)
    return np.where(np.isfinite(limits.joint_max - limits.joint_min), part, np.nan)


def _travel_table(sheet: Datasheet) -> Table:
    show, limits, si = sheet.show, sheet.machine.limits, sheet.machine.legs.joint_unit
    unit = show.unit(si)
    percent = 100 * used(sheet)
    columns = [Column("leg", is_number=False), Column(f"{joint_name(sheet)} at home", unit)]
    columns += [Column("lowest", unit), Column("highest", unit), Column("to lowest", unit), Column("to highest", unit)]
    rows = []
    for i in range(6):
        low, high = limits.joint_min[i], limits.joint_max[i]
        values = (sheet.q[i], low, high, sheet.q[i] - low, high - sheet.q[i])
        rows.append([str(i + 1), *(show.value(abs(v) if np.isinf(v) else v, si) for v in values), _percent(percent[i])])
    return Table("Joint coordinates and stroke", [*columns, Column("stroke used", "%")], rows)


def _percent(value: float) -> str:
    return NOTHING if np.isnan(value) else number(value, 1)


def plate_angles(sheet: Datasheet) -> tuple[Array, Array]:
    """Angles (6,) [rad] between the rods and the xy planes of base and platform."""
    u_B = sheet.u_B
    sine_platform = u_B @ sheet.machine.X_home[:3, 2]
    return np.arcsin(np.abs(u_B[:, 2]).clip(0, 1)), np.arcsin(np.abs(sine_platform).clip(0, 1))


def _direction_table(sheet: Datasheet) -> Table:
    show = sheet.show
    base, platform = plate_angles(sheet)
    unit = show.unit("rad")
    columns = [Column("leg", is_number=False), *(Column(f"direction {axis}") for axis in "xyz")]
    columns += [Column("to base plate", unit), Column("to platform plate", unit)]
    rod = sheet.machine.legs.rod()
    if rod is not None:
        columns.append(Column("rod length", show.unit("m")))
    rows = []
    for i in range(6):
        row = [str(i + 1), *(number(float(u), 4) for u in sheet.u_B[i])]
        row += [show.value(float(base[i]), "rad"), show.value(float(platform[i]), "rad")]
        rows.append(row if rod is None else [*row, show.value(float(rod[i]), "m")])
    return Table("Rod directions and joint angles", columns, rows)


def _cone_table(sheet: Datasheet) -> Table:
    """Angle of each joint from the axis of its cone: the half-angle less the margin."""
    show = sheet.show
    unit = show.unit("rad")
    columns, cells = [Column("leg", is_number=False)], [[str(i + 1)] for i in range(6)]
    for side, angle, half in _cone_angles(sheet):
        columns += [Column(f"{side} joint", unit), Column("allowed", unit)]
        for i in range(6):
            cells[i] += [show.value(float(angle[i]), "rad"), show.value(float(half[i]), "rad")]
    return Table("Joint angles from the axes of their cones", columns, cells)


def _cone_angles(sheet: Datasheet) -> list[tuple[str, Array, Array]]:
    """Of the sides that have cones: name, angles of the joints and half-angles of the cones (6,) [rad]."""
    limits, found = sheet.machine.limits, sheet.margins
    rows = []
    for side, cone in (("base", limits.base_cone), ("platform", limits.platform_cone)):
        if cone is not None:
            margin = [found.values[found.names.index(f"leg {i + 1} {side} cone")] for i in range(6)]
            rows.append((side, cone.half_angle - np.asarray(margin), cone.half_angle))
    return rows


def _numbers(sheet: Datasheet) -> dict[str, Any]:
    limits, rod = sheet.machine.limits, sheet.machine.legs.rod()
    base, platform = plate_angles(sheet)
    cones = {
        f"{side}_joint": {"angle": jsonable(angle), "allowed": jsonable(half)}
        for side, angle, half in _cone_angles(sheet)
    }
    return {
        "joint": joint_name(sheet),
        "home": jsonable(sheet.q),
        "lowest": jsonable(limits.joint_min),
        "highest": jsonable(limits.joint_max),
        "to_lowest": jsonable(sheet.q - limits.joint_min),
        "to_highest": jsonable(limits.joint_max - sheet.q),
        "unit": sheet.machine.legs.joint_unit,
        "stroke_used": jsonable(used(sheet)),
        "direction": jsonable(sheet.u_B),
        "angle_to_base_plate": jsonable(base),
        "angle_to_platform_plate": jsonable(platform),
        "angle_unit": "rad",
        **cones,
        **({} if rod is None else {"rod_length": jsonable(rod), "length_unit": "m"}),
    }
