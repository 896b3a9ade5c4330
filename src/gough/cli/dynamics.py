"""`gough dynamics`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import gough
from gough.cli import motion_input, options
from gough.cli.command import command
from gough.errors import InputError
from gough.present.answer import Answer

if TYPE_CHECKING:
    from gough.cli.request import Request

Samples = Annotated[
    int, typer.Option(metavar="NUMBER", min=2, max=1_000_000, help="Times at which forces are computed.")
]


@command("orientation", "payload", "output")
def dynamics(
    request: Request,
    motion: motion_input.NamedOrFile = None,
    amplitude: motion_input.Amplitude = None,
    half_period: motion_input.HalfPeriod = 3.0,
    samples: Samples = 301,
    wrench: options.Wrench = None,
    figure: options.Figure = None,
) -> Answer:
    """Forces and powers that a motion needs of the actuators.

    Peak and root mean square of each, with the masses of platform and
    legs, friction and rotors, as far as the machine file gives them; the
    peak speeds and what of each limit is used. With
    --json or --output (CSV; netCDF for names in .nc) all of it over time,
    with --figure curves of it.
    """
    import numpy as np

    from gough.cli.histories import history_answer
    from gough.cli.motion_input import read_motion
    from gough.dynamics.motions import NAMED

    m = request.machine
    request.note_stage()
    if motion is None:
        raise InputError("--motion: give vertical, horizontal or rotation, or a CSV file of times and poses")
    if motion not in NAMED:
        request.counts_only_with("a named motion", "half_period")
    wanted = read_motion(motion, m, amplitude, half_period, request.orientation)
    times = np.linspace(*wanted.span, samples)
    with request.progress("dynamics"):
        data = gough.dynamics.motion_loads(m, wanted, times, wrench=request.wrench(wrench), point=m.point_of_interest)
    shown = ["force", "power", "joint_rate", "joint"]
    request.draw(figure, lambda: gough.plot.leg_histories(m, data, shown))
    return history_answer(request, data)
