"""gough inverse: poses in, joint coordinates out."""

import json

import numpy as np
import pytest

import gough

FIFTEEN_DIGITS = 1e-14
"""Relative; CSV carries fifteen digits."""
Q_MM = [f"q{leg}_mm" for leg in range(1, 7)]


def values(row):
    return list(row.values())


def test_without_a_pose_it_answers_home(run):
    m = gough.load("hexel")
    (row,) = run("inverse", "hexel").rows
    assert list(row) == Q_MM
    np.testing.assert_allclose(values(row), gough.inverse_kinematics(m, m.home) * 1e3, rtol=FIFTEEN_DIGITS)


def test_position_and_angles_are_in_the_units_of_the_file(run):
    """Genhexkins' own numbers, in inch and degrees."""
    ran = run("inverse", "linuxcnc", "--at", "1,2,22", "--angles", "5,-3,10", "--convention", "linuxcnc")
    expected = [31.057007, 32.570519, 28.430544, 34.230374, 30.065788, 31.176462]
    np.testing.assert_allclose(values(ran.rows[0]), expected, atol=0.51e-6)
    assert list(ran.rows[0]) == [f"q{leg}_in" for leg in range(1, 7)]


@pytest.mark.parametrize(
    ("option", "angles", "sequence"),
    [
        (["--sequence", "XYZ"], [3, -4, 5], "XYZ"),
        (["--sequence", "zyx"], [3, -4, 5], "zyx"),
        (["--convention", "pi"], [3, -4, 5], "XYZ"),
        (["--convention", "symetrie"], [3, -4, 5], "xyz"),
        (["--convention", "hexel"], [-4, 3, 5], "YXZ"),  # Ry(b) Rx(a) Rz(c): a and b change places
    ],
)
def test_angles_mean_what_the_sequence_or_the_convention_says(run, option, angles, sequence):
    X = gough.pose([0.01, 0.02, 0.7], angles, sequence, degrees=True)
    ran = run("inverse", "hexel", "--at", "10,20,700", "--angles", "3,-4,5", *option)
    expected = gough.inverse_kinematics(gough.load("hexel"), X) * 1e3
    np.testing.assert_allclose(values(ran.rows[0]), expected, rtol=FIFTEEN_DIGITS)


def test_one_pose_as_angles_quaternion_and_matrix_is_the_same(run):
    X = gough.pose([0.01, 0.02, 0.7], [3, -4, 5], "XYZ", degrees=True)
    in_mm = X.as_matrix()
    in_mm[:3, 3] *= 1e3
    table = ",".join(f"m{row}{column}" for row in range(4) for column in range(4))
    quaternion = ",".join(map(repr, X.rotation.as_quat().tolist()))
    answers = [
        run("inverse", "hexel", "--at", "10 20 700", "--angles", "3 -4 5", "--sequence", "XYZ"),
        run("inverse", "hexel", "--at", "10,20,700", "--quaternion", quaternion),
        run("inverse", "hexel", "--at", "10,20,700,3,-4,5", "--convention", "pi"),
        run("inverse", "hexel", "--at", f"10,20,700,{quaternion}"),
        run("inverse", "hexel", "--csv", "-", stdin=f"{table}\n{','.join(map(repr, in_mm.ravel().tolist()))}\n"),
    ]
    for answer in answers[1:]:
        np.testing.assert_allclose(values(answer.rows[0]), values(answers[0].rows[0]), rtol=FIFTEEN_DIGITS)


def test_si_speaks_metres_and_radians_both_ways(run):
    mm = run("inverse", "hexel", "--at", "10,20,700", "--angles", "0,0,30", "--sequence", "XYZ").rows[0]
    si = run(
        "inverse", "hexel", "--si", "--at", ".01,.02,.7", "--angles", f"0,0,{np.pi / 6}", "--sequence", "XYZ"
    ).rows[0]
    assert list(si) == [f"q{leg}_m" for leg in range(1, 7)]
    np.testing.assert_allclose(np.array(values(si)) * 1e3, values(mm), rtol=FIFTEEN_DIGITS)


def test_cranks_answer_in_degrees_and_json_says_so(run):
    m = gough.load("servo")
    ran = run("inverse", "servo", "--json")
    answer = json.loads(ran.out)
    assert answer["machine"] == "servo"
    assert answer["units"] == {"length": "mm", "angle": "deg", "joint": "deg", "joints": "deg"}
    expected = np.rad2deg(gough.inverse_kinematics(m, m.home))
    np.testing.assert_allclose(answer["joints"], expected, atol=1e-12)


def test_a_csv_of_poses_gives_a_csv_of_joints(run, tmp_path, rng):
    position = rng.uniform(-50, 50, (20, 3)) + [0, 0, 700]
    angles = rng.uniform(-10, 10, (20, 3))
    lines = [",".join(map(repr, [*p, *a])) for p, a in zip(position.tolist(), angles.tolist(), strict=True)]
    tmp_path.joinpath("poses.csv").write_text("\n".join(["x,y,z,a,b,c", *lines]) + "\n")
    ran = run("inverse", "hexel", "--csv", "poses.csv", "--sequence", "XYZ")
    X = gough.pose(position * 1e-3, angles, "XYZ", degrees=True)
    expected = gough.inverse_kinematics(gough.load("hexel"), X) * 1e3
    np.testing.assert_allclose([values(row) for row in ran.rows], expected, rtol=FIFTEEN_DIGITS)


@pytest.mark.parametrize(
    "table",
    [
        "x_m,y_m,z_m\n0.01,0.02,0.7\n",
        "z_cm,x_mm,y_um\n70,10,20000\n",
        "x;y;z\n10;20;700\n",
        "x\ty\tz\r\n10\t20\t700\r\n\r\n",
        '﻿"x", "y", "z"\n10, 20, 700',
        "x,y,z,qx,qy,qz,qw\n10,20,700,0,0,0,-1\n",
        "m00,m01,m02,m03,m10,m11,m12,m13,m20,m21,m22,m23,m30,m31,m32,m33\n1,0,0,10,0,1,0,20,0,0,1,700,0,0,0,1\n",
        "m00,m01,m02,m03_m,m10,m11,m12,m13_m,m20,m21,m22,m23_cm,m30,m31,m32,m33\n"
        "1,0,0,.01,0,1,0,.02,0,0,1,70,0,0,0,1\n",
        "x,y,z,residual_mm,iterations,status\n10,20,700,0,3,near\n",
    ],
)
def test_tables_may_look_like_this(run, table):
    expected = values(run("inverse", "hexel", "--at", "10,20,700").rows[0])
    ran = run("inverse", "hexel", "--csv", "-", stdin=table)
    np.testing.assert_allclose(values(ran.rows[0]), expected, rtol=FIFTEEN_DIGITS)


def test_a_leg_that_cannot_close_is_nan_and_null_and_said(run):
    for as_json in ([], ["--json"]):
        ran = run("inverse", "servo", "--csv", "-", *as_json, stdin="x,y,z\n0,0,132.9\n0,0,900\n")
        assert ran.code == 0
        assert "a leg cannot close at 1 of 2 poses" in ran.err
        if as_json:
            assert json.loads(ran.out)["joints"][1] == [None] * 6
        else:
            assert np.isnan(values(ran.rows[1])).all()
            assert np.isfinite(values(ran.rows[0])).all()
    assert "a leg cannot close at this pose" in run("inverse", "servo", "--at", "0,0,900").err


def test_output_goes_to_the_file_and_nowhere_else(run, tmp_path):
    printed = run("inverse", "hexel").out
    ran = run("inverse", "hexel", "--output", "q.csv")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert tmp_path.joinpath("q.csv").read_text() == printed
    assert [path.name for path in tmp_path.iterdir()] == ["q.csv"]
