"""Regions of poses of the command line: from options, or by name from the machine's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gough.cli.command import Array, Request
from gough.cli.options import option
from gough.errors import InputError, nearest

if TYPE_CHECKING:
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
            found["turn"] = request.amount(self.turn, "rad")
        angles = request.numbers("--cone", self.cone, (1, 2), "rad")
        if angles is not None:
            found["tilt"], found["roll"] = float(angles[0]), float(angles[1]) if len(angles) > 1 else 0.0
        if self.euler is not None:
            if request.options.sequence is None:
                raise InputError("--euler: give --sequence too, the axes of the angles, such as XYZ")
            found |= {"euler": request.numbers("--euler", self.euler, (3,), "rad")}
            found["sequence"] = request.options.sequence
        return found

    def _positions(self, request: Request, *, has_orientations: bool) -> tuple[str, Sequence[float] | Array]:
        """The shape of the positions and its lengths [m]; one position where only orientations are given."""
        from gough.regions.constructors import SIZES

        request.at_most_one(*SIZES)
        for name in (name for name in SIZES if getattr(self, name) is not None):
            return name, request.numbers(f"--{name}", getattr(self, name), (SIZES[name],), "m")
        if not has_orientations:
            raise InputError(
                "--about: give the region too, --box, --ball, --cylinder or --ellipsoid, or its orientations"
            )
        return "box", [0.0, 0.0, 0.0]


def named_region(named: Mapping[str, Region], name: str) -> Region:
    """The region of this name among those of the machine's file."""
    if name not in named:
        there = f"expected {', '.join(named)}" if named else "it names none"
        raise InputError(f"no region {name!r} in the machine's file: {there}.{nearest(name, named)}")
    return named[name]
