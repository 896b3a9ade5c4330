"""Recorded motions: band-limited resampling, the washout filter, fitting into the coupled workspace."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.motion.recorded.fitting import fit_motion, largest_gains, per_axis_scale
from gough.motion.recorded.recorded_motion import RecordedMotion, on_machine
from gough.motion.recorded.washout import specific_force, washout

VESSEL = Path(__file__).parents[2] / "examples" / "data" / "vessel_motion.csv"
AT_REST = 1e-3
"""Of the largest in the motion: what a smooth begin and end may leave, as the record is sampled."""
ROUND_OFF = 1e-12
DIFFERENCE = 1e-6
"""Error of central differences with steps of 1e-4 s on motions of a second's period, relative."""


def vessel():
    """Times (k,) and poses (k, 4, 4) of a minute at sea."""
    rows = np.genfromtxt(VESSEL, delimiter=",", skip_header=1)
    return rows[:, 0], gough.pose(rows[:, 1:4], rows[:, 4:], "xyz", degrees=True).as_matrix()


def turns(X):
    return Rotation.from_matrix(X[..., :3, :3]).as_rotvec()


@pytest.mark.parametrize("reference", ["mean", "first"])
def test_displacements_in_own_axes_do_not_depend_on_the_heading(reference):
    """The whole record, water and ship, turned about the vertical and brought elsewhere."""
    t, X = vessel()
    elsewhere = gough.pose([10.0, -20.0, 3.0], [2.0], "z").as_matrix()
    there = RecordedMotion(t, elsewhere @ X).relative(reference, own_axes=True)
    here = RecordedMotion(t, X).relative(reference, own_axes=True)
    np.testing.assert_allclose(there(t)[0], here(t)[0], rtol=0, atol=1e-11)
    X0 = RecordedMotion(t, X).reference_pose(reference)
    np.testing.assert_allclose(here(t)[0], np.linalg.inv(X0) @ X, rtol=0, atol=1e-11)
    plain = RecordedMotion(t, elsewhere @ X).relative(reference)
    assert np.abs(plain(t)[0] - here(t)[0]).max() > 0.1, "in the record's axes they do"


def test_it_goes_through_the_record_and_its_derivatives_are_its_own(rng):
    t = np.sort(rng.uniform(0, 6, 60))
    X = gough.pose(np.sin(t)[:, None] * [1, 2, 3], np.stack([2 * t, np.sin(t), 0.3 * t], axis=1), "XYZ").as_matrix()
    motion = RecordedMotion(t, X)
    np.testing.assert_allclose(motion(t)[0], X, rtol=0, atol=ROUND_OFF)
    s, h = t[5:-5:7], 1e-4
    before, (Y, V, A), after = (motion(s + d) for d in (-h, 0, h))
    np.testing.assert_allclose((after[0] - before[0])[:, :3, 3] / (2 * h), V[:, :3], rtol=0, atol=DIFFERENCE * 10)
    spin = turns(after[0] @ np.linalg.inv(before[0])) / (2 * h)
    np.testing.assert_allclose(spin, V[:, 3:], rtol=0, atol=DIFFERENCE * 10)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), A, rtol=0, atol=DIFFERENCE * 100)
    assert Y.shape == (len(s), 4, 4)


def test_a_low_pass_halves_at_its_cutoff_and_keeps_what_is_slow_without_delay():
    t = np.linspace(0, 40, 4001)
    slow, edge, fast = (np.sin(2 * np.pi * f * t) for f in (0.2, 2.0, 20.0))
    X = gough.pose(np.stack([slow, edge, fast], axis=1))
    kept = RecordedMotion(t, X, cutoff=2.0)(np.linspace(10, 30, 2001))[0][:, :3, 3]
    np.testing.assert_allclose(kept[:, 0], slow[1000:3001], rtol=0, atol=2e-4)
    np.testing.assert_allclose(kept[:, 1], 0.5 * edge[1000:3001], rtol=0, atol=2e-3)
    np.testing.assert_allclose(kept[:, 2], 0, rtol=0, atol=1e-6)


def test_filtering_knows_no_axes(rng):
    """Poses written in other axes, of the base and of the body, are filtered to the same motion."""
    t, X = vessel()
    base, body = (gough.pose(rng.normal(size=3), rng.uniform(-3, 3, 3), "xyz").as_matrix() for _ in range(2))
    base[:3, 3] = body[:3, 3] = 0
    one, other = RecordedMotion(t, X, cutoff=0.5), RecordedMotion(t, base @ X @ body, cutoff=0.5)
    np.testing.assert_allclose(other(t)[0], base @ one(t)[0] @ body, rtol=0, atol=1e-9)


def test_bounds_of_its_rates_hold_between_knots(rng):
    t, X = vessel()
    motion = RecordedMotion(t[:60], X[:60], cutoff=1.0)
    low = motion.knots[:-1]
    for part in (1.0, 0.1):
        high = low + part * np.diff(motion.knots)
        bounds = motion.rates(low, high)
        inside = low + rng.uniform(0, 1, (50, len(low))) * (high - low)
        _, V, A = motion(inside)
        for bound, value in zip(bounds, (V[..., :3], V[..., 3:], A[..., :3], A[..., 3:]), strict=True):
            largest = np.linalg.norm(value, axis=-1).max(axis=0)
            assert (largest <= bound * (1 + 1e-12)).all()
            assert np.median(largest / bound) > 0.5


def along_x(t, x):
    return RecordedMotion(t, gough.pose(np.outer(x, [1, 0, 0])))


def test_washout_passes_what_is_quick_by_the_filters_own_response():
    """A sway of 3 rad/s is answered by p = H(i w) a, long after the start."""
    w, break_at, third = 3.0, 0.8, 0.2
    t = np.linspace(0, 60, 6001)
    out = washout(along_x(t, 0.2 * np.sin(w * t)), translation=break_at, third=third, tilt=0.01, fade=1.0)
    s = 1j * w
    H = s / ((s + break_at) ** 2 * (s + third)) * s**2  # from position to position
    expected = 0.2 * np.imag(H * np.exp(s * t))
    late = (t > 40) & (t < 58)
    np.testing.assert_allclose(out(t[late])[0][:, 0, 3], expected[late], rtol=0, atol=2e-4)


def test_a_lasting_acceleration_is_felt_by_tilt_and_the_way_is_washed_out():
    t = np.linspace(0, 80, 4001)
    a = 1.2
    out = washout(along_x(t, 0.5 * a * t**2), tilt_rate=np.deg2rad(2.0), fade=0.0)
    X, V, _ = out(np.linspace(60, 75, 31))
    felt = specific_force(out, np.linspace(60, 75, 31))
    np.testing.assert_allclose(felt[:, 0] / felt[:, 2], a / 9.80665, rtol=2e-3)
    assert np.abs(X[:, :3, 3]).max() < 1e-2
    dense = out(np.linspace(0, 80, 8001))[1]
    assert np.linalg.norm(dense[:, 3:], axis=1).max() < np.deg2rad(2.0) * (1 + 1e-3)
    assert np.linalg.norm(V[:, :3], axis=1).max() < 1e-2


def test_the_platform_turns_about_its_own_axis_once_it_leans():
    """A quick yaw, which the slow tilt does not follow, leaves the direction of the leaning platform's axis alone."""
    t = np.linspace(0, 40, 4001)
    yaw = 0.2 * np.sin(5 * t)[:, None] * [0, 0, 1]
    sway = np.outer(0.6 * t**2, [1, 0, 0])
    straight, turned = (
        washout(RecordedMotion(t, gough.pose(sway, turn, "xyz")), tilt=0.1, tilt_rate=1.0, fade=0.0)
        for turn in (0 * yaw, yaw)
    )
    late = np.linspace(30, 38, 161)
    one, other = (motion(late)[0][:, :3, 2] for motion in (straight, turned))
    lean = np.abs(one[:, 0]).min()
    assert lean > 0.05
    assert np.abs(other - one).max() < 0.05 * lean


@pytest.fixture(scope="module")
def ship():
    """A swell and a half."""
    t, X = vessel()
    return RecordedMotion(t[:200], X[:200], cutoff=1.0).relative()


@pytest.fixture(scope="module")
def facility():
    return gough.load("nasa-msfc")


def least(machine, X):
    return np.nan_to_num(gough.margins(machine, X).relative, nan=np.inf).min(axis=-1)


@pytest.mark.parametrize("gain", ["single", "varying"])
def test_the_fitted_motion_keeps_its_reserve_and_could_not_be_larger(facility, ship, gain):
    found = fit_motion(facility, ship, reserve=0.05, gain=gain, rate=15.0, width=8.0)
    times = np.linspace(*ship.span, 7919)  # not those it was checked at
    assert least(facility, found.motion(times)[0]).min() > 0.05 - 1e-5
    assert found.worst == pytest.approx(0.05, abs=1e-5)
    assert (found.gain <= found.largest + 1e-9).all()
    if gain == "single":
        larger = on_machine(facility, ship(times)[0], 1.001 * found.gain[0])
        assert least(facility, larger).min() < 0.05
    else:
        assert found.scale > 1.3 * fit_motion(facility, ship, rate=15.0).scale


def test_a_fitted_motion_is_proven_between_its_samples(facility, ship):
    found = fit_motion(facility, ship, rate=15.0)
    assert gough.motion.check_path(facility, found.motion).is_proven
    larger = RecordedMotion(found.time, on_machine(facility, ship(found.time)[0], 1.1 * found.gain))
    assert not gough.motion.check_path(facility, larger).is_proven


def test_the_coupled_workspace_holds_more_than_limits_on_single_axes(facility, ship):
    """The box of the same six ranges is refused in a corner long before the motion is; axes alone promise too much."""
    axes, coupled = per_axis_scale(facility, ship, rate=15.0), fit_motion(facility, ship, rate=15.0)
    assert coupled.scale > 1.1 * axes.safe
    assert axes.alone > 1.2 * coupled.scale
    promised = on_machine(facility, ship(ship.time)[0], axes.alone)
    assert least(facility, promised).min() < 0


def test_largest_gains_against_plain_stepping(facility, ship):
    D = ship(ship.time[::60])[0]
    found = largest_gains(facility, D, 0.05)
    levels = np.linspace(0, 1, 1001)
    kept = np.stack([least(facility, on_machine(facility, D, level)) >= 0.05 for level in levels])
    stepped = np.array([levels[-1] if column.all() else levels[np.argmin(column) - 1] for column in kept.T])
    assert ((found >= stepped - ROUND_OFF) & (found <= stepped + levels[1] + ROUND_OFF)).all()


def test_legs_top_speeds_count(facility, ship):
    slow = replace(facility, limits=replace(facility.limits, joint_speed=np.full(6, 0.1)))
    found = fit_motion(slow, ship, rate=15.0)
    assert found.speed_used == pytest.approx(1.0, abs=1e-3)
    assert found.worst > 0.05
    free = fit_motion(slow, ship, rate=15.0, keeps_speeds=False)
    assert free.speed_used > 1.5
    assert found.scale < free.scale


def test_it_comes_in_from_rest_and_goes_back(facility, ship):
    found = fit_motion(facility, ship, rate=15.0, fade=5.0)
    X, V, A = found.motion(np.array(ship.span))
    np.testing.assert_allclose(X, [facility.X_home] * 2, rtol=0, atol=1e-9)
    _, speed, acceleration = found.motion(np.linspace(*ship.span, 1001))
    assert np.abs(V).max() < AT_REST * np.abs(speed).max()
    assert np.abs(A).max() < AT_REST * np.abs(acceleration).max()
