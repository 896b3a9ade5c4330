"""What legs are drawn from, before it is triangles: bars, balls and blocks, each a unit solid stretched into place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.plot._solids import Solid, ball, block, ring, tube

Array = NDArray[np.float64]

UPWARD = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Bar:
    """Round bar between two points [m]; its unit solid is the `tube` of radius one from the origin to z = 1."""

    start: Array
    end: Array
    radius: float
    label: str = ""

    def solid(self) -> Solid:
        """The bar as triangles."""
        return tube(self.start, self.end, self.radius, label=self.label)

    def placement(self) -> tuple[Array, Array, Array]:
        """Where the unit solid's z points (3,), its place (3,) and stretch (3,) [m]."""
        along = self.end - self.start
        return along, self.start, np.array([self.radius, self.radius, np.linalg.norm(along)])


@dataclass(frozen=True, eq=False)
class Ball:
    """Sphere [m]; its unit solid is the `ball` of radius one round the origin."""

    centre: Array
    radius: float
    label: str = ""

    def solid(self) -> Solid:
        """The sphere as triangles."""
        return ball(self.centre, self.radius, self.label)

    def placement(self) -> tuple[Array, Array, Array]:
        """Where the unit solid's z points (3,), its place (3,) and stretch (3,) [m]."""
        return UPWARD, self.centre, np.full(3, self.radius)


@dataclass(frozen=True, eq=False)
class Block:
    """Box with square section, `length` along a direction [m]; its unit solid is the cube of side one."""

    centre: Array
    along: Array
    length: float
    width: float
    label: str = ""

    def solid(self) -> Solid:
        """The box as triangles."""
        return block(self.centre, self.along, self.length, self.width, self.label)

    def placement(self) -> tuple[Array, Array, Array]:
        """Where the unit solid's z points (3,), its place (3,) and stretch (3,) [m]."""
        return self.along, self.centre, np.array([self.width, self.width, self.length])


@dataclass(frozen=True, eq=False)
class Ring:
    """Round bar bent to a circle about a unit axis [m]."""

    centre: Array
    axis: Array
    radius: float
    thickness: float

    def solid(self) -> Solid:
        """The ring as triangles."""
        return ring(self.centre, self.axis, self.radius, self.thickness)


Shape = Bar | Ball | Block
