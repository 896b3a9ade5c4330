"""Overlays as pieces: workspace, singular surface, velocity envelope and stiffness ellipsoid of a machine at a pose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import gough
from gough.arrays import Array
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._boundary import colour_of
from gough.plot._solids import ball, edges, hull
from gough.present.show import Show, metric
from gough.viewer.loads import UNLOADED, Load, principal_stiffness
from gough.viewer.scene.pieces import Lines, Piece, Surface, Words

Progress = Callable[[int, int], None]

COLUMNS = 41
"""Of the workspace, along x and y."""
CELLS, SLABS = 28, 4
"""Of the grid on which the singular surface is looked for, along each side, and the steps of its progress."""
AROUND = 0.8
"""Half the side of the box in which the singular surface is drawn, as a part of the machine's size."""
REACH = 0.26
"""Longest half-axis of envelope and ellipsoid, as a part of the machine's size."""
FLAT = np.deg2rad(1.0)


def workspace(machine: Machine, X: Array, progress: Progress) -> list[Piece]:
    """Where the point of interest can go at this orientation, in the colour of the limit that ends it."""
    found = gough.workspace(machine, X, samples=COLUMNS, progress=progress)
    mesh = found.mesh()
    if not len(mesh.faces):
        return []
    pieces: list[Piece] = []
    for c in np.unique(mesh.face_binding).tolist():
        used, corners = np.unique(mesh.faces[mesh.face_binding == c], return_inverse=True)
        colour = _hex(colour_of(("range searched", *mesh.names)[c + 1]))
        pieces.append(Surface(mesh.vertices[used], corners.reshape(-1, 3), colour, 0.38))
    return pieces


def singular_surface(machine: Machine, X: Array, progress: Progress) -> list[Piece]:
    """Where the point of interest would make the machine singular at this orientation, in a box round home."""
    surface = gough.singularity.singular_surface(machine, X)
    offset = X[:3, :3] @ machine.point_of_interest
    home = machine.home_point
    low = home - offset - AROUND * machine.size
    side = 2 * AROUND * machine.size
    pieces: list[Piece] = []
    for k in range(SLABS):
        progress(k, SLABS)
        start, end = low.copy(), low + side
        start[2], end[2] = low[2] + side * k / SLABS, low[2] + side * (k + 1) / SLABS
        mesh = gough.singularity.singular_mesh(surface, start, end, cells=CELLS)
        if len(mesh.triangles):
            pieces.append(Surface(mesh.vertices + offset, mesh.triangles, "#7c3aed", 0.42))
    return pieces


def velocity_envelope(machine: Machine, X: Array, progress: Progress) -> list[Piece]:
    """Velocities that keep every joint within its speed, at the point of interest; the longest to a fixed length."""
    envelope = gough.velocity_envelope(machine, X)
    vertices = envelope.vertices()
    speed = np.linalg.norm(vertices, axis=1)
    body, position = hull(vertices * (REACH * machine.size / speed.max())), _point(machine, X)
    segments = edges(body, FLAT).reshape(-1, 3, 3)[:, :2] + position
    return [
        Surface(body.vertices + position, body.faces, "#0d8a8a", 0.35),
        Lines(segments, "#0b6b6b"),
        Words(Show(machine).with_unit(speed.max(), "m/s", 3), position + body.vertices[speed_order(body.vertices)]),
    ]


def stiffness_ellipsoid(machine: Machine, X: Array, progress: Progress, load: Load = UNLOADED) -> list[Piece]:
    """Half-axes as the roots of the principal stiffnesses of translation, at the point of interest, under a load."""
    found = principal_stiffness(machine, X, load)
    position, sphere = _point(machine, X), ball(np.zeros(3), 1.0)
    half = found.translation_axes * REACH * machine.size * np.sqrt(found.translation / found.translation.max())
    segments = np.stack([position - half.T, position + half.T], axis=1)
    shown = [Show(machine).with_unit(k, metric([k], "N/m")[1], 3) for k in found.translation]
    words = [Words(text, position + 1.05 * axis) for text, axis in zip(shown, half.T, strict=True)]
    shell = Surface(position + sphere.vertices @ half.T, sphere.faces, style.AXES[2], 0.28)
    return [shell, Lines(segments, style.AXES[2]), *words]


def speed_order(points: Array) -> int:
    """Which of the points (n, 3) is farthest from the origin."""
    return int(np.argmax(np.linalg.norm(points, axis=1)))


def _point(machine: Machine, X: Array) -> Array:
    return np.asarray(X[:3, :3] @ machine.point_of_interest + X[:3, 3])


def _hex(colour: str) -> str:
    """'#rrggbb' of "rgb(r, g, b)"."""
    return "#" + "".join(f"{int(part):02x}" for part in colour[4:-1].split(","))
