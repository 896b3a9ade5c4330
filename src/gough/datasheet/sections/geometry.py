"""Data of the machine's file: geometry, drives, and masses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.arrays import Array
from gough.datasheet.model import Section, Text, facts, for_people
from gough.datasheet.sheet import Datasheet
from gough.head import Head
from gough.poses import euler_angles
from gough.present.answer import Field, Table
from gough.present.show import NOTHING, Show, fitting, same_for_all
from gough.present.units import readable
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
    """Return points of both plates, then the vectors of the leg kind, then tool head and frames."""
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


DIGITS = 6


def drives(sheet: Datasheet) -> Section | None:
    """Return one row for each known quantity; six columns if legs differ, else one."""
    rows = [(name, values, unit) for name, values, unit in _quantities(sheet) if values is not None]
    if not rows:
        return None
    names, units = [name for name, *_ in rows], [unit for *_, unit in rows]
    values = np.array([np.broadcast_to(values, 6) for _, values, _ in rows])
    alike = all(same_for_all(row) for row in values)
    # Screws are shown by their lead, which files give.
    for_people = [
        (name, of_legs, _for_people(sheet.show, of_legs, unit))
        for name, of_legs, unit in zip(names, values, units, strict=True)
        if unit != "rad/m"
    ]
    shown = [unit for *_, unit in for_people]
    columns = [
        Field(
            "{}.values",
            [_as_given(sheet.show, of_legs[k], unit) for _, of_legs, unit in for_people],
            shown,
            head="each leg" if alike else f"leg {leg}",
            shown=shown,
        )
        for k, leg in enumerate(LEGS[:1] if alike else LEGS)
    ]
    table = sheet.show.table("quantity", [name for name, *_ in for_people], columns, "As given in the machine's file")
    keys = [name.replace(" ", "_") for name in names]
    return Section(
        key="drives",
        title="Drives and struts",
        blocks=[replace(table, numeric=range(1, 1 + len(columns)))],
        fields=[
            Field(
                "{}.values",
                values,
                [unit.replace("²", "2") for unit in units],
                keys,
                doc="The machine file's, leg by leg.",
            ),
        ],
        is_folded=True,
    )


def _for_people(show: Show, values: Array, unit: str) -> str:
    """The file's unit, for small lengths and angles one that fits."""
    if unit == "rad/rad":
        return "1"
    return fitting(show.machine, values, unit) if unit in ("m", "rad") else readable(show.machine.units, unit)


def _as_given(show: Show, value: float, unit: str) -> str:
    """A number without its unit and without trailing zeros."""
    # Large numbers have a power of ten: only zeros at the end of the mantissa are removed.
    mantissa, times, power = show.value(value, unit, DIGITS).partition("×")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + times + power


def _quantities(sheet: Datasheet) -> list[tuple[str, Array | None, str]]:
    """Name, values of the legs and SI unit."""
    limits, a = sheet.machine.limits, sheet.machine.actuators
    joint, is_length = sheet.machine.legs.joint_unit, sheet.machine.legs.joint == "length"
    force, rate = ("N", "s/m") if is_length else ("N m", "s/rad")
    lead = None if a.transmission is None or not is_length else 2 * np.pi / a.transmission
    return [
        ("top speed", limits.joint_speed, f"{joint}/s"),
        ("top acceleration", limits.joint_acceleration, f"{joint}/s2"),
        ("largest force" if is_length else "largest torque", limits.actuator_force, force),
        ("resolution", a.resolution, joint),
        ("axial stiffness", a.stiffness, "N/m"),
        ("axial rigidity E A", a.axial_rigidity, "N"),
        ("base joint stiffness", a.base_joint_stiffness, "N/m"),
        ("platform joint stiffness", a.platform_joint_stiffness, "N/m"),
        ("viscous friction", a.viscous_friction, f"{force} {rate}"),
        ("Coulomb friction", a.coulomb_friction, force),
        ("rotor inertia", a.rotor_inertia, "kg m²"),
        ("screw lead", lead, "m"),
        ("transmission" if is_length else "gear ratio", a.transmission, "rad/m" if is_length else "rad/rad"),
        ("leg radius", limits.leg_radius, "m"),
    ]


PRODUCTS = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


def masses(sheet: Datasheet) -> Section | None:
    """Return the mass, mass centre and inertia of every known body."""
    m = sheet.machine
    bodies = {**m.platform_parts, **m.leg_parts}
    if not bodies:
        return None
    names, each = list(bodies), list(bodies.values())
    inertia = np.array([body.inertia for body in each])
    # The six independent entries of each inertia matrix, in the order of the columns.
    products = np.stack([inertia[:, i, j] for i, j in PRODUCTS.values()], axis=1)
    mass, centre = [body.mass for body in each], np.array([body.mass_centre for body in each])
    columns = (
        Field("{}.mass", mass, "kg", head="mass"),
        Field("{}.mass_centre", centre, "m", tuple("xyz"), head="centre {}"),
        Field("{}.inertia", products, "kg m²", tuple(PRODUCTS), head="J{}"),
    )
    return Section(
        key="masses",
        title="Masses",
        blocks=[sheet.show.table("body", names, columns, "Bodies, each in its own frame; inertia about mass centre")],
        fields=[
            Field("{}.mass", mass, "kg", names, doc="The machine file's."),
            Field("{}.mass_centre", centre, "m", names, frame="part",
                doc="In the part's frame (docs/machine-files.md)."),
            Field("{}.inertia", inertia, "kg m2", names, frame="part",
                doc="Inertia matrix about the mass centre, in the part's axes."),
        ],
        is_folded=True,
    )  # fmt: skip
