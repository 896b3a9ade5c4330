"""Boxes of positions at one orientation, and bounds over them of the distance to singularity.

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
from gough.machine import Machine
from gough.regions.ball_bounds import ROUNDING, PoseBalls


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

    def balls(self) -> PoseBalls:
        """What the poses of the boxes differ by from those at the centres, for `gough.regions.ball_bounds`."""
        n = len(self.centres)
        X = np.tile(np.eye(4), (n, 1, 1))
        X[:, :3, :3], X[:, :3, 3] = self.R, self.centres
        tool, turn = np.broadcast_to(self.half, (n, 3)), np.zeros(n)
        return PoseBalls(X, np.full((n, 6), self.radius), tool, turn, np.full((n, 6), np.inf))


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
