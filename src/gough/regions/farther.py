"""Proof that straight paths from home reach no farther from the z axis than a given distance, in any direction.

Directions are boxes of azimuth and elevation. A box is proven where some limit is violated at every pose of a surface
across it, closer to the axis than the given distance: every path of the box has ended there. Where no single limit is
violated everywhere, a weighted sum of their quantities may be negative, so that at every pose one of them is. By
duality of linear programs the best weights of the linear parts are those that cancel the slopes of one, two or three
quantities along no, one or both coordinates: about a corner of limits boxes need not shrink with the gap, but with its
root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.legs.pus import PUS
from gough.legs.ups import UPS
from gough.limits import _margins as layout
from gough.limits._margins import LimitArrays
from gough.limits.quantities import all_legs, directions, jacobian, reach, strokes, tool_limits
from gough.limits.rods import Pose, Quantity, Rods, dot
from gough.limits.table import limit_table
from gough.machine import Machine
from gough.regions.clearance import nearest_points
from gough.regions.models import ROUND, centre_of, variables
from gough.regions.placing import product, rotation_about
from gough.regions.singularity import finite_matrices, singular_limit
from gough.regions.tasks import unbreakable

STEEP, STEEPEST = np.deg2rad([75.0, 89.5])
"""Elevations from which on the surface across a box is a sphere instead of a cylinder about the axis, where paths reach
less than half of the given distance, and anywhere."""
FURTHER = 0.7
"""How far beyond the reached distance the surface is, as a part of it, across boxes of one radian; across smaller ones
it is closer, with the root of their width, as limits may be kept again beyond. Where that proves nothing, it is tried
as far out as it may be: a path that grazes a limit may be ended by the next one only."""
MIXED = 5
"""Quantities of a box that are combined: those that are closest to being violated everywhere."""
TOGETHER = 512
"""Boxes that are bounded together."""

Heights = Callable[[Array, Array], Array]
"""From azimuths and elevations (n,) to the distances from the axis that paths reach (n,)."""


class Directions(NamedTuple):
    """Boxes of directions: centres and half widths (2, n) of azimuth and elevation [rad], and numbers (n,)."""

    centre: Array
    half: Array
    number: Ints


def open_directions(
    machine: Machine, kind: str, heights: Heights, boxes: Directions, radius: Array, most: int
) -> tuple[Directions, bool]:
    """Return the boxes not proven to end within `radius` (k,), one for each number, of the axis after `most` boxes;
    none where all is proven. Or else boxes at whose centres paths reach farther, and True."""
    violated, count = Violations(machine, kind), 0
    while len(boxes.number) and count + len(boxes.number) <= most:
        parts = []
        for first in range(0, len(boxes.number), TOGETHER):
            some = Directions._make(each[..., first : first + TOGETHER] for each in boxes)
            reached, least = heights(*some.centre), radius[some.number]
            is_farther = reached > least
            if is_farther.any():
                return Directions._make(each[..., is_farther] for each in some), True
            axis = np.zeros(len(least), dtype=np.int64)
            left = np.arange(len(least))
            for beyond in (FURTHER * np.sqrt(some.half.max(axis=0)), np.ones(len(least))):
                surface = (each[..., left] for each in (some.centre, some.half, reached, (1 + beyond) * reached, least))
                is_open, axis[left] = violated.where(*surface)
                left = left[is_open]
            parts.append(_halves(Directions._make(each[..., left] for each in some), axis[left]))
            count += len(some.number)
        boxes = Directions._make(np.concatenate(each, axis=-1) for each in zip(*parts, strict=True))
    return boxes, False


def _halves(boxes: Directions, axis: Ints) -> Directions:
    """Both halves of boxes across an axis each."""
    centre, half, number = boxes
    step = np.where(np.arange(2)[:, None] == axis, half / 2, 0.0)
    halves = half - step
    return Directions(
        np.concatenate([centre - step, centre + step], axis=1),
        np.concatenate([halves, halves], axis=1) * (1 + 1e-12),
        np.tile(number, 2),
    )


class Violations:
    """The limited quantities of a machine on surfaces across directions from home."""

    def __init__(self, machine: Machine, kind: str) -> None:
        table = limit_table(machine)
        self.machine, self.kind, self.limits = machine, kind, table.arrays
        self.counts = np.zeros(layout.COLUMNS, dtype=bool)
        self.counts[table.arrays.places] = ~unbreakable(table)

    @np.errstate(all="ignore")
    def where(self, centre: Array, half: Array, reached: Array, further: Array, radius: Array) -> tuple[Bools, Array]:
        """Find which boxes (n,) may hold a direction in which no limit is violated at distances `further` (n,) from the
        axis, at most `radius` (n,), and the axis across which each is best halved. `reached` (n,): at their centres."""
        pose, flat = self.surface(variables(centre, half), centre, half, reached, further, radius)
        c, r = self.coefficients(pose, flat)
        size = np.abs(c).sum(axis=0) + r
        c, r = c / size, np.where(np.isfinite(size) & (size > 0), r / size, np.inf)
        order = np.argsort(np.where(np.isfinite(r), c[0], np.inf), axis=0, kind="stable")[:MIXED]
        c, r = np.take_along_axis(c, order[None], axis=1), np.take_along_axis(r, order, axis=0)
        least, loss = np.full(len(radius), np.inf), half.copy()
        share = half**3 / (half**3).sum(axis=0)
        for weight in _weights(np.nan_to_num(c[1:3])):
            known = (weight == 0) | np.isfinite(r)
            m = (np.where(weight > 0, weight, 0.0) * np.where(known, c, 0.0)).sum(axis=1)
            spread = np.where(known, weight * np.where(weight > 0, r, 0.0), np.inf).sum(axis=0) + ROUND
            bent = np.maximum(m[[3, 5]], 0.0)
            upper = m[0] + np.abs(m[1]) + np.abs(m[2]) + bent.sum(axis=0) + np.abs(m[4]) + spread
            is_better = upper < least
            least = np.where(is_better, upper, least)
            part = np.abs(m[1:3]) + np.abs(m[[3, 5]]) + np.abs(m[4]) / 2 + spread * share
            loss = np.where(is_better, np.where(m[0] < 0, part, half), loss)
        return ~(least < 0), loss.argmax(axis=0)

    def surface(
        self, y: Quantity, centre: Array, half: Array, reached: Array, further: Array, radius: Array
    ) -> tuple[Pose, Quantity]:
        """Return poses on a cylinder about the z axis, or on a sphere next to the axis, just beyond what is reached;
        and their distances from the axis."""
        machine, up = self.machine, np.abs(centre[1])
        cosine, sine = np.cos(y[1]), np.sin(y[1])
        is_steep = up + half[1] > np.where(2 * reached < radius, STEEP, STEEPEST)
        cylinder = np.minimum(radius, further)
        sphere = np.minimum(further / np.cos(up), radius / np.cos(np.maximum(up - half[1], 0.0)))
        flat = cosine * np.where(is_steep, sphere, 0.0) + np.where(is_steep, 0.0, cylinder)
        rise = sine / (cosine * np.where(is_steep, 0.0, 1.0) + np.where(is_steep, 1.0, 0.0))
        x = np.stack([flat * np.cos(y[0]), flat * np.sin(y[0]), rise * np.where(is_steep, sphere, cylinder)])
        R, home = machine.X_home[:3, :3], machine.home_point[:, None]
        skewness = float(np.linalg.norm(R.T @ R - np.eye(3)))
        if self.kind == "translation":
            turned: Quantity = np.repeat(R[..., None], centre.shape[1], axis=2)
            return Pose(turned, x + home, machine.point_of_interest, skewness), flat
        turned = R[..., None]
        for k in (2, 1, 0):
            turned = product(rotation_about(np.eye(3)[k], x[k]), turned)
        return Pose(turned, home + x * 0.0, machine.point_of_interest, skewness), flat

    def coefficients(self, pose: Pose, flat: Quantity) -> tuple[Array, Array]:
        """Return coefficients (6, k, n) and remainders (k, n) of all quantities, each negative where its limit is
        violated."""
        still = pose.p[0] * 0.0
        c, r = [], []
        for place, value in self.quantities(pose, flat):
            model = still[None] + value
            counts = self.counts[place + np.arange(len(model))]
            c.append(model.c[:, counts])
            r.append(model.r[counts])
        return np.concatenate(c, axis=1), np.concatenate(r)

    def quantities(self, pose: Pose, flat: Quantity) -> Iterator[tuple[int, Quantity]]:
        """Yield places in the layout of margins, of the first leg or pair, and quantities (legs or pairs, boxes) or
        (boxes,).

        Other than where limits are proven, the sign of each must be that of its limit where it is negative.
        """
        limits = self.limits
        rods = all_legs(limits, pose)
        for each in reach(rods):
            yield each.place, each.value
        yield from _strokes(limits, rods)
        for each in directions(limits, rods):
            yield each.place, each.value
        for each in tool_limits(limits, pose):
            yield each.place, each.value
        if self.kind == "translation":  # the tool moves as far from the axis as the point of interest
            yield layout.RADIUS, limits.G[layout.RADIUS_MAX] - flat
        if len(limits.pairs):
            yield layout.PAIR, _clearances(limits, pose)
        yield from _singular(limits, rods)


def _strokes(limits: LimitArrays, rods: Rods) -> Iterator[tuple[int, Quantity]]:
    """Joint travel: of rods by the coordinate itself, of sliders also by the closure where it has its sign."""
    if rods.code == UPS.code:
        for each in strokes(limits, rods):
            yield each.place, each.value
        return
    for place, row, sign in ((layout.SHORTEST, layout.LOW, -1.0), (layout.LONGEST, layout.HIGH, 1.0)):
        end = limits.L[row, rods.i]
        finite = np.isfinite(end)
        end = np.where(finite, end, 0.0)
        unknown = np.broadcast_to(~finite, rods.q.shape)
        yield place, ((end - rods.q) * sign).unknown_where(unknown)
        if rods.code == PUS.code:
            closure, slope = rods.closure(end)
            across = slope * rods.branch
            on_side = across.value - across.change > 0
            yield place, (closure * (sign * rods.branch)).unknown_where(unknown | ~on_side)


def _clearances(limits: LimitArrays, pose: Pose) -> Quantity:
    """Squared distances less the thickness, of the points of pairs of rods that are nearest at the boxes' centres."""
    first, second = (Rods(limits.code, limits.T, limits.pairs[:, side, None], pose.spread()) for side in (0, 1))
    s, t = nearest_points(*(centre_of(x) for x in (first.foot, first.d, second.foot, second.d)))
    away = first.foot + s * first.d - second.foot - t * second.d
    return dot(away, away) - limits.L[layout.LEG_RADIUS, limits.pairs].sum(axis=1)[:, None] ** 2


def _singular(limits: LimitArrays, rods: Rods) -> Iterator[tuple[int, Quantity]]:
    """The sign of the determinant, and |J v| less the least singular value allowed, v its vector at the centres."""
    bound, rows = limits.G[layout.SINGULAR_MIN], jacobian(limits, rods)
    if limits.G[layout.SIDE] != 0:
        G = limits.G.copy()
        G[layout.SINGULAR_MIN] = 0.0
        yield layout.SINGULARITY, singular_limit(limits._replace(G=G), rows, rods.length).value
    if bound > 0:
        J = rows * rods.per_length[:, None]
        A, finite = finite_matrices(J.value)
        v = np.linalg.svd(A)[2][:, -1].T
        moved = (J * v[None]).sum(1)
        yield layout.SINGULARITY, (dot(moved, moved) - bound**2).unknown_where(~finite)


def _weights(slopes: Array) -> Iterator[Array]:
    """Weights (k, n) of k quantities with slopes (2, k, n), not negative, that sum to one: of each alone; of two that
    cancel one slope; of three that cancel both."""
    k = slopes.shape[1]
    one = np.broadcast_to(np.eye(k)[..., None], (k, *slopes.shape[1:]))
    yield from one

    def cross(a: int, b: int) -> Array:
        return np.asarray(slopes[0, a] * slopes[1, b] - slopes[1, a] * slopes[0, b])

    for i, j in combinations(range(k), 2):
        for row in slopes:
            yield _convex({i: row[j], j: -row[i]}, one)
    for i, j, m in combinations(range(k), 3):
        yield _convex({i: cross(j, m), j: cross(m, i), m: cross(i, j)}, one)


def _convex(parts: dict[int, Array], one: Array) -> Array:
    """Weights in proportion to parts of one sign; the first quantity alone elsewhere."""
    amounts = np.stack(list(parts.values()))
    total = amounts.sum(axis=0)
    share = amounts / np.where(total == 0, 1.0, total)
    is_convex = (share >= 0).all(axis=0) & (total != 0)
    found = np.where(is_convex, 0.0, one[0])
    for number, each in zip(parts, share, strict=True):
        found[number] = np.where(is_convex, each, found[number])
    return found
