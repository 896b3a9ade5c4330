"""Requested limits of `gough certify`: joint speeds, actuator forces, stiffness and resolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import gough
from gough.cli.command import Request
from gough.cli.options import option
from gough.errors import InputError
from gough.present.answer import SPEEDS

if TYPE_CHECKING:
    from gough.regions.requested import RequestedLimit


@dataclass(frozen=True)
class RequestedLimits:
    """Options that request further limits."""

    twist: str | None = option(
        metavar="VX,...,WZ", help="Joint speeds stay within theirs as the point of interest goes so."
    )
    any_twist: str | None = option(
        metavar="V[,W]", help="The same up to speed V in every direction, with up to W about every axis."
    )
    any_wrench: str | None = option(
        metavar="F[,M]", help="Any force up to F and moment up to M there, added to --wrench [N, N m]."
    )
    stiffness: str | None = option(
        metavar="K[,C]", help="Least principal stiffnesses, of translation and rotation [N/µm, N m/mrad]."
    )
    resolution: str | None = option(
        metavar="LENGTH[,ANGLE]", help="Largest step of the platform for one of every joint."
    )

    def limits(self, request: Request) -> tuple[RequestedLimit, ...]:
        """The limits that the options request."""
        each = (self._speeds(request), self._forces(request), self._stiffness(request), self._steps(request))
        return tuple(limit for limit in each if limit is not None)

    def _speeds(self, request: Request) -> RequestedLimit | None:
        twist = request.numbers("--twist", self.twist, (6,), SPEEDS)
        any_twist = _pair(request, "--any-twist", self.any_twist, ("m/s", "rad/s"))
        if twist is None and any_twist is None:
            request.counts_only_with("--twist or --any-twist", "joint_speed")
            return None
        translation, rotation = any_twist or (0.0, 0.0)
        most = request.amount(request.options.joint_speed, f"{request.machine.legs.joint_unit}/s")
        return gough.regions.SpeedLimit(translation=translation, rotation=rotation, twist=twist, joint_speed=most)

    def _forces(self, request: Request) -> RequestedLimit | None:
        given, any_wrench = request.options, _pair(request, "--any-wrench", self.any_wrench, ("N", "N m"))
        if request.wrench is None and any_wrench is None and given.payload is None:
            request.counts_only_with("--wrench, --any-wrench or --payload", "force", "no_weight")
            return None
        force, moment = any_wrench or (0.0, 0.0)
        weighs = request.machine.has_weight and not given.no_weight
        limit = gough.statics.ForceLimit
        return limit(force=force, moment=moment, wrench=request.wrench, gravity=weighs, actuator_force=given.force)

    def _stiffness(self, request: Request) -> RequestedLimit | None:
        least = _pair(request, "--stiffness", self.stiffness, ("N/µm", "N m/mrad"))
        return None if least is None else gough.statics.StiffnessLimit(translation=least[0], rotation=least[1])

    def _steps(self, request: Request) -> RequestedLimit | None:
        most = request.numbers("--resolution", self.resolution, (1, 2), ("m", "rad"))
        if most is None:
            request.counts_only_with("--resolution", "step")
            return None
        step = request.amount(request.options.step, request.machine.legs.joint_unit)
        bounds = dict(zip(("translation", "rotation"), map(float, most), strict=False))
        return gough.accuracy.ResolutionLimit(joint_step=step, **bounds)


def _pair(request: Request, option: str, text: str | None, units: tuple[str, str]) -> tuple[float, float] | None:
    """One number or two in SI; the second is 0 where it is left out."""
    values = request.numbers(option, text, (1, 2), units)
    if values is None:
        return None
    if (values < 0).any():
        raise InputError(f"{option} {text}: expected amounts of zero or more")
    return float(values[0]), float(values[1]) if len(values) > 1 else 0.0
