"""The singular surface within a box as triangles whose corners lie on it to rounding.

Marching tetrahedra (Doi and Koide 1991): every cell of a grid is cut into the six tetrahedra round its diagonal, and
the surface into triangles between the edges on which the determinant changes sign. There its zero is found by root
finding, so that the mesh is the surface's own, only straight between its corners.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.singularity.surface import SingularSurface

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS = 28
"""Along the longest side of the box."""
VANISHES = 1e-13
"""A determinant below this everywhere: all positions of the orientation are singular."""
ON_IT = 1e-10
"""Of the largest value of the box: a smaller one is zero."""
ITERATIONS = 60


@dataclass(frozen=True, eq=False)
class SingularMesh:
    """Part of the singular surface within a box.

    Attributes
    ----------
    vertices : (n, 3) array
        Positions of the platform's origin on the surface [m].
    triangles : (m, 3) array
        Places in `vertices`, against the clock as seen from where the determinant is positive. Two triangles share
        each edge, except at the box and where a leg cannot close.
    is_everywhere : bool
        Whether every position of the orientation is singular; there is no surface then.

    """

    vertices: Array
    triangles: Ints
    is_everywhere: bool = False


@checks_arguments
def singular_mesh(surface: SingularSurface, low: ArrayLike, high: ArrayLike, *, cells: int = CELLS) -> SingularMesh:
    """The singular surface within a box, as triangles.

    Parameters
    ----------
    surface : SingularityCubic or RodSurface
        See `gough.singularity.singular_surface`.
    low, high : (3,) array
        Corners of the box, of positions of the platform's origin [m].
    cells : int
        Along the longest side. Parts of the surface that lie within one cell, and sheets nearer to each other than a
        cell, can be missed: this is a picture, `gough.singularity.free_of_singularities` is the proof.

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
    return SingularMesh(*_zero_mesh(surface, points, values, ITERATIONS))


def boundary_mesh(
    function: Callable[[Array], Array], low: Array, high: Array, *, cells: int = CELLS
) -> tuple[Array, Ints]:
    """Vertices (n, 3), triangles (m, 3) where a function of positions (..., 3) changes sign in a box, for pictures."""
    points = _grid(low, high, cells)
    return _zero_mesh(function, points, function(points), ITERATIONS // 4, on_it=1e-2)


def _grid(low: Array, high: Array, cells: int) -> Array:
    """Points (nx, ny, nz, 3) of cells that are nearly cubes."""
    count = np.maximum(np.ceil((high - low) / (high - low).max() * cells), 2).astype(int)
    axes = [np.linspace(low[k], high[k], count[k] + 1) for k in range(3)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


def _zero_mesh(
    function: Callable[[Array], Array], points: Array, values: Array, iterations: int, on_it: float = ON_IT
) -> tuple[Array, Ints]:
    edges = _crossed_edges(np.where(values == 0, np.finfo(float).tiny, values))
    ends, triangles = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True)
    flat, at = points.reshape(-1, 3), values.ravel()
    vertices = _zeros(function, flat[ends[:, 0]], flat[ends[:, 1]], at[ends[:, 0]], at[ends[:, 1]], iterations)
    with np.errstate(invalid="ignore"):  # a leg may be open between one grid point and the next
        is_on = np.abs(function(vertices)) <= on_it * np.nanmax(np.abs(values), initial=0.0)
    towards = np.where((at[ends[:, 0]] > 0)[:, None], 1.0, -1.0) * (flat[ends[:, 0]] - flat[ends[:, 1]])
    triangles = _turned(triangles.reshape(-1, 3), vertices, towards)
    triangles = triangles[is_on[triangles].all(axis=1)]
    kept, triangles = np.unique(triangles, return_inverse=True)
    return vertices[kept], triangles.reshape(-1, 3)


def _crossed_edges(values: Array) -> Ints:
    """Triangles (m, 3, 2): the grid edge, by its two points in ascending order, on which each corner lies."""
    index = np.arange(values.size).reshape(values.shape)
    cell = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    nx, ny, nz = (size - 1 for size in values.shape)
    corners = np.stack([index[i : i + nx, j : j + ny, k : k + nz].ravel() for i, j, k in cell], axis=1)
    found = []
    for order in permutations((4, 2, 1)):  # from corner 0 to corner 7, one axis after the other
        tetrahedra = corners[:, np.cumsum([0, *order])]
        at = values.ravel()[tetrahedra]
        is_known = np.isfinite(at).all(axis=1)
        found += _cut(tetrahedra[is_known], at[is_known] > 0)
    triangles = np.concatenate(found) if found else np.empty((0, 3, 2), dtype=np.int64)
    return np.sort(triangles, axis=2)


def _cut(tetrahedra: Ints, is_positive: NDArray[np.bool_]) -> list[Ints]:
    """Triangles (m, 3, 2) in tetrahedra (n, 4), by which of their corners are on the positive side."""
    positive = is_positive.sum(axis=1)
    found = []
    for alone, side in ((1, True), (3, False)):  # one corner against three
        chosen = positive == alone
        corner = tetrahedra[chosen]
        order = np.argsort(is_positive[chosen] != side, axis=1, kind="stable")
        one, a, b, c = np.take_along_axis(corner, order, axis=1).T
        found.append(np.stack([np.stack([one, other], axis=1) for other in (a, b, c)], axis=1))
    chosen = positive == 2
    order = np.argsort(~is_positive[chosen], axis=1, kind="stable")
    a, b, c, d = np.take_along_axis(tetrahedra[chosen], order, axis=1).T
    ac, ad, bc, bd = (np.stack(pair, axis=1) for pair in ((a, c), (a, d), (b, c), (b, d)))
    return [*found, np.stack([ac, ad, bd], axis=1), np.stack([ac, bd, bc], axis=1)]


def _turned(triangles: Ints, vertices: Array, towards: Array) -> Ints:
    """The triangles, run through against the clock as seen from where the function is positive."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    faces_away = np.sum(np.cross(b - a, c - a) * towards[triangles].sum(axis=1), axis=1) < 0
    return np.where(faces_away[:, None], triangles[:, ::-1], triangles)


def _zeros(function: Callable[[Array], Array], start: Array, end: Array, f: Array, g: Array, iterations: int) -> Array:
    """Zeros on edges from start to end (n, 3) by the Illinois rule of false position (Dowell and Jarratt 1971)."""
    low, high = np.zeros(len(start)), np.ones(len(start))
    f, g = f.copy(), g.copy()
    for _ in range(iterations):
        s = np.clip((low * g - high * f) / np.where(g == f, 1.0, g - f), low, high)
        value = function(start + s[:, None] * (end - start))
        is_beyond = value * g > 0
        # An end that stays twice pulls half as hard.
        f, g = np.where(is_beyond, 0.5 * f, value), np.where(is_beyond, value, 0.5 * g)
        low, high = np.where(is_beyond, low, s), np.where(is_beyond, s, high)
        if (np.abs(value) <= 1e-15 * np.abs(value).max(initial=0.0)).all() or not len(s):
            break
    return np.asarray(start + s[:, None] * (end - start)) if len(start) else np.empty((0, 3))
