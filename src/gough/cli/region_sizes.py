"""Sizes of regions for `gough certify`: the largest one, and what angles cost of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import gough
from gough.cli.command import Request
from gough.errors import InputError
from gough.present.answer import Answer, Table, Words, json_keys

if TYPE_CHECKING:
    from gough.regions.largest import LargestRegion
    from gough.regions.shapes import PoseRegion

SIDES = ("x", "y", "z")


def sizes_of(request: Request, region: PoseRegion, angles: str | None, how: dict[str, Any]) -> Answer:
    """The largest region of a shape; or one for each of several angles."""
    found: tuple[LargestRegion, ...]
    if angles is None:
        found = (gough.largest_region(request.machine, region, **how),)
    else:
        given = [request.amount(float(word), "rad") for word in _numbers(angles)]
        found = gough.regions.travel_tradeoff(request.machine, region, given, **how)
        request.draw(lambda: gough.plot.travel(request.machine, result=found))
    turned = np.array([one.region.regions[0].half[3:].max() for one in found])
    limits = [one.refutation.limit if one.refutation is not None else "" for one in found]
    half = np.array([one.region.regions[0].half[:3] for one in found])
    fields = [
        *json_keys("", "rad", angles=turned),
        *json_keys("", "m", half_widths=half, positions=np.array([one.region.regions[0].centre[:3] for one in found])),
        *json_keys(scale=[one.scale for one in found], refuted=[one.refuted for one in found]),
        *json_keys(limit=limits, verdict=["proven" if one.proof is not None else "none proven" for one in found]),
    ]
    return Answer(fields, lambda: _words(request, found, turned, limits))


def _numbers(text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"--trade-off {text}: expected angles with commas, such as 0,5,10") from None


def _words(request: Request, found: tuple[LargestRegion, ...], turned: Any, limits: list[str]) -> Words:
    show, rows = request.show, []
    if len(found) == 1:
        yield f"{found[0].sentence()[:1].upper()}{found[0].sentence()[1:]}."
    for one, angle, limit in zip(found, turned, limits, strict=True):
        part = one.region.regions[0]
        widths = [show.value(float(x), "m") for x in part.half[:3]]
        rows.append((show.value(float(angle), "rad"), *widths, show.numbers(part.centre[:3]), limit))
    length, angle_unit = request.unit("m"), request.unit("rad")
    head = (f"angle [{angle_unit}]", *(f"±{side} [{length}]" for side in SIDES), f"about [{length}]", "ended by")
    yield Table(head, rows, (0, 1, 2, 3))
