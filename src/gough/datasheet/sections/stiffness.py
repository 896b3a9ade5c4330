"""Stiffness at home and over the workspace, if that of the legs is known."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Folded, Picture, Section, Text, facts, for_people
from gough.datasheet.sheet import Sheet
from gough.plot.map_figures import slice_figure, slice_through
from gough.present.answer import MOTIONS, Field, Table, of_result
from gough.present.show import metric
from gough.present.units import readable, unit_of
from gough.quantity import ALONG_AXES, WRENCH, ratios
from gough.statics.stiffness import PrincipalStiffness
from gough.statics.stiffness_map import stiffness_map
from gough.workspaces.minimum import Motion, WorkspaceMinimum

FORCE = 100.0
"""Force whose effect is shown [N]."""
MAP = 41
"""Positions along x and y of the map."""
LEAST_AREA = 0.1
"""Part of a map that must lie in the workspace for it to be drawn."""
XYZ = tuple("xyz")
HELD = "at home, rotation held"
LEAST = "The least that was found over all positions allowed with home's orientation (search, not a proof)."
EXPLAINED = (
    "Principal stiffnesses of the platform on its legs with the drives held: of translation with rotation held, of "
    "rotation with the platform free to translate. They do not depend on the point that is loaded. The geometric "
    "stiffness of legs under load is not counted; gough stiffness --loaded counts it."
)


def stiffness(sheet: Sheet[Any]) -> Section | None:
    """Principal stiffnesses with their axes, displacements under a load, a map, and the weakest place."""
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
            Card("Softest translation", show.short(found.translation[0], unit), unit, HELD, of=("translation.values",)),
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
            "at home, beside all weights."),
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
    caption = (
        f"Displacement under {amount} along each axis at the point of interest, at home, beside that of all weights"
    )
    pushes = f"Forces of the legs under {amount} along each axis, pushing positive, beside those of all weights"
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
    """The smallest value found in the workspace, its position, and the limits that are active there."""
    return [
        *of_result(found, ("value", name), under=f"{key}.", doc=LEAST),
        *of_result(found, "position", under=f"{key}."),
        *of_result(found, "active_limits", under=f"{key}.", doc="Limits whose relative margins are below 1e-5 there."),
        for_people(head, found.sentence(), f"{key}.{name}", f"{key}.position"),
    ]
