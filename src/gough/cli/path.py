"""`gough path`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from typer import Argument, Option

import gough
from gough.cli.command import Request, command
from gough.cli.options import option, writable
from gough.errors import InputError

if TYPE_CHECKING:
    from gough.cli.inputs import Inputs
    from gough.cli.path_input import ReadPath


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

    def write(self, request: Request, found: gough.motion.PathReport, file: str, target: FilePath) -> None:
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
    from gough.cli.path_output import history, path_answer

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


def reported(read: ReadPath, inputs: Inputs, samples: int = 2001, **uncertain: Any) -> gough.motion.PathReport:
    """The path judged, timed and carried out, with progress shown."""
    from gough.cli.path_input import timing_of
    from gough.cli.progress import watched
    from gough.motion.path_report import path_report

    how = {"samples": samples, **uncertain, **timing_of(inputs)}
    return watched("following the path", path_report, read.plan, **how)


def _needs_motion(found: gough.motion.PathReport, what: str) -> None:
    if found.motion is None:
        raise InputError(f"{what}: there is no motion to write: {found.why_not}")
