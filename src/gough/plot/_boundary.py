"""Closed surfaces coloured by the limit that binds: colours for each kind of limit, a shade for each leg."""

from __future__ import annotations

import re

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from gough.arrays import Array, Ints
from gough.limits.margins import margins
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._traces import dots, scene, span, triangles
from gough.present.units import file_unit, in_file_units
from gough.workspaces.mesh import RANGE, Mesh

FAMILIES = {
    "longest": (37, 99, 201),
    "highest": (37, 99, 201),
    "shortest": (13, 138, 138),
    "lowest": (13, 138, 138),
    "reach": (71, 85, 105),
    "base cone": (217, 119, 6),
    "platform cone": (126, 58, 186),
    "base plate angle": (194, 65, 12),
    "platform plate angle": (190, 24, 93),
    "clearance": (200, 40, 60),
    "singularity": (84, 76, 116),
    "tool": (46, 139, 87),
}
"""Red, green and blue of each kind of limit."""
OTHER = (148, 163, 184)
LIGHTER = (0.0, 0.44, 0.14, 0.56, 0.28, 0.66)
"""Part of white in the shade of each leg: neighbours differ."""
STEEP = 0.02
"""Sides whose normal rises less than this belong to the lower and to the upper envelope."""
SMOOTHINGS = 40
"""Passes over the seams between limits."""
INSIDE = (0.01, 0.99)
"""Parts of a side between which it is cut: no triangle is a line."""
WORTH_NAMING = 2e-3
"""Of the area: a limit that binds on less is drawn, but not in the legend."""
_LIGHTING = {"ambient": 0.62, "diffuse": 0.55, "specular": 0.06, "roughness": 0.9, "fresnel": 0.05}


def colour_of(name: str) -> str:
    """Colour of a limit by its name, such as "leg 3 longest"."""
    match = re.match(r"legs? (\d)(?:-\d)? (.*)", name)
    leg, kind = (int(match[1]), match[2]) if match else (1, "tool" if name.startswith("tool") else name)
    white = LIGHTER[leg - 1]
    red, green, blue = (round(c + white * (255 - c)) for c in FAMILIES.get(kind, OTHER))
    return f"rgb({red}, {green}, {blue})"


def surfaces(
    machine: Machine,
    mesh: Mesh,
    si_unit: str,
    chosen: NDArray[np.bool_] | None = None,
    poses: Array | None = None,
) -> list[go.Mesh3d]:
    """The mesh, or its chosen triangles, as one trace for each limit that binds; kinds together, legs in order.

    Limits that bind on next to nothing of it are not in the legend. With the poses (n, 4, 4) of its vertices the seams
    between limits are where these are equally near.
    """
    kept = mesh.faces if chosen is None else mesh.faces[chosen]
    levels = None if poses is None else levels_at(machine, mesh, poses)
    vertices, faces, binding = parted(mesh.vertices, kept, mesh.binding, levels)
    places, names = in_file_units(machine, vertices, si_unit), (RANGE, *mesh.names)
    corners = vertices[faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    present = sorted(np.unique(binding).tolist(), key=lambda c: (names[c + 1].lstrip("legs 0123456789-"), c))
    traces = []
    for c in present:
        trace = _surface(places, faces[binding == c], names[c + 1], file_unit(machine, si_unit))
        trace.showlegend = bool(areas[binding == c].sum() > WORTH_NAMING * areas.sum())
        traces.append(trace)
    return traces


def levels_at(machine: Machine, mesh: Mesh, poses: Array) -> Array:
    """Relative margins (n, k) to the mesh's limits at its vertices; NaN for one of another name."""
    found = margins(machine, poses)
    at = [found.names.index(name) if name in found.names else -1 for name in mesh.names]
    return np.where(np.array(at) >= 0, found.relative[:, at], np.nan)


def parted(vertices: Array, faces: Ints, binding: Ints, levels: Array | None = None) -> tuple[Array, Ints, Ints]:
    """Vertices, triangles and the limit of each, where every triangle between limits is cut so that each corner has its
    own part: from the corner to points of its sides and of the triangle, where the limits' levels (n, k) are equal; if
    these are not given, where the seams are smooth."""
    corners = binding[faces]
    is_mixed = (corners != corners[:, :1]).any(axis=1)
    mixed, plain = faces[is_mixed], faces[~is_mixed]
    sides, place = np.unique(
        np.sort(mixed[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0, return_inverse=True
    )
    place = place.reshape(-1, 3)
    is_cut = binding[sides[:, 0]] != binding[sides[:, 1]]
    known = np.full(len(sides), np.nan) if levels is None else _crossings(levels, sides, binding)
    cuts = _cuts(vertices[sides], place, is_cut, known)
    weight = is_cut[place].astype(float)[..., None]
    middles = (weight * cuts[place]).sum(axis=1) / weight.sum(axis=1)
    middle = len(vertices) + len(sides) + np.arange(len(mixed))
    side = len(vertices) + place
    points = np.concatenate([vertices, cuts, middles])
    parts, limits = [plain], [binding[plain[:, 0]]]
    for k in range(3):
        corner, after, before = mixed[:, k], side[:, k], side[:, k - 1]
        parts += [np.stack([corner, after, middle], axis=1), np.stack([corner, middle, before], axis=1)]
        limits += [binding[corner]] * 2
    return points, np.concatenate(parts), np.concatenate(limits)


def _crossings(levels: Array, sides: Ints, binding: Ints) -> Array:
    """Parts (n,) of sides (n, 2) at which two limits are equally near; NaN where they are not known to be so."""
    (start, end), (first, second) = sides.T, binding[sides].T
    here = levels[start, second] - levels[start, first]
    there = levels[end, first] - levels[end, second]
    is_known = (first >= 0) & (second >= 0) & (first != second) & (here >= 0) & (there >= 0) & (here + there > 0)
    part = here / np.where(is_known, here + there, 1.0)
    return np.where(is_known, part.clip(*INSIDE), np.nan)


def _cuts(ends: Array, place: Ints, is_cut: NDArray[np.bool_], known: Array) -> Array:
    """Points (n, 3) of sides with ends (n, 2, 3), where seams cross those that are cut; `place`: sides of triangles.

    At the known parts (n,) of sides; elsewhere towards the mean of the neighbours on the seam, so that it is as
    straight as its sides allow. Middles of sides would make it a saw.
    """
    start, along = ends[:, 0], ends[:, 1] - ends[:, 0]
    pairs = np.concatenate([place[:, [0, 1]], place[:, [1, 2]], place[:, [2, 0]]])
    pairs = pairs[is_cut[pairs].all(axis=1)]
    first, second = np.concatenate([pairs, pairs[:, ::-1]]).T
    count = np.bincount(first, minlength=len(ends))
    is_free, length = (count > 0) & np.isnan(known), np.maximum((along**2).sum(axis=1), 1e-300)
    part = np.where(np.isnan(known), 0.5, known)
    for _ in range(SMOOTHINGS if is_free.any() else 0):
        points = start + part[:, None] * along
        sums = np.stack([np.bincount(first, points[second, k], len(ends)) for k in range(3)], axis=1)
        aim = 0.5 * (points + sums / np.maximum(count, 1)[:, None]) - start
        part = np.where(is_free, ((aim * along).sum(axis=1) / length).clip(*INSIDE), part)
    return np.asarray(start + part[:, None] * along)


def _surface(places: Array, faces: Ints, name: str, unit: str) -> go.Mesh3d:
    used, corners = np.unique(faces, return_inverse=True)
    return triangles(
        places[used].astype(np.float32),
        corners.reshape(-1, 3).astype(np.uint16 if len(used) < 2**16 else np.uint32),
        name=name,
        color=colour_of(name),
        showlegend=True,
        lighting=_LIGHTING,
        hovertemplate=f"(%{{x:.4g}}, %{{y:.4g}}, %{{z:.4g}}) {unit}<br>{name}<extra></extra>",
    )


def shell(machine: Machine, mesh: Mesh, si_unit: str, name: str) -> go.Mesh3d:
    """A mesh as a pale shell through which others are seen."""
    trace = _surface(in_file_units(machine, mesh.vertices, si_unit), mesh.faces, name, file_unit(machine, si_unit))
    trace.update(color=style.BAR, opacity=0.18, hoverinfo="skip", hovertemplate=None)
    return trace


def mark(machine: Machine, place: Array, si_unit: str, name: str) -> go.Scatter3d:
    """A point with its name in the legend."""
    point = in_file_units(machine, place, si_unit)[None]
    return dots(point, style.INK, 4, name=name, hovertemplate=f"{name}<extra></extra>")


def boundary_figure(
    machine: Machine, traces: list[go.Mesh3d | go.Scatter3d], shown: Array, si_unit: str, axes: tuple[str, str, str]
) -> go.Figure:
    """Figure of traces in a scene round the points `shown` (n, 3) [SI], upright as gravity has it."""
    titles = [f"{axis} [{file_unit(machine, si_unit)}]" for axis in axes]
    box = scene(machine, titles, span(in_file_units(machine, shown, si_unit), 0.04))
    legend = {"orientation": "h", "yanchor": "top", "y": -0.01, "x": 0, "font": {"size": 11}, "itemsizing": "constant"}
    return style.figure(traces, height=560, scene=box, legend=legend)
