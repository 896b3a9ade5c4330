"""The machine in motion: few triangles for each instant, so that hundreds of instants fit into one page.

Rods, struts and cranks are prisms between moving points; platform and tool are rigid solids.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array, Ints
from gough.head import Head
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._bodies import head_solids, plates, tool
from gough.plot._guide_curves import circles
from gough.plot._joints import ROD, leg_radius, platform_points
from gough.plot._legs import draw_legs
from gough.plot._solids import Solid, joined, mesh, wall
from gough.poses import inverse_matrices
from gough.stacked import AnyMachine

Bar = tuple[Array, Array, Array, str]
"""Starts and ends (k, 6, 3), radii (6,) and colour of a bar of each leg."""

SIDES = 10
"""Sides of the prism drawn for a round bar."""
SEEN_THROUGH = 0.4
"""Opacity of the platform that carries the tool, and of the tool: the tool path may lie within them."""
SMALL = 1e-4
"""Step of a joint in the central difference that gives the direction of its carriage [m or rad]."""


@dataclass(frozen=True, eq=False)
class MovingBody:
    """A body of one colour over k instants: vertices (k, n, 3) in the file's unit, faces and appearance."""

    vertices: Array
    faces: Ints
    colour: str
    smooth: bool
    opacity: float = 1.0

    def trace(self, k: int) -> go.Mesh3d:
        """The whole trace at an instant."""
        return mesh([Solid(self.vertices[k], self.faces)], self.colour, smooth=self.smooth, opacity=self.opacity)

    def update(self, k: int) -> go.Mesh3d:
        """The vertices alone at an instant: all that a frame of the animation changes."""
        x, y, z = self.vertices[k].astype(np.float32).T
        return go.Mesh3d(x=x, y=y, z=z)


def moving_parts(machine: AnyMachine, X: Array, joints: Array | None = None) -> list[MovingBody]:
    """Platforms with their tools, and the legs, at poses X (k, 4, 4) at which every leg closes, of stages (k, 2, 4, 4).

    A tool head moves with its joints (k, n), or keeps its present ones. The base of an upper stage moves too.
    """
    made: list[MovingBody] = []
    colours = [*[style.INTERMEDIATE] * (len(machine.stages) - 1), style.ACCENT]
    # Poses of each stage's base in the machine's: a stage is mounted on the platform of the one below it.
    base = np.broadcast_to(np.eye(4), (len(X), 4, 4))
    poses = machine.poses_of_platforms(X)
    for k, (stage, mount, platform) in enumerate(zip(machine.stages, machine.mounts, poses, strict=True)):
        base = base @ mount
        own = inverse_matrices(base) @ platform
        parts = _parts(stage, own, colours[k], joints)
        if k:
            at_rest = np.broadcast_to(np.eye(4), (len(X), 4, 4))
            fixed = _fixed_parts(stage, own[0], style.INTERMEDIATE)
            parts += [_rigid(solids, at_rest, colour, smooth) for solids, colour, smooth in fixed]
        made += [replace(part, vertices=_carried(base, part.vertices) / machine.units.metres) for part in parts]
        base = platform
    return made


def _carried(X: Array, points: Array) -> Array:
    """Points (k, n, 3) of a body, or (n, 3), at its poses (k, 4, 4)."""
    return np.asarray(points @ np.swapaxes(X[:, :3, :3], 1, 2) + X[:, None, :3, 3])


def _rigid(solids: list[Solid], X: Array, colour: str, smooth: bool, opacity: float = 1.0) -> MovingBody:
    """Solids that move together, displaced by X (k, 4, 4)."""
    body = joined(solids)
    return MovingBody(_carried(X, body.vertices), body.faces, colour, smooth, opacity)


def _parts(machine: Machine, X: Array, colour: str, joints: Array | None) -> list[MovingBody]:
    """Platform, tool, head and legs of one stage in its base [m]."""
    b_B = platform_points(machine, X)
    q = inverse_kinematics(machine, X)
    p_B = machine.legs.driven_points(q)
    drawing = draw_legs(machine, q[0], X[0])
    spindle = tool(machine, X[0], b_B[0])
    opacity = SEEN_THROUGH if colour == style.ACCENT else 1.0
    displacements = X @ inverse_matrices(X[0])  # solids are made at the first pose
    _, platform = plates(machine, drawing, b_B[0], X[0])
    parts = [_rigid(platform, displacements, colour, False, opacity)]
    if spindle:
        parts.append(_rigid(spindle, displacements, style.PISTON, True, opacity))
    if machine.head is not None:
        q_head = np.broadcast_to(machine.head.q, (len(X), len(machine.head.q))) if joints is None else joints
        parts += _head(machine, machine.head, X, q_head)
    bars = _bars(machine, q, p_B, b_B)
    return parts + [MovingBody(*_prisms(start, end, radius), painted, True) for start, end, radius, painted in bars]


def _head(machine: Machine, head: Head, X: Array, joints: Array) -> list[MovingBody]:
    """The tool head: its links, joints and spindle."""
    drawn = [head_solids(machine, head, pose, q) for pose, q in zip(X, joints, strict=True)]
    parts = []
    for name, colour in (("links", style.CYLINDER), ("joints", style.JOINT), ("spindle", style.PISTON)):
        bodies = [joined(solids[name]) for solids in drawn if solids[name]]
        if bodies:
            parts.append(MovingBody(np.stack([body.vertices for body in bodies]), bodies[0].faces, colour, True))
    return parts


def fixed_parts(machine: AnyMachine, X: Array) -> list[go.Mesh3d]:
    """Base plate, guides and shafts on the ground, with the machine at a pose X (4, 4), of two stages (2, 4, 4)."""
    return [
        mesh([solid.in_units(machine.units.metres) for solid in solids], colour, smooth=smooth)
        for solids, colour, smooth in _fixed_parts(machine.stages[0], machine.poses_of_platforms(X)[0], style.BASE)
    ]


def _fixed_parts(machine: Machine, X: Array, colour: str) -> list[tuple[list[Solid], str, bool]]:
    """Solids fixed to the base of one stage: its plate, guides and shafts, with the platform at X (4, 4)."""
    drawing = draw_legs(machine, inverse_kinematics(machine, X), X)
    base, _ = plates(machine, drawing, platform_points(machine, X), X)
    groups = [
        (base, colour, False),
        ([shape.solid() for shape in drawing.guides], style.GUIDE, drawing.has_round_guides),
    ]
    return [group for group in groups if group[0]]


def _bars(machine: Machine, q: Array, p_B: Array, b_B: Array) -> list[Bar]:
    """The bars that a leg is drawn from: cylinder and piston, or rod and crank, or rod and carriage."""
    radius = leg_radius(machine)
    if machine.legs.rod() is None:
        # The cylinder is shorter than the shortest leg, so that it always holds the piston: the shortest that the
        # limits allow or, where nothing limits it, the shortest of this motion.
        low, length = machine.limits.joint_min, np.linalg.norm(b_B - p_B, axis=-1)
        holds = np.where(np.isfinite(low) & (low > 0), 0.92 * low, 0.55 * length.min(axis=0))
        middle = p_B + (holds / length)[..., None] * (b_B - p_B)
        return [(p_B, middle, radius, style.CYLINDER), (middle, b_B, 0.55 * radius, style.PISTON)]
    rod = (p_B, b_B, ROD * radius, style.PISTON)
    if machine.legs.joint == "angle":
        turns = circles(machine)
        if not turns.is_ring:
            return [rod, (np.broadcast_to(turns.centre, p_B.shape), p_B, 1.1 * radius, style.CYLINDER)]
    ahead = machine.legs.driven_points(q + SMALL) - machine.legs.driven_points(q - SMALL)
    half = 2.1 * radius[:, None] * ahead / np.linalg.norm(ahead, axis=-1, keepdims=True)
    return [rod, (p_B - half, p_B + half, 1.8 * radius, style.CYLINDER)]


def _prisms(start: Array, end: Array, radius: Array) -> tuple[Array, Ints]:
    """Bars between points (k, 6, 3) as open prisms: vertices (k, 6 * 2 * SIDES, 3) and faces."""
    along = end - start
    along = along / np.linalg.norm(along, axis=-1, keepdims=True)
    # One helper axis for all instants, or the prism would jump about its own axis where the choice changes.
    helper = np.eye(3)[np.argmin(np.abs(along[:1]), axis=-1)]
    across = np.cross(along, helper)
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    other = np.cross(along, across)
    angle = np.linspace(0.0, 2 * np.pi, SIDES, endpoint=False)[:, None]
    ring = radius[:, None, None] * (np.cos(angle) * across[..., None, :] + np.sin(angle) * other[..., None, :])
    vertices = np.concatenate([start[..., None, :] + ring, end[..., None, :] + ring], axis=-2)
    faces = np.concatenate([wall(SIDES) + 2 * SIDES * leg for leg in range(start.shape[1])])
    return vertices.reshape(len(start), -1, 3), faces
