"""Range of motion: the cube-like volumes of translations and rotations."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough import plot
from gough.datasheet.model import Block, Folded, Picture, Section, Text
from gough.datasheet.sheet import Sheet
from gough.limits.ties import in_words
from gough.present.answer import Field, Table, of_result
from gough.present.show import fitting
from gough.quantity import AXES
from gough.workspaces.minimum import Motion

AXES_OF: dict[Motion, tuple[str, ...]] = {"translation": AXES[:3], "rotation": AXES[3:]}
EXPLAINED = (
    "The range of pure translations, and of pure rotations, is a volume like a cube on its corner: what "
    "straight paths from home reach before a limit. Corner 1 is its lowest point on the z axis, 8 its highest. "
    "Corners 2 to 7 are the farthest points from that axis in six half-planes 60 degrees apart, turned so that "
    "one of them holds the farthest point of all; between two of them the range may reach farther than in "
    "either. Angles are those of R = Rx Ry Rz about the axes of the base; along a path all three grow in "
    "proportion."
)


def corners(sheet: Sheet[Any]) -> Section:
    """Both volumes: figure and table each."""
    return Section(
        key="corners",
        title="Range of motion",
        blocks=[
            *(_picture(sheet, kind) for kind in AXES_OF),
            Folded("Corners", [Text(EXPLAINED), *(_table(sheet, kind) for kind in AXES_OF)]),
        ],
        fields=[field for kind in AXES_OF for field in _fields(sheet, kind)],
    )


def _picture(sheet: Sheet[Any], kind: Motion) -> Block:
    if not np.isfinite(sheet.corners[kind].points).all():
        return Text(f"No limit ends the range of {kind}s in every direction, so that it has no drawing.")
    return Picture(
        figure=plot.corners(sheet.machine, kind, result=sheet.corners[kind]),
        caption=f"Corners 1 to 8 of the range of {kind}s from home (dot): what straight paths from home reach before "
        "a limit, joined by straight edges.",
        description=f"The volume of {kind}s as a solid with eight numbered corners; the table lists them.",
        is_half=True,
        is_scene=True,
    )


def _fields(sheet: Sheet[Any], kind: Motion) -> list[Field]:
    found, axes = sheet.corners[kind], AXES_OF[kind]
    shown = fitting(sheet.machine, found.points, "m" if kind == "translation" else "rad")
    return [
        *of_result(found, "points", under=f"{kind}.", labels=axes, head="{}", shown=shown),
        *of_result(found, "binding", under=f"{kind}.", doc="The limit met at each corner."),
        *of_result(
            found, ("binding_sets", "binding_set"), under=f"{kind}.",
            doc="All limits met at each corner together: their relative margins there are below 1e-5. From a singular "
            "home no singularity does.",
        ),
    ]  # fmt: skip


def _table(sheet: Sheet[Any], kind: Motion) -> Table:
    found = sheet.corners[kind]
    words = [in_words(names) or one for names, one in zip(found.binding_sets, found.binding, strict=True)]
    numbers = [str(k + 1) for k in range(len(words))]
    columns = [_fields(sheet, kind)[0], Field("", words, head="ended by")]
    return sheet.show.table("corner", numbers, columns, f"Corners of the range of {kind}s from home")
