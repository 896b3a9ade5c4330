"""UPS and UCU: an extending strut from a fixed base joint; q is its length [m].

p(q) = a        L(q) = q        p' = 0        L' = 1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Literal

import numpy as np

from gough.arrays import Array, Four, Three
from gough.legs.leg import ANCHOR, Assembled, Enclosure, Legs, PlainFunctions

# The functions below are compiled where they are chosen, in `gough.legs._leg_dispatch`: T is the leg table, i the leg.


def inverse(T: Array, i: int, x: float, y: float, z: float) -> float:
    """Length that puts the platform joint at (x, y, z) [m]; there is always one."""
    x -= T[ANCHOR, i]
    y -= T[ANCHOR + 1, i]
    z -= T[ANCHOR + 2, i]
    return sqrt(x * x + y * y + z * z)


def driven_point(T: Array, i: int, q: float) -> Four:
    """p(q) and the rod length L(q) [m]."""
    return T[ANCHOR, i], T[ANCHOR + 1, i], T[ANCHOR + 2, i], q


def drive(T: Array, i: int, q: float) -> Four:
    """First derivatives p'(q), L'(q)."""
    return 0.0, 0.0, 0.0, 1.0


def drive_rate(T: Array, i: int, q: float) -> Four:
    """Second derivatives p''(q), L''(q)."""
    return 0.0, 0.0, 0.0, 0.0


def reach(T: Array, i: int, x: float, y: float, z: float) -> float:
    """Distance of the platform joint to where the leg cannot close [m]: a strut always closes."""
    return np.inf


def carried(T: Array, i: int, q: float, x: float, y: float, z: float) -> Three:
    """Direction at joint coordinate q of a vector fixed to the part that holds the base joint: the base is fixed."""
    return x, y, z


@dataclass(frozen=True, eq=False, kw_only=True)
class UPS(Legs):
    """Six extending struts.

    Attributes
    ----------
    a_B : (6, 3) array
        Base joint points in the base frame [m].

    """

    a_B: Array

    kind: ClassVar[str] = "UPS"
    code: ClassVar[int] = 0
    title: ClassVar[str] = "extending strut"
    joint: ClassVar[Literal["length", "angle"]] = "length"
    joint_range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    parts: ClassVar[tuple[str, ...]] = ("cylinder", "piston")
    attached_to: ClassVar[Mapping[str, Literal["carrier", "foot", "head"]]] = {"cylinder": "foot", "piston": "head"}
    plain: ClassVar[PlainFunctions] = PlainFunctions(inverse, reach, carried)

    @classmethod
    def assemble(cls, points_B: Array, b_P: Array, b_home: Array, given: Mapping[str, Array]) -> Assembled:
        """See `Legs.assemble`."""
        flat = np.flatnonzero(np.linalg.norm(b_home - points_B, axis=1) == 0)
        return cls(b_P=b_P, a_B=points_B), [f"home: leg {i + 1} has no length there" for i in flat]

    def table(self) -> Array:
        """See `Legs.table`."""
        table = self._blank()
        table[ANCHOR : ANCHOR + 3] = self.a_B.T
        return table

    def driven_points(self, q: Array) -> Array:
        """See `Legs.driven_points`."""
        return np.broadcast_to(self.a_B, (*np.shape(q), 3))

    def enclosure(self, b_B: Array, radius: Array) -> Enclosure:
        """See `Legs.enclosure`: a ball at distance d fills a cone of half-angle asin(radius / d) at the base joint."""
        d = b_B - self.a_B
        length = np.linalg.norm(d, axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            u, sine = d / length[..., None], radius / length
        half_angle = np.arcsin(np.minimum(sine, 1.0))
        inside = ~(sine < 1.0)  # the base joint is in the ball: every direction is possible; true for 0 / 0 too
        return Enclosure(
            q_low=np.maximum(length - radius, 0.0),
            q_high=length + radius,
            u=np.where(inside[..., None], 0.0, u),
            u_shift=np.where(inside, 1.0, 2.0 * np.sin(half_angle / 2.0)),  # chord of the cone's half-angle
            p_shift=np.zeros_like(length),
            is_centred=~inside,
        )
