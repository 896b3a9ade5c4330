"""Straight lines through poses, with rounded corners where wanted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError, ShapeError
from gough.motion.paths.segment_path import SegmentPath
from gough.motion.paths.segments import Segments, turn_between
from gough.poses import PoseLike, checked_matrices

Array = NDArray[np.float64]


@checks_arguments
def line(start: PoseLike, end: PoseLike) -> SegmentPath:
    """Straight line from pose to pose: the position straight, the rotation evenly about one axis, the shortest turn.

    Parameters
    ----------
    start, end : PoseLike
        One pose each.

    Returns
    -------
    SegmentPath
        Its parameter goes from 0 to the length in metres or to the turn in radians, whichever is the larger number.

    Raises
    ------
    InputError
        Both poses are the same, or half a turn apart, where there are two shortest turns.

    """
    return via(np.stack([_one("start", start), _one("end", end)]))


@checks_arguments
def via(poses: PoseLike, *, blend: float = 0.0, blend_angle: float | None = None) -> SegmentPath:
    """Straight lines through via points, the corners rounded where a tolerance is given.

    Parameters
    ----------
    poses : PoseLike, (n, 4, 4)
        At least two.
    blend : float
        Largest departure of a rounded corner from the straight lines [m]; 0 keeps the corners, at which a motion stops.
    blend_angle : float, optional
        The same in rotation [rad]; needed with `blend` where the rotation bends.

    Returns
    -------
    SegmentPath
        As in `line`, line after line; a blend has a continuous second derivative, takes at most half of each line.

    Raises
    ------
    ShapeError
        Fewer than two poses.
    InputError
        Two successive poses are the same, or half a turn apart.

    """
    X = checked_matrices(poses)
    if X.ndim != 3 or len(X) < 2:
        raise ShapeError.expected("poses", "(n, 4, 4), at least two", X.shape)
    return SegmentPath(strokes_between(X[:-1], X[1:]), blend, blend_angle)


def strokes_between(first: Array, second: Array) -> Segments:
    """Lines from poses (n, 4, 4) to poses."""
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InputError("poses: a pose holds a number that is not finite")
    shift = second[:, :3, 3] - first[:, :3, 3]
    turn = turn_between(first[:, :3, :3], second[:, :3, :3])
    angle = np.linalg.norm(turn, axis=1)
    with np.errstate(over="ignore"):  # whoever joins the segments says what is too long
        length = np.maximum(np.linalg.norm(shift, axis=1), angle)
    if not (length > 0).all():
        k = int(np.argmin(length > 0)) + 1
        raise InputError(f"poses {k} and {k + 1} are the same: there is no line between them")
    if (angle > np.pi - 1e-9).any():
        k = int(np.argmax(angle > np.pi - 1e-9)) + 1
        raise InputError(
            f"poses {k} and {k + 1} are half a turn apart, so the sense of the turn is open: put one between them"
        )
    zero = np.zeros_like(shift)
    per = 1.0 / length[:, None]
    return Segments(first[:, :3, 3], shift * per, zero, zero, first[:, :3, :3], turn * per, length)


def _one(what: str, X: PoseLike) -> Array:
    matrix = checked_matrices(X)
    if matrix.shape != (4, 4):
        raise ShapeError.expected(what, "(4, 4): one pose", matrix.shape)
    return matrix
