"""`gough simulate`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import gough
from gough.cli import motion_input, options
from gough.cli.command import command
from gough.errors import InputError
from gough.present.answer import ALONG_AXES, Answer, Words

if TYPE_CHECKING:
    import xarray

    from gough.cli.request import Array, Request
    from gough.dynamics.controllers import Controller
    from gough.dynamics.motions import Motion
    from gough.machine import Machine

Duration = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="How long; with --motion as long as that takes, if not given."),
]
Force = Annotated[
    str | None,
    typer.Option(
        metavar="F1,...,F6",
        help="Constant actuator forces [N or N m], one number for all; without it what holds the weight at the start.",
    ),
]
ControllerName = Annotated[
    Literal["computed-torque", "pid", "pd"], typer.Option(help="What follows --motion: on the model, or leg by leg.")
]
Bandwidth = Annotated[float, typer.Option(metavar="HZ", help="Of the controller.")]
Twist = Annotated[
    str | None, typer.Option(metavar="VX,VY,VZ[,WX,WY,WZ]", help="Twist at the start, in the file's units per second.")
]
Samples = Annotated[int, typer.Option(metavar="NUMBER", min=2, max=1_000_000, help="Times in the answer.")]
NoStop = Annotated[bool, typer.Option("--no-stop", help="Go on beyond limits and near singularities.")]
Rtol = Annotated[float, typer.Option(metavar="NUMBER", help="Relative error allowed in each step.")]


@command("pose", "payload", "output")
def simulate(
    request: Request,
    duration: Duration = None,
    force: Force = None,
    motion: motion_input.NamedOrFile = None,
    amplitude: motion_input.Amplitude = None,
    half_period: motion_input.HalfPeriod = 3.0,
    controller: ControllerName = "computed-torque",
    bandwidth: Bandwidth = 10.0,
    twist: Twist = None,
    wrench: options.Wrench = None,
    samples: Samples = 201,
    no_stop: NoStop = False,
    rtol: Rtol = 1e-9,
) -> Answer:
    """Move the machine in time under actuator forces.

    Constant forces, or a controller that follows --motion. It ends early
    where a limit is reached or a singularity is near, and says so. With
    --json or --output (CSV; netCDF for names in .nc) all of it over time.
    """
    import numpy as np

    from gough.cli.histories import history_answer
    from gough.dynamics.motions import NAMED

    m = request.machine
    request.note_stage()
    if (force is not None and motion is not None) or (motion is None and amplitude is not None):
        raise InputError("--force is instead of --motion, --amplitude is of a named motion: give one or the other")
    if motion is None:
        request.counts_only_with("--motion", "controller", "bandwidth", "half_period")
    elif motion not in NAMED:
        request.counts_only_with("a named motion", "half_period")
    wanted = (
        None if motion is None else motion_input.read_motion(motion, m, amplitude, half_period, request.orientation)
    )
    X, V = _start(request, twist, wanted)
    drive = _drive(m, X, force, wanted, controller, bandwidth)
    span, load = _span(duration, wanted), request.wrench(wrench)
    times = np.linspace(0.0, span, samples) if np.isfinite(span) and span > 0 else None
    data = request.watched(
        "simulating", gough.simulate, m, X, V, drive, span, whole=span, wrench=load,
        point=None if load is None else m.point_of_interest, times=times, rtol=rtol, atol=1e-3 * rtol,
        stop_at=() if no_stop else ("limits", "singularity"),
    )  # fmt: skip
    answer = history_answer(request, data, lambda: _words(request, data))
    if data.attrs["stopped_by"] and not request.is_for_people:
        stopped = f"stopped at {float(data['time'][-1]):.6g} s: {data.attrs['stopped_by']}"
        return replace(answer, notes=[stopped, *answer.notes])
    return answer


def _start(request: Request, text: str | None, motion: Motion | None) -> tuple[Array, Array]:
    """Pose and twist at the start: the motion's own where none are given."""
    import numpy as np

    given, twist = request.given, request.numbers("--twist", text, (3, 6), ALONG_AXES)
    V = np.zeros(6) if twist is None else np.concatenate([twist, np.zeros(6 - len(twist))])
    if motion is None or given.at is not None or given.matrix is not None:
        return request.X, V
    X, own, _ = motion(0.0)
    return X, own if text is None else V


def _span(duration: float | None, motion: Motion | None) -> float:
    if duration is not None:
        return duration
    if motion is None:
        raise InputError("--duration: give how long to simulate, in s")
    if motion.span[0] != 0.0:
        raise InputError(f"--motion: its time begins at {motion.span[0]:g} s, a simulation at 0 s")
    return motion.span[1]


def _drive(
    machine: Machine, X: Array, force: str | None, motion: Motion | None, controller: str, bandwidth: float
) -> Array | Controller:
    """Actuator forces: a controller's, constant ones, or what holds the weight at the start."""
    import numpy as np

    from gough.cli.numbers import numbers
    from gough.dynamics.controllers import ComputedTorque, LegPID

    if motion is not None:
        if controller == "computed-torque":
            return ComputedTorque(machine, motion, bandwidth=2 * np.pi * bandwidth)
        return LegPID.tuned(machine, motion, 2 * np.pi * bandwidth, has_integral=controller == "pid")
    if force is None:
        return gough.inverse_dynamics(machine, X, np.zeros(6), np.zeros(6))
    return np.broadcast_to(numbers("--force", force, (1, 6)), 6).copy()


def _words(request: Request, data: xarray.Dataset) -> Words:
    """How it ended."""
    import numpy as np

    from gough.cli.histories import loads

    reason, end, joint = data.attrs["stopped_by"], float(data["time"][-1]), request.machine.legs.joint_unit
    place = request.show.point(data["pose"].to_numpy()[-1, :3, 3])
    yield f"Stopped at {end:.6g} s: {reason}." if reason else f"Ran to its end at {end:.6g} s."
    q = request.show.point(data["joint"].to_numpy()[-1], joint)
    yield f"The platform is at {place}, the joints at {q}."
    if "joint_error" in data:
        yield f"Largest error of a joint: {request.show.with_unit(float(np.abs(data['joint_error']).max()), joint, 3)}."
    yield from loads(request, data)
