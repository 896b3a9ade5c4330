"""Straight lines, arcs and helices, and the concatenation of paths."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, ShapeError
from gough.motion.path import Path, Rates, States, piece_of
from gough.motion.segment_path import SegmentPath, Segments, turn_between
from gough.poses import PoseLike, checked_matrices, one_pose

COLLINEAR = 1e-9
"""Sine of the angle below which three points count as collinear; also relative distance of a start from the axis."""
HALF_TURN = 1e-9
"""Angle from half a turn below which the sense of the shortest rotation is ambiguous [rad]."""
GAP, TWIST = 1e-8, 1e-8
"""Poses that differ by less count as the same where paths meet [m, rad]."""


@checks_arguments
def line(start: PoseLike, end: PoseLike) -> SegmentPath:
    """Build a straight line from pose to pose, with the shortest rotation at a constant rate about one axis.

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
        Both poses are the same, or half a turn apart, where there are two shortest rotations.

    """
    return via(np.stack([one_pose(start, name="start"), one_pose(end, name="end")]))


@checks_arguments
def via(poses: PoseLike, *, blend: float = 0.0, blend_angle: float | None = None) -> SegmentPath:
    """Build straight lines through via points, with rounded corners if a tolerance is specified.

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
    return SegmentPath(_lines_between(X[:-1], X[1:]), blend, blend_angle)


def _lines_between(first: Array, second: Array) -> Segments:
    """Lines from poses `first` (n, 4, 4) to poses `second`."""
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InputError("poses: a pose has an entry that is not finite")
    # Lines are segments without a radius: k = 0 and r = 0.
    turn, zero = turn_between(first[:, :3, :3], second[:, :3, :3]), np.zeros((len(first), 3))
    shift = second[:, :3, 3] - first[:, :3, 3]
    segments = Segments.over(first[:, :3, 3], shift, zero, zero, first[:, :3, :3], turn)
    if not (segments.length > 0).all():
        k = int(np.argmin(segments.length > 0)) + 1
        raise InputError(f"poses {k} and {k + 1} are the same: a line needs different ends")
    is_half = np.linalg.norm(turn, axis=1) > np.pi - HALF_TURN
    if is_half.any():
        k = int(np.argmax(is_half)) + 1
        raise InputError(
            f"poses {k} and {k + 1} are half a turn apart, so the sense of rotation is ambiguous: insert a pose "
            "between them"
        )
    return segments


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
    """Build an arc of a circle about an axis, or a helix.

    Parameters
    ----------
    start : PoseLike
        Pose at the begin.
    centre : (3,) array
        A point of the axis [m].
    normal : (3,) array
        Direction of the axis, of any length.
    angle : float
        Angle of the arc, right-handed about `normal` [rad]; any number of turns.
    rise : float
        Displacement along the normal at the end, for a helix [m].
    end : PoseLike, optional
        Its rotation is reached at the end, by the shortest rotation at a constant rate; its position is ignored.
    orientation : {"held", "carried"}
        Without `end`: whether the orientation is constant, or turns with the arc.

    Returns
    -------
    SegmentPath
        Its parameter goes from 0 to the length in metres or to the turn in radians, whichever is the larger number.

    Raises
    ------
    InputError
        The start lies on the axis, or the angle is zero.

    """
    X, c, n = one_pose(start, name="start"), _point("centre", centre), _point("normal", normal)
    if not np.linalg.norm(n) > 0:
        raise InputError("normal: a direction of length zero")
    n = n / np.linalg.norm(n)
    # Centre of the circle: the point of the axis nearest to the start.
    r = X[:3, 3] - c
    c = c + (r @ n) * n
    r = X[:3, 3] - c
    if not np.linalg.norm(r) > COLLINEAR * (np.linalg.norm(X[:3, 3]) + np.linalg.norm(c)):
        raise InputError("centre: the start lies on the axis, so the circle is undefined")
    if not (np.isfinite(angle) and angle != 0 and np.isfinite(rise)):
        raise InputError(f"angle {angle:g} rad, rise {rise:g} m: expected finite numbers, the angle not zero")
    # The orientation turns about its own axis, independently of the arc's.
    turning = angle * n if orientation == "carried" and end is None else np.zeros(3)
    if end is not None:
        turning = turn_between(X[None, :3, :3], one_pose(end, name="end")[None, :3, :3])[0]
    return SegmentPath(Segments.over(*(part[None] for part in (c, rise * n, angle * n, r, X[:3, :3], turning))))


@checks_arguments
def arc_through(start: PoseLike, through: ArrayLike, end: PoseLike) -> SegmentPath:
    """Build an arc from a pose through a point to a pose, with the shortest rotation at a constant rate.

    Parameters
    ----------
    start, end : PoseLike
        One pose each; for a whole circle, which three points do not determine, see `arc`.
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
    X, Y, q = one_pose(start, name="start"), one_pose(end, name="end"), _point("through", through)
    a, b = q - X[:3, 3], Y[:3, 3] - X[:3, 3]
    normal = np.cross(a, b)
    square = float(normal @ normal)
    if not np.sqrt(square) > COLLINEAR * np.linalg.norm(a) * max(np.linalg.norm(b), np.linalg.norm(b - a)):
        raise InputError("the three points lie on a line, or two coincide: the circle is undefined")
    # Circumcentre of the triangle 0, a, b, relative to the start: ((|a|^2 b - |b|^2 a) x n) / (2 |n|^2), n = a x b.
    m = np.cross((a @ a) * b - (b @ b) * a, normal) / (2 * square)
    # Radii to both ends; the normal orients the arc so that `through` is on it, hence an angle from 0 to a turn.
    first, last = -m, b - m
    angle = np.arctan2(normal @ np.cross(first, last) / np.sqrt(square), first @ last)
    return arc(X, X[:3, 3] + m, normal, float(angle % (2 * np.pi)), end=Y)


class PiecewisePath(Path):
    """Consecutive paths of any kind; made by `concatenate`."""

    def __init__(self, parts: Sequence[Path]) -> None:
        self.parts = tuple(parts)
        lengths = [part.span[1] - part.span[0] for part in parts]
        self.joints = np.concatenate([[0.0], np.cumsum(lengths)])
        begins = list(zip(parts, self.joints[:-1], strict=True))
        # In this order a part's first knot is exactly the joint, whatever its own parameter begins with.
        knots = [part.knots[:-1] - part.span[0] + begin for part, begin in begins]
        self.knots = np.concatenate([*knots, self.joints[-1:]])
        inner = [part.breaks - part.span[0] + begin for part, begin in begins]
        self.breaks = np.sort(np.concatenate([*inner, self.joints[1:-1]]))

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        which = piece_of(self.joints, s, before)
        X, V, A = np.empty((len(s), 4, 4)), np.empty((len(s), 6)), np.empty((len(s), 6))
        for k in np.unique(which):
            part, here = self.parts[k], which == k
            X[here], V[here], A[here] = part(self._own(k, s[here]), before=before)
        return X, V, A

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        which = piece_of(self.joints, (low + high) / 2, before=False)
        bounds = np.empty((4, len(low)))
        for k in np.unique(which):
            here = which == k
            found = self.parts[k].rates(self._own(k, low[here]), self._own(k, high[here]))
            if found is None:
                return None
            bounds[:, here] = found
        return Rates(*bounds)

    def _own(self, k: int, s: Array) -> Array:
        """Parameters s in terms of part k's own parameter."""
        return np.clip(s - self.joints[k] + self.parts[k].span[0], *self.parts[k].span)


@checks_arguments
def concatenate(
    paths: Sequence[Path], *, blend: ArrayLike = 0.0, blend_angle: ArrayLike | None = None
) -> SegmentPath | PiecewisePath:
    """Concatenate paths in the same frame.

    Parameters
    ----------
    paths : sequence of Path
        Each begins where the last ended.
    blend, blend_angle : float or array
        Tolerances of rounded corners [m, rad], as in `SegmentPath`; for lines and arcs.

    Returns
    -------
    SegmentPath or PiecewisePath
        A `SegmentPath` where all are lines and arcs without blends of their own.

    Raises
    ------
    InputError
        Two paths that do not meet, or blends between paths that are not lines and arcs.

    """
    if not paths:
        raise InputError("paths: expected at least one")
    for k, (one, two) in enumerate(pairwise(paths), 1):
        _check_meeting(k, one.end, two.start)
    chains = [path for path in paths if isinstance(path, SegmentPath) and not path.reach.any()]
    if len(chains) == len(paths):
        return SegmentPath(Segments.joined([chain.segments for chain in chains]), blend, blend_angle)
    if np.any(blend) or np.any(0.0 if blend_angle is None else blend_angle):
        raise InputError("blend: only corners between lines and arcs are rounded, given without blends of their own")
    return PiecewisePath(paths)


def _check_meeting(k: int, end: Array, start: Array) -> None:
    gap = float(np.linalg.norm(start[:3, 3] - end[:3, 3]))
    # |R - R'|_F = 2 sqrt(2) sin(angle / 2): for small angles, sqrt(2) times the angle.
    turn = float(np.linalg.norm(start[:3, :3] - end[:3, :3]) / np.sqrt(2))
    if gap > GAP or turn > TWIST:
        raise InputError(f"path {k + 1} begins {gap:.3g} m and {turn:.3g} rad away from where path {k} ends")


def _point(what: str, values: ArrayLike) -> Array:
    point = of_shape(what, values, "(3,)")
    if not np.isfinite(point).all():
        raise InputError(f"{what}: {point.tolist()} has an entry that is not finite")
    return point
