"""gough forward: joint coordinates in, poses out."""

import json

import numpy as np
import pytest

import gough

MICROMETRE_IN_MM = 1e-3
SOLVED = 1e-9
"""Of what forward kinematics gives back [mm, deg]: rounding, times the conditioning of ordinary poses."""

POSES = "x,y,z,a,b,c\n0,0,700,0,0,0\n12,-30,720,5,-4,3\n-40,5,680,-6,2,8\n"


@pytest.fixture
def joints(run):
    """Joint coordinates of `POSES` of hexel, angles by the sequence XYZ."""
    return run("inverse", "hexel", "--csv", "-", "--sequence", "XYZ", stdin=POSES).out


def rows(text):
    return np.array([[float(x) for x in line.split(",")] for line in text.splitlines()[1:]])


def test_poses_come_back_through_the_pipe(run, joints):
    ran = run("forward", "hexel", "--csv", "-", "--sequence", "XYZ", stdin=joints)
    assert ran.code == 0
    expected = (
        "x_mm,y_mm,z_mm,a_deg,b_deg,c_deg,residual_mm,iterations,status,certified,error_position_mm,error_rotation_deg"
    )
    assert ran.out.splitlines()[0] == expected
    found = np.array([list(row.values())[:6] for row in ran.rows])
    np.testing.assert_allclose(found, rows(POSES), atol=SOLVED)
    assert {row["status"] for row in ran.rows} == {"near"}


def test_its_own_answer_is_a_table_of_poses(run, joints):
    for as_what in (["--sequence", "XYZ"], ["--convention", "hexel"], []):
        poses = run("forward", "hexel", "--csv", "-", *as_what, stdin=joints).out
        again = run("inverse", "hexel", "--csv", "-", *as_what, stdin=poses).out
        np.testing.assert_allclose(rows(again), rows(joints), atol=SOLVED)


@pytest.mark.parametrize("convention", gough.frames.CONVENTIONS)
def test_angles_are_written_as_the_convention_says(run, joints, convention):
    X = gough.pose(rows(POSES)[:, :3], rows(POSES)[:, 3:], "XYZ", degrees=True)
    ran = run("forward", "hexel", "--csv", "-", "--convention", convention, stdin=joints)
    found = [[row["a_deg"], row["b_deg"], row["c_deg"]] for row in ran.rows]
    np.testing.assert_allclose(found, gough.to_convention(convention, X)[1], atol=SOLVED)


def test_one_set_of_joints_as_json(run):
    q = gough.inverse_kinematics(gough.load("hexel"), gough.pose([0.01, 0, 0.7])) * 1e3
    answer = json.loads(run("forward", "hexel", "--joints", ",".join(map(repr, q.tolist())), "--json").out)
    np.testing.assert_allclose(answer["position"], [10, 0, 700], atol=SOLVED)
    np.testing.assert_allclose(answer["quaternion"], [0, 0, 0, 1], atol=SOLVED)
    assert answer["units"]["length"] == "mm"
    assert answer["status"] == "near"
    assert answer["residual"] < MICROMETRE_IN_MM


@pytest.mark.parametrize("near", ["0,0,-0.7", "0,0,-0.7,0,0,0", "0 0 -0.7 0 0 0 1", "0, 0, -0.7, 0, 0, 0, -1"])
def test_near_chooses_the_assembly_mode(run, free_machine, near):
    """Struts between flat plates close as well below the base as above it."""
    machine = gough.load(free_machine)
    q = ",".join(map(repr, gough.inverse_kinematics(machine, machine.home).tolist()))
    above = run("forward", free_machine, "--joints", q).rows[0]
    below = run("forward", free_machine, "--joints", q, "--near", near, "--sequence", "xyz").rows[0]
    assert above["z_m"] == pytest.approx(0.7, abs=1e-12)
    assert below["z_m"] == pytest.approx(-0.7, abs=1e-12)


def test_one_set_of_joints_without_a_pose_is_an_error_of_its_own(run):
    ran = run("forward", "hexel", "--joints", "1,1,1,1,1,9000")
    assert ran.code == 1
    assert ran.out == ""
    assert ran.err.startswith("error: no pose found for the joint values (1, 1, 1, 1, 1, 9000) mm")


def test_rows_without_a_pose_are_nan_and_say_so(run, joints):
    table = joints + "1,1,1,1,1,9000\n"
    for option in ([], ["--sequence", "XYZ"], ["--convention", "pi"]):
        ran = run("forward", "hexel", "--csv", "-", *option, stdin=table)
        assert ran.code == 1
        assert "note: no pose found for 1 of 4 rows" in ran.err
        assert [row["status"] for row in ran.rows] == ["near"] * 3 + ["not converged"]
        assert np.isnan(ran.rows[3]["x_mm"])
    ran = run("forward", "hexel", "--csv", "-", "--json", stdin=table)
    assert json.loads(ran.out)["position"][3] == [None] * 3
