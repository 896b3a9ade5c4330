"""Paths as the command line takes them: part programs, path files and tables of poses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from gough.cli.command import Request
from gough.cli.pose_input import read_path_table
from gough.cli.progress import progress, watched
from gough.errors import InputError
from gough.motion.programs.head_program import head_program
from gough.motion.programs.path_file import motion_through_poses, path_from_file, path_through_poses
from gough.motion.programs.path_file_schema import read_path_file
from gough.motion.programs.program_path import program_path, program_start
from gough.motion.programs.reader import read_program

if TYPE_CHECKING:
    from gough.cli.inputs import Inputs
    from gough.machine import Machine
    from gough.motion.planned_path import PlannedPath
    from gough.motion.timing.timed_path import TimedPath

PROGRAMS = (".ngc", ".gcode", ".tap", ".cnc", ".nc", ".gc")
"""Endings of part programs; .nc is netCDF only for what is written."""
DEFAULT_BLEND = 1e-5
"""How far corners of part programs are rounded [m]."""
OF_PROGRAMS = ("roll", "spindle", "head")
OF_TABLES = ("moves", "through")
OF_UNTIMED = ("feed", "blend", "through")
"""Options that count only for files of one kind, by their names in Python."""


@dataclass(frozen=True, eq=False)
class ReadPath:
    """A path read: the plan, or the motion of a table with times; what its numbers count; what is said of it; whether a
    table's times are kept."""

    plan: PlannedPath | TimedPath
    counts: str
    facts: tuple[str, ...]
    is_timed: bool = False


def read_path(file: str, inputs: Inputs) -> ReadPath:
    """The path in a file, by its ending."""
    given, suffix = inputs.options, Path(file).suffix.lower()
    for name in ("feed", "rapid", "acceleration", "joint_speed"):
        value = getattr(given, name)
        if value is not None and not value > 0:
            raise InputError(f"--{name.replace('_', '-')}: {value:g} is not above 0")
    if given.blend is not None and not given.blend >= 0:
        raise InputError(f"--blend: {given.blend:g} is below 0")
    if suffix in PROGRAMS:
        return _program(file, inputs)
    return _path_file(file, inputs) if suffix == ".toml" else _table(file, inputs)


def refuse_idle(request: Request, file: str) -> None:
    """Refuse options that say nothing about a file of this kind."""
    suffix = Path(file).suffix.lower()
    if suffix not in PROGRAMS:
        request.counts_only_with("part programs", *OF_PROGRAMS)
    is_table = suffix not in (*PROGRAMS, ".toml")
    request.counts_only_with(*(("part programs and path files", "rapid") if is_table else ("tables", *OF_TABLES)))


def judged_by(inputs: Inputs) -> Machine:
    """The machine with the joint speed and acceleration that are given instead of its own."""
    m, given = inputs.machine, inputs.options
    limits = m.limits
    if given.joint_speed is not None:
        limits = replace(limits, joint_speed=np.full(6, given.joint_speed * m.displayed_joint_size))
    if given.acceleration is not None:
        limits = replace(limits, joint_acceleration=np.full(6, given.acceleration * m.displayed_joint_size))
    return replace(m, limits=limits)


def timing_of(inputs: Inputs) -> dict[str, Any]:
    """Keywords of `gough.motion.time_path`."""
    given, joint = inputs.options, inputs.machine.legs.joint_unit
    return {
        "follow": "optimal" if given.timing == "optimal" else "feed",
        "rapid": inputs.amount(given.rapid, "m"),
        "joint_speed": inputs.amount(given.joint_speed, joint),
        "joint_acceleration": inputs.amount(given.acceleration, joint),
    }


def _program(file: str, inputs: Inputs) -> ReadPath:
    m, given, work = inputs.machine, inputs.options, _work(inputs)
    if given.timing == "given":
        raise InputError("--timing given is for tables with times; a part program has feeds")
    with progress(f"reading {file}") as advance:
        program = read_program(file, program_start(m, work=work, spindle=given.spindle), progress=advance)
    how: dict[str, Any] = {"work": work, "spindle": given.spindle, "feed": inputs.amount(given.feed, "m")}
    how["blend"] = DEFAULT_BLEND if given.blend is None else inputs.amount(given.blend, "m")
    if m.head is not None and given.head == "shared":
        if given.roll not in (None, "margins"):
            raise InputError(
                "--roll: with a tool head that shares the tool the roll is chosen by margins; or --head held"
            )
        plan = watched("sharing the tool", head_program, m, program, **how)
    else:
        with progress("choosing the roll"):
            plan = program_path(m, program, roll=_roll(inputs), **how)
    length = f"{program.cutting_length:.4g} m of path with a feed"
    facts = [f"{program.lines} lines, {len(program.moves)} moves, {length}"]
    if program.ignored:
        facts.append("No motion here: " + ", ".join(f"{word} (line {k})" for word, k in program.ignored.items()))
    return ReadPath(plan, "line", tuple(facts))


def _work(inputs: Inputs) -> Any:
    return inputs.pose("--work", inputs.options.work)


def _roll(inputs: Inputs) -> float | Literal["margins"] | None:
    text = inputs.options.roll
    if text is None or text == "margins":
        return cast(Literal["margins"] | None, text)
    return float(inputs.numbers("--roll", text, (1,), "rad")[0])


def _path_file(file: str, inputs: Inputs) -> ReadPath:
    given = inputs.options
    if given.timing == "given":
        raise InputError("--timing given is for tables with times; a path file has feeds")
    described = read_path_file(file)
    blend, feed = inputs.amount(given.blend, "m"), inputs.amount(given.feed, "m")
    plan = path_from_file(inputs.machine, described, file, work=_work(inputs), blend=blend, feed=feed)
    return ReadPath(plan, "segment", (f"{len(described.segments)} segments",))


def _table(file: str, inputs: Inputs) -> ReadPath:
    m, given = inputs.machine, inputs.options
    time, X = read_path_table(file, inputs.orientation, m.units)
    where = "standard input" if file == "-" else file
    work, facts = _work(inputs), (f"{len(X)} poses",)
    if given.timing == "given" and time is None:
        raise InputError(f"{where}: --timing given needs a column time")
    if time is not None and given.timing in (None, "given"):
        motion = motion_through_poses(judged_by(inputs), time, X, where, work=work, moves=given.moves)
        return ReadPath(motion, "row", facts, is_timed=True)
    plan = path_through_poses(
        m,
        X,
        where,
        work=work,
        moves=given.moves,
        smooth=given.through == "spline",
        blend=inputs.amount(given.blend or 0.0, "m"),
        feed=inputs.amount(given.feed, "m"),
    )
    return ReadPath(plan, "row", facts)
