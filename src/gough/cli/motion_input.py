"""Motions as the command line takes them: by name, or as a table of times and poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gough.cli.pose_input import Orientation
    from gough.dynamics.motions import Motion
    from gough.machine import Machine

NamedOrFile = Annotated[
    str | None,
    typer.Option(
        "--motion",
        metavar="NAME|FILE",
        help="vertical, horizontal or rotation: out from home by a cosine; or a CSV file with a column time [s] beside "
        "those of poses, - for standard input.",
    ),
]
Amplitude = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Half the stroke of a named motion, in the file's units; 0.15 m, 0.1 m or 15 deg if not given.",
    ),
]
HalfPeriod = Annotated[
    float, typer.Option(metavar="SECONDS", help="Time of a named motion to its farthest point, where it ends.")
]


def read_motion(
    text: str, machine: Machine, amplitude: float | None, half_period: float, orientation: Orientation
) -> Motion:
    """The motion an option names: Sinatra's by name, or a spline through the poses of a table."""
    from gough.cli.pose_input import read_timed_poses
    from gough.dynamics.motions import NAMED, SplineMotion, named_motion
    from gough.errors import InputError

    if text in NAMED:
        unit = machine.units.radians if text == "rotation" else machine.units.metres
        return named_motion(machine, text, None if amplitude is None else amplitude * unit, half_period)
    if amplitude is not None:
        raise InputError(f"--amplitude is of the named motions {', '.join(NAMED)}; {text} has its own")
    return SplineMotion(*read_timed_poses(text, orientation, machine.units))
