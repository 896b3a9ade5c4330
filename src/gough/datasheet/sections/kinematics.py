"""Top speeds, conditioning, and the linear map at home."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Folded, Picture, Section, Text, facts, for_people, warnings
from gough.datasheet.sheet import Sheet
from gough.errors import InputError
from gough.limits.ties import listed
from gough.limits.velocity_envelope import VelocityEnvelope
from gough.machine import Machine
from gough.plot.error_figures import EXACT
from gough.plot.map_figures import conditioning_slice
from gough.present.answer import Field, of_result
from gough.present.show import uncertain
from gough.present.units import percent
from gough.quantity import AXES
from gough.stacked import joint_limits
from gough.workspaces.minimum import REACH_MARGIN, Motion
from gough.workspaces.quadrature import Uncertain

MOTIONS: dict[Motion, tuple[str, str, str, str, str]] = {
    "translation": ("m/s", "every_direction", "In every direction", "velocities", "without turning"),
    "rotation": ("rad/s", "every_axis", "About every axis", "angular velocities", "in place"),
}
"""SI unit, JSON key, head, and the velocities in words."""
EVERYWHERE = (
    "Least of the speed in every direction found over all positions allowed with home's orientation (search, not a "
    "proof); zero, exactly, where a rod reaches its end."
)
KEPT = "The same, found over the positions at which no rod is nearer to the end of its reach than reach_margin."


def speeds(sheet: Sheet[Any]) -> Section | None:
    """Return the top speed along and about each axis alone, and in every direction, at home and in the workspace."""
    m, show = sheet.machine, sheet.show
    if any(stage.limits.joint_speed is None for stage in m.stages):
        return None
    envelope = gough.velocity_envelope(m, m.end_home)
    axes, every = _of_axes(sheet, envelope), _every(sheet, envelope)
    drives = m.by_stage(_drives(sheet, stage) for stage in m.stages)
    every_direction = envelope.guaranteed("translation")
    detail = f"at home; {show.promised(envelope.guaranteed('rotation'), 'rad/s')} {show.unit('rad/s')} about every axis"
    return Section(
        key="speeds",
        title="Speeds",
        blocks=[
            Text(
                "Top speed of the point of interest along, and about, each axis alone, when no drive exceeds its own: "
                f"{drives}.{sheet.shared}"
            ),
            show.table("axis", AXES, axes, "Top speed at home, one axis at a time"),
            facts(show, every),
            *_pictures(sheet),
        ],
        cards=[
            Card(
                "Speed in every direction",
                show.promised(every_direction, "m/s"),
                show.unit("m/s"),
                detail,
                of=("every_direction.speed",),
            ),
        ],
        fields=[*axes, *every, *_anywhere(sheet)],
    )


def _drives(sheet: Sheet[Any], stage: Machine) -> str:
    """Top speeds of a stage's drives."""
    unit, speed = f"{stage.legs.joint_unit}/s", joint_limits(stage, "joint_speed")
    slow, fast = (sheet.show.value(float(end), unit) for end in (speed.min(), speed.max()))
    return f"{slow if slow == fast else f'{slow} to {fast}'} {sheet.show.unit(unit)}"


def _of_axes(sheet: Sheet[Any], envelope: VelocityEnvelope) -> list[Field]:
    return [
        *of_result(envelope, "top_speed", under="{}."),
        *of_result(envelope, "leg", under="{}.", labels=AXES, doc="A leg that reaches it."),
        *of_result(
            envelope, "legs", under="{}.", labels=AXES, doc="All legs that reach it together: within 1e-5 of the speed."
        ),
        for_people("set by", envelope.set_by),
    ]


def _every(sheet: Sheet[Any], envelope: VelocityEnvelope) -> list[Field]:
    """Speeds in every direction and about every axis: at home, the fastest there, and the smallest in the workspace."""
    fields = []
    for motion, (si, key, head, _, how) in MOTIONS.items():
        speed, fastest = float(envelope.guaranteed(motion)), float(envelope.fastest(motion))
        words = f"{sheet.show.promised(speed, si)} {sheet.show.unit(si)} {how} at home; the fastest direction "
        words += sheet.show.with_unit(fastest, si) + _smallest(sheet, motion, si)
        fields += [
            *of_result(envelope, (f"guaranteed_{motion}", f"{key}.speed")),
            *of_result(envelope, (f"fastest_{motion}", f"{key}.fastest")),
            for_people(head, words, f"{key}.speed", f"{key}.fastest", *(each.key for each in _anywhere(sheet))),
        ]
    return fields


def _anywhere(sheet: Sheet[Any]) -> list[Field]:
    """Smallest speeds in every direction over the workspace, for JSON: everywhere, and where rods keep a margin to the
    end of their reach."""
    key = "anywhere_in_the_workspace"
    if not sheet.has_workspace:
        return []
    fields = [
        Field(f"{key}.{motion}" + ("_with_reach_margin" if margin else ""), lowest.value, MOTIONS[motion][0],
            doc=KEPT if margin else EVERYWHERE)
        for (motion, margin), lowest in sheet.slowest.items()
    ]  # fmt: skip
    has_margin = REACH_MARGIN in {margin for _, margin in sheet.slowest}
    least = "Least relative margin of the limits reach that those positions keep."
    return [*fields, Field(f"{key}.reach_margin", REACH_MARGIN, doc=least)] if has_margin else fields


def _smallest(sheet: Sheet[Any], motion: Motion, si: str) -> str:
    """The smallest speed over the workspace in words. At the end of a rod's reach it is 0: then where rods keep off."""
    if not sheet.has_workspace:
        return ""
    everywhere, show = sheet.slowest[motion, 0.0], sheet.show
    if everywhere.value > 0:
        return f"; least found in the workspace {show.with_unit(everywhere.value, si)}"
    kept = show.with_unit(sheet.slowest[motion, REACH_MARGIN].value, si)
    return (
        f"; in the workspace down to {show.with_unit(0.0, si)} where a leg meets the end of its reach; "
        f"least found {kept} where every rod keeps {percent(REACH_MARGIN)} of its length from it"
    )


def _pictures(sheet: Sheet[Any]) -> list[Block]:
    """The envelopes at home, and those of translation over the workspace."""
    if sheet.is_singular:
        return []
    pictures: list[Block] = [
        Picture(
            figure=plot.velocity_envelope(sheet.machine, sheet.machine.end_home, motion),
            caption=f"Velocity envelope at home: all {what} {how} that no drive is too slow for. A point of the "
            "surface is the top speed in its direction; on each flat side one drive is at its limit.",
            description=f"A solid around zero with flat sides, coloured by speed: the {what} {how} that are possible.",
            is_half=True,
            is_scene=True,
        )
        for motion, (_, _, _, what, how) in MOTIONS.items()
    ]
    if not sheet.has_workspace:
        return pictures
    over = Picture(
        figure=plot.velocity_map(sheet.machine),
        caption="How the velocity envelope changes over the workspace, at home's orientation: each body is the "
        "envelope at its own place, all to one scale, in the colour of the speed.",
        description="Velocity envelopes at places of a grid in the workspace.",
        is_scene=True,
    )
    return [*pictures, Folded("Velocity envelopes over the workspace", [over])]


CONDITIONING_EXPLAINED = (
    "The Jacobian gives joint rates from the velocity of the platform joints' centre and the angular velocity times "
    "the characteristic length: the root mean square distance of the platform joints from their centre. "
    "Manipulability is the product of the singular values of its inverse. The distance to a singularity is the "
    "smallest singular value of the rods' directions alone, whatever drives them."
)
SINGULAR = "Home is singular: there the legs cannot hold the platform in every direction"


def conditioning(sheet: Sheet[Any]) -> Section | None:
    """Return singular values with rotations weighted by the characteristic length, condition number, manipulability.

    None if joints of two stages are of different kinds: their rates have no common norm.
    """
    if len({stage.legs.joint for stage in sheet.machine.stages}) > 1:
        return None
    show, length = sheet.show, sheet.machine.characteristic_length
    fields = _fields(sheet)
    maps, mean = _map(sheet)
    if mean is not None:
        fields += [Field("average_dexterity", mean.value,
            doc="Mean, by area, of the dexterity (smallest over largest singular value, here at each "
            "position) over the positions of the point of interest in the plane y = that of home that "
            "are allowed with home's orientation."), Field("average_dexterity_error", mean.error,
            doc="Estimated error of that mean, which is from 160 columns along z at the middles of cells and "
            "24 places on each: its largest difference to those from 64, 80, 96 and 120 columns and 12 "
            "places.")]  # fmt: skip
    headline = "singular" if sheet.is_singular else show.short(float(sheet.conditioning.condition_number), "")
    detail = f"at home, characteristic length {show.with_unit(length, 'm', 3)}"
    return Section(
        key="conditioning",
        title="Conditioning at home",
        blocks=[
            *warnings(SINGULAR * sheet.is_singular),
            Text(f"{CONDITIONING_EXPLAINED}{sheet.of_rates}"),
            facts(show, fields),
            *maps,
        ],
        cards=[Card("Condition number", headline, detail=detail, of=("condition_number",))],
        fields=fields,
    )


def _fields(sheet: Sheet[Any]) -> list[Field]:
    m, found, is_none = sheet.machine, sheet.conditioning, sheet.is_singular
    sign = 0 if is_none else int(np.sign(np.linalg.det(gough.jacobian(m, m.X_home))))
    return [
        *of_result(found, "singular_values", head="singular values"),
        *of_result(found, "condition_number", head="" if is_none else "condition number"),
        *([for_people("condition number", "singular", "condition_number")] if is_none else []),
        *of_result(found, "manipulability", shown=found.units.get("manipulability", "").replace("^6", "⁶")),
        Field("determinant_sign", sign,
            doc="Sign of the determinant of J_qV, the matrix from [v, w] to the joint rates: it differs "
            "between the sides of the singular surface."),
        for_people("sign of the determinant", {1: "+1", -1: "−1", 0: "0"}[sign], "determinant_sign"),
        *of_result(found, ("length", "characteristic_length")),
        *of_result(found, ("distance", "smallest_singular_value"), unit="1"),
    ]  # fmt: skip


def _map(sheet: Sheet[Any]) -> tuple[list[Block], Uncertain | None]:
    """Map of the dexterity over the slice of the workspace through home across y, and its mean; none without extent."""
    try:
        found = conditioning_slice(sheet.machine, sheet.machine.end_home)
    except InputError:
        return [], None
    if not found["is_allowed"].values.any():
        return [], None
    mean = Uncertain(*(found.attrs[f"global_conditioning_index{part}"] for part in ("", "_error")))
    picture = Picture(
        figure=plot.conditioning_map(sheet.machine, result=found),
        caption="Dexterity, one over the condition number, over the slice of the workspace through home across y, "
        f"at home's orientation; {uncertain(mean.value, mean.error)} on average. 1 would be a pose as quick and as "
        "stiff in all directions.",
        description="A slice of the workspace, coloured by dexterity.",
    )
    return [picture], mean


LINEAR_MAP_EXPLAINED = (
    "Near home the joints move as this matrix times the displacement (dx, dy, dz, dRx, dRy, dRz) of the point of "
    "interest, with rotations by Rx Ry Rz about it; its inverse goes from joints to platform. It is the exact "
    "derivative."
)


def linear_map(sheet: Sheet[Any]) -> Section:
    """Return the matrix T^-1 at home, and the error of the linear map."""
    m = sheet.machine
    linear = gough.kinematics.linear_map(m)
    figure = plot.linear_map_error(linear)
    exact = dict.fromkeys(trace.name.removesuffix(EXACT) for trace in figure.data if trace.name.endswith(EXACT))
    picture = Picture(
        figure=figure,
        caption=f"Error of the linear map, the largest of the {sheet.all_legs}: it grows with the square of the "
        f"displacement{f'; for {listed(exact)} alone the map is exact' if exact else ''}.",
        description="Logarithmic lines of the error against the displacement along and about each axis.",
    )
    return Section(
        key="linear_map",
        title="Linear map at home",
        blocks=[Text(LINEAR_MAP_EXPLAINED + sheet.shared), *linear.tables(), picture],
        fields=of_result(linear, "T_inv"),
        is_folded=True,
    )
