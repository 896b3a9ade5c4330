"""The machine in motion: few triangles for each instant, so that hundreds of them fit into one page.

Rods, struts and cranks are prisms between points that move; platform and tool are solids that keep their shape.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from gough.arrays import Array
from gough.head import Head
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._bodies import plates, tool
from gough.plot._head import head_at
from gough.plot._joints import ROD, leg_radius
from gough.plot._legs import draw_legs
from gough.plot._solids import Solid, mesh
from gough.poses import inverse_matrices
from gough.stacked import AnyMachine

Faces = NDArray[np.int64]

Bar = tuple[Array, Array, Array, str]
"""Starts and ends (k, 6, 3), radii (6,) and colour of a bar of each leg."""

SIDES = 10
"""Of the prism drawn for a round bar."""
SAME = 1e-6
"""Part of the machine's size within which cranks share a centre."""
SEEN_THROUGH = 0.6
"""Opacity of a platform without a tool, within which the tool path may lie."""
SMALL = 1e-4
"""Step of a joint by which the direction of its carriage is found [m or rad]."""


@dataclass(frozen=True, eq=False)
class Moving:
    """A body of one colour over k instants: vertices (k, n, 3) in the file's unit, faces, and what it looks like."""

    vertices: Array
    faces: Faces
    colour: str
    smooth: bool
    opacity: float = 1.0

    def at(self, k: int) -> go.Mesh3d:
        """Its whole trace at an instant."""
        return mesh([Solid(self.vertices[k], self.faces)], self.colour, smooth=self.smooth, opacity=self.opacity)

    def places(self, k: int) -> go.Mesh3d:
        """Its vertices alone at an instant: all that a frame needs."""
        x, y, z = self.vertices[k].astype(np.float32).T
        return go.Mesh3d(x=x, y=y, z=z)


def moving_parts(machine: AnyMachine, X: Array, joints: Array | None = None) -> list[Moving]:
    """Platforms with their tools, and the legs, at poses X (k, 4, 4) at which every leg closes, of stages (k, 2, 4, 4).

    A tool head moves with its joints (k, n), or keeps its present ones. The base of an upper stage moves too.
    """
    made: list[Moving] = []
    colours = [*[style.INTERMEDIATE] * (len(machine.stages) - 1), style.ACCENT]
    base = np.broadcast_to(np.eye(4), (len(X), 4, 4))
    poses = machine.poses_of_platforms(X)
    for k, (stage, mount, platform) in enumerate(zip(machine.stages, machine.mounts, poses, strict=True)):
        base = base @ mount
        own = inverse_matrices(base) @ platform
        parts = _parts(stage, own, colours[k], joints)
        if k:
            still = _still(stage, own[0], style.INTERMEDIATE)
            parts += [_fixed(solids, len(X), colour, smooth) for solids, colour, smooth in still]
        made += [replace(part, vertices=_carried(base, part.vertices) / machine.units.metres) for part in parts]
        base = platform
    return made


def _carried(X: Array, points: Array) -> Array:
    """Points (k, n, 3) of a body, or (n, 3), at its poses (k, 4, 4)."""
    return np.asarray(points @ np.swapaxes(X[:, :3, :3], 1, 2) + X[:, None, :3, 3])


def _fixed(solids: list[Solid], count: int, colour: str, smooth: bool) -> Moving:
    """What does not move in the base of its stage, over so many instants."""
    vertices, faces = _together(solids)
    return Moving(np.broadcast_to(vertices, (count, *vertices.shape)), faces, colour, smooth)


def _parts(machine: Machine, X: Array, colour: str, joints: Array | None) -> list[Moving]:
    """Platform, tool, head and legs of one stage in its base [m]."""
    b_B = _carried(X, machine.b_P)
    q = inverse_kinematics(machine, X)
    p_B = machine.legs.driven_points(q)
    drawing = draw_legs(machine, q[0], X[0])
    spindle = [] if machine.head is not None else tool(machine, X[0], b_B[0])
    is_bare = machine.head is None and not spindle and colour == style.ACCENT
    parts = []
    moved = X @ inverse_matrices(X[0])
    for solids, look in (
        (plates(machine, drawing, b_B[0], X[0])[1], (colour, False, SEEN_THROUGH if is_bare else 1.0)),
        (spindle, (style.PISTON, True)),
    ):
        if solids:
            vertices, faces = _together(solids)
            parts.append(Moving(_carried(moved, vertices), faces, *look))
    if machine.head is not None:
        q_head = np.broadcast_to(machine.head.q, (len(X), len(machine.head.q))) if joints is None else joints
        parts += _head(machine, machine.head, X, q_head)
    bars = _bars(machine, q, p_B, b_B)
    return parts + [Moving(*_prisms(start, end, radius), painted, True) for start, end, radius, painted in bars]


def _head(machine: Machine, head: Head, X: Array, joints: Array) -> list[Moving]:
    """The tool head: its links, joints and spindle."""
    drawn = [head_at(machine, head, pose, q) for pose, q in zip(X, joints, strict=True)]
    parts = []
    for name, colour in (("links", style.CYLINDER), ("joints", style.JOINT), ("spindle", style.PISTON)):
        solids = [_together(getattr(drawing, name)) for drawing in drawn if getattr(drawing, name)]
        if solids:
            parts.append(Moving(np.stack([vertices for vertices, _ in solids]), solids[0][1], colour, True))
    return parts


def resting_parts(machine: AnyMachine, X: Array) -> list[go.Mesh3d]:
    """Base plate, guides and shafts on the ground, with the machine at a pose X (4, 4), of two stages (2, 4, 4)."""
    stage, metres = machine.stages[0], machine.units.metres
    groups = _still(stage, machine.poses_of_platforms(X)[0], style.BASE)
    return [
        mesh([Solid(s.vertices / metres, s.faces) for s in solids], colour, smooth=smooth)
        for solids, colour, smooth in groups
    ]


def _still(machine: Machine, X: Array, colour: str) -> list[tuple[list[Solid], str, bool]]:
    """What stays with the base of one stage: its plate, guides and shafts, with the platform at X (4, 4)."""
    b_B = _carried(X[None], machine.b_P)[0]
    drawing = draw_legs(machine, inverse_kinematics(machine, X), X)
    groups = [
        (plates(machine, drawing, b_B, X)[0], colour, False),
        ([shape.solid() for shape in drawing.guides], style.GUIDE, drawing.has_round_guides),
    ]
    return [group for group in groups if group[0]]


def _bars(machine: Machine, q: Array, p_B: Array, b_B: Array) -> list[Bar]:
    """The bars that a leg is drawn from: cylinder and piston, or rod and crank, or rod and carriage."""
    radius = leg_radius(machine)
    if machine.legs.rod() is None:
        low, length = machine.limits.joint_min, np.linalg.norm(b_B - p_B, axis=-1)
        holds = np.where(np.isfinite(low) & (low > 0), 0.92 * low, 0.55 * length.min(axis=0))
        middle = p_B + (holds / length)[..., None] * (b_B - p_B)
        return [(p_B, middle, radius, style.CYLINDER), (middle, b_B, 0.55 * radius, style.PISTON)]
    rod = (p_B, b_B, ROD * radius, style.PISTON)
    if machine.legs.joint == "angle":
        turns = machine.legs.path(np.full(6, -np.pi), np.full(6, np.pi), 5)[:, :-1]
        centres = turns.mean(axis=1)
        if np.ptp(centres, axis=0).max() > SAME * machine.size:
            return [rod, (np.broadcast_to(centres, p_B.shape), p_B, 1.1 * radius, style.CYLINDER)]
    ahead = machine.legs.driven_points(q + SMALL) - machine.legs.driven_points(q - SMALL)
    half = 2.1 * radius[:, None] * ahead / np.linalg.norm(ahead, axis=-1, keepdims=True)
    return [rod, (p_B - half, p_B + half, 1.8 * radius, style.CYLINDER)]


def _prisms(start: Array, end: Array, radius: Array) -> tuple[Array, Faces]:
    """Bars between points (k, 6, 3): vertices (k, 6 * 2 * sides, 3) and the faces of their walls."""
    along = end - start
    along = along / np.linalg.norm(along, axis=-1, keepdims=True)
    helper = np.eye(3)[np.argmin(np.abs(along[:1]), axis=-1)]
    across = np.cross(along, helper)
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    other = np.cross(along, across)
    angle = np.linspace(0.0, 2 * np.pi, SIDES, endpoint=False)[:, None]
    ring = radius[:, None, None] * (np.cos(angle) * across[..., None, :] + np.sin(angle) * other[..., None, :])
    vertices = np.concatenate([start[..., None, :] + ring, end[..., None, :] + ring], axis=-2)
    k = np.arange(SIDES)
    after = (k + 1) % SIDES
    wall = np.concatenate([np.stack([k, after, k + SIDES], 1), np.stack([after, after + SIDES, k + SIDES], 1)])
    faces = np.concatenate([wall + 2 * SIDES * leg for leg in range(start.shape[1])])
    return vertices.reshape(len(start), -1, 3), faces


def _together(solids: list[Solid]) -> tuple[Array, Faces]:
    starts = np.cumsum([0, *(len(solid.vertices) for solid in solids)])
    faces = np.concatenate([solid.faces + start for solid, start in zip(solids, starts, strict=False)])
    return np.concatenate([solid.vertices for solid in solids]), faces
