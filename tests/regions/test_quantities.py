"""Limited quantities against the margins of compiled functions, and over boxes against poses in these."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.limits.table import limit_table, margin_values
from gough.regions import ball, box, cylinder
from gough.regions.box_limits import limits_over_cells
from gough.regions.branching import Search
from gough.regions.cells import Cells
from gough.regions.placing import Chart
from gough.regions.requested import RegionLimits

NAMES = ("hexel", "rotopod", *SKEW)
ROUND_OFF = 1e-10
"""Of margins, in their scales: next to zero and pi angles have half of the digits of their cosines."""
NEAR_ZERO = 1e-4
"""Cosines this close to one have lost half of their digits."""


def searched(m, size, k):
    """A search over a region about home, k-th kind."""
    place, about = m.X_home[:3, 3], 0.2 * m.size * np.array([1.0, -0.5, 2.0])
    region = (
        box(place, [size * m.size] * 3, tilt=size, roll=size / 2, reference=m.home),
        ball(place, size * m.size, turn=size, about=about, reference=m.home),
        cylinder(place, size * m.size, size * m.size, [1, 2, 3], euler=[size, size, 0.0], sequence="ZYX"),
    )[k]
    limits = RegionLimits.of(m)
    return limits, Search(limits, Chart.of(region), np.ones(len(limits.columns), dtype=bool))


@pytest.mark.parametrize("name", NAMES)
def test_at_poses_they_are_the_margins_of_one_pose(name, rng):
    """Every limit of every leg, with the same sign and, taken back, the same margin."""
    m, seen = gough.load(name), set()
    for size in (0.01, 0.2, 0.7):
        limits, search = searched(m, size, 1)
        y = search.chart.moved_inside(rng.uniform(-1, 1, (6, 300)))
        expected = margin_values(m, search.chart.region.poses(search.chart.coordinates(y)))
        for task in search.tasks:
            for item in range(task.count):
                values = task.at(search.chart.pose_at(y), np.full(300, item))
                found, columns = values.margins(values.f), task.columns[:, item]
                for c in set(columns[columns >= 0]):
                    margin, real = found[columns == c].min(axis=0), expected[:, c]
                    assert (np.isfinite(margin) == np.isfinite(real)).all() or limits.columns[c].quantity == "reach"
                    both = np.isfinite(margin) & np.isfinite(real)
                    scale = max(limits.columns[c].scale, 1.0)
                    rounding = np.where(np.abs(real - limits.columns[c].bound) < NEAR_ZERO, 1e-6, ROUND_OFF)
                    assert (np.abs(margin - real) <= rounding * scale)[both].all(), limits.columns[c].name
                    clear = both & (np.abs(real) > ROUND_OFF * scale)
                    assert (np.sign(values.f[columns == c].min(axis=0)) == np.sign(real))[clear].all()
                    seen.add(limits.columns[c].name)
    assert seen == {column.name for column in limit_table(m).columns}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("k", range(3))
def test_over_boxes_no_margin_is_below_its_bound_and_small_boxes_have_close_ones(name, k, rng):
    m = gough.load(name)
    limits, search = searched(m, 0.3, k)
    region, every = search.chart.region, np.ones(len(limits.columns), dtype=bool)
    for size in (1e-6, 1e-2, 0.3):
        centre = region.places(12, rng)
        cells = Cells(centre, size * region.half * rng.uniform(0, 1, centre.shape))
        lower = limits_over_cells(limits, region, cells, every).lower
        z = centre[:, None] + cells.half[:, None] * rng.uniform(-1, 1, (12, 200, 6))
        z[:, ::3] = centre[:, None] + cells.half[:, None] * np.sign(z[:, ::3] - centre[:, None])
        inside = region.excess(z.reshape(-1, 6)).reshape(12, 200) == 0
        found = margin_values(m, region.poses(z.reshape(-1, 6))).reshape(12, 200, -1)
        low = np.where(inside[..., None] & ~np.isnan(found), found, np.inf).min(axis=1)
        scale = np.array([max(column.scale, 1.0) for column in limits.columns])
        assert (low >= lower - 1e-13 * scale).all()
        if size == 1e-6:
            at = margin_values(m, region.poses(centre))
            known = np.isfinite(at) & (at > 1e-3) & (at < 1.0)
            # The sign of a determinant has no size, and the closure of a rod at an end tells little of its travel.
            is_sign = [
                column.is_singularity or column.name.endswith(("lowest", "highest")) for column in limits.columns
            ]
            assert (((at - lower) / scale)[known & ~np.array(is_sign)] < 1e-3).mean() > 0.9
