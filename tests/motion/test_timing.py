"""Timing: quickest motions touch a limit at every instant and pass none; smooth ones keep their jerk."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import ruckig
from scipy.spatial.transform import Rotation
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough import motion
from gough.motion._topp import PathRows, controllable, feasible_batch, reachable

TOUCHES = 1e-6
"""Departure from one of the share of the binding limit."""
NEARLY_QUICKEST = 0.01
"""What the search may miss of the quickest S-curve, and the change of rates along a ten-thousandth of the size."""
ONE_SIDED = 1e-4
"""Change of an acceleration within 1e-7 s beyond the linear one, as part of the largest."""
BETWEEN_PLACES = 1e-3
"""Utilisation of a limit beyond one between the ends, quarters and middles of the intervals of a coarse grid."""
TIMES = 20_001
"""Random instants looked at: none of them is a place of the grid."""


def path_about_home(m, rng, size, count=5):
    """A spline that moves and turns about home."""
    D = gough.pose_matrix(size * m.size * rng.normal(size=(count, 3)), 2 * size * rng.normal(size=(count, 3)), "XYZ")
    return motion.path_about_pivot(m, motion.Spline(D))


def with_friction(m):
    drives = replace(m.actuators, viscous_friction=np.full(6, 0.004), coulomb_friction=np.full(6, 0.01))
    return replace(m, actuators=drives)


CASES = {
    "speeds": ("hexel", {}),
    "speeds and accelerations": ("hexel", {"joint_acceleration": 0.5}),
    "sliders, forces too": ("hexaglide", {"actuator_force": 200.0}),
    "torques of cranks with friction": ("servo", {"actuator_force": 0.1}),
    "struts askew": (SKEW[0], {}),
    "sliders askew": (SKEW[1], {}),
    "cranks askew": (SKEW[2], {}),
    "feed": ("hexaglide", {"feed": 0.1, "turn_feed": 0.5}),
}


@pytest.mark.parametrize("case", [*thorough(*[*CASES][:3]), *[*CASES][3:]])
def test_a_limit_is_touched_at_every_instant_and_none_is_passed(case, rng):
    name, given = CASES[case]
    m = gough.load(name)
    m = with_friction(m) if "friction" in case else m
    timed = motion.time_optimal(m, path_about_home(m, rng, 0.01), **given)
    data = timed.limit_utilisation(np.sort(rng.uniform(*timed.span, TIMES)))
    largest = data["utilisation"].to_numpy().max(axis=1)
    assert abs(largest - 1).max() < TOUCHES
    assert len(np.unique(data["binding"])) > 2, "several limits take turns"


def test_a_slide_at_constant_acceleration_takes_the_time_that_it_takes():
    m = gough.load("hexaglide")
    way, most = 0.04, 15.0
    path = motion.line(m.home, gough.frames.displaced(m, gough.pose([way, 0, 0])))
    timed = motion.time_optimal(m, path, joint_speed=np.inf, joint_acceleration=most, actuator_force=np.inf)
    np.testing.assert_allclose(timed.duration, 2 * np.sqrt(way / most), rtol=1e-9)


def test_another_program_finds_the_same_time(rng):
    """TOPP-RA by its authors (Pham and Pham 2018): u held in each interval, so the first order of its grid."""
    toppra = pytest.importorskip("toppra", reason="toppra is in the extra 'test'")
    from toppra.algorithm import TOPPRA

    m = gough.load("hexaglide")
    path = path_about_home(m, rng, 0.01)
    timed = motion.time_optimal(m, path, actuator_force=np.inf)

    class Joints(toppra.interpolator.AbstractGeometricPath):
        dof, path_interval = 6, np.array(path.span)

        def __call__(self, s, order=0):
            X, V, A = path(np.clip(s, *path.span))
            if order == 0:
                return gough.inverse_kinematics(m, X)
            return gough.joint_rates(m, X, V) if order == 1 else gough.kinematics.joint_accelerations(m, X, V, A)

    def followed(scheme, count):
        """Excess of its time over ours, and the largest excess of an acceleration, both as parts."""
        s = np.linspace(*path.span, count + 1)
        limits = [
            toppra.constraint.JointVelocityConstraint(np.full((6, 2), 1.5) * [-1, 1]),
            toppra.constraint.JointAccelerationConstraint(
                np.full((6, 2), 15.0) * [-1, 1], discretization_scheme=scheme
            ),
        ]
        sdd, sd, _ = TOPPRA(limits, Joints(), gridpoints=s, solver_wrapper="seidel").compute_parameterization(0, 0)
        excess = []
        for part in (0.0, 0.25, 0.5, 0.75, 1 - 1e-9):
            X, V, A = path(s[:-1] + part * np.diff(s))
            x = sd[:-1] ** 2 + 2 * sdd * part * np.diff(s)
            second = gough.kinematics.joint_accelerations(m, X, V, A) * x[:, None]
            excess.append(np.abs(second + gough.joint_rates(m, X, V) * sdd[:, None]).max() / 15.0 - 1)
        return np.sum(2 * np.diff(s) / (sd[1:] + sd[:-1])) / timed.duration - 1, max(excess)

    schemes = toppra.constraint.DiscretizationType
    time, excess = followed(schemes.Collocation, 2000)
    assert abs(time) < 2e-3
    assert excess > 0.01, "its default exceeds accelerations within intervals"
    loose, kept = (followed(schemes.Interpolation, count) for count in (250, 2000))
    assert kept[1] < 0.01
    assert 0 < kept[0] < min(2e-3, 0.5 * loose[0]), "its other scheme is slower, by the first order of its grid"


def test_a_tighter_tolerance_is_met_and_changes_the_time_by_no_more(rng):
    m = gough.load("servo")
    path = path_about_home(m, rng, 0.01)
    found = {}
    for tolerance in (1e-2, 1e-4, 1e-6):
        timed = motion.time_optimal(m, path, joint_acceleration=200.0, tolerance=tolerance)
        found[tolerance] = timed.duration
        assert timed.within < tolerance
        at = np.sort(rng.uniform(*timed.span, 2001))
        used = timed.limit_utilisation(at)["utilisation"].max()
        assert used < 1 + 0.1 * tolerance, "a coarse grid is slow, not beyond the limits"
    assert found[1e-2] == pytest.approx(found[1e-6], rel=1e-2)
    assert found[1e-4] == pytest.approx(found[1e-6], rel=1e-4)


@pytest.mark.parametrize("name", [SKEW[0], "servo"])
def test_limits_hold_where_intervals_do_not_suffice(name, rng, monkeypatch):
    """Short moves with rounded corners on a fraction of the intervals that they need: slower, but within the limits."""
    module = sys.modules["gough.motion.time_optimal"]
    monkeypatch.setattr(module, "MOST_INTERVALS", 400)
    monkeypatch.setattr(module, "MOST_PER_KNOT", 10)
    m, count = gough.load(name), 60
    D = np.cumsum(rng.normal(size=(2, count, 3)), axis=1) * [[[0.002 * m.size]], [[0.004]]]
    path = motion.path_about_pivot(m, motion.via(gough.pose_matrix(*D, "XYZ"), blend=1e-4 * m.size, blend_angle=1e-3))
    timed = motion.time_optimal(m, path, joint_acceleration=5.0)
    t = np.sort(np.concatenate([rng.uniform(*timed.span, TIMES), (timed.knots[1:] + timed.knots[:-1]) / 2]))
    used = timed.limit_utilisation(t)["utilisation"].to_numpy()
    assert used.max() < 1 + BETWEEN_PLACES
    assert used.max() > 1 - timed.within
    assert len(timed.schedule.s) > 8 * len(path.knots), "the grid follows the number of knots"


def test_the_motion_begins_and_ends_at_rest_and_stops_at_corners():
    m = gough.load("hexaglide")
    X = np.stack(
        [gough.frames.displaced(m, gough.pose(p)).as_matrix() for p in ([0, 0, 0], [0.02, 0, 0], [0.02, 0.02, 0])]
    )
    sharp = motion.via(X)
    timed, rounded = motion.time_optimal(m, sharp), motion.time_optimal(m, motion.via(X, blend=5e-3))
    t = np.linspace(*timed.span, 4001)
    at_corner = np.argmin(abs(timed.parameter(t) - sharp.breaks[0]))
    speed = np.linalg.norm(timed(t)[1], axis=1)
    assert speed[[0, -1]].max() < 1e-12
    assert speed[at_corner] < 2e-3 * speed.max()
    assert rounded.duration < 0.95 * timed.duration
    np.testing.assert_allclose(timed(timed.span[1])[0], X[-1], rtol=0, atol=1e-12)


def zigzag(m, rng):
    """Straight lines with forty corners."""
    D = gough.pose_matrix(0.01 * m.size * rng.normal(size=(42, 3)), 0.02 * rng.normal(size=(42, 3)), "XYZ")
    return motion.path_about_pivot(m, motion.via(D))


def sawtooth(m, rng):
    """The same corners of a function whose parameter does not begin at zero."""
    path, first = zigzag(m, rng), -0.3
    span = path.span[0] + first, path.span[1] + first
    return motion.FunctionPath(lambda s: path(s - first), span, breaks=path.breaks + first)


@pytest.mark.parametrize("name", [SKEW[0], *thorough("servo")])
@pytest.mark.parametrize("corners", [zigzag, sawtooth])
@pytest.mark.parametrize("waits", [False, True], ids=["", "waits"])
def test_at_corners_the_acceleration_is_the_limit_from_one_side(name, corners, waits, rng):
    """At the corners' times, and a few roundings before and after them: never the direction of one side with the
    deceleration of the other."""
    m = gough.load(name)
    path = corners(m, rng)
    timed = motion.time_optimal(m, path, joint_acceleration=1.0, tolerance=1e-3)
    if waits:
        wait = rng.uniform(0.1, 1.0, len(path.breaks))
        timed = replace(timed, schedule=timed.schedule.resting(path.breaks, wait))
    corner = np.union1d(timed.when(path.breaks), timed.rests)
    near, after = 1e-7, np.nextafter(corner, np.inf)
    sides = [2 * timed(corner + sign * near)[2] - timed(corner + 2 * sign * near)[2] for sign in (-1, 1)]
    size = np.linalg.norm(sides, axis=-1).max()
    for t in (np.nextafter(np.nextafter(corner, 0), 0), np.nextafter(corner, 0), corner, after):
        off = [np.linalg.norm(timed(t)[2] - side, axis=1) for side in sides]
        assert np.min(off, axis=0).max() < ONE_SIDED * size


@pytest.mark.parametrize("make", ["time_optimal", "jerk_limited", "joint_move"])
def test_twists_and_accelerations_are_rates(make, rng):
    m = gough.load("servo")
    path = path_about_home(m, rng, 0.01)
    if make == "time_optimal":
        timed = motion.time_optimal(m, path, joint_acceleration=200.0, tolerance=1e-3)
    elif make == "jerk_limited":
        timed = motion.jerk_limited(m, path, 2e4, joint_acceleration=200.0)
    else:
        timed = motion.joint_space.joint_move(m, path.start, path.end, 2e4, joint_acceleration=200.0)
    t, h = rng.uniform(*timed.span, 50), 1e-7
    (before, V0, _), (_, V, A), (after, V1, _) = timed(t - h), timed(t), timed(t + h)
    turn = Rotation.from_matrix(after[:, :3, :3] @ before[:, :3, :3].swapaxes(1, 2)).as_rotvec()
    rate = np.concatenate([after[:, :3, 3] - before[:, :3, 3], turn], axis=1) / (2 * h)
    np.testing.assert_allclose(V, rate, rtol=0, atol=1e-5 * np.abs(V).max())
    np.testing.assert_allclose(A, (V1 - V0) / (2 * h), rtol=0, atol=1e-4 * np.abs(A).max())


def test_the_tool_tip_goes_at_its_feed():
    m = gough.load("hexaglide")
    feed = 0.05
    by = gough.pose([0.04, 0.01, 0], [0, 0, 0.02], "XYZ")
    timed = motion.time_optimal(m, motion.in_frame(m, motion.line(m.home * tool(m), by * m.home * tool(m))), feed=feed)
    data = timed.limit_utilisation()
    cruising = (data["binding"] == "feed").to_numpy()
    assert cruising.mean() > 0.8
    X, V, _ = timed(data["time"].to_numpy()[cruising])
    arm = X[:, :3, :3] @ m.X_PT[:3, 3]
    tip = np.linalg.norm(V[:, :3] + np.cross(V[:, 3:], arm), axis=1)
    np.testing.assert_allclose(tip, feed, rtol=1e-6)


def tool(m):
    from scipy.spatial.transform import RigidTransform

    return RigidTransform.from_matrix(m.X_PT)


def test_jerk_limited_motions_keep_every_limit(rng):
    m = gough.load("servo")
    jerk, acceleration = 2e4, 200.0
    X = gough.pose_matrix(0.008 * m.size * rng.normal(size=(3, 3)), 0.01 * rng.normal(size=(3, 3)), "XYZ")
    corners = motion.path_about_pivot(m, motion.via(X, blend=1e-3 * m.size, blend_angle=0.01))
    smooth = motion.jerk_limited(m, corners, jerk, joint_acceleration=acceleration)
    move = motion.joint_space.joint_move(m, corners.start, corners.end, jerk, joint_acceleration=acceleration)
    for timed in (smooth, move):
        t = np.linspace(*timed.span, 20_001)
        X, V, A = timed(t)
        qdd = gough.kinematics.joint_accelerations(m, X, V, A)
        shares = (
            np.abs(gough.joint_rates(m, X, V) / m.limits.joint_speed).max(),
            np.abs(qdd).max() / acceleration,
            np.abs(np.diff(qdd, axis=0)).max() / (t[1] - t[0]) / jerk,
        )
        assert max(shares) < 1 + 1e-6
        assert max(shares) > 0.98, "and waste none of the binding one"
        told = timed.limit_utilisation(t[::10])["utilisation"]
        assert 0.9 < told.max() < 1 + 1e-4
        assert "leg 1 jerk" in told["limit"]
        assert np.abs(V[[0, -1]]).max() < 1e-12
        np.testing.assert_allclose(X[[0, -1]], [corners.start, corners.end], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", SKEW)
def test_the_feed_is_the_speed_of_its_point(name, rng):
    m = gough.load(name)
    place = m.point_of_interest
    given = {"feed": 0.01 * m.size, "turn_feed": 1.0, "point": place}
    timed = motion.time_optimal(m, path_about_home(m, rng, 0.01), tolerance=1e-5, **given)
    t, h = np.linspace(timed.span[0] + 1e-3, timed.span[1] - 1e-3, 2001), 1e-5
    ahead, behind = (timed(t + step)[0] for step in (h, -h))
    speed = np.linalg.norm((ahead - behind)[:, :3] @ np.append(place, 1.0), axis=1) / (2 * h)
    assert speed.max() == pytest.approx(0.01 * m.size, rel=2e-5)


@pytest.mark.parametrize("name", SKEW)
@pytest.mark.parametrize(
    ("feed", "speed", "acceleration"), [(1, 9, 9), (9, 1, 9), (0.05, 9, 9), (1, 1, 0.05), (9, 9, 9)]
)
def test_a_jerk_limited_line_takes_the_time_of_the_quickest_s_curve(name, feed, speed, acceleration):
    """Where the legs' rates do not change along a path, limits bound its speed, acceleration and jerk alone.

    Ruckig knows the least time with such bounds. They are given in what half the path at constant jerk would come to.
    """
    m = gough.load(name)
    line = motion.line(m.X_home, gough.frames.displaced(m, gough.pose(1e-4 * m.size * np.array([0.6, -0.5, 0.7]))))
    most = np.abs(gough.joint_rates(m, line.start, line(line.span[0])[1])).max()
    length, jerk = line.span[1], 3.0
    v, a = np.cbrt(jerk / most * length**2), np.cbrt((jerk / most) ** 2 * length)
    timed = motion.jerk_limited(
        m, line, jerk, feed=feed * v, joint_speed=speed * v * most, actuator_force=np.inf,
        joint_acceleration=acceleration * a * most, point=m.point_of_interest,
    )  # fmt: skip
    alone = ruckig.InputParameter(1)
    alone.target_position, alone.max_jerk = [length], [jerk / most]
    alone.max_velocity, alone.max_acceleration = [min(feed, speed) * v], [acceleration * a]
    quickest = ruckig.Trajectory(1)
    ruckig.Ruckig(1).calculate(alone, quickest)
    assert timed.duration == pytest.approx(quickest.duration, rel=NEARLY_QUICKEST)


def random_rows(rng, count=8, rows=6):
    """Rows of a coarse grid that let it rest everywhere, with the interval lengths and the highest speeds squared."""
    smooth = rng.normal(size=(count + 1, rows, 3)) * 10 ** rng.uniform(-2, 2, 3)
    limit = rng.uniform(0.5, 2, rows)
    smooth[..., 2] = rng.uniform(-0.9, 0.9, (count + 1, rows)) * limit
    smooth = np.stack([smooth[:-1], (smooth[:-1] + smooth[1:]) / 2, smooth[1:]], axis=1)
    found = PathRows(smooth, np.empty((count, 3, 0, 3)), limit)
    cap = np.full((count, 3), 10 ** rng.uniform(-2, 3))
    feasible_batch(found, cap)
    most = np.minimum(np.append(cap[:, 0], 0.0), np.insert(cap[:, 2], 0, np.inf))
    return found, 10 ** rng.uniform(-1, 1) * rng.uniform(0.5, 1, count), most


def test_what_can_be_slowed_down_to_the_end_is_passed_however_coarse_the_grid():
    for seed in range(200):
        rows, h, most = random_rows(np.random.default_rng(seed))
        highest, x, u, new = most.copy(), most.copy(), np.empty((len(h), 2)), np.ones(len(h), dtype=bool)
        assert controllable(rows, h, most, highest, new) == -1
        x[0] = highest[0]
        assert reachable(rows, h, highest, x, u, new) == -1, "a speed from which limits stop it within an interval"
        for end in (0, 1):
            place = rows.smooth[:, 2 * end]
            y = x[end : len(h) + end, None]
            used = place[..., 0] * u[:, end : end + 1] + place[..., 1] * y + place[..., 2]
            assert (np.abs(used) <= rows.limit * (1 + 1e-12)).all()
