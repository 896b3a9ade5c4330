"""The legs at home: joint coordinates, used strokes, distances to the limits, directions and angles."""

from __future__ import annotations

import numpy as np

from gough.datasheet.model import Card, Section, Text
from gough.datasheet.sheet import Datasheet
from gough.present.answer import Field, Table
from gough.present.units import rounded, span_in_words
from gough.quantity import LEGS

JOINT = {"length": "displacement", "angle": "crank angle"}
EXPLAINED = (
    "The direction runs along the rod from the base side to the platform, in base axes. Angles to the plates are those "
    "between the rod and the xy plane of the base, and of the platform."
)


def legs(sheet: Datasheet) -> Section:
    """Tables of the joint coordinates, of the directions, and of the cones of the joints if there are any."""
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
        cards=cards_of_legs(sheet),
        fields=[Field("joint", joint_name(sheet),
            doc="What q is: length, displacement or angle."), *strokes, *directions, *cones],
        is_folded=True,
    )  # fmt: skip


def cards_of_legs(sheet: Datasheet) -> list[Card]:
    """The stroke that all legs have, and the half-angles of their joints."""
    show, limits, si = sheet.show, sheet.machine.limits, sheet.machine.legs.joint_unit
    # Ends of the stroke that every leg has, where legs differ, or of all strokes together where they do not overlap.
    low, high, whose = float(np.max(limits.joint_min)), float(np.min(limits.joint_max)), "of every leg"
    if low >= high:
        low, high, whose = float(np.min(limits.joint_min)), float(np.max(limits.joint_max)), "of all legs together"
    cards = []
    if np.isfinite(high):
        span = span_in_words(low, high, lambda end: rounded(sheet.machine, end, si))
        cards.append(
            Card(
                f"Leg {joint_name(sheet)}".replace("Leg crank", "Crank"),
                span,
                show.unit(si),
                whose,
                of=("lowest", "highest"),
            )
        )
    cones = [(side, cone) for side, cone in (("base", limits.base_cone), ("platform", limits.platform_cone)) if cone]
    if cones:
        turns = " / ".join(
            dict.fromkeys(rounded(sheet.machine, float(np.min(cone.half_angle)), "rad") for _, cone in cones)
        )
        cards.append(
            Card(
                "Joints turn",
                f"± {turns}",
                show.unit("rad"),
                f"{' / '.join(side for side, _ in cones)} joints",
                of=tuple(f"{side}_joint.allowed" for side, _ in cones),
            )
        )
    return cards


def joint_name(sheet: Datasheet) -> str:
    """The joint coordinate in words."""
    return "length" if sheet.machine.legs.rod() is None else JOINT[sheet.machine.legs.joint]


def _strokes(sheet: Datasheet) -> list[Field]:
    limits, q, si = sheet.machine.limits, sheet.q, sheet.machine.legs.joint_unit
    stroke = limits.joint_max - limits.joint_min
    with np.errstate(invalid="ignore"):
        used = np.where(np.isfinite(stroke), (q - limits.joint_min) / stroke, np.nan)  # part of the stroke below home
    return [
        Field("home", q, si, head=f"{joint_name(sheet)} at home", doc="Joint coordinates q at home."),
        Field("lowest", limits.joint_min, si, head="lowest", doc="Lowest q allowed; null without limit."),
        Field("highest", limits.joint_max, si, head="highest", doc="Highest q allowed; null without limit."),
        Field("to_lowest", q - limits.joint_min, si, head="to lowest",
            doc="q at home less the lowest q allowed; null without limit."),
        Field("to_highest", limits.joint_max - q, si, head="to highest",
            doc="The highest q allowed less q at home; null without limit."),
        Field("stroke_used", used, head="stroke used", shown="%", digits=3,
            doc="(q - lowest) / (highest - lowest) at home."),
    ]  # fmt: skip


def _directions(sheet: Datasheet) -> list[Field]:
    # A rod's angle to a plane is the arcsine of its component along the plane's normal, which rounding may put above 1.
    normals = np.eye(3)[2], sheet.machine.X_home[:3, 2]
    base, platform = (np.arcsin(np.abs(sheet.u_B @ normal).clip(0, 1)) for normal in normals)
    rod = sheet.machine.legs.rod()
    fields = [
        Field("direction", sheet.u_B, "1", tuple("xyz"), head="direction {}", frame="base",
            doc="Unit vector u of each rod at home from the driven point p(q) to the platform joint, base "
            "frame."),
        Field("angle_to_base_plate", base, "rad", head="to base plate", doc="asin |u . z|, z the base's."),
        Field("angle_to_platform_plate", platform, "rad", head="to platform plate",
            doc="asin |u . z|, z the platform's."),
    ]  # fmt: skip
    return (
        fields if rod is None else [*fields, Field("rod_length", rod, "m", head="rod length",
            doc="Distance of the driven point p(q) from the platform joint: constant.")]
    )  # fmt: skip


def _cones(sheet: Datasheet) -> list[Field]:
    """Angle of each joint from the axis of its cone, which is the half-angle less the margin, on sides with cones."""
    limits, found, fields = sheet.machine.limits, sheet.margins, list[Field]()
    for side, cone in (("base", limits.base_cone), ("platform", limits.platform_cone)):
        if cone is not None:
            margin = [found.values[found.names.index(f"leg {leg} {side} cone")] for leg in LEGS]
            angle = cone.half_angle - np.asarray(margin)
            fields.append(Field(f"{side}_joint.angle", angle, "rad", head=f"{side} joint",
                doc="Angle at home between the rod and the axis of the cone of its base joint (platform "
                "joint): the cone's axis is the machine file's, or the rod's direction at home; fixed in "
                "the base (platform)."))  # fmt: skip
            fields.append(Field(f"{side}_joint.allowed", cone.half_angle, "rad", head="allowed",
                doc="Half-angle of that cone."))  # fmt: skip
    return fields
