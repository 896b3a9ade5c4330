"""Inverse dynamics against published figures and independent codes, to the digits they show."""

import json
from pathlib import Path

import numpy as np
import pytest

import gough

HERE = Path(__file__).parent
PRINTED = 0.5000001
"""Half a unit of the last printed digit, and its own rounding."""
MICRO = 1e-6
"""[N and W]: to what the independent model's answers are asked for."""

TSAI_AT_REST = [7.215468027, 7.217587990, 7.217587990, 7.215468027, 7.217699073, 7.217699073]
TSAI_MOVING = {
    0.0: [7.246790513, 7.251394166, 7.224433591, 7.215861427, 7.247378051, 7.251339597],
    0.25: [4.931329394, 7.271975130, 3.309581763, 2.517158792, 7.784387368, 6.265263475],
}
"""L.-W. Tsai, ASME Journal of Mechanical Design 122 (2000): six struts, all three coordinates moving as 0.2 sin 3 t."""


def truth(name):
    return json.loads((HERE / f"{name}.json").read_text())


def test_tsai_at_rest():
    m = gough.load("tsai2000")
    f = gough.inverse_dynamics(m, m.home, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(f, TSAI_AT_REST, rtol=0, atol=PRINTED * 1e-9)


@pytest.mark.parametrize("time", TSAI_MOVING)
def test_tsai_moving(time):
    m = gough.load("tsai2000")
    X = m.X_home.copy()
    X[:3, 3] += 0.2 * np.sin(3 * time)
    V = np.array([0.6 * np.cos(3 * time)] * 3 + [0.0] * 3)
    A = np.array([-1.8 * np.sin(3 * time)] * 3 + [0.0] * 3)
    f = gough.inverse_dynamics(m, X, V, A)
    np.testing.assert_allclose(f, TSAI_MOVING[time], rtol=0, atol=PRINTED * 1e-9)


def cosine_motion(machine, time, index, amplitude):
    """Sinatra, Xi, Staicu (2009), eq. (6): one coordinate goes through amplitude (1 - cos(pi t / 3))."""
    rate = np.pi / 3
    move, V, A = (np.zeros((len(time), 6)) for _ in range(3))
    move[:, index] = amplitude * (1 - np.cos(rate * time))
    V[:, index] = amplitude * rate * np.sin(rate * time)
    A[:, index] = amplitude * rate**2 * np.cos(rate * time)
    return gough.pose_matrix(machine.X_home[:3, 3] + move[:, :3], move[:, 3:], "XYZ"), V, A


@pytest.mark.parametrize(
    ("name", "index", "amplitude"), [("vertical", 2, -0.15), ("horizontal", 0, 0.1), ("rotation", 5, np.pi / 12)]
)
def test_sinatras_forces_powers_and_sliders(name, index, amplitude):
    known, m = truth("sinatra2009"), gough.load("sinatra2009")
    X, V, A = cosine_motion(m, np.array(known["time"]), index, amplitude)
    f = gough.inverse_dynamics(m, X, V, A)
    np.testing.assert_allclose(f, known[name]["force"], rtol=0, atol=MICRO)
    np.testing.assert_allclose(f * gough.joint_rates(m, X, V), known[name]["power"], rtol=0, atol=MICRO)
    np.testing.assert_allclose(gough.inverse_kinematics(m, X), known[name]["slider"], rtol=0, atol=1e-9)


def test_only_every_other_actuator_works_in_sinatras_rotation():
    """The paper: the actuators B, D, F alone are working, with positive power while the platform speeds up."""
    known, m = truth("sinatra2009"), gough.load("sinatra2009")
    X, V, A = cosine_motion(m, np.array(known["time"][1:15]), 5, np.pi / 12)
    power = gough.inverse_dynamics(m, X, V, A) * gough.joint_rates(m, X, V)
    assert (power[:, 1::2] > 0).all()
    assert (power[:, 0::2] < 0).all()


def test_dumitrius_equilibrium():
    """8.53329 N by first principles (three independent codes); the paper prints 8.5105 N."""
    m = gough.load("dumitriu2017")
    f = gough.inverse_dynamics(m, m.home, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(f, truth("dumitriu2017_forward")["static_force"], rtol=0, atol=PRINTED * 1e-8)
    assert m.published["static_leg_force_N"] == 8.5105
    assert np.abs(f - 8.5105).min() > 0.02


def test_dumitrius_motion():
    """Pose, angles and leg lengths of the thirteen-solid machine let go with 9.5 N in two legs, over 0.5 s."""
    known, m = truth("dumitriu2017_forward"), gough.load("dumitriu2017")
    force = [9.5, 9.5, 8.5105, 8.5105, 8.5105, 8.5105]
    r = gough.simulate(m, m.home, np.zeros(6), force, 0.5, times=known["time"])
    X = r.pose.to_numpy()
    np.testing.assert_allclose(X[:, :3, 3], known["position"], rtol=0, atol=1e-7)
    np.testing.assert_allclose(X[:, :3, :3], known["rotation"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(gough.euler_angles(X, "XYZ"), known["euler_XYZ"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(r.joint, known["leg_length"], rtol=0, atol=1e-7)
