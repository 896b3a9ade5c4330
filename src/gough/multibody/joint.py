"""Base class of joints, and the constraint rows from which they are built.

Every constraint row of a joint is a scalar product of two vectors that are linear in the coordinates of its two solids,

    Phi = (Z_i a_i + Z_j a_j + a_0) . (Z_i b_i + Z_j b_j + b_0) - c = 0

so derivatives and second time derivatives have one form for all joints:

    dPhi/dZ_i = w_b a_i^T + w_a b_i^T        Phi'' = dPhi/dZ : Z'' + 2 w_a' . w_b'

Each joint class in `gough.multibody.joints` returns its rows. The reaction efforts are those of Dumitriu and
Margaritescu (2016, eq. 14) and Dumitriu (2017, eqs. 12-14): [X | Y] = + Lambda dPhi/dZ on each solid.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, ReadOnly
from gough.checks.numbers import of_shape
from gough.errors import InputError

RIGHT_ANGLE = 1e-9
"""Largest cosine between directions that count as perpendicular."""


class Row(NamedTuple):
    """One scalar constraint: (a, b) of both solids in `first` and `second` (2, 4), (a_0, b_0) in `constant` (2, 3)."""

    first: Array
    second: Array
    constant: Array
    value: float
    multiplier: str
    """Meaning and unit of its multiplier."""


@dataclass(frozen=True, eq=False)
class Joint(ReadOnly, ABC):
    """A joint between two solids, given at the start.

    Attributes
    ----------
    first, second : str
        Names of the solids, "ground" for the fixed one. Multipliers act with + on the first one.
    name : str
        Name in results and messages; by default the kind of joint and the names of its solids.

    """

    kind: ClassVar[str]
    """Name of the kind of joint."""

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
        """Reference point of reaction moments, a point of the second solid, (3,) [m] at the start."""

    @abstractmethod
    def rows(self) -> list[Row]:
        """Constraint rows; each is zero at the start."""

    @property
    def axis(self) -> Array | None:
        """Axis of a drive (3,) at the start, fixed to the first solid; None for joints without one."""
        return None


def point_of(value: ArrayLike, what: str) -> Array:
    """Read-only point (3,) [m]; `InputError` where it is not finite."""
    point = of_shape(what, value, "(3,)").copy()
    if not np.isfinite(point).all():
        raise InputError(f"{what}: {point.tolist()} is not finite")
    point.setflags(write=False)
    return point


def unit(value: ArrayLike, what: str) -> Array:
    """Read-only unit vector (3,) along a direction."""
    direction = np.array(point_of(value, what))
    length = np.linalg.norm(direction)
    if length == 0:
        raise InputError(f"{what}: a direction of length zero")
    direction /= length
    direction.setflags(write=False)
    return direction


def across(axis: Array) -> tuple[Array, Array]:
    """Unit vectors u, v such that (u, v, axis) is a right-handed frame."""
    # The coordinate axis farthest from `axis` keeps the cross product well conditioned.
    u = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)


def coincide(point: Array) -> list[Row]:
    """T_i + R_i OA_0 - T_j - R_j OA_0 = 0 (2016, eq. 13): three rows, one per inertial axis."""
    h = np.array([1.0, *point])
    rows = []
    # Component e of the gap p_i - p_j between the coincident points: w_a is the gap, w_b the constant e.
    for name, e in zip("xyz", np.eye(3), strict=True):
        first, second, constant = np.zeros((2, 4)), np.zeros((2, 4)), np.zeros((2, 3))
        first[0], second[0], constant[1] = h, -h, e
        rows.append(Row(first, second, constant, 0.0, f"force along inertial {name} [N]"))
    return rows


def perpendicular(u: Array, v: Array, name: str) -> Row:
    """(R_i u) . (R_j v) = 0, u fixed to the first solid, v to the second; `name` is the axis of the torque."""
    if abs(u @ v) > RIGHT_ANGLE:
        angle = np.degrees(np.arccos(abs(u @ v)))
        raise InputError(f"{name}: the two axes must be perpendicular, they are {angle:.4g} deg apart")
    first, second = np.zeros((2, 4)), np.zeros((2, 4))
    first[0, 1:], second[1, 1:] = u, v
    return Row(first, second, np.zeros((2, 3)), 0.0, f"torque about {name} [N m]")


def fixed_in_space(u: Array, v: Array, name: str) -> Row:
    """((R_j - R_i) v) . u = 0, u fixed in the inertial frame: as 2017, eqs. (10) and (11), print it."""
    first, second, constant = np.zeros((2, 4)), np.zeros((2, 4)), np.zeros((2, 3))
    first[0, 1:], second[0, 1:], constant[1] = -v, v, u
    return Row(first, second, constant, 0.0, f"torque about {name} [N m]")


def level(u: Array, point: Array, name: str) -> Row:
    """(R_i u) . (p_j - p_i) = 0: the point of the second solid stays in the plane of the first normal to u."""
    h = np.array([1.0, *point])
    first, second = np.zeros((2, 4)), np.zeros((2, 4))
    first[0, 1:], first[1], second[1] = u, -h, h
    return Row(first, second, np.zeros((2, 3)), 0.0, f"force along {name} [N]")
