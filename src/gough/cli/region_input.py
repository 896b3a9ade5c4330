"""Regions of poses of the command line, from options or by name from the machine's file; and requested limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, pi
from typing import TYPE_CHECKING, Any

import gough
from gough.cli.command import Array, Request
from gough.cli.options import option
from gough.errors import InputError, nearest
from gough.quantity import SPEEDS

if TYPE_CHECKING:
    from gough.regions.requested import RequestedLimit
    from gough.regions.shapes import PoseRegion, Region


@dataclass(frozen=True)
class Shape:
    """Options that give a region: positions about those of a pose, times orientations about its own."""

    box: str | None = option(metavar="X,Y,Z", help="Half widths of a box of positions.")
    ball: str | None = option(metavar="RADIUS", help="Radius of a ball of positions.")
    cylinder: str | None = option(metavar="RADIUS,HALF", help="Radius and half height of an upright cylinder.")
    ellipsoid: str | None = option(metavar="X,Y,Z", help="Semi-axes of an ellipsoid of positions.")
    cone: str | None = option(metavar="TILT[,ROLL]", help="Cone of the platform's z axis, and torsion about it.")
    turn: float | None = option(metavar="ANGLE", help="Rotation vectors up to this angle about any axis.")
    euler: str | None = option(metavar="A,B,C", help="Half widths of a box of angles; needs --sequence.")
    about: str | None = option(
        metavar="X,Y,Z", help="The point that is placed, in the platform's frame; the point of interest."
    )

    @property
    def is_given(self) -> bool:
        """Whether any of them is given."""
        return self != Shape()

    def region(self, request: Request) -> PoseRegion:
        """The region about the pose of the request."""
        from gough.regions.constructors import region_of

        m, X = request.machine, request.X_one
        point = request.numbers("--about", self.about, (3,), "m")
        point = m.point_of_interest if point is None else point
        turns = self._orientations(request)
        shape, sizes = self._positions(request, has_orientations=bool(turns))
        return region_of(shape, X[:3, :3] @ point + X[:3, 3], sizes, **turns, about=point, reference=X)

    def _orientations(self, request: Request) -> dict[str, Any]:
        """The orientations as keywords of regions."""
        found: dict[str, Any] = {}
        if self.turn is not None:
            found["turn"] = float(_amounts(request, "--turn", repr(self.turn), (1,), "rad", pi)[0])
        if self.cone is not None:
            angles = _amounts(request, "--cone", self.cone, (1, 2), "rad", pi)
            found["tilt"], found["roll"] = float(angles[0]), float(angles[1]) if len(angles) > 1 else 0.0
        if self.euler is not None:
            if request.options.sequence is None:
                raise InputError("--euler: give --sequence too, the axes of the angles, such as XYZ")
            found |= {"euler": _amounts(request, "--euler", self.euler, (3,), "rad", pi)}
            found["sequence"] = request.options.sequence
        return found

    def _positions(self, request: Request, *, has_orientations: bool) -> tuple[str, Sequence[float] | Array]:
        """The shape of the positions and its lengths [m]; one position where only orientations are given."""
        from gough.regions.constructors import SIZES

        request.at_most_one(*SIZES)
        for name in (name for name in SIZES if getattr(self, name) is not None):
            return name, _amounts(request, f"--{name}", getattr(self, name), (SIZES[name],), "m")
        if not has_orientations:
            raise InputError(
                "--about: give the region too, --box, --ball, --cylinder or --ellipsoid, or its orientations"
            )
        return "box", [0.0, 0.0, 0.0]


@dataclass(frozen=True)
class RequestedLimits:
    """Options that request further limits."""

    twist: str | None = option(
        metavar="VX,...,WZ", help="Joint speeds stay within their limits at this twist of the point of interest."
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
        if self.resolution is None:
            request.counts_only_with("--resolution", "step")
            return None
        most = _amounts(request, "--resolution", self.resolution, (1, 2), ("m", "rad"))
        step = request.amount(request.options.step, request.machine.legs.joint_unit)
        bounds = dict(zip(("translation", "rotation"), map(float, most), strict=False))
        return gough.accuracy.ResolutionLimit(joint_step=step, **bounds)


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
