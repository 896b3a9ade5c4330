"""Options that several commands share, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import typer


def option(default: Any = None, *names: str, **how: Any) -> Any:
    """A field of a dataclass that is an option of the command line, with arguments of `typer.Option`."""
    return field(default=default, metadata={"option": typer.Option(default, *names, **how)})


def writable(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written before anything is computed for it."""
    if path is not None:
        from gough.files import check_writable

        check_writable(path)
    return path


def named(*endings: str) -> Callable[[Path | None], Path | None]:
    """As `writable`, for names that end in one of `endings`."""

    def check(path: Path | None) -> Path | None:
        if path is not None:
            from gough.files import check_ending

            check_ending(path, endings)
        return writable(path)

    return check


MACHINE_FILE = named(".toml")
"""Callback of options with the name of a machine file to write."""
PAGES = (".html", ".htm")
"""Endings of pages."""
POSE = "X,Y,Z; X,Y,Z,A,B,C; or X,Y,Z and a quaternion X,Y,Z,W"
DIRECTION = "or VX,VY,VZ or VX,VY,VZ,WX,WY,WZ"


@dataclass(frozen=True)
class Options:
    """The shared options of a command line, as typed; those that a command lacks have their defaults."""

    at: str | None = option(
        metavar="X,Y,Z", help="Pose: position of the platform's frame, in the machine file's units."
    )
    angles: str | None = option(
        metavar="A,B,C", help="Pose: angles in the file's unit; need --sequence or --convention."
    )
    quaternion: str | None = option(metavar="X,Y,Z,W", help="Pose: orientation as a quaternion, instead of angles.")
    matrix: str | None = option(metavar="M00,...,M33", help="Pose: all of it as a matrix, row by row.")
    sequence: str | None = option(
        metavar="AXES", help="Axes of angles in SciPy's spelling: XYZ moving axes, xyz fixed axes, ..."
    )
    convention: str | None = option(
        metavar="NAME", help="Instead of --sequence: angles as pi, symetrie, linuxcnc, rubin or hexel mean them."
    )
    csv: str | None = option(
        None, "--csv", metavar="FILE", help="Many, one in each row of a CSV file; - reads standard input."
    )
    share: float | None = option(
        metavar="PART", help="Two stages: the lower stage's part of displacements, 0 to 1; the file's, or 0.5."
    )
    joints: str | None = option(metavar="Q1,...,Q6", help="Joint coordinates, in the units of the machine file.")
    readings: str | None = option(
        metavar="R1,...,R6", help="Instead of joint coordinates what the controller reads, by the file's encoders."
    )
    as_matrix: bool = option(False, "--as-matrix", help="Write poses as matrices m00 to m33.")

    as_map: bool = option(
        False, "--map", help="Over a grid of positions instead, at the orientation of the pose; -o FILE.nc."
    )
    samples: int = option(15, min=2, help="Of a grid, along each axis that is not given.")
    x: str | None = option(None, "--x", metavar="X[,X...]", help="Positions of a grid along x.")
    y: str | None = option(None, "--y", metavar="Y[,Y...]", help="Positions of a grid along y.")
    z: str | None = option(None, "--z", metavar="Z[,Z...]", help="Positions of a grid along z.")

    wrench: str | None = option(
        metavar="FX,FY,FZ[,MX,MY,MZ]", help="Applied wrench at the point of interest, in the base frame [N, N m]."
    )
    generalized_force: str | None = option(
        metavar="FX,FY,FZ,QA,QB,QC",
        help="Instead of --wrench: forces along x, y, z and the angles of --sequence or --convention [N, N m].",
    )
    payload: float | None = option(metavar="KG", help="Mass of a payload fixed to the platform [kg]; needs --centre.")
    centre: str | None = option(
        None,
        "--centre",
        "--center",
        metavar="X,Y,Z",
        help="The payload's mass centre, in the platform's frame and units.",
    )
    inertia: str | None = option(
        metavar="XX,YY,ZZ[,XY,XZ,YZ]",
        help="The payload's inertia about its centre, in the platform's axes [kg m2]; a point mass without it.",
    )

    force: float | None = option(
        metavar="F", help="Largest force (torque of a crank) of every actuator, instead of the machine's."
    )
    no_weight: bool = option(False, "--no-weight", help="Leave all weights out, of platform and legs.")
    step: float | None = option(
        metavar="STEP", help="Smallest step of every joint, instead of the machine's resolution."
    )
    ignore: list[str] | None = option(metavar="LIMIT", help='A limit to ignore, such as "singularity"; repeat.')
    boxes: int = option(100_000, min=1, metavar="N", help="Boxes looked at before the rest is undecided.")

    motion: str | None = option(
        metavar="NAME|FILE",
        help="vertical, horizontal or rotation: out from home by a cosine; or a CSV file with a column time [s] beside "
        "those of poses, - for standard input.",
    )
    amplitude: float | None = option(
        metavar="NUMBER",
        help="Half the stroke of a named motion, in the file's units; 0.15 m, 0.1 m or 15 deg if not given.",
    )
    half_period: float = option(
        3.0, metavar="SECONDS", help="Time of a named motion to its farthest point, where it ends."
    )

    timing: Literal["feed", "optimal", "given"] | None = option(
        help="Keep the feeds where the legs allow; go as quickly as they can; or the times of the table, which is the "
        "rule where it has them."
    )
    work: str | None = option(
        metavar="X,Y,Z[,A,B,C]",
        help="Work frame in the base. Part programs: the tool at home if not given. Tables: their poses are in it.",
    )
    moves: Literal["platform", "tool"] = option(
        "platform", help="Tables: whether their poses are the platform's or the tool's."
    )
    feed: float | None = option(metavar="NUMBER", help="Speed of the tip instead of the file's feeds, length per s.")
    rapid: float | None = option(metavar="NUMBER", help="Largest speed of the tip in rapid moves, length per s.")
    blend: float | None = option(
        min=0.0, metavar="NUMBER", help="How far corners may be rounded; 0.01 mm for part programs if not given."
    )
    through: Literal["lines", "spline"] = option("lines", help="Tables without times: interpolation between the poses.")
    roll: str | None = option(metavar="margins|ANGLE", help="Roll about the tool where the program leaves it free.")
    spindle: Literal["+z", "-z"] | None = option(
        help="Side of the spindle along z of the tool frame; the machine file's, or that of the platform's joints, if "
        "not given."
    )
    head: Literal["shared", "held"] = option(
        "shared", "--head", help="Machines with a tool head, part programs: share the tool with it, or hold it."
    )
    joint_speed: float | None = option(
        None, "--joint-speed", metavar="NUMBER", help="Largest joint speed instead of the machine's."
    )
    acceleration: float | None = option(
        None, "--acceleration", metavar="NUMBER", help="Largest joint acceleration instead of the machine's."
    )

    figure: Path | None = option(
        metavar="FILE.html", help="Draw it: an interactive page that needs no network.", callback=named(*PAGES)
    )
    si: bool = option(False, "--si", help="All numbers in and out in m and rad, not the file's units.")
    as_json: bool = option(False, "--json", help="Print JSON.")
    output: Path | None = option(
        None, "--output", "-o", metavar="FILE", help="Write to this file, whole or not at all.", callback=writable
    )


GROUPS: dict[str, tuple[str, ...]] = {
    "joints": ("joints", "readings"),
    "pose": ("at", "angles", "quaternion", "matrix", "sequence", "convention"),
    "orientation": ("sequence", "convention"),
    "map": ("as_map", "samples", "x", "y", "z"),
    "load": ("wrench", "generalized_force"),
    "payload": ("payload", "centre", "inertia"),
    "motion": ("motion", "amplitude", "half_period"),
    "requested": ("joint_speed", "force", "no_weight", "step"),
    "path": ("timing", "work", "moves", "feed", "rapid", "blend", "roll", "acceleration"),
    "of path": ("through", "spindle", "head", "joint_speed"),
    "output": ("si", "as_json", "output"),
}
"""Options by group, in the order of the help; any other option is a group by itself."""
