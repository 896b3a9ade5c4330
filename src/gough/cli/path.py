"""`gough path`: part programs, path files and tables of poses, checked, timed and simulated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Argument, Option

import gough
from gough.cli.command import Request, command
from gough.cli.options import option, writable
from gough.errors import InputError
from gough.present.answer import LEGS, Answer, Field, Words, aligned, json_keys, json_of, sentence

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.motion.planned_path import PlannedPath
    from gough.motion.report import PathReport
    from gough.motion.timed_path import TimedPath
    from gough.motion.uncertainty import UncertaintyLike

CALIBRATION = "calibration"
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
        callback=writable,
    )
    tolerance: float | None = option(
        metavar="NUMBER",
        help="Of the strut program: how far the tool may leave its path; 0.01 mm if not given.",
    )
    letters: str = option("XYZABC", metavar="LETTERS", help="Of the strut program: the words of legs 1 to 6.")

    def write(self, request: Request, found: PathReport, file: str) -> None:
        """Write the program to its file, if there is one."""
        if self.strut_program is None:
            return
        from gough.files import write_whole
        from gough.motion.programs.joint_program import joint_program

        how: dict[str, Any] = {"letters": self.letters.upper(), "title": file}
        if self.tolerance is not None:
            how["tolerance"] = request.amount(self.tolerance, "m")
        with request.progress("dividing the motion") as advance:
            program = joint_program(request.machine, found.motion, **how, progress=advance)  # type: ignore[arg-type]
        write_whole(self.strut_program, program.text)
        request.note(f"wrote {self.strut_program}: {program.sentence()}")


@dataclass(frozen=True)
class Uncertain:
    """Options of the distance of poses from the path."""

    uncertainty: str | None = option(
        metavar="LENGTH[,ANGLE]|FILE.csv|calibration",
        help="Check all poses so near the path: how far the point of interest may be off, and how far turned; a table "
        "of these along the path; or the covariance beside the calibrated machine's file.",
    )
    confidence: float | None = option(
        metavar="PART", help="Of a calibration's errors, this part is checked; 0.95 if not given."
    )

    def of(self, request: Request, plan: PlannedPath | TimedPath) -> dict[str, Any]:
        """Keywords of `gough.motion.check_path`."""
        if self.uncertainty is None or self.uncertainty != CALIBRATION:
            request.counts_only_with(f"--uncertainty {CALIBRATION}", "confidence")
        if self.uncertainty is None:
            return {}
        found: dict[str, Any] = {"uncertainty": _uncertainty(self.uncertainty, request, plan)}
        return found if self.confidence is None else {**found, "confidence": self.confidence}


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
        request.write_file(_history(request, found))
    request.draw(lambda: gough.plot.animation(request.machine, found.history))  # type: ignore[arg-type]
    struts.write(request, found, file)
    request.print(Answer(_fields(found), lambda: _words(request, found)))


def _history(request: Request, found: PathReport) -> Answer:
    """The legs over time, with the line, segment or row, the tip, the head and the smallest margin."""
    from gough.cli.histories import over_time
    from gough.present.fields import variables

    data: Any = found.history
    time, *rest = over_time(request, data)
    fields = [time, *variables(data, {"number": found.plan.counts}), *rest, *variables(data, {"tip": "tip_{}"})]
    if "head_joint" in data:
        fields += request.head(data["head_joint"].to_numpy())
    return Answer([*fields, *variables(data, {"margin": ""})], data=lambda: data)


def _fields(found: PathReport) -> list[Field]:
    check, work = found.check, found.work
    fields = [
        *json_keys(source=found.plan.where),
        *json_of(found, "is_feasible:feasible"),
        *json_keys(verdict=check.verdict, intervals=check.looked, tightest=check.tightest),
        *json_of(found, "stretches"),
        *json_of(found, "roll duration", is_unit_in_key=True),
    ]
    if work is None:
        return [*fields, *json_of(found, "why_not")]
    return [
        *fields,
        *json_of(found, "times:times_s binding:held_back_by worst_utilisation:worst_share worst_limit"),
        *json_keys(hardest_leg=work.hardest),
        *work.fields(found.machine, "legs."),
    ]


def _words(request: Request, found: PathReport) -> Words:
    yield from map(sentence, found.plan.contents)
    yield from found.verdict()
    yield from aligned(found.facts().items())
    if found.work is not None:
        yield ""
        yield request.show.table("leg", LEGS, found.work.fields(found.machine))


def _uncertainty(text: str, request: Request, plan: PlannedPath | TimedPath) -> UncertaintyLike:
    """Radii, a table of radii along the path, or the covariance of a calibrated machine."""
    if text == CALIBRATION:
        from gough.calibration import pose_covariance
        from gough.calibration.remaining import has_covariance

        if not has_covariance(request.machine):
            raise InputError(
                f"--uncertainty {CALIBRATION}: machine {request.machine.name!r} has no covariance beside its file; "
                "gough calibrate --save writes both"
            )
        return partial(pose_covariance, request.machine)
    if text.lower().endswith(".csv"):
        return _along(text, request, plan)
    found = request.numbers("--uncertainty", text, (1, 2), ("m", "rad"))
    return found if len(found) > 1 else found[0]


def _along(file: str, request: Request, motion: PlannedPath | TimedPath) -> Array:
    """Rows (k, 3): parameters of the path, distances [m], angles [rad]."""
    import numpy as np

    from gough.cli.table import read_table
    from gough.motion.timed_path import TimedPath
    from gough.present.show import plain

    is_timed = isinstance(motion, TimedPath)
    plan: Any = motion.path if isinstance(motion, TimedPath) else motion
    counted = "time" if is_timed else plan.counts
    kinds = {counted: "time" if is_timed else "number", "distance": "length", "angle": "angle"}
    table = read_table(file, kinds, request.machine.units)
    for name in (counted, "distance"):
        if name not in table.columns:
            raise InputError(f"{table.where}: no column {name!r}; expected {counted}, distance and, if need be, angle")
    place, distance = table.columns[counted], table.columns["distance"]
    angle = table.columns.get("angle", np.zeros_like(distance))
    if not (np.diff(place) > 0).all():
        raise InputError(f"{table.where}: column {counted!r} does not rise from row to row")
    number, begin = np.unique(plan.number, return_index=True)
    first, last = plan.span if is_timed else (float(number[0]), float(number[-1] + 1))
    if place[0] > first or place[-1] < last:
        raise InputError(
            f"{table.where}: column {counted!r} is from {plain(place[0])} to {plain(place[-1])}, "
            f"the path from {plain(first)} to {plain(last)}"
        )
    if not is_timed:  # numbers of lines, segments or rows become path parameters; the last one ends with the path
        place = np.interp(place, np.append(number, last), np.append(plan.begins[begin], plan.span[1]))
    return np.stack([place, distance, angle], axis=1)
