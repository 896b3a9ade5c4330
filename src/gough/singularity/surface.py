"""The singular surface of any leg kind at one orientation, and its intersections with lines.

That of struts is a cubic (`gough.singularity.cubic`). That of sliders and cranks is not: the rods' directions have
square roots of the position, and the determinant of the rows [u, (R b - R c) x u / l] is evaluated as it is, with the
bounds of `gough.regions.box_limits` to prove where it is not zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.kinematics.inverse import inverse_kinematics
from gough.limits._margins import SIDE, SINGULAR_MIN, SINGULARITY, LimitArrays, margins_batch
from gough.limits.table import limit_table
from gough.machine import Machine
from gough.poses import PoseLike, one_pose
from gough.regions.box_limits import boxes_of_positions, limits_over
from gough.regions.requested import RegionLimits
from gough.regions.singularity import REGULAR
from gough.results import OneLine
from gough.singularity.cubic import SingularityCubic, line, singularity_cubic
from gough.workers import run_batch

FARTHEST = 3.0
"""Radius in machine sizes within which the surface of rods is searched for."""
TOUCHING = 1e-6
"""Largest determinant or singular value at a point of the surface."""
PIECES = 512
"""Pieces of a line before any is halved."""
MOST_PIECES = 2**16
"""Most pieces of a line that may be singular: with more the line lies in the surface."""
ROUND_OFF = 1e-14
"""The sign of a smallest singular value below this is rounding."""


@dataclass(frozen=True, eq=False)
class RodSurface(OneLine):
    """Determinant of the rods' directions as a function of the position, at one orientation.

    Attributes
    ----------
    machine : Machine
    R : (3, 3) array
        The orientation.

    """

    machine: Machine
    R: Array

    @property
    def length(self) -> float:
        """The machine's size [m]."""
        return self.machine.size

    def _in_words(self) -> str:
        return self.sentence()

    def sentence(self) -> str:
        """What kind of surface it is."""
        return f"no cubic, bounded by what {self.machine.leg_kind} legs can do in a ball"

    def __call__(self, positions: ArrayLike) -> Array:
        """Determinant (...) with the platform's origin at positions (..., 3) [m]; NaN where a leg cannot close."""
        m, t = self.machine, numbers("positions", positions)
        b_B = t[..., None, :] + m.b_P @ self.R.T
        d = b_B - m.legs.driven_points(inverse_kinematics(m, self._poses(t)))
        u = d / np.linalg.norm(d, axis=-1, keepdims=True)
        rho = (m.b_P - m.platform_centre) @ self.R.T / m.characteristic_length
        with np.errstate(invalid="ignore"):
            return np.asarray(np.linalg.det(np.concatenate([u, np.cross(rho, u)], axis=-1)))

    def sided(self, positions: Array) -> Array:
        """The smallest singular value with the determinant's sign (n,) [1] at positions (n, 3) [m].

        Elimination gets that sign right near multiple roots too, where the determinant vanishes in rounding; 0 below
        `ROUND_OFF`, NaN where a leg cannot close.
        """
        poses, arrays, values = self._poses(positions), self._singularity, np.empty((len(positions), 1))
        run_batch(lambda s: margins_batch(arrays, poses[s], values[s]), len(positions))
        signed = (values[:, 0] + arrays.G[SINGULAR_MIN]) * arrays.G[SIDE]
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(signed) < ROUND_OFF, 0.0, signed)

    def closes(self, positions: Array) -> Bools:
        """Whether all legs close (n,) at positions (n, 3) [m]."""
        return np.isfinite(inverse_kinematics(self.machine, self._poses(positions))).all(axis=-1)

    def _poses(self, positions: Array) -> Array:
        """Poses (..., 4, 4) at positions (..., 3)."""
        poses = np.zeros((*positions.shape[:-1], 4, 4))
        poses[..., :3, :3], poses[..., :3, 3], poses[..., 3, 3] = self.R, positions, 1.0
        return poses

    @cached_property
    def _singularity(self) -> LimitArrays:
        """The machine's limits reduced to the singularity."""
        arrays = limit_table(self.machine).arrays
        nothing_else = np.zeros_like(arrays.wanted)
        return arrays._replace(wanted=nothing_else, pairs=arrays.pairs[:0], places=np.array([SINGULARITY]))

    def first(self, position: Array, direction: Array) -> float:
        """Length [m] of a direction (3,) that ends at a change of sign; no root is computed, unlike for a cubic."""
        return float(np.linalg.norm(direction))

    def excludes(self, centres: Array, half: Array) -> Bools:
        """Whether boxes about centres (n, 3) with half-sides (3,) [m] are proven free of singularities (n,)."""
        limits = RegionLimits.regular(self.machine, REGULAR)
        is_singular = np.array([column.is_singularity for column in limits.columns])
        counted = is_singular | [column.quantity == "reach" for column in limits.columns]
        near = boxes_of_positions(self.R, centres, half)
        found = limits_over(limits, counted, near, proven=is_singular, is_whole=False)
        return np.asarray((found.lower[:, is_singular] >= 0)[:, 0] | found.broken.any(axis=1))

    @checks_arguments
    def along(self, start: ArrayLike, direction: ArrayLike) -> Array:
        """Intersections of a straight line with the surface: s of start + s direction, ascending [m], within three
        machine sizes.

        Pieces of the line are halved until they are proven free or shorter than 1e-11 of the machine: none is missed.
        Two intersections nearer to each other than that count as one. A line inside the surface gives none.
        """
        origin, d = line(start, direction)
        # All pieces have one length, so that they can be bounded together.
        pieces = np.linspace(-FARTHEST, FARTHEST, PIECES + 1) * self.length
        low, high = pieces[:-1], pieces[1:]
        while 0 < len(low) <= MOST_PIECES and high[0] - low[0] > 1e-11 * self.length:
            middle = (low + high) / 2
            low, high = np.stack([low, middle], axis=1).ravel(), np.stack([middle, high], axis=1).ravel()
            half = np.abs(d) * (high[0] - low[0]) / 2
            is_open = ~self.excludes(origin + (low + high)[:, None] / 2 * d, half * (1 + 1e-9))
            low, high = low[is_open], high[is_open]
        if not 0 < len(low) <= MOST_PIECES:
            return np.empty(0)
        # Adjacent pieces that remain are one intersection.
        parts = np.split(np.arange(len(low)), np.flatnonzero(np.diff(low) > 1.5 * (high[0] - low[0])) + 1)
        places = np.array([(low[part[0]] + high[part[-1]]) / 2 for part in parts])
        return places[np.abs(self(origin + places[:, None] * d)) < TOUCHING]


SingularSurface: TypeAlias = SingularityCubic | RodSurface
"""Both can be called with positions, and have `R`, `length`, `sentence`, `along`, `sided`, `first` and `excludes`."""


@checks_arguments
def singular_surface(machine: Machine, orientation: PoseLike | None = None) -> SingularSurface:
    """The singular surface at one orientation (home's where none is given): a cubic for struts, else `RodSurface`.

    det [u_i, R b_i x u_i] = 0 with the rods' directions u (Gosselin and Angeles 1990; Mayer St-Onge and Gosselin 2000).

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, (4, 4), optional
        A pose whose rotation is kept; home where none is given.

    Returns
    -------
    SingularityCubic or RodSurface
        A function of positions (..., 3) of the platform's origin [m], zero where the pose is singular, NaN where a leg
        cannot close.

    Raises
    ------
    ShapeError
        More than one pose.

    """
    X = one_pose(orientation, machine.X_home)
    return singularity_cubic(machine, X) if machine.legs.rod() is None else RodSurface(machine, X[:3, :3])
