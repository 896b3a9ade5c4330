"""Shapes of legs before they are triangulated: bars, balls, blocks, rings and forks.

All but rings and forks are unit solids scaled along their axes and moved: the live page sends these placements alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from gough.arrays import Array
from gough.plot._scene import Z_AXIS
from gough.plot._solids import Solid, ball, block, box, joined, ring, tube


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
        """Direction of the unit solid's z axis (3,), position (3,) and scale along its axes (3,) [m]."""
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
        """Direction of the unit solid's z axis (3,), position (3,) and scale along its axes (3,) [m]."""
        return Z_AXIS, self.centre, np.full(3, self.radius)


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
        """Direction of the unit solid's z axis (3,), position (3,) and scale along its axes (3,) [m]."""
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


@dataclass(frozen=True, eq=False)
class Fork:
    """Fork of a universal joint at the end of a rod: two cheeks on a pin through the joint's centre, and the bridge
    that joins them to the rod; its unit solid is `fork`, with the rod along z and the pin along x."""

    centre: Array
    along: Array
    pin: Array
    size: float
    label: str = ""

    def solid(self) -> Solid:
        """The fork as triangles."""
        unit = fork()
        return Solid(self.centre + self.size * unit.vertices @ self.axes().T, unit.faces, self.label)

    def axes(self) -> Array:
        """Axes of the unit solid as columns (3, 3)."""
        # The pin need not be square to the rod: its part across the rod is the x axis.
        along = self.along / np.linalg.norm(self.along)
        across = np.cross(along, self.pin)
        across /= np.linalg.norm(across)
        return np.stack([np.cross(across, along), across, along], axis=1)


@cache
def fork() -> Solid:
    """Fork of size one: the rod along z from 2.4 on, the pin along x, around a knuckle of radius one."""
    cheeks = [box(np.array([side * 1.3, 0.0, 0.55]), np.array([0.5, 1.5, 2.9])) for side in (-1, 1)]
    pin = tube(np.array([-1.8, 0.0, 0.0]), np.array([1.8, 0.0, 0.0]), 0.45, sides=6)
    return joined([*cheeks, box(np.array([0.0, 0.0, 1.9]), np.array([3.1, 1.5, 0.6])), pin])


Shape = Bar | Ball | Block | Fork
