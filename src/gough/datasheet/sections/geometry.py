"""Geometry: joint points, drives' directions, frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.datasheet.model import Block, Column, Facts, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.head import Head, HeadJoint
from gough.poses import euler_angles
from gough.present.show import NOTHING, jsonable, number

POINTS = {"a_B": "base", "c_B": "crank centre"}
"""Points on the base side by the leg's name for them."""
VECTORS = {"g_B": "guide", "n_B": "crank axis", "r_B": "crank arm at zero"}
LENGTHS = {"r_B"}
"""Vectors that have a length; the others are directions."""


def geometry(sheet: Datasheet) -> Section:
    """Points of both plates, then what the leg kind adds, then the frames."""
    blocks: list[Block] = [Text("Base points in the base frame, platform points in the platform frame.")]
    blocks.append(_points(sheet))
    if any(hasattr(sheet.machine.legs, key) for key in VECTORS):
        blocks.append(_vectors(sheet))
    if sheet.machine.head is not None:
        blocks.append(_head(sheet, sheet.machine.head))
    blocks.append(Facts(_frames(sheet)))
    return Section(key="geometry", title="Geometry", blocks=blocks, numbers=_numbers(sheet))


def _points(sheet: Datasheet) -> Table:
    legs, show = sheet.machine.legs, sheet.show
    unit = show.unit("m")
    named = [(name, getattr(legs, key)) for key, name in POINTS.items() if hasattr(legs, key)]
    named.append(("platform", legs.b_P))
    columns = [Column("leg", is_number=False), *(Column(f"{name} {axis}", unit) for name, _ in named for axis in "xyz")]
    rows = [[str(i + 1), *(show.value(float(v), "m") for _, points in named for v in points[i])] for i in range(6)]
    return Table("Joint points", columns, rows)


def _vectors(sheet: Datasheet) -> Table:
    legs, show = sheet.machine.legs, sheet.show
    columns, rows = [Column("leg", is_number=False)], [[str(i + 1)] for i in range(6)]
    for key, name in VECTORS.items():
        if not hasattr(legs, key):
            continue
        is_length = key in LENGTHS
        columns += [Column(f"{name} {axis}", show.unit("m") if is_length else "") for axis in "xyz"]
        for i, vector in enumerate(getattr(legs, key)):
            rows[i] += [show.value(float(v), "m") if is_length else number(float(v), 5) for v in vector]
    rod = legs.rod()
    if rod is not None:
        columns.append(Column("rod", show.unit("m")))
        for i in range(6):
            rows[i].append(show.value(float(rod[i]), "m"))
    return Table("Drives and rods", columns, rows)


def _head(sheet: Datasheet, head: Head) -> Table:
    """Denavit-Hartenberg parameters of the tool head, with what limits its joints."""
    show, length, angle = sheet.show, sheet.show.unit("m"), sheet.show.unit("rad")
    columns = [Column(name, is_number=False) for name in ("joint", "kind")]
    columns += [Column("a", length), Column("α", angle), Column("d", length), Column("θ", angle)]
    columns += [Column("lowest"), Column("highest"), Column("top speed")]
    rows = []
    for joint in head.joints:
        si = "m" if joint.kind == "prismatic" else "rad"
        ends = (show.with_unit(value, si) for value in (joint.minimum, joint.maximum))
        speed = show.with_unit(joint.speed, si) + ("/s" if np.isfinite(joint.speed) else "")
        given = show.value(joint.a, "m"), show.value(joint.alpha, "rad"), show.value(joint.d, "m")
        moves = [NOTHING] * 3 if joint.kind == "fixed" else [*ends, speed]
        rows.append([joint.name, joint.kind, *given, show.value(joint.theta, "rad"), *moves])
    return Table(f"Tool head: Denavit-Hartenberg parameters, {head.convention}", columns, rows)


def _frames(sheet: Datasheet) -> list[tuple[str, str]]:
    m, show = sheet.machine, sheet.show
    pairs = [("Home pose of the platform", _pose(sheet, m.X_home))]
    if not np.allclose(m.X_PT, np.eye(4), atol=1e-12):
        pairs.append(("Tool in the platform", _pose(sheet, m.X_PT)))
    pairs += [
        ("Point of interest, in the platform", show.point(m.point_of_interest)),
        ("Gravity", f"({', '.join(number(float(g), 5) for g in m.gravity)}) m/s²"),
    ]
    return pairs


def _pose(sheet: Datasheet, X: Any) -> str:
    place = sheet.show.point(X[:3, 3])
    if np.allclose(X[:3, :3], np.eye(3), atol=1e-12):
        return f"{place}, not turned"
    return f"{place}, angles XYZ {sheet.show.point(euler_angles(X, 'XYZ'), 'rad')}"


def _numbers(sheet: Datasheet) -> dict[str, Any]:
    m = sheet.machine
    base = next(getattr(m.legs, key) for key in POINTS if hasattr(m.legs, key))
    numbers = {"base": jsonable(base), "platform": jsonable(m.b_P), "unit": "m"}
    for key, name in VECTORS.items():
        if hasattr(m.legs, key):
            numbers[name.replace(" ", "_")] = jsonable(getattr(m.legs, key))
    rod = m.legs.rod()
    if rod is not None:
        numbers["rod_length"] = jsonable(rod)
    return {
        **numbers,
        "home": m.X_home.tolist(),
        "home_unit": "m",
        "home_angles": jsonable(euler_angles(m.X_home, "XYZ")),
        "tool": m.X_PT.tolist(),
        "tool_angles": jsonable(euler_angles(m.X_PT, "XYZ")),
        "angle_unit": "rad",
        "point_of_interest": jsonable(m.point_of_interest),
        "gravity": jsonable(m.gravity),
        "gravity_unit": "m/s2",
        **({} if m.head is None else {"head": [_joint(joint) for joint in m.head.joints]}),
    }


def _joint(joint: HeadJoint) -> dict[str, Any]:
    return {
        "joint": joint.name,
        "kind": joint.kind,
        **{key: getattr(joint, key) for key in ("a", "alpha", "d", "theta")},
        "lowest": jsonable(joint.minimum),
        "highest": jsonable(joint.maximum),
        "top_speed": jsonable(joint.speed),
        "unit": "m" if joint.kind == "prismatic" else "rad",
    }
