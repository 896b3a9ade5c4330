"""Paths: their derivatives are those of their poses, their bounds hold, their corners keep the tolerance."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp
from tests.skew import SKEW

import gough
from gough import motion
from gough.errors import InputError

STEP = 1e-5
"""Of central differences, in path parameter."""
ROUND_OFF = 1e-12
BRUTE = 1e-6
"""Of largest values at 20,001 places."""


@pytest.fixture
def poses(rng):
    return gough.pose_matrix(rng.normal(size=(5, 3)), 0.5 * rng.normal(size=(5, 3)), "XYZ")


def six_coordinates(t):
    return np.stack([np.cos(t), np.sin(t), t, 0.1 * t, 0.2 * np.cos(t), t**2 / 5], axis=1)


def some_paths(X):
    m = gough.load("hexel")
    arc = motion.arc_through(X[0], X[1][:3, 3], X[2])
    return {
        "line": motion.line(X[0], X[1]),
        "corners": motion.via(X),
        "blends": motion.via(X, blend=0.02, blend_angle=0.05),
        "helix": motion.arc(X[0], [0, 0, 0], [1, 2, 3], 2.5, rise=0.3, end=X[1]),
        "carried": motion.arc(X[0], [0, 0, 0], [1, 2, 3], -7.0, orientation="carried"),
        "chain": motion.concatenate(
            [motion.line(X[3], X[0]), arc, motion.line(X[2], X[4])], blend=0.02, blend_angle=0.02
        ),
        "spline": motion.Spline(X),
        "closed": motion.Spline(np.concatenate([X, X[:1]]), closed=True),
        "concatenate": motion.concatenate([motion.line(X[4], X[0]), motion.Spline(X), arc_from(X[4])]),
        "framed": motion.in_frame(m, motion.Spline(X), work=X[1], of=X[2]),
        "pivot": motion.path_about_pivot(m, motion.via(X, blend=0.1, blend_angle=0.1), point=[1, 2, 3]),
        "function": motion.coordinates(six_coordinates, "XYZ", (0.0, 3.0), rates=(2.0, 2.0)),
    }


def arc_from(X):
    return motion.arc(X, X[:3, 3] + [0, 0.3, 0], [0, 0, 1], np.pi)


def inside(path, count=7):
    """Parameters in every piece, away from its ends by more than a step."""
    low, high = path.knots[:-1] + 1.1 * STEP, path.knots[1:] - 1.1 * STEP
    return np.linspace(low, high, count).T[high > low].ravel()


def test_derivatives_are_those_of_the_poses_and_stay_within_their_bounds(poses):
    for name, path in some_paths(poses).items():
        s = inside(path)
        (before, V0, _), (_, V, A), (after, V1, _) = path(s - STEP), path(s), path(s + STEP)
        turn = Rotation.from_matrix(after[:, :3, :3] @ before[:, :3, :3].swapaxes(1, 2)).as_rotvec()
        rate = np.concatenate([after[:, :3, 3] - before[:, :3, 3], turn], axis=1) / (2 * STEP)
        np.testing.assert_allclose(V, rate, rtol=0, atol=1e-7 * (1 + np.abs(V).max()), err_msg=name)
        found = (V1 - V0) / (2 * STEP)
        np.testing.assert_allclose(A, found, rtol=0, atol=1e-6 * (1 + np.abs(A).max()), err_msg=name)
        low = path.knots[np.searchsorted(path.knots, s) - 1]
        high = path.knots[np.searchsorted(path.knots, s)]
        sizes = [np.linalg.norm(part, axis=1) for part in (V[:, :3], V[:, 3:], A[:, :3], A[:, 3:])]
        for size, bound in zip(sizes, path.rates(low, high), strict=True):
            assert (size <= bound + 1e-9).all(), name


def test_only_breaks_jump(poses):
    for name, path in some_paths(poses).items():
        inner = path.knots[1:-1]
        jump = np.array(
            [np.abs(a - b).max(initial=0.0) for a, b in zip(path(inner, before=True), path(inner), strict=True)]
        )
        assert jump[0] < ROUND_OFF, name
        if not len(path.breaks):
            assert (jump < 1e-9).all(), name
        else:
            assert (jump[1:] > 1e-3).any(), name


@pytest.mark.parametrize("begin", [-1000.0, 0.0, 100.0])
def test_a_function_is_called_on_the_side_of_a_break_that_is_asked_for(begin):
    """However far from zero the parameter is, where rounding is coarser than the span suggests."""

    def function(s):
        X, V = np.tile(np.eye(4), (len(s), 1, 1)), np.zeros((len(s), 6))
        V[:, 0] = np.where(s < begin + 0.25, 1.0, 2.0)
        X[:, 0, 3] = V[:, 0] * (s - begin - 0.25)
        return X, V, np.zeros((len(s), 6))

    path = motion.FunctionPath(function, (begin, begin + 1.0), breaks=[begin + 0.25])
    inner = path.knots[1:-1]
    assert [path(inner, before=True)[1][0, 0], path(inner)[1][0, 0]] == [1.0, 2.0]


def test_parts_keep_their_breaks_wherever_their_own_parameter_begins():
    def function(s):
        X, V = np.tile(np.eye(4), (len(s), 1, 1)), np.zeros((len(s), 6))
        V[:, 0] = np.where(s < 7.25, 1.0, 2.0)
        X[:, 0, 3] = V[:, 0] * (s - 7.25) + 0.25
        return X, V, np.zeros((len(s), 6))

    part = motion.FunctionPath(function, (7.0, 8.0), breaks=[7.25])
    way_there = motion.line(gough.pose([0, -0.5, 0]), gough.pose([0, 0, 0]))
    path = motion.concatenate([way_there, part])
    np.testing.assert_allclose(path.breaks, [0.5, 0.75], rtol=0, atol=1e-12)
    assert [path([0.75], before=True)[1][0, 0], path([0.75])[1][0, 0]] == [1.0, 2.0]


@pytest.mark.parametrize(("blend", "angle"), [(0.02, 10.0), (10.0, 0.03), (1e-6, 1e-3)])
def test_rounded_corners_keep_their_tolerance_and_use_it(poses, blend, angle):
    sharp, rounded = motion.via(poses), motion.via(poses, blend=blend, blend_angle=angle)
    s = np.unique(np.concatenate([inside(rounded, 41), sharp.joints]))
    X, Y = sharp(s)[0], rounded(s)[0]
    off = np.linalg.norm(X[:, :3, 3] - Y[:, :3, 3], axis=1).max()
    turn = Rotation.from_matrix(X[:, :3, :3].swapaxes(1, 2) @ Y[:, :3, :3]).magnitude().max()
    assert off <= blend * (1 + 1e-9)
    assert turn <= angle * (1 + 1e-6)
    assert off > 0.999 * blend or turn > 0.99 * angle


def test_arcs_go_round_their_centre_and_through_their_points(poses):
    start, through, end = poses[0], poses[1][:3, 3], poses[2]
    path = motion.arc_through(start, through, end)
    np.testing.assert_allclose(path.end, end, rtol=0, atol=ROUND_OFF)
    p = path(np.linspace(*path.span, 20001))[0][:, :3, 3]
    assert np.linalg.norm(p - through, axis=1).min() < 1e-3
    centre = path.segments.c[0]
    np.testing.assert_allclose(np.linalg.norm(p - centre, axis=1), np.linalg.norm(through - centre), rtol=1e-12)
    with pytest.raises(InputError, match="circle is undefined"):
        motion.arc_through(start, (start[:3, 3] + end[:3, 3]) / 2, end)


def test_a_line_of_the_tool_in_a_work_frame_is_straight_there(poses):
    m = gough.load("hexel")
    work, tool = poses[3], poses[4]
    ends = poses[0], poses[1]
    path = motion.in_frame(m, motion.line(*ends), work=work, of=tool)
    X = path(np.linspace(*path.span, 11))[0]
    Y = gough.frames.tool_pose(m, X, work=work, X_PT=tool).as_matrix()
    np.testing.assert_allclose(Y, motion.line(*ends)(np.linspace(*path.span, 11))[0], rtol=0, atol=ROUND_OFF)


def test_a_path_about_a_pivot_is_that_of_displaced(poses):
    m, D = gough.load("hexel"), motion.line(gough.pose([0, 0, 0]), poses[0])
    path = motion.path_about_pivot(m, D, point=[0.1, 0, 0.2])
    s = np.linspace(*path.span, 5)
    expected = gough.frames.displaced(m, D(s)[0], point=[0.1, 0, 0.2]).as_matrix()
    np.testing.assert_allclose(path(s)[0], expected, rtol=0, atol=ROUND_OFF)


def test_leg_rates_and_accelerations_are_those_of_the_displacements(machine):
    path = motion.path_about_pivot(
        machine, motion.line(gough.pose([0, 0, 0]), gough.pose([0.01, 0.01, 0.01], [0.02, 0, 0.03], "XYZ"))
    )
    s = np.linspace(0.1, 0.9, 5) * path.span[1]
    h = 1e-4 * path.span[1]
    now, before, after = (motion.leg_motion(machine, path, at) for at in (s, s - h, s + h))
    rate = (after["joint"] - before["joint"].to_numpy()).to_numpy() / (2 * h)
    np.testing.assert_allclose(now["joint_rate"], rate, rtol=0, atol=1e-6 * np.abs(rate).max())
    bend = (after["joint_rate"].to_numpy() - before["joint_rate"].to_numpy()) / (2 * h)
    np.testing.assert_allclose(now["joint_acceleration"], bend, rtol=0, atol=1e-6 * (1 + np.abs(bend).max()))
    assert now["joint_rate"].attrs["units"] == f"{machine.legs.joint_unit}/s_path"


def test_strut_space_leaves_the_straight_line_by_the_square_of_the_distance_of_via_points():
    m = gough.load("hexel")
    ends = m.X_home, gough.frames.displaced(m, gough.pose([0.1, 0, 0], [0, 0, 0.2], "XYZ"))
    largest = []
    for count in (3, 5, 9):
        way = motion.line(*ends)
        found = motion.joint_space.straightness(m, way(np.linspace(*way.span, count))[0])
        largest.append(found.largest.max())
        assert 0.9 * largest[-1] < found.departure.max() <= largest[-1]
        along = ends[1].as_matrix()[:3, 3] - ends[0][:3, 3]
        off = np.cross(found.point - found.point[0], along / np.linalg.norm(along))
        np.testing.assert_allclose(found.departure, np.linalg.norm(off, axis=1), atol=1e-12)
    assert largest[0] > 1e-4, "De Sapio's struts do not draw straight lines"
    ratios = np.array(largest[:-1]) / largest[1:]
    np.testing.assert_allclose(ratios, 4.0, rtol=0.1)


def test_strut_paths_have_the_joints_and_twists_they_are_given():
    m = gough.load("hexel")
    X = np.stack([gough.frames.displaced(m, gough.pose([0.05 * k, 0, 0.02 * k**2])).as_matrix() for k in range(3)])
    twists = np.array([[1.0, 0, 0.4 * k, 0, 0.1, 0] for k in range(3)])
    path = motion.joint_space.JointSpacePath(m, X, twists)
    np.testing.assert_allclose(path(path.knots)[0], X, rtol=0, atol=1e-12)
    np.testing.assert_allclose(path(path.knots)[1], twists, rtol=0, atol=1e-9)
    s = np.linspace(*path.span, 9)
    np.testing.assert_allclose(gough.inverse_kinematics(m, path(s)[0]), path.joints(s)[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("has_twists", [False, True])
@pytest.mark.parametrize("name", SKEW)
def test_the_largest_departures_from_lines_are_those_of_brute_force(name, has_twists, rng):
    """Of every piece: distances of the tip from the chord, angles from the rotation of the straight motion there."""
    m = gough.load(name)
    shifts = rng.uniform(-1, 1, (4, 6)) * ([0.05 * m.size] * 3 + [0.05] * 3)
    X = gough.frames.displaced(m, gough.pose(shifts[:, :3], shifts[:, 3:], "XYZ")).as_matrix()
    twists = rng.uniform(-1, 1, (4, 6)) * ([0.2 * m.size] * 3 + [0.2] * 3) if has_twists else None
    found = motion.joint_space.straightness(m, X, twists=twists)
    path = motion.joint_space.JointSpacePath(m, X, twists)
    for k, (low, high) in enumerate(itertools.pairwise(path.knots)):
        s = np.linspace(low, high, 20_001)
        tip = (path(s)[0] @ m.X_PT)[:, :3, 3]
        chord = tip[-1] - tip[0]
        off = np.linalg.norm(np.cross(tip - tip[0], chord), axis=1) / np.linalg.norm(chord)
        assert found.largest[k] == pytest.approx(off.max(), rel=BRUTE)
        assert off[np.abs(s - found.at[k]).argmin()] == pytest.approx(off.max(), rel=BRUTE)
        foot = np.clip((tip - tip[0]) @ chord / (chord @ chord), 0.0, 1.0)
        R = Rotation.from_matrix(X[k : k + 2, :3, :3])
        even = Slerp([0.0, 1.0], R)(foot).as_matrix()
        turn = Rotation.from_matrix(np.swapaxes(even, 1, 2) @ path(s)[0][:, :3, :3]).magnitude()
        assert found.largest_turn[k] == pytest.approx(turn.max(), rel=BRUTE)
