"""Closed surfaces coloured by the limit that binds: a colour for each kind of limit, a shade of it for each leg, darker
for an upper stage."""

from __future__ import annotations

import re

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array, Ints
from gough.plot import _style as style
from gough.plot._scene import compact_triangles, dots, in_space, machine_scene, span
from gough.present.units import file_unit, in_file_units
from gough.stacked import AnyMachine
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
ENDS = tuple(f"tool {axis} {end}" for axis in "xyz" for end in ("max", "min"))
TOOL_LIMITS = ("tool radius", *ENDS, "tool tilt", "tool rotation")
"""Limits of the tool, each with a shade of its own as well."""
DARKER = 0.6
"""Brightness of an upper stage's colour, relative to the lower one's."""
STEEP = 0.02
"""Where the boundary's unit normal rises by less than this it belongs to the lower and to the upper envelope."""
SMOOTHINGS = 48
"""Times that normals are averaged over the triangles around."""
WORTH_NAMING = 2e-3
"""Part of the area below which a limit is drawn, but not in the legend."""
LEGEND_SIZE = 11
"""Size of the letters of the legend [pixels]."""
_LIGHTING = {"ambient": 0.62, "diffuse": 0.55, "specular": 0.06, "roughness": 0.9, "fresnel": 0.05}


def colour_of(name: str) -> str:
    """Colour of a limit by its name, such as "leg 3 longest"."""
    stage, leg, kind = _parts(name)
    white = TOOL_LIMITS.index(kind) / 12 if kind in TOOL_LIMITS else LIGHTER[leg - 1]
    light = DARKER ** (stage - 1)
    family = FAMILIES.get("tool" if kind.startswith("tool") else kind, OTHER)
    red, green, blue = (round(light * (c + white * (255 - c))) for c in family)
    return f"rgb({red}, {green}, {blue})"


def kind_of(name: str) -> str:
    """Kind of a limit by its name, such as "longest", the same for all legs."""
    return _parts(name)[2]


def _parts(name: str) -> tuple[int, int, str]:
    """Stage, leg and kind of a limit by its name; stage 1 and leg 1 where it names none."""
    found = re.fullmatch(r"(?:stage (\d) )?(?:legs? (\d)(?:-\d)? )?(.*)", name)
    assert found is not None
    return int(found[1] or 1), int(found[2] or 1), found[3]


def surfaces(machine: AnyMachine, mesh: Mesh, si_unit: str, facing: Array | None = None) -> list[go.Mesh3d]:
    """The mesh, or what of it faces a direction (3,), as one trace for each limit that binds; kinds together, legs in
    order. Limits that bind on next to nothing of it are not in the legend."""
    vertices, faces, binding = mesh.vertices, mesh.faces, mesh.face_binding
    if facing is not None:
        rise = _corner_normals(vertices, faces, binding) @ facing + STEEP
        vertices, faces, whole = clipped(vertices, faces, rise)
        binding = binding[whole]
    areas = np.linalg.norm(_normals(vertices, faces), axis=1)
    # Limits are numbered from -1, the range of the search, which comes first among the names.
    places, names = in_file_units(machine, vertices, si_unit), (RANGE, *mesh.names)
    present = sorted(np.unique(binding).tolist(), key=lambda c: (_parts(names[c + 1])[2], c))
    traces = []
    for c in present:
        trace = _surface(places, faces[binding == c], names[c + 1], file_unit(machine, si_unit))
        trace.showlegend = bool(areas[binding == c].sum() > WORTH_NAMING * areas.sum())
        traces.append(trace)
    return traces


def _normals(vertices: Array, faces: Ints) -> Array:
    """Normals (m, 3) of triangles, twice their areas long."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return np.cross(b - a, c - a)


def _corner_normals(vertices: Array, faces: Ints, binding: Ints) -> Array:
    """Unit normals (m, 3, 3) at the corners of triangles: means over the triangles of the same limit around, by area.

    Narrow triangles alone point anywhere, on a wall that is upright up and down in turn.
    """
    from scipy.sparse import csr_array

    corners, place = np.unique(faces * (binding.max(initial=0) + 2) + binding[:, None] + 1, return_inverse=True)
    place, normals = place.reshape(-1, 3), _normals(vertices, faces)
    areas = np.linalg.norm(normals, axis=1, keepdims=True)
    which = np.repeat(np.arange(len(faces)), 3)
    around = csr_array((np.ones(len(which)), (place.ravel(), which)), (len(corners), len(faces)))
    for _ in range(SMOOTHINGS):
        means = around @ normals
        # Triangles without area have no normal: it is divided by a tiny number instead of zero.
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-300)
        normals = areas / 3.0 * (around.T @ means)
    return np.asarray(means[place])


def clipped(vertices: Array, faces: Ints, values: Array) -> tuple[Array, Ints, Ints]:
    """Vertices, triangles and the one that each is of: the parts of triangles (m, 3) in which values, linear between
    those at their corners (m, 3), are not negative."""
    is_kept = values >= 0
    count = is_kept.sum(axis=1)
    mixed = np.flatnonzero((count == 1) | (count == 2))
    # Of these the corner alone on its side first, in the same sense.
    alone = np.where(count[mixed] == 1, is_kept[mixed].argmax(axis=1), is_kept[mixed].argmin(axis=1))
    turned = (alone[:, None] + np.arange(3)) % 3
    a, b, c = np.take_along_axis(faces[mixed], turned, axis=1).T
    at, *ends = np.take_along_axis(values[mixed], turned, axis=1).T
    cuts = [
        vertices[a] + (at / (at - end))[:, None] * (vertices[far] - vertices[a])
        for end, far in zip(ends, (b, c), strict=True)
    ]
    ab, ac = (len(vertices) + k * len(mixed) + np.arange(len(mixed)) for k in range(2))
    is_tip, whole = count[mixed] == 1, np.flatnonzero(count == 3)
    tips, bases = (np.stack([a, ab, ac], axis=1)[is_tip], np.stack([[ab, b, c], [ab, c, ac]])[..., ~is_tip])
    parts = [faces[whole], tips, *np.moveaxis(bases, 1, 2)]
    of = [whole, mixed[is_tip], mixed[~is_tip], mixed[~is_tip]]
    return np.concatenate([vertices, *cuts]), np.concatenate(parts), np.concatenate(of)


def _surface(places: Array, faces: Ints, name: str, unit: str) -> go.Mesh3d:
    """Triangles with the vertices that they use alone."""
    used, corners = np.unique(faces, return_inverse=True)
    return compact_triangles(
        places[used],
        corners.reshape(-1, 3),
        name=name,
        color=colour_of(name),
        showlegend=True,
        lighting=_LIGHTING,
        hovertemplate=f"(%{{x:.4g}}, %{{y:.4g}}, %{{z:.4g}}) {unit}<br>{name}<extra></extra>",
    )


def shell(machine: AnyMachine, mesh: Mesh, si_unit: str, name: str) -> go.Mesh3d:
    """A mesh as a pale shell through which others are seen."""
    # Each limit has vertices of its own: shades at sharp edges would be mixed, in patches.
    of = mesh.face_binding - mesh.face_binding.min(initial=0)
    vertices = np.tile(in_file_units(machine, mesh.vertices, si_unit), (of.max(initial=0) + 1, 1))
    faces = mesh.faces + len(mesh.vertices) * of[:, None]
    trace = _surface(vertices, faces, name, file_unit(machine, si_unit))
    trace.update(color=style.BAR, opacity=0.18, hoverinfo="skip", hovertemplate=None)
    return trace


def mark(machine: AnyMachine, place: Array, si_unit: str, name: str) -> go.Scatter3d:
    """A point with its name in the legend."""
    point = in_file_units(machine, place, si_unit)[None]
    return dots(point, style.INK, 4, name=name, hovertemplate=f"{name}<extra></extra>")


def boundary_figure(
    machine: AnyMachine, traces: list[go.Mesh3d | go.Scatter3d], shown: Array, si_unit: str, axes: tuple[str, str, str]
) -> go.Figure:
    """Figure of traces in a scene around the points `shown` (n, 3) [SI], upright as gravity has it."""
    titles = [f"{axis} [{file_unit(machine, si_unit)}]" for axis in axes]
    box = machine_scene(machine, titles, span(in_file_units(machine, shown, si_unit), 0.04))
    legend = {
        "orientation": "h",
        "yanchor": "top",
        "y": -0.01,
        "x": 0,
        "font": {"size": LEGEND_SIZE},
        "itemsizing": "constant",
    }
    whole = {"x": [0.0, 1.0], "y": [0.0, 1.0]}
    return in_space(traces, height=560, scene={**box, "domain": whole}, legend=legend)
