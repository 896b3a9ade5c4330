"""Sizes of regions for `gough certify`: the largest one, and what angles cost of positions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gough
from gough.cli.command import Request
from gough.cli.table import MANY
from gough.present.answer import Answer, Field, Words, of_rows, sentence

if TYPE_CHECKING:
    from gough.regions.largest import LargestRegion
    from gough.regions.shapes import PoseRegion

SIDES = ("x", "y", "z")
KEYS = "angle:angles half_widths position:positions scale refuted limit verdict"
"""What JSON has of each: attributes, and keys where these differ."""


def sizes_of(request: Request, region: PoseRegion, angles: str | None, how: dict[str, Any]) -> Answer:
    """The largest region of a shape; or one for each of several angles."""
    m = request.machine
    if angles is None:
        found: tuple[LargestRegion, ...] = (gough.largest_region(m, region, **how),)
    else:
        given = request.numbers("--trade-off", angles, MANY, "rad")
        found = gough.regions.travel_tradeoff(m, region, given, **how)
        request.draw(lambda: gough.plot.travel(m, result=found))
    return Answer(of_rows(found, "angle", KEYS, is_csv=False), lambda: _words(request, found))


def _words(request: Request, found: tuple[LargestRegion, ...]) -> Words:
    show = request.show
    if len(found) == 1:
        yield sentence(found[0].sentence())
    angles = [show.value(one.angle, "rad") for one in found]
    widths, places = of_rows(found, "angle", "half_widths position")
    sizes = [replace(widths, head="±{}", labels=SIDES), replace(places, head="about {}", labels=SIDES)]
    limits = Field("", [one.limit for one in found], head="ended by")
    yield show.table(f"angle [{request.unit('rad')}]", angles, [*sizes, limits])
