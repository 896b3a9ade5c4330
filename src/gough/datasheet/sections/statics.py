"""Stiffness, natural frequencies, static forces, and load capacity, as far as the machine has the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Folded, Picture, Section, Text, facts, for_people, warnings
from gough.datasheet.sheet import GRID, Datasheet, Sheet
from gough.dynamics.natural_frequencies import SHAPE
from gough.plot.map_figures import slice_figure, slice_through
from gough.present.answer import MOTIONS, Field, Table, of_result
from gough.present.show import metric
from gough.present.units import force_unit, readable, unit_of
from gough.quantity import ALONG_AXES, LEGS, WRENCH, ratios
from gough.stacked import joint_limits
from gough.statics.capacity_table import capacity_fields, capacity_rows, payload_fields
from gough.statics.stiffness import PrincipalStiffness
from gough.statics.stiffness_map import stiffness_map
from gough.statics.weights import counted, inertia_in_words, left_out, masses_in_words
from gough.workspaces.minimum import Motion, WorkspaceMinimum

FORCE = 100.0
"""Force whose effect is shown [N]."""
MAP = 41
"""Positions along x and y of the map."""
LEAST_AREA = 0.1
"""Part of a map that must lie in the workspace for it to be drawn."""
XYZ = tuple("xyz")
ROTATION_HELD = "at home, rotation held"
LEAST = "The least that was found over all positions allowed with home's orientation (search, not a proof)."
EXPLAINED = (
    "Principal stiffnesses of the platform on its legs with the drives held: of translation with rotation held, of "
    "rotation with the platform free to translate. They do not depend on the point that is loaded. The geometric "
    "stiffness of legs under load is not included; see gough stiffness --loaded."
)


def stiffness(sheet: Sheet[Any]) -> Section | None:
    """Return principal stiffnesses with their axes, displacements under a load, a map, and the weakest place."""
    m, show = sheet.machine, sheet.show
    if not sheet.is_elastic or sheet.is_singular:
        return None
    K = gough.stiffness(m, m.X_home, point=m.point_of_interest)
    found = gough.statics.principal_stiffness(K)
    under, weakest, unit = _deflections(sheet), _weakest(sheet), readable(m.units, "N/m")
    return Section(
        key="stiffness",
        title="Stiffness",
        blocks=[
            Text(EXPLAINED),
            show.table("of", *found.rows(), "Principal stiffnesses at home and their axes in the base frame"),
            *([facts(show, weakest), *_map(sheet)] if sheet.has_workspace else []),
            Folded("Axes, and the effect of a force", [_picture(sheet, found), *_deflection_tables(sheet, under)]),
        ],
        cards=[
            Card(
                "Softest translation", show.short(found.translation[0], unit), unit, ROTATION_HELD,
                of=("translation.values",),
            ),
        ],
        fields=[
            *(field for motion in MOTIONS for field in _principal(found, motion)),
            Field("matrix_about_point_of_interest", K, ratios(WRENCH, ALONG_AXES), frame="base",
                doc="K = sum k s s^T about the point of interest at home, s = [u, r x u], k the axial stiffness (E A / "
                "L or given, joints in series), drives held."),
            *under,
            *weakest,
        ],
    )  # fmt: skip


def _principal(found: PrincipalStiffness, motion: Motion) -> list[Field]:
    axes = getattr(found, f"{motion}_axes").T
    return [
        *of_result(found, (motion, f"{motion}.values")),
        Field(f"{motion}.axes", axes, "1", frame="base", doc="Unit eigenvectors, rows in the order of the values."),
    ]


def _picture(sheet: Sheet[Any], found: PrincipalStiffness) -> Picture:
    return Picture(
        figure=plot.stiffness(sheet.machine, result=found),
        caption="Principal axes of translation at the point of interest, with their stiffnesses. The ellipsoid is that "
        "of the forces which strain the legs with the same energy: long where it is stiff.",
        description="The machine with an ellipsoid at the point of interest; the table lists its axes.",
        is_scene=True,
    )


def _deflections(sheet: Sheet[Any]) -> list[Field]:
    """Displacements and rod forces (3, 6) under the same force along each axis of the base."""
    m = sheet.machine
    F, point = FORCE * np.eye(6)[:3], m.point_of_interest
    moved = gough.statics.deflection(m, m.X_home, F, point=point)
    pushed = gough.statics.axial_forces(m, m.X_home, F, point=point)
    shift, turn = metric(moved[:, :3].ravel(), "m", m.units)[1], metric(moved[:, 3:].ravel(), "rad", m.units)[1]
    return [
        Field("under_load.load", FORCE, "N",
            doc="Force along x, y, z of the base in turn (rows of the next three) on the point of interest, "
            "at home, in addition to all weights."),
        Field(
            "under_load.translation",
            moved[:, :3],
            "m",
            XYZ,
            head="moves {}",
            shown=shift,
            frame="base",
            doc="First-order displacement of the point of interest by it, C F with C = K^-1, drives held.",
        ),
        Field(
            "under_load.rotation",
            moved[:, 3:],
            "rad",
            XYZ,
            head="turns r{}",
            shown=turn,
            frame="base",
            doc="First-order turn of the platform by it, about the base axes.",
        ),
        Field("under_load.leg_force", pushed, "N", sheet.legs, head="leg {}",
            doc="Change of each leg's axial force by it: sum of f [u, r x u] = -load about the point of "
            "interest, pushing positive."),
    ]  # fmt: skip


def _deflection_tables(sheet: Sheet[Any], under: list[Field]) -> list[Table]:
    amount = sheet.show.with_unit(FORCE, "N", 3)
    *moves, force = (each for each in under if each.head)
    caption = f"Displacement under {amount} along each axis at the point of interest, at home, and under all weights"
    pushes = (
        f"Forces of the legs under {amount} along each axis, compression positive, next to the forces of all weights"
    )
    return [
        sheet.show.table("force along", XYZ, moves, caption),
        sheet.show.table("force along", XYZ, [force], pushes),
    ]


def _map(sheet: Sheet[Any]) -> list[Block]:
    """A map of the softest translation through the weakest place: level, or upright where that place is an apex."""
    m, place = sheet.machine, sheet.weakest["translation"].position
    # At an apex of the workspace the level slice has no area: then an upright slice is drawn.
    for axis in ("z", "y", "x"):
        found = stiffness_map.labelled(m, **slice_through(place, axis, MAP))
        softest = found["translation"].values[..., 0]  # principal values ascend
        if np.isfinite(softest).mean() < LEAST_AREA:
            continue
        places = [found[name].values for name in "xyz"]
        scale, unit = unit_of(m.units, readable(m.units, "N/m"))
        figure = slice_figure(m, places, softest, f"softest [{unit}]", scale=scale, marks={"weakest": place})
        caption = (
            f"Softest principal stiffness of translation over the workspace at home's orientation and {axis} = "
            f"{sheet.show.with_unit(place['xyz'.index(axis)], 'm')}, through the weakest place, which a grid and local "
            "searches found."
        )
        return [Picture(figure, caption, "A map of the softest stiffness, with the weakest place marked.")]
    return []


def _weakest(sheet: Sheet[Any]) -> list[Field]:
    """The weakest places."""
    key = "weakest_in_the_workspace"
    if not sheet.has_workspace:
        return []
    fields = []
    for motion in MOTIONS:
        fields += lowest_place(sheet.weakest[motion], f"{key}.{motion}", f"Weakest found in {motion}")
    return fields


def lowest_place(found: WorkspaceMinimum, key: str, head: str, name: str = "value") -> list[Field]:
    """Return the smallest value found in the workspace, its position, and the limits that are active there."""
    return [
        *of_result(found, ("value", name), under=f"{key}.", doc=LEAST),
        *of_result(found, "position", under=f"{key}."),
        *of_result(found, "active_limits", under=f"{key}.", doc="Limits whose relative margins are below 1e-5 there."),
        for_people(head, found.sentence(), f"{key}.{name}", f"{key}.position"),
    ]


DRIVES_HELD = "at home, drives held"


def vibration_modes(sheet: Sheet[Any]) -> Section | None:
    """Return the table of the modes at home with the shares of their kinetic energy, and the lowest frequency in the
    workspace."""
    m, show = sheet.machine, sheet.show
    if any(stage.platform is None for stage in m.stages) or not sheet.is_elastic or sheet.is_singular:
        return None
    found, weighing = gough.natural_frequencies(m, m.home), gough.natural_frequencies(m, m.home, gravity=True)
    if not np.isfinite(found.frequency[0]):
        return None
    swings = (
        *of_result(found, "frequency"),
        *(replace(each, digits=3) for each in found.swings),
    )
    lowest = _lowest(sheet)
    return Section(
        key="modes",
        title="Natural frequencies",
        blocks=[
            Text(
                f"The platform on its elastic legs, the drives held; {inertia_in_words(m, has_drives=False)}. "
                "Neither damping nor the loads that the legs carry change the frequencies here. Shares refer to "
                f"the kinetic energy of the {m.moving_platforms} itself: of its mass centre along, and of its turning "
                "about, each axis of the base."
            ),
            *warnings(found.missing(), "" if weighing.is_stable else f"Under the weights {weighing.missing()}"),
            show.table("mode", sheet.legs, swings, "Natural frequencies at home and what swings"),
            *([facts(show, lowest)] if sheet.has_workspace else []),
        ],
        cards=[
            Card(
                "Lowest natural frequency", show.short(found.frequency[0], "Hz"), "Hz", DRIVES_HELD,
                of=("frequency",),
            ),
        ],
        fields=[
            *swings,
            Field("is_stable_under_weights", bool(weighing.is_stable),
                doc="Whether home is a stable equilibrium under all known weights: K plus their geometric "
                "stiffness, the second derivative of the whole potential energy, has no negative "
                "eigenvalue."),
            Field("shape", found.shape.T, SHAPE * len(m.stages), frame="base",
                doc="s of each frequency (rows), [translation, rotation] of the platform's origin, s^T M s = "
                "1."),
            *lowest,
        ],
    )  # fmt: skip


def _lowest(sheet: Sheet[Any]) -> list[Field]:
    """Smallest lowest frequency in the workspace, and where it is."""
    key = "lowest_in_the_workspace"
    if not sheet.has_workspace:
        return []
    found = gough.dynamics.lowest_frequency(sheet.machine, samples=GRID)
    return lowest_place(found, key, "Lowest found in the workspace", name="frequency")


def forces(sheet: Datasheet) -> Section | None:
    """Return actuator forces that hold the weights of platform and legs."""
    m, held, largest = sheet.machine, sheet.held, sheet.machine.limits.actuator_force
    if not m.has_weight or not np.linalg.norm(m.gravity) > 0 or sheet.is_singular:
        return None
    name, unit = "force" if m.legs.joint == "length" else "torque", force_unit(m)
    fields = [Field(f"actuator_{name}", held, unit, head=name, doc="The same of cranks.")]
    if largest is not None:
        fields += [
            Field("allowed", largest, unit, head="allowed", doc="The machine file's actuator_force."),
            Field("used", np.abs(held) / largest, head="used", shown="%", digits=3,
                doc="Part of what each actuator can give that home takes: |actuator_force| over allowed, "
                "where the file (both files of two stages) says what it can."),
        ]  # fmt: skip
    picture = Picture(
        figure=plot.leg_forces(m, held),
        caption=f"Actuator {name}s under the machine's own weight at home; lines, where near enough, are the largest "
        "allowed.",
        description=f"Bars of the six actuator {name}s of the table.",
    )
    return Section(
        key="forces",
        title="Static forces at home",
        blocks=[
            Text(f"What the actuators hold at rest: {masses_in_words(m)}. Positive drives the joint coordinate up."),
            sheet.show.table("leg", LEGS, fields, f"Actuator {name}s that hold the machine's own weight"),
            picture,
        ],
        fields=[*fields, Field("counted", counted(m),
            doc="Bodies whose weight is held."), Field("left_out", left_out(m),
            doc="Bodies without a known mass, whose weight is not.")],
    )  # fmt: skip


CAPTION = "Largest force (f) and moment (m) along and about each axis"
MOUNTINGS = {
    "upright": "platform horizontal, upright",
    "hanging": "platform horizontal, hanging",
    "on its side": "on its side, the worst direction",
    "any": "any mounting, the worst direction",
}


def capacity(sheet: Sheet[Any]) -> Section | None:
    """Return the payload by mounting, force and moment by axis and in every direction, and their envelopes."""
    m, show = sheet.machine, sheet.show
    if any(stage.limits.actuator_force is None for stage in m.stages) or sheet.is_singular:
        return None
    payloads = gough.statics.payload_table(m, m.X_home)
    of_payload, whole = payload_fields(payloads), sheet.guaranteed_wrench
    names = [MOUNTINGS[row.mounting] for row in payloads]
    is_further = any(stage.payload is not None for stage in m.stages)
    detail = f"platform horizontal; {show.promised(payloads[-1].mass, 'kg')} kg in any mounting"
    detail = f"in addition to the payload carried; {detail}" if is_further else detail
    return Section(
        key="capacity",
        title="Load capacity at home",
        blocks=[
            Text(
                "What the actuators hold at rest at home before the first reaches its force"
                f"{', in addition to the payload carried' * is_further}. The payload's mass centre "
                "is at the point of interest; the worst direction of gravity is exact, not sampled, and that of the "
                "leg named first. Forces and moments act at the point of interest, one at a time, under the machine's "
                f"own gravity. Beside them {masses_in_words(m)}."
            ),
            show.table("mounting", names, of_payload, "Largest payload"),
            show.table("along or about", *capacity_rows(sheet.capacity, whole), CAPTION),
            *_pictures(sheet),
        ],
        cards=[Card("Largest payload", show.promised(payloads[0].mass, "kg"), "kg", detail, of=("payload.{}.mass",))],
        fields=[
            *of_payload,
            *capacity_fields(sheet.capacity),
            Field("every_direction.force", whole["force"], "N",
                doc="Largest force, without a moment, that is held whatever its direction."),
            Field("every_axis.moment", whole["moment"], "N m",
                doc="Largest pure moment that is held whatever its axis."),
            Field("counted", counted(m), doc="Bodies whose weight counts."),
            Field("left_out", left_out(m), doc="Bodies without a known mass, whose weight does not."),
        ],
    )  # fmt: skip


def _pictures(sheet: Sheet[Any]) -> list[Block]:
    if not (np.abs(sheet.held) < joint_limits(sheet.machine, "actuator_force")).all():
        return [*warnings("The machine's own weights are too much for its actuators already")]
    pictures = [
        Picture(
            figure=plot.wrench_capacity(sheet.machine, kind="force" if what == "forces" else "moment"),
            caption=f"All {what} that the actuators can hold at home; on each flat side one is at its limit.",
            description=f"A solid around zero with flat sides, coloured by size: the {what} that can be held.",
            is_half=True,
            is_scene=True,
        )
        for what in ("forces", "moments")
    ]
    return [Folded("Forces and moments in all directions", pictures)]
