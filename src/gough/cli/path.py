"""`gough path`."""

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
from gough.errors import InputError
from gough.present.answer import LEGS, Answer, Field, Words

if TYPE_CHECKING:
    from gough.cli.inputs import Inputs
    from gough.cli.path_input import ReadPath
    from gough.machine import Machine
    from gough.motion.path_check import LegWork, PathReport


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


@dataclass(frozen=True)
class Uncertain:
    """Options of how far poses may be from the path."""

    uncertainty: str | None = option(
        metavar="LENGTH[,ANGLE]|FILE.csv|calibration",
        help="Check all poses so near the path: how far the point of interest may be off, and how far turned; a table "
        "of these along the path; or the covariance beside the calibrated machine's file.",
    )
    confidence: float | None = option(
        metavar="PART", help="Of a calibration's errors, this part is checked; 0.95 if not given."
    )

    def of(self, request: Request, read: ReadPath) -> dict[str, Any]:
        """Keywords of `gough.motion.check_path`."""
        from gough.cli.uncertainty_input import CALIBRATION, read_uncertainty

        if self.uncertainty is None or self.uncertainty != CALIBRATION:
            request.counts_only_with(f"--uncertainty {CALIBRATION}", "confidence")
        if self.uncertainty is None:
            return {}
        found: dict[str, Any] = {"uncertainty": read_uncertainty(self.uncertainty, request, read)}
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
    """Whether and how quickly the machine can follow a path.

    Which leg works hardest, and where the path is not allowed.

    The path is checked whole against every limit, then timed: feeds kept
    where the legs allow. With --output the legs over time (CSV; netCDF for
    names in .nc); with --json the report in numbers.
    """
    from gough.cli.path_input import OF_UNTIMED, judged_by, read_path, refuse_idle

    refuse_idle(request, file)
    if struts.strut_program is None:
        request.counts_only_with("--strut-program", "tolerance", "letters")
    m, given = request.machine, request.options
    read = read_path(file, request)
    if read.is_timed:
        request.counts_only_with("poses without times, or with --timing optimal or feed", *OF_UNTIMED)
    found = reported(read, request, samples, **near.of(request, read))
    if given.output is not None:
        _needs_motion(found, "--output")
        request.write_file(history(request, found, read))
    if given.figure is not None:
        _needs_motion(found, "--figure")
        request.draw(lambda: gough.plot.animation(m, found.history))  # type: ignore[arg-type]
    if struts.strut_program is not None:
        struts.write(request, found, file, struts.strut_program)
    request.print(path_answer(request, found, read, judged_by(request)))


def reported(read: ReadPath, inputs: Inputs, samples: int = 2001, **uncertain: Any) -> PathReport:
    """The path judged, timed and carried out, with progress shown."""
    from gough.cli.path_input import timing_of
    from gough.cli.progress import watched
    from gough.motion.check import path_report

    how = {"samples": samples, **uncertain, **timing_of(inputs)}
    return watched("following the path", path_report, read.plan, **how)


def _needs_motion(found: PathReport, what: str) -> None:
    if found.motion is None:
        raise InputError(f"{what}: there is no motion to write: {found.why_not}")


def history(request: Request, found: PathReport, read: ReadPath) -> Answer:
    """The history of the legs."""
    from gough.cli.histories import OF_LEGS, with_readings
    from gough.present.fields import variables

    assert found.history is not None
    data, head = with_readings(found.history, request.machine), request.machine.head
    fields = [
        *variables(data, {"time": ""}),
        Field(read.counts, data["number"].to_numpy()),
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


def path_answer(request: Request, found: PathReport, read: ReadPath, machine: Machine) -> Answer:
    """Whether the machine can follow, how quickly, and what the legs do; `machine` has the limits that count."""
    return Answer(
        [replace(each, is_csv=False) for each in _fields(found, read, machine)],
        lambda: _words(request, found, read, machine),
    )


def _words(request: Request, found: PathReport, read: ReadPath, machine: Machine) -> Words:
    yield from (f"{fact}." for fact in read.facts)
    yield verdict(found, read)
    yield from (f"  {sentence}" for sentence in found.sentences(read.counts))
    if found.motion is None:
        yield f"It cannot be timed: {found.why_not}"
        return
    times = ", ".join(f"{seconds:.4g} s {what}" for what, seconds in found.times.items() if seconds > 0)
    yield f"It takes {found.motion.duration:.4g} s: {times}."
    binding = [f"{name} {100 * part:.3g} %" for name, part in list(found.binding.items())[:NAMED]]
    yield f"Held back by: {', '.join(binding)} of the time."
    low, high = map(degrees, found.plan.roll)
    if low != high or low != 0:
        yield f"Roll about the tool: {low:.4g} deg" + (f" to {high:.4g} deg." if high != low else " throughout.")
    if found.work is not None:
        yield request.show.table("leg", LEGS, found.work.fields(machine))
        yield _hardest(request, found.work)


def verdict(found: PathReport, read: ReadPath) -> str:
    """Whether the machine can follow, in a sentence."""
    if found.is_feasible:
        return f"Feasible: every limit is kept all along, proven over {found.check.looked} intervals."
    if found.is_feasible is None:
        return f"No pose that was computed breaks a limit, but that is no proof: {found.check.sentence()}."
    return "Not feasible:" if found.sentences(read.counts) else "Not feasible."


def _hardest(request: Request, work: LegWork) -> str:
    k = work.hardest - 1
    why = f"a travel of {request.show.with_unit(work.travel[k], request.machine.legs.joint_unit)}"
    if work.rms_power is not None:
        why = f"{work.rms_power[k]:.4g} W in the root mean square"
    return f"Leg {work.hardest} works hardest: {why}."


def _fields(found: PathReport, read: ReadPath, machine: Machine) -> Iterable[Field]:
    motion, work = found.motion, found.work
    yield Field("source", found.plan.where)
    yield Field("feasible", found.is_feasible)
    yield Field("verdict", found.check.verdict)
    yield Field("intervals", found.check.looked)
    yield Field("tightest", found.check.tightest)
    yield Field("stretches", _stretches(found, read.counts))
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
    yield from work.fields(machine, "legs.")


def _stretches(found: PathReport, counts: str) -> list[dict[str, Any]]:
    """Where limits are broken or not proven."""
    stretches = [("broken", each) for each in found.check.broken] + [
        ("unproven", each) for each in found.check.unproven
    ]
    number = found.plan.number
    return [
        {
            "verdict": verdict,
            f"first_{counts}": int(number[found.plan.segment_at(stretch.start)]),
            f"last_{counts}": int(number[found.plan.segment_at(stretch.end)]),
            "limits": list(stretch.limits),
            "sentence": stretch.sentence,
        }
        for verdict, stretch in stretches
    ]
