"""Plates, tool and tool head as solids, and the whole machine in motion with few triangles for each instant.

In motion rods, struts and cranks are prisms between moving points; platform and tool are rigid solids.
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
from gough.plot._legs import ROD, Drawing, circles, draw_legs, leg_radius, plate_normal, platform_points
from gough.plot._solids import Ball, Bar, Solid, joined, mesh, plate, tube, wall
from gough.poses import inverse_matrices
from gough.stacked import AnyMachine

NEAR = 0.75
"""Frames farther from the joints than this part of the machine's size are not drawn: it would shrink to a dot."""
SHORT = 1e-6
"""Part of the machine's size: no link is drawn along shorter offsets."""


def plates(machine: Machine, drawing: Drawing, b_B: Array, pose: Array) -> tuple[list[Solid], list[Solid]]:
    """Solids of the base and of the platform: a plate beyond the joints, and posts to those that do not lie on it."""
    points = drawing.plate
    between = b_B.mean(axis=0) - points.mean(axis=0)
    return _plate(machine, points, -between, np.eye(3)), _plate(machine, b_B, between, pose[:3, :3])


def _plate(machine: Machine, points: Array, towards: Array, R: Array) -> list[Solid]:
    """Plate beyond points (n, 3) as seen along `towards`, and its posts; R is the plate's frame."""
    # The plate lies at the outermost joint, square to its normal; the other joints reach it by posts.
    r = float(leg_radius(machine).mean())
    away = plate_normal(points, towards, R)
    height = points @ away
    on_plate = points + (height.max() - height)[:, None] * away
    posts = [
        tube(joint, foot, r)
        for joint, foot, h in zip(points, on_plate, height, strict=True)
        if height.max() - h > 0.02 * machine.size
    ]
    return [plate(on_plate + 0.8 * r * away, away, max(0.016 * machine.size, 1.2 * r), 2.6 * r), *posts]


def tool(machine: Machine, pose: Array, b_B: Array) -> list[Solid]:
    """A tapered spindle from the platform to a tool frame on its far side; nothing if the machine has a tool head."""
    if machine.head is not None:
        return []
    tip, centre = (pose @ machine.X_PT)[:3, 3], b_B.mean(axis=0)
    reach, outward = tip - centre, centre - machine.legs.rest().mean(axis=0)
    along = float(reach @ outward / np.linalg.norm(outward))
    # A tool frame in the platform, far off, inside the machine or to the side of it is no tip of a spindle.
    if not 0.06 * machine.size < along < NEAR * machine.size or along < 0.8 * np.linalg.norm(reach):
        return []
    r = float(leg_radius(machine).mean())
    return [tube(centre, centre + 0.8 * reach, 2.4 * r, 1.6 * r), tube(centre + 0.8 * reach, tip, 1.6 * r, 0.05 * r)]


@dataclass(frozen=True, eq=False)
class HeadShapes:
    """Bars and balls of a head by their kind, base frame [m]; the spindle, where there is one, ends at the tip."""

    links: list[Bar]
    elbows: list[Ball]
    joints: list[Bar]
    spindle: list[Bar]


def head_shapes(machine: Machine, head: Head, pose: Array, joints: Array | None = None) -> HeadShapes:
    """The head on the platform at a pose (4, 4), with joint coordinates (n,), the present ones by default."""
    radius = float(leg_radius(machine).mean())
    frames = pose @ head.frames(joints)
    hubs = []
    for joint, unit, point, axis in zip(head.moving, head.units, *head.axes(frames), strict=True):
        # Slides are longer and wider than hinges.
        half, wide = (2.2, 1.9) if unit == "rad" else (3.0, 2.4)
        ends = point - half * radius * axis, point + half * radius * axis
        hubs.append(Bar(*ends, wide * radius, f"head joint {joint.name}"))
    # The last bar drawn, which ends at the tip, is the spindle; elbows are at the ends of the others.
    bars = [
        Bar(*_ends(start, end, axis, SHORT * machine.size), 1.3 * radius)
        for start, end, axis, is_drawn in _offsets(head, frames, pose @ head.tip(joints), SHORT * machine.size)
        if is_drawn
    ]
    return HeadShapes(bars[:-1], [Ball(bar.end, 1.3 * radius) for bar in bars[:-1]], hubs, bars[-1:])


def head_solids(machine: Machine, head: Head, pose: Array, joints: Array | None = None) -> dict[str, list[Solid]]:
    """Solids of the head's links, elbows, joints and tapered spindle, by these names.

    All but the elbows have as many vertices at all joint coordinates.
    """
    shapes = head_shapes(machine, head, pose, joints)
    solids = {name: [shape.solid() for shape in getattr(shapes, name)] for name in ("links", "elbows", "joints")}
    solids["spindle"] = []
    for bar in shapes.spindle:
        r, neck = bar.radius / 1.3, bar.start + 0.75 * (bar.end - bar.start)
        solids["spindle"] += [tube(bar.start, neck, 1.9 * r, 1.3 * r), tube(neck, bar.end, 1.3 * r, 0.05 * r)]
    return solids


def _offsets(head: Head, frames: Array, tip: Array, short: float) -> list[tuple[Array, Array, Array, bool]]:
    """Offsets between consecutive frames: start, end, axis, whether it is drawn; at last that to the tip.

    Whether one is drawn does not depend on the joint coordinates: those of slides always are, others if they have a
    length. An animation needs as many bars at all instants.
    """
    found = []
    for joint, before, after in zip(head.joints, frames[:-1], frames[1:], strict=True):
        # Denavit and Hartenberg: first d along the old z axis, then a along the new x axis. Craig's modification: first
        # a along the old x axis, then d along the new z axis.
        is_modified = head.convention == "modified"
        side = before[:3, 0] if is_modified else after[:3, 0]
        ahead = after[:3, 2] if is_modified else before[:3, 2]
        corner = before[:3, 3] + joint.a * side if is_modified else after[:3, 3] - joint.a * side
        across, along = abs(joint.a) > short, joint.kind == "prismatic" or abs(joint.d) > short
        axes = ((side, across), (ahead, along)) if is_modified else ((ahead, along), (side, across))
        found += [(before[:3, 3], corner, *axes[0]), (corner, after[:3, 3], *axes[1])]
    end = frames[-1, :3, 3]
    return [*found, (end, tip[:3, 3], tip[:3, 2], bool(np.linalg.norm(tip[:3, 3] - end) > short))]


def _ends(start: Array, end: Array, axis: Array, short: float) -> tuple[Array, Array]:
    """Ends of a bar, apart even where the offset has no length at present: a bar needs a direction."""
    return (start, end) if np.linalg.norm(end - start) > short else (start, start + short * axis)


MovingBar = tuple[Array, Array, Array, str]
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


def _bars(machine: Machine, q: Array, p_B: Array, b_B: Array) -> list[MovingBar]:
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
