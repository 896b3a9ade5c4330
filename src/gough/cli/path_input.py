"""Paths as the command line takes them: part programs, path files and tables of poses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from gough.errors import InputError

if TYPE_CHECKING:
    from gough.cli.pose_input import Array, Orientation
    from gough.cli.request import Request
    from gough.machine import Machine
    from gough.motion.planned_path import PlannedPath
    from gough.motion.programs.moves import Program
    from gough.motion.timing.timed_path import TimedPath

PROGRAMS = (".ngc", ".gcode", ".tap", ".cnc", ".nc", ".gc")
"""Endings of part programs; .nc is netCDF only for what is written."""
DEFAULT_BLEND = 1e-5
"""How far corners of part programs are rounded [m]."""

Timing = Annotated[
    Literal["feed", "optimal", "given"] | None,
    typer.Option(
        help="Keep the feeds where the legs allow; go as quickly as they can; or the times of the table, which is the "
        "rule where it has them."
    ),
]
Work = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,Z[,A,B,C]",
        help="Work frame in the base. Part programs: the tool at home if not given. Tables: their poses are in it.",
    ),
]
Moves = Annotated[
    Literal["platform", "tool"], typer.Option(help="Tables: whether their poses are the platform's or the tool's.")
]
Feed = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="Speed of the tip instead of the file's feeds, length per s.")
]
Rapid = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="Largest speed of the tip in rapid moves, length per s.")
]
Blend = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="How far corners may be rounded; 0.01 mm for part programs if not given."),
]
Through = Annotated[
    Literal["lines", "spline"], typer.Option(help="Tables without times: what leads through the poses.")
]
Roll = Annotated[
    str | None,
    typer.Option(metavar="margins|ANGLE", help="Roll about the tool where the program leaves it free."),
]
Spindle = Annotated[
    Literal["+z", "-z"] | None,
    typer.Option(help="Where along z of the tool frame the spindle is; towards the platform's joints if not given."),
]
HeadUse = Annotated[
    Literal["shared", "held"],
    typer.Option("--head", help="Machines with a tool head, part programs: share the tool with it, or hold it."),
]
Acceleration = Annotated[
    float | None,
    typer.Option("--acceleration", metavar="NUMBER", help="Largest joint acceleration instead of the machine's."),
]
Speed = Annotated[
    float | None, typer.Option("--joint-speed", metavar="NUMBER", help="Largest joint speed instead of the machine's.")
]


OF_PROGRAMS = ("roll", "spindle", "head")
OF_TABLES = ("moves", "through")
OF_UNTIMED = ("feed", "blend", "through")
"""Options that count only for files of one kind, by their names in Python."""


@dataclass(frozen=True, kw_only=True)
class PathOptions:
    """The options that say what a path means, as typed."""

    timing: str | None = None
    work: str | None = None
    moves: str = "platform"
    feed: float | None = None
    rapid: float | None = None
    blend: float | None = None
    through: str = "lines"
    roll: str | None = None
    spindle: str | None = None
    head: str = "shared"
    acceleration: float | None = None
    joint_speed: float | None = None


@dataclass(frozen=True)
class ReadPath:
    """A path read: the plan, or the motion of a table with times; what its numbers count; what is said of it; whether a
    table's times are kept."""

    plan: PlannedPath | TimedPath
    counts: str
    facts: tuple[str, ...]
    is_timed: bool = False


def read_path(file: str, machine: Machine, orientation: Orientation, given: PathOptions) -> ReadPath:
    """The path in a file, by its ending."""
    _check(given)
    suffix = Path(file).suffix.lower()
    if suffix in PROGRAMS:
        return _program(file, machine, orientation, given)
    if suffix == ".toml":
        return _path_file(file, machine, orientation, given)
    return _table(file, machine, orientation, given)


def refuse_idle(request: Request, file: str) -> None:
    """Refuse options that say nothing about a file of this kind."""
    suffix = Path(file).suffix.lower()
    if suffix not in PROGRAMS:
        request.counts_only_with("part programs", *OF_PROGRAMS)
    is_table = suffix not in (*PROGRAMS, ".toml")
    request.counts_only_with(*(("part programs and path files", "rapid") if is_table else ("tables", *OF_TABLES)))


def judged_by(given: PathOptions, machine: Machine) -> Machine:
    """The machine with the joint speed and acceleration that are given instead of its own."""
    from dataclasses import replace

    import numpy as np

    limits = machine.limits
    if given.joint_speed is not None:
        limits = replace(limits, joint_speed=np.full(6, given.joint_speed * machine.joint_scale))
    if given.acceleration is not None:
        limits = replace(limits, joint_acceleration=np.full(6, given.acceleration * machine.joint_scale))
    return replace(machine, limits=limits)


def timing_of(given: PathOptions, machine: Machine) -> dict[str, Any]:
    """Keywords of `gough.motion.time_path`."""
    units = machine.units
    return {
        "follow": "optimal" if given.timing == "optimal" else "feed",
        "rapid": None if given.rapid is None else given.rapid * units.metres,
        "joint_speed": None if given.joint_speed is None else given.joint_speed * machine.joint_scale,
        "joint_acceleration": None if given.acceleration is None else given.acceleration * machine.joint_scale,
    }


def _check(given: PathOptions) -> None:
    for name, value in (
        ("feed", given.feed),
        ("rapid", given.rapid),
        ("acceleration", given.acceleration),
        ("joint-speed", given.joint_speed),
    ):
        if value is not None and not value > 0:
            raise InputError(f"--{name}: {value:g} is not above 0")
    if given.blend is not None and not given.blend >= 0:
        raise InputError(f"--blend: {given.blend:g} is below 0")


def _work(given: PathOptions, machine: Machine, orientation: Orientation) -> Array | None:
    from gough.cli.pose_input import parse_pose

    return None if given.work is None else parse_pose("--work", given.work, orientation, machine.units)


def _length(value: float | None, machine: Machine) -> float | None:
    return None if value is None else value * machine.units.metres


def _program(file: str, machine: Machine, orientation: Orientation, given: PathOptions) -> ReadPath:
    from gough.cli.progress import progress
    from gough.motion.programs.program_path import Spindle as Side
    from gough.motion.programs.program_path import program_path, program_start
    from gough.motion.programs.reader import read_program

    if given.timing == "given":
        raise InputError("--timing given is for tables with times; a part program has feeds")
    work, side = _work(given, machine, orientation), cast("Side | None", given.spindle)
    with progress(f"reading {file}") as advance:
        program = read_program(file, program_start(machine, work=work, spindle=side), progress=advance)
    how: dict[str, Any] = {
        "work": work,
        "spindle": side,
        "blend": DEFAULT_BLEND if given.blend is None else given.blend * machine.units.metres,
        "feed": _length(given.feed, machine),
    }
    if machine.head is not None and given.head == "shared":
        plan = _shared(machine, program, how, given)
    else:
        with progress("choosing the roll"):
            plan = program_path(machine, program, roll=_roll(given.roll, machine), **how)
    facts = [
        f"{program.lines} lines, {len(program.moves)} moves, {_metres(program.cutting_length)} of path with a feed"
    ]
    if program.ignored:
        facts.append("No motion here: " + ", ".join(f"{word} (line {k})" for word, k in program.ignored.items()))
    return ReadPath(plan, "line", tuple(facts))


def _shared(machine: Machine, program: Program, how: dict[str, Any], given: PathOptions) -> PlannedPath:
    """The program shared by platform and head, with progress shown."""
    from gough.cli.progress import watched
    from gough.motion.programs.head_program import head_program

    if given.roll not in (None, "margins"):
        raise InputError("--roll: with a tool head that shares the tool the roll is chosen by margins; or --head held")
    return watched("sharing the tool", head_program, machine, program, **how)


def _metres(length: float) -> str:
    return f"{length:.4g} m"


def _roll(text: str | None, machine: Machine) -> float | Literal["margins"] | None:
    from gough.cli.numbers import numbers

    if text is None or text == "margins":
        return cast(Literal["margins"] | None, text)
    return float(numbers("--roll", text, (1,))[0]) * machine.units.radians


def _path_file(file: str, machine: Machine, orientation: Orientation, given: PathOptions) -> ReadPath:
    from gough.motion.programs.path_file import path_from_file
    from gough.motion.programs.path_file_schema import read_path_file

    if given.timing == "given":
        raise InputError("--timing given is for tables with times; a path file has feeds")
    described = read_path_file(file)
    plan = path_from_file(
        machine,
        described,
        file,
        work=_work(given, machine, orientation),
        blend=_length(given.blend, machine),
        feed=_length(given.feed, machine),
    )
    return ReadPath(plan, "segment", (f"{len(described.segments)} segments",))


def _table(file: str, machine: Machine, orientation: Orientation, given: PathOptions) -> ReadPath:
    from gough.cli.pose_input import read_path_table
    from gough.motion.programs.path_file import Moves as Moved
    from gough.motion.programs.path_file import motion_through_poses, path_through_poses

    time, X = read_path_table(file, orientation, machine.units)
    where = "standard input" if file == "-" else file
    how = {"work": _work(given, machine, orientation), "moves": cast("Moved", given.moves)}
    facts = (f"{len(X)} poses",)
    if given.timing == "given" and time is None:
        raise InputError(f"{where}: --timing given needs a column time")
    if time is not None and given.timing in (None, "given"):
        judged = judged_by(given, machine)
        return ReadPath(motion_through_poses(judged, time, X, where, **how), "row", facts, True)  # type: ignore[arg-type]
    plan = path_through_poses(
        machine,
        X,
        where,
        smooth=given.through == "spline",
        blend=_length(given.blend, machine) or 0.0,
        feed=_length(given.feed, machine),
        **how,  # type: ignore[arg-type]
    )
    return ReadPath(plan, "row", facts)
