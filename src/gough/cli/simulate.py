"""`gough simulate`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from typer import Option

import gough
from gough.cli.command import Array, Request, command
from gough.cli.options import option
from gough.errors import InputError
from gough.present.answer import ALONG_AXES, Answer, Words

if TYPE_CHECKING:
    import xarray

    from gough.dynamics.motions import Motion


@dataclass(frozen=True)
class Drive:
    """Options of what the actuators do."""

    force: str | None = option(
        metavar="F1,...,F6",
        help="Constant actuator forces [N or N m], one number for all; without it what holds the weight at the start.",
    )
    controller: Literal["computed-torque", "pid", "pd"] = option(
        "computed-torque", help="What follows --motion: on the model, or leg by leg."
    )
    bandwidth: float = option(10.0, metavar="HZ", help="Of the controller.")

    def forces(self, request: Request, X: Array, motion: Motion | None) -> Array | gough.dynamics.Controller:
        """Actuator forces: a controller's, constant ones, or what holds the weight at the start."""
        import numpy as np

        machine, legs = request.any_machine, len(request.legs)
        constant = request.numbers("--force", self.force, (1, legs))
        if motion is None:
            request.counts_only_with("--motion", "controller", "bandwidth")
            if constant is None:
                still = np.zeros((*machine.stage_shape, 6))
                return gough.inverse_dynamics(machine, X, still, still)
            return np.broadcast_to(constant, legs).copy()
        if constant is not None:
            raise InputError("--force is instead of --motion: give one or the other")
        if self.controller == "computed-torque":
            return gough.dynamics.ComputedTorque(machine, motion, bandwidth=2 * np.pi * self.bandwidth)
        has_integral = self.controller == "pid"
        return gough.dynamics.LegPID.tuned(machine, motion, 2 * np.pi * self.bandwidth, has_integral=has_integral)


@command("pose", "share", "motion", "wrench", "payload", "output")
def simulate(
    request: Request,
    *,
    duration: float | None = Option(
        None, metavar="SECONDS", help="How long; with --motion as long as that takes, if not given."
    ),
    drive: Drive,
    twist: str | None = Option(
        None, metavar="VX,VY,VZ[,WX,WY,WZ]", help="Twist at the start, in the file's units per second."
    ),
    samples: int = Option(201, metavar="NUMBER", min=2, max=1_000_000, help="Times in the answer."),
    no_stop: bool = Option(False, "--no-stop", help="Go on beyond limits and near singularities."),
    rtol: float = Option(1e-9, metavar="NUMBER", help="Relative error allowed in each step."),
) -> Answer:
    """Move the machine in time under actuator forces.

    Constant forces, or a controller that follows --motion. It ends early
    where a limit is reached or a singularity is near, and says so. With
    --json or --output (CSV; netCDF for names in .nc) all of it over time.
    Two stages start at rest, at the posture that --share gives, with
    twelve forces; --share says too how both follow --motion.
    """
    import numpy as np

    from gough.cli.histories import history_answer
    from gough.cli.motion_input import read_motion

    m, motion, load = request.any_machine, read_motion(request), request.wrench
    request.note_stage()
    X, V = _start(request, twist, motion)
    force, span = drive.forces(request, X, motion), _span(duration, motion)
    times = np.linspace(0.0, span, samples) if np.isfinite(span) and span > 0 else None
    data = request.watched(
        "simulating", gough.simulate, m, X, V, force, span, whole=span, wrench=load,
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

    from gough.dynamics.motions import states_along

    given, twist = request.options, request.twist("--twist", text, ALONG_AXES)
    if twist is not None:
        _ = request.machine  # of two stages the twists of both platforms would be needed
    V = np.zeros((*request.any_machine.stage_shape, 6)) if twist is None else twist
    if motion is None or given.at is not None or given.matrix is not None:
        return request.postures, V
    X, own, _ = states_along(request.any_machine, motion, 0.0)
    return X, own if twist is None else V


def _span(duration: float | None, motion: Motion | None) -> float:
    if duration is not None:
        return duration
    if motion is None:
        raise InputError("--duration: give how long to simulate, in s")
    if motion.span[0] != 0.0:
        raise InputError(f"--motion: its time begins at {motion.span[0]:g} s, a simulation at 0 s")
    return motion.span[1]


def _words(request: Request, data: xarray.Dataset) -> Words:
    """How it ended."""
    import numpy as np

    from gough.cli.histories import loads

    m, reason, end = request.any_machine, data.attrs["stopped_by"], float(data["time"][-1])
    place = request.show.point(m.end_pose(data["pose"].to_numpy()[-1])[:3, 3])
    yield f"Stopped at {end:.6g} s: {reason}." if reason else f"Ran to its end at {end:.6g} s."
    parts = np.split(data["joint"].to_numpy()[-1], len(m.stages))
    q = (request.show.point(part, stage.legs.joint_unit) for part, stage in zip(parts, m.stages, strict=True))
    yield f"The platform is at {place}, the joints at {m.by_stage(q)}."
    if "joint_error" in data:
        parts = np.split(data["joint_error"].to_numpy(), len(m.stages), axis=1)
        most = zip((float(np.abs(part).max()) for part in parts), m.stages, strict=True)
        errors = (request.show.with_unit(error, stage.legs.joint_unit, 3) for error, stage in most)
        yield f"Largest error of a joint: {m.by_stage(errors)}."
    yield from loads(request, data)
