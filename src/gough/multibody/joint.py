"""What all joints have in common: rows, multipliers, reactions.

Every row of every joint is one scalar product of two vectors that are linear in the coordinates of its two solids,

    Phi = (Z_i a_i + Z_j a_j + a_0) . (Z_i b_i + Z_j b_j + b_0) - c = 0

so its derivative rows and its second time derivative are known once, for all joints:

    dPhi/dZ_i = w_b a_i^T + w_a b_i^T        Phi'' = dPhi/dZ : Z'' + 2 w_a' . w_b'

A kind of joint says which rows it has (`gough.multibody.joints`). The efforts of the multipliers are those of Dumitriu
and Margaritescu (2016, eq. 14) and Dumitriu (2017, eqs. 12-14): + Lambda dPhi/dZ = [X | Y] on each solid.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.read_only import ReadOnly

RIGHT_ANGLE = 1e-9
"""Largest cosine between directions that a joint needs at a right angle."""


class Row(NamedTuple):
    """One scalar constraint; `first`, `second` (2, 4) hold (a, b) of each solid, `constant` (2, 3) holds a_0, b_0."""

    first: Array
    second: Array
    constant: Array
    value: float
    multiplier: str
    """What its multiplier is, with its unit."""


@dataclass(frozen=True, eq=False)
class Joint(ReadOnly, ABC):
    """A joint between two solids, given at the start.

    Attributes
    ----------
    first, second : str
        Names of the solids, "ground" for the one that never moves. Multipliers act with + on the first one.
    name : str
        How results and messages call the joint; by default its kind and its solids.

    """

    kind: ClassVar[str]
    """The joint in a word."""

    first: str
    second: str
    name: str = field(default="", kw_only=True)

    @property
    def title(self) -> str:
        """Name in results and messages."""
        return self.name or f"{self.kind} {self.first} - {self.second}"

    @property
    @abstractmethod
    def centre(self) -> Array:
        """Point of the second solid, (3,) [m] at the start, about which reaction moments are given."""

    @abstractmethod
    def rows(self) -> list[Row]:
        """The constraints, each zero at the start."""

    @property
    def axis(self) -> Array | None:
        """Direction (3,) at the start, fixed to the first solid, along or about which a drive acts; None if none."""
        return None


def point_of(value: ArrayLike, what: str) -> Array:
    """A point (3,) [m], read-only."""
    point = of_shape(what, value, "(3,)").copy()
    if not np.isfinite(point).all():
        raise InputError(f"{what}: {point.tolist()} is not finite")
    point.setflags(write=False)
    return point


def unit(value: ArrayLike, what: str) -> Array:
    """A direction (3,) of length one, read-only."""
    direction = np.array(point_of(value, what))
    length = np.linalg.norm(direction)
    if length == 0:
        raise InputError(f"{what}: a direction of length zero")
    direction /= length
    direction.setflags(write=False)
    return direction


def across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed frame with the unit vector `axis`."""
    u = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)


def coincide(point: Array) -> list[Row]:
    """T_i + R_i OA_0 - T_j - R_j OA_0 = 0 (2016, eq. 13): three rows, one per inertial axis."""
    h = np.array([1.0, *point])
    rows = []
    for name, e in zip("xyz", np.eye(3), strict=True):
        first, second, constant = np.zeros((2, 4)), np.zeros((2, 4)), np.zeros((2, 3))
        first[0], second[0], constant[1] = h, -h, e
        rows.append(Row(first, second, constant, 0.0, f"force along inertial {name} [N]"))
    return rows


def perpendicular(u: Array, v: Array, name: str) -> Row:
    """(R_i u) . (R_j v) = 0, u fixed to the first solid and v to the second; `name` says about what its torque is."""
    if abs(u @ v) > RIGHT_ANGLE:
        angle = np.degrees(np.arccos(abs(u @ v)))
        raise InputError(f"{name}: the two axes must be perpendicular, they are {angle:.4g} deg apart")
    first, second = np.zeros((2, 4)), np.zeros((2, 4))
    first[0, 1:], second[1, 1:] = u, v
    return Row(first, second, np.zeros((2, 3)), 0.0, f"torque about {name} [N m]")


def level(u: Array, point: Array, name: str) -> Row:
    """(R_i u) . (p_j - p_i) = 0: the second solid's point stays in the first one's plane across u."""
    h = np.array([1.0, *point])
    first, second = np.zeros((2, 4)), np.zeros((2, 4))
    first[0, 1:], first[1], second[1] = u, -h, h
    return Row(first, second, np.zeros((2, 3)), 0.0, f"force along {name} [N]")
