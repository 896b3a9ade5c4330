"""Singularities at home's orientation: where they are, and whether the limits keep off them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough import plot
from gough.datasheet.model import Block, Card, Facts, Picture, Section, Text
from gough.datasheet.sheet import Datasheet
from gough.present.show import jsonable, significant

EXPLAINED = (
    "At a singular pose the legs no longer hold the platform in every direction. Here is where that is at home's "
    "orientation, and whether all other limits together keep the machine off. Sampling could not say so: boxes that "
    "cover everything the limits allow are halved until a bound proves for each that no pose in it is singular, or a "
    "singular pose is found."
)


def singularity(sheet: Datasheet) -> Section:
    """Verdict about the workspace with its bound, distance from home, and the surface with the workspace."""
    free, near = sheet.freedom, sheet.singular_distance
    blocks: list[Block] = [Text(EXPLAINED)]
    if free is None:
        blocks.append(Text("Nothing ends the legs' travel, so that there is no workspace to judge."))
    else:
        words = free.sentence()
        blocks.append(Text(f"{words[0].upper()}{words[1:]}.", is_warning=not free.is_free))
    blocks += [Facts(_facts(sheet)), _picture(sheet)]
    return Section(
        key="singularity",
        title="Singularities",
        blocks=blocks,
        cards=[] if free is None else [_card(sheet)],
        numbers={
            "distance": {
                "lower": jsonable(near.lower),
                "upper": jsonable(near.upper),
                "position": jsonable(near.position) if np.isfinite(near.upper) else None,
                "unit": "m",
            },
            "workspace": _workspace(sheet),
        },
    )


def _facts(sheet: Datasheet) -> list[tuple[str, str]]:
    near, show, free = sheet.singular_distance, sheet.show, sheet.freedom
    if np.isfinite(near.upper):
        between = f"{show.value(near.lower, 'm')} to {show.with_unit(near.upper, 'm')}"
        pairs = [("Distance from home", between), ("Nearest singular position found", show.point(near.position))]
    else:
        pairs = [("Distance from home", f"more than {show.with_unit(near.lower, 'm')}; none found")]
    if free is not None and free.is_free and np.isfinite(free.bound):
        pairs.append(("Smallest singular value, proven", f"above {significant(free.bound)}"))
    if free is not None and np.isfinite(free.smallest):
        pairs.append(("Smallest singular value found", significant(free.smallest)))
    if free is not None:
        pairs.append(("Boxes looked at", str(free.boxes)))
    return pairs


def _card(sheet: Datasheet) -> Card:
    free = sheet.freedom
    assert free is not None
    if free.is_free:
        return Card("Singularities within limits", "none", detail=f"proven; singular value above {free.bound:.3g}")
    return Card("Singularities within limits", "yes" if free.verdict == "crossed" else "undecided", detail="see below")


def _picture(sheet: Datasheet) -> Picture:
    figure = plot.singular_surface(sheet.machine, result=sheet.freedom, distance=sheet.singular_distance, cells=18)
    return Picture(
        figure=figure,
        caption="Positions at home's orientation: what all other limits allow (grey), and the singular surface, where "
        "it comes near; the dashed line leads from home to the nearest one found.",
        description="The workspace as a body and the singular surface beside or through it.",
        is_scene=True,
    )


def _workspace(sheet: Datasheet) -> dict[str, Any] | None:
    free = sheet.freedom
    if free is None:
        return None
    place = None
    if free.witness is not None:
        place = free.witness[:3, :3] @ sheet.machine.point_of_interest + free.witness[:3, 3]
    return {
        "verdict": free.verdict,
        "part": free.part,
        "sentence": free.sentence(),
        "bound": jsonable(free.bound),
        "smallest_found": jsonable(free.smallest),
        "witness": None if place is None else jsonable(place),
        "boxes": free.boxes,
    }
