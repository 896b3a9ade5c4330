"""`gough workspace`: a summary, CSV, JSON, netCDF or a mesh."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Context, Option

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    TABLES,
    At,
    Json,
    MachineName,
    Options,
    Output,
    Sequences,
    Share,
    count,
    number,
)
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, json_keys, json_of, sentence

if TYPE_CHECKING:
    pass

MESHES = (".stl", ".ply")
COLUMNS = ("x", "y", ("ends", "intervals"), "count")
RAYS = ("directions", ("ends", "intervals"), "count")
SHARE = (("share", "share_of_all_orientations"), ("share_error", "share_of_all_orientations_error"))
KEYS = {
    "columns": COLUMNS,
    "dexterous": ("tilt", "roll", "orientations", "shortfall", *COLUMNS),
    "rays": RAYS,
    "orientations": (*RAYS, *SHARE),
}
"""Attributes of each shape for JSON, beside volume and boundary."""


def workspace(
    context: Context, machine: MachineName,
    shape: Annotated[
        Literal["columns", "rays", "orientations", "dexterous"],
        Option(help="Columns along z; rays from the pose; orientations at the pose's position; or the dexterous part, "
               "where every orientation of a cone is allowed."),
    ] = "columns",
    samples: Annotated[
        int | None, count("Columns along x and y [49; 25 for the dexterous part].", metavar="NUMBER", low=2, high=2000)
    ] = None,
    level: Annotated[
        int, count("Fineness of rays and orientations: 10 * 4^LEVEL + 2 of them.", metavar="NUMBER", low=0, high=7)
    ] = 4,
    tilt: Annotated[
        float | None, number("ANGLE", "Dexterous workspace: half-angle of the cone of the platform's z axis.")
    ] = None,
    at: At = None, sequence: Sequences = None, share: Share = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Reachable workspace, with the limits on its boundary.

    At the orientation of a pose given by options, or of home: positions of
    the point of interest. The ends are found by root finding, of two stages
    with the postures that --share gives. -o writes .csv, .nc (netCDF, in SI), or the
    boundary as a closed mesh: .stl or .ply.
    """
    given = Options(at=at, sequence=sequence, share=share, as_json=as_json, output=output)
    request = request_of(context, machine, given, (*TABLES, *MESHES))
    is_rays, is_dexterous = shape in ("rays", "orientations"), shape == "dexterous"
    if is_rays:
        request.counts_only_with("--shape columns or dexterous", "samples")
    else:
        request.counts_only_with("--shape rays or orientations", "level")
        if at is not None and len(request.numbers("--at", at, (3, 6, 7))) == 3:
            request.counts_only_with("--shape rays or orientations, or with an orientation behind it", "at")
    if not is_dexterous:
        request.counts_only_with("--shape dexterous", "tilt")
    elif tilt is None:
        raise InputError("the dexterous part needs its cone: give --tilt ANGLE")
    m: Any = request.any_machine
    spaces, X = gough.workspaces, request.X
    # Rays begin where home has the point of interest unless a position is given.
    place = X[:3, :3] @ m.point_of_interest + X[:3, 3] if at is not None else None
    how: dict[str, Any] = {"level": level} if is_rays else {"samples": samples or (25 if is_dexterous else 49)}
    if is_dexterous:
        how["tilt"] = request.amount(tilt, "rad")
    searches: dict[str, Callable[..., Any]] = {
        "columns": partial(gough.workspace, m, X),
        "rays": partial(spaces.workspace_rays, m, X, centre=place),
        "orientations": partial(spaces.orientation_workspace, m, place, reference=X),
        "dexterous": partial(spaces.dexterous_workspace, m, X),
    }
    body = request.watched(shape, searches[shape], **how)
    if output is not None and output.suffix.lower() in MESHES:
        request.watched("boundary", body.mesh).write(output, request.sizes([body.unit])[0])
        return
    keys = _keys(shape, body) if request.options.as_json else []  # extents and boundary shares take time
    request.write(Answer([*body.rows(), *keys], lambda: _words(body), data=lambda: body.dataset))


def _keys(shape: str, body: gough.workspaces.Workspace | gough.workspaces.RayWorkspace) -> list[Field]:
    """Keys for JSON."""
    boundary = []
    if not body.is_empty:
        ends = {axis: [body.extent.low[k], body.extent.high[k]] for k, axis in enumerate("xyz")}
        boundary = [*json_keys("extent.", body.unit, "base", **ends), *body.share_fields()]
    own = json_of(body, *KEYS[shape], ("names", "limits"), "binding")
    return [*json_keys(shape=shape), *body.volume_fields(), *boundary, *own]


def _words(body: gough.workspaces.Workspace | gough.workspaces.RayWorkspace) -> Words:
    """Volume with its error, extents, share of the boundary by limit."""
    if body.is_empty:
        yield sentence(body.sentence())
        return
    yield from (f"{what:<7} {much}" for what, much in body.facts().items())
    yield from ("", body.extent_table(), "", body.share_table())
