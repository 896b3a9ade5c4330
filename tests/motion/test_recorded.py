"""Recorded motions: band-limited resampling, the washout filter, fitting into the coupled workspace."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.motion.recorded.fitting import _largest_part, fit_motion, largest_gains, per_axis_scale
from gough.motion.recorded.recorded_motion import RecordedMotion, below, on_machine
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


def test_the_tilt_keeps_its_rate_where_it_would_be_quicker():
    t = np.linspace(0, 20, 1001)
    start = along_x(t, 0.6 * t**2)
    dense = np.linspace(0, 19, 3801)
    free, kept = (washout(start, tilt=2.0, tilt_rate=top, fade=0.0)(dense)[1][:, 4] for top in (1.0, 0.02))
    assert np.abs(free).max() > 0.05
    assert 0.9 * 0.02 < np.abs(kept).max() <= 0.02 * (1 + 1e-3)


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


def test_washout_is_linear_where_nothing_is_limited():
    t, X = vessel()
    ship = RecordedMotion(t, X, cutoff=1.0).relative()
    whole, part = (washout(ship, scale=k, tilt_rate=1.0)(t)[0] for k in (0.01, 0.005))
    np.testing.assert_allclose(part[:, :3, 3], whole[:, :3, 3] / 2, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(turns(part), turns(whole) / 2, rtol=0, atol=1e-8)


def test_a_smooth_curve_below_another_touches_no_more_than_it(rng):
    values = np.cumsum(rng.normal(size=400)) * 0.1
    smooth = below(values, 40)
    assert (smooth <= values + ROUND_OFF).all()
    assert np.abs(np.diff(smooth, 2)).max() < 0.1 * np.abs(np.diff(values, 2)).max()
    np.testing.assert_allclose(below(np.full(50, 0.7), 12), 0.7, rtol=0, atol=ROUND_OFF)


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


SAG = np.array(
    [
        [90, 0.927786, 641.860517, -605.175634, 0.017729],
        [80, 0.637150, 626.915855, -447.260678, 0.017188],
        [70, 0.349289, 572.175486, -294.432581, 0.015586],
        [60, 0.072949, 479.302667, -151.334946, 0.012971],
        [50, -0.183472, 351.119292, -22.315724, 0.009424],
        [40, -0.412184, 191.520149, 88.704902, 0.005050],
        [30, -0.606237, 5.354576, 178.353626, -0.000015],
        [20, -0.759735, -201.720880, 243.906518, -0.005620],
        [10, -0.868015, -423.414336, 283.371786, -0.011592],
        [0, -0.927786, -652.989748, 295.550297, -0.017752],
    ]
)
"""Zenith distance [deg], displacement x, y, z [um] and turn about x [deg] that hold the Rubin camera against its weight
(lsst-ts/ts_mthexapod)."""


def test_the_rubin_camera_follows_its_telescope_from_horizon_to_zenith():
    m, rate = gough.load("rubin-camera"), 0.25  # deg/s
    X = gough.pose(SAG[:, 1:4] * 1e-6, SAG[:, 4:], "x", degrees=True)
    sweep = RecordedMotion((90 - SAG[:, 0]) / rate, X)
    found = fit_motion(m, sweep.relative("first"), rate=0.5)
    assert (found.gain == 1.0).all()
    segments = np.ptp(gough.inverse_kinematics(m, found.motion(found.time)[0]), axis=0)
    assert 0.2e-3 < segments.min() < segments.max() < 2.5e-3  # of 28.2 mm
    assert found.speed_used < 0.05  # of 0.5 mm/s


@pytest.mark.parametrize("lost", [0.0, 1e-8, 3e-7, 1e-6, 2e-5, 0.003, 0.4, 0.9])
def test_the_largest_factor_is_found_from_below(lost):
    for steep in (1e-3, 1.0, 1e3):
        found = _largest_part(lambda factor: steep * max(factor - (1 - lost), 3 * (factor - 1), -0.1))  # noqa: B023
        assert 1 - lost - 1e-8 <= found <= 1 - lost
