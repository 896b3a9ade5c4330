"""Ends of travel of rods over boxes: proven only where all joints keep them, and mostly where these do."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW_OF_KIND
from tests.thorough import thorough

import gough
from gough.limits import _margins as layout
from gough.limits.table import limit_table
from gough.regions import ball, box, ellipsoid
from gough.regions.cells import Cells, linear_minimisers, motion_of
from gough.regions.drive_models import least_in_region, slider_square
from gough.regions.leg_models import LegModels
from gough.regions.rod_limits import RodLimits

BOXES, PLACES = 400, 150
GRID = np.linspace(-1, 1, 201)[:, None]
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


@pytest.mark.parametrize("kind", ["RUS", *thorough("PUS")])
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


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
def test_rods_hold_where_box_and_ball_meet_near_the_end_of_reach(kind, rng):
    """Roots are bounded where the region is, which may end before rods can hardly close."""
    m = gough.load(SKEW_OF_KIND[kind])
    first, again = [], []
    for _ in range(BOXES // 3):
        size = m.size * 10 ** rng.uniform(-2.5, -0.5)
        region = ball(m.home_point, size, turn=size / m.size, about=m.point_of_interest, reference=m.home)
        half = region.half * rng.uniform(0.1, 0.6, 6)
        corner = region.half * (0.7 * rng.choice([-1.0, 1.0], 6))
        cells = Cells((region.centre + corner)[None], half[None])
        z = cells.centre + half * rng.uniform(-1, 1, (PLACES, 6))
        z = z[region.contains(region.poses(z))]
        with np.errstate(all="ignore"):
            q = LegModels(m, motion_of(region, cells)).q
        true = gough.inverse_kinematics(m, region.poses(z)) - q.value[0]
        turns = 2 * np.pi * np.round(true / (2 * np.pi)) if kind == "RUS" else 0.0
        steps = z - cells.centre
        off = true - turns - steps @ q.gradient[0].T - np.einsum("na,kab,nb->nk", steps, q.hessian[0], steps) / 2
        first.append(np.nanmax(np.abs(off) - q.remainder[0], initial=-np.inf))
        again.append(np.isfinite(off).any() & np.isfinite(q.remainder).all())
    assert np.mean(again) > 0.2
    assert max(first) < 1e-9 * m.size


@pytest.mark.parametrize("turn", [False, True])
def test_squares_under_roots_are_bounded_where_the_region_is(turn, rng):
    """A box about a region of one coordinate, where what the bound leaves is of third order, or about a ball."""
    m, gaps = gough.load(SKEW_OF_KIND["PUS"]), []
    g, rod = m.legs.g_B, m.legs.rod_length
    for _ in range(50):
        size = m.size * 10 ** rng.uniform(-2.5, -0.5)
        about = {"about": m.point_of_interest, "reference": m.home}
        region = ball(m.home_point, size, turn=size / m.size, **about)
        if not turn:
            region = ellipsoid(m.home_point, size * np.eye(3)[rng.integers(3)], **about)
        motion = motion_of(region, Cells(region.centre[None], 1.3 * region.half[None]))
        models = LegModels(m, motion).in_base
        square = slider_square(models.table, models.reach, models.square)
        least = least_in_region(square, motion)[0]
        places = np.concatenate([linear_minimisers(region, square.gradient[0]), region.centre + region.half * GRID])
        X = region.poses(region.moved_inside(places))
        d = (X[:, None, :3, :3] @ m.b_P[..., None])[..., 0] + X[:, None, :3, 3] - m.legs.a_B
        across = d - np.sum(d * g, axis=-1, keepdims=True) * g
        true = (rod**2 - np.sum(across**2, axis=-1)).min(axis=0)
        assert (true - least > -1e-12 * m.size**2).all()
        gaps.append((true - least) / square.nonlinear_variation[0])
    assert np.median(gaps) < (3 if turn else 0.5)
