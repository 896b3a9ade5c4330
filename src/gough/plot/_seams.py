"""Seams of a boundary: lines on which two limits bind together, along which the triangles of its mesh are cut.

A mesh has the limit that binds at each vertex. A triangle whose vertices differ is cut into parts of one limit each:
first where the margins of both limits are equal along its sides, then, moved by Newton's method, at the edge itself.
Where there is none, as limits touch or face each other, between the rays that the two limits end, which jump in the
second case (`gough.plot._jumps`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits.margins import margins
from gough.plot._jumps import Rays, along_jumps, nearer, walled
from gough.stacked import AnyMachine
from gough.workspaces.mesh import Mesh

PoseOf: TypeAlias = Callable[[Array], Array]
"""Poses (n, 4, 4), of two stages (n, 2, 4, 4), of points (n, 3) of a mesh."""
Levels: TypeAlias = Callable[[Array], Array]
"""Relative margins (n, k) at points (n, 3)."""

SMOOTHINGS = 40
"""Passes of smoothing over seams whose margins are not known."""
INSIDE = (0.01, 0.99)
"""Parts of a side between which it is cut: a cut at a vertex would make triangles without area."""
STEPS = 10
"""Largest number of Newton steps towards an edge."""
FARTHEST = 1.5
"""Longest displacement of a cut, in lengths of its side."""
SHARPEST = 0.03
"""Relative singular value, about the sine of half the angle between two surfaces, below which they have no edge."""
ARRIVED = 1e-6
"""Newton step, as a part of a side, that ends the iteration."""
SMALL = 1e-4
"""Step of the differences that give gradients of margins, as a part of a side."""
KEPT = 1e-3
"""Remaining margin of both limits at the edge, and violation of the others, as parts of the margin at the start."""


def parted(
    machine: AnyMachine, mesh: Mesh, pose_of: PoseOf | None = None, rays: Rays | None = None
) -> tuple[Array, Ints, Ints]:
    """Vertices, triangles and the limit of each, see `cut`; given poses of points, with cuts on the edges themselves.

    Cached by mesh: the whole, the lower and the upper side of a workspace are drawn from the same triangles.
    """
    # Closures cannot be compared: the pose of the first vertex represents the function.
    first = b"" if pose_of is None else pose_of(mesh.vertices[:1]).tobytes()
    known = _parted.setdefault(mesh, {})
    if (machine, first) not in known:
        known[machine, first] = _parts_of(machine, mesh, pose_of, rays)
    return known[machine, first]


_parted: WeakKeyDictionary[Mesh, dict[tuple[AnyMachine, bytes], tuple[Array, Ints, Ints]]] = WeakKeyDictionary()


def _parts_of(machine: AnyMachine, mesh: Mesh, pose_of: PoseOf | None, rays: Rays | None) -> tuple[Array, Ints, Ints]:
    if pose_of is None:
        return cut(mesh.vertices, mesh.faces, mesh.binding)

    # Columns of the margins in the order of the mesh's limits; NaN for a limit that margins do not have.
    names = margins(machine, pose_of(mesh.vertices[:1])).names
    at = np.array([names.index(name) if name in names else -1 for name in mesh.names])

    def levels(points: Array) -> Array:
        return np.where(at >= 0, margins(machine, pose_of(points)).relative[:, at], np.nan)

    return cut(mesh.vertices, mesh.faces, mesh.binding, levels, rays)


def cut(
    vertices: Array, faces: Ints, binding: Ints, levels: Levels | None = None, rays: Rays | None = None
) -> tuple[Array, Ints, Ints]:
    """Vertices, triangles and the limit of each, where triangles whose corners have different limits are cut.

    Each corner gets the quadrilateral between itself, the cuts of its two sides and a middle point. Cuts lie where the
    two limits have equal margins, moved to the edge where both vanish; without levels, where the seams are smooth.
    Given rays too, cuts that reach no edge lie where these change from one limit to the other; at a jump the cut is two
    points, and the wall between them has the limit of the nearer one.
    """
    corners = binding[faces]
    is_mixed = (corners != corners[:, :1]).any(axis=1)
    mixed, plain = faces[is_mixed], faces[~is_mixed]
    # Sides of mixed triangles, each once, so that neighbours share their cuts; `place` are the three of each triangle.
    sides, place = np.unique(
        np.sort(mixed[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0, return_inverse=True
    )
    place = place.reshape(-1, 3)
    is_cut = binding[sides[:, 0]] != binding[sides[:, 1]]
    known = np.full(len(sides), np.nan) if levels is None else _crossings(levels(vertices), sides, binding)
    cuts = _cuts(vertices[sides], place, is_cut, known)
    length = np.linalg.norm(vertices[sides[:, 1]] - vertices[sides[:, 0]], axis=1)
    is_edge = np.ones(len(sides), dtype=bool)
    if levels is not None:
        limits = binding[sides[is_cut]]
        moved, is_there, is_edge[is_cut] = on_edges(levels, cuts[is_cut], limits, length[is_cut])
        cuts[is_cut] = np.where(is_there[:, None], moved, cuts[is_cut])
    # At a jump the part of each end has a cut of its own.
    beside, is_met, is_jump = np.repeat(cuts[:, None], 2, axis=1), *np.zeros((2, len(sides)), dtype=bool)
    if rays is not None:
        found, is_met, is_jump = along_jumps(rays, vertices[sides], binding[sides], place, ~is_edge)
        cuts[is_met] = found[is_met].mean(axis=1)
        beside = np.where(is_jump[:, None, None], found, cuts[:, None])
    # The middle point: the mean of the cuts of the triangle, two or three.
    weight = is_cut[place].astype(float)[..., None]
    middles = (weight * cuts[place]).sum(axis=1) / weight.sum(axis=1)
    if levels is not None:
        moved = on_edges(levels, middles, binding[mixed], length[place].max(axis=1))[0]
        middles = np.where(np.any(is_jump[place] | is_met[place], axis=1)[:, None], middles, moved)
    # `points` are vertices, then pairs of cuts of sides, then middle points.
    points = np.concatenate([vertices, beside.reshape(-1, 3), middles])
    is_last = mixed > np.roll(mixed, -1, axis=1)
    side, is_parted = len(vertices) + 2 * place, is_jump[place]
    after, before = side + (is_last & is_parted), np.roll(side + (~is_last & is_parted), 1, axis=1)
    more, middle, walls, of = walled(points, after, before, is_parted, len(vertices) + 2 * len(sides))
    parts, limits = [plain, walls], [binding[plain[:, 0]], nearer(beside, binding[sides])[place.ravel()[of]]]
    for k in range(3):  # two triangles of each corner
        corner, own = mixed[:, k], middle[:, k]
        parts += [np.stack([corner, after[:, k], own], axis=1), np.stack([corner, own, before[:, k]], axis=1)]
        limits += [binding[corner]] * 2
    return np.concatenate([points, more]), np.concatenate(parts), np.concatenate(limits)


def on_edges(levels: Levels, points: Array, limits: Ints, length: Array) -> tuple[Array, Bools, Bools]:
    """Points (n, 3) moved to where the margins of their limits (n, k) vanish together, near a side's `length` (n,);
    whether an edge was reached, otherwise they stay; and whether it is that of their own limits.

    If a third limit binds between two, to its edge with one of them.
    """
    # The third limit: the one with the smallest margin besides the given ones.
    at_start = levels(points)
    others = np.where(np.isnan(at_start), np.inf, at_start)
    np.put_along_axis(others, limits, np.inf, axis=1)
    third = others.argmin(axis=1)
    # Limits below 0, the range of the search, have no margin: points beside them stay.
    has_none = np.asarray((limits < 0).any(axis=1))
    moved, is_there = points.copy(), has_none.copy()
    own: list[Bools] = []
    for chosen in (limits, *(np.stack([limit, third], axis=1) for limit in limits[:, :2].T)):
        left = np.flatnonzero(~is_there)
        found, is_there[left] = _towards(levels, points[left], chosen[left], length[left])
        moved[left] = np.where(is_there[left, None], found, points[left])
        own.append(is_there.copy())
    return moved, is_there & ~has_none, own[0] & ~has_none


def _towards(levels: Levels, points: Array, limits: Ints, length: Array) -> tuple[Array, Bools]:
    """End points of Newton's method with minimum-norm steps from points (n, 3), and whether they lie on an edge.

    A step to where a margin is undefined, beyond the reach of a rod, is halved until it is defined.
    """
    moved, before, to_do = points.copy(), points.copy(), np.arange(len(points))
    for _ in range(STEPS):  # on the points that have neither arrived nor gone too far
        step, is_known = _step(levels, moved[to_do], limits[to_do], SMALL * length[to_do])
        step = np.where(is_known[:, None], step, 0.5 * (before[to_do] - moved[to_do]))
        before[to_do] = np.where(is_known[:, None], moved[to_do], before[to_do])
        moved[to_do] += step
        distance = np.linalg.norm(moved[to_do] - points[to_do], axis=1)
        is_open = (np.linalg.norm(step, axis=1) > ARRIVED * length[to_do]) & (distance < 2 * FARTHEST * length[to_do])
        to_do = to_do[is_open]
    # On an edge: both margins have vanished, no other limit is broken, and it is near.
    found, first = levels(moved), np.abs(_at(levels, points[:, None], limits)[:, 0]).max(axis=1)
    left = np.abs(np.take_along_axis(found, limits, axis=1)).max(axis=1)
    smallest = np.where(np.isnan(found), np.inf, found).min(axis=1)
    is_near = np.linalg.norm(moved - points, axis=1) <= FARTHEST * length
    return moved, np.asarray(is_near & (left <= KEPT * first) & (smallest >= -KEPT * first))


def _step(levels: Levels, points: Array, limits: Ints, small: Array) -> tuple[Array, Bools]:
    """Minimum-norm Newton steps (n, 3) to where the linearised margins vanish, and whether these have gradients.

    Gradients are forward differences over `small` (n,). The pseudoinverse omits the difference of two normals that are
    nearly parallel: there the surfaces have no edge.
    """
    here, gradient = _slopes(levels, points, limits, small)
    norm = np.linalg.norm(gradient, axis=2)
    is_known = np.asarray((np.isfinite(norm) & (norm > 0)).all(axis=1))
    # Rows of length one, so that singular values compare directions; rows without a gradient give no step.
    norm, here = np.where(is_known[:, None], [norm, here], [[[1.0]], [[0.0]]])
    normals = np.where(is_known[:, None, None], gradient, 0.0) / norm[..., None]
    return -(np.linalg.pinv(normals, rcond=SHARPEST) @ (here / norm)[..., None])[..., 0], is_known


def _slopes(levels: Levels, points: Array, limits: Ints, small: Array) -> tuple[Array, Array]:
    """Margins (n, k) to the limits (n, k) at points (n, 3), and their gradients (n, k, 3)."""
    shifts = small[:, None, None] * np.concatenate([np.zeros((1, 3)), np.eye(3)])
    found = _at(levels, points[:, None] + shifts, limits)
    return found[:, 0], np.swapaxes(found[:, 1:] - found[:, :1], 1, 2) / small[:, None, None]


def _at(levels: Levels, points: Array, limits: Ints) -> Array:
    """Margins (n, m, k) to the limits (n, k) at points (n, m, 3)."""
    found = levels(points.reshape(-1, 3))
    found = found.reshape(*points.shape[:2], found.shape[-1])
    return np.take_along_axis(found, np.repeat(limits[:, None], points.shape[1], axis=1), axis=2)


def _crossings(levels: Array, sides: Ints, binding: Ints) -> Array:
    """Parts (n,) of sides (n, 2) at which the margins of its two limits are equal; NaN where they are not known.

    Margins are interpolated linearly. At its own end each limit binds, so that both differences are positive.
    """
    (start, end), (first, second) = sides.T, binding[sides].T
    here = levels[start, second] - levels[start, first]
    there = levels[end, first] - levels[end, second]
    is_known = (first >= 0) & (second >= 0) & (first != second) & (here >= 0) & (there >= 0) & (here + there > 0)
    part = here / np.where(is_known, here + there, 1.0)
    return np.where(is_known, part.clip(*INSIDE), np.nan)


def _cuts(ends: Array, place: Ints, is_cut: Bools, known: Array) -> Array:
    """Points (n, 3) where seams cross sides with ends (n, 2, 3); `place` (m, 3) are the sides of triangles.

    At the known parts (n,) of sides; elsewhere smoothed, by moving each cut towards the mean of its neighbours on the
    seam. Midpoints of the sides would make the seam a sawtooth.
    """
    # Two cut sides of a triangle are neighbours on the seam, in both directions.
    start, along = ends[:, 0], ends[:, 1] - ends[:, 0]
    pairs = np.concatenate([place[:, [0, 1]], place[:, [1, 2]], place[:, [2, 0]]])
    pairs = pairs[is_cut[pairs].all(axis=1)]
    first, second = np.concatenate([pairs, pairs[:, ::-1]]).T
    count = np.bincount(first, minlength=len(ends))
    # Sides without a neighbour, and those with a known crossing, keep their cuts.
    is_free, length = (count > 0) & np.isnan(known), np.maximum((along**2).sum(axis=1), 1e-300)
    part = np.where(np.isnan(known), 0.5, known)
    for _ in range(SMOOTHINGS if is_free.any() else 0):
        points = start + part[:, None] * along
        sums = np.stack([np.bincount(first, points[second, k], len(ends)) for k in range(3)], axis=1)
        # Halfway to the neighbours' mean, projected onto the side.
        aim = 0.5 * (points + sums / np.maximum(count, 1)[:, None]) - start
        part = np.where(is_free, ((aim * along).sum(axis=1) / length).clip(*INSIDE), part)
    return np.asarray(start + part[:, None] * along)
