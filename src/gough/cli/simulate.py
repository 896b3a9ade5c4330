"""`gough simulate`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import TYPE_CHECKING, Literal

from typer import Option

import gough
from gough.cli.command import Array, Request, command
from gough.cli.options import option
from gough.errors import InputError
from gough.present.answer import Answer, Words, sentence
from gough.quantity import ALONG_AXES

if TYPE_CHECKING:
    import xarray

    from gough.dynamics.motions import Motion


@dataclass(frozen=True)
class Drive:
    """Options of the actuators: constant forces, or a controller."""

    force: str | None = option(
        metavar="F1,...,F6",
        help="Constant actuator forces [N or N m], one number for all; without it what holds the weight at the start.",
    )
    controller: Literal["computed-torque", "pid", "pd"] = option(
        "computed-torque",
        help="Controller that follows --motion: computed torque, or PID or PD of each leg, which hold the weight.",
    )
    bandwidth: float = option(10.0, metavar="HZ", help="Of the controller.")

    def forces(self, request: Request, motion: Motion | None) -> Array | gough.dynamics.Controller | None:
        """Constant actuator forces or a controller; None where neither is given."""
        machine, legs, bandwidth = request.any_machine, len(request.legs), 2 * pi * self.bandwidth
        constant = request.numbers("--force", self.force, (1, legs))
        if motion is None:
            request.counts_only_with("--motion", "controller", "bandwidth")
            return None if constant is None else constant.repeat(legs // len(constant))
        if constant is not None:
            raise InputError("--force is instead of --motion: give one or the other")
        if self.controller == "computed-torque":
            return gough.dynamics.ComputedTorque(machine, motion, bandwidth=bandwidth)
        how = {"has_integral": self.controller == "pid", "holds_weight": True}
        return gough.dynamics.LegPID.tuned(machine, motion, bandwidth, **how)

    def stable_instead(self, request: Request, motion: Motion | None) -> str:
        """Advice on a bandwidth at which the loop of an unstable controller of each leg settles within the motion."""
        from gough.dynamics.closed_loop import settling_pid

        if motion is None or self.controller == "computed-torque":
            return ""
        decay, has_integral = 1 / motion.span[1], self.controller == "pid"
        _, w, poles = settling_pid(
            request.any_machine, motion, 2 * pi * self.bandwidth, decay, has_integral=has_integral
        )
        settles = poles[-1].real <= -decay
        return f"; at home it is stable with --bandwidth {w / (2 * pi):g}" if settles else ""


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
    """Forward dynamics: simulate under forces or a controller.

    Constant forces, or a controller that follows --motion. It ends early
    where a limit is reached or a singularity is near, and says so. With
    --json or --output (CSV; netCDF for names in .nc) all of it over time.
    Two stages start at rest, at the posture that --share gives, with
    twelve forces; --share says too how both follow --motion.
    """
    from gough.cli.histories import history_answer, read_motion

    m, motion, wrench = request.any_machine, read_motion(request), request.wrench
    request.note_stage()
    V = request.twist("--twist", twist, ALONG_AXES)
    if V is not None:
        _ = request.machine  # refuses two stages, which would need the twists of both platforms
    X = request.postures if request.has_pose else None
    data = request.watched(
        "simulating", gough.simulate, m, X, V, drive.forces(request, motion), duration, wrench=wrench,
        point=None if wrench is None else m.point_of_interest, samples=samples, rtol=rtol, atol=1e-3 * rtol,
        stop_at=() if no_stop else ("limits", "singularity"),
    )  # fmt: skip
    answer = history_answer(request, data, lambda: _words(request, data))
    # Words say how it ended; with CSV and JSON a note does.
    stopped = [data.attrs["ended"]] if data.attrs["stopped_by"] and not request.is_for_people else []
    unstable = [data.attrs["unstable"] + drive.stable_instead(request, motion)] if data.attrs["unstable"] else []
    return replace(answer, notes=[*stopped, *unstable, *answer.notes])


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
