"""What `gough workspace` answers: a summary, CSV, JSON, netCDF or a mesh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gough.cli.command import Request
from gough.errors import InputError
from gough.present.answer import NETCDF, Answer, Field, Words, json_keys, json_of, sentence
from gough.workspaces.ray_workspace import RayWorkspace
from gough.workspaces.workspace import Workspace

MESHES = (".stl", ".ply")
COLUMNS = "x y ends:intervals count"
RAYS = "directions ends:intervals count"
SHARE = "share:share_of_all_orientations share_error:share_of_all_orientations_error"
KEYS = {
    "columns": COLUMNS,
    "dexterous": f"tilt roll orientations shortfall {COLUMNS}",
    "rays": RAYS,
    "orientations": f"{RAYS} {SHARE}",
}
"""What each shape has beside its volume and boundary: attributes, and keys where these differ."""


def check_output(output: Path | None, *, as_json: bool) -> None:
    """`InputError` for a file whose ending says another format than requested."""
    if output is None:
        return
    ending = output.suffix.lower()
    if as_json and ending in (*MESHES, *NETCDF, ".csv"):
        raise InputError(f"{output} is no name for JSON; leave --json out or give another ending")
    if not as_json and ending not in (*MESHES, *NETCDF, ".csv"):
        raise InputError(f"unknown format of {output}: expected a name that ends in .csv, .nc, .stl or .ply")


def workspace_answer(request: Request, shape: str, body: Workspace | RayWorkspace) -> Answer | None:
    """The answer; nothing where the boundary is written, as a mesh."""
    output = request.options.output
    if output is not None and output.suffix.lower() in MESHES:
        mesh: Any = body.mesh
        request.watched("boundary", mesh).write(output, request.sizes([body.unit])[0])
        return None
    keys = _keys(shape, body) if request.options.as_json else []  # extents and shares are climbed to
    return Answer([*body.rows(), *keys], lambda: _words(body), data=lambda: body.dataset)


def _keys(shape: str, body: Workspace | RayWorkspace) -> list[Field]:
    """Keys for JSON."""
    boundary = []
    if not body.is_empty:
        extent, shares = np.stack([body.extent.low, body.extent.high], 1), body.boundary_share.items()
        boundary = [
            *json_keys("extent.", body.unit, **dict(zip("xyz", extent, strict=True))),
            *json_keys(boundary_share={name: share.value for name, share in shares}),
            *json_keys(boundary_share_error={name: share.error for name, share in shares}),
        ]
    volume = [*json_of(body, "volume"), *json_of(body, "volume_error", unit_key="volume_unit")]
    return [*json_keys(shape=shape), *volume, *boundary, *json_of(body, f"{KEYS[shape]} names:limits binding")]


def _words(body: Workspace | RayWorkspace) -> Words:
    """Volume with its error, extents, share of the boundary by limit."""
    if body.is_empty:
        yield sentence(body.sentence())
        return
    yield from (f"{what:<7} {much}" for what, much in body.facts().items())
    yield from ("", body.extent_table(), "", body.share_table())
