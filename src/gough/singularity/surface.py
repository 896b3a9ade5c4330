"""The singular surface of any leg kind at one orientation, and its intersections with lines.

That of struts is a cubic (`gough.singularity.cubic`). That of sliders and cranks is not: the rods' directions have
square roots of the position, and the determinant of the rows [u, (R b - R c) x u / l] is evaluated as it is, with the
bounds of `gough.regions.box_limits` to prove where it is not zero.

Within a box the surface is a mesh of triangles whose vertices lie on it to rounding. Marching tetrahedra
(`gough.workspaces.clipping`) give triangles between the edges of a grid on which the determinant changes sign. Each
vertex is the zero on its edge, found by Chandrupatla's method (1997), so that the mesh departs from the surface only
between its vertices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Bools, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.limits._margins import SIDE, SINGULAR_MIN, SINGULARITY, LimitArrays, margins_at
from gough.limits.table import limit_table
from gough.machine import Machine
from gough.poses import PoseLike, one_pose
from gough.quantity import quantity, result
from gough.regions.box_limits import boxes_of_positions, limits_over
from gough.regions.requested import RegionLimits
from gough.regions.singularity import REGULAR
from gough.results import OneLine, Result
from gough.singularity.cubic import SingularityCubic, line, singularity_cubic
from gough.workspaces.clipping import surface_round

if TYPE_CHECKING:
    import xarray

    from gough.singularity.free_regions import SingularityFreeProof

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
        """Classify the surface in words."""
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
        """Compute the smallest singular value with the determinant's sign (n,) [1] at positions (n, 3) [m].

        Elimination gets that sign right near multiple roots too, where the determinant vanishes in rounding; 0 below
        `ROUND_OFF`, NaN where a leg cannot close.
        """
        values = margins_at(self._singularity, self._poses(positions))[0][:, 0]
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(values) < ROUND_OFF, 0.0, values)

    def closes(self, positions: Array) -> Bools:
        """Test whether all legs close (n,) at positions (n, 3) [m]."""
        return np.isfinite(inverse_kinematics(self.machine, self._poses(positions))).all(axis=-1)

    def _poses(self, positions: Array) -> Array:
        """Poses (..., 4, 4) at positions (..., 3)."""
        poses = np.zeros((*positions.shape[:-1], 4, 4))
        poses[..., :3, :3], poses[..., :3, 3], poses[..., 3, 3] = self.R, positions, 1.0
        return poses

    @cached_property
    def _singularity(self) -> LimitArrays:
        """The machine's limits reduced to the singularity, without a bound and with the sign of the determinant."""
        arrays = limit_table(self.machine).arrays
        nothing_else, G = np.zeros_like(arrays.wanted), arrays.G.copy()
        G[SINGULAR_MIN], G[SIDE] = 0.0, 1.0
        return arrays._replace(G=G, wanted=nothing_else, pairs=arrays.pairs[:0], places=np.array([SINGULARITY]))

    def excludes(self, centres: Array, half: Array) -> Bools:
        """Return whether boxes about centres (n, 3) with half-sides (3,) [m] are proven regular (n,)."""
        limits = RegionLimits.regular(self.machine, REGULAR)
        is_singular = np.array([column.is_singularity for column in limits.columns])
        counted = is_singular | [column.quantity == "reach" for column in limits.columns]
        near = boxes_of_positions(self.R, centres, half)
        found = limits_over(limits, counted, near, proven=is_singular, is_whole=False)
        return np.asarray((found.lower[:, is_singular] >= 0)[:, 0] | found.broken.any(axis=1))

    @checks_arguments
    def along(self, start: ArrayLike, direction: ArrayLike) -> Array:
        """Compute the intersections of a straight line with the surface: s of start + s direction, ascending [m],
        within three machine sizes.

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
"""Both can be called with positions, and have `R`, `length`, `sentence`, `along` and `excludes`."""


@checks_arguments
def singular_surface(machine: Machine, orientation: PoseLike | None = None) -> SingularSurface:
    """Compute the singular surface at one orientation (default: home's): a cubic for struts, else `RodSurface`.

    det [u_i, R b_i x u_i] = 0 with the rods' directions u (Gosselin and Angeles 1990; Mayer St-Onge and Gosselin 2000).

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, (4, 4), optional
        Pose that sets the orientation; default: home.

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


CELLS = 28
"""Cells along the longest side of the box."""
VANISHES = 1e-13
"""All positions of an orientation are singular if the determinant is below this everywhere."""
ON_IT = 1e-10
"""A determinant below this part of the largest in the box is zero."""
ITERATIONS = 60
"""Most iterations of the root finder on each edge."""


@result
class SingularMesh(Result):
    """Part of the singular surface within a box."""

    vertices: Array = quantity(
        "m", "vertex", "axis", frame="base", doc="Positions of the platform's origin on the surface."
    )
    triangles: Ints = quantity(
        "1", "triangle", "corner",
        doc="Indices of `vertices`, counterclockwise as seen from the side with positive determinant. Two triangles "
        "share each edge, except at the box and where a leg cannot close.",
    )  # fmt: skip
    is_everywhere: bool = quantity(
        "", default=False, doc="Whether every position of the orientation is singular; there is no surface then."
    )

    def __str__(self) -> str:
        return f"A surface of {len(self.triangles)} triangles"


@checks_arguments
def singular_mesh(surface: SingularSurface, low: ArrayLike, high: ArrayLike, *, cells: int = CELLS) -> SingularMesh:
    """Triangulate the singular surface within a box.

    Its vertices are by definition zeros of the surface's function, on edges of the cells' tetrahedra.

    Parameters
    ----------
    surface : SingularityCubic or RodSurface
        See `gough.singularity.singular_surface`.
    low, high : (3,) array
        Corners of the box, of positions of the platform's origin [m].
    cells : int
        Along the longest side. Parts of the surface within one cell, and sheets nearer to each other than a cell, can
        be missed: it is a picture and no proof, which `gough.singularity.free_of_singularities` is.

    Returns
    -------
    SingularMesh
        Without triangles where the surface does not meet the box; `is_everywhere` where every pose is singular.

    Raises
    ------
    InputError
        Corners that do not span a box; `cells` outside 2 to 200.

    """
    a, b = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    if a.shape != (3,) or b.shape != (3,) or not (np.isfinite(b - a).all() and (a < b).all()):
        raise InputError("singular_mesh: expected low and high of three finite numbers each, low below high [m]")
    if not 2 <= cells <= 200:
        raise InputError(f"cells {cells}: expected 2 to 200")
    points = _grid(a, b, cells)
    values = surface(points)
    if not np.nanmax(np.abs(values), initial=0.0) > VANISHES:
        return SingularMesh(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64), is_everywhere=True)
    return SingularMesh(*_zero_mesh(surface, points, values))


def surface_dataset(machine: Machine, X: Array, proof: SingularityFreeProof | None = None) -> xarray.Dataset:
    """Return the singular surface at the orientation of a pose (4, 4) as triangles, the cubic of struts, and what is
    proven.

    Positions are those of the point of interest [m]. The surface is computed in the region of the proof, or without one
    within half a machine size of the pose.
    """
    import xarray

    surface, offset = singular_surface(machine, X), X[:3, :3] @ machine.point_of_interest
    low, high = (X[:3, 3] + offset + part * machine.size for part in (-0.5, 0.5))
    parts = []
    if proof is not None and len(proof.low):
        low, high = proof.low.min(axis=0), proof.high.max(axis=0)
        parts.append(proof.dataset.rename(low="box_low", high="box_high", lower="box_bound"))
    mesh = singular_mesh(surface, low - offset, high - offset)
    parts.append(replace(mesh, vertices=mesh.vertices + offset).dataset)
    if isinstance(surface, SingularityCubic):
        parts.append(surface.dataset)
    named = {"machine": machine.name, "rotation": X[:3, :3].ravel().tolist()}
    return xarray.merge(parts, compat="no_conflicts", join="outer", combine_attrs="drop_conflicts").assign_attrs(named)


def _grid(low: Array, high: Array, cells: int) -> Array:
    """Points (nx, ny, nz, 3) of cells that are nearly cubes."""
    count = np.maximum(np.ceil((high - low) / (high - low).max() * cells), 2).astype(int)
    axes = [np.linspace(low[k], high[k], count[k] + 1) for k in range(3)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


def _zero_mesh(function: Callable[[Array], Array], points: Array, values: Array) -> tuple[Array, Ints]:
    """Vertices and triangles of the surface between negative and other values on a grid of points."""
    from scipy.optimize.elementwise import find_root

    negative, other, triangles = surface_round(values < 0)
    start, end = points[tuple(negative.T)], points[tuple(other.T)]
    n, along = len(start), end - start
    if not n:
        return start, triangles
    ends, edges = (np.zeros(n), np.ones(n)), (np.arange(n),)
    root = find_root(lambda s, k: function(start[k] + s[:, None] * along[k]), ends, args=edges, maxiter=ITERATIONS)
    vertices = start + root.x[:, None] * along
    # A sign change without a zero: a leg cannot close between the two nodes.
    with np.errstate(invalid="ignore"):
        is_on = np.abs(function(vertices)) <= ON_IT * np.nanmax(np.abs(values), initial=0.0)
    kept, triangles = np.unique(triangles[is_on[triangles].all(axis=1)], return_inverse=True)
    return vertices[kept], triangles.reshape(-1, 3)
