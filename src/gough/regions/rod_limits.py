"""Limits of rods over a region, leg by leg, as Taylor models: reach, travel, cones, plate angles, clearance.

Each is a function, or the minimum of several, that is not negative where the limit is kept; each limit has boxes of its
own. The remainders of the models (`gough.regions.leg_models`) are of third order in a box, but for the root of a rod
near the end of its reach, where a chord is used. Ends of travel are decided without roots. With b the platform joint,
p(q) the driven point, q on the branch s = +-1 and an end e of travel,

    F(e) = (|b - p(e)|^2 - l^2) / 2 l        D = s (b - p(e)) . p'(e) / |p'|

locate the two roots of F: s q <= s e where F(e) >= 0 >= D(e), and s q >= s e where F(e) <= 0 or D(e) >= 0. For cranks F
is negative on an arc of which q is an end. An upper end e of travel is above zero there, a lower one below: s q <= s e
where s e >= 0 and F(e) >= 0 >= D(f) for some f between zero and e; s q >= s e where s e <= 0, the second condition
above holds, and F(pi) >= 0 or D(0) <= 0. Poses at which a rod cannot close are covered by the limit of its reach alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.legs.leg import AXIS, BRANCH, MIDDLE, ROD
from gough.limits import _margins as layout
from gough.limits.table import LimitTable
from gough.machine import Machine
from gough.regions.cells import Cells, motion_of
from gough.regions.clearance import longest_of, normals, swing_of
from gough.regions.drive_models import arms_at, circle_squares, rows_of, slider_square
from gough.regions.leg_models import LegModels
from gough.regions.motions import Motion
from gough.regions.quadratic import LimitBounds, least_of_branches
from gough.regions.second_order import turned
from gough.regions.shapes import PoseRegion
from gough.regions.taylor import Model

CONES = (layout.BASE_CONE, layout.PLATFORM_CONE)
TRAVELS = (layout.SHORTEST, layout.LONGEST)
PLATES = (layout.BASE_PLATE, layout.PLATFORM_PLATE)
CARRIERS = {
    layout.BASE_CONE: "drive",
    layout.PLATFORM_CONE: "platform",
    layout.BASE_PLATE: "base",
    layout.PLATFORM_PLATE: "platform",
}
ROUNDING = 1e-15


class RodLimits(NamedTuple):
    """Limits (k,) of rods: their columns; legs (k, 2), two different ones for clearances; kinds in the layout; bounds;
    levels that models are compared with, joint coordinates, cosines of angles or distances; and the directions (k, 3)
    of the angles, in the base or the platform frame. `weight` (6,) is the displacement of joints by each coordinate."""

    machine: Machine
    weight: Array
    columns: Ints
    legs: Ints
    kinds: Ints
    bound: Array
    level: Array
    axis: Array

    @classmethod
    def of(cls, machine: Machine, table: LimitTable, counted: Bools, weight: Array) -> RodLimits:
        """The limits of a machine that count; none of struts."""
        places, L, G = table.arrays.places, table.arrays.L, table.arrays.G
        columns = np.flatnonzero(counted[: len(places)] & (places >= layout.REACH) & (places < layout.BOX))
        columns = columns if machine.legs.rod() is not None else columns[:0]
        is_pair = places[columns] >= layout.PAIR
        kinds = np.where(is_pair, layout.PAIR, places[columns] // 6 * 6)
        legs = np.repeat(places[columns, None] % 6, 2, axis=1)
        legs[is_pair] = table.arrays.pairs[places[columns[is_pair]] - layout.PAIR]
        bound = np.array([table.columns[c].bound for c in columns])
        level = np.where(np.isin(kinds, CONES), np.cos(bound), np.where(np.isin(kinds, PLATES), np.sin(bound), bound))
        axis = np.zeros((len(columns), 3))
        for kind, of_leg in ((layout.BASE_CONE, layout.BASE_AXIS), (layout.PLATFORM_CONE, layout.PLATFORM_AXIS)):
            axis[kinds == kind] = L[of_leg : of_leg + 3, legs[kinds == kind, 0]].T
        for kind, first in ((layout.BASE_PLATE, layout.BASE_NORMAL), (layout.PLATFORM_PLATE, layout.PLATFORM_NORMAL)):
            axis[kinds == kind] = G[first : first + 3]
        return cls(machine, weight, columns, legs, kinds, bound, level, axis)

    def chosen(self, which: Bools | Ints) -> RodLimits:
        """Some of the limits, each as often as its index occurs."""
        columns, legs, kinds = self.columns[which], self.legs[which], self.kinds[which]
        bound, level, axis = self.bound[which], self.level[which], self.axis[which]
        return RodLimits(self.machine, self.weight, columns, legs, kinds, bound, level, axis)

    def bounded(self, region: PoseRegion, cells: Cells) -> LimitBounds:
        """Bounds over a box of each limit, computed kind by kind."""
        motion, rows, found = motion_of(region, cells), [], []
        for kind in np.unique(self.kinds):
            at = np.flatnonzero(self.kinds == kind)
            own = self.chosen(at)
            with np.errstate(all="ignore"):
                model, scale = own._model(int(kind), motion.chosen(at))
                bounds = least_of_branches(region, cells.chosen(at), model, model.remainder_share(self.weight))
                found.append(bounds._replace(margins=own._margins(bounds.least.lower, scale)))
            rows.append(at)
        return LimitBounds.joined(found, rows)

    def _model(self, kind: int, motion: Motion) -> tuple[Model, Array]:
        """Functions (n, b) of limits of one kind, whose minimum over b counts; and (n,): upper bounds of |N| for
        clearances, lower bounds of the margins for travels, ones for others."""
        if kind == layout.PAIR:
            return self._clearances(motion)
        models, one = LegModels(self.machine, motion, self.legs[:, :1]), np.ones(len(self.legs))
        if kind == layout.REACH:
            return self._reaches(models), one
        if kind in TRAVELS:
            return self._travels(1.0 if kind == layout.LONGEST else -1.0, models)
        axis, carrier = self.axis[:, None], CARRIERS[kind]
        if carrier == "drive" and self.machine.legs.joint == "angle":
            axis = turned(rows_of(models.table, AXIS), models.q_centre, axis)
        return models.along_rods(axis, carrier) - self.level[:, None], one

    def _travels(self, sense: float, models: LegModels) -> tuple[Model, Array]:
        """Functions (n, 2) of ends of travel in a sense: by F and D, or by q, whichever bound is relatively closer
        (`Model.closeness`); and lower bounds (n,) of the margins, by q. Cranks are counted from the middle of their
        range, on one side of half a turn from there."""
        # `is_far`: the branch points towards the end, s q <= s e is wanted, and F and -D must not be negative. On the
        # other branch s q >= s e is wanted: -F or D suffices, with a second condition for cranks.
        q, end, is_crank = models.q, self.level[:, None], self.machine.legs.joint == "angle"
        middle = models.table[MIDDLE]
        left = (-q + end) * sense
        F, D = self._beyond(models, end)
        near = (-F).or_better(D)
        near_guard, far_guard = near, -D
        if is_crank:  # beyond half a turn q jumps, and `left` is unknown
            left = replace(left, remainder=np.where((q - middle).size < np.pi, left.remainder, np.inf))
            near_guard, far_guard = self._within_a_turn(sense, models)
        is_far = models.table[BRANCH] * sense > 0
        first, guard = near.or_where(is_far, F), near_guard.or_where(is_far, far_guard)
        is_beyond = is_crank & (sense * (end - middle) < 0)
        is_better = ~(np.minimum(first.closeness, guard.closeness) >= left.closeness) | is_beyond
        found = Model.joined([first, guard], axis=1).or_where(is_better, Model.joined([left, left], axis=1))
        return found, (left.value - left.change)[:, 0]

    def _within_a_turn(self, sense: float, models: LegModels) -> tuple[Model, Model]:
        """Second conditions for ends of cranks' travel (n, 1), not negative where F decides: on the branch towards
        the middle, and on the other one, where D may be taken at any place f between the middle and the end: at a
        quarter turn from b."""
        T, d, end = models.table, models.in_base.reach.value, self.level[:, None]
        middle = T[MIDDLE]
        opposite = self._beyond(models, middle + np.pi)[0]
        towards = -self._beyond(models, middle)[1]
        x, y = (np.sum(d * side, axis=-1) for side in arms_at(T, middle))
        place = np.clip(sense * np.arctan2(y, x) + np.pi / 2, 0.0, np.abs(end - middle))
        return opposite.or_better(towards), -self._beyond(models, middle + sense * place)[1]

    def _beyond(self, models: LegModels, end: Array) -> tuple[Model, Model]:
        """F and D (n, 1) at joint coordinates (n, 1)."""
        T, (point, direction) = models.table, models.driven(end)
        F = (models.square_from(point) - T[ROD] ** 2) * (0.5 / T[ROD])
        return F, (models.heads - point).dot(direction * T[BRANCH][..., None])

    def _reaches(self, models: LegModels) -> Model:
        """Functions of the reach (n, 1), squares in place of distances; of cranks for both ends (n, 2)."""
        T, d, square = models.table, models.in_base.reach, models.square
        if self.machine.legs.joint == "length":
            return slider_square(T, d, square)
        across, middle = circle_squares(T, d, square)  # 2 r rho >= |m|, for both signs of m
        return Model.joined([across - middle, across + middle], axis=1)

    def _clearances(self, motion: Motion) -> tuple[Model, Array]:
        """N . e less the distance of the limit, for the four pairs of ends of two legs (n, 4), and bounds of |N|:
        `gough.regions.clearance`."""
        models = LegModels(self.machine, motion, self.legs).in_base
        feet, heads = models.feet, models.heads
        ends = Model.joined([feet[:, :, None], heads[:, :, None]], axis=2)  # (n, leg, end, 3)
        n, nu, _ = normals(ends.value, ends.gradient, np.array([[0, 1]]))
        N, longest = Model.linear(n, nu, np.zeros_like(n), motion.half), longest_of(swing_of(nu, motion.half[:, None]))
        pairs = [ends[:, :1, a] - ends[:, 1:, b] for a in (0, 1) for b in (0, 1)]
        least = Model.joined([N.dot(pair) for pair in pairs], axis=1)
        return least - self.level[:, None] * longest, longest[:, 0]

    def _margins(self, least: Array, scale: Array) -> Array:
        """Lower bounds (n,) of margins, from lower bounds `least` of the functions; -inf where none is known."""
        rod = self.machine.table[ROD, self.legs[:, 0]]
        sign = -1.0 if self.machine.legs.joint == "length" else 1.0
        reach = least / (rod + np.sqrt(np.maximum(rod**2 + sign * least, 0.0)))
        cosine = np.clip(self.level + least, -1.0, 1.0)
        cone, plate = self.bound - np.arccos(cosine), np.arcsin(cosine) - self.bound
        kinds = [np.isin(self.kinds, kinds) for kinds in (layout.REACH, CONES, PLATES, TRAVELS)]
        found = np.select(kinds, [reach, cone, plate, scale], least / scale)  # else clearances, |N| in `scale`
        found = found - ROUNDING * (np.abs(found) + np.abs(self.bound) + 1.0)
        return np.where(least >= 0, np.fmax(found, 0.0), np.where(np.isnan(found), -np.inf, found))
