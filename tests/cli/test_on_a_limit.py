"""Poses exactly on a limit from one command to the next, a refused home, and changes taken for poses or joints."""

import csv
import io

import numpy as np
import pytest
from tests.independent.machine_file import read
from tests.skew import MACHINES

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
