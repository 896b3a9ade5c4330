"""`gough workspace`: a summary, CSV, JSON, netCDF or a mesh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from typer import Option

import gough
from gough.cli.command import TABLES, Array, Request, command
from gough.cli.options import option
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, json_keys, json_of, sentence

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


@dataclass(frozen=True)
class Columns:
    """Options of the grid of columns."""

    samples: int | None = option(min=2, max=2000, help="Columns along x and y [49; 25 for the dexterous part].")
    x: str | None = option(None, "--x", metavar="LOW,HIGH", help="Range of the columns along x.")
    y: str | None = option(None, "--y", metavar="LOW,HIGH", help="Range of the columns along y.")
    z: str | None = option(None, "--z", metavar="LOW,HIGH", help="Range that is searched along z.")

    def ranges(self, request: Request, samples: int) -> dict[str, Any]:
        """Keywords of the searches [m]; `samples` is the number of columns where none is given."""
        import numpy as np

        samples = self.samples or samples
        found: dict[str, Any] = {"samples": samples}
        for axis in "xyz":
            text = getattr(self, axis)
            ends = request.numbers(f"--{axis}", text, (2,), "m")
            if ends is None:
                continue
            low, high = ends
            if low >= high:
                raise InputError(f"--{axis} {text}: the range ends before it begins; give LOW,HIGH")
            found[axis] = (low, high) if axis == "z" else np.linspace(low, high, samples)
        return found


@command("pose", "share", "ignore", "output", endings=(*TABLES, *MESHES))
def workspace(
    request: Request,
    *,
    shape: Literal["columns", "rays", "orientations", "dexterous"] = Option(
        "columns",
        "--shape",
        help="Columns along z; rays from the pose; orientations at the pose's position; or the dexterous part, where "
        "every orientation of a cone is allowed.",
    ),
    columns: Columns,
    level: int = Option(4, min=0, max=7, help="Fineness of rays and orientations: 10 * 4^LEVEL + 2 of them."),
    tilt: float | None = Option(
        None, metavar="ANGLE", help="Dexterous workspace: half-angle of the cone of the platform's z axis."
    ),
    roll: float = Option(0.0, metavar="ANGLE", help="Dexterous workspace: turn about that axis, in both senses."),
) -> Answer | None:
    """Reachable workspace, with the limits on its boundary.

    At the orientation of a pose given by options, or of home: positions of
    the point of interest. The ends are found by root finding, of two stages
    with the postures that --share gives. -o writes .csv, .nc (netCDF, in SI), or the
    boundary as a closed mesh: .stl or .ply.
    """
    output = request.options.output
    is_rays, is_dexterous = shape in ("rays", "orientations"), shape == "dexterous"
    if is_rays:
        request.counts_only_with("--shape columns or dexterous", "samples", "x", "y", "z")
    else:
        request.counts_only_with("--shape rays or orientations", "level", "at")
    if not is_dexterous:
        request.counts_only_with("--shape dexterous", "tilt", "roll")
    elif tilt is None:
        raise InputError("the dexterous part needs its cone: give --tilt ANGLE, and --roll ANGLE if it turns too")
    m: Any = request.any_machine
    spaces, given = gough.workspaces, request.options
    X = _pose(request)
    # Rays begin where home has the point of interest unless a position is given.
    place = X[:3, :3] @ m.point_of_interest + X[:3, 3] if given.at is not None or given.matrix is not None else None
    how = {"level": level} if is_rays else columns.ranges(request, 25 if is_dexterous else 49)
    if is_dexterous:
        how |= {"tilt": request.amount(tilt, "rad"), "roll": request.amount(roll, "rad")}
    searches: dict[str, Callable[..., Any]] = {
        "columns": partial(gough.workspace, m, X),
        "rays": partial(spaces.workspace_rays, m, X, centre=place),
        "orientations": partial(spaces.orientation_workspace, m, place, reference=X),
        "dexterous": partial(spaces.dexterous_workspace, m, X),
    }
    body = request.watched(shape, searches[shape], **how, ignore=request.ignored)
    if output is not None and output.suffix.lower() in MESHES:
        request.watched("boundary", body.mesh).write(output, request.sizes([body.unit])[0])
        return None
    keys = _keys(shape, body) if request.options.as_json else []  # extents and boundary shares take time
    return Answer([*body.rows(), *keys], lambda: _words(body), data=lambda: body.dataset)


def _pose(request: Request) -> Array:
    """The pose of the options; the position of home where only an orientation is given."""
    from gough.cli.pose_input import read_poses

    m, given = request.any_machine, request.options
    if given.at is None and given.matrix is None and (given.angles is not None or given.quaternion is not None):
        # As text, as options are; `repr` keeps all digits.
        home = ",".join(map(repr, (m.end_home[:3, 3] / m.units.metres).tolist()))
        return read_poses(replace(given, at=home), m)
    return request.X


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
