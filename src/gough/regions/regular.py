"""That struts are not singular anywhere in boxes of poses, and a lower bound of the least singular value.

With R = exp(v) D the turn from a box's centre (`gough.regions.leg_limits`), r from the region's point to a strut's
platform joint, q from its base joint to that point, rho the joint seen from the middle of the joints by their size,

    g = R^T (q + x) + r = (q + r) + x - v x q + rest,    |rest| <= |q| (|v|^2 / 2 + |D|) + |x| (|v| + |D|)

is the strut in axes that turn with the platform. The matrix G with the rows [g, rho x g] has the singular values of
that of the struts' directions, its rows times their lengths; with C the inverse at the centre, |C G - 1| <= W over the
box, and

    |G^-1| <= (1 - W)^-1 |C|

entry by entry, where W has no eigenvalue as large as 1: so it is where W v < v for one v > 0 (Collatz 1942).
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.regions._placing import WIDENED
from gough.regions.cells import Cells, motion_of
from gough.regions.motions import ROUND_OFF, Motion, cross
from gough.regions.search import Boxes, OpenBoxes, Search

MOST_BOXES = 1000
"""Where they do not suffice the struts' singularities are near."""
HALVINGS, FALL = 3, 0.5
"""Of one box before its parts are looked at, and what each leaves of the part of W by a coordinate."""
POWERS = 4
"""Of W, towards the vector v that shows most."""
LEAST = 1e-3
"""Part of its largest component that each of v has."""
CLEARLY = 0.999
"""Part of v that W v may be."""
SOLVED = 1 + 1e-6
"""What rounding takes off the inverse of 1 - W, whose condition is below 1e3 times the ratio of v's components, 1e4."""


def prove_regular(search: Search, max_boxes: int) -> None:
    """Settle the distance to singularity of struts as far as boxes go; where it is proven it counts no more."""
    machine, region = search.limits.machine, search.region
    columns = [c for c, column in enumerate(search.limits.columns) if column.is_singularity and search.counted[c]]
    if machine.legs.rod() is not None or not columns:
        return
    column, bound = columns[0], search.limits.columns[columns[0]].bound
    search.look(region.centre[None])
    if not search.upper[column] + bound > 0 or search.looked >= (most := min(MOST_BOXES, max_boxes)):
        return
    low = [np.inf]

    def judge(boxes: Boxes) -> OpenBoxes:
        cells = boxes.cells
        with np.errstate(over="ignore", invalid="ignore"):
            found, part = least_singular_values_of_struts(machine, cells, motion_of(region, cells))
        search.looked += len(cells)
        is_kept = (found > 0) & (found >= bound)
        low.append(found[is_kept].min(initial=np.inf))
        return OpenBoxes(boxes.chosen(~is_kept), cells.chosen(~is_kept), part[~is_kept])

    whole = Boxes(Cells(region.centre[None], region.half[None]), np.array([column]))
    if not len(search.halve(whole, judge, most, HALVINGS, FALL)):
        search.lower[column], search.counted[column] = min(low) - bound, False


def least_singular_values_of_struts(machine: Machine, cells: Cells, motion: Motion) -> tuple[Array, Array]:
    """Lower bounds (n,) over boxes, zero where they may be singular; parts of W by coordinates (n, 6)."""
    R = motion.X[:, :3, :3]
    place = (R @ motion.about) + motion.X[:, :3, 3]
    q, r = place[:, None] - machine.legs.rest(), motion.arms(machine.b_P)
    rho = (machine.b_P - machine.platform_centre) @ np.swapaxes(R, 1, 2) / machine.characteristic_length
    g_z = np.empty((len(q), 6, 6, 3))  # by the coordinate first
    g_z[:, :3] = motion.directions.T[:, None]
    g_z[:, 3:] = -cross(np.swapaxes(motion.W, 1, 2)[:, :, None], q[:, None])
    G = _rows(rho, q + r)
    is_known = np.abs(np.linalg.det(G)) > 0
    C = np.linalg.inv(np.where(is_known[:, None, None], G, np.eye(6)))
    change = np.abs(_rows(rho[:, None], g_z)) * motion.half[:, :, None, None]
    first = np.abs(C[:, None] @ _rows(rho[:, None], g_z)) * motion.half[:, :, None, None]
    extent = np.linalg.norm(place, axis=-1) + machine.size + motion.shift
    second = _second(C, rho, q, motion, ROUND_OFF * extent)
    second += np.abs(C) @ (ROUND_OFF * (np.abs(G) + change.sum(axis=1))) + np.abs(C @ G - np.eye(6))
    W = (first.sum(axis=1) + second) * WIDENED
    v = np.ones((len(W), 6, 1))
    for _ in range(POWERS):
        v = W @ v + LEAST * v.max(axis=1, keepdims=True)
    is_regular = is_known & (W @ v <= CLEARLY * v).all(axis=(1, 2)) & np.isfinite(W).all(axis=(1, 2))
    rest = np.eye(6) - np.where(is_regular[:, None, None], W, 0.0)
    inverse = np.linalg.norm(np.linalg.solve(rest, np.abs(C)), axis=(1, 2)) * SOLVED
    moved = motion.shift[:, None] + motion.turn[:, None] * np.linalg.norm(r, axis=-1)
    longest = (np.linalg.norm(q + r, axis=-1) + moved).max(axis=1) * WIDENED
    turns = motion.half[:, 3:] ** 2
    part = (first @ v[:, None]).sum(axis=(2, 3))
    part[:, 3:] += (second @ v).sum(axis=1) * turns / np.maximum(turns.sum(axis=1, keepdims=True), 1e-300)
    return np.where(is_regular, 1 / (inverse * longest), 0.0), part


def _second(C: Array, rho: Array, q: Array, motion: Motion, rounding: Array) -> Array:
    """What of |C G - 1| is not linear (n, 6, 6): the common part of the struts' rests, and those of each."""
    t, bend = motion.turn, motion.bend / 2
    middle = q.mean(axis=1)
    common = np.linalg.norm(middle, axis=-1) * (t**2 / 2 + bend) + motion.shift * (t + bend)
    own = np.linalg.norm(q - middle[:, None], axis=-1) * (t**2 / 2 + bend)[:, None] + rounding[:, None]
    across = np.sqrt(np.maximum(np.sum(rho**2, axis=-1, keepdims=True) - rho**2, 0.0)) + ROUND_OFF
    off = own[..., None] * np.concatenate([np.ones_like(rho), across], axis=-1)
    shifted = np.abs(C[:, None] @ _rows(rho[:, None], np.eye(3)[None, :, None])).sum(axis=1)
    return np.asarray(common[:, None, None] * shifted + np.abs(C) @ off)


def _rows(rho: Array, g: Array) -> Array:
    """Rows [g, rho x g] (..., 6)."""
    rho, g = np.broadcast_arrays(rho, g)
    return np.concatenate([g, cross(rho, g)], axis=-1)
