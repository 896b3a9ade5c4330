"""Range of motion as a cube-like volume: its eight corner points, for translations and for rotations.

Source: the hexapod kinematics page of a precision-engineering supplier ("HexaPod: Kinematics"): the ranges of pure
translations or pure rotations span a volume like a cube that stands on one corner; seen along z, the corners 2 to 7
form a regular hexagon round the corners 1 and 8. That is exact for machines with three-fold symmetry; for any machine
the corners here are the farthest points of the volume from the z axis in six half-planes 60 degrees apart, turned to
where the volume reaches farthest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gough._arguments import checks_arguments
from gough.analysis.travel import Travel, travel
from gough.errors import InputError
from gough.machine import Machine

Array = NDArray[np.float64]

GOLDEN = (np.sqrt(5) - 1) / 2
ENDLESS = 1e280
"""A distance above this has no end, wherever one looks."""


@dataclass(frozen=True, eq=False)
class Corners:
    """The eight corners of the range of translations or of rotations from home.

    Attributes
    ----------
    kind : "translation" or "rotation"
    points : (8, 3) array
        Displacements of the point of interest from home [m], or angles (Rx, Ry, Rz) of R = Rx Ry Rz about it [rad],
        in base axes. Corner 1 is the lowest on the z axis, 8 the highest; 2 to 7 follow each other round the axis.
        Infinite where no limit ends the range.
    binding : tuple of str
        The limit that ends the way to each corner.
    azimuth : float
        Of corner 2 [rad].
    matrix : (8, 4, 4) array
        The poses.

    """

    kind: Literal["translation", "rotation"]
    points: Array
    binding: tuple[str, ...]
    azimuth: float
    matrix: Array

    @property
    def radii(self) -> Array:
        """Distance of the corners 2 to 7 from the z axis, (6,) [m or rad]: equal where the hexagon is regular."""
        return np.linalg.norm(self.points[1:7, :2], axis=1)


EDGES = ((0, 1), (0, 3), (0, 5), (7, 2), (7, 4), (7, 6), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 1))
"""Edges of the cube-like volume between corners (counted from 0), when its lower corners are 2, 4 and 6."""


@checks_arguments
def corners(machine: Machine, kind: Literal["translation", "rotation"]) -> Corners:
    """Corner points 1 to 8 of the range of pure translations, or of pure rotations, from home.

    Parameters
    ----------
    machine : Machine
    kind : "translation" or "rotation"
        Which three of the six displacements of the point of interest move; the other three stay zero.

    Returns
    -------
    Corners
        The corners are located to 1e-9 of their distance.

    """
    if kind not in ("translation", "rotation"):
        raise InputError(f'kind {kind!r}: expected "translation" or "rotation"')
    coarse = np.deg2rad(np.arange(0.0, 360.0, 5.0))
    radius, _ = _farthest(machine, kind, coarse, samples=25, refine=8)
    azimuth = _best_azimuth(machine, kind, float(coarse[int(np.argmax(_finite(radius)))]))
    around = azimuth + np.deg2rad(np.arange(0.0, 360.0, 60.0))
    _, elevation = _farthest(machine, kind, around, samples=91, refine=45)
    poles = np.array([-np.pi / 2, np.pi / 2])
    ends = _reach(
        machine,
        kind,
        np.concatenate([[azimuth], around, [azimuth]]),
        np.concatenate([poles[:1], elevation, poles[1:]]),
    )
    directions = _directions(
        np.concatenate([[azimuth], around, [azimuth]]), np.concatenate([poles[:1], elevation, poles[1:]])
    )
    order = _lower_first(directions)
    with np.errstate(invalid="ignore"):  # zero times an endless distance, which the zero wins
        points = np.where(directions == 0, 0.0, directions * ends.distance[:, None])[order]
    names = np.asarray(ends.binding)[order]
    start = float(np.arctan2(directions[order[1], 1], directions[order[1], 0]))
    return Corners(kind, points, tuple(str(name) for name in names), start, ends.matrix[order])


def _lower_first(directions: Array) -> NDArray[np.intp]:
    """Order in which corner 2 is one of the lower three, as corner 1 is the lowest."""
    rises = directions[1:7, 2]
    return np.array([0, *(1 + (np.arange(6) + (rises[0] > rises[1])) % 6), 7])


def _directions(azimuth: Array, elevation: Array) -> Array:
    flat = np.cos(elevation)
    flat = np.where(flat < 1e-15, 0.0, flat)
    return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], axis=-1)


def _reach(machine: Machine, kind: str, azimuth: Array, elevation: Array) -> Travel:
    directions = _directions(azimuth, elevation)
    still = np.zeros_like(directions)
    six = np.concatenate([directions, still] if kind == "translation" else [still, directions], axis=-1)
    return travel(machine, six, euler=True)


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, np.finfo(float).max)


def _distance(found: Travel) -> Array:
    """How far it goes; beyond all bounds where no limit is known to end it."""
    return _finite(np.where(found.binding_index < 0, np.inf, found.distance))


def _farthest(machine: Machine, kind: str, azimuth: Array, samples: int, refine: int) -> tuple[Array, Array]:
    """Farthest distance from the z axis in each half-plane, and its elevation: scan, then golden section."""
    grid = np.linspace(-np.pi / 2, np.pi / 2, samples + 2)[1:-1]
    radius = _distance(_reach(machine, kind, azimuth[:, None], np.broadcast_to(grid, (len(azimuth), samples))))
    radius = radius * np.cos(grid)
    peak = grid[np.argmax(radius, axis=1)]
    low, high = peak - (grid[1] - grid[0]), peak + (grid[1] - grid[0])
    for _ in range(refine):
        inner = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        trial = np.stack(inner, axis=-1)
        value = _distance(_reach(machine, kind, np.repeat(azimuth[:, None], 2, axis=1), trial)) * np.cos(trial)
        if value.min() > ENDLESS:
            break
        left = value[:, 0] >= value[:, 1]
        low, high = np.where(left, low, inner[0]), np.where(left, inner[1], high)
    middle = (low + high) / 2
    best = _distance(_reach(machine, kind, azimuth, middle)) * np.cos(middle)
    return best, middle


def _best_azimuth(machine: Machine, kind: str, around: float) -> float:
    """Azimuth near `around` where the volume reaches farthest from the axis: golden section over half-planes."""
    low, high = around - np.deg2rad(5.0), around + np.deg2rad(5.0)
    for _ in range(32):
        inner = np.array([high - GOLDEN * (high - low), low + GOLDEN * (high - low)])
        value, _ = _farthest(machine, kind, inner, samples=25, refine=32)
        if value.min() > ENDLESS:
            break
        low, high = (low, inner[1]) if value[0] >= value[1] else (inner[0], high)
    return (low + high) / 2
