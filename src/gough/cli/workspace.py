"""`gough workspace`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.pose_input import Array
    from gough.cli.workspace_output import Found
    from gough.machine import Machine


class Shape(StrEnum):
    """How the workspace is looked at."""

    COLUMNS = "columns"
    RAYS = "rays"
    ORIENTATIONS = "orientations"
    DEXTEROUS = "dexterous"


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
Roll = Annotated[float, typer.Option(metavar="ANGLE", help="Dexterous workspace: turn about that axis, both ways.")]
Ignore = Annotated[
    list[str] | None, typer.Option(metavar="LIMIT", help='A limit that shall not count, such as "singularity"; repeat.')
]


@dataclass(frozen=True)
class _Asked:
    """What is looked for: the pose, the columns' places [m], the cone [rad]."""

    X: Array
    is_placed: bool
    shape: Shape
    grid: dict[str, Any]
    samples: int | None
    level: int
    tilt: float | None
    roll: float
    ignore: tuple[str, ...]


def workspace(
    context: typer.Context,
    machine: options.Machine,
    shape: AsShape = Shape.COLUMNS,
    samples: Samples = None,
    level: Level = 4,
    x: RangeX = None,
    y: RangeY = None,
    z: RangeZ = None,
    tilt: Tilt = None,
    roll: Roll = 0.0,
    ignore: Ignore = None,
    at: options.At = None,
    angles: options.Angles = None,
    quaternion: options.Quaternion = None,
    matrix: options.Matrix = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """Where it can go, with the limits that end it.

    At the orientation of a pose given by options, or of home; the ends are
    found by root finding. -o writes .csv, .nc (netCDF, in SI), or the
    boundary as a closed mesh: .stl or .ply.
    """
    from gough.cli.beside import counts_only_with
    from gough.cli.machine import load_machine
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.cli.workspace_output import check_output, write

    check_output(output, as_json=as_json)
    if shape not in (Shape.RAYS, Shape.ORIENTATIONS):
        counts_only_with(context, "--shape rays or orientations", "level", "at")
    m = load_machine(machine, si=si)
    is_turned_only = at is None and matrix is None and (angles is not None or quaternion is not None)
    home = ",".join(map(repr, (m.X_home[:3, 3] / m.units.metres).tolist()))
    X = read_poses(PoseOptions(home if is_turned_only else at, angles, quaternion, matrix, sequence, convention), m)
    asked = _Asked(
        X,
        at is not None or matrix is not None,
        shape,
        _ranges(m, samples or (25 if shape is Shape.DEXTEROUS else 49), x, y, z),
        samples,
        level,
        None if tilt is None else tilt * m.units.radians,
        roll * m.units.radians,
        tuple(ignore or ()),
    )
    _check(asked, (x, y, z), roll)
    write(_search(m, asked), m, as_json=as_json, output=output)


def _ranges(machine: Machine, samples: int, *texts: str | None) -> dict[str, Any]:
    """The ranges as keywords of the searches [m]."""
    import numpy as np

    from gough.cli.numbers import numbers
    from gough.errors import InputError

    found: dict[str, Any] = {"samples": samples}
    for axis, text in zip("xyz", texts, strict=True):
        if text is None:
            continue
        low, high = numbers(f"--{axis}", text, (2,)) * machine.units.metres
        if low >= high:
            raise InputError(f"--{axis} {text}: the range ends before it begins; give LOW,HIGH")
        found[axis] = (low, high) if axis == "z" else np.linspace(low, high, samples)
    return found


def _check(asked: _Asked, ranges: tuple[str | None, ...], roll: float) -> None:
    """`InputError` for options that say nothing about the shape."""
    from gough.errors import InputError

    has_columns = asked.shape in (Shape.COLUMNS, Shape.DEXTEROUS)
    if not has_columns and (asked.samples is not None or any(text is not None for text in ranges)):
        raise InputError(f"--samples, --x, --y and --z are about columns; --shape {asked.shape} has --level")
    if asked.shape is Shape.DEXTEROUS and asked.tilt is None:
        raise InputError("the dexterous part needs its cone: give --tilt ANGLE, and --roll ANGLE if it shall turn too")
    if asked.shape is not Shape.DEXTEROUS and (asked.tilt is not None or roll):
        raise InputError("--tilt and --roll describe the cone of --shape dexterous")


def _search(machine: Machine, asked: _Asked) -> Found:
    """The workspace and its boundary, with a progress bar."""
    from gough.cli.progress import watched
    from gough.cli.workspace_output import Found
    from gough.workspaces.dexterous import dexterous_workspace
    from gough.workspaces.rays import orientation_workspace, workspace_rays
    from gough.workspaces.workspace import workspace as columns_of

    place = asked.X[:3, :3] @ machine.point_of_interest + asked.X[:3, 3] if asked.is_placed else None
    common: dict[str, Any] = {"ignore": asked.ignore}
    if asked.shape is Shape.RAYS:
        rays = watched("rays", workspace_rays, machine, asked.X, centre=place, level=asked.level, **common)
        return Found(asked.shape, rays, rays.mesh() if rays.radius.any() else None, machine, asked.ignore)
    if asked.shape is Shape.ORIENTATIONS:
        turns = watched(
            "orientations", orientation_workspace, machine, place, reference=asked.X, level=asked.level, **common
        )
        return Found(asked.shape, turns, turns.mesh() if turns.radius.any() else None, machine, asked.ignore)
    if asked.shape is Shape.DEXTEROUS:
        common |= {"tilt": asked.tilt, "roll": asked.roll, **asked.grid}
        part = watched("dexterous part", dexterous_workspace, machine, asked.X, **common)
        return Found(
            asked.shape,
            part,
            watched("boundary", part.mesh) if part.columns.count.any() else None,
            machine,
            asked.ignore,
        )
    columns = watched("workspace", columns_of, machine, asked.X, **asked.grid, **common)
    return Found(
        asked.shape, columns, watched("boundary", columns.mesh) if columns.count.any() else None, machine, asked.ignore
    )
