"""Joints between solids, and the constraint rows from which they are built.

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
from gough.checks.arguments import checks_arguments
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
        """Return the constraint rows; each is zero at the start."""

    @property
    def axis(self) -> Array | None:
        """Axis of a drive (3,) at the start, fixed to the first solid; None for joints without one."""
        return None


def point_of(value: ArrayLike, what: str) -> Array:
    """Return read-only point (3,) [m]; `InputError` where it is not finite."""
    point = of_shape(what, value, "(3,)").copy()
    if not np.isfinite(point).all():
        raise InputError(f"{what}: {point.tolist()} is not finite")
    point.setflags(write=False)
    return point


def unit(value: ArrayLike, what: str) -> Array:
    """Return read-only unit vector (3,) along a direction."""
    direction = np.array(point_of(value, what))
    length = np.linalg.norm(direction)
    if length == 0:
        raise InputError(f"{what}: a direction of length zero")
    direction /= length
    direction.setflags(write=False)
    return direction


def across(axis: Array) -> tuple[Array, Array]:
    """Return the unit vectors u, v such that (u, v, axis) is a right-handed frame."""
    # The coordinate axis farthest from `axis` keeps the cross product well conditioned.
    u = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)


def coincide(point: Array) -> list[Row]:
    """Return T_i + R_i OA_0 - T_j - R_j OA_0 = 0 (2016, eq. 13): three rows, one per inertial axis."""
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


@dataclass(frozen=True, eq=False)
class AtPoint(Joint):
    """A joint at a point (3,) [m]."""

    point: ArrayLike

    @property
    def centre(self) -> Array:
        """See `Joint.centre`."""
        return point_of(self.point, f"point of {self.title}")


@dataclass(frozen=True, eq=False)
class AlongAxis(AtPoint):
    """A joint at a point (3,) [m], along or about a direction (3,)."""

    direction: ArrayLike

    @property
    def axis(self) -> Array:
        """See `Joint.axis`."""
        return unit(self.direction, f"direction of {self.title}")


@checks_arguments
@dataclass(frozen=True, eq=False)
class Spherical(AtPoint):
    """Ball joint centred at `point` (3,) [m]. Dumitriu and Margaritescu 2016, eqs. (13) and (14).

    Constraint       T_i + R_i OA_0 - T_j - R_j OA_0 = 0                              3 rows
    Derivative       rows e_k (1, OA_0)^T of solid i, the opposite of solid j: constant
    Multipliers      the force on the first solid, in inertial axes [N]
    Reactions        X_i = Lambda, Y_i = Lambda OA_0^T on the first solid, the opposite on the second
    """

    kind: ClassVar[str] = "spherical"

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        return coincide(self.centre)


@checks_arguments
@dataclass(frozen=True, eq=False)
class Fixed(AtPoint):
    """Rigid connection; its reaction is given at `point` (3,) [m]. 2016, eq. (13), and three right angles kept.

    Constraint       T_i + R_i OA_0 - T_j - R_j OA_0 = 0
                     (R_i x) . (R_j y) = (R_i y) . (R_j z) = (R_i z) . (R_j x) = 0                      6 rows
    Derivative       e_k (1, OA_0)^T; (R_j y) x^T in R_i, (R_i x) y^T in R_j and so on
    Multipliers      the force on the first solid [N], three torques about its axes z, x, y [N m]
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "fixed"

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        x, y, z = np.eye(3)
        return [
            *coincide(self.centre),
            perpendicular(x, y, f"z of {self.title}"),
            perpendicular(y, z, f"x of {self.title}"),
            perpendicular(z, x, f"y of {self.title}"),
        ]


@checks_arguments
@dataclass(frozen=True, eq=False)
class Universal(AtPoint):
    """Cardan joint at `point` (3,) [m]; `first_axis` is fixed to the first solid, `second_axis` to the second.

    Dumitriu 2017, eqs. (9) and (11), efforts in (12) to (14). Both axes are carried by their solids, for any motion.
    With `as_printed` the condition on the axes is that of the paper, ((R_j - R_i) v_0) . u_0 = 0, with a direction
    u_0 fixed in the inertial frame: the same at the start, and always where the first solid is the ground.

    Constraint       T_i + R_i OA_0 - T_j - R_j OA_0 = 0 and (R_i u_0) . (R_j v_0) = 0        4 rows
    Derivative       e_k (1, OA_0)^T; (R_j v_0) u_0^T in R_i and (R_i u_0) v_0^T in R_j
    Multipliers      the force on the first solid [N], and the torque about the common normal of both axes [N m]
    Reactions        X_i = Lambda, Y_i = Lambda OA_0^T + lambda (R_j v_0) u_0^T; X_j = -Lambda,
                     Y_j = -Lambda OA_0^T + lambda (R_i u_0) v_0^T
    """

    kind: ClassVar[str] = "universal"

    first_axis: ArrayLike
    second_axis: ArrayLike
    as_printed: bool = field(default=False, kw_only=True)

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        u = unit(self.first_axis, f"first_axis of {self.title}")
        v = unit(self.second_axis, f"second_axis of {self.title}")
        square = fixed_in_space if self.as_printed else perpendicular
        return [*coincide(self.centre), square(u, v, f"the normal of the cross of {self.title}")]


@checks_arguments
@dataclass(frozen=True, eq=False)
class Revolute(AlongAxis):
    """Hinge at `point` (3,) [m] about `direction` (3,): Dumitriu 2017, eq. (11) for the point, (10) for the axis.

    Constraint       T_i + R_i OA_0 - T_j - R_j OA_0 = 0
                     (R_i u) . (R_j n) = (R_i v) . (R_j n) = 0, n the axis, u and v across it           5 rows
    Derivative       e_k (1, OA_0)^T; (R_j n) u^T in R_i, (R_i u) n^T in R_j
    Multipliers      the force on the first solid [N], two torques across the axis [N m]
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "revolute"

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        n = self.axis
        u, v = across(n)
        return [
            *coincide(self.centre),
            perpendicular(u, n, f"v of {self.title}"),
            perpendicular(v, n, f"u of {self.title}"),
        ]


@checks_arguments
@dataclass(frozen=True, eq=False)
class Cylindrical(AlongAxis):
    """Both solids share the line through `point` (3,) [m] along `direction` (3,). Dumitriu 2017, eq. (10).

    The rows hold for any motion. With `as_printed` they are the paper's, ((R_i - R_j) AB_0) . u_0 = 0, which
    keeps the axes parallel for rotations below a right angle, and (R_i u_0) . (T_j - T_i) = 0, which omits
    R_j OA_0 - R_i OA_0: it holds for the point at the inertial origin, so it is exact only where the solids do not
    turn about the axis relative to each other.

    Constraint       (R_i u) . (R_j n) = (R_i v) . (R_j n) = 0, n the axis, u and v across it
                     (R_i u) . (p_j - p_i) = (R_i v) . (p_j - p_i) = 0, p the point on each solid      4 rows
    Derivative       (R_j n) u^T in R_i, (R_i u) n^T in R_j; with d = p_j - p_i: d (0, u)^T - (R_i u) (1, OA_0)^T
                     in Z_i, (R_i u) (1, OA_0)^T in Z_j
    Multipliers      two torques across the axis [N m], two forces across it [N]
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "cylindrical"

    as_printed: bool = field(default=False, kw_only=True)

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        n = self.axis
        u, v = across(n)
        point = np.zeros(3) if self.as_printed else self.centre
        square = fixed_in_space if self.as_printed else perpendicular
        return [
            square(u, n, f"v of {self.title}"),
            square(v, n, f"u of {self.title}"),
            level(u, point, f"u of {self.title}"),
            level(v, point, f"v of {self.title}"),
        ]


@checks_arguments
@dataclass(frozen=True, eq=False)
class Prismatic(Cylindrical):
    """Slider along `direction` (3,) through `point` (3,) [m]: Dumitriu 2017, eq. (10), and no turn about the axis.

    Constraint       the four rows of the cylindrical joint and (R_i u) . (R_j v) = 0, u, v across the axis   5 rows
    Derivative       as there, and (R_j v) u^T in R_i, (R_i u) v^T in R_j
    Multipliers      as there, and the torque about the axis [N m]
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "prismatic"

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        u, v = across(self.axis)
        return [*super().rows(), perpendicular(u, v, f"the axis of {self.title}")]


@checks_arguments
@dataclass(frozen=True, eq=False)
class InLine(AlongAxis):
    """Point of the second solid on a line of the first, through `point` along `direction`.

    The last two rows of Dumitriu 2017, eq. (10). It closes a loop of a planar mechanism without redundant rows.

    Constraint       (R_i u) . (p_j - p_i) = (R_i v) . (p_j - p_i) = 0, u and v across the line      2 rows
    Derivative       with d = p_j - p_i: d (0, u)^T - (R_i u) (1, OA_0)^T in Z_i, (R_i u) (1, OA_0)^T in Z_j
    Multipliers      two forces across the line [N]
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "in-line"

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        u, v = across(self.axis)
        return [level(u, self.centre, f"u of {self.title}"), level(v, self.centre, f"v of {self.title}")]


@checks_arguments
@dataclass(frozen=True, eq=False)
class Distance(Joint):
    """Constant distance between `first_point` and `second_point` (3,) [m].

    Not in the papers; the points are theirs, OM = T + R OM_0 (2016, eq. 3).

    Constraint       (|d|^2 - L^2) / 2 L = 0,  d = p_j - p_i                                1 row
    Derivative       -(d / L) (1, OA_0)^T in Z_i, (d / L) (1, OB_0)^T in Z_j
    Multiplier       the force in the rod [N], tension negative
    Reactions        lambda times those rows on each solid
    """

    kind: ClassVar[str] = "distance"

    first_point: ArrayLike
    second_point: ArrayLike

    @property
    def centre(self) -> Array:
        """See `Joint.centre`."""
        return point_of(self.second_point, f"second_point of {self.title}")

    def rows(self) -> list[Row]:
        """See `Joint.rows`."""
        start, end = point_of(self.first_point, f"first_point of {self.title}"), self.centre
        length = float(np.linalg.norm(end - start))
        if length == 0:
            raise InputError(f"{self.title}: the two points coincide; a rod of length zero is a spherical joint")
        # (d / 2 L) . d - L / 2: divided by L, so that the multiplier is a force.
        scale = np.array([[0.5 / length], [1.0]])
        first, second = -scale * np.array([1.0, *start]), scale * np.array([1.0, *end])
        return [Row(first, second, np.zeros((2, 3)), length / 2, "force in the rod [N]")]
