"""Forces and stiffness: the published numbers in their own unit mix, and central differences of the wrench."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.poses import displaced
from tests.skew import SKEW

import gough
from gough.poses import skew
from gough.statics.stiffness import rods

REFERENCE = json.loads((Path(__file__).parent.parent / "references" / "hexel.json").read_text())


def stiff(name):
    """A built-in machine with strut stiffness, different for each leg."""
    from dataclasses import replace

    m = gough.load(name)
    struts = {"stiffness": np.linspace(1e6, 2e6, 6), "axial_rigidity": None}
    joints = {"base_joint_stiffness": None, "platform_joint_stiffness": None}
    return replace(m, actuators=replace(m.actuators, **struts, **joints))


@pytest.fixture(params=["hexel", *SKEW])
def stiff_machine(request):
    return stiff(request.param)


def rod_wrench(m, X, rest, k, pivot_q):
    """Wrench needed to hold the platform at X against springs along the rods, drives held at pivot_q."""
    b = m.b_P @ X[:3, :3].T
    d = b + X[:3, 3] - m.legs.driven_points(pivot_q)
    length = np.linalg.norm(d, axis=1)
    u = d / length[:, None]
    pull = k * (length - rest)
    return np.concatenate([(pull[:, None] * u).sum(axis=0), (pull[:, None] * np.cross(b, u)).sum(axis=0)])


def test_stiffness_of_hexel_in_the_reports_own_unit_mix():
    """The report takes E in Pa and the area in m2 with lengths in mm: rows of the Jacobian per mm, E A over mm."""
    m = gough.load("hexel")
    X = np.array(gough.pose([0, 0, 0.8]).as_matrix())
    d, rho = rods(m, X)
    u = d / np.linalg.norm(d, axis=1, keepdims=True)
    J = np.concatenate([u, np.cross(rho * 1e3, u)], axis=1)
    # The report's angles (a, b, c) turn about x, y, z here, where all three are zero.
    K = J.T @ (m.actuators.axial_rigidity / (np.linalg.norm(d, axis=1) * 1e3) * J.T).T
    scale = np.abs(REFERENCE["stiffness"]).max()
    np.testing.assert_allclose(K, REFERENCE["stiffness"], rtol=1e-9, atol=1e-9 * scale * 1e-3)
    # The same in SI from the public function: metres instead of millimetres, row by row and column by column.
    mixed = np.array([1, 1, 1, 1e3, 1e3, 1e3])
    ours = gough.stiffness(m, X) * np.outer(mixed, mixed) / 1e3
    np.testing.assert_allclose(ours, K, rtol=1e-9, atol=1e-9 * scale)
    # The eigenvalues span five decades: those of K keep 16 - 5 digits.
    np.testing.assert_allclose(np.linalg.eigvalsh(K), np.sort(REFERENCE["stiffness_eigenvalues"]), rtol=1e-9)


def test_stiffness_is_the_derivative_of_the_wrench(stiff_machine):
    m = stiff_machine
    X = displaced(m.X_home, np.array([0.01, -0.02, 0.01, 0.03, 0.02, -0.04]) * m.size)
    q = gough.inverse_kinematics(m, X)
    rest = np.linalg.norm(rods(m, X)[0], axis=1)
    h = 1e-6 * m.size
    K = np.empty((6, 6))
    for j in range(6):
        V = np.eye(6)[j]
        ahead = rod_wrench(m, displaced(X, h * V), rest, m.actuators.stiffness, q)
        behind = rod_wrench(m, displaced(X, -h * V), rest, m.actuators.stiffness, q)
        K[:, j] = (ahead - behind) / (2 * h)
    np.testing.assert_allclose(gough.stiffness(m, X), K, rtol=1e-6, atol=1e-7 * np.abs(K).max())


def test_stiffness_is_symmetric_and_positive(stiff_machine):
    K = gough.stiffness(stiff_machine, stiff_machine.home)
    np.testing.assert_allclose(K, K.T, rtol=0, atol=1e-12 * np.abs(K).max())
    assert np.linalg.eigvalsh(K).min() > 0


def test_stiffness_about_another_point_is_the_transformed_one(stiff_machine):
    m, p = stiff_machine, np.array([0.1, -0.05, 0.2])
    X = m.X_home
    T = np.eye(6)
    T[:3, 3:] = skew(X[:3, :3] @ p)  # the origin moves with v + [r]x w
    K = T.T @ gough.stiffness(m, X) @ T
    np.testing.assert_allclose(gough.stiffness(m, X, point=p), K, rtol=1e-10, atol=1e-12 * np.abs(K).max())


def test_principal_stiffness_does_not_depend_on_the_point(stiff_machine):
    m = stiff_machine
    a = gough.statics.principal_stiffness(gough.stiffness(m, m.home))
    b = gough.statics.principal_stiffness(gough.stiffness(m, m.home, point=[0.3, -0.1, 0.2]))
    np.testing.assert_allclose(a.translation, b.translation, rtol=1e-9)
    np.testing.assert_allclose(a.rotation, b.rotation, rtol=1e-6)


def test_a_joint_in_series_softens_the_leg():
    from dataclasses import replace

    m = stiff("hexel")
    soft = replace(m, actuators=replace(m.actuators, base_joint_stiffness=m.actuators.stiffness))
    np.testing.assert_allclose(gough.stiffness(soft, m.home), gough.stiffness(m, m.home) / 2, rtol=1e-12)


def test_micro_vibration_platform_matches_its_published_stiffness():
    """K about a point 45 mm above the upper plate, as printed by the model's authors (Dehaeze, stewart-simscape)."""
    m = gough.load("dehaeze")
    K = gough.stiffness(m, m.home, point=m.point_of_interest)
    printed = np.diag([36179658.38, 36179658.38, 47640683.23, 331359.06, 331359.06, 585721.51])
    printed[0, 4] = printed[4, 0] = -2238842.16
    printed[1, 3] = printed[3, 1] = 2238842.16
    np.testing.assert_allclose(K, printed, rtol=1e-8, atol=0.01)


def test_leg_forces_do_the_work_of_the_wrench(machine, rng):
    F, V = rng.normal(size=6), rng.normal(size=6)
    f = gough.leg_forces(machine, machine.home, F)
    qd = gough.joint_rates(machine, machine.home, V)
    assert f @ qd + F @ V == pytest.approx(0, abs=1e-9 * np.abs(f).max() * np.abs(qd).max())


def test_legs_push_up_against_the_weight():
    m = replace(gough.load("dumitriu2017"), leg_bodies={})
    f = gough.leg_forces(m, m.home, gravity=True)
    d = rods(m, m.X_home)[0]
    vertical = d[:, 2] / np.linalg.norm(d, axis=1)
    assert (f > 0).all()
    assert f @ vertical == pytest.approx(-m.platform.mass * m.gravity[2], rel=1e-12)


def test_deflection_balances_the_wrench(stiff_machine, rng):
    F = rng.normal(size=6)
    V = gough.statics.deflection(stiff_machine, stiff_machine.home, F)
    np.testing.assert_allclose(gough.stiffness(stiff_machine, stiff_machine.home) @ V, F, rtol=1e-8)


def test_forces_about_another_point_are_those_of_the_moved_wrench(stiff_machine, rng):
    m, F, p = stiff_machine, rng.normal(size=6), np.array([0.1, -0.05, 0.2])
    arm = m.X_home[:3, :3] @ p
    at_origin = [*F[:3], *(F[3:] + np.cross(arm, F[:3]))]
    np.testing.assert_allclose(
        gough.statics.axial_forces(m, m.home, F, point=p), gough.statics.axial_forces(m, m.home, at_origin), rtol=1e-9
    )
