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
from gough.regions._regular import Platform, regular_boxes
from gough.regions._struts import BoxMotion
from gough.regions.cells import Cells, motion_of
from gough.regions.search import Boxes, OpenBoxes, Search
from gough.regions.shapes import PoseRegion

MOST_BOXES = 1000
"""Where they do not suffice the struts' singularities are near."""
HALVINGS, FALL = 2, 0.5
"""Of one box before its parts are looked at, and what each leaves of the part of W by a coordinate."""


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
        found, part = least_singular_values_of_struts(machine, region, cells)
        search.looked += len(cells)
        is_kept = (found > 0) & (found >= bound)
        low.append(found[is_kept].min(initial=np.inf))
        return OpenBoxes(boxes.chosen(~is_kept), cells.chosen(~is_kept), part[~is_kept])

    whole = Boxes(Cells(region.centre[None], region.half[None]), np.array([column]))
    if not len(search.halve(whole, judge, most, HALVINGS, FALL)):
        search.lower[column], search.counted[column] = min(low) - bound, False


def least_singular_values_of_struts(machine: Machine, region: PoseRegion, cells: Cells) -> tuple[Array, Array]:
    """Lower bounds (n,) over boxes, zero where they may be singular; parts of W by coordinates (n, 6)."""
    motion = motion_of(region, cells)
    platform = Platform(machine.table, machine.platform_centre, machine.characteristic_length, machine.size)
    least, part, _ = regular_boxes(platform, region.arrays, BoxMotion(*motion[:6]))
    return least, part
