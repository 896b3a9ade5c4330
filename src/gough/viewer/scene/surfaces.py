"""Overlays as pieces: workspace, singular surface, velocity envelope and stiffness ellipsoid of a machine at a pose."""

from __future__ import annotations

import numpy as np

import gough
from gough.arrays import Array
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._boundary import WORTH_NAMING, colour_of
from gough.plot._solids import ball, hull
from gough.present.show import Show, metric
from gough.viewer.appearance import hex_colour
from gough.viewer.applied_forces import NO_FORCES, AppliedForces, principal_stiffness
from gough.viewer.scene.batch import rim
from gough.viewer.scene.pieces import Lines, Piece, Progress, Surface, Words

COLUMNS = 41
"""Columns of the workspace along x and y."""
CELLS, SLABS = 28, 4
"""Cells of the grid for the singular surface along each side, and horizontal slabs that are computed in turn."""
AROUND = 0.8
"""Half the side of the box in which the singular surface is drawn, as a part of the machine's size."""
REACH = 0.26
"""Longest half-axis of envelope and ellipsoid, as a part of the machine's size."""
SHARP = np.deg2rad(1.0)
"""Angle between faces beyond which their edge is drawn [rad]."""


def workspace(machine: Machine, X: Array, progress: Progress) -> list[Piece]:
    """Boundary of the positions of the point of interest at this orientation, in the colour of the limit there."""
    found = gough.workspace(machine, X, samples=COLUMNS, progress=progress)
    mesh = found.mesh()
    if not len(mesh.faces):
        return []
    corner, *sides = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    areas = np.linalg.norm(np.cross(sides[0] - corner, sides[1] - corner), axis=1)
    pieces: list[Piece] = []
    for c in np.unique(mesh.face_binding).tolist():
        name = ("range searched", *mesh.names)[c + 1]  # -1 is the end of the range searched
        used, corners = np.unique(mesh.faces[mesh.face_binding == c], return_inverse=True)
        colour = hex_colour([*map(int, colour_of(name)[4:-1].split(","))])  # figures' colours are "rgb(r, g, b)"
        is_named = areas[mesh.face_binding == c].sum() > WORTH_NAMING * areas.sum()
        shown = name if is_named else ""
        pieces.append(Surface(mesh.vertices[used], corners.reshape(-1, 3), colour, 0.38, shown))
    return pieces


def singular_surface(machine: Machine, X: Array, progress: Progress) -> list[Piece]:
    """Positions of the point of interest at which the machine is singular at this orientation, in a box round home."""
    surface = gough.singularity.singular_surface(machine, X)
    offset = X[:3, :3] @ machine.point_of_interest  # the surface is one of positions of the platform's origin
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
    """Velocities of the point of interest within all joint speeds; the largest is drawn to a fixed length."""
    vertices = gough.velocity_envelope(machine, X).vertices()
    speed = float(np.linalg.norm(vertices, axis=1).max())
    body, position = hull(vertices * (REACH * machine.size / speed)), _point_of_interest(machine, X)
    fastest = body.vertices[np.argmax(np.linalg.norm(body.vertices, axis=1))]
    return [
        Surface(body.vertices + position, body.faces, "#0d8a8a", 0.35),
        Lines(rim(body, SHARP) + position, "#0b6b6b"),
        Words(Show(machine).with_unit(speed, "m/s", 3), position + fastest),
    ]


def stiffness_ellipsoid(
    machine: Machine, X: Array, progress: Progress, applied: AppliedForces = NO_FORCES
) -> list[Piece]:
    """Ellipsoid at the point of interest under a load: half-axes as the roots of the principal stiffnesses."""
    found = principal_stiffness(machine, X, applied)
    position, sphere = _point_of_interest(machine, X), ball(np.zeros(3), 1.0)
    half = found.translation_axes * REACH * machine.size * np.sqrt(found.translation / found.translation.max())
    segments = np.stack([position - half.T, position + half.T], axis=1)
    shown = [Show(machine).with_unit(k, metric([k], "N/m", machine.units)[1], 3) for k in found.translation]
    words = [Words(text, position + 1.05 * axis) for text, axis in zip(shown, half.T, strict=True)]
    shell = Surface(position + sphere.vertices @ half.T, sphere.faces, style.AXES[2], 0.28)
    return [shell, Lines(segments, style.AXES[2]), *words]


def _point_of_interest(machine: Machine, X: Array) -> Array:
    """Position (3,) in the base [m]."""
    return np.asarray(X[:3, :3] @ machine.point_of_interest + X[:3, 3])
