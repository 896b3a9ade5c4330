"""`gough place`."""

import json

import numpy as np

import gough
from gough import motion

TOLD = 1e-9


def test_the_tool_is_where_it_was_asked_for(run):
    ran = run("place", "hexel-head", "--at", "0,0,850", "--axis", "1,0,0.5", "--json")
    assert ran.code == 0
    answer, m = json.loads(ran.out), gough.load("hexel-head")
    X = np.eye(4)
    X[:3, :3] = rotation(answer["quaternion"])
    X[:3, 3] = np.array(answer["position"]) * 1e-3
    tip = motion.heads.head_pose(m, X, np.deg2rad(answer["head"])).as_matrix()
    np.testing.assert_allclose(tip[:3, 3], [0, 0, 0.85], rtol=0, atol=TOLD)
    np.testing.assert_allclose(tip[:3, 2], np.array([1, 0, 0.5]) / np.sqrt(1.25), rtol=0, atol=TOLD)
    np.testing.assert_allclose(gough.inverse_kinematics(m, X) * 1e3, answer["joints"], rtol=0, atol=1e3 * TOLD)


def rotation(quaternion):
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(quaternion).as_matrix()


def test_what_cannot_be_held_says_why(run):
    ran = run("place", "hexel-head", "--at", "0,0,1300", "--axis", "1,0,0.5")
    assert ran.code == 1
    assert "the tool cannot be held there: leg" in ran.err
    held = run("place", "hexel-head", "--at", "0,0,900", "--axis", "0,0,1", "--joints", "0,100")
    assert "head joint tilt 100 deg, allowed at most 95 deg" in held.err


def test_a_path_is_followed(run):
    table = "x,y,z,i,j,k\n" + "".join(f"{10 * k},0,850,{0.1 * k},0,1\n" for k in range(4))
    ran = run("place", "hexel-head", "--csv", "-", stdin=table)
    assert ran.code == 0
    assert len(ran.rows) == 4
    assert min(row["margin"] for row in ran.rows) > 0.3


def test_requests_that_make_no_sense(run):
    assert "machine 'hexel' has no tool head" in run("place", "hexel", "--at", "0,0,8", "--axis", "0,0,1").complaint
    both = ("--at", "0,0,8,0,0,0,1", "--axis", "0,0,1")
    assert "--at: 7 numbers" in run("place", "hexel-head", *both).complaint
    assert "--at: specify the place" in run("place", "hexel-head", "--axis", "0,0,1").complaint
    table = "x,y,z,i,j\n0,0,850,0,0\n"
    assert "x, y, z beside i, j, k" in run("place", "hexel-head", "--csv", "-", stdin=table).complaint
