"""Solids as triangles, and the shapes of legs before they are triangulated: bars, balls, blocks, rings and forks.

All shapes but rings and forks are unit solids scaled along their axes and moved: the live page sends these placements
alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array, Ints
from gough.plot._scene import GAP, Z_AXIS, triangles

SIDES = 20
"""Sides of the prism drawn for a round bar."""
ROUND = 72, 8
"""Segments of the ring drawn for a bent bar, and the sides of each."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A body of triangles: vertices (n, 3), faces (k, 3) of vertex numbers, and the label shown when pointed at."""

    vertices: Array
    faces: Ints
    label: str = ""

    def at(self, X: Array) -> Solid:
        """The body at a pose (4, 4)."""
        return Solid(self.vertices @ X[:3, :3].T + X[:3, 3], self.faces, self.label)

    def in_units(self, metres: float) -> Solid:
        """The body with its coordinates in a unit of so many metres."""
        return Solid(self.vertices / metres, self.faces, self.label)


def tube(
    start: Array, end: Array, radius: float, end_radius: float | None = None, label: str = "", sides: int = SIDES
) -> Solid:
    """Round bar between two points, or a cone with another radius at its end; a prism with so many sides."""
    around = circle(end - start, sides)
    low, high = start + radius * around, end + (radius if end_radius is None else end_radius) * around
    # The caps have vertices of their own: smooth shading averages normals at shared ones, which would round the rim.
    k = np.arange(sides)
    fan = np.stack([k[1:-1] * 0, k[1:-1], k[2:]], 1)
    low_cap, high_cap = fan[:, ::-1] + 2 * sides, fan + 3 * sides
    return Solid(np.concatenate([low, high, low, high]), np.concatenate([wall(sides), low_cap, high_cap]), label)


def wall(sides: int) -> Ints:
    """Triangles of a prism's wall, whose vertices are those of its lower polygon, then those of the upper one."""
    k = np.arange(sides)
    after = (k + 1) % sides
    return np.concatenate([np.stack([k, after, k + sides], 1), np.stack([after, after + sides, k + sides], 1)])


def ball(centre: Array, radius: float, label: str = "", sides: int = 16) -> Solid:
    """Sphere; a body with so many sides round its equator."""
    polar, around = np.linspace(0.0, np.pi, sides // 2 + 1), np.linspace(0.0, 2 * np.pi, sides, endpoint=False)
    grid = np.stack(
        [
            np.sin(polar)[:, None] * np.cos(around),
            np.sin(polar)[:, None] * np.sin(around),
            np.repeat(np.cos(polar)[:, None], len(around), axis=1),
        ],
        axis=-1,
    ).reshape(-1, 3)
    # Rounded, so that the poles, where `sides` points coincide, become one vertex each.
    return hull(centre + radius * np.unique(grid.round(12), axis=0), label)


def block(centre: Array, along: Array, length: float, width: float, label: str = "") -> Solid:
    """Box with square section, `length` along a direction."""
    across, other = perpendicular(along)
    axes = np.stack([0.5 * length * along / np.linalg.norm(along), 0.5 * width * across, 0.5 * width * other])
    return hull(centre + box(np.zeros(3), np.full(3, 2.0)).vertices @ axes, label)


def box(centre: Array, sides: Array) -> Solid:
    """Box with sides (3,) along the axes."""
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float)
    return hull(centre + 0.5 * signs * sides)


def ring(centre: Array, axis: Array, radius: float, thickness: float, label: str = "") -> Solid:
    """Round bar of radius `thickness`, bent to a circle about a unit axis."""
    across, other = perpendicular(axis)
    around, within = np.meshgrid(*(np.linspace(0.0, 2 * np.pi, n, endpoint=False) for n in ROUND), indexing="ij")
    outward = np.cos(around)[..., None] * across + np.sin(around)[..., None] * other
    section = np.cos(within)[..., None] * outward + np.sin(within)[..., None] * axis
    number = np.arange(around.size).reshape(around.shape)
    along, up = np.roll(number, -1, axis=0), np.roll(number, -1, axis=1)
    corners = np.roll(along, -1, axis=1)
    faces = np.stack([number, along, corners, number, corners, up], axis=-1).reshape(-1, 3)
    return Solid((centre + radius * outward + thickness * section).reshape(-1, 3), faces, label)


def plate(points: Array, away: Array, thickness: float, rim: float) -> Solid:
    """Plate with rounded corners under joint points (n, 3), thickened towards the unit vector `away`.

    Points that do not lie in one plane get the convex body around them.
    """
    outline = (points[:, None] + rim * circle(away, 24)).reshape(-1, 3)
    return hull(np.concatenate([outline, outline + thickness * away]))


def hull(points: Array, label: str = "") -> Solid:
    """Convex hull of points, its triangles counter-clockwise as seen from outside, as renderers expect them."""
    from scipy.spatial import ConvexHull

    found = ConvexHull(points)
    # New numbers of the vertices: points within the hull are dropped.
    numbers = np.zeros(len(points), dtype=np.int64)
    numbers[found.vertices] = np.arange(len(found.vertices))
    # Qhull does not orient its triangles, but the normals of its plane equations point outward.
    a, b, c = np.moveaxis(points[found.simplices], 1, 0)
    is_inward = np.sum(np.cross(b - a, c - a) * found.equations[:, :3], axis=1) < 0
    faces = np.where(is_inward[:, None], found.simplices[:, ::-1], found.simplices)
    return Solid(points[found.vertices], numbers[faces], label)


def joined(parts: Sequence[Solid]) -> Solid:
    """Several bodies as one, without labels."""
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = [part.faces + start for part, start in zip(parts, starts, strict=False)]
    return Solid(np.concatenate([part.vertices for part in parts]), np.concatenate(faces))


def mesh(solids: Iterable[Solid], colour: str, *, smooth: bool = False, opacity: float = 1.0) -> go.Mesh3d:
    """One trace of all `solids` in one colour; pointing at one shows its label."""
    parts = list(solids)
    body = joined(parts)
    labels = [part.label for part in parts for _ in range(len(part.vertices))]
    return triangles(
        body.vertices.astype(np.float32),
        body.faces.astype(np.int32),
        color=colour,
        opacity=opacity,
        flatshading=not smooth,
        text=labels if any(labels) else None,
        hoverinfo="text" if any(labels) else "skip",
        lighting={"ambient": 0.62, "diffuse": 0.6, "specular": 0.12, "roughness": 0.7, "fresnel": 0.05},
        showlegend=False,
    )


def edges(solid: Solid, sharper_than: float = np.deg2rad(35.0)) -> Array:
    """Edges of a convex body whose faces meet at more than an angle [rad], as points (3 n, 3): start, end, gap."""
    v = solid.vertices
    normals = np.cross(v[solid.faces[:, 1]] - v[solid.faces[:, 0]], v[solid.faces[:, 2]] - v[solid.faces[:, 0]])
    # Of a convex body a normal is outward where it points away from the middle.
    away = v[solid.faces].mean(axis=1) - v.mean(axis=0)
    normals *= np.sign(np.sum(normals * away, axis=1, keepdims=True))
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(float).tiny)
    sides: dict[tuple[int, int], list[int]] = {}  # faces at each edge
    for face, corners in enumerate(solid.faces.tolist()):
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            sides.setdefault((min(a, b), max(a, b)), []).append(face)
    sharp = [ab for ab, (f, *g) in sides.items() if g and normals[f] @ normals[g[0]] < np.cos(sharper_than)]
    return np.array([row for a, b in sharp for row in (v[a], v[b], GAP)]).reshape(-1, 3)


def circle(normal: Array, count: int) -> Array:
    """Unit vectors (count, 3) square to a normal, evenly spread around it."""
    across, other = perpendicular(normal)
    angle = np.linspace(0.0, 2 * np.pi, count, endpoint=False)[:, None]
    return np.asarray(np.cos(angle) * across + np.sin(angle) * other)


def perpendicular(direction: Array) -> tuple[Array, Array]:
    """Two unit vectors square to a direction and to each other."""
    n = direction / np.linalg.norm(direction)
    # The base axis farthest from the direction, so that the cross product is well conditioned.
    helper = np.eye(3)[np.argmin(np.abs(n))]
    across = np.cross(n, helper)
    across /= np.linalg.norm(across)
    return across, np.cross(n, across)


@dataclass(frozen=True, eq=False)
class Bar:
    """Round bar between two points [m]; its unit solid is the `tube` of radius one from the origin to z = 1."""

    start: Array
    end: Array
    radius: float
    label: str = ""

    def solid(self) -> Solid:
        """The bar as triangles."""
        return tube(self.start, self.end, self.radius, label=self.label)

    def placement(self) -> tuple[Array, Array, Array]:
        """Direction of the unit solid's z axis (3,), position (3,) and scale along its axes (3,) [m]."""
        along = self.end - self.start
        return along, self.start, np.array([self.radius, self.radius, np.linalg.norm(along)])


@dataclass(frozen=True, eq=False)
class Ball:
    """Sphere [m]; its unit solid is the `ball` of radius one round the origin."""

    centre: Array
    radius: float
    label: str = ""

    def solid(self) -> Solid:
        """The sphere as triangles."""
        return ball(self.centre, self.radius, self.label)

    def placement(self) -> tuple[Array, Array, Array]:
        """Direction of the unit solid's z axis (3,), position (3,) and scale along its axes (3,) [m]."""
        return Z_AXIS, self.centre, np.full(3, self.radius)


@dataclass(frozen=True, eq=False)
class Cuboid:
    """Box with square section, `length` along a direction [m]; its unit solid is the cube of side one."""

    centre: Array
    along: Array
    length: float
    width: float
    label: str = ""

    def solid(self) -> Solid:
        """The box as triangles."""
        return block(self.centre, self.along, self.length, self.width, self.label)

    def placement(self) -> tuple[Array, Array, Array]:
        """Direction of the unit solid's z axis (3,), position (3,) and scale along its axes (3,) [m]."""
        return self.along, self.centre, np.array([self.width, self.width, self.length])


@dataclass(frozen=True, eq=False)
class Ring:
    """Round bar bent to a circle about a unit axis [m]."""

    centre: Array
    axis: Array
    radius: float
    thickness: float

    def solid(self) -> Solid:
        """The ring as triangles."""
        return ring(self.centre, self.axis, self.radius, self.thickness)


@dataclass(frozen=True, eq=False)
class Fork:
    """Fork of a universal joint at the end of a rod: two cheeks on a pin through the joint's centre, and the bridge
    that joins them to the rod; its unit solid is `fork`, with the rod along z and the pin along x."""

    centre: Array
    along: Array
    pin: Array
    size: float
    label: str = ""

    def solid(self) -> Solid:
        """The fork as triangles."""
        unit = fork()
        return Solid(self.centre + self.size * unit.vertices @ self.axes().T, unit.faces, self.label)

    def axes(self) -> Array:
        """Axes of the unit solid as columns (3, 3)."""
        # The pin need not be square to the rod: its part across the rod is the x axis.
        along = self.along / np.linalg.norm(self.along)
        across = np.cross(along, self.pin)
        across /= np.linalg.norm(across)
        return np.stack([np.cross(across, along), across, along], axis=1)


@cache
def fork() -> Solid:
    """Fork of size one: the rod along z from 2.4 on, the pin along x, around a knuckle of radius one."""
    cheeks = [box(np.array([side * 1.3, 0.0, 0.55]), np.array([0.5, 1.5, 2.9])) for side in (-1, 1)]
    pin = tube(np.array([-1.8, 0.0, 0.0]), np.array([1.8, 0.0, 0.0]), 0.45, sides=6)
    return joined([*cheeks, box(np.array([0.0, 0.0, 1.9]), np.array([3.1, 1.5, 0.6])), pin])


Shape = Bar | Ball | Cuboid | Fork
