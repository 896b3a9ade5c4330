"""Compiled: steps over which a machine does not become singular.

Where the determinant along a path is a polynomial, its zeros are counted (`gough.limits._determinant`). Elsewhere the
smallest singular value of the Jacobian changes by at most the norm of the Jacobian's change (Weyl 1912), and its rows
[u, (R b - R c) x u / l] change by what the platform joints move. With V the joint's speed:

- the direction of a strut of length d changes by at most V / d per unit of path, and d by at most V;
- the direction u of a rod of length L, whose foot moves along the tangent t of a straight line or of a circle of
  curvature k, changes by at most V / (L |u . t|), and |u . t|^2 / 2 by at most V (1 / L + k): the foot moves with
  V / |u . t| at most. Over a step |u . t| falls to w' with w'^2 = w^2 - 2 V (1 / L + k), and u changes by at most
  2 V / (L (w + w')).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from gough._compile import inline_norefcount, noinline_norefcount
from gough.arrays import Array
from gough.legs._leg_dispatch import drive, drive_rate, inverse
from gough.limits._margins import CENTRE, LENGTH, SINGULARITY, LimitArrays, Work, base_axes, dot
from gough.limits._singular_values import first_singular_value

MOST_TRIES = 64
"""Most shorter steps that are tried: each is at most half of the last one, or in proportion."""
HALVED, JUST_BELOW = 0.5, 0.999
"""Factors of a step that may lead beyond a leg's reach, and of one that is shortened in proportion."""


@inline_norefcount
def largest_change(limits: LimitArrays, X: Array, rods: Array, point: Array, move: float, turn: float) -> float:
    """Upper bound of the Frobenius norm of the Jacobian's change while the point of interest, `point` (3,) in the
    platform's frame, moves by `move` [m] and the platform turns by `turn` [rad] from the pose X; infinite where a leg
    may come to the end of its reach. `rods` (6, 6) are the legs there."""
    code, T = limits.code, limits.T
    per_length = 1.0 / limits.G[LENGTH]
    cx, cy, cz = base_axes(X, limits.G[CENTRE], limits.G[CENTRE + 1], limits.G[CENTRE + 2])
    px, py, pz = base_axes(X, point[0], point[1], point[2])
    total = 0.0
    for i in range(6):
        rx, ry, rz = rods[3, i] - X[0, 3], rods[4, i] - X[1, 3], rods[5, i] - X[2, 3]
        swing = move + turn * sqrt((rx - px) ** 2 + (ry - py) ** 2 + (rz - pz) ** 2)
        ux, uy, uz = rods[3, i] - rods[0, i], rods[4, i] - rods[1, i], rods[5, i] - rods[2, i]
        length = sqrt(ux * ux + uy * uy + uz * uz)
        q = inverse(code, T, i, rods[3, i], rods[4, i], rods[5, i])
        gx, gy, gz, _ = drive(code, T, i, q)
        pace = sqrt(gx * gx + gy * gy + gz * gz)
        if pace == 0.0:
            left = length - swing
            if left <= 0.0:
                return np.inf
            turned = swing / left
        else:
            hx, hy, hz, _ = drive_rate(code, T, i, q)
            bend = sqrt(hx * hx + hy * hy + hz * hz) / (pace * pace)
            w = abs(dot((ux, uy, uz), (gx, gy, gz))) / (length * pace)
            square = w * w - 2.0 * swing * (1.0 / length + bend)
            if not square > 0.0:
                return np.inf
            turned = 2.0 * swing / (length * (w + sqrt(square)))
        moment = sqrt((rx - cx) ** 2 + (ry - cy) ** 2 + (rz - cz) ** 2) * per_length * (turn + turned)
        total += turned * turned + moment * moment
    return sqrt(total)


@inline_norefcount
def put_rows(limits: LimitArrays, X: Array, work: Work) -> float:
    """The Jacobian of the legs in `work.rods` at the pose X, into lane 0 of the matrices; its squared elements' sum."""
    rods, A, per_length = work.rods, work.matrices.A, 1.0 / limits.G[LENGTH]
    cx, cy, cz = base_axes(X, limits.G[CENTRE], limits.G[CENTRE + 1], limits.G[CENTRE + 2])
    squares = 0.0
    for i in range(6):
        ux, uy, uz = rods[3, i] - rods[0, i], rods[4, i] - rods[1, i], rods[5, i] - rods[2, i]
        per = 1.0 / sqrt(ux * ux + uy * uy + uz * uz)
        ux, uy, uz = ux * per, uy * per, uz * per
        rx, ry, rz = rods[3, i] - X[0, 3] - cx, rods[4, i] - X[1, 3] - cy, rods[5, i] - X[2, 3] - cz
        A[i, 0, 0], A[i, 1, 0], A[i, 2, 0] = ux, uy, uz
        A[i, 3, 0], A[i, 4, 0] = (ry * uz - rz * uy) * per_length, (rz * ux - rx * uz) * per_length
        A[i, 5, 0] = (rx * uy - ry * ux) * per_length
        for j in range(6):
            squares += A[i, j, 0] * A[i, j, 0]
    return squares


@noinline_norefcount
def regular_step(
    limits: LimitArrays, X: Array, work: Work, now: Array, point: Array, move: float, turn: float, least: float
) -> float:
    """The largest part of a path that moves the point of interest by `move` and turns the platform by `turn`, over
    which no pose is singular, in (least, 1]; at most `least` where none is proven.

    `now` are the margins at its beginning X, whose legs are in `work.rods`.
    """
    margin = abs(now[SINGULARITY])
    squares = put_rows(limits, X, work)
    part, change = 1.0, largest_change(limits, X, work.rods, point, move, turn)
    if limits.sign_only:
        # The determinant over a bound of the product of the other five (`_margins.singular_value_bound`).
        per = 5.0 / squares
        if change < margin * per * per * sqrt(per):
            return part
        first_singular_value(work.matrices)
        margin = abs(work.matrices.smallest[0])
    for _ in range(MOST_TRIES):
        if change < margin or part <= least:
            break
        # The change grows faster than the step, so that a step shortened in proportion is short enough.
        part *= HALVED if change == np.inf else JUST_BELOW * margin / change
        change = largest_change(limits, X, work.rods, point, part * move, part * turn)
    # What a proportional step leaves over, once more.
    longer = min(1.0, JUST_BELOW * part * margin / change)
    if longer > part and largest_change(limits, X, work.rods, point, longer * move, longer * turn) < margin:
        return longer
    return part
