"""PUS: a rod of constant length whose foot slides on a straight guide; q is the displacement [m].

    p(q) = a + q g        L(q) = l        p' = g        L' = 0

With d = b - a, the joint lies on the sphere of radius l about the slider where

    q = g . d + branch * sqrt(l^2 - |d - (g . d) g|^2)

branch = -1 is the slider behind the foot of the perpendicular (towards -g), +1 the one ahead of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar, Literal

import numpy as np

from gough.arrays import Array, Four, Three
from gough.legs.leg import (
    ANCHOR,
    AXIS,
    BRANCH,
    ROD,
    ROUND_OFF,
    Assembled,
    Enclosure,
    Legs,
    PlainFunctions,
    branch_at_home,
    unit_rows,
)

# The functions below are compiled where they are chosen, in `gough.legs._leg_dispatch`: T is the leg table, i the leg.


def inverse(T: Array, i: int, x: float, y: float, z: float) -> float:
    """Displacement that puts the platform joint at (x, y, z) [m]; NaN where the rod is too short.

    At the turning point the root is zero, and rounding may make its argument negative: the coordinates are known to
    half a unit in the last place, the argument to `rounding`. Values within that count as zero.
    """
    extent = abs(x) + abs(y) + abs(z) + abs(T[ANCHOR, i]) + abs(T[ANCHOR + 1, i]) + abs(T[ANCHOR + 2, i]) + T[ROD, i]
    x -= T[ANCHOR, i]
    y -= T[ANCHOR + 1, i]
    z -= T[ANCHOR + 2, i]
    along = x * T[AXIS, i] + y * T[AXIS + 1, i] + z * T[AXIS + 2, i]
    # (x, y, z) becomes the part of d across the guide.
    x -= along * T[AXIS, i]
    y -= along * T[AXIS + 1, i]
    z -= along * T[AXIS + 2, i]
    square = T[ROD, i] * T[ROD, i] - (x * x + y * y + z * z)
    rounding = ROUND_OFF * T[ROD, i] * extent
    return along + T[BRANCH, i] * np.sqrt(0.0 if -rounding <= square < 0.0 else square)


def driven_point(T: Array, i: int, q: float) -> Four:
    """p(q) and the rod length L(q) [m]."""
    return (
        T[ANCHOR, i] + q * T[AXIS, i],
        T[ANCHOR + 1, i] + q * T[AXIS + 1, i],
        T[ANCHOR + 2, i] + q * T[AXIS + 2, i],
        T[ROD, i],
    )


def drive(T: Array, i: int, q: float) -> Four:
    """First derivatives p'(q), L'(q)."""
    return T[AXIS, i], T[AXIS + 1, i], T[AXIS + 2, i], 0.0


def drive_rate(T: Array, i: int, q: float) -> Four:
    """Second derivatives p''(q), L''(q)."""
    return 0.0, 0.0, 0.0, 0.0


def reach(T: Array, i: int, x: float, y: float, z: float) -> float:
    """Distance of the platform joint to where the rod is too short to reach the guide [m]; negative beyond."""
    x -= T[ANCHOR, i]
    y -= T[ANCHOR + 1, i]
    z -= T[ANCHOR + 2, i]
    along = x * T[AXIS, i] + y * T[AXIS + 1, i] + z * T[AXIS + 2, i]
    x -= along * T[AXIS, i]
    y -= along * T[AXIS + 1, i]
    z -= along * T[AXIS + 2, i]
    return T[ROD, i] - sqrt(x * x + y * y + z * z)


def carried(T: Array, i: int, q: float, x: float, y: float, z: float) -> Three:
    """Direction at joint coordinate q of a vector fixed to the part that holds the base joint: sliders do not turn."""
    return x, y, z


@dataclass(frozen=True, eq=False, kw_only=True)
class PUS(Legs):
    """Six rods of constant length on sliders.

    Attributes
    ----------
    a_B : (6, 3) array
        Slider points at q = 0 in the base frame [m].
    g_B : (6, 3) array
        Unit vectors along the guides, in the base frame.
    rod_length : (6,) array
        [m].
    branch : (6,) array
        +1 or -1, see the module.

    """

    a_B: Array
    g_B: Array
    rod_length: Array
    branch: Array

    kind: ClassVar[str] = "PUS"
    code: ClassVar[int] = 1
    title: ClassVar[str] = "slider on a straight guide"
    joint: ClassVar[Literal["length", "angle"]] = "length"
    joint_range: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    needs: ClassVar[tuple[str, ...]] = ("guide",)
    takes: ClassVar[tuple[str, ...]] = ("rod_length", "branch")
    parts: ClassVar[tuple[str, ...]] = ("slider", "joint", "rod")
    attached_to: ClassVar[Mapping[str, Literal["carrier", "foot", "head"]]] = {
        "slider": "carrier",
        "joint": "foot",
        "rod": "foot",
    }
    plain: ClassVar[PlainFunctions] = PlainFunctions(inverse, reach, carried)

    @classmethod
    def assemble(cls, points_B: Array, b_P: Array, b_home: Array, given: Mapping[str, Array]) -> Assembled:
        """See `Legs.assemble`."""
        rod = given.get("rod_length", np.linalg.norm(b_home - points_B, axis=1))
        legs = cls(b_P=b_P, a_B=points_B, g_B=unit_rows(given["guide"]), rod_length=rod, branch=np.ones(6))
        branch, problems = branch_at_home(legs, b_home, given.get("branch"))
        return replace(legs, branch=branch), problems

    def table(self) -> Array:
        """See `Legs.table`."""
        table = self._blank()
        table[ANCHOR : ANCHOR + 3] = self.a_B.T
        table[AXIS : AXIS + 3] = self.g_B.T
        table[ROD] = self.rod_length
        table[BRANCH] = self.branch
        return table

    def rod(self) -> Array | None:
        """See `Legs.rod`."""
        return self.rod_length

    def driven_points(self, q: Array) -> Array:
        """See `Legs.driven_points`."""
        return np.asarray(self.a_B + np.asarray(q)[..., None] * self.g_B)

    def carrier_twist(self) -> Array:
        """See `Legs.carrier_twist`."""
        return np.concatenate([self.g_B, np.zeros((6, 3))], axis=1)

    def enclosure(self, b_B: Array, radius: Array) -> Enclosure:
        """See `Legs.enclosure`.

        The joint's distance h from the guide differs by at most the radius from the centre's, and so does its place
        along the guide; the slider is sqrt(l^2 - h^2) away from the foot of the perpendicular.
        """
        d = b_B - self.a_B
        along = np.sum(d * self.g_B, axis=-1)
        across = d - along[..., None] * self.g_B
        h = np.linalg.norm(across, axis=-1)
        squared = self.rod_length**2
        nearest, farthest = np.maximum(h - radius, 0.0), h + radius
        large, small = (np.sqrt(np.maximum(squared - x * x, 0.0)) for x in (nearest, farthest))
        # `closes`: some point of the ball is within reach of the guide. `is_centred`: every point is.
        closes, is_centred = nearest <= self.rod_length, farthest <= self.rod_length
        # Offset of the slider at the ball's centre; in the middle of its range where part of the ball is out of reach.
        at_centre = np.sqrt(np.maximum(squared - h * h, 0.0))
        reference = np.where(is_centred, at_centre, (large + small) / 2.0)
        half = np.maximum(large - reference, reference - small)
        centre = self.branch * reference
        u = (across - centre[..., None] * self.g_B) / self.rod_length[:, None]
        return Enclosure(
            q_low=np.where(closes, along + centre - half - radius, np.inf),
            q_high=np.where(closes, along + centre + half + radius, -np.inf),
            u=u,
            u_shift=np.hypot(half, radius) / self.rod_length,
            p_shift=half + radius,
            is_centred=is_centred,
        )
