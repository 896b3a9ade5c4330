"""`gough simulate`."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Context, Option

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    Amplitude,
    At,
    HalfPeriod,
    Json,
    MachineName,
    Motion,
    Options,
    Output,
    Sequences,
    Share,
    Times,
    number,
    text,
)
from gough.errors import InputError
from gough.present.answer import Words, sentence

if TYPE_CHECKING:
    import xarray

    from gough.arrays import Array
    from gough.cli.request import Request
    from gough.dynamics import motions


def simulate(
    context: Context, machine: MachineName,
    duration: Annotated[
        float | None, number("SECONDS", "How long; with --motion as long as that takes, if not given.")
    ] = None,
    force: Annotated[
        str | None,
        text("F1,...,F6", "Constant actuator forces [N or N m], one number for all; without it what holds the weight "
             "at the start."),
    ] = None,
    motion: Motion = None, amplitude: Amplitude = None, half_period: HalfPeriod = 3.0,
    controller: Annotated[
        Literal["computed-torque", "pid", "pd"],
        Option(help="Controller that follows --motion: computed torque, or PID or PD of each leg, which hold the "
               "weight."),
    ] = "computed-torque",
    bandwidth: Annotated[float, number("HZ", "Of the controller.")] = 10.0,
    at: At = None, sequence: Sequences = None, share: Share = None, samples: Times = 201, as_json: Json = False,
    output: Output = None,
) -> None:  # fmt: skip
    """Forward dynamics: simulate under forces or a controller.

    Constant forces, or a controller that follows --motion. It ends early
    where a limit is reached or a singularity is near, and says so. With
    --json or --output (CSV; netCDF for names in .nc) all of it over time.
    Two stages start at rest, at the posture that --share gives, with
    twelve forces; --share says too how both follow --motion.
    """
    from gough.cli.histories import history_answer, read_motion

    given = Options(
        motion=motion, amplitude=amplitude, half_period=half_period, at=at, sequence=sequence, share=share,
        as_json=as_json, output=output,
    )  # fmt: skip
    request = request_of(context, machine, given)
    moved, w = read_motion(request), 2 * pi * bandwidth
    request.note_stage()
    drive = _drive(request, moved, force, controller, w)
    X = request.postures if request.has_pose else None
    data = request.watched("simulating", gough.simulate, request.any_machine, X, None, drive, duration, samples=samples)
    answer = history_answer(request, data, lambda: _words(request, data))
    # Words say how it ended; with CSV and JSON a note does.
    stopped = [data.attrs["ended"]] if data.attrs["stopped_by"] and not request.is_for_people else []
    unstable = (
        [data.attrs["unstable"] + _stable_instead(request, moved, controller, w)] if data.attrs["unstable"] else []
    )
    request.write(replace(answer, notes=[*stopped, *unstable, *answer.notes]))


def _drive(
    request: Request, motion: motions.Motion | None, force: str | None, controller: str, bandwidth: float
) -> Array | gough.dynamics.Controller | None:
    """Constant actuator forces, or a controller of a bandwidth [rad/s]; None where neither is given."""
    machine, legs = request.any_machine, len(request.legs)
    constant = request.numbers("--force", force, (1, legs))
    if motion is None:
        request.counts_only_with("--motion", "controller", "bandwidth")
        return None if constant is None else constant.repeat(legs // len(constant))
    if constant is not None:
        raise InputError("--force is instead of --motion: give one or the other")
    if controller == "computed-torque":
        return gough.dynamics.ComputedTorque(machine, motion, bandwidth=bandwidth)
    how = {"has_integral": controller == "pid", "holds_weight": True}
    return gough.dynamics.LegPID.tuned(machine, motion, bandwidth, **how)


def _stable_instead(request: Request, motion: motions.Motion | None, controller: str, bandwidth: float) -> str:
    """Advice on a bandwidth at which the loop of an unstable controller of each leg settles within the motion."""
    from gough.dynamics.closed_loop import settling_pid

    if motion is None or controller == "computed-torque":
        return ""
    decay, has_integral = 1 / motion.span[1], controller == "pid"
    _, w, poles = settling_pid(request.any_machine, motion, bandwidth, decay, has_integral=has_integral)
    return f"; at home it is stable with --bandwidth {w / (2 * pi):g}" if poles[-1].real <= -decay else ""


def _words(request: Request, data: xarray.Dataset) -> Words:
    """How it ended, and what it needed of the actuators."""
    import numpy as np

    from gough.cli.histories import peak_words

    m, end = request.any_machine, data.isel(time=-1)
    parts = zip(np.split(end["joint"].to_numpy(), len(m.stages)), m.stages, strict=True)
    joints = m.by_stage(request.show.point(q, stage.legs.joint_unit) for q, stage in parts)
    yield sentence(data.attrs["ended"])
    place = request.show.point(m.end_pose(end["pose"].to_numpy())[:3, 3])
    yield f"The platform is at {place}, the joints at {joints}."
    if "largest_error" in data.attrs:
        yield f"Largest error of a joint: {data.attrs['largest_error']}."
    yield from peak_words(request, data)
