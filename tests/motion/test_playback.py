"""Leg histories in, platform motion out; De Sapio's animator; measured legs against motion capture."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import gough
from gough.motion.joint_space.joint_motion import incremental_forward, playback

REFERENCES = Path(__file__).parents[1] / "references"
MM = 1e-3
REPORT = 1e-12
"""The animator's figures are kept to all digits of double precision [m, rad]."""
MICROMETRE = 1e-6


def test_poses_come_back_from_the_legs(machine, rng):
    t = np.linspace(0, 3, 60)
    motion = gough.dynamics.CosineMotion(machine.X_home, rng.normal(size=6) * 0.02 * machine.size, 0.3)
    X = motion(t)[0]
    seen = []
    data = playback(
        machine, t, gough.inverse_kinematics(machine, X), progress=lambda done, total: seen.append((done, total))
    )
    np.testing.assert_allclose(data["pose"], X, rtol=0, atol=1e-12 * machine.size + 1e-12)
    assert data["certified"].all()
    assert not data["mode_change"].any()
    assert (data["status"] == gough.kinematics.Status.NEAR).all()
    assert seen == [(60, 60)]
    off = np.linalg.norm(data["pose"].values[:, :3, 3] - X[:, :3, 3], axis=1)
    assert (off <= data["error_position"].values + 2e-12 * machine.size).all()


def test_a_lost_sample_and_one_that_fits_no_pose_do_not_stop_it():
    m = gough.load("hexel")
    X = gough.pose([[0, 0, z] for z in (0.7, 0.71, 0.72, 0.73, 0.74)]).as_matrix()
    q = gough.inverse_kinematics(m, X)
    q[1, 2] = np.nan
    q[3, 0] = 9.0
    data = playback(m, np.arange(5), q)
    assert data["status"].values.tolist() == [0, 2, 0, 2, 0]
    assert np.isnan(data["pose"].values[[1, 3]]).all()
    np.testing.assert_allclose(data["pose"].values[[0, 2, 4]], X[[0, 2, 4]], rtol=0, atol=MICROMETRE**2)
    assert np.isnan(data["error_position"].values[[1, 3]]).all()


def test_a_way_through_a_singularity_is_flagged_and_left(rng):
    m = gough.load("tsai2000")
    X = m.X_home @ gough.pose_matrix([[0, 0, 0], [0, 0, 0.01], [0, 0, 0], [0, 0, 0.02]])
    q = gough.inverse_kinematics(m, X)
    far = m.X_home @ gough.pose_matrix([0, 0, 0], rng.uniform(-1.2, 1.2, (400, 3)), "XYZ")
    ways = gough.forward_kinematics(m, gough.inverse_kinematics(m, far), near=X[1], throw=False)
    q[2] = ways.q[np.flatnonzero(ways.status == gough.kinematics.Status.OTHER_MODE)[0]]
    data = playback(m, np.arange(4), q)
    assert data["mode_change"].values.tolist() == [False, False, True, False]
    assert data["certified"].all(), "the other mode's pose fits its joint values, too"
    np.testing.assert_allclose(data["pose"].values[[0, 1, 3]], X[[0, 1, 3]], rtol=0, atol=REPORT)


def test_de_sapios_animator_to_its_own_accuracy_and_the_exact_answer_beside_it():
    """The report's 50 increments; its figures are in mm, its angles a, b, c of R = Ry(b) Rx(a) Rz(c)."""
    m, truth = gough.load("hexel"), json.loads((REFERENCES / "hexel.json").read_text())
    way = np.array(truth["fk_displacement"]) * MM
    found = incremental_forward(m, m.home, way)
    b, a, c = found.angles[-1]
    np.testing.assert_allclose(found.matrix[-1, :3, 3], np.array(truth["fk_position"]) * MM, rtol=0, atol=REPORT)
    np.testing.assert_allclose([a, b, c], truth["fk_angles"], rtol=0, atol=REPORT)
    np.testing.assert_allclose(found.joint_error[-1], np.array(truth["fk_error"]) * MM, rtol=0, atol=REPORT)
    exact = gough.inverse_kinematics(m, found.exact)
    np.testing.assert_allclose(exact[-1], gough.inverse_kinematics(m, m.home) + way, rtol=0, atol=REPORT)
    assert 0.1 * MICROMETRE < found.position_error[-1] < MICROMETRE
    np.testing.assert_allclose(found.position_error[0], 0, atol=REPORT)


def test_the_animators_error_is_of_second_order_in_the_increment():
    m, way = gough.load("hexel"), np.array([10, -5, 20, 0, 15, -10]) * MM
    coarse, fine = (incremental_forward(m, m.home, way, increments=n) for n in (50, 100))
    assert coarse.position_error[-1] / fine.position_error[-1] == pytest.approx(4, rel=0.1)
    assert coarse.rotation_error[-1] / fine.rotation_error[-1] == pytest.approx(4, rel=0.1)


def measured(count):
    """Motor revolutions (k, 6) and poses (k, 4, 4) of motion capture."""
    rows = np.genfromtxt(REFERENCES / f"juggler_{count}.csv", delimiter=",", skip_header=1)
    X = np.tile(np.eye(4), (len(rows), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = Rotation.from_quat(rows[:, 9:]).as_matrix(), rows[:, 6:9] * MM
    return rows[:, :6], X


def test_measured_legs_give_what_motion_capture_saw():
    """Geometry, lengths at zero and leads are fitted to 108 poses (0.41 mm RMS in the legs) and played on 60 others."""
    nominal = gough.load("jugglebot")
    turns, X = measured(108)

    def leg_errors(p):
        a, b = p[:18].reshape(6, 3), p[18:36].reshape(6, 3)
        rods = b @ np.swapaxes(X[:, :3, :3], 1, 2) + X[:, None, :3, 3] - a
        return (np.linalg.norm(rods, axis=2) - p[36:42] - turns * p[42:]).ravel()

    leads = 2 * np.pi / nominal.actuators.transmission
    start = np.concatenate([nominal.legs.a_B.ravel(), nominal.b_P.ravel(), np.full(6, 0.6657), leads])
    fit = least_squares(leg_errors, start, method="lm")
    assert np.sqrt(np.mean(fit.fun**2)) == pytest.approx(0.41 * MM, abs=0.005 * MM)
    a, b = fit.x[:18].reshape(6, 3), fit.x[18:36].reshape(6, 3)
    m = gough.from_points(a, b, home=gough.pose([0, 0, 0.78]))
    seen, poses = measured(60)
    data = playback(m, np.arange(60), fit.x[36:42] + seen * fit.x[42:])
    assert data["certified"].all()
    off = data["pose"].values[:, :3, 3] - poses[:, :3, 3]
    assert np.sqrt(np.mean(np.sum(off**2, axis=1))) < 2.5 * MM
    turn = Rotation.from_matrix(np.swapaxes(data["pose"].values[:, :3, :3], 1, 2) @ poses[:, :3, :3]).magnitude()
    assert np.rad2deg(np.sqrt(np.mean(turn**2))) < 0.4
