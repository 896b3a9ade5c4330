"""Paths of lines, arcs and helices, their corners rounded by blends of continuous second derivative.

Over a segment's parameter tau from 0 to its length,

    p(tau) = c + v tau + exp([k] tau) r,  r perpendicular to k        R(tau) = exp([w] tau) R0

A line has r = 0, an arc v = 0, a helix v along k. On a line the orientation is interpolated spherically (slerp,
Shoemake 1985). Segments are evaluated in batches.

At a corner the motions of the two segments are superposed. With the ramp f over sigma from -d to d, s = corner + sigma,
f = 0 at the start, f = sigma at the end, f'' = 3 (1 - (sigma/d)^2) / (4 d):

    p = p_a(-f(-sigma)) + p_b(f(sigma)) - p_1        R = R_a(-f(-sigma)) R_1^T R_b(f(sigma))

which is the first segment before, the second after, and between them two polynomials of degree four: of the position,
and of the angle of each rotation, so that R stays a rotation. At the corner the blend departs by f(0) = 3 d / 16 times
the jump of the velocity, and no point of it is farther from the segments than (proof in docs/motion.md)

    3 d / 16 (|v_b - v_a| + (|a_a| + |a_b|) d)

and likewise in angle: d is chosen so that this keeps the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Aligned, Array, Bools, Indices
from gough.checks.arguments import checks_arguments
from gough.displacements import rotation_vectors, rotations
from gough.errors import InputError
from gough.motion.path import Path, Rates, States

REVERSAL = 0.98
"""Cosine of the angle between opposite velocities beyond which a corner is a reversal, which is not rounded: 11 deg."""
SMOOTH_JUMP = 1e-11
"""Jumps of derivatives below this part of their size are rounding."""


@dataclass(frozen=True, eq=False)
class Segments(Aligned):
    """Batch of n segments.

    Attributes
    ----------
    c, v, k, r : (n, 3) array
        Centre [m], velocity of the centre [m], angular velocity of the radius [rad], and the radius [m], per parameter.
    R : (n, 3, 3) array
        Orientation at the begin.
    w : (n, 3) array
        Angular velocity of the orientation [rad per parameter], in the axes in which the path is described.
    length : (n,) array

    """

    c: Array
    v: Array
    k: Array
    r: Array
    R: Array
    w: Array
    length: Array

    @classmethod
    def over(cls, c: Array, v: Array, k: Array, r: Array, R: Array, w: Array) -> Segments:
        """Return segments by their whole displacement v [m], turn k of the radius and turn w of the orientation [rad],
        (n, 3).

        The parameter counts metres or radians, whichever is the larger number; a segment without motion has the
        length 0.
        """
        with np.errstate(over="ignore"):  # `SegmentPath` raises where a length is infinite
            length = np.maximum(np.linalg.norm(v + np.cross(k, r), axis=1), np.linalg.norm(w, axis=1))
        per = 1.0 / np.where(length > 0, length, 1.0)[:, None]
        return cls(c, v * per, k * per, r, R, w * per, length)

    def at(self, tau: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Return p, R, v, the constant w, and a at parameters tau (n,), one for each segment."""
        # Lines and fixed orientations, which most programs consist of, need no rotations.
        radius, v, a, R = self.r, *np.zeros((2, len(tau), 3)), self.R
        if self.k.any():
            radius = (rotations(self.k * tau[:, None]) @ self.r[:, :, None])[:, :, 0]
            v = np.cross(self.k, radius)
            a = np.cross(self.k, v)
        if self.w.any():
            R = rotations(self.w * tau[:, None]) @ self.R
        return self.c + self.v * tau[:, None] + radius, R, self.v + v, self.w, a

    @cached_property
    def speed(self) -> Array:
        """Speed of the position (n,), constant along a segment."""
        return np.linalg.norm(self.v + np.cross(self.k, self.r), axis=1)

    @cached_property
    def turning(self) -> Array:
        """Angular speed (n,)."""
        return np.linalg.norm(self.w, axis=1)

    @cached_property
    def bending(self) -> Array:
        """Size of the position's second derivative (n,)."""
        return np.linalg.norm(np.cross(self.k, np.cross(self.k, self.r)), axis=1)


def turn_between(first: Array, second: Array) -> Array:
    """Return the rotation vectors (n, 3) [rad], in fixed axes, of the shortest rotations from `first` to `second` (n,
    3, 3)."""
    return rotation_vectors(second @ np.swapaxes(first, -1, -2))


class SegmentPath(Path):
    """Consecutive segments, each beginning where the last ended.

    Parameters
    ----------
    segments : Segments
    blend : float or (n - 1,) array
        Largest departure of a rounded corner from the segments [m], one for all or each corner's; 0 keeps the corner.
    blend_angle : float or (n - 1,) array, optional
        Largest departure in rotation [rad]; needed where the rotation jumps at a rounded corner.

    Attributes
    ----------
    joints : (n + 1,) array
        Parameters at which the segments begin, and the end; a corner's is the middle of its blend.
    reach : (n - 1,) array
        Half length d of each corner's blend in the parameter; 0 where there is none.

    """

    @checks_arguments
    def __init__(self, segments: Segments, blend: ArrayLike = 0.0, blend_angle: ArrayLike | None = None) -> None:
        self.segments = segments
        self.joints = np.concatenate([[0.0], np.cumsum(segments.length)])
        if not np.isfinite(self.joints[-1]):
            raise InputError("the path is longer than numbers reach: a coordinate is too large")
        self._corner_R = segments[1:].R
        self._corner_p = segments[1:].c + segments[1:].r
        self.reach = np.zeros(len(segments) - 1)
        width = np.broadcast_to(np.asarray(blend, dtype=float), self.reach.shape)
        turn = None if blend_angle is None else np.broadcast_to(np.asarray(blend_angle, dtype=float), self.reach.shape)
        if not ((width >= 0).all() and (turn is None or (turn >= 0).all())):
            raise InputError(f"blend {width} m, blend_angle {turn} rad: expected tolerances, 0 or above")
        if width.any() or (turn is not None and turn.any()):
            self.reach = self._reaches(width, turn)
        # Sharp corners are knots; of rounded ones the begin and the end of the blend, not the corner itself.
        corners, d = self.joints[1:-1], self.reach
        inner = np.concatenate([corners[d == 0], (corners - d)[d > 0], (corners + d)[d > 0]])
        self.knots = _apart(np.concatenate([self.joints[[0, -1]], inner]))
        self.breaks = np.sort(corners[(d == 0) & (self._jumps() > 0)])

    def __len__(self) -> int:
        return len(self.segments)

    @checks_arguments
    def segment_at(self, s: ArrayLike) -> Indices:
        """Return the index of the segment at parameters (...); at a corner the next segment."""
        found = np.searchsorted(self.joints, np.asarray(s, dtype=float), side="right") - 1
        return np.asarray(np.clip(found, 0, len(self) - 1))

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        first, second, f, f1, f2 = self._ramps(s, before)
        a, sigma = self.segments[first], s - self.joints[second]
        is_blend = first != second
        # The ramp's symmetry -f(-sigma) = sigma - f(sigma) gives the first segment's parameter, with the rate 1 - f'.
        g1 = 1.0 - f1
        p_a, R_a, v_a, w_a, a_a = a.at(np.where(is_blend, a.length + sigma - f, s - self.joints[first]))
        X = np.zeros((len(s), 4, 4))
        X[:, 3, 3] = 1.0
        V, A = np.concatenate([v_a, w_a], axis=1), np.concatenate([a_a, np.zeros_like(w_a)], axis=1)
        X[:, :3, 3], X[:, :3, :3] = p_a, R_a
        if is_blend.any():
            k = np.flatnonzero(is_blend)
            p_b, R_b, v_b, w_b, a_b = self.segments[second[k]].at(f[k])
            # R = Q R_b with Q = R_a R_1^T: the second segment's angular velocity is carried by Q.
            Q = R_a[k] @ np.swapaxes(self._corner_R[first[k]], 1, 2)
            X[k, :3, 3] += p_b - self._corner_p[first[k]]
            X[k, :3, :3] = Q @ R_b
            w_b = (Q @ w_b[:, :, None])[:, :, 0]
            x, y, z = f1[k, None], g1[k, None], f2[k, None]
            V[k] = np.concatenate([v_a[k] * y + v_b * x, w_a[k] * y + w_b * x], axis=1)
            A[k, :3] = a_a[k] * y**2 - v_a[k] * z + a_b * x**2 + v_b * z
            A[k, 3:] = (w_b - w_a[k]) * z + np.cross(w_a[k] * y, w_b * x)
        return X, V, A

    def rates(self, low: Array, high: Array) -> Rates:
        """See `Path.rates`: in a blend the velocities of both segments have the weights 1 - f' and f'."""
        first, second, *_ = self._ramps((low + high) / 2, False)
        v_of, w_of, bending_of = self.segments.speed, self.segments.turning, self.segments.bending
        is_blend = first != second
        corner = np.where(is_blend, first, 0)
        d = self.reach[corner] if len(self.reach) else np.zeros(len(low))
        jump, turn_jump, bend = self._corner_sizes if len(self.reach) else (np.zeros(1),) * 3
        # Weights that sum to one: v and w are at most the larger of both. f'' is at most 3 / (4 d), f' (1 - f') 1 / 4.
        peak = 0.75 / np.where(is_blend, d, 1.0)
        v, w = np.maximum(v_of[first], v_of[second]), np.maximum(w_of[first], w_of[second])
        turns = w_of[first] * w_of[second]
        bending = np.where(is_blend, bending_of[first] + bending_of[second], bending_of[first])
        a_most = np.where(is_blend, bending + peak * (jump[corner] + bend[corner] * d), bending)
        # Q rotates w_b by no more than the first segment's rotation within the blend, which adds to the jump.
        spread = turn_jump[corner] + turns * d
        alpha = np.where(is_blend, peak * spread + turns / 4, 0.0)
        return Rates(v, w, a_most, alpha)

    def _ramps(self, s: Array, before: bool) -> tuple[Indices, Indices, Array, Array, Array]:
        """Both segments of the blend at each s, and f, f', f''; outside blends the same segment twice."""
        side = "left" if before else "right"
        segment = np.clip(np.searchsorted(self.joints, s, side=side) - 1, 0, len(self) - 1)  # type: ignore[call-overload]
        d = np.concatenate([[0.0], self.reach, [0.0]])
        at_begin = s - self.joints[segment] < d[segment]
        at_end = ~at_begin & (self.joints[segment + 1] - s < d[segment + 1])
        first, second = segment - at_begin, segment + at_end
        # x = sigma / d from -1 to 1; outside blends the values are not used.
        reach = np.where(at_begin, d[segment], np.where(at_end, d[segment + 1], 1.0))
        x = np.where(at_begin | at_end, (s - self.joints[second]) / reach, 1.0)
        f = reach * (3 / 16 + x / 2 + 3 / 8 * x**2 - x**4 / 16)
        return first, second, f, 0.5 + 0.75 * x - 0.25 * x**3, 0.75 * (1 - x**2) / reach

    @cached_property
    def _corner_sizes(self) -> tuple[Array, Array, Array]:
        """Jumps of velocity and angular velocity at the corners, and the sum of both sides' second derivatives."""
        a, b = self.segments[:-1], self.segments[1:]
        v_a = a.at(a.length)[2]
        v_b = b.v + np.cross(b.k, b.r)
        return (
            np.linalg.norm(v_b - v_a, axis=1),
            np.linalg.norm(b.w - a.w, axis=1),
            a.bending + b.bending,
        )

    def _jumps(self) -> Array:
        """Sum of the jumps of first and second derivatives at the corners; rounding counts as none."""
        jump, turn_jump, _ = self._corner_sizes
        a, b = self.segments[:-1], self.segments[1:]
        a_a, a_b = a.at(a.length)[4], np.cross(b.k, np.cross(b.k, b.r))
        bend = np.linalg.norm(a_b - a_a, axis=1)
        sizes = (a.speed + b.speed, a.turning + b.turning, a.bending + b.bending)
        found = (
            np.where(value > SMOOTH_JUMP * size, value, 0.0)
            for value, size in zip((jump, turn_jump, bend), sizes, strict=True)
        )
        return np.asarray(sum(found))

    def _reaches(self, blend: Array, blend_angle: Array | None) -> Array:
        """Largest d of each corner that keeps both tolerances and uses at most half of each segment."""
        jump, turn_jump, bend = self._corner_sizes
        turning = self.segments.turning
        turns = (blend > 0) & (turn_jump > SMOOTH_JUMP * (turning[:-1] + turning[1:]))
        if blend_angle is None and turns.any():
            corner = int(np.argmax(turns)) + 1
            raise InputError(
                f"the rotation axis changes at corner {corner}: specify blend_angle, the largest deviation in "
                "rotation [rad]"
            )
        d = np.minimum(self.segments.length[:-1], self.segments.length[1:]) / 2
        d = np.minimum(d, _longest(jump, bend, blend))
        if blend_angle is not None:
            d = np.minimum(d, _longest(turn_jump, np.zeros_like(bend), blend_angle))
        return np.where((self._jumps() > 0) & ~self._reverses(), d, 0.0)

    def _reverses(self) -> Bools:
        """Whether the motion turns back at each corner: within a blend it would be nearly at rest, at a place that is
        no knot, and gain nothing over a stop."""
        a, b = self.segments[:-1], self.segments[1:]
        pairs = (a.at(a.length)[2], b.v + np.cross(b.k, b.r)), (a.w, b.w)
        return np.asarray(np.logical_and.reduce([_is_back(*pair) for pair in pairs]))


def _is_back(first: Array, second: Array) -> Bools:
    """Whether velocities (n, 3) are nearly opposite, or one is zero."""
    product = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return np.asarray(np.sum(first * second, axis=1) <= -REVERSAL * product)


def _apart(knots: Array) -> Array:
    """Sorted knots without those that the next exceeds by rounding only; the last is kept."""
    found = np.sort(knots)
    return found[np.append(np.diff(found) > SMOOTH_JUMP * found[-1], True)]


def _longest(jump: Array, bend: Array, tolerance: Array) -> Array:
    """Root d >= 0 of 3 d (jump + bend d) / 16 = tolerance (n,); infinite where neither jumps."""
    with np.errstate(divide="ignore", invalid="ignore"):
        c = 16 * tolerance / 3
        # The form without cancellation, which holds for bend = 0 too.
        d = 2 * c / (jump + np.sqrt(jump**2 + 4 * bend * c))
    return np.where((jump > 0) | (bend > 0), np.where(tolerance > 0, d, 0.0), np.inf)


def about_z(angle: Array) -> Array:
    """Return rotations (..., 3, 3) about z."""
    c, s, zero = np.cos(angle), np.sin(angle), np.zeros_like(angle)
    return np.stack([c, -s, zero, s, c, zero, zero, zero, zero + 1], axis=-1).reshape(*np.shape(angle), 3, 3)
