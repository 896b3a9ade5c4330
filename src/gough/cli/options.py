"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def _writable(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written before anything is computed for it."""
    if path is not None:
        from gough.report.write import check_writable

        check_writable(path)
    return path


Machine = Annotated[str, typer.Argument(help="Built-in name (see gough machines) or path of a machine file.")]

_POSE = "Pose, in the units of the machine file"

At = Annotated[
    str | None, typer.Option(metavar="X,Y,Z", help="Position of the platform's frame.", rich_help_panel=_POSE)
]
Angles = Annotated[
    str | None,
    typer.Option(metavar="A,B,C", help="Angles, with --sequence or --convention.", rich_help_panel=_POSE),
]
Quaternion = Annotated[
    str | None, typer.Option(metavar="X,Y,Z,W", help="Orientation as a quaternion.", rich_help_panel=_POSE)
]
Matrix = Annotated[
    str | None, typer.Option(metavar="M00,...,M33", help="The whole pose, row by row.", rich_help_panel=_POSE)
]
Sequence = Annotated[
    str | None,
    typer.Option(
        metavar="AXES",
        help="Axes of the angles in SciPy's spelling: XYZ moving axes, xyz fixed axes.",
        rich_help_panel=_POSE,
    ),
]
Convention = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Instead of --sequence: angles as pi, symetrie, linuxcnc, rubin or hexel mean them.",
        rich_help_panel=_POSE,
    ),
]
Csv = Annotated[
    str | None,
    typer.Option("--csv", metavar="FILE", help="Many of them, one per row, from a CSV file; - reads standard input."),
]
Si = Annotated[bool, typer.Option("--si", help="Numbers in and out in m and rad, not in the file's units.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file, whole or not at all.", callback=_writable),
]
