"""Regions of poses of the command line, from options or by name from the machine's file; and requested limits."""

from __future__ import annotations

from math import inf, pi
from typing import TYPE_CHECKING, Any

import gough
from gough.errors import InputError, nearest

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request
    from gough.regions.requested import RequestedLimit
    from gough.regions.shapes import PoseRegion, Region


def region_about(request: Request, box: str | None, cone: str | None, turn: float | None) -> PoseRegion:
    """Positions of the point of interest in a box about its position at the pose of the request, one position without
    it, times orientations about that of the pose."""
    from gough.regions.constructors import region_of

    m, X, turns = request.machine, request.X_one, dict[str, Any]()
    if turn is not None:
        turns["turn"] = float(_amounts(request, "--turn", repr(turn), (1,), "rad", pi)[0])
    if cone is not None:
        angles = _amounts(request, "--cone", cone, (1, 2), "rad", pi)
        turns["tilt"], turns["roll"] = float(angles[0]), float(angles[1]) if len(angles) > 1 else 0.0
    half = [0.0, 0.0, 0.0] if box is None else _amounts(request, "--box", box, (3,), "m")
    point = m.point_of_interest
    return region_of("box", X[:3, :3] @ point + X[:3, 3], half, **turns, about=point, reference=X)


def requested_limits(
    request: Request,
    any_twist: str | None,
    any_wrench: str | None,
    stiffness: str | None,
    resolution: str | None,
    force: float | None,
) -> tuple[RequestedLimit, ...]:
    """The limits that the options request beside those of the machine."""
    m = request.machine
    limits: list[RequestedLimit] = []
    if (speed := _pair(request, "--any-twist", any_twist, ("m/s", "rad/s"))) is not None:
        limits.append(gough.regions.SpeedLimit(translation=speed[0], rotation=speed[1]))
    wrench = _pair(request, "--any-wrench", any_wrench, ("N", "N m"))
    if wrench is None and request.options.payload is None:
        request.counts_only_with("--any-wrench or --payload", "force")
    else:
        most, moment = wrench or (0.0, 0.0)
        limit = gough.statics.ForceLimit
        limits.append(limit(force=most, moment=moment, gravity=m.has_weight, actuator_force=force))
    if (least := _pair(request, "--stiffness", stiffness, ("N/µm", "N m/mrad"))) is not None:
        limits.append(gough.statics.StiffnessLimit(translation=least[0], rotation=least[1]))
    if resolution is not None:
        steps = _amounts(request, "--resolution", resolution, (1, 2), ("m", "rad"))
        bounds = dict(zip(("translation", "rotation"), map(float, steps), strict=False))
        limits.append(gough.accuracy.ResolutionLimit(**bounds))
    return tuple(limits)


def named_region(machine: gough.Machine, name: str) -> Region:
    """The region of this name in the machine's file."""
    named = gough.regions.named_regions(machine)
    if name not in named:
        there = f"expected {', '.join(named)}" if named else "it names none"
        raise InputError(f"no region {name!r} in the machine's file: {there}.{nearest(name, named)}")
    return named[name]


def _pair(request: Request, option: str, text: str | None, units: tuple[str, str]) -> tuple[float, float] | None:
    """One number or two in SI; the second is 0 where it is left out."""
    if text is None:
        return None
    values = _amounts(request, option, text, (1, 2), units)
    return float(values[0]), float(values[1]) if len(values) > 1 else 0.0


def _amounts(
    request: Request,
    option: str,
    text: str,
    counts: tuple[int, ...],
    unit: str | tuple[str, str],
    most: float = inf,
) -> Array:
    """The numbers of an option in SI, none below zero or above `most`."""
    values = request.numbers(option, text, counts, unit)
    if not ((values >= 0) & (values <= most)).all():
        wanted = "of zero or more" if most == inf else f"from 0 to {request.show.with_unit(most, 'rad')}"
        raise InputError(f"{option} {text}: expected amounts {wanted}")
    return values
