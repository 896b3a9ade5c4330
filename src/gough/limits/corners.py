"""Range of motion as a cube-like volume: its eight corner points, for translations and for rotations.

Source: the hexapod kinematics page of a precision-engineering supplier ("HexaPod: Kinematics"): the ranges of pure
translations or pure rotations span a volume like a cube balanced on one corner; seen along z, the corners 2 to 7
form a regular hexagon about the corners 1 and 8. That is exact for machines with three-fold symmetry. For any machine:

- the range is what straight paths from home reach before their first limit. A translation is s (dx, dy, dz); a rotation
  is R(s) = Rx(s ax) Ry(s ay) Rz(s az) R_home about the point of interest, all three angles growing in proportion from
  zero: a straight line in the space of the angles (ax, ay, az);
- corners 1 and 8 are its lowest and highest points on the z axis, of displacements or of angles;
- six half-planes that end in the z axis, 60 degrees apart, are turned so that one holds the point of the range farthest
  from the axis; corners 2 to 7 are the farthest points from the axis in each. Between two half-planes the range may
  reach farther than in either of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.limits.climb import along_limits, climb, drawn_back
from gough.limits.interval_search import poses_at, twists_along
from gough.limits.margins import margins
from gough.limits.ties import TIE
from gough.limits.travel import Travel, travel
from gough.results import Quantities, Result
from gough.stacked import AnyMachine

ENDLESS = 1e280
"""The range is unbounded if all distances are above this."""
STEP, SCAN = 7.5, 91
"""Directions of the first scan: their spacing in degrees, and their number in each half-plane of a corner."""
CLIMBS = 2
"""Local searches, from the best of them."""
COARSE, LATER, FINE = 1e-2, 1e-4, 1e-6
"""Last step of coarse local searches, first and last of fine ones after quadratic programming, in steps of the scan."""
AHEAD = 10.0
"""Trust region of quadratic programming after a coarse local search, in last steps of that."""
NEAR, SLOPE_STEP = 1e-3, 1e-6
"""Trust region of quadratic programming after a fine local search, as a part of the distance; step of differences, in
machine sizes or in rad."""


@dataclass(frozen=True, eq=False)
class Corners(Result):
    """The eight corners of the range of translations or of rotations from home.

    Attributes
    ----------
    kind : "translation" or "rotation"
    points : (8, 3) array
        Displacements of the point of interest from home [m], or angles (Rx, Ry, Rz) of R = Rx Ry Rz about it [rad],
        in base axes. Corner 1 is the lowest on the z axis, 8 the highest; 2 to 7 follow each other round the axis.
        Infinite where no limit ends the range.
    binding : tuple of str
        The limit that ends the path to each corner.
    binding_sets : tuple of tuples of str
        All limits that end it together.
    azimuth : float
        Of corner 2 [rad].
    matrix : (8, 4, 4) array
        The poses, of two stages those of both platforms (8, 2, 4, 4).

    """

    HEADLINES: ClassVar[tuple[str, ...]] = ("points",)

    kind: Literal["translation", "rotation"]
    points: Array
    binding: tuple[str, ...]
    azimuth: float
    matrix: Array
    binding_sets: tuple[tuple[str, ...], ...] = ()

    @property
    def quantities(self) -> Quantities:
        """The arrays' SI units and dimensions."""
        unit = "m" if self.kind == "translation" else "rad"
        return {
            "points": (unit, "corner", "axis"),
            "azimuth": "rad",
            "matrix": ("1, m", "corner", *("stage", "row", "column")[1 - self.matrix.ndim :]),
        }

    @property
    def radii(self) -> Array:
        """Distance of the corners 2 to 7 from the z axis, (6,) [m or rad]: equal where the hexagon is regular."""
        return np.linalg.norm(self.points[1:7, :2], axis=1)


EDGES = ((0, 1), (0, 3), (0, 5), (7, 2), (7, 4), (7, 6), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 1))
"""Edges of the cube-like volume, as pairs of indices of `Corners.points`; corners 2, 4 and 6 (indices 1, 3, 5) are the
lower ones of the hexagon."""


@checks_arguments
def corners(machine: AnyMachine, kind: Literal["translation", "rotation"]) -> Corners:
    """Corner points 1 to 8 of the range of pure translations, or of pure rotations, from home.

    By definition of "HexaPod: Kinematics", range of motion: 1 and 8 are the lowest and the highest point on the z axis,
    2 to 7 are farthest from it at azimuths of 60 degrees from one another.

    Parameters
    ----------
    machine : Machine
        Of two stages the end platform moves, at every pose with the posture that the machine's `share` gives.
    kind : "translation" or "rotation"
        Which three of the six displacements of the point of interest move; the other three stay zero.

    Returns
    -------
    Corners
        Each is the end of a path to rounding; where the volume is round, its direction is found to about 1e-7. Of
        several directions that reach equally far within a tie (`gough.limits.ties`) the first counterclockwise from x
        counts.

    Raises
    ------
    InputError
        Another `kind`. Corners that no limit ends are infinite, all are zero where home is refused.

    """
    azimuth = _best_azimuth(machine, kind)
    around = azimuth + np.deg2rad(np.arange(0.0, 360.0, 60.0))
    azimuths = np.concatenate([[azimuth], around, [azimuth]])
    elevations = np.concatenate([[-np.pi / 2], _farthest(machine, kind, around), [np.pi / 2]])
    ends, directions = _reach(machine, kind, azimuths, elevations), _directions(azimuths, elevations)
    # Corner 2 is one of the three lower ones of the hexagon, as corner 1 is the lowest of all.
    order = np.array([0, *(1 + (np.arange(6) + (directions[1, 2] > directions[2, 2])) % 6), 7])
    with np.errstate(invalid="ignore"):  # a component of zero stays zero however far the range extends
        points = np.where(directions == 0, 0.0, directions * ends.distance[:, None])[order]
    names, sets = np.asarray(ends.binding)[order], ends.binding_sets
    start = float(np.arctan2(directions[order[1], 1], directions[order[1], 0]))
    binding = tuple(str(name) for name in names)
    return Corners(kind, points, binding, start, ends.matrix[order], tuple(sets[k] for k in order))


def _directions(azimuth: Array, elevation: Array) -> Array:
    """Unit vectors (..., 3)."""
    flat = np.cos(elevation)
    flat = np.where(flat < 1e-15, 0.0, flat)  # exactly along the axis at the poles
    return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], axis=-1)


def _reach(machine: AnyMachine, kind: str, azimuth: Array, elevation: Array) -> Travel:
    """Travel from home along displacements, or angles (Rx, Ry, Rz), in these directions."""
    six = twists_along(_directions(azimuth, elevation), is_rotation=kind == "rotation")
    return travel(machine, six, euler=True)


def _distance(found: Travel) -> Array:
    """Distances of travel (...); the largest float where no limit is known to end it, or where it is NaN."""
    is_ended = (found.binding_index >= 0) & np.isfinite(found.distance)
    return np.where(is_ended, found.distance, np.finfo(float).max)


def _heights(machine: AnyMachine, kind: str, azimuth: Array, elevation: Array) -> Array:
    """Distance of the volume from the z axis along directions (...)."""
    distance = np.asarray(_distance(_reach(machine, kind, azimuth, elevation)))
    return distance * np.cos(np.broadcast_to(elevation, distance.shape))


def _best_azimuth(machine: AnyMachine, kind: str) -> float:
    """Azimuth at which the volume reaches farthest from the axis: a scan, and local searches from its best
    directions."""
    azimuth = np.deg2rad(np.arange(0.0, 360.0, STEP))
    elevation = np.deg2rad(np.arange(-90.0 + STEP, 90.0, STEP))
    heights = _heights(machine, kind, azimuth[:, None], np.broadcast_to(elevation, (len(azimuth), len(elevation))))
    most = heights.max(axis=1)
    with np.errstate(invalid="ignore"):  # all zero where home is refused, infinite where nothing ends the range
        part = most / most.max()
    best = np.argsort(-np.round(part / TIE), kind="stable")[:CLIMBS]  # ties in order of azimuth
    if heights.min() > ENDLESS:
        return 0.0
    starts = np.column_stack([azimuth[best], elevation[heights[best].argmax(axis=1)]])
    ends, values = _climbed(machine, kind, lambda p, _: p, starts, np.deg2rad(STEP))
    # The first counterclockwise from x; FINE keeps an azimuth of zero from becoming a whole turn by rounding.
    ties = ends[values >= values.max() * (1 - TIE)]
    first = ties[np.argmin(np.mod(ties[:, 0] + FINE, 2 * np.pi))]
    found = _at_limits(machine, kind, first, NEAR)
    return float(np.mod((first if found is None else found)[0] + FINE, 2 * np.pi) - FINE)


def _climbed(
    machine: AnyMachine, kind: str, directions: Callable[[Array, Ints], Array], starts: Array, step: float
) -> tuple[Array, Array]:
    """Points (n, d) farthest from the axis near `starts` (n, d), and their distances (n,); `directions` gives azimuth
    and elevation (n, 2) of points, from the numbers of their starts.

    Along a sharp edge of limits a pattern search takes hundreds of tiny steps, or stops early. Quadratic programming
    therefore follows coarse searches; fine ones, whose steps can grow again, start from the better result.
    """

    def heights(points: Array, k: Ints) -> Array:
        return _heights(machine, kind, *directions(points, k).T)

    n, is_free = len(starts), starts.shape[1] == 2
    ends, values = climb(heights, starts, np.full(n, step), COARSE)
    # Quadratic programming ahead of each coarse end, within AHEAD of its last steps.
    far, numbers = ends.copy(), np.arange(n)
    for k, (azimuth, elevation) in enumerate(directions(ends, numbers)):
        found = _at_limits(machine, kind, np.array([azimuth, elevation]), AHEAD * COARSE * step, is_free=is_free)
        if found is not None:
            far[k] = found if is_free else found[1:]
    is_better = heights(far, numbers) > values
    part = np.where(is_better, LATER, COARSE)
    return climb(heights, np.where(is_better[:, None], far, ends), part * step, FINE / part, growth=1.0 / part)


def _at_limits(machine: AnyMachine, kind: str, at: Array, near: float, *, is_free: bool = True) -> Array | None:
    """Azimuth and elevation (2,) of the farthest point from the axis near those given, by quadratic programming, which
    follows limits into their corner.

    `near` is the trust region over the distance; if not `is_free`, the azimuth is fixed. None where no allowed point is
    found.
    """
    from scipy.spatial.transform import Rotation

    distance = float(_distance(_reach(machine, kind, *at)))
    if not 0.0 < distance <= ENDLESS:
        return None
    # Coordinates: distance from the axis, height, and the azimuth from the given one times the distance.
    start = distance * np.array([np.cos(at[1]), np.sin(at[1]), 0.0])[: 3 if is_free else 2]
    R, home, is_shift = machine.end_home[:3, :3], machine.home_point, kind == "translation"

    def turned_by(coordinates: Array) -> Array:
        return np.asarray(at[0] + coordinates[..., 2] / distance if is_free else at[0])

    def relative(coordinates: Array) -> Array:
        azimuth = turned_by(coordinates)
        radius, height = coordinates[:, 0], coordinates[:, 1]
        points = np.column_stack([radius * np.cos(azimuth), radius * np.sin(azimuth), height])
        turned = R if is_shift else Rotation.from_euler("XYZ", points).as_matrix() @ R
        poses = poses_at(machine, turned, home + points if is_shift else np.broadcast_to(home, points.shape))
        return np.nan_to_num(margins(machine, poses).relative, nan=-1.0)

    # Farthest along the first coordinate, the distance from the axis.
    outward, anywhere = np.eye(len(start))[0], (np.full(len(start), -np.inf), np.full(len(start), np.inf))
    step = SLOPE_STEP * (machine.size if is_shift else 1.0)
    end = along_limits(relative, start, outward, anywhere, near * distance, step)
    reached = drawn_back(relative, start, end, anywhere, outward)
    return None if reached is None else np.array([turned_by(reached), np.arctan2(reached[1], reached[0])])


def _farthest(machine: AnyMachine, kind: str, azimuth: Array) -> Array:
    """Elevation (n,) of the point of each half-plane farthest from the z axis: a scan and a local search from its
    best."""
    grid = np.linspace(-np.pi / 2, np.pi / 2, SCAN + 2)[1:-1]
    heights = _heights(machine, kind, azimuth[:, None], np.broadcast_to(grid, (len(azimuth), SCAN)))
    best = np.argsort(-heights, axis=1, kind="stable")[:, :1]
    if heights.min() > ENDLESS:
        return np.zeros(len(azimuth))

    def directions(points: Array, k: Ints) -> Array:
        return np.column_stack([azimuth[k], points[:, 0]])

    return _climbed(machine, kind, directions, grid[best], grid[1] - grid[0])[0][:, 0]
