"""`gough workspace`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

import gough
from gough.cli.command import command
from gough.errors import InputError

if TYPE_CHECKING:
    from gough.cli.request import Array, Request
    from gough.present.answer import Answer
    from gough.workspaces import Mesh


class Shape(StrEnum):
    """How the workspace is looked at."""

    COLUMNS = "columns"
    RAYS = "rays"
    ORIENTATIONS = "orientations"
    DEXTEROUS = "dexterous"


SEARCHED = {
    Shape.COLUMNS: "workspace",
    Shape.RAYS: "rays",
    Shape.ORIENTATIONS: "orientations",
    Shape.DEXTEROUS: "dexterous part",
}
"""What the progress of each search is called."""

AsShape = Annotated[
    Shape,
    typer.Option(
        "--shape",
        help="Columns along z; rays from the pose; orientations at the pose's position; or the dexterous part, where "
        "every orientation of a cone is allowed.",
    ),
]
Samples = Annotated[
    int | None, typer.Option(min=2, max=2000, help="Columns along x and y [49; 25 for the dexterous part].")
]
Level = Annotated[int, typer.Option(min=0, max=7, help="Fineness of rays and orientations: 10 * 4^LEVEL + 2 of them.")]
RangeX = Annotated[str | None, typer.Option("--x", metavar="LOW,HIGH", help="Range of the columns along x.")]
RangeY = Annotated[str | None, typer.Option("--y", metavar="LOW,HIGH", help="Range of the columns along y.")]
RangeZ = Annotated[str | None, typer.Option("--z", metavar="LOW,HIGH", help="Range that is searched along z.")]
Tilt = Annotated[
    float | None,
    typer.Option(metavar="ANGLE", help="Dexterous workspace: half-angle of the cone of the platform's z axis."),
]
Roll = Annotated[
    float, typer.Option(metavar="ANGLE", help="Dexterous workspace: turn about that axis, in both senses.")
]
Ignore = Annotated[
    list[str] | None, typer.Option(metavar="LIMIT", help='A limit to ignore, such as "singularity"; repeat.')
]


@command("pose", "share", "output")
def workspace(
    request: Request,
    shape: AsShape = Shape.COLUMNS,
    samples: Samples = None,
    level: Level = 4,
    x: RangeX = None,
    y: RangeY = None,
    z: RangeZ = None,
    tilt: Tilt = None,
    roll: Roll = 0.0,
    ignore: Ignore = None,
) -> Answer | None:
    """Where it can go, with the limits that end it.

    At the orientation of a pose given by options, or of home; the ends are
    found by root finding; of two stages, columns and the dexterous part
    with the postures that --share gives. -o writes .csv, .nc (netCDF, in SI), or the
    boundary as a closed mesh: .stl or .ply.
    """
    from gough.cli.workspace_output import Found, check_output, workspace_answer

    check_output(request.output, as_json=request.as_json)
    if shape not in (Shape.RAYS, Shape.ORIENTATIONS):
        request.counts_only_with("--shape rays or orientations", "level", "at")
    is_dexterous, given = shape is Shape.DEXTEROUS, request.given
    m = request.machine if shape in (Shape.RAYS, Shape.ORIENTATIONS) else request.any_machine
    _check(shape, has_columns=any(each is not None for each in (samples, x, y, z)), tilt=tilt, roll=roll)
    grid = _ranges(request, samples or (25 if is_dexterous else 49), x, y, z)
    common: dict[str, Any] = {"ignore": tuple(ignore or ())}
    X = _pose(request)
    place = X[:3, :3] @ m.point_of_interest + X[:3, 3] if given.at is not None or given.matrix is not None else None
    find: Callable[..., Any]
    if shape is Shape.RAYS:
        find = partial(gough.workspaces.workspace_rays, request.machine, X, centre=place, level=level)
    elif shape is Shape.ORIENTATIONS:
        find = partial(gough.workspaces.orientation_workspace, request.machine, place, reference=X, level=level)
    elif is_dexterous:
        cone: dict[str, Any] = {"tilt": request.amount(tilt, "rad"), "roll": request.amount(roll, "rad")}
        find = partial(gough.workspaces.dexterous_workspace, m, X, **cone, **grid)
    else:
        find = partial(gough.workspace, m, X, **grid)
    body: Any = request.watched(SEARCHED[shape], find, **common)
    return workspace_answer(request, Found(shape, body, _boundary(request, body), m, **common))


def _boundary(request: Request, body: Any) -> Mesh | None:
    """The boundary, if there is any."""
    if hasattr(body, "radius"):
        return body.mesh() if body.radius.any() else None
    columns = getattr(body, "columns", body)
    return request.watched("boundary", body.mesh) if columns.count.any() else None


def _pose(request: Request) -> Array:
    """The pose given; that of home, turned, where only an orientation is."""
    from gough.cli.pose_input import read_poses

    m, given = request.any_machine, request.given
    if given.at is None and given.matrix is None and (given.angles is not None or given.quaternion is not None):
        home = ",".join(map(repr, (m.end_home[:3, 3] / m.units.metres).tolist()))
        return read_poses(replace(given, at=home), m)
    return request.X


def _ranges(request: Request, samples: int, *texts: str | None) -> dict[str, Any]:
    """The ranges as keywords of the searches [m]."""
    import numpy as np

    found: dict[str, Any] = {"samples": samples}
    for axis, text in zip("xyz", texts, strict=True):
        ends = request.numbers(f"--{axis}", text, (2,), "m")
        if ends is None:
            continue
        low, high = ends
        if low >= high:
            raise InputError(f"--{axis} {text}: the range ends before it begins; give LOW,HIGH")
        found[axis] = (low, high) if axis == "z" else np.linspace(low, high, samples)
    return found


def _check(shape: Shape, *, has_columns: bool, tilt: float | None, roll: float) -> None:
    """`InputError` for options that say nothing about the shape."""
    if shape in (Shape.RAYS, Shape.ORIENTATIONS) and has_columns:
        raise InputError(f"--samples, --x, --y and --z are about columns; --shape {shape} has --level")
    if shape is Shape.DEXTEROUS and tilt is None:
        raise InputError("the dexterous part needs its cone: give --tilt ANGLE, and --roll ANGLE if it turns too")
    if shape is not Shape.DEXTEROUS and (tilt is not None or roll):
        raise InputError("--tilt and --roll describe the cone of --shape dexterous")
