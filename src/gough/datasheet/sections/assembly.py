"""Assembly modes at home: which other poses share its joint coordinates, and whether the machine allows them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Column, Facts, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.present.show import jsonable, significant

Array = NDArray[np.float64]

EXPLAINED = (
    "Poses of the platform with the joint coordinates of home, found by following the forty solutions of a generic "
    "machine to this one and proven with rounding counted. Between two of different side lies a singularity."
)
AMBIGUOUS = (
    "Several modes are allowed: after power-up, joint coordinates alone do not say in which pose the machine is."
)
FREE = (
    "The machine has a self-motion at these joint coordinates: the platform moves freely from some poses with every "
    "drive held, through poses without number. The table has a few of them, of side 0; the counts have none."
)
NOT_ALL = "Two independent runs did not agree: there may be more poses than these."


def assembly(sheet: Datasheet) -> Section | None:
    """Table and pictures of the modes; nothing where no leg can close at home."""
    m, show = sheet.machine, sheet.show
    if not np.isfinite(sheet.q).all():
        return None
    found = gough.assembly_modes(m, sheet.q)
    assert not isinstance(found, tuple)
    alone = ~found.moves_freely
    real, allowed, certified = (int(chosen.sum()) for chosen in (alone, found.within_limits & alone, found.certified))
    is_free = not alone.all()
    facts = Facts(
        [
            ("Real poses", f"{real}, and a self-motion" if is_free else str(real)),
            ("Finite complex solutions", str(found.finite_count)),
            ("Of the real ones, within all limits", str(allowed)),
            ("Proven", f"{certified} of {real}"),
        ]
    )
    columns = [Column("mode"), *(Column(axis, show.unit("m")) for axis in "xyz"), Column("turned", show.unit("rad"))]
    columns += [Column("side", is_number=False), Column("conditioning"), Column("limits", is_number=False)]
    table = Table("Poses with the joint coordinates of home, the nearest first", columns, _rows(sheet, found))
    warnings: list[Block] = [Text(FREE, is_warning=True)] if is_free else []
    warnings += [Text(AMBIGUOUS, is_warning=True)] if found.within_limits.sum() > 1 else []
    warnings += [] if found.complete else [Text(NOT_ALL, is_warning=True)]
    words = f"{allowed} within limits" + is_free * ", and a self-motion"
    picture = Picture(
        figure=plot.assembly_modes(m, found),
        caption="The modes side by side, to one scale; the platform is coloured where the machine allows the pose.",
        is_scene=True,
        description="Drawings of the platform in each assembly mode, at most six.",
    )
    return Section(
        key="assembly",
        title="Assembly modes",
        blocks=[*warnings, Text(EXPLAINED), facts, table, picture],
        cards=[Card("Assembly modes at home", str(real), detail=words)],
        numbers={
            "real": real,
            "finite": found.finite_count,
            "within_limits": allowed,
            "certified": certified,
            "self_motion": is_free,
            "complete": found.complete,
            "modes": _numbers(sheet, found),
        },
    )


def _turned(sheet: Datasheet, X: Array) -> float:
    """Angle of the rotation from home's orientation to that of a pose [rad]."""
    cosine = 0.5 * (np.trace(sheet.machine.X_home[:3, :3].T @ X[:3, :3]) - 1.0)
    return float(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _numbers(sheet: Datasheet, found: gough.assembly.AssemblyModes) -> list[dict[str, Any]]:
    return [
        {
            "mode": k + 1,
            "position": jsonable(X[:3, 3]),
            "length_unit": "m",
            "turned": _turned(sheet, X),
            "angle_unit": "rad",
            "side": int(found.side[k]),
            "conditioning": jsonable(found.conditioning[k]),
            "allowed": bool(found.within_limits[k]),
        }
        for k, X in enumerate(found.matrix)
    ]


def _rows(sheet: Datasheet, found: gough.assembly.AssemblyModes) -> list[list[str]]:
    show, rows = sheet.show, []
    for k, X in enumerate(found.matrix):
        turned = show.value(_turned(sheet, X), "rad")
        position = [show.value(float(value), "m") for value in X[:3, 3]]
        side = {1: "+", -1: "−", 0: "0"}[int(found.side[k])]
        words = "allowed" if found.within_limits[k] else "outside"
        rows.append([str(k + 1), *position, turned, side, significant(float(found.conditioning[k]), 3), words])
    return rows
