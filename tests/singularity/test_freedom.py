"""SingularityFreeProof from singularities: what is proven holds, what is refuted has a witness, nothing hides between
columns."""

from dataclasses import replace

import numpy as np
import pytest
from tests.relabelled import relabelled
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.limits.interval_search import poses_at
from gough.machine import Limits

AT_ZERO = 1e-9
"""Of a singular value of order one."""
EVERY_MACHINE = [info.name for info in gough.machines(stages=1)]
EVERY_MACHINE += SKEW
TILT = gough.pose_matrix([0, 0, 0], [0.3, 0.2, 0.4], "XYZ")


def others_kept(m, X, slack=1e-9):
    g = gough.margins(m, X)
    return (g.relative[..., :-1] >= -slack).all(axis=-1)


def singular_value(m, X):
    g = gough.margins(m, X)
    return np.abs(g.values[..., -1] + m.limits.singular_value)


def poses_within(m, rng, count):
    """Random poses on the columns of the workspace of all other limits."""
    home = m.X_home[:3, :3] @ m.point_of_interest + m.X_home[:3, 3]
    x, y = (home[k] + np.linspace(row.minus, row.plus, 21) for k, row in enumerate(gough.travel_table(m)[:2]))
    w = gough.workspace(m, x=x, y=y, ignore=("singularity",))
    i, j, k = np.nonzero(np.isfinite(w.ends[..., 0]))
    pick = rng.integers(len(i), size=count)
    i, j, k = i[pick], j[pick], k[pick]
    low, high = np.moveaxis(w.ends[i, j, k], -1, 0)
    X = poses_at(m, w.R, np.stack([w.x[i], w.y[j], low + rng.uniform(size=count) * (high - low)], axis=1))
    return X[others_kept(m, X, 0)]  # an interval's end may be off by rounding


FEW = ("hexel", "singular-home", *SKEW)


@pytest.mark.parametrize("name", [*FEW, *thorough(*[name for name in EVERY_MACHINE if name not in FEW][1::4])])
def test_every_machine_has_a_verdict_that_holds(name, rng):
    m = gough.load(name)
    f = gough.singularity.free_of_singularities(m, max_boxes=40_000)
    assert f.sentence().startswith(f.verdict)
    if f.verdict == "refuted":
        assert others_kept(m, f.witness)
        assert singular_value(m, f.witness) < AT_ZERO
        if f.path is not None:
            s = np.linspace(0, 1, 200)[:, None]
            for a, b in zip(f.path[:-1], f.path[1:], strict=True):
                assert others_kept(m, poses_at(m, f.R, a + s * (b - a))).all()
        return
    assert f.verdict == "proven"
    X = poses_within(m, rng, 20_000)
    values = singular_value(m, X)
    assert 0 < f.bound <= values.min()
    assert f.bound >= 0.25 * values.min()
    # Every allowed position is in the cover, and the bound of its own box holds.
    X = X[:300]
    points = X[:, :3, :3] @ m.point_of_interest + X[:, :3, 3]
    inside = ((points[:, None] >= f.low) & (points[:, None] <= f.high)).all(axis=-1)
    assert inside.any(axis=1).all()
    assert (values[:300] >= np.where(inside, f.lower, -np.inf).max(axis=1)).all()


def corner_boxes(m, X):
    """Two boxes about a pose near the singular surface, whose corner, where the surface is nearest, ends just before it
    and just behind it: (low, high) of the point of interest, each."""
    far = gough.singularity.singular_distance(m, X)
    near = X.copy()
    near[:3, 3] += 0.9 * (far.position - X[:3, :3] @ m.point_of_interest - X[:3, 3])
    d = gough.singularity.singular_distance(m, near, max_boxes=100_000)
    assert d.lower > 0.98 * d.upper
    centre = near[:3, :3] @ m.point_of_interest + near[:3, 3]
    way = d.position - centre
    corners = [(centre + stretch * way, centre - 0.2 * way) for stretch in (0.998 * d.lower / d.upper, 1.002)]
    return [(np.minimum(*ends), np.maximum(*ends)) for ends in corners]


@pytest.mark.parametrize("name", [*thorough("rotopod"), SKEW[0]])
def test_a_singular_surface_just_outside_and_just_inside_a_corner(name):
    m = gough.load(name)
    X = m.X_home @ gough.pose_matrix([0, 0, 0], [0.08, -0.14, -0.28], "XYZ")
    X[:3, 3] = m.X_home[:3, 3] + 0.03 * m.size
    for (low, high), verdict in zip(corner_boxes(m, X), ("proven", "refuted"), strict=True):
        f = gough.singularity.free_of_singularities(m, X, low=low, high=high, within_limits=False)
        assert f.verdict == verdict, f.sentence()
        if verdict == "refuted":
            assert singular_value(m, f.witness) < AT_ZERO


def hidden_machine(share):
    """A strut machine whose tool keeps within a cylinder that, between the axes, comes `share` as far as the nearest
    singular position: the world is turned so that the surface is nearest between columns along x and y."""
    m = gough.load("hexel")
    R = TILT[:3, :3]
    height = np.linspace(0.74, 0.78, 9)
    angle = np.deg2rad(np.arange(0.0, 360.0, 0.5))
    c = gough.singularity.singularity_cubic(m, TILT)
    ray = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    away = np.array([[np.min(s[s > 0], initial=9.0) for s in (c.along([0, 0, z], d) for d in ray)] for z in height])
    nearest = angle[np.argmin(away.min(axis=0))]
    turn = gough.pose_matrix([0, 0, 0], [0, 0, np.pi / 4 - nearest], "XYZ")[:3, :3]
    home = gough.pose_matrix([0, 0, 0.76])
    home[:3, :3] = turn @ R
    limits = Limits(box=np.array([[-np.inf, np.inf], [-np.inf, np.inf], height[[0, -1]]]), radius=share * away.min())
    legs = replace(m.legs, a_B=m.legs.a_B @ turn.T)
    return replace(m, legs=legs, X_home=home, limits=replace(limits, joint_max=np.full(6, 3.0)))


@pytest.mark.parametrize(("share", "verdict"), [(0.96, "proven"), (1.01, "refuted")])
def test_a_crossing_between_columns_is_not_overlooked(share, verdict):
    m = hidden_machine(share)
    r = m.limits.radius
    w = gough.workspace(m, x=[-r, 0, r], y=[-r, 0, r])
    assert w.count.sum() == 5
    singular = w.names.index("singularity")
    assert not (w.binding == singular).any()  # nothing is to be seen in the columns
    f = gough.singularity.free_of_singularities(m, w)
    assert f.verdict == verdict, f.sentence()
    if verdict == "refuted":
        assert len(f.path) == 2
        x, y = np.abs(f.witness[:2, 3])
        assert min(x, y) > 0.3 * r


def test_a_workspace_gives_its_region_and_orientation():
    m = gough.load("hexel")
    w = gough.workspace(m, TILT, x=np.linspace(-0.1, 0.1, 3), y=np.linspace(-0.05, 0.1, 4), z=(0.7, 0.8))
    f = gough.singularity.free_of_singularities(m, w)
    np.testing.assert_allclose(f.low.min(axis=0), [-0.1, -0.05, 0.7], atol=1e-6)
    np.testing.assert_allclose(f.high.max(axis=0), [0.1, 0.1, 0.8], atol=1e-6)
    np.testing.assert_allclose(f.R, TILT[:3, :3])


def test_a_part_that_does_not_touch_homes_is_left_out():
    """Legs of 611 to 1015 mm let the platform, tilted, be above and below its base; only below it can be singular."""
    home = gough.pose_matrix([0, 0, 0.9], np.random.default_rng(9).uniform(-0.5, 0.5, 3), "XYZ")
    limits = Limits(joint_min=np.full(6, 0.611), joint_max=np.full(6, 1.015))
    m = replace(gough.load("hexel"), X_home=home, limits=limits)
    f = gough.singularity.free_of_singularities(m)
    assert f.verdict == "proven", f.sentence()
    assert f.part == "home"
    assert "is connected with home" in f.sentence()
    elsewhere = gough.singularity.free_of_singularities(m, home, high=[2, 2, f.low[:, 2].min()])
    assert elsewhere.verdict == "refuted"


@pytest.mark.parametrize("max_boxes", [300, *thorough(10_000)])
def test_fewer_boxes_never_prove_what_more_refute(max_boxes):
    m = gough.load("sinatra2009")
    f = gough.singularity.free_of_singularities(m, max_boxes=max_boxes)
    assert f.verdict != "proven"
    if f.verdict == "undecided":
        whole = gough.singularity.free_of_singularities(m)
        assert len(whole.path) == 2
        s = np.linspace(0, 1, 100)[:, None]
        points = whole.path[0] + s * (whole.path[1] - whole.path[0])
        inside = ((points[:, None] >= f.low) & (points[:, None] <= f.high)).all(axis=-1)
        assert inside.any(axis=1).all()  # the cover still holds the way there
        assert (f.lower[inside[-1]] == 0).all()


def test_running_out_of_boxes_is_said():
    m = gough.load("servo")
    f = gough.singularity.free_of_singularities(m, max_boxes=2000)
    assert f.verdict == "undecided"
    assert 0 < f.undecided_volume <= f.cover_volume
    assert f.bound == 0
    assert "are left after" in f.sentence()


def test_a_machine_that_is_singular_at_home_is_crossed_there():
    f = gough.singularity.free_of_singularities(gough.load("singular-home"))
    assert f.verdict == "refuted"
    np.testing.assert_array_equal(f.witness, f.machine.X_home)


def test_where_nothing_is_allowed_nothing_is_singular():
    m = gough.load("hexel")
    nowhere = replace(m, limits=replace(m.limits, tilt=0.1))
    f = gough.singularity.free_of_singularities(nowhere, gough.pose([0, 0, 0], [0.5, 0, 0], "XYZ"))
    assert f.is_proven
    assert f.sentence() == "proven: no position is allowed at this orientation"


@pytest.mark.parametrize("name", SKEW)
def test_scale_and_the_order_of_legs_change_nothing(name):
    m = gough.load(name)
    f = gough.singularity.free_of_singularities(m)
    order = [3, 0, 5, 1, 4, 2]
    changed = gough.singularity.free_of_singularities(relabelled(m, order))
    assert changed.bound == pytest.approx(f.bound, rel=1e-9)
    assert changed.smallest == pytest.approx(f.smallest, rel=1e-4)  # the ends of descents


def test_the_world_turned_gives_the_same_verdict_and_bounds_that_hold_for_both():
    base, platform = gough.load("hexel").legs.a_B, gough.load("hexel").b_P
    turn = gough.pose_matrix([0.4, -0.2, 1.0], [0.5, -0.3, 0.8], "XYZ")
    home = gough.pose_matrix([0, 0, 0.76])
    plain = gough.from_points(base, platform, home=home, joint_min=0.6, joint_max=0.9)
    turned = gough.from_points(
        base @ turn[:3, :3].T + turn[:3, 3], platform, home=turn @ home, joint_min=0.6, joint_max=0.9
    )
    a, b = gough.singularity.free_of_singularities(plain), gough.singularity.free_of_singularities(turned)
    assert a.verdict == b.verdict == "proven"
    assert max(a.bound, b.bound) <= min(a.smallest, b.smallest)


def test_lengths_twice_as_long_have_the_same_bound():
    base, platform = gough.load("hexel").legs.a_B, gough.load("hexel").b_P
    small, large = (
        gough.from_points(k * base, k * platform, home=gough.pose([0, 0, 0.76 * k]), joint_min=0.3 * k, joint_max=k)
        for k in (1.0, 2.0)
    )
    a, b = gough.singularity.free_of_singularities(small), gough.singularity.free_of_singularities(large)
    assert a.verdict == b.verdict
    assert b.bound == pytest.approx(a.bound, rel=1e-9)
    assert b.cover_volume == pytest.approx(8 * a.cover_volume, rel=1e-6)
