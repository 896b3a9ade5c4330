"""The legs at home: joint coordinate, stroke used, distance to the limits, directions and angles."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.datasheet.model import Card, Section, Text
from gough.datasheet.sheet import Datasheet
from gough.present.answer import LEGS, Field, Table

JOINT = {"length": "displacement", "angle": "crank angle"}
EXPLAINED = (
    "The direction runs along the rod from the base side to the platform, in base axes. Angles to the plates are those "
    "between the rod and the xy plane of the base, and of the platform."
)


def legs(sheet: Datasheet) -> Section:
    """Two tables: along the joint, and directions; a third one of cones."""
    show, strokes, directions, cones = sheet.show, _strokes(sheet), _directions(sheet), _cones(sheet)
    tables: list[Text | Table] = [
        show.table("leg", LEGS, strokes, "Joint coordinates and stroke"),
        show.table("leg", LEGS, directions, "Rod directions and joint angles"),
    ]
    if cones:
        tables.append(show.table("leg", LEGS, cones, "Joint angles from the axes of their cones"))
    return Section(
        key="legs",
        title="Legs at home",
        blocks=[*tables, Text(EXPLAINED)],
        cards=_cards(sheet),
        fields=[Field("joint", joint_name(sheet)), *strokes, *directions, *cones],
        is_folded=True,
    )


def _cards(sheet: Datasheet) -> list[Card]:
    """The stroke of the legs, and how far their joints turn."""
    show, limits, si = sheet.show, sheet.machine.limits, sheet.machine.legs.joint_unit
    low, high = float(np.max(limits.joint_min)), float(np.min(limits.joint_max))
    cards = []
    if np.isfinite(high):
        span = (
            f"{show.short(low, si)} to {show.short(high, si)}" if np.isfinite(low) else f"up to {show.short(high, si)}"
        )
        cards.append(
            Card(f"Leg {joint_name(sheet)}".replace("Leg crank", "Crank"), span, show.unit(si), "of every leg")
        )
    cones = [(side, cone) for side, cone in (("base", limits.base_cone), ("platform", limits.platform_cone)) if cone]
    if cones:
        turns = " / ".join(dict.fromkeys(show.short(float(np.min(cone.half_angle)), "rad") for _, cone in cones))
        cards.append(
            Card("Joints turn", f"± {turns}", show.unit("rad"), f"{' / '.join(side for side, _ in cones)} joints")
        )
    return cards


def joint_name(sheet: Datasheet) -> str:
    """What the joint coordinate is in words."""
    return "length" if sheet.machine.legs.rod() is None else JOINT[sheet.machine.legs.joint]


def used(sheet: Datasheet) -> Array:
    """Part of each leg's stroke that lies below home (6,); NaN where the stroke is not limited on both sides."""
    limits = sheet.machine.limits
    with np.errstate(invalid="ignore"):
        part = (sheet.q - limits.joint_min) / (limits.joint_max - limits.joint_min)
    return np.where(np.isfinite(limits.joint_max - limits.joint_min), part, np.nan)


def _strokes(sheet: Datasheet) -> list[Field]:
    limits, q, si = sheet.machine.limits, sheet.q, sheet.machine.legs.joint_unit
    return [
        Field("home", q, si, head=f"{joint_name(sheet)} at home"),
        Field("lowest", limits.joint_min, si, head="lowest", unit_key="unit"),
        Field("highest", limits.joint_max, si, head="highest"),
        Field("to_lowest", q - limits.joint_min, si, head="to lowest"),
        Field("to_highest", limits.joint_max - q, si, head="to highest"),
        Field("stroke_used", used(sheet), head="stroke used", shown="%", digits=3),
    ]


def plate_angles(sheet: Datasheet) -> tuple[Array, Array]:
    """Angles (6,) [rad] between the rods and the xy planes of base and platform."""
    u_B = sheet.u_B
    sine_platform = u_B @ sheet.machine.X_home[:3, 2]
    return np.arcsin(np.abs(u_B[:, 2]).clip(0, 1)), np.arcsin(np.abs(sine_platform).clip(0, 1))


def _directions(sheet: Datasheet) -> list[Field]:
    base, platform = plate_angles(sheet)
    rod = sheet.machine.legs.rod()
    fields = [
        Field("direction", sheet.u_B, "1", tuple("xyz"), head="direction {}"),
        Field("angle_to_base_plate", base, "rad", head="to base plate", unit_key="angle_unit"),
        Field("angle_to_platform_plate", platform, "rad", head="to platform plate"),
    ]
    return (
        fields if rod is None else [*fields, Field("rod_length", rod, "m", head="rod length", unit_key="length_unit")]
    )


def _cones(sheet: Datasheet) -> list[Field]:
    """Angle of each joint from the axis of its cone, the half-angle less the margin, on the sides that have cones."""
    limits, found, fields = sheet.machine.limits, sheet.margins, list[Field]()
    for side, cone in (("base", limits.base_cone), ("platform", limits.platform_cone)):
        if cone is not None:
            margin = [found.values[found.names.index(f"leg {leg} {side} cone")] for leg in LEGS]
            angle = cone.half_angle - np.asarray(margin)
            fields.append(Field(f"{side}_joint.angle", angle, "rad", head=f"{side} joint"))
            fields.append(Field(f"{side}_joint.allowed", cone.half_angle, "rad", head="allowed"))
    return fields
