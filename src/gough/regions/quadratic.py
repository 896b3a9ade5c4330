"""Lower bounds of quadratic functions over boxes and ellipsoids, and where such a function can be below zero.

With prices t >= 0 of leaving the box and s >= 0 of leaving an ellipsoid, x in the box's half widths,

    f(x) >= f(x) + sum t_j (x_j^2 - 1) + s (|o + k x|^2 - 1)        (weak duality)

The right side has one minimum where M = H + 2 diag(t + s k^2) is positive definite: B, at y = -M^-1 (g + 2 s k o).
Each place where f < 0 therefore has

    t_j (1 - x_j^2) < -B        (x_j - y_j)^2 < -2 B (M^-1)_jj
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.regions._quadratic import least_of_boxes
from gough.regions.cells import Cells
from gough.regions.shapes import PoseRegion


class Quadratic(NamedTuple):
    """Functions of n boxes, f >= value + slope . z + z . curve z / 2 - rest with z from each box's centre to the places
    of box and region: (n,), (n, 6), (n, 6, 6) and (n,)."""

    value: Array
    slope: Array
    curve: Array
    rest: Array


class Least(NamedTuple):
    """Lower bounds (n,) of functions; what encloses the places where each is below zero; where its minimum is near, and
    what of the bound is lost along each coordinate (n, 6)."""

    lower: Array
    left: Cells
    near: Array
    loss: Array


def least_values(region: PoseRegion, cells: Cells, functions: Quadratic) -> Least:
    """Lower bounds of functions over boxes and region, one of each box; sharpened until they are above zero."""
    arrays = (np.array(array, order="C") for array in (*cells, *functions))
    lower, found = least_of_boxes(region.arrays, *arrays)
    centre, half, near, loss = np.moveaxis(found, 1, 0)
    return Least(lower, Cells(centre, half), near, loss)
