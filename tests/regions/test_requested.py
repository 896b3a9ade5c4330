"""Limits on request over regions: speeds, forces, stiffnesses and steps, against what functions of one pose say."""

import numpy as np
import pytest
from tests.certify import ROUND_OFF, attacked, requests
from tests.skew import SKEW, SKEW_OF_KIND
from tests.thorough import thorough

import gough
from gough.accuracy import ResolutionLimit
from gough.poses import wrench_at
from gough.regions import SpeedLimit, box
from gough.regions.box_limits import limits_over_cells
from gough.regions.cells import Cells
from gough.regions.requested import RegionLimits
from gough.statics import ForceLimit, StiffnessLimit

POINT = np.array([0.1, -0.2, 0.3])
SAMPLES = 20_000
NEAR = 0.02
"""Of the largest: by how much random directions in six dimensions may miss it."""


def small(m, size=0.01):
    """A region about home."""
    return box(m.X_home[:3, 3], [size * m.size] * 3, tilt=size, roll=size, reference=m.home)


def drawn_vectors(rng, amounts, each):
    """Random members of a set: one of `each` (k, 6) and vectors of two lengths in random directions (n, 6)."""
    two = rng.normal(size=(SAMPLES, 2, 3))
    two *= np.array(amounts)[:, None] / np.linalg.norm(two, axis=-1, keepdims=True)
    return each[rng.integers(len(each), size=SAMPLES)] + two.reshape(-1, 6)


@pytest.mark.parametrize("name", SKEW)
def test_joint_speeds_are_the_largest_of_all_motions(name):
    m, rng, each = gough.load(name), np.random.default_rng(0), np.array([[1, 2, 0, 0, 1, 0], [0, -1, 1, 1, 0, 2.0]])
    limit = SpeedLimit(translation=0.5, rotation=0.7, twist=each, joint_speed=100.0, point=POINT)
    V = drawn_vectors(rng, (0.5, 0.7), each)
    V[:, :3] -= np.cross(V[:, 3:], m.X_home[:3, :3] @ POINT)  # of the platform's origin
    rates = np.abs(gough.joint_rates(m, m.X_home, V)).max(axis=0)
    found = 100.0 - limit.margins(m, m.X_home[None])[0]
    assert (rates <= found).all()
    assert (rates >= (1 - NEAR) * found).all()


@pytest.mark.parametrize("name", SKEW)
def test_actuator_forces_are_the_largest_of_all_loads(name):
    m, rng, each = gough.load(name), np.random.default_rng(0), np.array([[1, 2, 0, 0, 1, 0], [0, -1, 1, 1, 0, 2.0]])
    limit = ForceLimit(force=0.5, moment=0.7, wrench=each, gravity=[0.1, 0, 0], actuator_force=1e6, point=POINT)
    F = wrench_at(drawn_vectors(rng, (0.5, 0.7), each), -(m.X_home[:3, :3] @ POINT))
    force = np.abs(gough.leg_forces(m, m.X_home, F, gravity=[0.1, 0, 0])).max(axis=0)
    found = 1e6 - limit.margins(m, m.X_home[None])[0]
    assert (force <= found + 1e-6).all()
    assert (force >= (1 - NEAR) * found).all()


@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_bounds_over_one_pose_are_the_margins_there(name):
    m = gough.load(name)
    region = small(m)
    limits = RegionLimits.of(m, [kept for kept, _ in requests(m, region, poses=100)])
    point = Cells(region.centre[None], 1e-12 * region.half[None])
    found = limits_over_cells(limits, region, point, np.ones(len(limits.columns), bool))
    own, values = len(limits.own.columns), limits.margins(region.poses(region.centre[None]))
    assert len(limits.columns) - own >= 14
    np.testing.assert_allclose(found.lower[0, own:], values[0, own:], atol=1e-8 * limits.scales[own:].max())


@pytest.mark.parametrize(
    ("name", "k"),
    [*((name, k) for name in SKEW for k in range(2)), *thorough(*((name, 3) for name in SKEW))],
)
def test_what_is_proven_holds_and_what_is_refuted_does_not(name, k):
    """A small part of `python -m tests.certify --also`."""
    m = gough.load(name)
    region = small(m)
    kept, crossed = list(requests(m, region))[k]
    proof, refutation = (gough.certify_region(m, region, also=each, max_boxes=20_000) for each in (kept, crossed))
    assert [proof.verdict, refutation.verdict] == ["proven", "refuted"]
    assert attacked(m, region, 2000, 2, also=kept) >= -ROUND_OFF
    columns = [column.name for column in crossed.columns(m)]
    assert region.contains(refutation.witness)
    assert crossed.margins(m, refutation.witness[None])[0, columns.index(refutation.limit)] < 0
    assert (proof.bounds[:, 0] <= proof.bounds[:, 1]).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda bound: SpeedLimit(translation=0.1, rotation=0.1, joint_speed=bound),
        lambda bound: ForceLimit(force=1.0, wrench=[10, 20, -30, 1, 0, 2], actuator_force=bound),
    ],
)
def test_a_region_of_the_machines_travel_is_decided_near_the_worst_value(make):
    """All coordinates at a time through a quarter of the travel: 3 % beyond what random poses need is proven, and a
    little less is refuted."""
    m = gough.load("jugglebot")
    ends = [min(-row.minus, row.plus) for row in gough.travel_table(m)]
    region = box(m.home_point, ends[:3], turn=min(ends[3:]), about=m.point_of_interest, reference=m.home).scaled(0.25)
    worst = 1.0 - make(1.0).margins(m, region.sample(10_000)).min()
    proofs = [gough.certify_region(m, region, also=make(room * worst), max_boxes=3000) for room in (1.03, 0.9999)]
    assert [proof.verdict for proof in proofs] == ["proven", "refuted"]


def test_refutations_are_those_of_functions_of_one_pose():
    m = gough.load("hexel")
    region = small(m)

    def worst(limit):
        proof = gough.certify_region(m, region, also=limit)
        assert proof.verdict == "refuted"
        return proof.witness

    X = worst(SpeedLimit(translation=1.0))
    assert gough.velocity_envelope(m, X).guaranteed() < 1.0
    X = worst(ForceLimit(force=1000.0, actuator_force=500.0))
    assert gough.statics.guaranteed_wrench(m, X, actuator_force=500.0) < 1000.0
    X = worst(StiffnessLimit(translation=1e9))
    assert gough.statics.principal_stiffness(gough.stiffness(m, X)).translation[0] < 1e9
    X = worst(ResolutionLimit(rotation=1e-9, joint_step=1e-6))
    assert gough.accuracy.resolution(m, X, joint_step=1e-6).worst_rotation > 1e-9


@pytest.mark.parametrize("kind", SKEW_OF_KIND)
def test_a_payload_and_the_weights_of_legs_count(kind):
    m = gough.load(SKEW_OF_KIND[kind])
    loaded, region = m.with_payload(5.0, POINT), small(m)
    for one in (m, loaded):
        most = np.abs(gough.leg_forces(one, region.sample(3000), gravity=True)).max()
        verdicts = [
            gough.certify_region(one, region, also=ForceLimit(gravity=True, actuator_force=room * most)).verdict
            for room in (1.05, 0.95)
        ]
        assert verdicts == ["proven", "refuted"]


def test_a_region_is_scaled_until_a_requested_limit_ends_it():
    m = gough.load(SKEW[0])
    at_home = 1.0 - SpeedLimit(rotation=1.0, joint_speed=1.0).margins(m, m.X_home[None])
    region, limit = small(m), SpeedLimit(rotation=1.0, joint_speed=1.005 * at_home.max())
    found = gough.largest_region(m, region, also=limit, rtol=0.01)
    assert found.refutation.limit.endswith(" speed")
    assert found.refuted <= 1.02 * found.scale
    room = gough.regions.travel_tradeoff(m, region, [0.0], also=limit, rtol=0.1)
    assert room[0].refutation.limit.endswith(" speed")
    best = gough.largest_region(m, region, also=limit, place="best", rtol=0.01)
    assert best.scale > 1.01 * found.scale


def test_a_leg_that_can_be_singular_in_the_box_has_no_bound():
    """Where the inverse of the Jacobian may be unbounded nothing is promised, and nothing is raised."""
    m = gough.load("hexel")
    region = box(m.X_home[:3, 3], [0.3 * m.size] * 3, turn=1.5, reference=m.home)
    limits = RegionLimits.of(m, ForceLimit(force=1.0, actuator_force=1.0))
    whole = Cells(region.centre[None], region.half[None])
    found = limits_over_cells(limits, region, whole, np.ones(len(limits.columns), bool))
    assert np.isneginf(found.lower[0, -6:]).all()
    assert np.isfinite(limits.margins(region.poses(region.centre[None]))[0, -6:]).all()


def test_at_a_singular_pose_nothing_is_proven_and_nothing_raised():
    m = gough.load("singular-home")
    for limit in (ForceLimit(force=1.0, actuator_force=10.0), ResolutionLimit(translation=1.0, joint_step=1e-6)):
        for region in (small(m), small(m, 1e-9)):
            assert gough.certify_region(m, region, also=limit, max_boxes=20).verdict != "proven"


@pytest.mark.parametrize("name", ["hexel", "pitch-circle", SKEW[0]])
def test_least_stiffnesses_are_decided_to_two_per_cent_where_eigenvalues_are_nearly_equal(name):
    """Corners of all boxes are evaluated: with those of some of them 100,000 boxes did not decide 5 %."""
    m = gough.load(name)
    region = box(m.home_point, [0.03 * m.size] * 3, tilt=0.03, roll=0.03, about=m.point_of_interest, reference=m.home)
    least = gough.statics.principal_stiffness(gough.stiffness(m, region.sample(4000))).translation[:, 0].min()
    own = tuple(column.name for column in RegionLimits.of(m, ()).columns)
    for part, verdict in ((0.98, "proven"), (1.02, "refuted")):
        limit = StiffnessLimit(translation=part * float(least))
        assert gough.certify_region(m, region, also=limit, ignore=own, max_boxes=3000).verdict == verdict
