"""Statements of Sinatra, Xi and Staicu (2009) on dynamics, against their own recursion written afresh in NumPy.

Its kinematics, (1) to (18), are tested with the passive joints: tests/dynamics/test_passive_joints.py.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.references import sinatra2009 as paper

import gough

M = gough.load("sinatra2009")
MOTIONS = ("vertical", "horizontal", "rotation")
TIMES = np.linspace(0, 3, 31)
OF_THE_PAPER = 1e-12
"""Agreement of two formulations in forces of about 10 N."""


def states(name, times=TIMES):
    """Poses, twists, accelerations of the motion of the paper."""
    known = [paper.motion(name, t) for t in times]
    X = np.tile(np.eye(4), (len(times), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = [each[0] for each in known], [each[1] for each in known]
    V = np.array([np.concatenate([each[3], each[2]]) for each in known])
    A = np.array([np.concatenate([each[5], each[4]]) for each in known])
    return known, X, V, A


def test_geometry():
    """(1), (24), and h = l1 cos(beta_0) + l3 cos(beta)."""
    assert M.X_home[2, 3] == pytest.approx(paper.HEIGHT, abs=1e-15)
    assert abs(paper.HEIGHT - 0.6063787) < 5e-8
    for k in range(6):
        np.testing.assert_allclose(M.b_P[k], paper.ball_point(k), rtol=0, atol=1e-15)
        a10, *_ = paper.matrices(k, 0.0, 0.0)
        guide = paper.L0 * paper.about_3(paper.ALPHA_1[k]).T @ paper.U1 + paper.l1 * a10.T @ paper.U3
        np.testing.assert_allclose(M.legs.driven_points(np.zeros(6))[k], guide, rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", MOTIONS)
def test_the_motion_of_equation_6_by_name(name):
    _, X, V, A = states(name)
    found = gough.dynamics.named_motion(M, name)(TIMES)
    for ours, theirs in zip(found, (X, V, A), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)


def test_all_six_coordinates_at_once():
    """(6) with every amplitude: angular velocity and acceleration by (9) and (17), against differences of R."""
    x, turn, rate = np.array([0.1, 0.05, -0.15]), np.array([0.1, -0.08, np.pi / 12]), np.pi / 3

    def function(t):
        course = (1 - np.cos(rate * np.ravel(t)))[:, None]
        return np.hstack([paper.HEIGHT * paper.U3 + course * x, course * turn])

    path = gough.motion.coordinates(function, "XYZ", (0.0, 3.0))
    t = 1.3
    a1, a2, a3 = turn * (1 - np.cos(rate * t))
    R1, R2, R3 = (Rotation.from_euler("xyz"[k], a).as_matrix().T for k, a in enumerate((a1, a2, a3)))  # (4)
    R = R3 @ R2 @ R1  # (5)
    X, V, _ = path(np.array([t]))
    np.testing.assert_allclose(X[0, :3, :3], R.T, rtol=0, atol=1e-15)
    d1, d2, d3 = turn * rate * np.sin(rate * t)
    omega = d1 * R1.T @ paper.U1 + d2 * R1.T @ R2.T @ paper.U2 + d3 * R.T @ paper.U3  # (9)
    np.testing.assert_allclose(V[0, 3:], omega, rtol=0, atol=1e-9)  # derivatives of the function by differences


@pytest.mark.parametrize("name", MOTIONS)
def test_input_forces_and_powers_are_those_of_the_recursion(name):
    """(19) to (23); figures 3 to 8."""
    known, X, V, A = states(name)
    force, rate = np.array([paper.input_forces(*each) for each in known]).transpose(1, 0, 2)
    found = gough.dynamics.motion_forces(M, gough.dynamics.named_motion(M, name), TIMES)
    np.testing.assert_allclose(gough.inverse_dynamics(M, X, V, A), force, rtol=0, atol=OF_THE_PAPER)
    np.testing.assert_allclose(found["force"], force, rtol=0, atol=OF_THE_PAPER)
    np.testing.assert_allclose(found["power"], force * rate, rtol=0, atol=OF_THE_PAPER)
    np.testing.assert_allclose(found["joint_rate"], rate, rtol=0, atol=OF_THE_PAPER)


def test_virtual_motions():
    """(15): one drive at unit rate, the others at rest; rates of all joints by (13)."""
    known, X, _, _ = states("rotation", [0.9])
    R, r = known[0][:2]
    rates = np.array([paper.relative_rates(k, R, r) for k in range(6)])
    twists = np.linalg.inv(rates[:, 0])
    np.testing.assert_allclose(gough.kinematics.inverse_jacobian(M, X[0]), twists, rtol=0, atol=1e-14)
    found = gough.dynamics.passive_joints(M, X[0], twists.T)
    np.testing.assert_allclose(found.universal_rate, (rates[:, 1:] @ twists).transpose(2, 0, 1), rtol=0, atol=1e-13)


def test_what_the_text_says_of_the_figures():
    """Figures 3, 4: "all input forces and powers are permanently equal to one another", forces increase. Figures 7, 8:
    "B, D, F only are working in an active regime with increasing forces". Ours push down the guides, against q."""
    found = {name: gough.dynamics.motion_forces(M, gough.dynamics.named_motion(M, name), TIMES) for name in MOTIONS}
    vertical, horizontal, rotation = (-found[name]["force"].to_numpy() for name in MOTIONS)
    assert np.ptp(vertical, axis=1).max() < OF_THE_PAPER
    assert (np.diff(vertical[:, 0]) > 0).all()
    assert vertical[[0, -1], 0] == pytest.approx([8.017, 15.089], abs=1e-3)
    np.testing.assert_allclose(horizontal[:, :3], horizontal[:, [5, 4, 3]], rtol=0, atol=OF_THE_PAPER)  # by symmetry
    assert np.abs(horizontal).max() == pytest.approx(10.921, abs=1e-3)
    power = found["rotation"]["power"].to_numpy()[1:-1]
    assert (np.diff(rotation[:, 1]) > 0).all()
    assert (np.diff(rotation[:, 0]) < 0).all()
    assert rotation[[0, -1], 1] == pytest.approx([7.90, 9.32], abs=5e-3)
    assert (power[:, 1::2] > 0).all()
    assert (power[:, ::2] < 0).all()


def test_what_the_legs_inertia_and_weight_make():
    """Of which "no quantitative studies have been made": a third of the largest force of the vertical motion."""
    known, X, V, A = states("vertical", TIMES[-1:])
    bare = replace(M, leg_bodies={})
    light = gough.inverse_dynamics(bare, X, V, A)[0]
    np.testing.assert_allclose(light, paper.input_forces(*known[0], with_legs=False)[0], rtol=0, atol=OF_THE_PAPER)
    assert light[0] == pytest.approx(-10.32, abs=5e-3)
    assert gough.inverse_dynamics(M, X, V, A)[0, 0] == pytest.approx(-15.09, abs=5e-3)


def test_an_external_wrench_and_forward_dynamics():
    known, X, V, A = states("rotation", [0.7])
    R, r = known[0][:2]
    twists = np.linalg.inv([paper.relative_rates(k, R, r)[0] for k in range(6)])
    wrench = np.array([10.0, -5, 20, 1, 2, -3])
    force = paper.input_forces(*known[0])[0] - twists.T @ wrench  # the wrench does virtual work, too
    np.testing.assert_allclose(gough.inverse_dynamics(M, X, V, A, wrench)[0], force, rtol=0, atol=OF_THE_PAPER)
    np.testing.assert_allclose(gough.forward_dynamics(M, X, V, force[None], wrench), A, rtol=0, atol=1e-11)


def test_the_jacobian_finds_a_singular_pose_within_the_guides():
    """The Jacobian serves "the analysis of singularity loci": the wrenches of the legs are dependent at that pose."""
    found = gough.singularity.free_of_singularities(M)
    X = np.asarray(found.witness)
    assert found.verdict == "refuted"
    values = []
    for R, r in ((np.eye(3), np.array([0, 0, paper.HEIGHT])), (X[:3, :3], X[:3, 3])):
        legs = [paper.loop(k, R, r)[0] for k in range(6)]
        assert np.abs([x[0] for x in legs]).max() < paper.l1  # within the guides
        rods = np.array([paper.matrices(k, *x[1:])[2].T @ paper.U2 for k, x in enumerate(legs)])
        arms = np.array([R @ paper.ball_point(k) for k in range(6)])
        values.append(np.linalg.svd(np.hstack([rods, np.cross(arms, rods)]), compute_uv=False)[-1])
    assert values[0] == pytest.approx(0.34, abs=0.01)
    assert values[1] < 1e-4
