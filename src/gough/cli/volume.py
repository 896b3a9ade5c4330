"""`gough volume`."""

from __future__ import annotations

from typing import Any

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.cli.region_input import named_region
from gough.errors import InputError
from gough.present.answer import JSON, NETCDF, Answer, Words, json_keys, json_of


@command("ignore", "figure", "output", endings=(*NETCDF, JSON))
def volume(
    request: Request,
    region: str | None = Option(None, metavar="NAME", help="A region of the machine's file instead of all poses."),
    rtol: float = Option(0.005, metavar="PART", help="Half of the interval's width, as a part of the volume."),
    boxes: int | None = Option(None, min=1, metavar="N", help="Boxes of the paving, for closer proven bounds."),
    seed: int = Option(0, min=0, metavar="N", help="Of the random numbers."),
    processes: int | None = Option(
        None, min=1, metavar="N", help="Processes of this machine; as many as it has cores."
    ),
    scheduler: str | None = Option(None, metavar="ADDRESS", help="Of a Dask scheduler whose workers compute instead."),
) -> Answer:
    """Volume of all allowed poses, positions times orientations.

    Estimated with an interval at a confidence of 99 %, and between proven
    bounds, in m3 rad3: all orientations together are 8 pi^2 rad3.
    -o FILE.nc writes the boxes of the paving, --figure draws them.
    """
    m = request.machine
    part = None if region is None else named_region(m, region)
    if isinstance(part, gough.regions.RegionUnion):
        raise InputError(f"region {region!r} is a union of {len(part.regions)}, whose parts may overlap; give one")
    how: dict[str, Any] = {"rtol": rtol, "max_boxes": boxes, "seed": seed, "ignore": request.ignored}
    found = request.watched(
        "volume", gough.workspace_volume_6d, m, part, **how, processes=processes, scheduler=scheduler
    )
    request.draw(lambda: gough.plot.workspace(m, result=found.paving))
    fields = [
        *json_of(found, "volume", "low", "high"),
        *json_of(found, "lower", "upper", under="proven."),
        *json_of(found, "confidence", "relative_error", "samples", "hits", "seed"),
        *json_keys(boxes=len(found.paving)),
        *json_keys(region=found.region.name, ignored=list(found.paving.ignored)),
    ]
    return Answer(fields, lambda: _words(found), data=lambda: found.paving.dataset)


def _words(found: gough.regions.PoseVolume) -> Words:
    from gough.present.show import plain
    from gough.present.units import percent

    error = f", to {percent(found.relative_error, decimals=2)}" if found.volume else ""
    unit = found.QUANTITIES["volume"].unit
    volume, low, high = (plain(value, 5) for value in (found.volume, found.low, found.high))
    lower, upper = plain(found.lower, 4), plain(found.upper, 4)
    yield f"volume   {volume} {unit}{error} at a confidence of 99 %"
    yield f"         {low} to {high} {unit}, {found.hits} of {found.samples} poses drawn are allowed"
    yield f"proven   {lower} to {upper} {unit}, by {len(found.paving)} boxes"
