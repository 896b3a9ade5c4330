"""Many solids of one shape as one node of the scene, and the page's colours.

To move all solids of a batch is to send three small arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.limits.margins import TIGHT, Margins
from gough.plot import _style as style
from gough.plot._scene import Z_AXIS as UPWARD
from gough.plot._solids import Ball, Bar, Cuboid, Fork, Shape, Solid, ball, block, edges, fork, tube
from gough.plot._style import JOINT as EDGE

if TYPE_CHECKING:
    import viser

Rgb = tuple[int, int, int]

EASY = 0.25
"""Relative margin from which all colours are the same green."""
GOOD, NEAR, BROKEN = style.AXES[1], "#d97706", style.AXES[0]


def rgb(colour: str) -> Rgb:
    """Red, green and blue, 0 to 255, of a colour "#rrggbb"."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def hex_colour(colour: ArrayLike) -> str:
    """Return a colour "#rrggbb" of red, green and blue, 0 to 255."""
    return "#" + "".join(f"{int(part):02x}" for part in np.asarray(colour))


def instance_colours(colours: Sequence[str]) -> NDArray[np.uint8]:
    """Return colours (n, 3) of the solids of a batch, 0 to 255, as linear light: the page converts all other colours
    from sRGB, but not these."""
    srgb = np.array([rgb(colour) for colour in colours]) / 255.0
    # IEC 61966-2-1: linear below 0.04045, a power law above.
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return np.asarray((255.0 * linear).round(), dtype=np.uint8)


def margin_colour(relative: float) -> str:
    """Return the colour of a relative margin: red on the limit and beyond, over amber near it, to green."""
    if not relative > 0:  # NaN too
        return BROKEN
    if relative >= EASY:
        return GOOD
    channels = zip(rgb(BROKEN), rgb(NEAR), rgb(GOOD), strict=True)
    return hex_colour(np.round([np.interp(relative, (0.0, TIGHT, EASY), channel) for channel in channels]))


def leg_margins(found: Margins, *, of_strokes: bool = False) -> Array:
    """Return the smallest relative margin (6,) of each leg, over the limits that concern it alone, or over its own
    stroke only."""
    smallest = np.full(6, np.inf)
    for column, relative in zip(found.columns, found.relative.tolist(), strict=True):
        concerns_one = column.quantity == "" if of_strokes else len(column.legs) == 1
        if concerns_one and np.isfinite(relative):
            smallest[column.legs[0] - 1] = min(smallest[column.legs[0] - 1], relative)
    return smallest


ORIGIN = np.zeros(3)
MADE = count(1)
"""Numbers for the names of nodes, no two alike. A new node under the name of one just removed takes over its place on
the page, which then may draw one frame of the old solids without their buffers: an error of WebGL."""
SIDES = 12
"""Sides of round solids: enough for what is small and smoothly shaded, as software draws triangle by triangle."""


def unit_solid(shape: Shape) -> Solid:
    """Return the unit solid that the `placement` of a shape scales and moves."""
    if isinstance(shape, Bar):
        return tube(ORIGIN, UPWARD, 1.0, sides=SIDES)
    if isinstance(shape, Fork):
        return fork()
    return ball(ORIGIN, 1.0, sides=SIDES) if isinstance(shape, Ball) else block(ORIGIN, UPWARD, 1.0, 1.0)


class SolidBatch:
    """Shapes of one kind and colour.

    Parameters
    ----------
    scene : viser.SceneApi
    name : str
        Name of the node, with a number behind it each time it is made again.
    colour : str
        "#rrggbb".
    opacity : float, optional
        0 to 1; a solid that is seen through casts no shadow.

    """

    def __init__(self, scene: viser.SceneApi, name: str, colour: str, *, opacity: float | None = None) -> None:
        self._scene, self._name, self._colour, self._opacity = scene, name, colour, opacity
        self._node: viser.BatchedMeshHandle | None = None
        self._count = 0

    def show(self, shapes: Sequence[Shape], X: Array | None = None) -> None:
        """Show the shapes, given in a frame at a pose (4, 4) of the parent node; none removes the node."""
        if not shapes:
            self.remove()
            return
        wxyz, position, scale = placements(shapes)
        if X is not None and not np.array_equal(X, np.eye(4)):
            wxyz, position = turned(X[:3, :3], wxyz), position @ X[:3, :3].T + X[:3, 3]
        # viser cannot change the number of solids of a node.
        if self._node is None or len(shapes) != self._count:
            self._make(shapes, wxyz, position, scale)
            return
        self._node.batched_wxyzs = wxyz.astype(np.float32)
        self._node.batched_positions = position.astype(np.float32)
        self._node.batched_scales = scale.astype(np.float32)

    def colour(self, colours: Sequence[str]) -> None:
        """Give each solid its own colour."""
        if self._node is not None and len(colours) == self._count:
            new = instance_colours(colours)
            if not np.array_equal(self._node.batched_colors, new):
                self._node.batched_colors = new

    def remove(self) -> None:
        """Remove the node from the scene."""
        if self._node is not None:
            self._node.remove()
            self._node = None

    def _make(self, shapes: Sequence[Shape], wxyz: Array, position: Array, scale: Array) -> None:
        solid = unit_solid(shapes[0])
        self.remove()
        self._count = len(shapes)
        self._node = self._scene.add_batched_meshes_simple(
            f"{self._name} {next(MADE)}",
            solid.vertices,
            solid.faces,
            wxyz,
            position,
            batched_scales=scale,
            batched_colors=instance_colours([self._colour] * len(shapes)),
            lod="off",
            opacity=self._opacity,
            cast_shadow=self._opacity is None,
            flat_shading=isinstance(shapes[0], Cuboid | Fork),
        )


class MovingSolid:
    """One solid that moves, with lines along its edges where `rim` gives them.

    It is a batch of one: the page moves plain nodes in the frame in which their poses arrive, and batches in the next
    one. Solids that are joined must move in the same frame, or a quick motion draws the platform off its legs.

    Parameters
    ----------
    scene : viser.SceneApi
    name : str
        Name of the node, with a number behind it; the node of its lines is this name and " rim".
    solid : Solid
        In the frame of the body.
    colour : str
        "#rrggbb".
    rim : (n, 2, 3) array, optional
        Ends of the lines, in the frame of the body.
    smooth : bool
        Whether its surface is shaded as a round one.
    opacity : float, optional
        0 to 1. It never changes: the page would make the batch again, and may draw one frame without buffers.

    """

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        solid: Solid,
        colour: str,
        *,
        rim: Array | None = None,
        smooth: bool = False,
        opacity: float | None = None,
    ) -> None:
        self.node = scene.add_batched_meshes_simple(
            f"{name} {next(MADE)}",
            solid.vertices,
            solid.faces,
            np.array([[1.0, 0.0, 0.0, 0.0]]),
            np.zeros((1, 3)),
            batched_colors=instance_colours([colour]),
            lod="off",
            flat_shading=not smooth,
            opacity=opacity,
        )
        self._rim, self._X = rim, np.eye(4)
        self._lines: viser.LineSegmentsHandle | None = None
        if rim is not None:
            self._lines = scene.add_line_segments(
                f"{name} rim", rim, rgb(EDGE), thickness=1.5, thickness_units="screen"
            )

    def move(self, X: Array) -> None:
        """Move it to a pose (4, 4)."""
        if np.array_equal(X, self._X):
            return
        self._X = X
        self.node.batched_wxyzs = quaternions(X[None, :3, :3]).astype(np.float32)
        self.node.batched_positions = X[None, :3, 3].astype(np.float32)
        self._move_edges()

    def show_edges(self, wanted: bool) -> None:
        """Draw or hide the lines along its edges."""
        if self._lines is not None and self._lines.visible != wanted:
            self._lines.visible = wanted
            self._move_edges()  # hidden lines are not moved

    def _move_edges(self) -> None:
        if self._lines is not None and self._rim is not None and self._lines.visible:
            self._lines.points = (self._rim @ self._X[:3, :3].T + self._X[:3, 3]).astype(np.float32)


def rim(solid: Solid, *sharper_than: float) -> Array:
    """Return ends (n, 2, 3) of the lines along a solid's edges, those that are sharper than an angle [rad]."""
    return edges(solid, *sharper_than).reshape(-1, 3, 3)[:, :2]  # without the rows of NaN


def placements(shapes: Sequence[Shape]) -> tuple[Array, Array, Array]:
    """Return quaternions (n, 4) w first, positions (n, 3) and scales (n, 3) of the unit solids."""
    forks = [shape for shape in shapes if isinstance(shape, Fork)]
    if forks:
        sizes = np.repeat([[shape.size] for shape in forks], 3, axis=1)
        return quaternions(np.stack([shape.axes() for shape in forks])), np.stack([s.centre for s in forks]), sizes
    placed = (shape.placement() for shape in shapes if not isinstance(shape, Fork))
    along, position, scale = (np.stack(part) for part in zip(*placed, strict=True))
    return quaternions_along(along), position, scale


def quaternions_along(directions: Array) -> Array:
    """Return the unit quaternions (n, 4), w first, of the shortest turns from z to directions (n, 3)."""
    x, y, z = (directions / np.linalg.norm(directions, axis=1, keepdims=True)).T
    # The half-angle formula q = (1 + z.d, z x d) / norm, with the z axis and the direction d.
    q = np.stack([1.0 + z, -y, x, np.zeros_like(x)], axis=1)
    q[1.0 + z < 1e-12] = (0.0, 1.0, 0.0, 0.0)  # d = -z: half a turn about any horizontal axis, here x
    return np.asarray(q / np.linalg.norm(q, axis=1, keepdims=True))


def turned(R: Array, wxyz: Array) -> Array:
    """Return the unit quaternions (n, 4), w first, after one more rotation (3, 3)."""
    from scipy.spatial.transform import Rotation

    q = Rotation.from_matrix(R) * Rotation.from_quat(wxyz, scalar_first=True)
    return np.asarray(q.as_quat(scalar_first=True))


def quaternions(R: Array) -> Array:
    """Return the unit quaternions (..., 4), w first, of rotation matrices (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    q = Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat(scalar_first=True)
    return np.asarray(q.reshape(*R.shape[:-2], 4))
