"""Bounds over boxes of positions at one orientation: of margins, and of the distance to singularity.

While the platform joints stay in balls, the rods' directions are known up to a chord s_i (`gough.legs`). The smallest
singular value of `gough.margins` is that of the matrix A with the rows [u, rho x u], rho = R (b - c) / l. No pose of
the box has a matrix farther from that of the reference directions than

    |A - A_ref|_F <= sqrt(sum s_i^2 (1 + |rho_i|^2))

and singular values move no farther than that (Weyl 1912): a lower bound for every pose of the box, for every leg kind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.legs.leg import Enclosure
from gough.limits import _margins as layout
from gough.limits.table import LimitTable
from gough.machine import Machine

ROUNDING = 1e-12
"""Part of each quantity's scale by which bounds are widened: a thousand times what rounding takes."""


class Region(NamedTuple):
    """Boxes of positions of the platform's origin at one orientation."""

    machine: Machine
    R: Array
    centres: Array
    half: Array

    @property
    def radius(self) -> float:
        """Of the balls about the boxes [m]."""
        return float(np.linalg.norm(self.half))

    def enclosure(self) -> Enclosure:
        """Enclosures of the legs' joint coordinates and directions."""
        b_B = self.centres[:, None, :] + self.machine.b_P @ self.R.T
        return self.machine.legs.enclosure(b_B, np.full((len(self.centres), 1), self.radius))


def smallest_singular_bound(region: Region, enclosure: Enclosure) -> Array:
    """Lower bound (n,) of the smallest singular value over each box, as `gough.margins` counts it; at least 0."""
    m = region.machine
    rho = (m.b_P - m.platform_centre) @ region.R.T / m.characteristic_length
    rows = np.concatenate([enclosure.u, np.cross(rho, enclosure.u)], axis=-1)
    least = np.linalg.svd(rows, compute_uv=False)[:, -1]
    shift = np.sqrt(np.sum(enclosure.u_shift**2 * (1 + np.sum(rho**2, axis=-1)), axis=-1))
    closes = (enclosure.q_low <= enclosure.q_high).all(axis=-1)
    return np.where(closes, np.maximum(least - shift - ROUNDING, 0.0), np.inf)


def singular_bound_of_determinant(region: Region, enclosure: Enclosure, determinant: Array) -> Array:
    """The same from a lower bound (n,) of |det [d, R b x d]| [m^9] over each box of a strut machine.

    The rows of A have squares that sum to no more than 12, so that the product of its five largest singular values is
    no more than (12 / 5)^(5/2), by the inequality of arithmetic and geometric means.
    """
    volume = enclosure.q_high.prod(axis=-1) * region.machine.characteristic_length**3
    return np.asarray(determinant / volume / (12 / 5) ** 2.5)


def largest_margins(region: Region, table: LimitTable, enclosure: Enclosure, margins: Array) -> Array:
    """Upper bounds (n, k) of every margin over each box, from those at its centre; of the singularity: infinite.

    A margin that is a distance grows no faster than what it measures moves; an angle no faster than the rod turns.
    """
    m, r = region.machine, region.radius
    twice = np.where(enclosure.is_centred, 1.0, 2.0)  # from the centre's direction to the reference, and on
    turn = 2 * np.arcsin(np.minimum(twice * enclosure.u_shift / 2, 1.0))
    half = np.where(enclosure.q_low <= enclosure.q_high, (enclosure.q_high - enclosure.q_low) / 2, 0.0)
    holder = turn + 2 * half if m.legs.joint == "angle" else turn  # a crank turns the joint it holds
    moved = np.maximum(twice * enclosure.p_shift, r)
    bounds = np.full((len(margins), layout.COLUMNS), np.inf)
    values = np.full((len(margins), layout.COLUMNS), np.inf)
    values[:, table.arrays.places] = np.where(np.isnan(margins), np.inf, margins)
    for first, growth in (
        (layout.REACH, np.full_like(turn, r)),
        (layout.BASE_CONE, holder),
        (layout.PLATFORM_CONE, turn),
        (layout.BASE_PLATE, turn),
        (layout.PLATFORM_PLATE, turn),
    ):
        bounds[:, first : first + 6] = values[:, first : first + 6] + growth
    with np.errstate(invalid="ignore"):  # joints out of reach without a limit, which have no column
        bounds[:, layout.SHORTEST : layout.SHORTEST + 6] = enclosure.q_high - table.arrays.L[layout.LOW]
        bounds[:, layout.LONGEST : layout.LONGEST + 6] = table.arrays.L[layout.HIGH] - enclosure.q_low
    for k, (i, j) in enumerate(table.arrays.pairs):
        bounds[:, layout.PAIR + k] = values[:, layout.PAIR + k] + moved[:, i] + moved[:, j]
    sides = slice(layout.BOX, layout.BOX + 6)
    bounds[:, sides] = values[:, sides] + np.repeat(region.half, 2)
    bounds[:, layout.RADIUS] = values[:, layout.RADIUS] + r
    for place in (layout.TILT, layout.ROTATION):  # of the orientation alone
        bounds[:, place] = values[:, place]
    scale = np.array([column.scale for column in table.columns])
    return np.asarray(bounds[:, table.arrays.places] + ROUNDING * scale)
