"""Plans from part programs, path files and poses: where the tool goes, how it stands, when it is where."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough import motion

ROUND_OFF = 1e-12
MM, DEG = 1e-3, np.pi / 180
TIMING = 1e-4
"""Tolerance of the timing, as part of a limit."""


@pytest.fixture(scope="module")
def hexel():
    return gough.load("hexel")


def planned(m, text, **how):
    start = motion.programs.program_start(m, work=how.get("work"), spindle=how.get("spindle"))
    return motion.programs.program_path(m, motion.programs.parse_program(text, start), **how)


def in_work(plan, s):
    """The cutter in the work frame at parameters, from the platform's pose in the base."""
    return np.linalg.inv(plan.work) @ plan.path(s)[0] @ plan.X_PC


def test_the_tool_is_where_the_program_says_and_looks_where_it_says(hexel):
    text = """G61 G1 X10 Y5 Z-3 F600
    X20 I0.3 J0.1 K0.9
    G2 X30 Y-5 I0 J-10 Z2
    G1 Y-20 A10 B-15 C30"""
    plan = planned(hexel, text, roll=0.2)
    assert plan.path(0.0)[0] == pytest.approx(hexel.X_home, abs=ROUND_OFF)
    moves = motion.programs.parse_program(text).moves
    for move in moves:
        last = np.flatnonzero(plan.number == move.line)[-1]
        end = plan.begins[last + 1] if last + 1 < len(plan.begins) else plan.path.span[1]
        C = in_work(plan, end)
        assert C[:3, 3] == pytest.approx(move.end, abs=ROUND_OFF)
        if move.tilt_end.angles is None:
            assert C[:3, 2] == pytest.approx(move.tilt_end.axis, abs=ROUND_OFF)
        else:
            expected = gough.from_convention("linuxcnc", [0, 0, 0], move.tilt_end.angles, degrees=False).as_matrix()
            assert C[:3, :3] == pytest.approx(expected[:3, :3], abs=ROUND_OFF)
    middle = 0.5 * (plan.begins[plan.number == 3][0] + plan.begins[plan.number == 4][0])
    assert in_work(plan, middle)[:3, 3] == pytest.approx(moves[2].at(0.5), abs=1e-10)
    assert plan.roll == pytest.approx((0.2, 0.2))


def test_a_rotary_word_that_goes_far_goes_all_the_way(hexel):
    plan = planned(hexel, "G1 C200 F3600")
    angles = np.unwrap([np.arctan2(*in_work(plan, s)[[1, 0], 0]) for s in np.linspace(*plan.path.span, 50)])
    assert angles[-1] - angles[0] == pytest.approx(200 * DEG)
    with pytest.raises(gough.errors.PathFileError, match="line 2: the tool turns by half a turn"):
        planned(hexel, "G0 X1 I1 K0\nG0 X2 I-1 K0", roll=0.0)
    with pytest.raises(gough.errors.PathFileError, match="line 1: the tool's axis points straight down"):
        planned(hexel, "G0 X1 K-1")


def test_the_roll_with_the_largest_margin_is_taken(hexel):
    text = "G0 X60 I0.5 K1\nG1 Y60 J0.5 K1 F600\nX-60 I-0.5 K1\nY-60 J-0.5 K1"

    def least(roll):
        plan = planned(hexel, text, roll=roll)
        return gough.margins(hexel, plan.path(plan.begins[1:])[0]).relative.min()

    chosen = planned(hexel, text)
    assert chosen.roll[0] == chosen.roll[1]
    best = least(chosen.roll[0])
    assert best >= max(least(roll) for roll in np.linspace(-3.0, 3.0, 24)) - ROUND_OFF
    assert planned(hexel, "G0 X60\nG1 Y60 F600").roll == (0.0, 0.0)


def test_feeds_rests_and_given_durations(hexel):
    text = "G61 G1 X20 F300\nG4 P1.5\nG1 Y20\nG93\nX0 F6\nG94\nG0 Y0"
    plan = planned(hexel, text)
    done = motion.time_path(plan, joint_acceleration=5.0)
    data = motion.path_history(done, samples=1501)
    t, line, tip = (data[name].to_numpy() for name in ("time", "number", "tip"))
    speed = np.linalg.norm(np.gradient(tip, t, axis=0), axis=1)
    for number, expected in ((1, 5 * MM), (3, 5 * MM), (5, 2 * MM)):
        assert np.median(speed[line == number]) == pytest.approx(expected, rel=1e-3)
    assert plan.rests.tolist() == [1.5, 0.0]
    ((stops, goes),) = done.rests
    assert goes - stops == pytest.approx(1.5)
    assert done.parameter(done.rests[0]) == pytest.approx(plan.stops[0])
    resting = (t > stops + 1e-6) & (t < goes - 1e-6)
    assert np.abs(data["joint_rate"].to_numpy()[resting]).max() == 0.0
    assert np.abs(data["joint_acceleration"].to_numpy()[resting]).max() == 0.0
    places = np.linspace(*plan.span, 301)
    assert done.parameter(done.when(places)) == pytest.approx(places, abs=ROUND_OFF)
    assert (np.diff(done.when(places)) > 0).all()
    assert done(done.duration)[0] == pytest.approx(plan.path.end, abs=1e-9)
    rates = np.abs(data["joint_rate"].to_numpy()).max(axis=0)
    assert (rates <= hexel.limits.joint_speed * (1 + TIMING)).all()
    assert done.binding()["feed"] > 0.5


@pytest.fixture(scope="module")
def shared():
    m = gough.load("hexel-head")
    text = "G61 G0 Z20 I0.2 K1\nG1 X20 I0.5 K1 F600\nG2 X40 Y-20 I0 J-20\nG1 X60 Y0 I1 K0.6\nG4 P0.5\nG1 X0 K1"
    program = motion.programs.parse_program(text, motion.programs.program_start(m))
    return m, program, motion.programs.head_program(m, program, places=16)


def test_a_head_shares_the_tool_and_the_tool_is_exact(shared):
    """Two thirds of a right angle: more than the platform alone could hold."""
    m, program, plan = shared
    s = np.linspace(*plan.path.span, 300)
    tip = plan.path(s)[0] @ m.head.tip(plan.head(s)[0])
    for move in program.moves:
        last = np.flatnonzero(plan.number == move.line)[-1]
        end = plan.begins[last + 1] if last + 1 < len(plan.begins) else plan.path.span[1]
        X = np.linalg.inv(plan.work) @ plan.path(end)[0] @ m.head.tip(plan.head(end)[0])
        assert X[:3, 3] == pytest.approx(move.end, abs=ROUND_OFF)
        assert -X[:3, 2] == pytest.approx(move.tilt_end.axis, abs=1e-9)
    assert np.abs(tip[:, :3, 3] - plan.tip(plan.path(s)[0], s)).max() < ROUND_OFF
    h, at = 1e-6, plan.begins[1] + 0.3 * (plan.begins[2] - plan.begins[1])
    X, V, _ = plan.path(at)
    step = plan.path(np.array([at - h, at + h]))[0]
    assert V[:3] == pytest.approx((step[1] - step[0])[:3, 3] / (2 * h), abs=1e-7)


PATH = """
moves = "tool"
frame = "home"
units = { length = "mm", angle = "deg" }
sequence = "XYZ"
feed = 10

[[segments]]
kind = "line"
to = [30, 0, 0]

[[segments]]
kind = "arc"
through = [0, 30, 0]
to = [-30, 0, 0]
angles = [0, 0, 10]
feed = 5

[[segments]]
kind = "rest"
duration = 2

[[segments]]
kind = "arc"
centre = [-30, 0, 10]
normal = [0, 1, 0]
angle = 90
rise = 5

[[segments]]
kind = "via"
points = [[-40, 5, 20], [-40, 5, 30, 5, 0, 0]]

[[segments]]
kind = "spline"
points = [[-20, 0, 20], [0, 0, 0, 0, 0, 0]]
rapid = true
"""


def test_a_path_file_leads_where_it_says(hexel):
    from gough.motion.programs.path_file_schema import parse_path_file

    plan = motion.programs.path_from_file(hexel, parse_path_file(PATH), "p.toml")
    assert plan.number.tolist() == [1, 2, 4, 5, 6]
    assert plan.feed == pytest.approx([10 * MM, 5 * MM, 10 * MM, 10 * MM, 10 * MM])
    assert plan.is_rapid.tolist() == [False] * 4 + [True]
    assert plan.rests.tolist() == [2.0, 0.0]
    home = np.linalg.inv(hexel.X_home)
    places = [(home @ plan.path(s)[0])[:3, 3] for s in (*plan.begins, plan.path.span[1])]
    expected = [[0, 0, 0], [30, 0, 0], [-30, 0, 0], [-40, 5, 10], [-40, 5, 30], [0, 0, 0]]
    assert np.array(places) == pytest.approx(np.array(expected) * MM, abs=1e-9)
    half_way = home @ plan.path((plan.begins[1] + plan.begins[2]) / 2)[0]
    assert half_way[:3, 3] == pytest.approx([0, 30 * MM, 0], abs=1e-9)


@pytest.mark.parametrize("moves", ["platform", "tool", None])
def test_a_path_file_moves_the_frame_that_it_names(moves):
    """Seen from where that frame is at home; the platform's where none is named."""
    from gough.motion.programs.path_file_schema import parse_path_file

    m = gough.load(SKEW[0])
    named = f'moves = "{moves}"\n' if moves else ""
    lines = 'frame = "home"\nunits = { length = "mm", angle = "deg" }\nsequence = "XYZ"\nfeed = 1\n'
    segment = '[[segments]]\nkind = "line"\nto = [1, 2, 3]\nangles = [4, 5, 6]\n'
    plan = motion.programs.path_from_file(m, parse_path_file(named + lines + segment), "p.toml")
    X_PM = m.X_PT if moves == "tool" else np.eye(4)
    ends = [np.linalg.inv(m.X_home @ X_PM) @ plan.path(s)[0] @ X_PM for s in plan.path.span]
    given = gough.pose_matrix(np.array([1, 2, 3]) * MM, np.deg2rad([4, 5, 6]), "XYZ")
    np.testing.assert_allclose(ends, [np.eye(4), given], rtol=0, atol=1e-12)


def test_what_a_path_file_gets_wrong_is_named():
    from gough.motion.programs.path_file_schema import parse_path_file

    text = """
    [[segments]]
    kind = "line"
    too = [1, 2, 3]
    [[segments]]
    kind = "arc"
    to = [1, 2, 3]
    [[segments]]
    kind = "spiral"
    [[segments]]
    kind = "rest"
    duration = -1
    """
    with pytest.raises(gough.errors.PathFileError) as caught:
        parse_path_file(text, "p.toml")
    found = caught.value.problems
    assert "segment 1 (line), to: is missing" in found
    assert any(problem.startswith("segment 1 (line), too: unknown key. Did you mean 'to'?") for problem in found)
    assert any("segment 2 (arc)" in problem and "`through` and `to`" in problem for problem in found)
    assert any(problem.startswith("segment 3: `kind` is one of line, arc") for problem in found)
    assert any(problem.startswith("segment 4 (rest), duration: -1") for problem in found)
    with pytest.raises(gough.errors.PathFileError, match="Euler angles require `sequence`"):
        parse_path_file('[[segments]]\nkind = "line"\nto = [1, 2, 3]\nangles = [1, 2, 3]')


def test_poses_with_times_are_met_and_judged_by_the_legs(hexel):
    t = np.array([1.0, 2.0, 3.0])
    X = gough.frames.displaced(hexel, gough.pose(np.array([[0, 0, 0], [20, 0, 0], [20, 30, 0]]) * MM)).as_matrix()
    done = motion.programs.motion_through_poses(hexel, t, X)
    assert done(t - 1.0)[0] == pytest.approx(X, abs=ROUND_OFF)
    assert motion.path_report(done).is_feasible is True or motion.path_report(done).worst_utilisation > 1
    slow, quick = (motion.path_report(motion.programs.motion_through_poses(hexel, t * pace, X)) for pace in (4.0, 0.25))
    assert slow.is_feasible is True
    assert quick.is_feasible is False
    assert quick.worst_utilisation == pytest.approx(16 * slow.worst_utilisation, rel=1e-3)
    assert quick.worst_limit in quick.motion.limits.names
    # Every limit that is exceeded at 100,000 times is listed, and no other; rows are numbered by where they begin.
    used = quick.motion.limit_utilisation(np.linspace(*quick.motion.span, 100_001))["utilisation"].max("time")
    assert {place["limit"] for place in quick.broken_limits} == {str(name) for name in used["limit"][used > 1].values}
    for place, words in zip(quick.broken_limits, quick.sentences(), strict=True):
        assert place["row"] == 1 + (place["time_s"] >= 0.25)
        assert words.startswith(f"row {place['row']}: {place['limit']} ")
        assert words.endswith("% of what is allowed")
