"""Assembly modes at home: the other poses with its joint coordinates, and whether the machine allows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Card, Folded, Picture, Section, Text, facts, warnings
from gough.datasheet.sheet import Datasheet
from gough.plot.assembly_modes_figure import MOST
from gough.present.answer import Field

EXPLAINED = (
    "Poses of the platform with the joint coordinates of home, found by following the forty solutions of a generic "
    "machine to this one and proven with rounding counted. Between two of different side lies a singularity."
)


def assembly(sheet: Datasheet) -> Section | None:
    """Table and pictures of the modes; None if a leg cannot close at home."""
    m, show = sheet.machine, sheet.show
    if not np.isfinite(sheet.q).all():
        return None
    found = gough.assembly_modes(m, sheet.q)
    assert not isinstance(found, tuple)
    counts, modes = _counts(found), _modes(sheet, found)
    is_free = bool(found.moves_freely.any())
    number = [str(k + 1) for k in range(len(found.matrix))]
    table = show.table("mode", number, modes, "Poses with the joint coordinates of home, the nearest first")
    picture = Picture(
        figure=plot.assembly_modes(m, found),
        caption=f"{_which(len(number))} side by side, to one scale; the platform is coloured where the machine allows "
        "the pose.",
        is_scene=True,
        description="Drawings of the platform in each assembly mode, at most six.",
    )
    real, allowed = counts[0].value, counts[2].value
    words = f"{allowed} within limits" + is_free * ", and a self-motion"
    return Section(
        key="assembly",
        title="Assembly modes",
        blocks=[
            *warnings(*found.warnings()),
            Text(EXPLAINED),
            facts(show, counts),
            Folded("Every mode", [table, picture]),
        ],
        cards=[Card("Assembly modes at home", str(real), detail=words)],
        fields=[
            *counts,
            Field("self_motion", is_free),
            Field("complete", found.complete),
            Field("modes", _as_rows(modes, number)),
        ],
    )


def _which(count: int) -> str:
    return "The modes" if count <= MOST else f"The {MOST} of {count} modes that are nearest to home,"


def _counts(found: gough.assembly.AssemblyModes) -> list[Field]:
    alone = found.is_counted
    return [
        Field("real", int(alone.sum()), head="Real poses" + (not alone.all()) * ", beside a self-motion"),
        Field("finite", found.finite_count, head="Finite complex solutions"),
        Field("within_limits", int((found.within_limits & alone).sum()), head="Of the real ones, within all limits"),
        Field("certified", int(found.certified.sum()), head="Of the real ones, proven"),
    ]


def _modes(sheet: Datasheet, found: gough.assembly.AssemblyModes) -> list[Field]:
    """Fields with one entry for each mode."""
    count, X = len(found.matrix), found.matrix
    # Angle of the rotation from home: trace R = 1 + 2 cos.
    cosine = 0.5 * (np.trace(sheet.machine.X_home[:3, :3].T @ X[:, :3, :3], axis1=1, axis2=2) - 1.0)
    return [
        Field("position", X[:, :3, 3], "m", tuple("xyz"), head="{}", frame="base"),
        Field("length_unit", ["m"] * count),
        Field("turned", np.arccos(np.clip(cosine, -1.0, 1.0)), "rad", head="turned"),
        Field("angle_unit", ["rad"] * count),
        Field("side", found.side),
        Field("conditioning", found.conditioning),
        Field("allowed", found.within_limits),
        *found.columns(),
    ]


def _as_rows(fields: Sequence[Field], numbers: Sequence[str]) -> list[list[Field]]:
    """Fields with one entry for each mode, as records of modes."""
    of_json = [each for each in fields if each.is_json]
    return [
        [Field("mode", k + 1), *(replace(each, value=each.value[k]) for each in of_json)] for k in range(len(numbers))
    ]
