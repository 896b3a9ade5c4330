"""Poses exactly on a limit from one command to the next, a refused home, and changes taken for poses or joints."""

import csv
import io
import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.independent.machine_file import read
from tests.skew import MACHINES, SKEW

import gough
from gough.cli.clip_input import read_clip

UNEVEN, PARKED = str(MACHINES / "uneven-pistons.toml"), str(MACHINES / "park-rounded.toml")
POSITIONER = str(MACHINES / "positioner.toml")
POSE = ("x_", "y_", "z_", "qx", "qy", "qz", "qw")


def test_the_output_of_travel_is_allowed_in_the_next_command(run):
    rows = "x,y,z\n" + "\n".join(f"{x},{y},540" for x, y in np.random.default_rng(2).uniform(-20, 20, (21, 2)))
    for along, back in (("1,0.5,-0.2", "-1,-0.5,0.2"), ("z", "-z")):
        ends = run("travel", UNEVEN, "--csv", "-", "--along", along, stdin=rows)
        table = list(csv.DictReader(io.StringIO(ends.out)))
        poses = [
            {key.removeprefix("end_"): cell for key, cell in row.items() if key.removeprefix("end_")[:2] in POSE}
            for row in table
        ]
        text = "\n".join([",".join(poses[0]), *(",".join(row.values()) for row in poses)]) + "\n"
        kept = run("margins", UNEVEN, "--csv", "-", stdin=text)
        assert [row["is_allowed"] for row in kept.rows] == ["yes"] * 21
        again = run("travel", UNEVEN, "--csv", "-", "--along", back, stdin=text)
        assert min(float(row["distance_mm"]) for row in csv.DictReader(io.StringIO(again.out))) > 1.0


def test_a_refused_home_is_no_obstacle(run):
    """Home is given to a tenth of a millimetre, and all legs are 15 um too short there."""
    m = gough.load(PARKED)
    assert not gough.margins(m, m.home).is_allowed
    found = gough.nearest_pose(m, m.home)
    assert gough.margins(m, found.matrix).is_allowed
    # Straight up: by symmetry no other displacement lengthens all six legs as much.
    there = read(PARKED)
    height = np.sqrt(2.6**2 - np.linalg.norm((there.b - there.a)[:, :2], axis=1).max() ** 2)
    assert found.distance == pytest.approx(height - 1.9151, rel=1e-6)
    assert "The nearest allowed pose is" in run("travel", PARKED).out
    assert run("nearest", PARKED).code == 0


def test_displacements_taken_for_poses_are_recognised(run, tmp_path):
    file = tmp_path / "moves.csv"
    file.write_text("x,y,z\n0,0,0\n5,0,0\n5,5,0\n0,0,5\n")
    said = "these look like displacements from home"
    assert said in run("path", "hexel", str(file)).err
    assert said in run("inverse", "hexel", "--csv", str(file)).err
    file.write_text("x,y,z\n0,0,0\n5,0,0\n5,5,0\n0,0,5000\n")  # as displacements they are not all allowed either
    assert said not in run("path", "hexel", str(file)).err


def test_displacements_are_recognised_where_a_motion_is_played(run, tmp_path):
    m, file = gough.load("hexel"), tmp_path / "moves.csv"
    said = "look like displacements from home"
    for head, rows in (("x,y,z", "0,0,0\n5,0,0\n5,5,0\n"), ("time,x,y,z", "0,0,0,0\n1,5,0,0\n2,5,5,0\n")):
        file.write_text(f"{head}\n{rows}")
        assert said in read_clip(file, m, "pi").note
    file.write_text("x,y,z\n0,0,800\n5,0,800\n5,5,800\n")
    assert said not in read_clip(file, m, "pi").note


def test_changes_of_joints_taken_for_joints_are_recognised(run, tmp_path):
    file, changes = tmp_path / "joints.csv", np.array([[0, 0, 0, 0, 0, 0], [1, 2, 1, 0, -1, -2.0]])
    for shift, is_recognised in ((0.0, True), (100.0, False)):
        rows = (f"{k},{','.join(map(str, q))}" for k, q in enumerate(changes + shift))
        file.write_text("\n".join(["time,q1,q2,q3,q4,q5,q6", *rows]))
        told = run("playback", POSITIONER, str(file)).err
        assert "beyond their travel" in told
        assert ("look like changes from home" in told) is is_recognised


FORCED = ("servo", "hexaglide", "pitch-circle")
"""Machines with actuator forces."""


@pytest.mark.parametrize("name", [*FORCED, *SKEW])
def test_loads_that_capacity_prints_are_held(run, name):
    m = gough.load(name)
    printed = json.loads(run("capacity", name, "--json").out)
    wrenches = {
        (axis, side): np.eye(6)[k] * sign * printed["load"][axis][side]
        for k, axis in enumerate(("fx", "fy", "fz", "mx", "my", "mz"))
        for sign, side in ((-1, "minus"), (1, "plus"))
    }
    for case, wrench in wrenches.items():
        for factor, is_held in ((1.0, True), (1.0 + 1e-6, False)):
            values = ",".join(map(repr, (factor * wrench).tolist()))
            assert ("cannot hold" not in run("forces", name, f"--wrench={values}").err) == is_held, case
    if name in FORCED:  # gravity along z: mounted as the row of the table says
        centre = ",".join(map(repr, (m.point_of_interest / m.units.metres).tolist()))
        in_words = run("capacity", name).out
        shown = next(line.split()[1] for line in in_words.splitlines() if line.startswith("upright"))
        for mass, is_held in ((repr(printed["payload"]["upright"]["mass"]), True), (shown, True)):
            said = run("forces", name, "--payload", mass, f"--centre={centre}").err
            assert ("cannot hold" not in said) == is_held


@pytest.mark.parametrize("name", ["hexel", "linapod", "pitch-circle", *SKEW])
def test_speeds_that_velocity_prints_are_possible(run, name):
    printed = json.loads(run("velocity", name, "--json").out)["top_speed"]
    for k, speed in enumerate(printed):
        for factor, is_possible in ((1.0, True), (-1.0, True), (1.0 + 1e-6, False)):
            twist = ",".join(map(repr, (np.eye(6)[k] * speed * factor).tolist()))
            told = json.loads(run("velocity", name, f"--twist={twist}", "--json").out)
            assert told["is_possible"] == is_possible


@pytest.mark.parametrize("name", ["hexel", "servo", "jugglebot", *SKEW])
def test_points_that_workspace_prints_are_allowed(run, tmp_path, name):
    """Positions of the point of interest: the platform's frame is as far off as its file says."""
    m = gough.load(name)
    run("workspace", name, "--samples", "7", "-o", "w.csv")
    with open(tmp_path / "w.csv", newline="") as file:
        table = list(csv.DictReader(file))
    x, y, *sides = list(table[0])[:4]  # in the file's unit of length
    unit = {"mm": 1e-3, "in": 0.0254, "m": 1.0}[x.removeprefix("x_")]
    ends = [[row[x], row[y], row[end]] for row in table for end in sides]
    positions = unit * np.array(ends, float) - m.X_home[:3, :3] @ m.point_of_interest
    turn = Rotation.from_matrix(m.X_home[:3, :3]).as_quat()
    rows = [",".join(map(repr, [*position, *turn.tolist()])) for position in positions.tolist()]
    kept = run("margins", name, "--csv", "-", "--si", stdin="\n".join(["x,y,z,qx,qy,qz,qw", *rows]) + "\n")
    assert len(kept.rows) == 2 * len(table) > 20
    assert {row["is_allowed"] for row in kept.rows} == {"yes"}


def test_the_pose_that_place_prints_is_allowed(run):
    placed = json.loads(run("place", "hexel-head", "--at", "0,0,600", "--axis", "0.3,0.1,1", "--json").out)
    row = ",".join(map(repr, placed["position"] + placed["quaternion"]))
    kept = json.loads(run("margins", "hexel-head", "--csv", "-", "--json", stdin=f"x,y,z,qx,qy,qz,qw\n{row}\n").out)
    assert np.all(kept["is_allowed"])
