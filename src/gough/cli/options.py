"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def _writable(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written before anything is computed for it."""
    if path is not None:
        from gough.files import check_writable

        check_writable(path)
    return path


Machine = Annotated[str, typer.Argument(help="Built-in name (see gough machines) or path of a machine file.")]

At = Annotated[
    str | None,
    typer.Option(metavar="X,Y,Z", help="Pose: position of the platform's frame, in the machine file's units."),
]
Angles = Annotated[
    str | None,
    typer.Option(metavar="A,B,C", help="Pose: angles in the file's unit; need --sequence or --convention."),
]
Quaternion = Annotated[
    str | None, typer.Option(metavar="X,Y,Z,W", help="Pose: orientation as a quaternion, instead of angles.")
]
Matrix = Annotated[str | None, typer.Option(metavar="M00,...,M33", help="Pose: all of it as a matrix, row by row.")]
Sequence = Annotated[
    str | None,
    typer.Option(metavar="AXES", help="Axes of angles in SciPy's spelling: XYZ moving axes, xyz fixed axes, ..."),
]
Convention = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Instead of --sequence: angles as pi, symetrie, linuxcnc, rubin or hexel mean them.",
    ),
]
Share = Annotated[
    float | None,
    typer.Option(
        metavar="PART", help="Two stages: the lower stage's part of displacements, 0 to 1; the file's, or 0.5."
    ),
]
Csv = Annotated[
    str | None,
    typer.Option("--csv", metavar="FILE", help="Many, one in each row of a CSV file; - reads standard input."),
]
Si = Annotated[bool, typer.Option("--si", help="All numbers in and out in m and rad, not the file's units.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file, whole or not at all.", callback=_writable),
]

Wrench = Annotated[
    str | None,
    typer.Option(
        metavar="FX,FY,FZ[,MX,MY,MZ]",
        help="Load at the point of interest, in the base frame [N, N m].",
    ),
]
Payload = Annotated[
    float | None,
    typer.Option(metavar="KG", help="Mass of a payload fixed to the platform [kg]; needs --centre."),
]
Centre = Annotated[
    str | None,
    typer.Option(
        "--centre", "--center", metavar="X,Y,Z", help="The payload's mass centre, in the platform's frame and units."
    ),
]
Inertia = Annotated[
    str | None,
    typer.Option(
        metavar="XX,YY,ZZ[,XY,XZ,YZ]",
        help="The payload's inertia about its centre, in the platform's axes [kg m2]; a point mass without it.",
    ),
]


def _page(path: Path | None) -> Path | None:
    """As `_writable`, and the name is one of a page."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        from gough.errors import InputError

        raise InputError(f"--figure: {path} is no page; give a name that ends in .html")
    return _writable(path)


Figure = Annotated[
    Path | None,
    typer.Option(metavar="FILE.html", help="Draw it: an interactive page that needs no network.", callback=_page),
]
Map = Annotated[
    bool, typer.Option("--map", help="Over a grid of positions instead, at the orientation of the pose; -o FILE.nc.")
]
Samples = Annotated[int, typer.Option(min=2, help="Of a grid, along each axis that is not given.")]
GridX = Annotated[str | None, typer.Option("--x", metavar="X[,X...]", help="Positions of a grid along x.")]
GridY = Annotated[str | None, typer.Option("--y", metavar="Y[,Y...]", help="Positions of a grid along y.")]
GridZ = Annotated[str | None, typer.Option("--z", metavar="Z[,Z...]", help="Positions of a grid along z.")]
