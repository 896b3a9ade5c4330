"""Motions as the command line takes them: by name, or as a table of times and poses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough.cli.command import Request
from gough.cli.pose_input import read_timed_poses
from gough.dynamics.motions import NAMED, SplineMotion, named_motion
from gough.errors import InputError

if TYPE_CHECKING:
    from gough.dynamics.motions import Motion


def read_motion(request: Request) -> Motion | None:
    """The motion of --motion: Sinatra's by name, or a spline through the poses of a table."""
    given = request.options
    if given.motion is None:
        request.counts_only_with("--motion", "amplitude", "half_period")
        return None
    m = request.any_machine
    if given.motion in NAMED:
        amplitude = request.amount(given.amplitude, "rad" if given.motion == "rotation" else "m")
        return named_motion(m, given.motion, amplitude, given.half_period)
    request.counts_only_with("a named motion", "half_period")
    if given.amplitude is not None:
        raise InputError(f"--amplitude is of the named motions {', '.join(NAMED)}; {given.motion} has its own")
    return SplineMotion(*read_timed_poses(given.motion, request.orientation, m.units))
