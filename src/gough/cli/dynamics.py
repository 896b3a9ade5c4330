"""`gough dynamics`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    Amplitude,
    Centre,
    Figure,
    HalfPeriod,
    Json,
    MachineName,
    Motion,
    Options,
    Output,
    Payload,
    Sequences,
    Share,
    Times,
    flag,
)
from gough.errors import InputError
from gough.present.answer import Answer

if TYPE_CHECKING:
    import xarray

    from gough.cli.request import Request


def dynamics(
    context: Context, machine: MachineName, motion: Motion = None, amplitude: Amplitude = None,
    half_period: HalfPeriod = 3.0, samples: Times = 301,
    passive: Annotated[
        bool,
        flag("--passive", "With --json or --output: angles and rates of universal and ball joints, and accelerations, "
             "too."),
    ] = False,
    share: Share = None, sequence: Sequences = None, payload: Payload = None, centre: Centre = None,
    figure: Figure = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
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

    given = Options(
        motion=motion, amplitude=amplitude, half_period=half_period, share=share, sequence=sequence, payload=payload,
        centre=centre, figure=figure, as_json=as_json, output=output,
    )  # fmt: skip
    request = request_of(context, machine, given)
    m, moved = request.any_machine, read_motion(request)
    if not (request.options.as_json or request.options.output):
        request.counts_only_with("--json or --output", "passive")
    request.note_stage()
    if moved is None:
        raise InputError(
            "dynamics are those of a motion: give --motion vertical, horizontal or rotation, or a CSV file of times "
            "and poses"
        )
    times = np.linspace(*moved.span, samples)
    with request.progress("dynamics"):
        data = gough.dynamics.motion_forces(m, moved, times)
    request.draw(lambda: gough.plot.leg_histories(m, data, ["force", "power", "joint_rate", "joint"]))
    answer = history_answer(request, data)
    request.write(_with_passive_joints(request, data, answer) if passive else answer)


def _with_passive_joints(request: Request, data: xarray.Dataset, answer: Answer) -> Answer:
    """The answer with angles, rates and accelerations of the universal and ball joints."""
    states = [data[name].to_numpy() for name in ("pose", "twist", "acceleration")]

    def with_joints() -> xarray.Dataset:
        found = gough.dynamics.passive_joints(request.any_machine, *states).dataset.rename(
            pose="time", row="ball_row", column="ball_column"
        )
        return data.merge(found.drop_vars([name for name in found if name in data]), combine_attrs="override")

    return replace(answer, fields=[*answer.fields, *request.passive_joints(*states)], data=with_joints)
