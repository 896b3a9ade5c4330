"""Compiled paths of poses: a constant twist of the point of interest, or angles that grow in proportion."""

from __future__ import annotations

from math import sin, sqrt
from typing import NamedTuple

from gough._compile import inline, noinline_norefcount
from gough._linear_algebra import copy
from gough.arrays import Array, Three
from gough.kinematics._equations import rotate

TWIST, EULER = 0, 1
"""Kinds of paths of the point of interest: a constant twist, or a rotation Rx Ry Rz with angles proportional to s."""


class Path(NamedTuple):
    """A path of poses, or several: its kind (TWIST or EULER), start pose (..., 4, 4), point of interest in the platform
    frame (3,), and direction [v, w] of that point (..., 6)."""

    kind: int
    start: Array
    point: Array
    direction: Array


@inline
def one_of(paths: Path, k: int) -> Path:
    """Path k of several."""
    return Path(paths.kind, paths.start[k], paths.point, paths.direction[k])


@inline
def swing(a: Three, w0: float, w1: float, w2: float) -> Three:
    """(exp(w) - I) a: displacement of the end of an arm a by a rotation w, to rounding of the displacement."""
    cx, cy, cz = w1 * a[2] - w2 * a[1], w2 * a[0] - w0 * a[2], w0 * a[1] - w1 * a[0]
    square = w0 * w0 + w1 * w1 + w2 * w2
    if square == 0.0:
        return 0.0, 0.0, 0.0
    # Rodrigues: sin(t)/t w x a + (1 - cos t)/t^2 w x (w x a); 2 sin^2(t/2) for 1 - cos t keeps digits at small t.
    angle = sqrt(square)
    s, half = sin(angle) / angle, sin(0.5 * angle) / angle
    c = 2.0 * half * half
    return s * cx + c * (w1 * cz - w2 * cy), s * cy + c * (w2 * cx - w0 * cz), s * cz + c * (w0 * cy - w1 * cx)


@inline
def turned(X: Array, arm: Three, moved: Three, w0: float, w1: float, w2: float) -> Three:
    """X rotated by w, and `arm`, already displaced by `moved`, with it; the total displacement of the arm's end."""
    dx, dy, dz = swing((arm[0] + moved[0], arm[1] + moved[1], arm[2] + moved[2]), w0, w1, w2)
    rotate(X, w0, w1, w2)
    return moved[0] + dx, moved[1] + dy, moved[2] + dz


@noinline_norefcount
def place(path: Path, s: float, X: Array) -> None:
    """Pose at s along the path, into X."""
    kind, start, point, direction = path
    for row in range(4):
        copy(start[row], X[row])
    moved = (0.0, 0.0, 0.0)
    if direction[3] != 0.0 or direction[4] != 0.0 or direction[5] != 0.0:
        arm = (
            start[0, 0] * point[0] + start[0, 1] * point[1] + start[0, 2] * point[2],
            start[1, 0] * point[0] + start[1, 1] * point[1] + start[1, 2] * point[2],
            start[2, 0] * point[0] + start[2, 1] * point[1] + start[2, 2] * point[2],
        )
        if kind == TWIST:
            moved = turned(X, arm, moved, s * direction[3], s * direction[4], s * direction[5])
        else:
            # R = Rx Ry Rz in base axes: the last factor turns first.
            moved = turned(X, arm, moved, 0.0, 0.0, s * direction[5])
            moved = turned(X, arm, moved, 0.0, s * direction[4], 0.0)
            moved = turned(X, arm, moved, s * direction[3], 0.0, 0.0)
    # The point of interest moves by s v, so the origin moves by s v less the displacement of the arm's end.
    X[0, 3] = start[0, 3] + (s * direction[0] - moved[0])
    X[1, 3] = start[1, 3] + (s * direction[1] - moved[1])
    X[2, 3] = start[2, 3] + (s * direction[2] - moved[2])
