"""`gough path`."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

import typer

import gough
from gough.cli import options, path_input
from gough.cli.command import command
from gough.errors import InputError

if TYPE_CHECKING:
    from gough.cli.path_input import ReadPath
    from gough.cli.request import Request
    from gough.machine import Machine
    from gough.motion.path_report import PathReport

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Part program (.ngc, .gcode, .tap, .cnc, .nc), path file (.toml), or CSV of poses with or without "
        "a column time; - for a CSV on standard input.",
    ),
]
Samples = Annotated[
    int, typer.Option(metavar="NUMBER", min=2, max=1_000_000, help="Times of the path_report, corners apart.")
]
Strut = Annotated[
    FilePath | None,
    typer.Option("--strut-program", metavar="FILE.ngc", help="The motion as a program of the joints, for LinuxCNC."),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER", help="Of the strut program: how far the tool may leave its path; 0.01 mm if not given."
    ),
]
Letters = Annotated[str, typer.Option(metavar="LETTERS", help="Of the strut program: the words of legs 1 to 6.")]


@command("orientation", "payload", "output")
def path(
    request: Request,
    file: File,
    timing: path_input.Timing = None,
    work: path_input.Work = None,
    moves: path_input.Moves = "platform",
    feed: path_input.Feed = None,
    rapid: path_input.Rapid = None,
    blend: path_input.Blend = None,
    through: path_input.Through = "lines",
    roll: path_input.Roll = None,
    spindle: path_input.Spindle = None,
    head: path_input.HeadUse = "shared",
    joint_speed: path_input.Speed = None,
    acceleration: path_input.Acceleration = None,
    samples: Samples = 2001,
    figure: options.Figure = None,
    joint_program: Strut = None,
    tolerance: Tolerance = None,
    letters: Letters = "XYZABC",
) -> None:
    """Whether and how quickly the machine can follow a path.

    Which leg works hardest, and where the path is not allowed.

    The path is checked whole against every limit, then timed: feeds kept
    where the legs allow. With --output the legs over time (CSV; netCDF for
    names in .nc); with --json the path_report in numbers.
    """
    from gough.cli.path_output import history, path_answer
    from gough.files import check_writable

    path_input.refuse_idle(request, file)
    if joint_program is None:
        request.counts_only_with("--strut-program", "tolerance", "letters")
    if joint_program is not None:
        check_writable(joint_program)
    m, orientation = request.machine, request.orientation
    given = path_input.PathOptions(
        timing=timing, work=work, moves=moves, feed=feed, rapid=rapid, blend=blend, through=through, roll=roll,
        spindle=spindle, head=head, acceleration=acceleration, joint_speed=joint_speed,
    )  # fmt: skip
    read = path_input.read_path(file, m, orientation, given)
    if read.is_timed:
        request.counts_only_with("poses without times, or with --timing optimal or feed", *path_input.OF_UNTIMED)
    found = reported(read, m, given, samples)
    if request.output is not None:
        _needs_motion(found, "--output")
        request.write_file(history(request, found, read))
    if figure is not None:
        _needs_motion(found, "--figure")
        request.draw(figure, lambda: gough.plot.animation(m, found.history))  # type: ignore[arg-type]
    if joint_program is not None:
        _write_struts(found, m, file, joint_program, tolerance, letters)
    request.print(path_answer(request, found, read, path_input.judged_by(given, m)))


def reported(read: ReadPath, machine: Machine, given: path_input.PathOptions, samples: int = 2001) -> PathReport:
    """The path judged, timed and carried out, with progress shown."""
    from gough.cli.progress import watched
    from gough.motion.path_report import path_report

    timing = path_input.timing_of(given, machine)
    return watched("following the path", path_report, read.plan, samples=samples, **timing)


def _needs_motion(found: PathReport, what: str) -> None:
    if found.motion is None:
        raise InputError(f"{what}: there is no motion to write: {found.why_not}")


def _write_struts(
    found: PathReport, machine: Machine, file: str, target: FilePath, tolerance: float | None, letters: str
) -> None:
    from gough.cli.output import note
    from gough.cli.progress import progress
    from gough.files import write_whole
    from gough.motion.programs.joint_program import TOLERANCE, joint_program

    _needs_motion(found, "--strut-program")
    if found.plan.head is not None:
        raise InputError("--strut-program writes the six legs, and here the tool head moves besides; give --head held")
    allowed = TOLERANCE if tolerance is None else tolerance * machine.units.metres
    with progress("dividing the motion") as advance:
        program = joint_program(
            machine, found.motion, tolerance=allowed, letters=letters.upper(), title=file, progress=advance  # type: ignore[arg-type]
        )  # fmt: skip
    write_whole(target, program.text)
    off = program.deviation / machine.units.metres
    note(f"wrote {target}: {len(program)} points; straight joints leave the path by {off:.3g} {machine.units.length}")
