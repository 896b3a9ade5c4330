"""What is said beside an answer: that a pose is refused, a load impossible, an option idle."""

import json

import numpy as np
import pytest
from tests.skew import SKEW

import gough

REFUSED = {
    "forces": ("pitch-circle", "--at", "0,0,900"),
    "capacity": ("servo", "--at", "0,0,160"),
    "velocity": ("hexel", "--at", "0,0,1500"),
    "stiffness": ("hexel", "--at", "0,0,1500"),
    "accuracy": ("hexaglide", "--at", "0,0,100"),
    "conditioning": ("hexel", "--at", "0,0,1500"),
}
"""Commands with numbers of poses, each with a pose that its machine refuses."""


@pytest.mark.parametrize("command", REFUSED)
def test_numbers_of_a_refused_pose_come_with_its_reason(run, command):
    name, *where = REFUSED[command]
    m = gough.load(name)
    X = gough.pose(np.array([float(x) for x in where[1].split(",")]) * m.units.metres)
    ran = run(command, name, *where, "--json")
    assert f"note: the pose is not allowed: {gough.margins(m, X).sentences()[0]}" in ran.err
    assert json.loads(ran.out)["is_allowed"] is False
    home = run(command, name, "--json")
    assert "not allowed" not in home.err
    assert json.loads(home.out)["is_allowed"] is True
    home_row = ",".join(f"{x:.17g}" for x in m.X_home[:3, 3] / m.units.metres)
    many = run(command, name, "--csv", "-", "--json", stdin=f"x,y,z\n{home_row}\n{where[1]}\n")
    assert "note: 1 of 2 poses (the first is number 2) are not allowed: " in many.err


def test_joints_beyond_their_travel_are_told(run):
    for command in (("forward", "hexel", "--joints", ",".join(["1200"] * 6)), ("inverse", "hexel", "--at", "0,0,1500")):
        assert "beyond their travel: leg " in run(*command).err
    assert run("inverse", "hexel").err == ""
    table = (
        "time,q1,q2,q3,q4,q5,q6\n0,587,587,587,587,587,587\n0.1,590,587,587,587,587,587\n0.2,590,587,582,587,587,587\n"
    )
    told = run("playback", "hexel", "-", stdin=table).err
    legs = "leg 1 at 30 mm/s after 0 s, allowed 25 mm/s; leg 3 at 50 mm/s after 0.1 s, allowed 25 mm/s"
    assert f"joint speed limits are exceeded: {legs}\n" in told
    slow = run("playback", "hexel", "-", stdin=table.replace("0.1,590", "1,590").replace("0.2,590", "2,590")).err
    assert "quicker" not in slow


def test_loads_that_the_actuators_cannot_hold_are_told(run):
    m = gough.load("pitch-circle")
    f = gough.leg_forces(m, m.home, [0, 0, -9000, 0, 0, 0], gravity=True)
    used = 100 * (np.abs(f) / m.limits.actuator_force).max()
    for command in ("forces", "stiffness"):
        told = run(command, "pitch-circle", "--wrench", "0,0,-9000").err
        assert f"the actuators cannot hold this: leg {1 + int(np.abs(f).argmax())} needs {used:.3g} %" in told
        assert "cannot hold" not in run(command, "pitch-circle", "--wrench", "0,0,-100").err


@pytest.mark.parametrize(
    ("command", "idle"),
    [
        (("velocity", "hexel", "--x", "1,2"), "--x"),
        (("stiffness", "hexel", "--samples", "4"), "--samples"),
        (("conditioning", "hexel", "--z", "700"), "--z"),
        (("simulate", "servo", "--duration", "0.01", "--bandwidth", "5"), "--bandwidth"),
        (("simulate", "servo", "--duration", "0.01", "--half-period", "5"), "--half-period"),
        (("dynamics", "servo", "--motion", "-", "--half-period", "5"), "--half-period"),
        (("workspace", "hexel", "--at", "0,0,800"), "--at"),
        (("workspace", "hexel", "--shape", "dexterous", "--tilt", "5", "--level", "2"), "--level"),
        (("modes", "hexel", "--samples", "4"), "--samples"),
        (("path", "hexel", "-", "--feed", "5"), "--feed"),
    ],
)
def test_an_option_that_counts_for_nothing_is_refused(run, command, idle):
    ran = run(*command, stdin="time,x,y,z\n0,0,0,133\n1,0,0,134\n")
    assert ran.code == 2
    assert f"error: {idle} requires " in ran.err


def test_a_joint_speed_that_is_given_judges_and_is_what_parts_are_of(run):
    """Tables with times are judged by it, and "of top speed" is of it."""
    m = gough.load("hexel")
    table = "time,x,y,z\n0,0,0,800\n4,20,0,800\n8,20,30,790\n"
    rates = json.loads(run("path", "hexel", "-", "--json", stdin=table).out)["legs"]["peak_rate"]
    own = m.limits.joint_speed[0] / m.displayed_joint_size
    for speed, feasible in ((0.5 * max(rates), False), (2.0 * max(rates), True)):
        given = ("path", "hexel", "-", "--joint-speed", str(speed))
        found = json.loads(run(*given, "--json", stdin=table).out)
        assert found["feasible"] is feasible
        assert found["worst_share"] == pytest.approx(max(rates) / speed, rel=1e-3)
        row = next(line for line in run(*given, stdin=table).out.splitlines() if line.split()[:1] == ["1"])
        assert float(row.split()[5]) == pytest.approx(100 * rates[0] / speed, rel=1e-3)
        assert speed != own
    slow = ("path", "hexel", "-", "--acceleration", "0.001", "--json")
    assert json.loads(run(*slow, stdin=table).out)["feasible"] is False


@pytest.mark.parametrize("name", ["pitch-circle", "dehaeze", *SKEW])
def test_the_stiffness_of_the_page_is_that_of_the_command_under_load(run, name):
    applied = pytest.importorskip("gough.viewer.applied_forces", reason="viser is not installed")
    m = gough.load(name)
    loaded = json.loads(run("stiffness", name, "--loaded", "--json").out)
    shown = applied.principal_stiffness(m, m.X_home, applied.AppliedForces()).translation
    assert loaded["translation"] == pytest.approx(shown)
    alone = run("stiffness", name)
    assert "Not included: the geometric stiffness" in alone.out
    assert json.loads(run("stiffness", name, "--json").out)["translation"] != pytest.approx(shown, rel=1e-9)


@pytest.mark.parametrize("command", ["forces", "capacity", "dynamics"])
def test_a_stage_alone_says_what_of_the_other_is_not_counted(run, command):
    lower, upper = (run(command, f"double-hexapod:{k}").err for k in (1, 2))
    assert "the weight of the upper stage is not included" in lower
    assert "gravity is as in its own file" in upper
    assert "stage only" not in run(command, "dumitriu2017").err
