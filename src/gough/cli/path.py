"""`gough path`: part programs, path files and tables of poses, judged, timed and carried out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import degrees
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from typer import Argument, Option

import gough
from gough.cli.command import Request, command
from gough.cli.options import option, writable
from gough.cli.uncertainty_input import Uncertain
from gough.errors import InputError
from gough.present.answer import LEGS, Answer, Field, Words, sentence

if TYPE_CHECKING:
    from gough.cli.inputs import Inputs
    from gough.machine import Machine
    from gough.motion.path_check import LegWork, PathReport
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
NAMED = 4
"""Limits named that hold the motion back."""


@dataclass(frozen=True)
class StrutProgram:
    """Options of the motion as a program of the joints."""

    strut_program: FilePath | None = option(
        None,
        "--strut-program",
        metavar="FILE.ngc",
        help="The motion as a program of the joints, for LinuxCNC.",
        callback=writable,
    )
    tolerance: float | None = option(
        metavar="NUMBER",
        help="Of the strut program: how far the tool may leave its path; 0.01 mm if not given.",
    )
    letters: str = option("XYZABC", metavar="LETTERS", help="Of the strut program: the words of legs 1 to 6.")

    def write(self, request: Request, found: PathReport, file: str, target: FilePath) -> None:
        """Write the program to its file."""
        from gough.files import write_whole
        from gough.motion.programs.joint_program import TOLERANCE, joint_program

        _needs_motion(found, "--strut-program")
        if found.plan.head is not None:
            raise InputError(
                "--strut-program writes the six legs, and here the tool head moves besides; give --head held"
            )
        m, unit = request.machine, request.unit("m")
        allowed = TOLERANCE if self.tolerance is None else self.tolerance * m.units.metres
        with request.progress("dividing the motion") as advance:
            program = joint_program(
                m, found.motion, tolerance=allowed, letters=self.letters.upper(), title=file, progress=advance  # type: ignore[arg-type]
            )  # fmt: skip
        write_whole(target, program.text)
        off = program.deviation / m.units.metres
        request.note(f"wrote {target}: {len(program)} points; straight joints leave the path by {off:.3g} {unit}")


@command("path", "of path", "orientation", "payload", "figure", "output")
def path(
    request: Request,
    *,
    file: str = Argument(
        metavar="FILE",
        help="Part program (.ngc, .gcode, .tap, .cnc, .nc), path file (.toml), or CSV of poses with or without "
        "a column time; - for a CSV on standard input.",
    ),
    samples: int = Option(2001, metavar="NUMBER", min=2, max=1_000_000, help="Times of the history, corners apart."),
    near: Uncertain,
    struts: StrutProgram,
) -> None:
    """Whether and how quickly the machine can follow a path.

    Which leg works hardest, and where the path is not allowed.

    The path is checked whole against every limit, then timed: feeds kept
    where the legs allow. With --output the legs over time (CSV; netCDF for
    names in .nc); with --json the report in numbers.
    """
    from gough.motion.timing.timed_path import TimedPath

    refuse_idle(request, file)
    if struts.strut_program is None:
        request.counts_only_with("--strut-program", "tolerance", "letters")
    plan, facts = read_path(file, request)
    if isinstance(plan, TimedPath):
        request.counts_only_with("poses without times, or with --timing optimal or feed", *OF_UNTIMED)
    found = reported(plan, request, samples, **near.of(request, plan))
    if request.options.output is not None:
        _needs_motion(found, "--output")
        request.write_file(history(request, found))
    if request.options.figure is not None:
        _needs_motion(found, "--figure")
        request.draw(lambda: gough.plot.animation(request.machine, found.history))  # type: ignore[arg-type]
    if struts.strut_program is not None:
        struts.write(request, found, file, struts.strut_program)
    fields = [replace(each, is_csv=False) for each in _fields(found)]
    request.print(Answer(fields, lambda: _words(request, found, facts)))


def reported(plan: PlannedPath | TimedPath, inputs: Inputs, samples: int = 2001, **how: Any) -> PathReport:
    """The path judged, timed and carried out, with progress shown."""
    from gough.cli.progress import watched
    from gough.motion.check import path_report

    how["follow"] = "optimal" if inputs.options.timing == "optimal" else "feed"
    how["rapid"] = inputs.amount(inputs.options.rapid, "m")
    return watched("following the path", path_report, plan, samples=samples, **how)


def _needs_motion(found: PathReport, what: str) -> None:
    if found.motion is None:
        raise InputError(f"{what}: there is no motion to write: {found.why_not}")


def history(request: Request, found: PathReport) -> Answer:
    """The history of the legs."""
    from gough.cli.histories import OF_LEGS, with_readings
    from gough.present.fields import variables

    assert found.history is not None
    data, head = with_readings(found.history, request.machine), request.machine.head
    fields = [
        *variables(data, {"time": ""}),
        Field(found.plan.counts, data["number"].to_numpy()),
        *request.poses(data["pose"].to_numpy()),
        *variables(data, {"tip": "tip_{}"}),
        *variables(data, OF_LEGS, is_unit_in_key=True),
    ]
    if "head_joint" in data and head is not None:
        names = [joint.name for joint in head.moving]
        fields.append(Field("head", data["head_joint"].to_numpy(), head.units, names))
    fields.append(Field("margin", data["margin"].to_numpy()))
    flags = {name: ("time", data[name].to_numpy().astype("i1")) for name in ("allowed", "is_rapid")}
    return Answer(fields, data=lambda: data.drop_vars(list(flags)).assign(flags))


def _words(request: Request, found: PathReport, facts: Iterable[str]) -> Words:
    from gough.present.units import percent

    yield from (f"{fact}." for fact in facts)
    yield verdict(found)
    yield from (f"  {each}" for each in found.sentences())
    if found.motion is None:
        yield f"It cannot be timed: {found.why_not}"
        return
    times = ", ".join(f"{seconds:.4g} s {what}" for what, seconds in found.times.items() if seconds > 0)
    yield f"It takes {found.motion.duration:.4g} s: {times}."
    binding = [f"{name} {percent(part, 3)}" for name, part in list(found.binding.items())[:NAMED]]
    yield f"Held back by: {', '.join(binding)} of the time."
    low, high = map(degrees, found.plan.roll)
    if low != high or low != 0:
        yield f"Roll about the tool: {low:.4g} deg" + (f" to {high:.4g} deg." if high != low else " throughout.")
    if found.work is not None:
        yield request.show.table("leg", LEGS, found.work.fields(found.plan.machine))
        yield _hardest(request, found.work)


def verdict(found: PathReport) -> str:
    """Whether the machine can follow, as a sentence, before where it cannot."""
    words = sentence(found.sentence())
    return f"{words[:-1]}:" if found.is_feasible is False and found.sentences() else words


def _hardest(request: Request, work: LegWork) -> str:
    k = work.hardest - 1
    why = f"a travel of {request.show.with_unit(work.travel[k], request.machine.legs.joint_unit)}"
    if work.rms_power is not None:
        why = f"{work.rms_power[k]:.4g} W in the root mean square"
    return f"Leg {work.hardest} works hardest: {why}."


def _fields(found: PathReport) -> Iterable[Field]:
    motion, work = found.motion, found.work
    yield Field("source", found.plan.where)
    yield Field("feasible", found.is_feasible)
    yield Field("verdict", found.check.verdict)
    yield Field("intervals", found.check.looked)
    yield Field("tightest", found.check.tightest)
    yield Field("stretches", _stretches(found))
    yield Field("roll_deg", [degrees(angle) for angle in found.plan.roll])
    yield Field("duration_s", None if motion is None else motion.duration)
    if motion is None or work is None:
        yield Field("why_not", found.why_not)
        return
    yield Field("times_s", found.times)
    yield Field("held_back_by", found.binding)
    yield Field("worst_share", found.worst_utilisation)
    yield Field("worst_limit", found.worst_limit)
    yield Field("hardest_leg", work.hardest)
    yield from work.fields(found.plan.machine, "legs.")


def _stretches(found: PathReport) -> list[dict[str, Any]]:
    """Where limits are broken or not proven."""
    plan, check = found.plan, found.check
    return [
        {
            "verdict": verdict,
            f"first_{plan.counts}": int(plan.number[plan.segment_at(stretch.start)]),
            f"last_{plan.counts}": int(plan.number[plan.segment_at(stretch.end)]),
            "limits": list(stretch.limits),
            "sentence": stretch.sentence,
        }
        for verdict, stretches in (("broken", check.broken), ("unproven", check.unproven))
        for stretch in stretches
    ]


def read_path(file: str, inputs: Inputs) -> tuple[PlannedPath | TimedPath, tuple[str, ...]]:
    """The path in a file, by its ending, or the motion of a table with times; and what is said of it."""
    given, suffix = inputs.options, FilePath(file).suffix.lower()
    for name in ("feed", "rapid", "acceleration", "joint_speed"):
        value = getattr(given, name)
        if value is not None and not value > 0:
            raise InputError(f"--{name.replace('_', '-')}: {value:g} is not above 0")
    if given.blend is not None and not given.blend >= 0:
        raise InputError(f"--blend: {given.blend:g} is below 0")
    read = _program if suffix in PROGRAMS else _path_file if suffix == ".toml" else _table
    return read(file, inputs, _judged_by(inputs), inputs.pose("--work", given.work))


def refuse_idle(request: Request, file: str) -> None:
    """Refuse options that say nothing about a file of this kind."""
    suffix = FilePath(file).suffix.lower()
    if suffix not in PROGRAMS:
        request.counts_only_with("part programs", *OF_PROGRAMS)
    is_table = suffix not in (*PROGRAMS, ".toml")
    request.counts_only_with(*(("part programs and path files", "rapid") if is_table else ("tables", *OF_TABLES)))


def _judged_by(inputs: Inputs) -> Machine:
    """The machine with the joint speed and acceleration that are given instead of its own."""
    import numpy as np

    m, given = inputs.machine, inputs.options
    limits = {"joint_speed": given.joint_speed, "joint_acceleration": given.acceleration}
    of_each: dict[str, Any] = {
        name: np.full(6, one * m.displayed_joint_size) for name, one in limits.items() if one is not None
    }
    return replace(m, limits=replace(m.limits, **of_each)) if of_each else m


def _program(file: str, inputs: Inputs, m: Machine, work: Any) -> tuple[PlannedPath, tuple[str, ...]]:
    from gough.cli.progress import progress, watched
    from gough.motion.programs.head_program import head_program
    from gough.motion.programs.program_path import program_path, program_start
    from gough.motion.programs.reader import read_program

    given = inputs.options
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
        roll: Any = given.roll
        if roll not in (None, "margins"):
            roll = float(inputs.numbers("--roll", roll, (1,), "rad")[0])
        with progress("choosing the roll"):
            plan = program_path(m, program, roll=roll, **how)
    facts = [f"{program.lines} lines, {len(program.moves)} moves, {program.cutting_length:.4g} m of path with a feed"]
    if program.ignored:
        facts.append("No motion here: " + ", ".join(f"{word} (line {k})" for word, k in program.ignored.items()))
    return plan, tuple(facts)


def _path_file(file: str, inputs: Inputs, m: Machine, work: Any) -> tuple[PlannedPath, tuple[str, ...]]:
    from gough.motion.programs.path_file import path_from_file
    from gough.motion.programs.path_file_schema import read_path_file

    given = inputs.options
    if given.timing == "given":
        raise InputError("--timing given is for tables with times; a path file has feeds")
    described = read_path_file(file)
    blend, feed = inputs.amount(given.blend, "m"), inputs.amount(given.feed, "m")
    plan = path_from_file(m, described, file, work=work, blend=blend, feed=feed)
    return plan, (f"{len(described.segments)} segments",)


def _table(file: str, inputs: Inputs, m: Machine, work: Any) -> tuple[PlannedPath | TimedPath, tuple[str, ...]]:
    from gough.cli.pose_input import read_path_table
    from gough.motion.programs.path_file import motion_through_poses, path_through_poses

    given, where = inputs.options, "standard input" if file == "-" else file
    time, X = read_path_table(file, inputs.orientation, m.units)
    facts, how = (f"{len(X)} poses",), {"work": work, "moves": given.moves}
    if given.timing == "given" and time is None:
        raise InputError(f"{where}: --timing given needs a column time")
    if time is not None and given.timing in (None, "given"):
        return motion_through_poses(m, time, X, where, **how), facts
    blend, feed = inputs.amount(given.blend or 0.0, "m"), inputs.amount(given.feed, "m")
    return path_through_poses(m, X, where, smooth=given.through == "spline", blend=blend, feed=feed, **how), facts
