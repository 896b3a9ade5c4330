"""Recorded motions as the command line takes them: filtered for a rider, or those of the machine's base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gough.cli.command import Request
from gough.cli.options import option
from gough.errors import InputError
from gough.present.answer import AXES

if TYPE_CHECKING:
    from gough.motion.recorded.compensation import CompensatedMotion
    from gough.motion.recorded.recorded_motion import RecordedMotion


@dataclass(frozen=True)
class Washout:
    """Options of the filter of motion simulators."""

    washout: bool = option(
        False, "--washout", help="Through a motion simulator's filter: onsets, and tilt for what lasts."
    )
    breaks: str | None = option(
        metavar="X,Y,Z,R,T",
        help="Break frequencies of --washout [rad/s]: of translations along x, y, z, of rotations and of the tilt; "
        "1,1,1,0.5,0.5 if not given.",
    )

    def applied(self, request: Request, wanted: RecordedMotion) -> RecordedMotion:
        """The motion through the filter, or as it is."""
        from gough.motion.recorded.washout import washout

        w = request.numbers("--breaks", self.breaks, (5,))
        if not self.washout:
            request.counts_only_with("--washout", "breaks")
            return wanted
        how: dict[str, Any] = {} if w is None else {"translation": w[:3], "rotation": w[3], "tilt": float(w[4])}
        return washout(wanted, request.machine.gravity, **how)


@dataclass(frozen=True)
class Compensation:
    """Options of a base that moves under the machine."""

    compensate: bool = option(
        False, "--compensate", help="The record is that of the machine's base: keep the platform still in space."
    )
    mount: str | None = option(
        metavar="X,Y,Z[,A,B,C]",
        help="Of --compensate: pose of the base about the recorded point, in the record's axes at --reference.",
    )
    axes: str | None = option(
        metavar="AXIS,...", help="Of --compensate: these of x, y, z, rx, ry, rz in space; all if not given."
    )

    def compensated(self, request: Request, base: RecordedMotion, filtered: Washout, **how: Any) -> CompensatedMotion:
        """The motion of the base compensated."""
        from gough.motion.recorded.compensation import compensate

        if filtered != Washout():
            raise InputError("--compensate keeps the platform still, --washout has a rider feel motion: give one")
        chosen = AXES if self.axes is None else tuple(part.strip() for part in self.axes.split(","))
        place = request.pose("--mount", self.mount)
        return request.watched(
            "compensating the motion", compensate, request.machine, base, mount=place, axes=chosen, **how
        )
