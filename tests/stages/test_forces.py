"""Force balance of both stages at rest: virtual work, weights, and the equilibrium of 26 solids."""

import numpy as np
import pytest

import gough
from gough import multibody, stages
from gough.dynamics.bodies import locked

AGREE = 1e-9
"""Of the two engines, relative to the largest component."""
ROUND_OFF = 1e-12
"""Relative, of sums over 26 bodies."""
DRIVES = [f"drive {i}" for i in range(1, 13)]
PAPER = 8.53329
"""Force in each leg of Dumitriu's hexapod that holds its platform at home [N]; three codes agree on it."""


@pytest.mark.parametrize("double", ["double-hexapod"], indirect=True)
def test_the_upper_stage_holds_what_the_papers_hexapod_holds_and_the_lower_all(double):
    balance = stages.force_balance(double, double.X_home)
    np.testing.assert_allclose(balance.forces[6:], PAPER, atol=5e-6)
    weight = 9.81 * (3 + 6 * 1.0)
    np.testing.assert_allclose(balance.passed_on, [0, 0, -weight, 0, 0, 0], atol=ROUND_OFF * weight)
    np.testing.assert_array_equal(balance.of_lower_weight[6:], 0.0)
    assert balance.used is None


def test_forces_do_no_work_in_any_motion_of_both_platforms(state, moved, rng):
    """Power f . qd + F . V + F_I . V_I + (weights' work) = 0: the last by differences of the potential energy."""
    m, X, V, _ = state
    F = 30 * rng.normal(size=(2, 6))
    f = stages.force_balance(m, X, F).forces
    np.testing.assert_array_equal(gough.leg_forces(m, X, F, gravity=True), f)
    h = 1e-6
    lifted = (
        gough.dynamics.potential_energy(m, moved(X, V, 0 * V, h))
        - gough.dynamics.potential_energy(m, moved(X, V, 0 * V, -h))
    ) / (2 * h)
    work = f @ gough.joint_rates(m, X, V) + np.sum(F * V)
    assert work == pytest.approx(lifted, rel=1e-7, abs=1e-6)


def test_the_balance_is_the_equilibrium_of_26_solids(state, rng):
    m, X, _, _ = state
    inside = [X[0], stages.upper_pose(m, X)]
    F = 30 * rng.normal(size=3)
    push = multibody.Force("stage 2", X[1, :3, 3], F, magnitude=float(np.linalg.norm(F)), name="push")
    system = multibody.stacked(m.stages, inside, mounts=[m.X_IU], struts="UPS", force_elements=[push])
    at_rest = {name: np.zeros(6) for name in ("stage 1", "stage 2")}
    expected = multibody.inverse_dynamics(system, at_rest, DRIVES).magnitudes
    found = stages.force_balance(m, X, [*F, 0, 0, 0])
    np.testing.assert_allclose(found.forces, expected, rtol=0, atol=AGREE * np.abs(expected).max())


def test_both_stages_carry_the_same_wrench(double, rng):
    """Without weight, what the upper stage passes on is the wrench on the end platform, moved to the intermediate."""
    X, F = double.X_home, rng.normal(size=6)
    balance = stages.force_balance(double, X, F, gravity=False)
    arm = X[1, :3, 3] - X[0, :3, 3]
    np.testing.assert_allclose(balance.passed_on, [*F[:3], *(F[3:] + np.cross(arm, F[:3]))], atol=ROUND_OFF)
    np.testing.assert_array_equal(balance.forces, balance.of_wrench)
    batch = stages.force_balance(double, X, np.stack([[0 * F, F], [0 * F, 2 * F]]))
    np.testing.assert_allclose(batch.of_wrench[1], 2 * balance.of_wrench, atol=ROUND_OFF)


def test_a_locked_upper_stage_is_a_payload_of_the_lower_one(state, rng):
    """Its forces at rest are those of both stages, and the energy of both while they move as one is that of one."""
    m, X, _, _ = state
    above = locked(m.upper, stages.upper_pose(m, X)).seen_from(m.X_IU)
    lower = m.lower.with_payload(above.mass, above.mass_centre, above.inertia)
    held = stages.force_balance(m, X).forces[:6]
    found = gough.leg_forces(lower, X[0], gravity=True)
    np.testing.assert_allclose(found, held, rtol=0, atol=ROUND_OFF * np.abs(held).max())
    V = rng.normal(size=6)
    together = np.stack([V, [*(V[:3] + np.cross(V[3:], X[1, :3, 3] - X[0, :3, 3])), *V[3:]]])
    energy = 0.5 * V @ gough.dynamics.mass_matrix(lower, X[0]) @ V
    assert energy == pytest.approx(gough.dynamics.kinetic_energy(m, X, together), rel=ROUND_OFF)
