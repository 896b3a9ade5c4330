"""`gough path`: part programs, path files and tables of poses, checked, timed and simulated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Context, Option

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    Figure,
    Json,
    MachineName,
    Options,
    Output,
    Sequences,
    Work,
    named,
    number,
    text,
)
from gough.errors import InputError
from gough.present.answer import JSON, Answer, Field, Words, aligned, json_keys, json_of, sentence
from gough.quantity import LEGS

if TYPE_CHECKING:
    from gough.cli.request import Request

STRUT_PROGRAMS = (".ngc", ".nc", ".gcode", ".tap", ".cnc", ".gc")
OF_UNTIMED = ("feed", "blend")
"""Options for paths without times only, by their names in Python."""


def _write_struts(request: Request, found: gough.motion.PathReport, file: str, target: Path) -> None:
    """Write the motion as a program of the joints."""
    from gough.files import write_whole
    from gough.motion.programs.joint_program import joint_program

    with request.progress("dividing the motion") as advance:
        program = joint_program(request.machine, found.motion, title=_title(found, file), progress=advance)  # type: ignore[arg-type]
    write_whole(target, program.text)
    request.note(f"wrote {target}: {program.sentence()}")


def _title(found: gough.motion.PathReport, file: str) -> str:
    """Name of the source and, of a part program, the side of the spindle."""
    return f"{file}; tool {found.plan.spindle}" if found.plan.spindle else file


def path(
    context: Context, machine: MachineName,
    file: Annotated[
        str, Argument(metavar="FILE", help="Part program (.ngc, .gcode, .tap, .cnc, .nc), path file (.toml), or CSV of "
                      "poses with or without a column time; - for a CSV on standard input.")
    ],
    timing: Annotated[
        Literal["feed", "optimal", "given"] | None,
        Option(help="Keep the feeds where the legs allow; go as quickly as they can; or the times of the table, which "
               "is the rule where it has them."),
    ] = None,
    work: Work = None,
    feed: Annotated[
        float | None, number("NUMBER", "Speed of the tip instead of the file's feeds, length per s.")
    ] = None,
    blend: Annotated[
        float | None,
        number("NUMBER", "How far corners may be rounded; 0.01 mm for part programs if not given.", low=0.0),
    ] = None,
    joint_speed: Annotated[
        float | None, number("NUMBER", "Largest joint speed instead of the machine's.", "--joint-speed")
    ] = None,
    acceleration: Annotated[
        float | None, number("NUMBER", "Largest joint acceleration instead of the machine's.")
    ] = None,
    uncertainty: Annotated[
        str | None,
        text("LENGTH[,ANGLE]|FILE.csv|calibration", "Check all poses so near the path: how far the point of interest "
             "may be off, and how far turned; a table of these along the path; or the covariance beside the calibrated "
             "machine's file."),
    ] = None,
    spindle: Annotated[
        Literal["+z", "-z"] | None,
        Option(help="Side of the spindle along z of the tool frame, for part programs; the machine file's, or the side "
               "that points up, if not given."),
    ] = None,
    strut_program: Annotated[
        Path | None, Option(metavar="FILE.ngc", help="The motion as a program of the joints, for LinuxCNC.",
                            callback=named(*STRUT_PROGRAMS))
    ] = None,
    sequence: Sequences = None, figure: Figure = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Feasibility and timing of a path.

    Which leg is used most, and where the path violates limits.

    The path is checked whole against every limit, then timed: feeds kept
    where the legs allow. With --output the legs over time (CSV; netCDF for
    names in .nc); with --json the report in numbers.
    """
    from gough.cli.path_input import is_program, read_path, reported
    from gough.cli.uncertainty_input import uncertainty_of
    from gough.motion.timed_path import TimedPath

    given = Options(
        timing=timing, work=work, feed=feed, blend=blend, joint_speed=joint_speed, acceleration=acceleration,
        sequence=sequence, figure=figure, as_json=as_json, output=output,
    )  # fmt: skip
    request = request_of(context, machine, given)
    if not is_program(file):
        request.counts_only_with("part programs", "spindle")
    plan = read_path(file, request, spindle=spindle)
    if isinstance(plan, TimedPath):
        request.counts_only_with("poses without times, or with --timing optimal or feed", *OF_UNTIMED)
    near: dict[str, Any] = {}
    if uncertainty is not None:
        near["uncertainty"] = uncertainty_of(uncertainty, request, plan)
    found = reported(plan, request, **near)
    files = {"--output": output, "--figure": figure, "--strut-program": strut_program}
    wanted = [name for name, target in files.items() if target is not None]
    if wanted and found.motion is None:
        raise InputError(f"{wanted[0]}: there is no motion to write: {found.why_not}")
    if output is not None:
        request.write_file(_history(request, found), as_json=output.suffix.lower() == JSON)
    request.draw(lambda: gough.plot.animation(request.machine, found.history))  # type: ignore[arg-type]
    if strut_program is not None:
        _write_struts(request, found, file, strut_program)
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
        *json_keys(verdict=check.verdict, boxes=check.boxes, tightest=check.tightest),
        *json_of(found, "stretches", "broken_limits"),
        *json_of(found, "roll", "duration"),
    ]
    if found.plan.spindle:
        fields += json_keys(spindle=found.plan.spindle_record())
    if work is None or not found.is_reachable:
        return [*fields, *json_of(found, "why_not")]
    return [
        *fields,
        *json_of(found, "times", unit="s"),
        *json_of(
            found,
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
