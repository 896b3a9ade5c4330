"""The singular surface of an orientation, with what the limits allow there."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.limits.interval_search import poses_at
from gough.limits.margins import margins
from gough.limits.travel import travel
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._traces import dots, line, scene, span, triangles
from gough.poses import PoseLike, checked_matrices
from gough.singularity.distance import SingularDistance, singular_distance
from gough.singularity.free_regions import SingularityFreeProof
from gough.singularity.mesh import SingularMesh, boundary_mesh, singular_mesh
from gough.singularity.surface import singular_surface as surface_of

BEYOND = 0.15
"""How much farther than what is shown the surface is drawn, on each side."""
FAR = 2.0
"""The nearest singular position comes into the picture if it is no farther than this many extents of the workspace."""
WITHOUT = 0.35
"""Of the machine's size, half the picture's where nothing has an end."""


@checks_arguments
def singular_surface(
    machine: Machine,
    orientation: PoseLike | None = None,
    *,
    result: SingularityFreeProof | None = None,
    distance: SingularDistance | None = None,
    cells: int = 24,
) -> go.Figure:
    """The singular surface with what all other limits allow, for positions of the point of interest.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        A pose: its orientation, and where distance is counted from; home where none is given.
    result : SingularityFreeProof, optional
        Of `gough.singularity.free_of_singularities`: its region is drawn, and its witness marked.
    distance : SingularDistance, optional
        Of `gough.singularity.singular_distance`; computed where not given.
    cells : int
        Of the grid along the picture's longest side.

    Returns
    -------
    plotly.graph_objects.Figure
        The body that the limits allow (grey), the singular surface (coloured), the pose and its nearest singular one.

    Raises
    ------
    InputError
        A leg cannot close at the pose.

    """
    pose = machine.X_home if orientation is None else checked_matrices(orientation)
    offset = pose[:3, :3] @ machine.point_of_interest
    near = singular_distance(machine, pose) if distance is None else distance
    body = _body(machine, pose, result, cells)
    low, high = _shown(machine, pose[:3, 3] + offset, body[0], near)
    pad = BEYOND * (high - low).max()
    mesh = _surface(machine, pose, (low - offset - pad, high - offset + pad), near.position - offset, cells)
    figure = go.Figure()
    if len(body[1]):
        figure.add_trace(_mesh(machine, *body, style.CYLINDER, 0.35, "what the limits allow"))
    if len(mesh.triangles):
        figure.add_trace(_mesh(machine, mesh.vertices + offset, mesh.triangles, style.ACCENT, 0.45, "singular surface"))
    _mark_places(figure, machine, ("home" if orientation is None else "pose", pose[:3, 3] + offset), near, result)
    length = machine.units.length
    limits = np.stack([low - pad, high + pad]) / machine.units.metres
    box = scene(machine, [f"{axis} [{length}]" for axis in "xyz"], span(limits, 0.0))
    return style.figure(figure.data, height=520, scene=box)


def _body(machine: Machine, pose: Array, freedom: SingularityFreeProof | None, cells: int) -> tuple[Array, Ints]:
    """Mesh of what all limits but the one for singularities allow; empty where that has no end."""
    empty = np.empty((0, 3)), np.empty((0, 3), dtype=np.int64)
    boxes = [] if freedom is None or not len(freedom.low) else [(freedom.low.min(axis=0), freedom.high.max(axis=0))]
    distance = travel(machine, np.concatenate([np.eye(6)[:3], -np.eye(6)[:3]]), pose).distance
    if np.isfinite(distance).all() and (distance > 0).all():
        home = pose[:3, :3] @ machine.point_of_interest + pose[:3, 3]
        boxes.append((home - 1.6 * distance[3:], home + 1.6 * distance[:3]))

    def inside(positions: Array) -> Array:
        relative = margins(machine, poses_at(machine, pose[:3, :3], positions)).relative[..., :-1]
        return np.fmin.reduce(relative, axis=-1, initial=1.0)

    for low, high in boxes:  # where the first is too wide to show anything, the second is not
        pad = 0.02 * (high - low)
        found = boundary_mesh(inside, low - pad, high + pad, cells=cells)
        if len(found[1]):
            return found
    return empty


def _surface(machine: Machine, pose: Array, box: tuple[Array, Array], near: Array, cells: int) -> SingularMesh:
    """Mesh of the surface in the picture; where it has none of a cell's size, of its part about the nearest place."""
    surface = surface_of(machine, pose)
    mesh = singular_mesh(surface, *box, cells=cells)
    if len(mesh.triangles) or mesh.is_everywhere or not np.isfinite(near).all():
        return mesh
    half = 0.1 * (box[1] - box[0]).max()
    return singular_mesh(surface, near - half, near + half, cells=cells)


def _shown(machine: Machine, point: Array, body: Array, near: SingularDistance) -> tuple[Array, Array]:
    """Corners of the picture."""
    points = (
        np.concatenate([body, point[None]]) if len(body) else point + WITHOUT * machine.size * np.array([[-1], [1]])
    )
    extent = float(np.ptp(points, axis=0).max())
    if near.upper < FAR * extent:
        points = np.concatenate([points, near.position[None]])
    return points.min(axis=0), points.max(axis=0)


def _mesh(machine: Machine, vertices: Array, faces: Ints, colour: str, opacity: float, words: str) -> go.Mesh3d:
    unit = machine.units.length
    return triangles(
        (vertices / machine.units.metres).astype(np.float32),
        faces.astype(np.uint16 if len(vertices) < 2**16 else np.uint32),
        color=colour,
        opacity=opacity,
        name=words,
        showlegend=True,
        lighting={"ambient": 0.55, "diffuse": 0.7, "specular": 0.1, "roughness": 0.8},
        hovertemplate=f"{words}<br>%{{x:.5g}}, %{{y:.5g}}, %{{z:.5g}} {unit}<extra></extra>",
    )


def _mark_places(
    figure: go.Figure,
    machine: Machine,
    start: tuple[str, Array],
    near: SingularDistance,
    freedom: SingularityFreeProof | None,
) -> None:
    """The pose, the nearest singular one with a line to it, and a singular pose within the limits."""
    name, point = start
    marks = [(name, point, style.INK)]
    if np.isfinite(near.upper):
        ends = np.stack([point, near.position]) / machine.units.metres
        figure.add_trace(line(ends, style.INK, 3).update(line_dash="dash"))
        marks.append(("nearest singular", near.position, style.ACCENT))
    if freedom is not None and freedom.witness_point is not None:
        marks.append(("singular within the limits", freedom.witness_point, style.ACCENT))
    for words, place, colour in marks:
        label = f"{words}<br>%{{x:.5g}}, %{{y:.5g}}, %{{z:.5g}} {machine.units.length}<extra></extra>"
        figure.add_trace(dots(place[None] / machine.units.metres, colour, 5, name=words, hovertemplate=label))
