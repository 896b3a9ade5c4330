"""Range of motion: the cube-like volumes of translations and rotations."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gough import plot
from gough.datasheet.model import Block, Column, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.limits.travel import limits_reached
from gough.present.show import jsonable

Kind = Literal["translation", "rotation"]
KINDS: tuple[Kind, Kind] = ("translation", "rotation")
LOCATED = 1e-6
"""Corners are where limits meet, found by search: limits whose relative margins are within this are reached there."""


def corners(sheet: Datasheet) -> Section:
    """Both volumes: figure and table each."""
    blocks: list[Block] = [
        Text(
            "The range of pure translations, and of pure rotations, is a volume like a cube on its corner: what "
            "straight paths from home reach before a limit. Corner 1 is its lowest point on the z axis, 8 its highest. "
            "Corners 2 to 7 are the farthest points from that axis in six half-planes 60 degrees apart, turned so that "
            "one of them holds the farthest point of all; between two of them the range may reach farther than in "
            "either. Angles are those of R = Rx Ry Rz about the axes of the base; along a path all three grow in "
            "proportion."
        )
    ]
    for kind in KINDS:
        if np.isfinite(sheet.corners(kind).points).all():
            blocks.append(_picture(sheet, kind))
        else:
            blocks.append(Text(f"No limit ends the range of {kind}s in every direction, so that it has no drawing."))
    blocks += [_table(sheet, kind) for kind in KINDS]
    return Section(
        key="corners", title="Range of motion", blocks=blocks, numbers={kind: _numbers(sheet, kind) for kind in KINDS}
    )


def _si(kind: Kind) -> str:
    return "m" if kind == "translation" else "rad"


def _axes(kind: Kind) -> tuple[str, str, str]:
    return ("x", "y", "z") if kind == "translation" else ("rx", "ry", "rz")


def _picture(sheet: Datasheet, kind: Kind) -> Picture:
    return Picture(
        figure=plot.corners(sheet.machine, kind, result=sheet.corners(kind)),
        caption=f"Corners 1 to 8 of the range of {kind}s from home (dot), joined by straight edges.",
        description=f"The volume of {kind}s as a solid with eight numbered corners; the table lists them.",
        is_half=True,
        is_scene=True,
    )


def _table(sheet: Datasheet, kind: Kind) -> Table:
    found, si = sheet.corners(kind), _si(kind)
    unit = sheet.show.unit(si)
    poses = zip(found.matrix, found.binding, strict=True)
    words = [limits_reached(sheet.machine, X, name, within=LOCATED) for X, name in poses]
    return Table(
        f"Corners of the range of {kind}s from home",
        [
            Column("corner", is_number=False),
            *(Column(axis, unit) for axis in _axes(kind)),
            Column("ended by", is_number=False),
        ],
        [[str(k + 1), *(sheet.show.value(float(value), si) for value in found.points[k]), words[k]] for k in range(8)],
    )


def _numbers(sheet: Datasheet, kind: Kind) -> dict[str, Any]:
    found, si = sheet.corners(kind), _si(kind)
    return {"points": jsonable(found.points), "unit": si, "binding": list(found.binding)}
