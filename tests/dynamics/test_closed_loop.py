"""Poles of machines under controllers: the equations of a rigid platform by hand, exact loops, and growth in time."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation
from tests.skew import MACHINES, SKEW, SKEW_STACK

import gough
from gough.datasheet.sections.motion import dynamics
from gough.datasheet.sheet import Datasheet
from gough.dynamics import ComputedTorque, CosineMotion, LegPID, closed_loop_poles
from gough.errors import InputError
from gough.machine_parts import Actuators

FORWARD = 1e-5
"""Of poles by forward differences of the equations."""
GROWTH = 0.01
"""Of a rate of growth, measured while the other modes die out."""
STEP = 1e-5
"""Of central differences in this file [m, rad]."""


def at_rest(m):
    return CosineMotion(m.end_home, np.zeros(6), 0.0)


@pytest.fixture(scope="module")
def positioner():
    """Three times its own mass high above the platform: gravity topples it faster than a PID of 1 Hz acts."""
    return gough.load(MACHINES / "positioner.toml").with_payload(15, [0.03, -0.02, 0.06])


def legs_of(m, x):
    """Lengths of the struts, and the wrench (6,) per unit force of each (6, 6), at a displacement x (6,) from home."""
    R = Rotation.from_rotvec(x[3:]).as_matrix() @ m.X_home[:3, :3]
    r = m.legs.b_P @ R.T
    leg = m.X_home[:3, 3] + x[:3] + r - m.legs.a_B
    length = np.linalg.norm(leg, axis=1)
    u = leg / length[:, None]
    return length, np.concatenate([u, np.cross(r, u)], axis=1).T


@pytest.mark.parametrize("bandwidth", [5.0, 40.0])
@pytest.mark.parametrize("name", [SKEW[0], MACHINES / "positioner.toml"])
def test_poles_of_a_platform_on_massless_struts_are_those_of_its_equations_by_hand(name, bandwidth):
    """M x'' = W(x) f + weight, f = K (q0 - q) - D q' + I z + f0, z' = q0 - q, about rest at home."""
    m = replace(gough.load(name), leg_bodies={}, actuators=Actuators())
    pid = LegPID.tuned(m, at_rest(m), bandwidth, holds_weight=True)
    body, g = m.platform, m.gravity
    arm = m.X_home[:3, :3] @ body.mass_centre
    J = m.X_home[:3, :3] @ body.inertia @ m.X_home[:3, :3].T
    S = np.cross(arm, np.eye(3)).T  # S w = arm x w
    M = np.block([[body.mass * np.eye(3), -body.mass * S], [body.mass * S, J - body.mass * S @ S]])
    W0 = legs_of(m, np.zeros(6))[1]
    weight = np.concatenate([body.mass * g, np.cross(arm, body.mass * g)])
    f0 = np.linalg.solve(W0, -weight)

    def wrench(x):
        turned = Rotation.from_rotvec(x[3:]).as_matrix() @ arm
        return legs_of(m, x)[1] @ f0 + np.concatenate([body.mass * g, np.cross(turned, body.mass * g)])

    G = np.transpose([(wrench(h) - wrench(-h)) / (2 * STEP) for h in STEP * np.eye(6)])
    zero, (K, D, integral) = np.zeros((6, 6)), map(np.diag, (pid.stiffness, pid.damping, pid.integral))
    per = [np.linalg.solve(M, part) for part in (G - W0 @ K @ W0.T, -W0 @ D @ W0.T, W0 @ integral)]
    A = np.block([[zero, np.eye(6), zero], per, [-W0.T, zero, zero]])
    expected, found = scipy.linalg.eigvals(A), closed_loop_poles(m, pid)
    assert len(found) == 18
    apart = np.abs(found[:, None] - expected)
    assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < FORWARD * np.abs(expected).max()
    assert (found.real.max() > 0) == (expected.real.max() > 0)


@pytest.mark.parametrize("name", [*SKEW, SKEW_STACK])
def test_poles_of_computed_torque_are_those_of_its_damped_spring(name):
    """s^2 + 2 d w s + w^2 for every motion of every platform, with all bodies, friction and rotors; d = 1.25."""
    m, w = gough.load(name), 30.0
    found = closed_loop_poles(m, ComputedTorque(m, at_rest(m), bandwidth=w, damping_ratio=1.25))
    np.testing.assert_allclose(found, np.repeat([-2 * w, -w / 2], len(found) // 2), rtol=FORWARD, atol=FORWARD * w)


def test_deviations_of_an_unstable_loop_grow_with_its_pole(positioner):
    m, slow = positioner, LegPID.tuned(positioner, at_rest(positioner), 2 * np.pi, holds_weight=True)
    pole = closed_loop_poles(m, slow)[-1]
    assert pole.imag == 0
    X = m.X_home.copy()
    X[0, 3] += 1e-8
    t = np.linspace(1.4, 2.0, 7)
    found = gough.simulate(m, X, np.zeros(6), slow, t[-1], times=t, rtol=1e-8, atol=1e-13)
    off = np.linalg.norm(found["pose_error"], axis=1)
    assert np.polyfit(t, np.log(off), 1)[0] == pytest.approx(pole.real, rel=GROWTH)
    assert found.attrs["unstable"].startswith("the closed loop is unstable at home: a pole at ")
    with pytest.raises(InputError, match="unstable at home"):
        gough.simulate(m, X, np.zeros(6), slow, 2.0, stop_at=())


def test_the_datasheet_chooses_a_controller_that_is_stable_at_home(positioner):
    section = dynamics(Datasheet(positioner))
    found = section.numbers
    w = 2 * np.pi * found["bandwidth"]
    assert 20 / found["time"] < w, "a PID of this bandwidth is unstable"
    pid = LegPID.tuned(positioner, at_rest(positioner), w, holds_weight=True)
    assert found["time_constant"] == pytest.approx(-1 / closed_loop_poles(positioner, pid).real.max(), rel=FORWARD)
    assert 0 < found["time_constant"] < found["time"]
    assert found["tracking_error"] < 0.01 * found["stroke"]
    assert (found["tracking_stopped"], found["tracking_saturated"]) == ("", "")
