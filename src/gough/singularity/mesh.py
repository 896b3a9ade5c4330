"""The singular surface within a box as triangles whose vertices lie on it to rounding.

Marching tetrahedra (`gough.workspaces.marching_tetrahedra`) give triangles between the edges of a grid on which the
determinant changes sign. Each vertex is the zero on its edge, found by Chandrupatla's method (1997), so that the mesh
departs from the surface only between its vertices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.quantity import quantity, result
from gough.results import Result
from gough.singularity.cubic import SingularityCubic
from gough.singularity.surface import SingularSurface, singular_surface
from gough.workspaces.marching_tetrahedra import surface_round

if TYPE_CHECKING:
    import xarray

    from gough.singularity.free_regions import SingularityFreeProof

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
    """The singular surface within a box, as triangles.

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
    """The singular surface at the orientation of a pose (4, 4) as triangles, the cubic of struts, and what is proven.

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
