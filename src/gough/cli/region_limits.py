"""Limits on request of `gough certify`: speeds, forces, stiffnesses and steps of the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gough
from gough.cli.command import Request
from gough.errors import InputError

if TYPE_CHECKING:
    from gough.regions.requested import RequestedLimit

SPEEDS = ("m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s")


def requested(request: Request, given: dict[str, Any]) -> tuple[RequestedLimit, ...]:
    """The limits that the options request, by their names as arguments of the command."""
    return (*_speeds(request, given), *_forces(request, given), *_stiffness(request, given), *_steps(request, given))


def _speeds(request: Request, given: dict[str, Any]) -> list[RequestedLimit]:
    twist = request.numbers("--twist", given["twist"], (6,), SPEEDS)
    any_twist = _pair(request, "--any-twist", given["any_twist"], ("m/s", "rad/s"))
    if twist is None and any_twist is None:
        request.counts_only_with("--twist or --any-twist", "joint_speed")
        return []
    translation, rotation = any_twist or (0.0, 0.0)
    most = request.amount(request.options.joint_speed, f"{request.machine.legs.joint_unit}/s")
    return [gough.regions.SpeedLimit(translation=translation, rotation=rotation, twist=twist, joint_speed=most)]


def _forces(request: Request, given: dict[str, Any]) -> list[RequestedLimit]:
    from gough.statics.weights import has_weight

    any_wrench = _pair(request, "--any-wrench", given["any_wrench"], ("N", "N m"))
    if request.wrench is None and any_wrench is None and request.options.payload is None:
        request.counts_only_with("--wrench, --any-wrench or --payload", "force", "no_weight")
        return []
    force, moment = any_wrench or (0.0, 0.0)
    weighs = has_weight(request.machine) and not given["no_weight"]
    limit = gough.statics.ForceLimit
    return [limit(force=force, moment=moment, wrench=request.wrench, gravity=weighs, actuator_force=given["force"])]


def _stiffness(request: Request, given: dict[str, Any]) -> list[RequestedLimit]:
    least = _pair(request, "--stiffness", given["stiffness"], ("N/µm", "N m/mrad"))
    return [] if least is None else [gough.statics.StiffnessLimit(translation=least[0], rotation=least[1])]


def _steps(request: Request, given: dict[str, Any]) -> list[RequestedLimit]:
    most = request.numbers("--resolution", given["resolution"], (1, 2), ("m", "rad"))
    if most is None:
        request.counts_only_with("--resolution", "step")
        return []
    step = request.amount(given["step"], request.machine.legs.joint_unit)
    bounds = dict(zip(("translation", "rotation"), map(float, most), strict=False))
    return [gough.accuracy.ResolutionLimit(joint_step=step, **bounds)]


def _pair(request: Request, option: str, text: str | None, units: tuple[str, str]) -> tuple[float, float] | None:
    """One amount or two; nothing of the second where it is left out."""
    values = request.numbers(option, text, (1, 2), units)
    if values is None:
        return None
    if (values < 0).any():
        raise InputError(f"{option} {text}: expected amounts of zero or more")
    return float(values[0]), float(values[1]) if len(values) > 1 else 0.0
