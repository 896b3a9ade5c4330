"""Overlays as pieces in the base frame: workspace, singular surface, envelope, ellipsoid, regions, tool path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

import gough
from gough.arrays import Array, Ints
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._boundary import WORTH_NAMING, colour_of
from gough.plot._solids import Ball, Solid, ball, hull
from gough.plot._solids import ball as unit_ball
from gough.present.show import Show, metric
from gough.regions.guaranteed import guaranteed_region
from gough.regions.proof import RegionProof, Verdict
from gough.regions.shapes import PoseRegion
from gough.viewer.applied_forces import NO_FORCES, AppliedForces, principal_stiffness
from gough.viewer.clips import Clip
from gough.viewer.scene.batch import SolidBatch, hex_colour, rgb, rim
from gough.viewer.scene.machine import ACTIVE
from gough.viewer.store import Computed, State

if TYPE_CHECKING:
    import viser

TOOL_PATH = f"{ACTIVE}/tool path"
RAPID = "#94a3b8"
"""Colour of rapid moves."""
TIP = 0.012
"""Radius of the ball at the tool's tip, as a part of the machine's size."""


@dataclass(frozen=True, eq=False)
class SurfacePiece:
    """Triangles (m, 3) of vertices (n, 3) [m] in one translucent colour; its name where a key lists it."""

    vertices: Array
    faces: Ints
    colour: str
    opacity: float
    name: str = ""


@dataclass(frozen=True, eq=False)
class Lines:
    """Segments (n, 2, 3) [m]."""

    segments: Array
    colour: str


@dataclass(frozen=True, eq=False)
class Words:
    """A text at a point (3,) [m]."""

    text: str
    position: Array


Piece = SurfacePiece | Lines | Words
Progress = Callable[[int, int], None]
"""Receives the amount done and the total; cancels by an exception."""


class ToolTip:
    """A ball at the tip of the tool, while the path of a motion is drawn."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._ball = SolidBatch(scene, f"{ACTIVE}/tip", style.ACCENT)

    def show(self, state: State) -> None:
        """Show a state."""
        has_tip = state.clip is not None and state.clip.tip is not None
        centre = (state.stage.X @ state.stage.machine.X_PT)[:3, 3]
        self._ball.show([Ball(centre, TIP * state.model.size)] if has_tip else [])


class OverlaysScene:
    """The overlays that are on, and the path of the tool in the motion that can be played."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._shown: dict[str, Computed] = {}
        self._clip: Clip | None = None

    def show(self, state: State) -> None:
        """Show a state; an overlay stays until the next one of its name is computed."""
        found = {name: result for name, result in state.results.items() if is_overlay(state, name, result)}
        for name in self._shown.keys() - found.keys():
            take_down(self._scene, f"{ACTIVE}/overlays/{name}")
        for name, result in found.items():
            if self._shown.get(name) is not result:
                put_up(self._scene, f"{ACTIVE}/overlays/{name}", result.value)
        self._shown = found
        if state.clip is not self._clip:
            self._clip = state.clip
            take_down(self._scene, TOOL_PATH)
            if state.clip is not None and state.clip.tip is not None:
                put_up(self._scene, TOOL_PATH, tool_path(state.clip))


def is_overlay(state: State, name: str, result: Computed) -> bool:
    """Test whether a result holds pieces of an overlay that is on, for the machine that is shown."""
    is_current = isinstance(result.key, tuple) and result.key[0] is state.model
    return name in state.overlays and is_current and isinstance(result.value, list)


def put_up(scene: viser.SceneApi, name: str, pieces: Sequence[Piece]) -> None:
    """Replace the pieces under a node."""
    take_down(scene, name)
    for k, piece in enumerate(pieces):
        node = f"{name}/{k}"
        if isinstance(piece, SurfacePiece):
            scene.add_mesh_simple(
                node,
                piece.vertices,
                piece.faces,
                color=rgb(piece.colour),
                opacity=piece.opacity,
                side="double",
                cast_shadow=False,
                receive_shadow=False,
            )
        elif isinstance(piece, Lines):
            scene.add_line_segments(node, piece.segments, rgb(piece.colour), thickness=1.5, thickness_units="screen")
        else:
            scene.add_label(node, piece.text, position=piece.position, anchor="bottom-center")


def take_down(scene: viser.SceneApi, name: str) -> None:
    """Remove the pieces under a node."""
    if scene.get_handle_by_name(name) is not None:
        scene.remove_by_name(name)


def tool_path(clip: Clip) -> list[Lines]:
    """Return the path of the tip as lines: moves with a feed, and rapid moves."""
    assert clip.tip is not None
    segments = np.stack([clip.tip[:-1], clip.tip[1:]], axis=1)
    rapid = np.zeros(len(clip.tip), dtype=bool) if clip.is_rapid is None else np.asarray(clip.is_rapid, dtype=bool)
    is_rapid = rapid[:-1] & rapid[1:]  # samples at the ends of a rapid move belong to moves with a feed as well
    parts = ((style.AXES[2], segments[~is_rapid]), (RAPID, segments[is_rapid]))
    return [Lines(part, colour) for colour, part in parts if len(part)]


COLUMNS = 41
"""Columns of the workspace along x and y."""
CELLS, SLABS = 28, 4
"""Cells of the grid for the singular surface along each side, and horizontal slabs that are computed in turn."""
AROUND = 0.8
"""Half the side of the box in which the singular surface is drawn, as a part of the machine's size."""
REACH = 0.26
"""Longest half-axis of envelope and ellipsoid, as a part of the machine's size."""
POLYTOPE_EDGE = np.deg2rad(1.0)
"""Angle between faces beyond which their edge is drawn [rad]."""


def workspace(machine: Machine, X: Array, progress: Progress) -> list[Piece]:
    """Return the boundary of the positions of the point of interest at this orientation, in the colour of the limit
    there."""
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
        pieces.append(SurfacePiece(mesh.vertices[used], corners.reshape(-1, 3), colour, 0.38, shown))
    return pieces


def singular_surface(machine: Machine, X: Array, progress: Progress) -> list[Piece]:
    """Return positions of the point of interest at which the machine is singular at this orientation, in a box round
    home."""
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
            pieces.append(SurfacePiece(mesh.vertices + offset, mesh.triangles, "#7c3aed", 0.42))
    return pieces


def velocity_envelope(machine: Machine, X: Array, progress: Progress) -> list[Piece]:
    """Return velocities of the point of interest within all joint speeds; the largest is drawn to a fixed length."""
    vertices = gough.velocity_envelope(machine, X).vertices()
    speed = float(np.linalg.norm(vertices, axis=1).max())
    body, position = hull(vertices * (REACH * machine.size / speed)), _point_of_interest(machine, X)
    fastest = body.vertices[np.argmax(np.linalg.norm(body.vertices, axis=1))]
    return [
        SurfacePiece(body.vertices + position, body.faces, "#0d8a8a", 0.35),
        Lines(rim(body, POLYTOPE_EDGE) + position, "#0b6b6b"),
        Words(Show(machine).with_unit(speed, "m/s", 3), position + fastest),
    ]


def stiffness_ellipsoid(
    machine: Machine, X: Array, progress: Progress, applied: AppliedForces = NO_FORCES
) -> list[Piece]:
    """Return the ellipsoid at the point of interest under a load: half-axes as the roots of the principal
    stiffnesses."""
    found = principal_stiffness(machine, X, applied)
    position, sphere = _point_of_interest(machine, X), ball(np.zeros(3), 1.0)
    half = found.translation_axes * REACH * machine.size * np.sqrt(found.translation / found.translation.max())
    segments = np.stack([position - half.T, position + half.T], axis=1)
    shown = [Show(machine).with_unit(k, metric([k], "N/m", machine.units)[1], 3) for k in found.translation]
    words = [Words(text, position + 1.05 * axis) for text, axis in zip(shown, half.T, strict=True)]
    shell = SurfacePiece(position + sphere.vertices @ half.T, sphere.faces, style.AXES[2], 0.28)
    return [shell, Lines(segments, style.AXES[2]), *words]


def _point_of_interest(machine: Machine, X: Array) -> Array:
    """Position (3,) in the base [m]."""
    return np.asarray(X[:3, :3] @ machine.point_of_interest + X[:3, 3])


COLOURS: dict[Verdict, str] = {"proven": "#15803d", "refuted": "#b91c1c", "undecided": "#b45309"}
ROUND = 32
"""Points on a circle."""
OUTLINE_EDGE = np.deg2rad(10.0)
"""Angle between faces beyond which their edge is drawn [rad]."""
FLAT = 1e-4
"""Half width at which half widths of zero are drawn, as a part of the machine's size."""
MOST_BOXES = 10_000
"""Largest number of boxes of a proof."""


def named_regions(machine: Machine, X: Array, progress: Progress) -> list[Piece]:
    """Return the regions that the machine's file names, or else the guaranteed region, which its datasheet leads
    with."""
    named = gough.regions.named_regions(machine)
    if not named:
        headline = guaranteed_region(machine)
        return [] if headline.proof is None else _pieces(machine, headline.proof, "±")
    pieces: list[Piece] = []
    for k, (name, region) in enumerate(named.items()):
        progress(k, len(named))
        proof = gough.certify_region(
            machine, region, max_boxes=MOST_BOXES, progress=lambda *_, at=k: progress(at, len(named))
        )
        pieces += _pieces(machine, proof, name)
    return pieces


def _pieces(machine: Machine, proof: RegionProof, name: str) -> list[Piece]:
    colour = COLOURS[proof.verdict]
    pieces: list[Piece] = []
    top = np.full(3, -np.inf)
    for part in proof.region.regions:
        body = outline(part, FLAT * machine.size)
        pieces += [SurfacePiece(body.vertices, body.faces, colour, 0.2), Lines(rim(body, OUTLINE_EDGE), colour)]
        highest = body.vertices[np.argmax(body.vertices[:, 2])]
        top = highest if highest[2] > top[2] else top
    return [*pieces, Words(f"{name} {proof.verdict}", top)]


def outline(region: PoseRegion, least: float) -> Solid:
    """Return the convex hull of the positions of a region, in the base, with half widths of at least `least` [m]."""
    # A region is a product of groups of coordinates: intervals, ellipses and ellipsoids by their number. Positions are
    # affine in the coordinates, so the hull of all products of points on these groups is the outline of the region.
    angle = np.linspace(0.0, 2 * np.pi, ROUND, endpoint=False)
    unit = {
        1: np.array([[-1.0], [1.0]]),
        2: np.stack([np.cos(angle), np.sin(angle)], axis=1),
        3: unit_ball(np.zeros(3), 1.0).vertices,
    }
    groups = [group for group in region.groups if group[0] < 3]
    z = np.tile(region.centre, (int(np.prod([len(unit[len(group)]) for group in groups])), 1))
    for group, points in zip(groups, zip(*product(*(unit[len(group)] for group in groups)), strict=True), strict=True):
        cols = list(group)
        z[:, cols] += np.maximum(region.half[cols], least) * np.array(points)
    return hull(region.positions(z))
