"""Which limits bind for how long, and jerks: by calculus and by brute force, whatever the duration."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough import motion

SWITCH = 2e-7
"""Of shares that calculus knows: the timing locates switches to 5e-8 of the time."""
BRUTE = 5e-5
"""Of shares counted at 200,000 times."""
JERK = 1e-3
"""Of jerks by differences over 200,000 times."""
TIMES = 200_001


@pytest.mark.parametrize("feed", [0.1, 0.005])
def test_a_slide_is_held_back_by_accelerations_as_long_as_it_takes_to_the_feed(feed):
    """Of the slow one for 83 millionths of the time, which thousands of samples do not see."""
    m = gough.load("hexaglide")
    way, most = 0.04, 15.0
    path = motion.line(m.home, gough.frames.displaced(m, gough.pose([way, 0, 0])))
    how = {"joint_speed": np.inf, "actuator_force": np.inf, "point": np.zeros(3)}
    found = motion.time_optimal(m, path, joint_acceleration=most, feed=feed, **how).binding()
    share = 2 * feed / most / (way / feed + feed / most)
    # Sliders that do the same tie: the first stands for all of them.
    assert list(found)[:2] == ["feed", "leg 1 acceleration"]
    assert list(found.values())[:2] == pytest.approx([1 - share, share], rel=0, abs=SWITCH)


@pytest.mark.parametrize("name", [SKEW[1], *thorough(SKEW[0], SKEW[2])])
def test_shares_are_those_of_brute_force(name, rng):
    m = gough.load(name)
    D = gough.pose_matrix(0.01 * m.size * rng.normal(size=(5, 3)), 0.02 * rng.normal(size=(5, 3)), "XYZ")
    path = motion.path_about_pivot(m, motion.Spline(D))
    X, V, _ = path(path.samples(101))
    rate = np.abs(gough.joint_rates(m, X, V)) / m.limits.joint_speed
    speed = np.linalg.norm(V[:, :3] + np.cross(V[:, 3:], X[:, :3, :3] @ m.point_of_interest), axis=1)
    how = {
        "joint_acceleration": 2 * m.limits.joint_speed * np.median(1 / rate.max(axis=1)) / path.span[1],
        "feed": float(np.median(speed / rate.max(axis=1))),
    }
    timed = motion.time_optimal(m, path, actuator_force=np.inf, point=m.point_of_interest, tolerance=1e-4, **how)
    t = np.linspace(*timed.span, TIMES)
    X, V, A = timed((t[1:] + t[:-1]) / 2)
    arm = X[:, :3, :3] @ m.point_of_interest
    used = {
        "speed": np.abs(gough.joint_rates(m, X, V)) / m.limits.joint_speed,
        "acceleration": np.abs(gough.kinematics.joint_accelerations(m, X, V, A)) / how["joint_acceleration"],
    }
    names = [f"leg {leg} {what}" for what in used for leg in range(1, 7)] + ["feed"]
    speed = np.linalg.norm(V[:, :3] + np.cross(V[:, 3:], arm), axis=1)
    first = np.argmax(np.column_stack([*used.values(), speed / how["feed"]]), axis=1)
    expected = np.bincount(first, minlength=len(names)) / len(first)
    found = timed.binding()
    assert sum(part > 1e-3 for part in expected) > 1, "several limits take turns"
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose([found.get(name, 0.0) for name in names], expected, rtol=0, atol=BRUTE)


def test_time_at_rest_counts_for_no_limit():
    """Although the actuators hold the weight meanwhile."""
    m = gough.load("hexaglide")
    text = "G21 G90 G94 F3000\nG1 X20\n{}G1 X0\nM2"
    shares = []
    for rest in ("", "G4 P3600\n"):
        program = motion.programs.parse_program(text.format(rest), motion.programs.program_start(m))
        shares.append(motion.path_report(motion.programs.program_path(m, program), samples=11).binding)
    assert shares[0].keys() == shares[1].keys()
    for name, part in shares[0].items():
        assert shares[1][name] == pytest.approx(part, abs=1e-6)


@pytest.mark.parametrize("name", [SKEW[2], *thorough(*SKEW[:2])])
def test_jerks_of_a_report_are_those_between_all_knots(name, rng):
    m = gough.load(name)
    jerk = 0.1 * m.size if m.legs.joint == "length" else 10.0
    D = gough.pose_matrix(0.02 * m.size * rng.normal(size=(5, 3)), 0.04 * rng.normal(size=(5, 3)), "XYZ")
    D[0] = np.eye(4)
    poses = m.X_home @ D
    plan = motion.programs.path_through_poses(m, poses, smooth=True)
    timed = motion.jerk_limited(m, plan, jerk, actuator_force=np.inf)
    found = motion.path_report(timed, samples=11)
    t = np.linspace(*timed.span, TIMES)
    steps = np.diff(gough.kinematics.joint_accelerations(m, *timed(t)), axis=0) / (t[1] - t[0])
    used = np.array([use.used for use in found.uses if use.name.endswith("jerk")])
    np.testing.assert_allclose(used, np.abs(steps).max(axis=0) / jerk, rtol=JERK)
    assert used.max() < 1 + 1e-6
    assert found.is_feasible is {"proven": True, "refuted": False}.get(found.check.verdict)
    # At half the limit all six are beyond it, or as many as brute force says.
    slow = replace(timed, limits=replace(timed.limits, jerk=np.full(6, jerk / 2)))
    slow = motion.path_report(slow, samples=11)
    beyond = {f"leg {leg + 1} jerk" for leg in np.flatnonzero(np.abs(steps).max(axis=0) > jerk / 2)}
    assert {place["limit"] for place in slow.broken_limits} >= beyond
    assert slow.is_feasible is False
