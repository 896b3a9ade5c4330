"""Peaks, travel and broken limits of paths and recorded motions, between samples: against brute force and geometry."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough import motion
from gough.motion.recorded import RecordedMotion, fit_motion

MM = 1e-3
BRUTE = 1e-5
"""Of peaks at a million times."""
TRAVEL = 1e-6
"""Of travel by turning points."""
REPORTED = 1e-3
"""By which a timed motion may exceed a limit."""


@pytest.fixture(scope="module")
def hexel():
    return gough.load("hexel")


def _above_home(m, z):
    shift = np.zeros((len(z), 3))
    shift[:, 2] = z
    return gough.frames.displaced(m, gough.pose(shift)).as_matrix()


def _program(m, text, **how):
    return motion.programs.program_path(m, motion.programs.parse_program(text, motion.programs.program_start(m)), **how)


def test_a_knock_within_minutes_of_rest_is_found_with_its_row(hexel):
    t = np.arange(0, 60.001, 0.02)
    z = 20 * MM * np.exp(-(((t - 30.15) / 0.04) ** 2))
    found = motion.path_report(motion.programs.motion_through_poses(hexel, t, _above_home(hexel, z)))
    dense = np.linspace(30.0, 30.3, 300_001)
    X, V, _ = found.motion(dense)
    rate = np.abs(gough.joint_rates(hexel, X, V))
    np.testing.assert_allclose(found.work.peak_rate, rate.max(axis=0), rtol=BRUTE)
    assert found.is_feasible is False
    assert {place["limit"] for place in found.broken_limits} == {f"leg {i} speed" for i in range(1, 7)}
    when = dense[rate.max(axis=1).argmax()]
    for place in found.broken_limits:
        # As fast up as down, to rounding: rows are counted from 1 at 0 s.
        assert min(abs(place["time_s"] - at) for at in (when, 60.3 - when)) < 1e-4
        assert place["row"] == 1 + int(place["time_s"] / 0.02)
    # Up and down again: twice the height that the samples reach.
    top = gough.inverse_kinematics(hexel, found.motion(dense)[0]).max(axis=0)
    home = gough.inverse_kinematics(hexel, hexel.home)
    assert found.work.travel == pytest.approx(2 * (top - home), rel=0.02)  # splines swing about the ends of the knock


def test_forth_and_back_with_a_long_rest_travels_twice_the_way(hexel):
    plan = _program(hexel, "G21 G90 G94\nG1 X40 F1000\nG1 X0\nG4 P7200\nM2", blend=1e-5)
    found = motion.path_report(plan, joint_acceleration=0.5)
    s = np.linspace(*plan.span, 200_001)
    q = gough.inverse_kinematics(hexel, plan(s)[0])
    np.testing.assert_allclose(found.work.travel, np.abs(np.diff(q, axis=0)).sum(axis=0), rtol=TRAVEL)
    assert found.times["rest"] == pytest.approx(7200, rel=1e-12)
    # It turns back at 40 mm: there it rests, and keeps its limits about it.
    assert found.worst_utilisation <= 1 + REPORTED
    assert found.is_feasible


def test_travel_of_many_short_moves_does_not_depend_on_their_number(hexel, rng):
    places = rng.uniform(-2, 2, (300, 2))
    text = "G21 G90 G94 F3000\n" + "\n".join(f"G1 X{x:.3f} Y{y:.3f}" for x, y in places)
    plan = _program(hexel, text)
    found = motion.path_report(plan, samples=11, joint_speed=0.1)
    s = np.union1d(np.linspace(*plan.span, 300_001), plan.knots)
    q = gough.inverse_kinematics(hexel, plan(s)[0])
    np.testing.assert_allclose(found.work.travel, np.abs(np.diff(q, axis=0)).sum(axis=0), rtol=TRAVEL)
    assert np.array(list(found.times.values())).sum() == pytest.approx(found.motion.duration)


def test_every_broken_limit_is_listed_at_its_worst(hexel):
    """Margins at 20,000 places of the path say which, and how far beyond."""
    X = gough.frames.displaced(hexel, gough.pose([[0, 0, 0], [0.5, 0.1, 0.1], [0.1, 0, 0.7], [0, 0, 0]])).as_matrix()
    plan = motion.programs.path_through_poses(hexel, X)
    found = motion.path_report(plan, joint_acceleration=0.5)
    dense = gough.margins(hexel, plan(np.union1d(np.linspace(*plan.span, 20_001), plan.knots))[0])
    least = dict(zip(dense.names, np.nanmin(dense.values, axis=0), strict=True))
    worst = {each.name: each.worst for each in found.check.broken_limits}
    assert len(worst) > 3
    assert set(worst) == {name for name, value in least.items() if value < 0}
    for name, value in worst.items():
        assert value == pytest.approx(least[name], rel=BRUTE, abs=1e-7)
        assert value <= least[name] + 1e-9
    assert [place["limit"] for place in found.broken_limits] == list(worst)
    assert len(found.sentences()) >= len(worst)
    # A path that the machine cannot follow takes no time, and no leg works hardest on it.
    assert not {"duration", "held back by", "hardest leg"} & set(found.facts())
    assert found.duration is None


def test_legs_that_cannot_close_do_no_work():
    servo = gough.load("servo")
    X = gough.frames.displaced(servo, gough.pose([[0, 0, 0], [0.3, 0, 0], [0, 0, 0]])).as_matrix()
    found = motion.path_report(motion.programs.motion_through_poses(servo, [0.0, 1.0, 2.0], X))
    assert (found.work, found.duration, found.is_feasible) == (None, None, False)


def test_a_recorded_motion_is_scaled_until_the_actuators_bear_it(rng):
    m = gough.load("sinatra2009")
    t = np.arange(0, 8.001, 0.05)
    x = 0.01 * np.sin(2 * np.pi * 1.5 * t) * np.minimum(t, 1) * np.minimum(8 - t, 1)
    record = RecordedMotion(t, gough.pose_matrix(np.outer(x, [0.2, 0.1, 1.0]))).relative("first")
    free = fit_motion(m, record, reserve=0.01)
    most = free.extremes["force"].peak
    still = np.abs(gough.inverse_dynamics(m, m.home, np.zeros(6), np.zeros(6)))
    limited = replace(m, limits=replace(m.limits, actuator_force=(most + still) / 2))
    found = fit_motion(limited, record, reserve=0.01)
    assert found.gain.max() < 0.9 * free.gain.max()
    dense = np.linspace(*found.motion.span, 200_001)
    force = np.abs(gough.inverse_dynamics(limited, *found.motion(dense)))
    assert (force / limited.limits.actuator_force).max() == pytest.approx(1.0, abs=0.02)
    assert (force <= limited.limits.actuator_force * (1 + BRUTE)).all()
    assert found.drives_exceeded == ""
    anyway = fit_motion(limited, record, reserve=0.01, keeps_speeds=False)
    assert "allowed" in anyway.drives_exceeded
    weak = replace(m, limits=replace(m.limits, actuator_force=0.5 * still))
    with pytest.raises(gough.errors.InputError, match="to hold the machine at home"):
        fit_motion(weak, record)
