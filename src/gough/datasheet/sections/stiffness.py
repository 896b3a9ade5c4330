"""Stiffness at home and over the workspace, where that of the legs is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Column, Facts, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.limits.ties import in_words
from gough.present.show import jsonable, metric, number, significant
from gough.statics.stiffness import PrincipalStiffness
from gough.workspaces.minimum import Motion

Array = NDArray[np.float64]

UNITS: tuple[tuple[Motion, float, str], ...] = (("translation", 1e6, "N/µm"), ("rotation", 1e3, "N m/mrad"))
SI: dict[Motion, str] = {"translation": "N/m", "rotation": "N m/rad"}
LOAD = 100.0
"""Force whose effect is height_words [N]."""
MAP = 41
"""Positions along x and y of the map."""


def stiffness(sheet: Datasheet) -> Section | None:
    """Principal stiffnesses with their axes, what a load does, the map and the weakest place."""
    m = sheet.machine
    if (m.actuators.stiffness is None and m.actuators.axial_rigidity is None) or sheet.is_singular:
        return None
    K = gough.stiffness(m, m.X_home, point=m.point_of_interest)
    found = gough.statics.principal_stiffness(K)
    columns = [Column("of", is_number=False), Column("stiffness"), Column("unit", is_number=False)]
    columns += [Column(f"axis {axis}") for axis in "xyz"]
    softest = float(found.translation[0]) / 1e6
    F = LOAD * np.eye(6)[:3]
    moved = gough.statics.displacement_under_load(m, m.X_home, F, point=m.point_of_interest)
    force = gough.statics.axial_forces(m, m.X_home, F, point=m.point_of_interest)
    return Section(
        key="stiffness",
        title="Stiffness",
        blocks=[
            Text(
                "Principal stiffnesses of the platform on its legs with the drives held: of translation with rotation "
                "held, of rotation with the platform free to translate. They do not depend on the point that is loaded."
                " The geometric stiffness of legs under load is not counted; gough stiffness --loaded counts it."
            ),
            Table("Principal stiffnesses at home and their axes in the base frame", columns, _rows(found)),
            *_picture(sheet),
            *_under_load(moved, force),
            *_over_workspace(sheet),
        ],
        cards=[Card("Softest translation", significant(softest, 3), "N/µm", "at home, rotation held")],
        numbers={
            **{
                motion: {
                    "values": jsonable(getattr(found, motion)),
                    "unit": SI[motion],
                    "axes": jsonable(getattr(found, f"{motion}_axes").T),
                }
                for motion in SI
            },
            "matrix_about_point_of_interest": jsonable(np.asarray(K)),
            "matrix_unit": "N/m, N/rad; N m/m, N m/rad",
            "under_load": {
                "load": LOAD,
                "load_unit": "N",
                "translation": jsonable(moved[:, :3]),
                "rotation": jsonable(moved[:, 3:]),
                "leg_force": jsonable(force),
                "length_unit": "m",
                "angle_unit": "rad",
            },
            "weakest_in_the_workspace": _weakest_numbers(sheet),
        },
    )


def _rows(found: PrincipalStiffness) -> list[list[str]]:
    return [
        [motion, significant(float(value) / size), unit, *(number(float(v), 4) for v in axis)]
        for motion, size, unit in UNITS
        for value, axis in zip(getattr(found, motion), getattr(found, f"{motion}_axes").T, strict=True)
    ]


def _picture(sheet: Datasheet) -> list[Block]:
    return [
        Picture(
            figure=plot.stiffness(sheet.machine),
            caption="Principal axes of translation at the point of interest, with their stiffnesses. The ellipsoid is "
            "that of the forces which strain the legs with the same energy: long where it is stiff.",
            description="The machine with an ellipsoid at the point of interest; the table lists its axes.",
            is_scene=True,
        )
    ]


def _under_load(moved: Array, force: Array) -> list[Block]:
    """Displacements and rod forces (3, 6) under the same force along each axis of the base."""
    (size, unit), (angle, angle_unit) = metric(moved[:, :3].ravel(), "m"), metric(moved[:, 3:].ravel(), "rad")
    first = Column("force along", is_number=False)
    moves = [Column(f"moves {axis}", unit) for axis in "xyz"] + [Column(f"turns r{axis}", angle_unit) for axis in "xyz"]
    scale = np.repeat([size, angle], 3)
    caption = (
        f"Displacement under {LOAD:g} N along each axis at the point of interest, at home, beside that of all weights"
    )
    return [
        Table(caption, [first, *moves], [[axis, *_rounded(moved[k] / scale)] for k, axis in enumerate("xyz")]),
        Table(
            f"Forces of the legs under {LOAD:g} N along each axis, pushing positive, beside those of all weights",
            [first, *(Column(f"leg {i + 1}", "N") for i in range(6))],
            [[axis, *_rounded(force[k])] for k, axis in enumerate("xyz")],
        ),
    ]


def _rounded(values: Array) -> list[str]:
    return [number(float(value), 3) for value in values]


def _over_workspace(sheet: Datasheet) -> list[Block]:
    """The weakest places, and a map of the softest translation at the height of the weakest."""
    if not sheet.has_workspace:
        return []
    m, show = sheet.machine, sheet.show
    pairs = []
    for motion, size, unit in UNITS:
        weakest = sheet.weakest[motion]
        held = in_words(weakest.active_limits) or "no limit"
        where = f"{significant(weakest.value / size)} {unit} at {show.point(weakest.position)}, held there by: {held}"
        pairs.append((f"Weakest found in {motion}", where))
    weakest = sheet.weakest["translation"]
    height = float(weakest.position[2])
    found = gough.statics.stiffness_map(m, z=height, samples=MAP)
    figure = plot.position_map(
        m, found.translation[..., 0], "softest [N/µm]", scale=1e6, marks={"weakest": weakest.position}
    )
    height_words = show.with_unit(height, "m")
    return [
        Facts(pairs),
        Picture(
            figure=figure,
            caption=f"Softest principal stiffness of translation over the workspace at home's orientation and "
            f"z = {height_words}, the height of the weakest place, which a grid and local searches found.",
            description="A map of the softest stiffness over x and y, with the weakest place marked.",
        ),
    ]


def _weakest_numbers(sheet: Datasheet) -> dict[str, Any]:
    if not sheet.has_workspace:
        return {}
    return {
        motion: {
            "value": jsonable(sheet.weakest[motion].value),
            "unit": SI[motion],
            "position": jsonable(sheet.weakest[motion].position),
            "length_unit": "m",
            "active_limits": list(sheet.weakest[motion].active_limits),
        }
        for motion in SI
    }
