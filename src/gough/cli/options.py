"""Options that several commands share: each an annotated type; their values; and the request of a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Context, Option

from gough.present.answer import JSON, NETCDF

if TYPE_CHECKING:
    from gough.cli.request import Request

TABLES = (".csv", JSON, *NETCDF)
"""Endings of names for tables."""
PAGES = (".html", ".htm")
"""Endings of pages."""
POSE = "X,Y,Z; X,Y,Z,A,B,C; or X,Y,Z and a quaternion X,Y,Z,W"
DIRECTION = "or VX,VY,VZ or VX,VY,VZ,WX,WY,WZ"


class Process(Enum):
    """Whether a command runs in a process of its own, or is called by a program that continues after it."""

    OWN = auto()
    CALLER = auto()


def writable(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written before anything is computed for it."""
    if path is not None:
        from gough.files import check_writable

        check_writable(path)
    return path


def named(*endings: str) -> Callable[[Path | None], Path | None]:
    """Check names that end in one of `endings`, as `writable` does."""

    def check(path: Path | None) -> Path | None:
        if path is not None:
            from gough.files import check_ending

            check_ending(path, endings)
        return writable(path)

    return check


def text(metavar: str, help: str, *names: str) -> Any:
    """Return an option whose text the command reads."""
    return Option(*names, metavar=metavar, help=help)


def number(metavar: str, help: str, *names: str, kind: type = float, **ends: float) -> Any:
    """Return an option that is one number, between the ends `low` and `high` where they are given."""
    return Option(*names, metavar=metavar, help=help, parser=partial(_parsed_number, kind, **ends))


def count(help: str, *names: str, metavar: str = "N", low: int = 1, **ends: int) -> Any:
    """Return an option that is a whole number."""
    return number(metavar, help, *names, kind=int, low=low, **ends)


def flag(name: str, help: str) -> Any:
    """Return an option without a value."""
    return Option(name, help=help)


def _parsed_number(kind: type, value: Any, low: float | None = None, high: float | None = None) -> Any:
    """A number as tables have it: Python's underscores and other scripts' digits are refused."""
    from gough.cli.table import strict_number

    if not isinstance(value, str):
        return value
    try:
        parsed = strict_number(kind, value)
    except ValueError:
        raise ValueError(f"{value!r} is not a {'whole ' if kind is int else ''}number") from None
    if (low is not None and not parsed >= low) or (high is not None and not parsed <= high):
        ends = (f"{word} {end:g}" for word, end in (("at least", low), ("at most", high)) if end is not None)
        raise ValueError(f"{value} is not {' and '.join(ends)}")
    return parsed


MachineName = Annotated[str, Argument(help="Built-in name (see gough machines) or path of a machine file.")]

At = Annotated[str | None, text("POSE", "Pose of the platform's frame: X,Y,Z; X,Y,Z,A,B,C; X,Y,Z,QX,QY,QZ,QW.")]
Angles = Annotated[str | None, text("A,B,C", "Angles of the pose, if not in --at.")]
Sequences = Annotated[
    list[str] | None,
    text("AXES|NAME", "Meaning of angles: axes in SciPy's spelling (XYZ moving, xyz fixed, ...), or the convention of "
         "pi, symetrie, linuxcnc, rubin or hexel.", "--sequence", "--convention"),
]  # fmt: skip
Table = Annotated[str | None, text("FILE", "CSV file with a pose in each row; - reads standard input.", "--csv")]
Share = Annotated[float | None, number("PART", "Two stages: the lower stage's part of displacements, 0 to 1.")]
Joints = Annotated[str | None, text("Q1,...,Q6", "Joint coordinates, in the units of the machine file.")]

Map = Annotated[bool, flag("--map", "Evaluate a grid of positions at the orientation of the pose; -o FILE.nc.")]
Samples = Annotated[int, count("Number of samples along each axis without values.", metavar="NUMBER", low=2)]
PlacesX = Annotated[str | None, text("X[,X...]", "Positions of a grid along x.", "--x")]
PlacesY = Annotated[str | None, text("Y[,Y...]", "Positions of a grid along y.", "--y")]
PlacesZ = Annotated[str | None, text("Z[,Z...]", "Positions of a grid along z.", "--z")]

Wrench = Annotated[str | None, text("FX,FY,FZ[,MX,MY,MZ]", "Wrench at the point of interest, in base axes [N, N m].")]
GeneralizedForce = Annotated[
    str | None, text("FX,FY,FZ,QA,QB,QC", "As --wrench, along x, y, z and the angles of --sequence [N, N m].")
]
Payload = Annotated[float | None, number("KG", "Mass of a payload fixed to the platform [kg]; needs --centre.")]
Centre = Annotated[
    str | None, text("X,Y,Z", "The payload's mass centre, in the platform frame.", "--centre", "--center")
]
Force = Annotated[float | None, number("F", "Force (crank: torque) limit of every actuator; default: the machine's.")]
Ignore = Annotated[list[str] | None, text("LIMIT", 'Limit to ignore, such as "singularity"; repeatable.')]
Boxes = Annotated[int, count("Largest number of boxes; the rest is undecided.")]

Motion = Annotated[
    str | None,
    text("NAME|FILE", "Named motion (vertical, horizontal, rotation: a cosine from home), or a CSV file with a column "
         "time [s] and columns of poses, - for standard input."),
]  # fmt: skip
Amplitude = Annotated[
    float | None, number("NUMBER", "Half the stroke of a named motion; default: 0.15 m, 0.1 m or 15 deg.")
]
HalfPeriod = Annotated[float, number("SECONDS", "Time of a named motion to its farthest point, where it ends.")]
Times = Annotated[int, count("Number of output times.", metavar="NUMBER", low=2, high=1_000_000)]

Work = Annotated[
    str | None,
    text("X,Y,Z[,A,B,C]", "Work frame in the base, also for tables; default for programs: the tool at home."),
]

Figure = Annotated[
    Path | None,
    Option(metavar="FILE.html", help="Write the figure as an interactive HTML page.", callback=named(*PAGES)),
]
Si = Annotated[bool, flag("--si", "Use m and rad for input and output instead of the file's units.")]
Json = Annotated[bool, flag("--json", "Print JSON.")]
Output = Annotated[
    Path | None,
    Option("--output", "-o", metavar="FILE", help="Output file, written completely or not at all.", callback=writable),
]


@dataclass(frozen=True)
class Options:
    """Values of the shared options, as typed; options that a command lacks have their defaults."""

    at: str | None = None
    angles: str | None = None
    quaternion: str | None = None
    sequence: Sequence[str] | None = None
    csv: str | None = None
    share: float | None = None
    joints: str | None = None
    readings: str | None = None

    as_map: bool = False
    samples: int = 15
    x: str | None = None
    y: str | None = None
    z: str | None = None

    wrench: str | None = None
    generalized_force: str | None = None
    payload: float | None = None
    centre: str | None = None
    inertia: str | None = None
    no_weight: bool = False

    motion: str | None = None
    amplitude: float | None = None
    half_period: float = 3.0

    timing: Literal["feed", "optimal", "given"] | None = None
    work: str | None = None
    feed: float | None = None
    blend: float | None = None
    joint_speed: float | None = None
    acceleration: float | None = None

    figure: Path | None = None
    si: bool = False
    as_json: bool = False
    output: Path | None = None


def request_of(context: Context, endings: Sequence[str] = TABLES) -> Request:
    """Return the request of a command, with the shared options of its command line; `endings` are the file extensions
    that -o accepts."""
    from gough.cli.request import Request

    names = {each.name for each in fields(Options)}
    values = {name: value for name, value in context.params.items() if name in names and value is not None}
    return Request(context, context.params["machine"], Options(**values), endings)
