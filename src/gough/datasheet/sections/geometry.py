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
from gough.quantity import LEGS, POSE

POINTS = {"a_B": "base", "c_B": "crank centre"}
"""Attributes of legs that are points on the base side, and their names."""
VECTORS = {
    "g_B": ("guide", "Unit vectors of positive travel of the sliders."),
    "n_B": ("crank axis", "Unit vectors of the cranks' axes."),
    "r_B": ("crank arm at zero", "From crank centre to the rod's foot with the crank at zero."),
}
"""Attributes of legs that are vectors, their names and definitions."""
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
        fields=[*points, *vectors, *frames, *([] if m.head is None else _head(m.head))],
        is_folded=True,
    )


def _points(sheet: Datasheet) -> list[Field]:
    legs = sheet.machine.legs
    key, name = next((key, name) for key, name in POINTS.items() if hasattr(legs, key))
    return [
        Field("base", getattr(legs, key), "m", XYZ, head=f"{name} {{}}", frame="base",
            doc="Base points as in the file, in the base frame."),
        Field("platform", legs.b_P, "m", XYZ, head="platform {}", frame="platform",
            doc="Platform joints b, in the platform frame."),
    ]  # fmt: skip


def _vectors(sheet: Datasheet) -> list[Field]:
    """Vectors that the kind of legs has, and the lengths of rods."""
    legs, rod = sheet.machine.legs, sheet.machine.legs.rod()
    fields = [
        Field(name.replace(" ", "_"), getattr(legs, key), "m" if key in LENGTHS else "1", XYZ,
            head=f"{name} {{}}", frame="base", doc=doc)
        for key, (name, doc) in VECTORS.items() if hasattr(legs, key)
    ]  # fmt: skip
    return fields if rod is None else [*fields, Field("rod_length", rod, "m", head="rod",
        doc="Distance of the driven point p(q) from the platform joint: constant.")]  # fmt: skip


def _head(head: Head) -> list[Field]:
    """Denavit-Hartenberg parameters of the joints of the tool head, and their limits."""
    joints, units = head.joints, ["m" if joint.kind == "prismatic" else "rad" for joint in head.joints]
    a, alpha, d, theta = ([getattr(joint, name) for joint in joints] for name in ("a", "alpha", "d", "theta"))
    return [
        Field("head.joint", [joint.name for joint in joints],
            doc="Name of a joint of the tool head, from the platform outwards."),
        Field("head.kind", [joint.kind for joint in joints], head="kind", doc="revolute, prismatic or fixed."),
        Field("head.a", a, "m", head="a", doc="Denavit-Hartenberg link length."),
        Field("head.alpha", alpha, "rad", head="α", doc="Denavit-Hartenberg twist."),
        Field("head.d", d, "m", head="d",
            doc="Denavit-Hartenberg offset; of a prismatic joint its coordinate is added."),
        Field("head.theta", theta, "rad", head="θ",
            doc="Denavit-Hartenberg angle; of a revolute joint its coordinate is added."),
        Field("head.lowest", [joint.minimum for joint in joints], units,
            doc="Lowest coordinate allowed; null without limit."),
        Field("head.highest", [joint.maximum for joint in joints], units,
            doc="Highest coordinate allowed; null without limit."),
        Field("head.top_speed", [joint.speed for joint in joints], [f"{unit}/s" for unit in units],
            doc="Top speed of the coordinate; null where not known."),
    ]  # fmt: skip


def _head_table(sheet: Datasheet, head: Head) -> Table:
    """The parameters; limits in words, because joints that are fixed have none."""
    fields = _head(head)
    ends = [
        for_people(
            each.key.removeprefix("head.").replace("_", " "),
            [
                NOTHING if joint.kind == "fixed" else sheet.show.with_unit(value, unit)
                for joint, value, unit in zip(head.joints, each.value, each.unit, strict=True)
            ],
            each.key,
        )
        for each in fields[-3:]
    ]
    caption = f"Tool head: Denavit-Hartenberg parameters, {head.convention}"
    return sheet.show.table("joint", fields[0].value, [*fields, *ends], caption)


def _frames(sheet: Datasheet) -> list[Field]:
    m = sheet.machine
    has_tool = not np.allclose(m.X_PT, np.eye(4), atol=1e-12)
    return [
        Field("home", m.X_home, POSE, frame="platform in the base", doc="Matrix X_BP of home."),
        Field("home_angles", euler_angles(m.X_home, "XYZ"), "rad", frame="platform in the base",
            doc="(a, b, c) of R = Rx(a) Ry(b) Rz(c) of home."),
        for_people("Home pose of the platform", _pose(sheet, m.X_home), "home", "home_angles"),
        Field("tool", m.X_PT, POSE, frame="tool in the platform", doc="Matrix X_PT of the tool in the platform frame."),
        Field("tool_angles", euler_angles(m.X_PT, "XYZ"), "rad", frame="tool in the platform",
            doc="(a, b, c) of R = Rx(a) Ry(b) Rz(c) of the tool."),
        for_people("Tool in the platform" if has_tool else "", _pose(sheet, m.X_PT), "tool", "tool_angles"),
        Field(
            "point_of_interest", m.point_of_interest, "m", head="Point of interest, in the platform", frame="platform",
            doc="Point that positions, speeds and stiffnesses are of, in the platform frame.",
        ),
        Field("gravity", m.gravity, "m/s2", head="Gravity", shown="m/s²", digits=5, frame="base",
            doc="Acceleration by which weights pull, in the base frame; of stage 2 of two that of stage 1, "
            "in the axes of the base of stage 2 at home."),
    ]  # fmt: skip


def _pose(sheet: Datasheet, X: Array) -> str:
    place = sheet.show.point(X[:3, 3])
    if np.allclose(X[:3, :3], np.eye(3), atol=1e-12):
        return f"{place}, not turned"
    return f"{place}, angles XYZ {sheet.show.point(euler_angles(X, 'XYZ'), 'rad')}"
