"""Circular arcs and helices, given by their centre or by a point on the arc."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError, ShapeError
from gough.motion.paths.segment_path import SegmentPath
from gough.motion.paths.segments import Segments, turn_between
from gough.poses import PoseLike, checked_matrices

Array = NDArray[np.float64]

FLAT = 1e-9
"""Three points are on a line where the sine of the angle between them is smaller."""


@checks_arguments
def arc(
    start: PoseLike,
    centre: ArrayLike,
    normal: ArrayLike,
    angle: float,
    *,
    rise: float = 0.0,
    end: PoseLike | None = None,
    orientation: Literal["held", "carried"] = "held",
) -> SegmentPath:
    """Arc of a circle about an axis, or of a helix.

    Parameters
    ----------
    start : PoseLike
        Its position is where the arc begins.
    centre : (3,) array
        A point of the axis [m].
    normal : (3,) array
        Direction of the axis, of any length.
    angle : float
        How far to go, by the right hand about `normal` [rad]; any number of turns.
    rise : float
        Displacement along the normal at the end, for a helix [m].
    end : PoseLike, optional
        Its rotation is met at the end, by the shortest turn, evenly; its position is not looked at.
    orientation : {"held", "carried"}
        Without `end`: whether the rotation stays as it is, or turns with the arc.

    Returns
    -------
    SegmentPath
        Its parameter goes from 0 to the length in metres or to the turn in radians, whichever is the larger number.

    Raises
    ------
    InputError
        The start lies on the axis, or the angle is zero.

    """
    X, c, n = checked_matrices(start), _three("centre", centre), _three("normal", normal)
    if X.shape != (4, 4):
        raise ShapeError.expected("start", "(4, 4): one pose", X.shape)
    if not np.linalg.norm(n) > 0:
        raise InputError("normal: a direction without a length")
    n = n / np.linalg.norm(n)
    r = X[:3, 3] - c
    c = c + (r @ n) * n
    r = X[:3, 3] - c
    if not np.linalg.norm(r) > FLAT * (np.linalg.norm(X[:3, 3]) + np.linalg.norm(c)):
        raise InputError("centre: the start lies on the axis, there is no circle")
    if not (np.isfinite(angle) and angle != 0 and np.isfinite(rise)):
        raise InputError(f"angle {angle:g} rad, rise {rise:g} m: expected finite numbers, the angle not zero")
    turning = angle * n if orientation == "carried" and end is None else np.zeros(3)
    if end is not None:
        turning = turn_between(X[None, :3, :3], checked_matrices(end)[None, :3, :3])[0]
    length = max(float(np.hypot(angle * np.linalg.norm(r), rise)), float(np.linalg.norm(turning)))
    parts = (c, rise * n / length, angle * n / length, r, X[:3, :3], turning / length, np.asarray(length))
    return SegmentPath(Segments(*(part[None] for part in parts)))


@checks_arguments
def arc_through(start: PoseLike, through: ArrayLike, end: PoseLike) -> SegmentPath:
    """Arc from a pose over a point to a pose, the rotation evenly by the shortest turn from one to the other.

    Parameters
    ----------
    start, end : PoseLike
        One pose each; for a whole circle, which no third point makes, see `arc`.
    through : (3,) array
        A point on the arc [m].

    Returns
    -------
    SegmentPath
        As `gough.motion.arc`.

    Raises
    ------
    InputError
        The three points are on a line.

    """
    X, Y, q = checked_matrices(start), checked_matrices(end), _three("through", through)
    if X.shape != (4, 4) or Y.shape != (4, 4):
        raise ShapeError.expected("start and end", "(4, 4): one pose each", X.shape if X.shape != (4, 4) else Y.shape)
    a, b = q - X[:3, 3], Y[:3, 3] - X[:3, 3]
    normal = np.cross(a, b)
    square = float(normal @ normal)
    if not np.sqrt(square) > FLAT * np.linalg.norm(a) * max(np.linalg.norm(b), np.linalg.norm(b - a)):
        raise InputError("the three points lie on a line, or two are one: no circle goes through them")
    # The circumcentre, as seen from the start.
    seen = np.cross((a @ a) * b - (b @ b) * a, normal) / (2 * square)
    from_, to = -seen, b - seen
    angle = np.arctan2(normal @ np.cross(from_, to) / np.sqrt(square), from_ @ to)
    return arc(X, X[:3, 3] + seen, normal, float(angle % (2 * np.pi)), end=Y)


def _three(what: str, values: ArrayLike) -> Array:
    vector = np.asarray(values, dtype=float)
    if vector.shape != (3,):
        raise ShapeError.expected(what, "(3,)", vector.shape)
    if not np.isfinite(vector).all():
        raise InputError(f"{what}: {vector.tolist()} holds a number that is not finite")
    return vector
