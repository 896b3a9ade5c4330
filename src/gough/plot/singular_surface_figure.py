"""The singular surface of an orientation, with the positions that the limits allow there."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._boundary import shell
from gough.plot._scene import compact_triangles, dots, in_space, line, machine_scene, span, titles_of_positions
from gough.poses import PoseLike, checked_matrices
from gough.singularity.distance import SingularDistance, singular_distance
from gough.singularity.free_regions import SingularityFreeProof
from gough.singularity.mesh import SingularMesh, singular_mesh
from gough.singularity.surface import singular_surface as surface_of
from gough.workspaces.mesh import Mesh
from gough.workspaces.workspace import workspace

SAMPLES = 13
"""Columns along x and y of the body that the limits allow."""
BEYOND = 0.15
"""Padding of the picture on each side, as a part of its extent."""
FAR = 2.0
"""The nearest singular position is drawn if it is no farther than this many extents of the workspace."""
WITHOUT = 0.35
"""Half the extent of the picture, as a part of the machine's size, where no limit ends the workspace."""


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
        Of `gough.singularity.free_of_singularities`: its witness is marked.
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
    # The surface is one of the platform's origin; what is drawn are positions of the point of interest.
    offset = pose[:3, :3] @ machine.point_of_interest
    near = singular_distance(machine, pose) if distance is None else distance
    body = _body(machine, pose)
    low, high = _shown(machine, pose[:3, 3] + offset, np.empty((0, 3)) if body is None else body.vertices, near)
    pad = BEYOND * (high - low).max()
    mesh = _surface(machine, pose, (low - offset - pad, high - offset + pad), near.position - offset, cells)
    figure = go.Figure()
    if body is not None:
        grey = {"color": style.CYLINDER, "opacity": 0.3}
        figure.add_trace(shell(machine, body, "m", "what the limits allow").update(grey))
    if len(mesh.triangles):
        figure.add_trace(_surface_trace(machine, mesh.vertices + offset, mesh.triangles))
    _mark_places(figure, machine, ("home" if orientation is None else "pose", pose[:3, 3] + offset), near, result)
    limits = np.stack([low - pad, high + pad]) / machine.units.metres
    box = machine_scene(machine, titles_of_positions(machine), span(limits, 0.0))
    return in_space(figure.data, height=520, scene=box)


def _body(machine: Machine, pose: Array) -> Mesh | None:
    """Positions that all limits but the one for singularities allow; None where these are none, or have no end."""
    try:
        found = workspace(machine, pose, samples=SAMPLES, ignore=("singularity",))
    except InputError:
        return None
    return None if found.is_empty else found.mesh()


def _surface(machine: Machine, pose: Array, box: tuple[Array, Array], near: Array, cells: int) -> SingularMesh:
    """Mesh of the surface in a box; if the grid finds none there, on a finer grid around its nearest point."""
    surface = surface_of(machine, pose)
    mesh = singular_mesh(surface, *box, cells=cells)
    if len(mesh.triangles) or mesh.is_everywhere or not np.isfinite(near).all():
        return mesh
    half = 0.1 * (box[1] - box[0]).max()
    return singular_mesh(surface, near - half, near + half, cells=cells)


def _shown(machine: Machine, point: Array, body: Array, near: SingularDistance) -> tuple[Array, Array]:
    """Corners of the picture: around the workspace and the pose, and the nearest singular position if it is near."""
    points = (
        np.concatenate([body, point[None]]) if len(body) else point + WITHOUT * machine.size * np.array([[-1], [1]])
    )
    extent = float(np.ptp(points, axis=0).max())
    if near.upper < FAR * extent:
        points = np.concatenate([points, near.position[None]])
    return points.min(axis=0), points.max(axis=0)


def _surface_trace(machine: Machine, vertices: Array, faces: Ints) -> go.Mesh3d:
    words = "singular surface"
    return compact_triangles(
        vertices / machine.units.metres,
        faces,
        color=style.ACCENT,
        opacity=0.45,
        name=words,
        showlegend=True,
        lighting={"ambient": 0.55, "diffuse": 0.7, "specular": 0.1, "roughness": 0.8},
        hovertemplate=_hover(machine, words),
    )


def _hover(machine: Machine, words: str) -> str:
    """Label of a point: what it is, and its coordinates."""
    return f"{words}<br>%{{x:.5g}}, %{{y:.5g}}, %{{z:.5g}} {machine.units.length}<extra></extra>"


def _mark_places(
    figure: go.Figure,
    machine: Machine,
    start: tuple[str, Array],
    near: SingularDistance,
    proof: SingularityFreeProof | None,
) -> None:
    """The pose, the nearest singular one with a line to it, and a singular pose within the limits."""
    name, point = start
    marks = [(name, point, style.INK)]
    if np.isfinite(near.upper):
        ends = np.stack([point, near.position]) / machine.units.metres
        figure.add_trace(line(ends, style.INK, 3).update(line_dash="dash"))
        marks.append(("nearest singular", near.position, style.ACCENT))
    if proof is not None and proof.witness_point is not None:
        marks.append(("singular within the limits", proof.witness_point, style.ACCENT))
    for words, place, colour in marks:
        point = place[None] / machine.units.metres
        figure.add_trace(dots(point, colour, 5, name=words, hovertemplate=_hover(machine, words)))
