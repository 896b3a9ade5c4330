"""Limits of struts over a region, leg by leg: strokes, cones and plate angles as quadratic functions.

With q from a strut's base joint to the region's point and r from there to its platform joint, at a box's centre, the
strut is d = q + x + R r, where x is the point's displacement and R the platform's rotation. Square roots are avoided: a
stroke is kept where d . d - low^2 or high^2 - d . d is not negative, an angle of cosine c > 0 to a direction n where
(n . d)^2 - c^2 d . d is not, and n . d is positive somewhere; for plates c is the sine of the angle to the plate. All
are combinations of

    V(x, R) = (q + x) . R r        d . d = |q + x|^2 + |r|^2 + 2 V

and of n . d, which has the form of V with n in place of q, or of r if n is fixed to the platform. With R = exp(v) D,
v = W dz, and D a rotation by no more than |w'| / 2 (`gough.regions.charts`),

    V = q . r + x . r + v . (r x q) + x . (v x r) + ((v . r) (v . q) - |v|^2 q . r) / 2 + remainder

The remainder is of third order, but for the effect of D, so that few boxes are needed (`gough.regions.quadratic`). Each
limit has boxes of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.limits import _margins as layout
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.regions._placing import ROUND_OFF
from gough.regions._struts import BoxMotion, Struts, write_functions
from gough.regions.cells import Cells, motion_of
from gough.regions.quadratic import LimitBounds, least_values
from gough.regions.shapes import PoseRegion
from gough.regions.taylor import Model

STROKES = (layout.SHORTEST, layout.LONGEST)
CONES = (layout.BASE_CONE, layout.PLATFORM_CONE)
CARRIED = (layout.PLATFORM_CONE, layout.PLATFORM_PLATE)


class LegLimits(NamedTuple):
    """Limits (k,) of struts: their columns, legs and kinds in the layout; levels, lengths or cosines of angles; and the
    directions (k, 3) of the angles, in the base or the platform frame, zero for strokes."""

    machine: Machine
    columns: Ints
    legs: Ints
    kinds: Ints
    level: Array
    axis: Array

    @classmethod
    def of(cls, machine: Machine, table: LimitTable, counted: Bools) -> LegLimits:
        """The limits of a machine that count and have a positive level: with squares other levels make no sense. None
        of other leg kinds."""
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
        return cls(machine, columns, legs, kinds, level, axis).chosen(level > 0)  # others stay with the common search

    def chosen(self, which: Bools | Ints) -> LegLimits:
        """Some of the limits, each as often as its index occurs."""
        columns, legs, kinds = self.columns[which], self.legs[which], self.kinds[which]
        return LegLimits(self.machine, columns, legs, kinds, self.level[which], self.axis[which])

    @property
    def is_stroke(self) -> Bools:
        """Whether each limit is one of a stroke."""
        return np.asarray((self.kinds == layout.SHORTEST) | (self.kinds == layout.LONGEST))

    def bounded(self, region: PoseRegion, cells: Cells) -> LimitBounds:
        """Bounds over a box of each limit. The remainder grows with rotations: its loss is divided between their
        coordinates as the squares of half widths."""
        functions, lengths = self.functions(region, cells)
        least = least_values(region, cells, functions)
        turns, loss = least.left.half[:, 3:] ** 2, least.loss.copy()
        with np.errstate(invalid="ignore"):
            loss[:, 3:] += functions.remainder[:, None] * turns / np.maximum(turns.sum(axis=1, keepdims=True), 1e-300)
        return LimitBounds(least, functions.gradient, loss, self.margins(least.lower, lengths))

    def functions(self, region: PoseRegion, cells: Cells) -> tuple[Model, Array]:
        """Functions that are not negative where each limit is kept, over a box each; bounds (n, 2) of the lengths."""
        n, motion = len(cells), motion_of(region, cells)
        gradient, hessian, out = np.empty((n, 6)), np.empty((n, 6, 6)), np.empty((4, n))
        struts = Struts(self.machine.table, self.machine.size, self.legs, self.kinds, self.level, self.axis)
        write_functions(struts, region.arrays, np.array(cells.centre), BoxMotion(*motion[:6]), gradient, hessian, out)
        return Model(out[0], gradient, hessian, out[1], cells.half), out[2:].T

    def margins(self, least: Array, lengths: Array) -> Array:
        """Lower bounds (k,) of margins, from lower bounds `least` of the functions and bounds (k, 2) of the lengths;
        -inf where none is known."""
        # The margin of an angle falls with the length where `least` is positive, and grows with it elsewhere.
        c, apart = self.level, np.where(least > 0, lengths[:, 1], lengths[:, 0])
        with np.errstate(invalid="ignore", divide="ignore"):
            # sqrt(c^2 + x) - c = x / (sqrt(c^2 + x) + c), without cancellation.
            short = least / (np.sqrt(np.maximum(c**2 + least, 0.0)) + c)
            long = least / (np.sqrt(np.maximum(c**2 - least, 0.0)) + c)
            cosine = np.minimum(np.sqrt(c**2 + least / apart**2) * (1 - ROUND_OFF), 1.0)
            is_cone = np.isin(self.kinds, CONES)
            angle = np.where(is_cone, np.arccos(c) - np.arccos(cosine), np.arcsin(cosine) - np.arcsin(c))
        angle = np.where((apart > 0) & np.isfinite(angle), angle, -np.inf)
        found = np.where(self.kinds == layout.SHORTEST, short, np.where(self.kinds == layout.LONGEST, long, angle))
        found = found - ROUND_OFF * (np.abs(found) + np.where(self.is_stroke, c, 1.0))
        return np.where(least >= 0, np.maximum(found, 0.0), np.where(np.isnan(found), -np.inf, found))
