"""The machine at home: figure and warnings, its legs, and its margins to every limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gough import plot
from gough.datasheet.model import Card, Folded, Picture, Section, Text, warnings
from gough.datasheet.sheet import Datasheet, Sheet
from gough.limits.margins import Margins
from gough.limits.ties import TIE
from gough.machine import Machine
from gough.plot.machine_figures import frames_shown
from gough.present.answer import Field, Table
from gough.present.show import article
from gough.present.units import rounded, span_in_words
from gough.quantity import LEGS

FRAMES = {"B": "base", "P": "platform", "T": "tool"}


def machine(sheet: Datasheet) -> Section:
    """Return the drawing, warnings if home breaks a limit, and the payload."""
    m, show, broken = sheet.machine, sheet.show, sheet.margins.sentences()
    home = Card("Home", "not allowed", detail=f"{len(broken)} of its limits broken", of=("home_allowed",))
    shown = frames_shown(m, m.X_home)
    frames = ", ".join(f"{name} {what}" for name, what in FRAMES.items() if name in shown)
    refused = f"Home itself is not allowed: {'; '.join(broken)}. Travel from home is zero" if broken else ""
    picture = Picture(
        figure=plot.machine(m),
        caption=f"Drawn to scale at home, upright as gravity has it. Frames: x red, y green, z blue; {frames}. "
        "Turn it, and point at joints and legs for their values.",
        description=f"The machine at home: base plate, platform and six {m.legs.title} legs, numbered 1 to 6.",
        is_scene=True,
    )
    return Section(
        key="machine",
        title="The machine at home",
        blocks=[*warnings(refused), picture],
        cards=[
            *([home] if broken else []),
            Card("Legs", f"6 {m.leg_kind}", detail=f"each {article(m.legs.title)}", of=("legs",)),
            *_payload_card(sheet),
            Card("Size", show.short(m.size, "m"), show.unit("m"), "between the farthest joints at home", of=("size",)),
        ],
        fields=[
            Field("legs", m.leg_kind,
                doc="Kind of the legs (of the stages), as the machine's file names it: UPS, UCU, SPS or UPU "
                "extending strut, PUS or PSS slider, RUS or RSS crank."),
            Field("size", m.size, "m",
                doc="Largest distance between any two of the twelve (of two stages: 24) joint points p(q), t "
                "+ R b at home."),
            *_payload_fields(m),
            Field("home_allowed", sheet.is_home_allowed, doc="Whether no margin at home is negative."),
            Field("home_problems", broken, doc="Every limit that home breaks, in words."),
        ],
    )  # fmt: skip


def _payload_fields(m: Machine) -> list[Field]:
    if m.payload is None:
        return []
    return [
        Field("payload.mass", m.payload.mass, "kg",
            doc="Mass of the payload that the platform carries, where one is given."),
        Field("payload.centre", m.payload.mass_centre, "m", frame="platform",
            doc="Its mass centre, in the platform frame."),
    ]  # fmt: skip


def _payload_card(sheet: Datasheet) -> list[Card]:
    show, carried = sheet.show, sheet.machine.payload
    if carried is None:
        return []
    centre = f"centre at {show.point(carried.mass_centre, digits=3)} in the platform; counted wherever mass matters"
    return [Card("Payload carried", show.short(carried.mass, "kg"), "kg", centre, of=("payload.mass",))]


JOINT = {"length": "displacement", "angle": "crank angle"}
LEGS_EXPLAINED = (
    "The direction runs along the rod from the base side to the platform, in base axes. Angles to the plates are those "
    "between the rod and the xy plane of the base, and of the platform."
)


def legs(sheet: Datasheet) -> Section:
    """Return tables of the joint coordinates, of the directions, and of the cones of the joints if there are any."""
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
        blocks=[*tables, Text(LEGS_EXPLAINED)],
        cards=cards_of_legs(sheet),
        fields=[Field("joint", joint_name(sheet),
            doc="What q is: length, displacement or angle."), *strokes, *directions, *cones],
        is_folded=True,
    )  # fmt: skip


def cards_of_legs(sheet: Datasheet) -> list[Card]:
    """Return the stroke that all legs have, and the half-angles of their joints."""
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
                "Joint angles",
                f"± {turns}",
                show.unit("rad"),
                f"{' / '.join(side for side, _ in cones)} joints",
                of=tuple(f"{side}_joint.allowed" for side, _ in cones),
            )
        )
    return cards


def joint_name(sheet: Datasheet) -> str:
    """Return the joint coordinate in words."""
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


LISTED = 12
"""Rows of the table: the tightest limits; the JSON output has all."""
MARGINS_EXPLAINED = (
    "A margin is the signed distance to a limit; its scale is half the stroke, the half-angle of the cone, the legs' "
    "thickness and so on, so that margins of different kinds compare."
)


def margins(sheet: Datasheet) -> Section:
    """Return the figure of all margins, table of the tightest, card of the binding one."""
    found = sheet.margins
    # Rounded to the tolerance of ties, so that limits that tie keep their order.
    by_ties = np.argsort(np.round(found.relative / TIE), kind="stable")
    order = [int(c) for c in by_ties if np.isfinite(found.relative[c])]
    picture = Picture(
        figure=plot.margins(sheet.machine, result=found),
        caption="How far home is from each kind of limit: the bar ends at the tightest one, the dots are all of them, "
        "as far as the scale reaches.",
        description=f"Bars of the relative margins at home; the tightest is {found.binding_words}.",
    )
    return Section(
        key="margins",
        title="Margins at home",
        blocks=[
            *warnings(found.singular_sentence()),
            Text(f"{title(found)}: {tightest(found)}. {MARGINS_EXPLAINED}"),
            picture,
            Folded("Limits in numbers", [_table(sheet, order)]),
        ],
        cards=[tightest_card(sheet)],
        fields=[
            Field("binding", found.binding, doc="The limit with the smallest relative margin."),
            Field("binding_set", found.binding_set,
                doc="All limits whose relative margin is within 1e-5 of that, as all ties of limits and legs."),
            Field("sentence", found.sentence(), doc="That limit in words."),
            Field("is_singular", found.is_singular,
                doc="Whether home is singular: its smallest singular value is zero to rounding, so that the "
                "limit singularity has no side."),
            *_limits(found, order),
        ],
    )  # fmt: skip


def of_legs(found: Margins) -> Margins:
    """Return margins to limits of the legs and their joints, by which machines are compared; all where the legs have
    none."""
    counted = np.array([bool(column.legs) for column in found.columns]) & np.isfinite(found.values)
    return replace(found, values=np.where(counted, found.values, np.nan)) if counted.any() else found


def title(found: Margins) -> str:
    """Return the title of what `tightest` says."""
    return "Tightest limit at home" if of_legs(found) is found else "Tightest leg or joint at home"


def tightest(found: Margins) -> str:
    """Return the tightest limit of the legs and their joints in words, and a tighter one of another kind if there is
    one."""
    own = of_legs(found)
    others = "" if own.binding_index == found.binding_index else f"; tighter: {found.sentence()}"
    return f"{own.sentence()}{others}"


def tightest_card(sheet: Sheet[Any]) -> Card:
    """Return the key figure of home's margins."""
    found, own = sheet.margins, of_legs(sheet.margins)
    percent = partial(sheet.show.value, si_unit="%")
    words = own.binding_words
    if own.binding_index != found.binding_index:
        words += f"; {found.binding_words} {percent(found.smallest)} %"
    return Card(title(found), percent(own.smallest), "%", words, of=("limits.relative",))


def _table(sheet: Datasheet, order: list[int]) -> Table:
    found, listed = sheet.margins, order[:LISTED]
    columns = _limits(found, listed)
    is_long = len(order) > LISTED
    caption = f"The {LISTED} tightest of {len(order)} limits at home" if is_long else "Limits at home, tightest first"
    return sheet.show.table("limit", [found.names[c] for c in listed], columns, caption)


def _limits(found: Margins, order: Sequence[int]) -> list[Field]:
    """Fields with an entry for each limit."""
    columns, units = [found.columns[c] for c in order], [found.units[c] for c in order]
    value = [column.value(found.values[c]) for c, column in zip(order, columns, strict=True)]
    return [
        Field("limits.name", [column.name for column in columns], doc="Name of the limit."),
        Field("limits.margin", found.values[order], units, head="margin",
            doc="Signed distance of home to the limit: positive inside, zero on it, negative beyond. Joint: "
            "q - min or max - q. Cone: half-angle less the angle between rod and axis. Plate: angle of "
            "the rod to the plate less the least one. Clearance: distance of two rods' axes less the sum "
            "of the radii. Box, radius, tilt, rotation: what is left. Reach: rod length less the joint's "
            "distance from the guide's line; of a crank from the nearest point of the foot's circle, or "
            "the farthest one's less the rod length, whichever is smaller. Singularity: smallest "
            "singular value of the six rows [u, R(b - c) x u / l], less singular_value."),
        Field("limits.value", value, units,
            doc="The limited quantity at home: bound plus margin where the bound is the least, bound less "
            "margin where it is the greatest."),
        Field("limits.bound", [column.bound for column in columns], units,
            doc="The least or greatest allowed value from which the margin is measured."),
        Field("limits.relative", found.relative[order], head="of its scale", shown="%", digits=3,
            doc="The margin over its scale: half the range of a joint or of the box between two limits (with "
            "one limit the machine's size, pi for cranks); half-angle of a cone; 90 deg less the least "
            "angle to a plate, at least 1 mrad; sum of two radii for a clearance; the limit itself for "
            "radius, tilt and rotation; the rod's length for reach; 1 for the singularity."),
    ]  # fmt: skip
