"""Ends of travel of rods over boxes: proven only where all joints keep them, and mostly where these do."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW_OF_KIND

import gough
from gough.limits import _margins as layout
from gough.limits.table import limit_table
from gough.regions import box
from gough.regions.cells import Cells
from gough.regions.rod_limits import RodLimits

BOXES, PLACES = 400, 150
WAY = {"PUS": 0.2, "RUS": 0.6}
"""Half widths of boxes at the most, of the machine's size: cranks go round."""


def drawn(kind, rng):
    """A machine whose branches, and where cranks are counted from, are drawn; six other joints every time."""
    m = gough.load(SKEW_OF_KIND[kind])
    legs = replace(m.legs, branch=rng.choice([-1.0, 1.0], 6))
    if kind == "RUS":
        phase = Rotation.from_rotvec(rng.uniform(-np.pi, np.pi, (6, 1)) * legs.n_B)
        legs = replace(legs, r_B=phase.apply(legs.r_B.copy()))
    return replace(m, legs=legs)


def limits_of(m, *kinds):
    """All of some kinds."""
    table = limit_table(m)
    every = RodLimits.of(m, table, np.ones(len(table.columns), dtype=bool), np.repeat([1.0, m.size], 3))
    return every.chosen(np.flatnonzero(np.isin(every.kinds, kinds)))


def over(own, region):
    """Their bounds, over the region as one box."""
    cells = Cells(*(np.tile(part, (len(own.legs), 1)) for part in (region.centre, region.half)))
    return own.bounded(region, cells)


def ends_of_travel(m, q, rng):
    """Ends of travel (k,) of legs (k,) in a sense each, somewhere or near the joints (n, 6) of a box."""
    own = limits_of(m, layout.SHORTEST, layout.LONGEST)
    which = own.columns
    low, high = np.nanmin(q, axis=0)[own.legs[:, 0]], np.nanmax(q, axis=0)[own.legs[:, 0]]
    near = np.where(own.kinds == layout.LONGEST, high, low) + 0.1 * (high - low + 1e-3) * rng.normal(size=len(which))
    far = np.pi if m.legs.joint == "angle" else 2 * m.size
    end = np.where(rng.uniform(size=len(which)) < 0.5, near, far * rng.uniform(-1, 1, len(which)))
    end = np.clip(end, -far, far)
    return own._replace(bound=end, level=end)


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
def test_ends_of_travel_are_proven_where_joints_keep_them(kind, rng):
    kept, proven, small, closing = [], [], [], []
    for _ in range(BOXES):
        m = drawn(kind, rng)
        size, turn = 10 ** rng.uniform(-3, 0) * WAY[kind] * m.size, 10 ** rng.uniform(-3, -0.3)
        start = m.X_home[:3, 3] + 0.3 * m.size * rng.uniform(-1, 1, 3)
        region = box(start, size * rng.uniform(0, 1, 3), turn=turn, reference=m.X_home[:3, :3])
        z = region.places(PLACES, rng)
        z[::2] = region.centre + region.half * np.sign(z[::2] - region.centre)
        q = gough.inverse_kinematics(m, region.poses(region.moved_inside(z)))
        if not np.isfinite(q).all():
            continue
        own = ends_of_travel(m, q, rng)
        bounds = over(own, region)
        left = np.where(own.kinds == layout.LONGEST, own.level - q[:, own.legs[:, 0]], q[:, own.legs[:, 0]] - own.level)
        least = left.min(axis=0)
        assert (bounds.margins <= least + 1e-12).all()
        assert (least[bounds.least.lower >= 0] >= -1e-12).all()
        kept.extend(least > 0)
        proven.extend(bounds.least.lower >= 0)
        closing.extend(over(limits_of(m, layout.REACH), region).least.lower >= 0)
        small.extend(np.full(len(least), size < 0.01 * m.size and turn < 0.01))
    kept, proven, small = np.array(kept), np.array(proven), np.array(small)
    assert kept.sum() > 300
    assert proven[kept & small].mean() > 0.93
    assert proven[kept].mean() > 0.8
    assert np.mean(closing) > 0.8
