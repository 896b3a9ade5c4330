"""The double pendulum of Dumitriu and Margaritescu (2016) by their own equations, both eliminations, held or not."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.references import dumitriu2016 as paper

from gough import multibody

STEP, STEPS = 1e-3, 200
ROUND_OFF = 1e-12
"""Of accelerations, multipliers and states of order one."""
INTEGRATED = 1e-9
"""Error of Runge-Kutta steps of a millisecond over 0.2 s [rad]."""


def gough_state(y, v):
    """Z, V of Gough for states of the paper."""
    system = multibody.double_pendulum()
    Z, V = (array.copy() for array in system.state())
    for k in (0, 1):
        Z[k, :, 0], Z[k, :, 1:], V[k, :, 0], V[k, :, 1:] = y[2 * k], y[2 * k + 1], v[2 * k], v[2 * k + 1]
    return system, Z, V


def test_data_and_counts():
    """(15), C = 3.636 kg cm2; 24 differential equations and 18 constraints."""
    system = multibody.double_pendulum()
    counts = system.counts
    assert (counts.differential, counts.orthogonality + counts.joints) == (24, 18)
    for body, angle in zip(system.bodies, (paper.PHI_0, paper.PSI_0), strict=True):
        K = np.trace(body.inertia) / 2 * np.eye(3) - body.inertia
        np.testing.assert_allclose(K, paper.poinsot(angle), rtol=0, atol=1e-18)
        assert 1e4 * body.inertia[2, 2] == pytest.approx(3.636, abs=5e-4)


@pytest.fixture(scope="module")
def swing():
    """State of the paper and its rate after the steps."""
    return paper.integrated(STEPS, STEP)


@pytest.mark.parametrize("solver", ["saddle", "two-step"])
def test_multipliers_and_accelerations_in_motion(solver, swing):
    """(22) to (25) at a state of the motion: the paper's two steps, its one step, and ours."""
    y, v = ([*each] for each in swing)
    for k in (1, 3):  # (25) takes R^T R for the identity, from which the steps drift by 1e-10
        u, _, w = np.linalg.svd(y[k])
        y[k] = u @ w
        turning = y[k].T @ v[k]
        v[k] = y[k] @ (turning - turning.T) / 2
    known = paper.two_step(y[1], y[3], v[1], v[3])
    for one, two in zip(paper.one_step(y[1], y[3], v[1], v[3]), known, strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=ROUND_OFF)
    system, Z, V = gough_state(y, v)
    found = multibody.solver_for(system, solver).solve(0.0, Z, V)
    T1, R1, T2, R2 = paper.accelerations(y[1], y[3], *known)
    expected = np.stack([np.column_stack([T1, R1]), np.column_stack([T2, R2])])
    np.testing.assert_allclose(found.acceleration[:2], expected, rtol=0, atol=1e-10)  # of up to 300 1/s2
    np.testing.assert_allclose(found.orthogonality[:2], known[:2], rtol=0, atol=ROUND_OFF)
    at_O, at_H = (found.multipliers[k : k + 3] for k in (0, 3))
    np.testing.assert_allclose(at_O, known[2], rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(at_H, known[3], rtol=0, atol=ROUND_OFF)


def test_the_motion_is_that_of_the_classical_equations(swing):
    y, v = swing
    end = STEP * STEPS
    start = [paper.PHI_0, paper.PSI_0, 0, 0]
    phi, psi = solve_ivp(paper.classical, (0, end), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:2, -1]
    np.testing.assert_allclose(paper.angles(y[1], y[3]), [phi, psi], rtol=0, atol=INTEGRATED)
    found = multibody.simulate(multibody.double_pendulum(), times=[0.0, end])
    np.testing.assert_allclose(paper.angles(*found.Z[-1, :2, :, 1:]), [phi, psi], rtol=0, atol=1e-10)
    stepped = multibody.simulate(
        multibody.double_pendulum(), times=[0.0, end], step=STEP, solver="two-step", project=False
    )
    for k in (0, 1):
        np.testing.assert_allclose(stepped.Z[-1, k, :, 0], y[2 * k], rtol=0, atol=ROUND_OFF)
        np.testing.assert_allclose(stepped.Z[-1, k, :, 1:], y[2 * k + 1], rtol=0, atol=ROUND_OFF)
        np.testing.assert_allclose(stepped.V[-1, k, :, 1:], v[2 * k + 1], rtol=0, atol=1e2 * ROUND_OFF)


def test_multipliers_held_over_a_step(swing):
    """Quoted: "considered as piecewise constant during each timestep"."""
    y, _ = paper.integrated(STEPS, STEP, held=True)
    held = multibody.simulate(
        multibody.double_pendulum(),
        times=[0.0, STEP * STEPS],
        step=STEP,
        solver="two-step",
        multipliers="held",
        project=False,
    )
    for k in (0, 1):
        np.testing.assert_allclose(held.Z[-1, k, :, 1:], y[2 * k + 1], rtol=0, atol=ROUND_OFF)
    exact, _ = swing
    assert np.abs(np.subtract(paper.angles(y[1], y[3]), paper.angles(exact[1], exact[3]))).max() > 1e-3


def test_nothing_along_z_and_the_pattern_of_the_multipliers():
    """Figures 3 to 6: non-null 11, 12, 22; no component along z0."""
    motion = multibody.simulate(multibody.double_pendulum(), 0.5)
    for bar in ("bar 1", "bar 2"):
        L = motion.orthogonality(bar)
        assert np.abs(L[:, :2, 2]).max() < ROUND_OFF
        assert np.abs(L[:, 2, 2]).max() < ROUND_OFF
        assert (np.abs(L[:, [0, 0, 1], [0, 1, 1]]).max(axis=0) > 1e-3).all()
    for joint in ("O", "H"):
        assert np.abs(motion.multipliers(joint)[:, 2]).max() < ROUND_OFF


def test_multipliers_of_a_free_body():
    """Cited from Vallee and Dumitriu: -Lambda is positive. Its trace is twice the energy, so constant; its eigenvalues
    change, unlike what the paper quotes."""
    J = np.diag([0.02, 0.05, 0.06])
    body = multibody.Body(name="body", mass=1.0, mass_centre=np.zeros(3), inertia=J)
    system = multibody.System([body], [multibody.Spherical("ground", "body", np.zeros(3))], gravity=np.zeros(3))
    motion = multibody.simulate(system, 2.0, state=system.state({"body": [0, 0, 0, 1.0, 3.0, 0.5]}))
    K = np.trace(J) / 2 * np.eye(3) - J
    R = motion.rotation("body")
    w = np.einsum("kji,kj->ki", R, motion.angular_velocity("body"))  # in the body's axes
    w_t = np.linalg.solve(J, np.cross(w @ J, w).T).T  # Euler's equations
    skew = np.einsum("kl,ijl->kij", w, -levi_civita()), np.einsum("kl,ijl->kij", w_t, -levi_civita())
    expected = (skew[0] @ skew[0] + skew[1]) @ K
    found = motion.orthogonality("body")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    values = np.linalg.eigvalsh(-found)
    assert values.min() > 0
    np.testing.assert_allclose(np.trace(-found, axis1=1, axis2=2), np.einsum("ki,ij,kj->k", w, J, w), atol=1e-10)
    assert np.ptp(np.trace(found, axis1=1, axis2=2)) < 1e-9
    assert np.ptp(values, axis=0).max() > 0.05 * values.max()


def levi_civita():
    e = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        e[i, j, k], e[j, i, k] = 1, -1
    return e
