"""Base class of the leg kinds, and the table by which kernels read legs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, MachinePart, Three

# Rows of the leg table, a (ROWS, 6) array with one column per leg, lengths in metres. A leg is a column, so that loops
# over the six legs read contiguous memory.
PLATFORM, ANCHOR, AXIS, ARM, ARM_NORMAL = 0, 3, 6, 9, 12  # first of three rows each
ROD, BRANCH, MIDDLE = 15, 16, 17
ROWS = 18

ROUND_OFF = 16 * float(np.finfo(float).eps)
"""Rounding error of a computed square, about ten roundings, relative to the product of the lengths in it."""


class PlainFunctions(NamedTuple):
    """Functions of a kind in plain Python, by which machines are loaded without importing the compiler."""

    inverse: Callable[[Array, int, float, float, float], float]
    reach: Callable[[Array, int, float, float, float], float]
    carried: Callable[[Array, int, float, float, float, float], Three]


class Enclosure(NamedTuple):
    """Bounds of six legs while their platform joints stay in balls.

    Attributes
    ----------
    q_low, q_high : (..., 6) array
        Bounds of the joint coordinates [m or rad]; `q_low` above `q_high` where no point of the ball closes the leg.
    u : (..., 6, 3) array
        A vector near the rod's directions, in general not of length one.
    u_shift : (..., 6) array
        No unit direction of the rod is farther than this from `u`.
    p_shift : (..., 6) array
        No driven point is farther than this from a common one [m].
    is_centred : (..., 6) array
        Whether `u` and that common driven point are those at the ball's centre.

    """

    q_low: Array
    q_high: Array
    u: Array
    u_shift: Array
    p_shift: Array
    is_centred: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Legs(MachinePart, ABC):
    """The six legs of a machine, all of one kind.

    Attributes
    ----------
    b_P : (6, 3) array
        Platform joint points in the platform frame [m].

    """

    b_P: Array

    kind: ClassVar[str]
    """Name in machine files."""
    code: ClassVar[int]
    """Number by which kernels choose this kind's functions."""
    title: ClassVar[str]
    """The kind in words."""
    joint: ClassVar[Literal["length", "angle"]]
    """Kind of the joint coordinate: a length [m] or an angle [rad]."""
    joint_range: ClassVar[tuple[float, float]]
    """Range of the joint coordinate by its definition [m or rad]."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Keys a machine file must give for this kind, besides the joint points."""
    takes: ClassVar[tuple[str, ...]] = ()
    """Keys a machine file may give for this kind."""
    parts: ClassVar[tuple[str, ...]]
    """Names of a leg's bodies."""
    attached_to: ClassVar[Mapping[str, Literal["carrier", "foot", "head"]]]
    """What each part moves with: the part that the drive moves (carrier), or the leg's direction, its origin then at
    the driven point (foot) or at the platform joint (head)."""
    feet_may_coincide: ClassVar[bool] = False
    """Whether base points of several legs may coincide (cranks about a common axis)."""
    plain: ClassVar[PlainFunctions]

    def joints_at(self, b_B: Array) -> Array:
        """Joint coordinates (6,) [m or rad] with the platform joints at b_B (6, 3) [m]; NaN where none closes a leg."""
        table = self.table()
        with np.errstate(invalid="ignore"):
            return np.array([self.plain.inverse(table, i, *b_B[i]) for i in range(6)])

    def unturned(self, q: Array, directions_B: Array) -> Array:
        """Directions (6, 3) at joint coordinates q, turned back with the parts that hold the base joints to q = 0."""
        table = self.table()
        return np.array([self.plain.carried(table, i, -q[i], *directions_B[i]) for i in range(6)])

    @classmethod
    @abstractmethod
    def assemble(cls, points_B: Array, b_P: Array, b_home: Array, given: Mapping[str, Array]) -> Assembled:
        """Legs from joint points and the file's parameters, in SI.

        Parameters
        ----------
        points_B, b_P : (6, 3) array
            Base points and platform points, each in its own frame [m].
        b_home : (6, 3) array
            Platform points at home in the base frame [m]: defaults follow from them.
        given : mapping
            The parameters named in `needs` and `takes`.

        Returns
        -------
        The legs, or None, and one sentence for every error.

        """

    @property
    def joint_unit(self) -> str:
        """SI unit of the joint coordinate."""
        return "m" if self.joint == "length" else "rad"

    def ranging(self, low: Array, high: Array, b_home: Array) -> Self:
        """The legs with joint coordinates in ranges (6,), the platform joints at b_home (6, 3) at home [m]: angles of
        cranks are counted from the middle of their range, or from home."""
        return self

    @abstractmethod
    def table(self) -> Array:
        """The (ROWS, 6) leg table that kernels read."""

    def rest(self) -> Array:
        """Points p(0) on the base side, (6, 3) [m], in the base frame, as drawn."""
        return self.driven_points(np.zeros(6))

    def rod(self) -> Array | None:
        """Constant rod lengths (6,) [m], or None where the joint coordinate is the length."""
        return None

    @abstractmethod
    def driven_points(self, q: Array) -> Array:
        """Driven points p(q), (..., 6, 3) [m], of joint coordinates q (..., 6)."""

    def carriers(self, q: Array) -> Array:
        """Poses (..., 6, 4, 4) in the base, at q (..., 6), of the parts that the drives move: here without rotation."""
        frames = np.broadcast_to(np.eye(4), (*np.shape(q), 4, 4)).copy()
        frames[..., :3, 3] = self.driven_points(q)
        return frames

    def carrier_twist(self) -> Array:
        """Twists (6, 6) of those frames per rate of the joint coordinate, in base axes; the same at every q."""
        return np.zeros((6, 6))

    @abstractmethod
    def enclosure(self, b_B: Array, radius: Array) -> Enclosure:
        """Bounds while the platform joints stay within `radius` (..., 1) of b_B (..., 6, 3) [m]; exact arithmetic."""

    def path(self, low: Array, high: Array, samples: int) -> Array:
        """Driven points for q from `low` to `high`, (6, samples, 3) [m]: guides and crank circles, drawn."""
        q = np.linspace(low, high, samples, axis=0)
        return np.moveaxis(self.driven_points(q), 0, 1)

    def _blank(self) -> Array:
        table = np.zeros((ROWS, 6))
        table[PLATFORM : PLATFORM + 3] = self.b_P.T
        return table


Assembled = tuple[Legs | None, list[str]]


def branch_at_home(legs: Legs, b_home: Array, given: Array | None) -> tuple[Array, list[str]]:
    """The branch (6,) a file gives, or else the one with the smaller |q| at home; a sentence for each leg that is open.

    `legs` are on branch +1.
    """
    table = legs.table()
    q = np.empty((2, 6))
    with np.errstate(invalid="ignore"):
        for k, sign in enumerate((1.0, -1.0)):  # one branch is open exactly where the other is
            table[BRANCH] = sign
            q[k] = [legs.plain.inverse(table, i, *b_home[i]) for i in range(6)]
    open_legs = []
    for i in np.flatnonzero(np.isnan(q).any(axis=0)):
        short = -legs.plain.reach(table, int(i), *b_home[i])
        rod = table[ROD, i]
        open_legs.append(
            f"legs: leg {i + 1} cannot close at the home pose: its platform joint is {short:.4g} m out of reach of its "
            f"rod of {rod:.4g} m"
        )
    return (np.where(np.abs(q[0]) < np.abs(q[1]), 1.0, -1.0) if given is None else given), open_legs


def unit_rows(vectors: Array) -> Array:
    """Each row scaled to length one."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
