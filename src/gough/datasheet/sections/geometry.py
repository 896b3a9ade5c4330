"""Geometry: joint points, directions of the drives, tool head, frames."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.datasheet.model import Section, Text, facts, for_people
from gough.datasheet.sheet import Datasheet
from gough.head import Head
from gough.poses import euler_angles
from gough.present.answer import Field, Table
from gough.present.show import NOTHING
from gough.quantity import LEGS

POINTS = {"a_B": "base", "c_B": "crank centre"}
"""Attributes of legs that are points on the base side, and their names."""
VECTORS = {"g_B": "guide", "n_B": "crank axis", "r_B": "crank arm at zero"}
LENGTHS = {"r_B"}
"""Vectors [m]; the others are directions."""
XYZ = tuple("xyz")


def geometry(sheet: Datasheet) -> Section:
    """Points of both plates, then the vectors of the leg kind, then tool head and frames."""
    m, show = sheet.machine, sheet.show
    points, vectors, frames = _points(sheet), _vectors(sheet), _frames(sheet)
    return Section(
        key="geometry",
        title="Geometry",
        blocks=[
            Text("Base points in the base frame, platform points in the platform frame."),
            show.table("leg", LEGS, points, "Joint points"),
            *([show.table("leg", LEGS, vectors, "Drives and rods")] if vectors else []),
            *([] if m.head is None else [_head_table(sheet, m.head)]),
            facts(show, frames),
        ],
        fields=[*points, *vectors, *frames, *([] if m.head is None else [_head(m.head)])],
        is_folded=True,
    )


def _points(sheet: Datasheet) -> list[Field]:
    legs = sheet.machine.legs
    key, name = next((key, name) for key, name in POINTS.items() if hasattr(legs, key))
    return [
        Field("base", getattr(legs, key), "m", XYZ, head=f"{name} {{}}", unit_key="unit", frame="base"),
        Field("platform", legs.b_P, "m", XYZ, head="platform {}", frame="platform"),
    ]


def _vectors(sheet: Datasheet) -> list[Field]:
    """Vectors that the kind of legs has, and the lengths of rods."""
    legs, rod = sheet.machine.legs, sheet.machine.legs.rod()
    fields = [
        Field(
            name.replace(" ", "_"),
            getattr(legs, key),
            "m" if key in LENGTHS else "1",
            XYZ,
            head=f"{name} {{}}",
            frame="base",
        )
        for key, name in VECTORS.items()
        if hasattr(legs, key)
    ]
    return fields if rod is None else [*fields, Field("rod_length", rod, "m", head="rod")]


def _head(head: Head) -> Field:
    """Denavit-Hartenberg parameters of the tool head, and the limits of its joints."""
    rows = [
        {
            "joint": joint.name,
            "kind": joint.kind,
            **{key: getattr(joint, key) for key in ("a", "alpha", "d", "theta")},
            "lowest": joint.minimum,
            "highest": joint.maximum,
            "top_speed": joint.speed,
            "unit": "m" if joint.kind == "prismatic" else "rad",
        }
        for joint in head.joints
    ]
    return Field("head", rows)


def _head_table(sheet: Datasheet, head: Head) -> Table:
    show, rows = sheet.show, _head(head).value
    named = (("a", "a", "m"), ("alpha", "α", "rad"), ("d", "d", "m"), ("theta", "θ", "rad"))
    moves = [
        [NOTHING] * 3
        if row["kind"] == "fixed"
        else [show.with_unit(row[key], row["unit"]) for key in ("lowest", "highest")]
        + [show.with_unit(row["top_speed"], row["unit"]) + ("/s" if np.isfinite(row["top_speed"]) else "")]
        for row in rows
    ]
    columns = [
        Field("", [row["kind"] for row in rows], head="kind"),
        *(Field("", [row[key] for row in rows], si, head=name) for key, name, si in named),
        *(Field("", [row[k] for row in moves], head=name) for k, name in enumerate(("lowest", "highest", "top speed"))),
    ]
    names = [row["joint"] for row in rows]
    return show.table("joint", names, columns, f"Tool head: Denavit-Hartenberg parameters, {head.convention}")


def _frames(sheet: Datasheet) -> list[Field]:
    m = sheet.machine
    has_tool = not np.allclose(m.X_PT, np.eye(4), atol=1e-12)
    return [
        Field("home", m.X_home, frame="platform in the base"),
        Field("home_unit", "m"),
        Field("home_angles", euler_angles(m.X_home, "XYZ"), "rad", frame="platform in the base"),
        for_people("Home pose of the platform", _pose(sheet, m.X_home)),
        Field("tool", m.X_PT, frame="tool in the platform"),
        Field("tool_angles", euler_angles(m.X_PT, "XYZ"), "rad", unit_key="angle_unit", frame="tool in the platform"),
        for_people("Tool in the platform" if has_tool else "", _pose(sheet, m.X_PT)),
        Field(
            "point_of_interest", m.point_of_interest, "m", head="Point of interest, in the platform", frame="platform"
        ),
        Field("gravity", m.gravity, "m/s²", head="Gravity", digits=5, frame="base"),
        Field("gravity_unit", "m/s2"),
    ]


def _pose(sheet: Datasheet, X: Array) -> str:
    place = sheet.show.point(X[:3, 3])
    if np.allclose(X[:3, :3], np.eye(3), atol=1e-12):
        return f"{place}, not turned"
    return f"{place}, angles XYZ {sheet.show.point(euler_angles(X, 'XYZ'), 'rad')}"
