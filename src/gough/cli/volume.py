"""`gough volume`."""

from __future__ import annotations

from typing import Annotated, Any

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import Ignore, Json, MachineName, Options, Output, count, number, text
from gough.cli.region_input import named_region
from gough.errors import InputError
from gough.present.answer import JSON, NETCDF, Answer, Words, json_keys, json_of


def volume(
    context: Context, machine: MachineName,
    region: Annotated[str | None, text("NAME", "A region of the machine's file instead of all poses.")] = None,
    rtol: Annotated[float, number("PART", "Half of the interval's width, as a part of the volume.")] = 0.005,
    boxes: Annotated[int | None, count("Boxes of the paving, for closer proven bounds.")] = None,
    processes: Annotated[int | None, count("Processes of this machine; as many as it has cores.")] = None,
    scheduler: Annotated[str | None, text("ADDRESS", "A Dask scheduler whose workers compute instead.")] = None,
    ignore: Ignore = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Volume of all allowed poses, positions times orientations.

    Estimated with an interval at a confidence of 99 %, and between proven
    bounds, in m3 rad3: all orientations together are 8 pi^2 rad3.
    -o FILE.nc writes the boxes of the paving.
    """
    request = request_of(context, machine, Options(as_json=as_json, output=output), (*NETCDF, JSON))
    m = request.machine
    part = None if region is None else named_region(m, region)
    if isinstance(part, gough.regions.RegionUnion):
        raise InputError(f"region {region!r} is a union of {len(part.regions)}, whose parts may overlap; give one")
    how: dict[str, Any] = {"rtol": rtol, "max_boxes": boxes, "ignore": ignore or ()}
    how |= {"processes": processes, "scheduler": scheduler}
    found = request.watched("volume", gough.workspace_volume_6d, m, part, **how)
    fields = [
        *json_of(found, "volume", "low", "high"),
        *json_of(found, "lower", "upper", under="proven."),
        *json_of(found, "confidence", "relative_error", "samples", "hits", "seed"),
        *json_keys(boxes=len(found.paving)),
        *json_keys(region=found.region.name, ignored=list(found.paving.ignored)),
    ]
    request.write(Answer(fields, lambda: _words(found), data=lambda: found.paving.dataset))


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
