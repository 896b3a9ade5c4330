"""`gough path`: part programs, path files and tables of poses, checked, timed and simulated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer import Argument, Option

import gough
from gough.cli.command import Request, command
from gough.cli.options import named, option
from gough.cli.uncertainty_input import Uncertain
from gough.errors import InputError
from gough.present.answer import JSON, Answer, Field, Words, aligned, json_keys, json_of, sentence
from gough.quantity import LEGS

STRUT_PROGRAMS = (".ngc", ".nc", ".gcode", ".tap", ".cnc", ".gc")
OF_UNTIMED = ("feed", "blend", "through")
"""Options for paths without times only, by their names in Python."""


@dataclass(frozen=True)
class StrutProgram:
    """Options of the motion written as a program of the joints."""

    strut_program: Path | None = option(
        None,
        "--strut-program",
        metavar="FILE.ngc",
        help="The motion as a program of the joints, for LinuxCNC.",
        callback=named(*STRUT_PROGRAMS),
    )
    tolerance: float | None = option(
        metavar="NUMBER",
        help="Of the strut program: how far the tool may leave its path; 0.01 mm if not given.",
    )
    letters: str = option("XYZABC", metavar="LETTERS", help="Of the strut program: the words of legs 1 to 6.")

    def write(self, request: Request, found: gough.motion.PathReport, file: str) -> None:
        """Write the program to its file, if there is one."""
        if self.strut_program is None:
            return
        from gough.files import write_whole
        from gough.motion.programs.joint_program import joint_program

        how: dict[str, Any] = {"letters": self.letters.upper(), "title": _title(found, file)}
        if self.tolerance is not None:
            how["tolerance"] = request.amount(self.tolerance, "m")
        with request.progress("dividing the motion") as advance:
            program = joint_program(request.machine, found.motion, **how, progress=advance)  # type: ignore[arg-type]
        write_whole(self.strut_program, program.text)
        request.note(f"wrote {self.strut_program}: {program.sentence()}")


def _title(found: gough.motion.PathReport, file: str) -> str:
    """Name of the source and, of a part program, the side of the spindle."""
    return f"{file}; tool {found.plan.spindle}" if found.plan.spindle else file


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
    """Feasibility and timing of a path.

    Which leg is used most, and where the path violates limits.

    The path is checked whole against every limit, then timed: feeds kept
    where the legs allow. With --output the legs over time (CSV; netCDF for
    names in .nc); with --json the report in numbers.
    """
    from gough.cli.path_input import read_path, refuse_idle, reported
    from gough.motion.timed_path import TimedPath

    given = request.options
    refuse_idle(request, file)
    if struts.strut_program is None:
        request.counts_only_with("--strut-program", "tolerance", "letters")
    plan = read_path(file, request)
    if isinstance(plan, TimedPath):
        request.counts_only_with("poses without times, or with --timing optimal or feed", *OF_UNTIMED)
    found = reported(plan, request, samples, **near.of(request, plan))
    files = {"--output": given.output, "--figure": given.figure, "--strut-program": struts.strut_program}
    wanted = [name for name, target in files.items() if target is not None]
    if wanted and found.motion is None:
        raise InputError(f"{wanted[0]}: there is no motion to write: {found.why_not}")
    if given.output is not None:
        request.write_file(_history(request, found), as_json=given.output.suffix.lower() == JSON)
    request.draw(lambda: gough.plot.animation(request.machine, found.history))  # type: ignore[arg-type]
    struts.write(request, found, file)
    request.print(Answer(_fields(found), lambda: _words(request, found)))


def _history(request: Request, found: gough.motion.PathReport) -> Answer:
    """The legs over time, with the line, segment or row, the tip, the head and the smallest margin."""
    from gough.cli.histories import over_time
    from gough.present.fields import variables

    data: Any = found.history
    time, *rest = over_time(request, data)
    fields = [time, *variables(data, {"number": found.plan.counts}), *rest, *variables(data, {"tip": "tip_{}"})]
    if "head_joint" in data:
        fields += request.head(data["head_joint"].to_numpy())
    return Answer([*fields, *variables(data, {"margin": ""})], data=lambda: data)


def _fields(found: gough.motion.PathReport) -> list[Field]:
    check, work = found.check, found.work
    fields = [
        *json_keys(source=found.plan.where),
        *json_of(found, ("is_feasible", "feasible")),
        *json_keys(verdict=check.verdict, intervals=check.looked, tightest=check.tightest),
        *json_of(found, "stretches", "broken_limits"),
        *json_of(found, "roll", "duration", is_unit_in_key=True),
    ]
    if found.plan.spindle:
        fields += json_keys(spindle=found.plan.spindle_record())
    if work is None or not found.is_reachable:
        return [*fields, *json_of(found, "why_not")]
    return [
        *fields,
        *json_of(
            found,
            ("times", "times_s"),
            ("binding", "held_back_by"),
            ("worst_utilisation", "worst_share"),
            "worst_limit",
        ),
        *json_keys(hardest_leg=work.hardest),
        *work.fields(found.machine, "legs."),
    ]


def _words(request: Request, found: gough.motion.PathReport) -> Words:
    yield from map(sentence, found.plan.contents)
    yield from found.verdict()
    yield from aligned(found.facts().items())
    if found.work is not None and found.is_reachable:
        yield ""
        yield request.show.table("leg", LEGS, found.work.fields(found.machine))
