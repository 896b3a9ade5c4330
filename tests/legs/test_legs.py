"""The three leg kinds, function by function: against geometry, differences and brute force."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough._compile import kernel
from gough.legs import KINDS, PUS, RUS, UPS, pus, rus, ups
from gough.legs import _leg_dispatch as _chosen
from gough.legs.leg import ANCHOR, AXIS, BRANCH, ROD

ROUND_OFF = 1e-14
"""Of legs about 1 m long [m, rad]."""
DIFFERENCE = 1e-9
"""Error of a central difference with a step of 1e-4 of numbers of the size of 1: step squared over six, and a bit."""
SECOND_DIFFERENCE = 1e-7
"""The same of a second difference: 1e-16 over the step squared is added."""
STEP = 1e-4
CLEAR = 1e-3
"""A leg at least this far from where it cannot close solves its quadratic without loss [m]."""

FILES = {"UPS": ups, "PUS": pus, "RUS": rus}
IS_OF_CONSTANT_ROD = ("PUS", "RUS")


def some_legs(kind, rng):
    """Six legs about a metre long that share nothing: all axes skew, crank arms not across their axes."""
    points = rng.uniform(-1, 1, (6, 3))
    b_P = rng.uniform(-1, 1, (6, 3))
    directions = rng.normal(size=(6, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    rod, branch = rng.uniform(0.8, 1.6, 6), np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    if kind == "UPS":
        return UPS(b_P=b_P, a_B=points)
    if kind == "PUS":
        return PUS(b_P=b_P, a_B=points, g_B=directions, rod_length=rod, branch=branch)
    arm = rng.uniform(0.2, 0.5, (6, 3))
    return RUS(b_P=b_P, c_B=points, n_B=directions, r_B=arm, rod_length=rod, branch=branch)


@pytest.fixture(params=sorted(KINDS))
def legs(request, rng):
    return some_legs(request.param, rng)


def functions(legs):
    return FILES[legs.kind]


def joint_values(legs, rng, count):
    low, high = (0.5, 2.0) if legs.kind == "UPS" else (-1.0, 1.0) if legs.kind == "PUS" else (-3.1, 3.1)
    return rng.uniform(low, high, count)


def joints_in_reach(legs, rng, i, count):
    """Joint values of leg i and platform points at the end of its rod there, (count,) and (count, 3)."""
    T = legs.table()
    q = joint_values(legs, rng, count)
    ends = np.array([functions(legs).driven_point(T, i, value) for value in q])
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return q, ends[:, :3] + ends[:, 3:] * way


def test_driven_points_of_a_machine_are_those_of_the_single_legs(legs, rng):
    T = legs.table()
    for shape in ((6,), (1, 6), (3, 1, 2, 6), (0, 6)):
        q = joint_values(legs, rng, shape)
        points = legs.driven_points(q)
        assert points.shape == (*shape, 3)
        single = [functions(legs).driven_point(T, i % 6, value)[:3] for i, value in enumerate(q.ravel())]
        np.testing.assert_allclose(points.reshape(-1, 3), np.reshape(single, (-1, 3)), atol=ROUND_OFF)
    np.testing.assert_allclose(legs.driven_points(np.zeros(6)), legs.rest(), atol=ROUND_OFF)


def test_what_the_kinds_drive():
    """Struts have their foot fixed and drive the length, sliders go along the guide, cranks round a circle."""
    rng = np.random.default_rng(3)
    struts, sliders, cranks = (some_legs(kind, rng) for kind in ("UPS", "PUS", "RUS"))
    for q in (0.3, 1.7):
        np.testing.assert_array_equal(struts.driven_points(np.full(6, q)), struts.a_B)
        assert ups.driven_point(struts.table(), 2, q)[3] == q
        np.testing.assert_allclose(sliders.driven_points(np.full(6, q)), sliders.a_B + q * sliders.g_B, rtol=1e-15)
        turned = Rotation.from_rotvec(q * cranks.n_B).apply(np.array(cranks.r_B))
        np.testing.assert_allclose(cranks.driven_points(np.full(6, q)), cranks.c_B + turned, atol=ROUND_OFF)
    assert struts.rod() is None
    for legs in (sliders, cranks):
        lengths = [functions(legs).driven_point(legs.table(), i, 0.4)[3] for i in range(6)]
        np.testing.assert_array_equal(lengths, legs.rod())


def test_first_derivatives_are_central_differences(legs, rng):
    f, T = functions(legs), legs.table()
    for i in range(6):
        for q in joint_values(legs, rng, 5):
            ahead, behind = f.driven_point(T, i, q + STEP), f.driven_point(T, i, q - STEP)
            slope = np.subtract(ahead, behind) / (2 * STEP)
            np.testing.assert_allclose(f.drive(T, i, q), slope, atol=DIFFERENCE)


def test_second_derivatives_are_central_differences_of_the_first(legs, rng):
    f, T = functions(legs), legs.table()
    for i in range(6):
        for q in joint_values(legs, rng, 5):
            slope = np.subtract(f.drive(T, i, q + STEP), f.drive(T, i, q - STEP)) / (2 * STEP)
            np.testing.assert_allclose(f.drive_rate(T, i, q), slope, atol=SECOND_DIFFERENCE)


def test_inverse_puts_the_rod_at_its_length_on_both_branches(legs, rng):
    f, T = functions(legs), legs.table()
    for sign in (1.0, -1.0):
        T[BRANCH] = sign
        for i in range(6):
            for b in joints_in_reach(legs, rng, i, 50)[1]:
                if f.reach(T, i, *b) > CLEAR:
                    *p, length = f.driven_point(T, i, f.inverse(T, i, *b))
                    assert np.linalg.norm(b - p) == pytest.approx(length, rel=100 * ROUND_OFF)


@pytest.mark.parametrize("far", [0.0, 1e3])
@pytest.mark.parametrize("kind", ["PUS", "RUS"])
def test_a_leg_closes_at_its_turning_point_whatever_rounding_says(kind, far):
    """There the rod stands across the guide, or lies in the plane of axis and arm: half of all roundings have it open.

    The command line interprets and batches compile: both see a joint coordinate, with the rod at its length.
    """
    rng, found = np.random.default_rng(5), np.empty((1, 17))
    for _ in range(200):
        legs = some_legs(kind, rng)
        T, f = legs.table(), functions(legs)
        T[ANCHOR : ANCHOR + 3] += far * rng.normal(size=(3, 6))
        for i in range(6):
            q = rng.uniform(-1.0, 1.0)
            p = np.array(f.driven_point(T, i, q)[:3])
            axis, angle = T[AXIS : AXIS + 3, i], rng.uniform(-np.pi, np.pi)
            if kind == "PUS":
                out = np.cross(axis, rng.normal(size=3))
                out /= np.linalg.norm(out)
            else:
                arm = p - T[ANCHOR : ANCHOR + 3, i]
                out = np.cos(angle) * arm / np.linalg.norm(arm) + np.sin(angle) * axis
            b = p + T[ROD, i] * out
            size = np.abs(p).max() + np.abs(b).max()
            of_leg = np.roll(T, -i, axis=1)
            all_functions(legs.code, of_leg, b[None], np.zeros(1), found)
            for value in (f.inverse(T, i, *b), found[0, 0]):
                closed = np.linalg.norm(b - f.driven_point(T, i, value)[:3])
                assert closed == pytest.approx(T[ROD, i], abs=20 * ROUND_OFF * size), (kind, i)
            if kind == "PUS" or np.cos(angle) > 0.0:
                with np.errstate(invalid="ignore"):
                    assert np.isnan(f.inverse(T, i, *(b + 1e-9 * size * out)))


def test_one_of_the_branches_is_the_joint_value_the_point_was_made_from(legs, rng):
    f, T = functions(legs), legs.table()
    for i in range(6):
        for q, b in zip(*joints_in_reach(legs, rng, i, 50), strict=True):
            if f.reach(T, i, *b) < CLEAR:
                continue
            off = []
            for sign in (1.0, -1.0):
                T[BRANCH] = sign
                off.append(abs(f.inverse(T, i, *b) - q))
            assert min(off) < 1000 * ROUND_OFF
            assert legs.kind == "UPS" or max(off) > 1000 * ROUND_OFF, "the branches must differ"


def test_branch_plus_is_the_slider_ahead_and_the_crank_ahead_of_the_platform_joint(rng):
    sliders, cranks = some_legs("PUS", rng), some_legs("RUS", rng)
    for legs in (sliders, cranks):
        f, T = functions(legs), legs.table()
        for i in range(6):
            for b in joints_in_reach(legs, rng, i, 20)[1]:
                q = f.inverse(T, i, *b)
                if np.isnan(q):
                    continue
                *p, _ = f.driven_point(T, i, q)
                # The joint lies behind the moving foot on branch +1: pulling the foot on lengthens the rod.
                forwards = np.dot(np.subtract(p, b), f.drive(T, i, q)[:3])
                assert np.sign(forwards) == T[BRANCH, i] or abs(forwards) < CLEAR


def test_inverse_is_nan_exactly_where_reach_is_negative(legs, rng):
    f, T = functions(legs), legs.table()
    found = set()
    for i in range(6):
        for b in rng.uniform(-3, 3, (300, 3)):
            reach = f.reach(T, i, *b)
            if abs(reach) > ROUND_OFF:
                with np.errstate(invalid="ignore"):
                    assert np.isnan(f.inverse(T, i, *b)) == (reach < 0)
                found.add(bool(reach < 0))
    assert found == ({False} if legs.kind == "UPS" else {True, False})


def distances_to_the_driven_curve(legs, i, b):
    """Distances from b to points of leg i's guide or crank circle, densely (a micrometre's square between them)."""
    middle = legs.g_B[i] @ (b - legs.a_B[i]) if legs.kind == "PUS" else 0.0
    q = middle + (np.linspace(-3, 3, 6001) if legs.kind == "PUS" else np.linspace(-np.pi, np.pi, 20001))
    values = np.zeros((len(q), 6))
    values[:, i] = q
    return np.linalg.norm(legs.driven_points(values)[:, i] - b, axis=1)


@pytest.mark.parametrize("kind", IS_OF_CONSTANT_ROD)
def test_reach_is_how_much_the_rod_may_miss_brute_force(kind, rng):
    """The rod must be no shorter than the nearest point of the driven curve, and no longer than the farthest."""
    legs = some_legs(kind, rng)
    T, rod = legs.table(), legs.rod()
    for i in range(6):
        for b in rng.uniform(-2, 2, (8, 3)):
            far = distances_to_the_driven_curve(legs, i, b)
            least = rod[i] - far.min()
            expected = least if kind == "PUS" else min(least, far.max() - rod[i])
            assert FILES[kind].reach(T, i, *b) == pytest.approx(expected, abs=1e-6)


def test_sliders_reach_the_exact_distance_to_where_they_open(rng):
    legs = some_legs("PUS", rng)
    T = legs.table()
    for i in range(6):
        b = rng.uniform(-1, 1, 3)
        away = (b - legs.a_B[i]) - legs.g_B[i] * (legs.g_B[i] @ (b - legs.a_B[i]))
        edge = b + pus.reach(T, i, *b) * away / np.linalg.norm(away)
        assert pus.reach(T, i, *edge) == pytest.approx(0.0, abs=10 * ROUND_OFF)


def test_carried_is_a_rotation_that_starts_at_none_and_moves_with_the_foot(legs, rng):
    f, T = functions(legs), legs.table()
    for i in range(6):
        for q in joint_values(legs, rng, 5):
            R = np.array([f.carried(T, i, q, *axis) for axis in np.eye(3)]).T
            np.testing.assert_allclose(R.T @ R, np.eye(3), atol=ROUND_OFF)
            assert np.linalg.det(R) == pytest.approx(1.0, abs=ROUND_OFF)
            np.testing.assert_allclose(f.carried(T, i, 0.0, *R[0]), R[0], atol=ROUND_OFF)
            turn = Rotation.from_rotvec(q * legs.n_B[i]).as_matrix() if legs.kind == "RUS" else np.eye(3)
            np.testing.assert_allclose(R, turn, atol=ROUND_OFF)


def test_joints_at_takes_the_platform_joints_and_says_nan_out_of_reach(legs, rng):
    T = legs.table()
    b = np.array([joints_in_reach(legs, rng, i, 1)[1][0] for i in range(6)])
    b[4] += 50.0
    q = legs.joints_at(b)
    with np.errstate(invalid="ignore"):
        expected = [functions(legs).inverse(T, i, *b[i]) for i in range(6)]
    np.testing.assert_array_equal(q, expected)
    assert np.isnan(q).tolist() == [False] * 4 + [legs.kind != "UPS", False]


@kernel
def all_functions(code, T, b, q, found):
    for k in range(b.shape[0]):
        i = k % 6
        x, y, z = b[k]
        found[k, 0] = _chosen.inverse(code, T, i, x, y, z)
        found[k, 1] = _chosen.reach(code, T, i, x, y, z)
        found[k, 2], found[k, 3], found[k, 4], found[k, 5] = _chosen.driven_point(code, T, i, q[k])
        found[k, 6], found[k, 7], found[k, 8], found[k, 9] = _chosen.drive(code, T, i, q[k])
        found[k, 10], found[k, 11], found[k, 12], found[k, 13] = _chosen.drive_rate(code, T, i, q[k])
        found[k, 14], found[k, 15], found[k, 16] = _chosen.carried(code, T, i, q[k], x, y, z)


def test_carriers_move_with_their_drives(legs, rng):
    """Frames are rigid and move with the twist that is said of them, and carry driven points of constant rods."""
    q, step = joint_values(legs, rng, 6), 1e-6
    frames = legs.carriers(q)
    np.testing.assert_allclose(np.linalg.det(frames[:, :3, :3]), 1.0, rtol=0, atol=ROUND_OFF)
    twist = legs.carrier_twist()
    ends = [legs.carriers(q + s) for s in (step, -step)]
    velocity = (ends[0][:, :3, 3] - ends[1][:, :3, 3]) / (2 * step)
    np.testing.assert_allclose(velocity, twist[:, :3], rtol=0, atol=1e-9)
    turn = Rotation.from_matrix(ends[0][:, :3, :3] @ ends[1][:, :3, :3].swapaxes(-1, -2)).as_rotvec() / (2 * step)
    np.testing.assert_allclose(turn, twist[:, 3:], rtol=0, atol=1e-9)
    if legs.kind in IS_OF_CONSTANT_ROD:
        rest = np.concatenate([legs.driven_points(q) - frames[:, :3, 3], np.zeros((6, 1))], axis=1)
        carried = (frames @ np.linalg.inv(legs.carriers(np.zeros(6))) @ home_arm(legs))[..., 0]
        np.testing.assert_allclose(carried, rest, rtol=0, atol=ROUND_OFF)


def home_arm(legs):
    """From the carriers' origins to the driven points, with the drives at zero."""
    arm = legs.driven_points(np.zeros(6)) - legs.carriers(np.zeros(6))[:, :3, 3]
    return np.concatenate([arm, np.zeros((6, 1))], axis=1)[..., None]
