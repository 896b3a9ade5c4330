"""Assembly modes at home: the other poses with its joint coordinates, and whether the machine allows them."""

from __future__ import annotations

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
        cards=[Card("Assembly modes at home", str(real), detail=words, of=("real",))],
        fields=[
            *counts,
            Field("self_motion", is_free,
                doc="Whether the platform can move from one of the poses with the joint coordinates held."),
            Field("complete", found.complete,
                doc="Whether all paths of the continuation ended, so that no pose is missing."),
            Field("modes.mode", np.arange(1, len(number) + 1), doc="Number of the pose, by its distance from home."),
            *modes,
        ],
    )  # fmt: skip


def _which(count: int) -> str:
    return "The modes" if count <= MOST else f"The {MOST} of {count} modes that are nearest to home,"


def _counts(found: gough.assembly.AssemblyModes) -> list[Field]:
    alone = found.is_counted
    return [
        Field("real", int(alone.sum()), head="Real poses" + (not alone.all()) * ", beside a self-motion",
            doc="Real poses with the joint coordinates of home; those of a self-motion, which have no "
            "number, are left out here and below."),
        Field("finite", found.finite_count, head="Finite complex solutions",
            doc="Complex solutions of the leg equations that are finite."),
        Field("within_limits", int((found.within_limits & alone).sum()), head="Of the real ones, within all limits",
            doc="Real ones that keep every limit, the singularity's side among them."),
        Field("certified", int(found.certified.sum()), head="Of the real ones, proven",
            doc="Real ones proven by an interval test, rounding counted."),
    ]  # fmt: skip


def _modes(sheet: Datasheet, found: gough.assembly.AssemblyModes) -> list[Field]:
    """Fields with one entry for each mode."""
    X = found.matrix
    # Angle of the rotation from home: trace R = 1 + 2 cos.
    cosine = 0.5 * (np.trace(sheet.machine.X_home[:3, :3].T @ X[:, :3, :3], axis1=1, axis2=2) - 1.0)
    return [
        Field("modes.position", X[:, :3, 3], "m", tuple("xyz"), head="{}", frame="base",
            doc="Position of the platform's origin, base frame."),
        Field("modes.turned", np.arccos(np.clip(cosine, -1.0, 1.0)), "rad", head="turned",
            doc="Angle of the rotation from home's orientation."),
        Field("modes.side", found.side,
            doc="Sign of the determinant of the rows [u, R b x u] there, with the driven points of home; 0 "
            "at a singular pose."),
        Field("modes.conditioning", found.conditioning,
            doc="Smallest over largest singular value there, of the matrix under conditioning."),
        Field("modes.allowed", found.within_limits,
            doc="Whether the pose keeps every limit, the singularity's side among them."),
        *found.columns(),
    ]  # fmt: skip
