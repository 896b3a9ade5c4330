"""`gough dynamics`."""

from __future__ import annotations

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.errors import InputError
from gough.present.answer import Answer


@command("motion", "share", "orientation", "wrench", "payload", "figure", "output")
def dynamics(
    request: Request,
    samples: int = Option(301, metavar="NUMBER", min=2, max=1_000_000, help="Times at which forces are computed."),
) -> Answer:
    """Inverse dynamics: actuator forces and powers of a motion.

    Peak and root mean square of each, with the masses of platform and
    legs, friction and rotors, as far as the machine file gives them; the
    peak speeds and the utilisation of each limit. Of two stages the motion is
    that of the end platform, the lower stage going the part of --share. With
    --json or --output (CSV; netCDF for names in .nc) all of it over time,
    with --figure curves of it.
    """
    import numpy as np

    from gough.cli.histories import history_answer, read_motion

    m, motion = request.any_machine, read_motion(request)
    request.note_stage()
    if motion is None:
        raise InputError(
            "dynamics are those of a motion: give --motion vertical, horizontal or rotation, or a CSV file of times "
            "and poses"
        )
    times = np.linspace(*motion.span, samples)
    with request.progress("dynamics"):
        data = gough.dynamics.motion_forces(m, motion, times, wrench=request.wrench, point=m.point_of_interest)
    request.draw(lambda: gough.plot.leg_histories(m, data, ["force", "power", "joint_rate", "joint"]))
    return history_answer(request, data)
