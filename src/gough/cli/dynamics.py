"""`gough dynamics`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.errors import InputError
from gough.present.answer import Answer

if TYPE_CHECKING:
    import xarray


@command("motion", "share", "orientation", "wrench", "payload", "figure", "output")
def dynamics(
    request: Request,
    samples: int = Option(301, metavar="NUMBER", min=2, max=1_000_000, help="Times at which forces are computed."),
    passive: bool = Option(
        False,
        "--passive",
        help="With --json or --output: angles and rates of universal and ball joints, and accelerations, too.",
    ),
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
    if not (request.options.as_json or request.options.output):
        request.counts_only_with("--json or --output", "passive")
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
    answer = history_answer(request, data)
    if not passive:
        return answer
    states = [data[name].to_numpy() for name in ("pose", "twist", "acceleration")]

    def with_joints() -> xarray.Dataset:
        found = gough.dynamics.passive_joints(m, *states).dataset.rename(
            pose="time", row="ball_row", column="ball_column"
        )
        return data.merge(found.drop_vars([name for name in found if name in data]), combine_attrs="override")

    return replace(answer, fields=[*answer.fields, *request.passive_joints(*states)], data=with_joints)
