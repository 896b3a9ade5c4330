"""Proofs over regions of positions and orientations: true where independent reasoning says so, and sharp."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from tests.certify import ROUND_OFF, attacked, regions
from tests.skew import SKEW, SKEW_OF_KIND

import gough
from gough.errors import InputError
from gough.machine import Limits
from gough.regions import ball, box, cylinder, ellipsoid, union
from gough.regions.largest import _room
from gough.regions.requested import RegionLimits

CLOSE = 1e-3
"""Of a region's true size, by which a smaller one is proven and a larger one refuted."""
NAMES = ("hexel", *SKEW)


def about_home(m, size, **how):
    """A region of every shape about home, in turn."""
    place, extent = m.X_home[:3, 3], size * m.size
    yield box(place, [extent, extent / 2, extent / 3], tilt=size, roll=size / 2, reference=m.home, **how)
    yield ball(place, extent, turn=size, reference=m.home, **how)
    yield cylinder(place, extent, extent / 2, "x", euler=[size, size, size / 2], sequence="ZYX", reference=m.home)
    yield ellipsoid(place, [extent, extent / 2, 0.0], reference=m.home)


def only_strokes(m):
    """A machine of struts with strokes alone."""
    joints = Limits(joint_min=m.limits.joint_min, joint_max=m.limits.joint_max)
    return replace(m, limits=joints)


@pytest.mark.parametrize("name", ["linuxcnc", SKEW_OF_KIND["UPS"]])
def test_a_box_of_positions_is_as_large_as_its_corners_allow(name):
    """A strut's length is convex in the position: at one orientation the longest is at a corner of the box."""
    m = only_strokes(gough.load(name))
    m = replace(m, limits=Limits(joint_max=m.limits.joint_max))
    place, sides = m.X_home[:3, 3], np.array([1.0, 0.7, 0.4])
    corners = np.stack(np.meshgrid(*[[-1, 1]] * 3), axis=-1).reshape(-1, 3)

    def room(size):
        at = place + size * corners * sides
        b = at[:, None] + m.b_P @ m.X_home[:3, :3].T
        return (m.limits.joint_max - np.linalg.norm(b - m.legs.a_B, axis=-1)).min()

    true = brentq(room, 0.0, m.size, xtol=1e-14)
    ignore = ("singularity",)
    region = box(place, sides, reference=m.home)
    proofs = [gough.certify_region(m, region.scaled(s * true), ignore=ignore) for s in (1 - CLOSE, 1 + CLOSE)]
    assert [proof.verdict for proof in proofs] == ["proven", "refuted"]
    assert room((1 - CLOSE) * true) == pytest.approx(proofs[0].upper.min(), rel=1e-9)
    assert room((1 + CLOSE) * true) == pytest.approx(gough.margins(m, proofs[1].witness).values.min(), rel=1e-9)
    largest = gough.largest_region(m, region, ignore=ignore)
    assert largest.scale <= true <= largest.refuted <= (1 + CLOSE) * largest.scale
    assert largest.refutation.verdict == "refuted"
    assert largest.sentence().startswith("proven at 0.")


@pytest.mark.parametrize(("name", "shape"), list(zip(["hexel", *SKEW], range(4), strict=True)))
def test_no_pose_and_no_descent_leaves_a_proven_region(name, shape):
    """A small part of `python -m tests.certify`: the largest of sizes twice each other that is proven."""
    m = gough.load(name)
    region = list(regions(m))[shape]
    proofs = (gough.certify_region(m, region.scaled(16 * 0.5**k), max_boxes=300) for k in range(12))
    proof = next(proof for proof in proofs if proof.verdict == "proven")
    assert attacked(m, proof.region, 2000, 2, seed=shape) >= -ROUND_OFF


@pytest.mark.parametrize("name", ["jugglebot", SKEW[1]])
def test_a_region_is_proven_just_below_its_true_size_and_refuted_just_above(name):
    """The true size from descents that know nothing of proofs: random poses at the region's edges, then bisection."""
    m = gough.load(name)
    region = box(m.X_home[:3, 3], [0.01 * m.size] * 3, tilt=0.02, reference=m.home)
    low, high = 0.0, 64.0
    for _ in range(24):
        size = (low + high) / 2
        is_kept = gough.limits.is_allowed(m, region.scaled(min(size, 100.0)).sample(3000)).all()
        low, high = (size, high) if is_kept else (low, size)
    # Sampled, the size is too large by what lies between the samples.
    proof = gough.certify_region(m, region.scaled(0.9 * low))
    assert proof.verdict == "proven"
    assert gough.certify_region(m, region.scaled(1.01 * high)).verdict == "refuted"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_proven_holds_and_what_is_refuted_does_not(name):
    m = gough.load(name)
    met = set()
    for size in (0.005, 0.03, 0.2):
        for region in about_home(m, size):
            proof = gough.certify_region(m, region, max_boxes=300)
            met.add(proof.verdict)
            margins = gough.margins(m, region.sample(400)).values
            lowest = np.where(np.isnan(margins), np.inf, margins).min(axis=0)
            assert (proof.lower <= lowest).all()
            assert (proof.lower <= proof.upper).all()
            if proof.verdict == "proven":
                assert (margins >= 0).all()
                assert (proof.lower >= 0).all()
            if proof.verdict == "refuted":
                found = gough.margins(m, proof.witness)
                assert found.values[found.names.index(proof.limit)] < 0
                assert region.contains(proof.witness)
                assert len(proof.low) == 0
    assert {"proven", "refuted"} <= met


@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_the_bounds_enclose_the_worst_margins(name):
    m = gough.load(name)
    region = box(m.X_home[:3, 3], [0.01 * m.size] * 3, turn=0.01, reference=m.home)
    proof = gough.certify_region(m, region)
    assert region.contains(proof.worst).all()
    at_worst = gough.margins(m, proof.worst).values[np.arange(len(proof.names)), np.arange(len(proof.names))]
    np.testing.assert_allclose(at_worst, proof.upper, rtol=0, atol=1e-12)


def test_the_point_and_the_reference_place_the_region():
    """The same poses, described about another point: a box of positions alone."""
    m = gough.load("jugglebot")
    R = gough.pose_matrix([0, 0, 0], [0.1, -0.05, 0.2], "XYZ")
    point, half = np.array([0.03, -0.02, 0.1]), 0.01 * m.size * np.ones(3)
    one = box(m.X_home[:3, 3], half, reference=R)
    other = box(m.X_home[:3, 3] + R[:3, :3] @ point, half, about=point, reference=R)
    first, second = (gough.certify_region(m, region) for region in (one, other))
    np.testing.assert_allclose(first.bounds, second.bounds, rtol=0, atol=1e-12)
    assert other.contains(one.sample(50)).all()


def test_a_union_is_proven_where_all_parts_are():
    m = gough.load("jugglebot")
    good, bad = ball(m.X_home[:3, 3], 0.01, turn=0.01), ball(m.X_home[:3, 3], 5.0)
    assert gough.certify_region(m, union(good, good.scaled(2.0))).verdict == "proven"
    both = union(good, bad)
    proof = gough.certify_region(m, both)
    assert proof.verdict == "refuted"
    assert bad.contains(proof.witness)
    assert both.contains(both.sample(11)).all()
    assert both.sample(11).shape == (11, 4, 4)


def test_a_pose_exactly_on_its_limits_is_proven_and_refuted_where_they_are_beyond_rounding():
    m = gough.load("jugglebot")
    longest, at_home = gough.inverse_kinematics(m, m.home), box(m.X_home[:3, 3], [0.0, 0.0, 0.0])
    for shorter, verdict in ((0.0, "proven"), (1e-14, "proven"), (1e-11, "refuted")):
        tight = replace(m, limits=Limits(joint_max=longest - shorter * m.size))
        assert gough.certify_region(tight, at_home, ignore=("singularity",)).verdict == verdict


def test_a_region_that_touches_limits_keeps_them_and_few_boxes_leave_it_undecided():
    """A ball of positions, at whose surface the displacement along a leg's direction lengthens it by the radius."""
    m = gough.load("jugglebot")
    m = replace(m, limits=Limits(joint_max=gough.inverse_kinematics(m, m.home) + 0.01))
    touching = ball(m.X_home[:3, 3], 0.01)
    proof = gough.certify_region(m, touching, ignore=("singularity",), max_boxes=200)
    assert proof.verdict != "refuted"
    assert gough.certify_region(m, touching.scaled(1 + 1e-6), ignore=("singularity",)).verdict == "refuted"
    m = gough.load("hexel")
    wide = ball(m.home_point, 0.1 * m.size, turn=0.3, about=m.point_of_interest, reference=m.home)
    proof = gough.certify_region(m, wide, max_boxes=20)
    assert proof.verdict == "undecided"
    assert len(proof.low) == len(proof.parts) >= 1
    assert proof.sentence().startswith(f"undecided: {len(proof.low)} boxes")


def test_a_singular_pose_between_the_corners_of_boxes_is_found_by_descent():
    """Where two spheres meet and margins bend much, corners of boxes come near the lowest margin slowly: 20,000 boxes
    did not find it 0.1 % beyond the size at which the first pose is singular."""
    m = gough.load("sinatra2009")
    about = {"about": m.point_of_interest, "reference": m.home}
    region = ball(m.home_point, 0.0718406, turn=0.3180617, **about)
    sizes = 0.815 * (1 + np.array([-3, -1, 1]) * CLOSE)
    lowest = [_lowest_singular_value(m, region.scaled(size)) for size in sizes]
    assert lowest[0] > lowest[1] > 0 > lowest[2]
    proof = gough.certify_region(m, region.scaled(sizes[2]), max_boxes=6000)
    assert (proof.verdict, proof.limit) == ("refuted", "singularity")
    assert gough.margins(m, proof.witness).values[-1] == pytest.approx(lowest[2], abs=1e-7)


def _lowest_singular_value(m, region):
    """The smallest margin to singularity where both spheres of a region are reached, by descents of another kind."""
    rng, count = np.random.default_rng(1), 8
    spheres = rng.normal(size=(count, 40_000 // count, 2, 3))

    def values(x):
        unit = (x / np.linalg.norm(x, axis=-1, keepdims=True)).reshape(-1, 6)
        return gough.margins(m, region.poses(region.centre + unit * region.half)).values[:, -1].reshape(x.shape[:-2])

    best = np.take_along_axis(spheres, np.argmin(values(spheres), axis=1)[:, None, None, None], axis=1)
    for step in 0.1 * 0.7 ** np.arange(60):
        tried = np.concatenate([best, best + step * rng.normal(size=(count, 30, 2, 3))], axis=1)
        best = np.take_along_axis(tried, np.argmin(values(tried), axis=1)[:, None, None, None], axis=1)
    return float(values(best).min())


def test_a_witness_is_where_its_margin_is_smallest():
    """A leg is longest over positions at a corner, for it is convex there, and over a cone at its rim: an angle is
    left."""
    m, tilt = gough.load("hexel"), 0.78
    region = box(m.home_point, [0.4, 0.42, 0.27], tilt=tilt, about=m.point_of_interest, reference=m.home)
    others = tuple(name for name in gough.margins(m, m.home).names if not name.endswith("longest"))
    found = gough.certify_region(m, region, ignore=others)
    column = found.names.index(found.limit)

    corners = region.centre[:3] + region.half[:3] * np.array(list(product((-1, 1), repeat=3)))

    def margin(angle, corner):
        rim = np.stack([tilt * np.cos(angle), tilt * np.sin(angle), 0 * angle], axis=-1)
        z = np.concatenate(np.broadcast_arrays(corner, rim), axis=-1)
        return gough.margins(m, region.poses(z.reshape(-1, 6))).values[:, column].reshape(z.shape[:-1])

    angles = np.linspace(0, 2 * np.pi, 60)
    k, j = np.unravel_index(np.argmin(margin(angles, corners[:, None])), (8, 60))
    ends = {"bounds": (angles[j] - 0.2, angles[j] + 0.2), "method": "bounded", "options": {"xatol": 1e-10}}
    lowest = minimize_scalar(lambda angle: float(margin(np.array(angle), corners[k])), **ends).fun
    assert found.upper[column] <= lowest + 1e-9 * found.columns[column].scale
    place = re.search(r" at \((.*), (.*), (.*)\) mm$", found.sentence())
    np.testing.assert_allclose(np.array(place.groups(), dtype=float), 1e3 * found.witness[:3, 3], atol=0.01)


def test_singular_home_keeps_what_cannot_be_broken():
    """Home is singular: the least singular value has no side, and is never below zero."""
    m = gough.load("singular-home")
    region = box(m.X_home[:3, 3], [1e-3 * m.size] * 3, turn=1e-3)
    proof = gough.certify_region(m, region)
    assert proof.verdict == "proven"
    assert proof.is_singular
    assert "keeps every limit, but some are singular: the legs do not hold the platform there" in proof.sentence()
    beside = gough.certify_region(m, box(m.X_home[:3, 3] + [0, 0, 0.05 * m.size], [1e-3 * m.size] * 3))
    other = gough.certify_region(gough.load("hexel"), box(gough.load("hexel").X_home[:3, 3], [1e-3] * 3))
    assert not other.is_singular
    assert "singular" not in other.sentence()
    assert beside.is_singular  # similar hexagons are singular wherever they are parallel


def test_a_limit_may_be_ignored_and_must_exist():
    m = gough.load("jugglebot")
    big = ball(m.X_home[:3, 3], 0.5 * m.size)
    refuted = gough.certify_region(m, big)
    names = tuple(name for name in refuted.names if name != "leg 3 base cone")
    proof = gough.certify_region(m, big.scaled(1e-3), ignore=names)
    assert proof.ignored == names
    assert proof.tightest == "leg 3 base cone"
    assert proof.table_of()[0] == ["leg 3 base cone"]
    with pytest.raises(InputError, match="leg 9"):
        gough.certify_region(m, big, ignore=("leg 9",))


@pytest.mark.parametrize("name", ["jugglebot", "rubin-m2", SKEW[1]])
def test_the_headline_is_rounded_towards_zero_and_holds(name):
    m = gough.load(name)
    found = gough.regions.guaranteed_region(m)
    half = np.append(found.half_widths / m.units.metres, found.turn / m.units.radians)
    ends = [min(-row.minus, row.plus) for row in gough.travel_table(m)]
    reach = np.append(np.array(ends[:3]) / m.units.metres, min(ends[3:]) / m.units.radians)
    assert [float(f"{value:.2g}") for value in half] == pytest.approx(half, rel=1e-12)
    assert (half <= found.share * reach).all()
    assert (half > 0.9 * found.share * reach).all()
    assert gough.limits.is_allowed(m, found.proof.region.sample(5000)).all()
    broken = gough.margins(m, found.refutation.witness)
    assert broken.values[broken.names.index(found.refutation.limit)] < 0
    assert found.share < found.refuted <= 1
    assert found.sentence().startswith("anywhere in ±")


def test_no_place_near_the_best_has_more_room():
    """Regions about other centres: refuted at what is proven at the best one, or not larger."""
    m, rng = gough.load("jugglebot"), np.random.default_rng(0)
    region = box(m.X_home[:3, 3] + [0.02, 0.01, 0.03], [0.04, 0.03, 0.02], tilt=0.1, reference=m.home)
    given, best = (gough.largest_region(m, region, scaled="positions", place=place) for place in ("given", "best"))
    assert best.scale > 1.1 * given.scale
    assert gough.limits.is_allowed(m, best.region.sample(3000)).all()
    for size in (0.2, 0.02, 0.002):
        for _ in range(10):
            centre = best.region.centre + size * np.append(rng.normal(size=3) * best.region.half[:3], np.zeros(3))
            other = replace(best.region.scaled((1 + CLOSE), "positions"), centre=centre)
            assert gough.certify_region(m, other, max_boxes=100).verdict == "refuted"
    with pytest.raises(InputError, match="union"):
        gough.largest_region(m, union(region, region), place="best")


def test_how_margins_change_with_the_scale_is_known_at_the_region_itself_too():
    m = gough.load("hexel")
    limits, region = RegionLimits.of(m), box(m.home_point, [0.01] * 3, tilt=0.05, about=m.point_of_interest)
    region = replace(region, reference=m.X_home[:3, :3])
    counted = np.ones(len(limits.columns), dtype=bool)
    for what in ("all", "positions", "orientations"):
        at, beside = (_room(limits, region, scale, what, counted).by_scale for scale in (1.0, 1.001))
        np.testing.assert_allclose(at, beside, rtol=0, atol=0.01 * np.abs(beside).max())
        assert np.abs(at).max() > 0
