"""Limits of struts over a region, leg by leg: strokes, cones and plate angles as functions of second order.

With q from a strut's base joint to the region's point and r from there to its platform joint, at a box's centre, the
strut is d = q + x + R r: the point goes x, the platform turns by R. Squares have no roots: a stroke is kept where
d . d - low^2 or high^2 - d . d is not negative, an angle of cosine c > 0 to a direction n where (n . d)^2 - c^2 d . d
is not, and n . d is positive somewhere; for plates c is the sine of the angle to the plate. All are made of

    V(x, R) = (q + x) . R r        d . d = |q + x|^2 + |r|^2 + 2 V

and of n . d, where n takes the part of q, or of r if the platform carries it. With R = exp(v) D, v = W dz, D by no more
than half of |w'| (`gough.regions.charts`),

    V = q . r + x . r + v . (r x q) + x . (v x r) + ((v . r) (v . q) - |v|^2 q . r) / 2 + rest

which is exact to the second order but for D. What is left is of third order, so that few boxes do
(`gough.regions.quadratic`); each limit has boxes of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits import _margins as layout
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.poses import skew
from gough.regions._placing import WIDENED
from gough.regions.cells import Cells, motion_of
from gough.regions.motions import ROUND_OFF, Motion, cross
from gough.regions.quadratic import Quadratic
from gough.regions.shapes import PoseRegion

STROKES = (layout.SHORTEST, layout.LONGEST)
CONES = (layout.BASE_CONE, layout.PLATFORM_CONE)
CARRIED = (layout.PLATFORM_CONE, layout.PLATFORM_PLATE)


class LegLimits(NamedTuple):
    """Limits (k,) of struts: their columns, legs and kinds in the layout, levels (lengths, or cosines of angles to
    directions), and the directions (k, 3), in the base or the platform frame; zero of strokes."""

    machine: Machine
    columns: Ints
    legs: Ints
    kinds: Ints
    level: Array
    axis: Array

    @classmethod
    def of(cls, machine: Machine, table: LimitTable, counted: Bools) -> LegLimits:
        """Those of a machine that count and have a positive level; none of other leg kinds."""
        places, L, G = table.arrays.places, table.arrays.L, table.arrays.G
        columns = np.flatnonzero(counted[: len(places)] & (places >= layout.SHORTEST) & (places < layout.PAIR))
        columns = columns if machine.legs.rod() is None else columns[:0]
        legs, kinds = places[columns] % 6, places[columns] // 6 * 6
        bound = np.array([table.columns[c].bound for c in columns])
        is_cone, is_stroke = np.isin(kinds, CONES), np.isin(kinds, STROKES)
        level = np.where(is_stroke, bound, np.where(is_cone, np.cos(bound), np.sin(bound)))
        axis = np.zeros((len(columns), 3))
        for kind, of_leg in ((layout.BASE_CONE, layout.BASE_AXIS), (layout.PLATFORM_CONE, layout.PLATFORM_AXIS)):
            axis[kinds == kind] = L[of_leg : of_leg + 3, legs[kinds == kind]].T
        for kind, first in ((layout.BASE_PLATE, layout.BASE_NORMAL), (layout.PLATFORM_PLATE, layout.PLATFORM_NORMAL)):
            axis[kinds == kind] = G[first : first + 3]
        return cls(machine, columns, legs, kinds, level, axis).chosen(level > 0)

    def chosen(self, which: Bools | Ints) -> LegLimits:
        """Some of them, each as often as wanted."""
        columns, legs, kinds = self.columns[which], self.legs[which], self.kinds[which]
        return LegLimits(self.machine, columns, legs, kinds, self.level[which], self.axis[which])

    @property
    def is_stroke(self) -> Bools:
        """Which are strokes."""
        return np.asarray((self.kinds == layout.SHORTEST) | (self.kinds == layout.LONGEST))

    def functions(self, region: PoseRegion, cells: Cells) -> tuple[Quadratic, Array]:
        """What is not negative where each limit is kept, over a box of each; shortest and longest lengths (n, 2)."""
        motion = motion_of(region, cells)
        R = motion.X[:, :3, :3]
        place = (R @ motion.about) + motion.X[:, :3, 3]
        q = place - self.machine.legs.rest()[self.legs]
        r = (R @ (self.machine.b_P[self.legs] - motion.about)[..., None])[..., 0]
        extent = np.linalg.norm(place, axis=-1) + self.machine.size + motion.shift
        squared = _squared_length(motion, q, r, extent)
        length, moved = np.linalg.norm(q + r, axis=-1), motion.shift + motion.turn * np.linalg.norm(r, axis=-1)
        lengths = np.stack([length / WIDENED - moved * WIDENED, (length + moved) * WIDENED], axis=-1)
        is_stroke, level = self.is_stroke, self.level**2
        sign = np.where(is_stroke, np.where(self.kinds == layout.LONGEST, -1.0, 1.0), -level)
        found = squared.times(sign)
        found.value[:] -= is_stroke * sign * level
        found.rest[:] += is_stroke * ROUND_OFF * level
        if not is_stroke.all():
            at = np.flatnonzero(~is_stroke)
            inside = region.excess(cells.centre) == 0.0
            found.add(at, self.chosen(at)._squared_part(_chosen(motion, at), q[at], r[at], extent[at], inside[at]))
        return found.in_coordinates(motion), lengths

    def _squared_part(self, motion: Motion, q: Array, r: Array, extent: Array, inside: Bools) -> Local:
        """The square of what struts have along directions; nothing where that may be negative all over a box."""
        is_carried = np.isin(self.kinds, CARRIED)
        a = np.where(is_carried[:, None], (motion.X[:, :3, :3] @ self.axis[..., None])[..., 0], self.axis)
        still, turned = np.where(is_carried[:, None], q, a), np.where(is_carried[:, None], a, r)
        w = _product(motion, still, turned, motion.shift * is_carried)
        w.value[:] = np.sum(a * (q + r), axis=-1)
        w.slope[:, :3] = a
        w.curve[:, :3, 3:] *= is_carried[:, None, None]
        w.curve[:, 3:, :3] *= is_carried[:, None, None]
        rest = w.rest + ROUND_OFF * extent
        first = motion.shift + motion.turn * np.linalg.norm(w.slope[:, 3:], axis=-1)
        size = np.linalg.norm(turned, axis=-1)
        second = size * motion.turn * (np.linalg.norm(still, axis=-1) * motion.turn / 2 + motion.shift * is_carried)
        most = np.abs(w.value) + first + second
        is_positive = (w.value > first + second + rest) | (inside & (w.value > rest))
        left = 2 * first * second + second**2 + (2 * most + rest) * rest
        curve = 2 * w.value[:, None, None] * w.curve + 2 * w.slope[:, :, None] * w.slope[:, None, :]
        square = Local(w.value**2, 2 * w.value[:, None] * w.slope, curve, left * WIDENED)
        square.rest[~is_positive] = np.inf
        return square

    def margins(self, least: Array, lengths: Array) -> Array:
        """Margins (k,) at least, of functions that are `least` and struts between two `lengths` (k, 2); -inf where
        nothing is known."""
        c, apart = self.level, np.where(least > 0, lengths[:, 1], lengths[:, 0])
        with np.errstate(invalid="ignore", divide="ignore"):
            short = least / (np.sqrt(np.maximum(c**2 + least, 0.0)) + c)
            long = least / (np.sqrt(np.maximum(c**2 - least, 0.0)) + c)
            cosine = np.minimum(np.sqrt(c**2 + least / apart**2) * (1 - ROUND_OFF), 1.0)
            is_cone = np.isin(self.kinds, CONES)
            angle = np.where(is_cone, np.arccos(c) - np.arccos(cosine), np.arcsin(cosine) - np.arcsin(c))
        angle = np.where((apart > 0) & np.isfinite(angle), angle, -np.inf)
        found = np.where(self.kinds == layout.SHORTEST, short, np.where(self.kinds == layout.LONGEST, long, angle))
        found = found - ROUND_OFF * (np.abs(found) + np.where(self.is_stroke, c, 1.0))
        return np.where(least >= 0, np.maximum(found, 0.0), np.where(np.isnan(found), -np.inf, found))


class Local(NamedTuple):
    """Functions (n,) as `Quadratic`, of displacements and rotation vectors along the base's axes from centres."""

    value: Array
    slope: Array
    curve: Array
    rest: Array

    def times(self, factor: Array) -> Local:
        """The functions times factors (n,)."""
        rest = self.rest * np.abs(factor)
        return Local(self.value * factor, self.slope * factor[:, None], self.curve * factor[:, None, None], rest)

    def add(self, at: Ints, other: Local) -> None:
        """Add others to some."""
        for array, more in zip(self, other, strict=True):
            array[at] += more

    def in_coordinates(self, motion: Motion) -> Quadratic:
        """The same by the region's coordinates."""
        J = np.zeros_like(self.curve)
        J[:, :3, :3], J[:, 3:, 3:] = motion.directions, motion.W
        curve = np.swapaxes(J, 1, 2) @ self.curve @ J
        return Quadratic(self.value, (self.slope[:, None] @ J)[:, 0], curve, self.rest * WIDENED)


def _product(motion: Motion, q: Array, r: Array, shift: Array) -> Local:
    """V = (q + x) . R r of vectors (n, 3), |x| <= shift."""
    t, bend = motion.turn, motion.bend / 2
    moment, inner = cross(r, q), (q * r).sum(axis=-1)
    curve = np.zeros((len(q), 6, 6))
    outer = r[:, :, None] * q[:, None, :]
    curve[:, 3:, 3:] = (outer + np.swapaxes(outer, 1, 2)) / 2 - inner[:, None, None] * np.eye(3)
    curve[:, 3:, :3] = K = skew(r)
    curve[:, :3, 3:] = -K
    size, lever = np.linalg.norm(r, axis=-1), np.linalg.norm(moment, axis=-1)
    far, across = np.linalg.norm(q, axis=-1) + shift, lever + size * shift
    rest = t**3 / 6 * across + t**4 / 24 * far * size + shift * t**2 * size / 2
    rest += bend * (across + size * t * far) + bend**2 / 2 * far * size
    return Local(inner, np.concatenate([r, moment], axis=-1), curve, rest * WIDENED)


def _squared_length(motion: Motion, q: Array, r: Array, extent: Array) -> Local:
    """D . d of struts d = q + x + R r."""
    V = _product(motion, q, r, motion.shift)
    d = q + r
    slope = np.concatenate([2 * d, 2 * V.slope[:, 3:]], axis=-1)
    curve = 2 * V.curve
    curve[:, :3, :3] += 2 * np.eye(3)
    far = np.linalg.norm(q, axis=-1) + np.linalg.norm(r, axis=-1) + motion.shift
    return Local(np.sum(d * d, axis=-1), slope, curve, 2 * V.rest + 2 * ROUND_OFF * far * (extent + far))


def _chosen(motion: Motion, at: Ints) -> Motion:
    X, W, half, shift, turn, bend = (array[at] for array in motion[:6])
    return Motion(X, W, half, shift, turn, bend, motion.about, motion.directions)
