"""What a calibration looks for and what it takes as known, as the command line takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gough.cli.command import Array, Request
from gough.cli.options import option
from gough.errors import InputError

FRAMES = ("device", "target")


@dataclass(frozen=True)
class ErrorModel:
    """Options of the errors that are looked for, of frames and points that are known, and of the noise."""

    parameters: str | None = option(
        metavar="GROUP,...", help="Errors to look for; what the leg kind needs if not given."
    )
    more: str | None = option(
        metavar="GROUP,...", help="Errors of drives to look for too: gains, curvatures, once_per_turn."
    )
    known: str | None = option(
        metavar="NAME,...", help="Frames that are the machine's own: device (the base's), target (the platform's)."
    )
    points: str | None = option(
        metavar="X,Y,Z;...", help="Where targets, or ends of wires, are on the platform; looked for otherwise."
    )
    fixed: str | None = option(metavar="X,Y,Z;...", help="Where wires end on the base; looked for otherwise.")
    noise: str | None = option(
        metavar="NAME=NUMBER,...", help="Standard deviations of joints, positions, rotations, angles, distances."
    )

    def arguments(self, request: Request, *, has_targets: bool) -> dict[str, Any]:
        """Arguments of `gough.calibrate`; `has_targets` where positions were measured."""
        import numpy as np

        from gough.calibration.groups import groups_of
        from gough.calibration.measurements import NOISE

        chosen = None if self.parameters is None else parts(self.parameters)
        if self.more is not None:
            chosen = [*groups_of(request.machine, chosen), *parts(self.more)]
        frames = parts(self.known or "")
        for name in frames:
            if name not in FRAMES:
                raise InputError(f"--known: {name!r} is no frame, expected {' or '.join(FRAMES)}")
        ends = read_points(request, "--fixed", self.fixed)
        return {
            "parameters": chosen,
            "noise": self._noise(request, {**NOISE, "joints": request.machine.legs.joint_unit}),
            **dict.fromkeys(frames, np.eye(4)),
            "fixed_points": ends,
            "points" if has_targets and ends is None else "wire_points": read_points(request, "--points", self.points),
        }

    def _noise(self, request: Request, units: Mapping[str, str]) -> dict[str, float]:
        """Numbers by name in SI; each has its unit."""
        found = {}
        for part in parts(self.noise or ""):
            name, equals, value = (each.strip() for each in part.partition("="))
            if not equals or name not in units:
                raise InputError(f"--noise: {part!r}, expected NAME=NUMBER with a name of {', '.join(units)}")
            found[name] = float(request.numbers("--noise", value, (1,), units[name])[0])
        return found


def parts(text: str) -> list[str]:
    """Names separated by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def read_points(request: Request, option: str, text: str | None) -> Array | None:
    """Points (k, 3) [m] from "x,y,z; x,y,z"."""
    import numpy as np

    if text is None:
        return None
    return np.array([request.numbers(option, part, (3,), "m") for part in text.split(";") if part.strip()])
