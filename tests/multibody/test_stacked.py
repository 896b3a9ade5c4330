"""Hexapods on one another: 26 solids, against the other engine stage by stage, and energy."""

import numpy as np
import pytest
from tests.poses import assert_close
from tests.skew import SKEW

import gough
from gough import multibody

AGREE = 1e-9
"""Relative to the largest component."""
DRIVES = [f"drive {i}" for i in range(1, 13)]
PAIRS = [("dumitriu2017", "dumitriu2017"), ("dumitriu2017", "sinatra2009"), ("hexaglide", "dumitriu2017")]


def stack(names, **keywords):
    machines = [gough.load(name) for name in names]
    return machines, multibody.stacked(machines, **keywords)


def test_two_stages_have_26_solids_and_twelve_motions():
    _, system = stack(PAIRS[0])
    assert len(system.bodies) == 26
    assert system.counts == (312, 156, 144, 12)
    assert system.names[12] == "stage 1"
    assert system.names[25] == "stage 2"
    assert system.joint_names[18] == "base 7"


def test_one_stage_is_a_hexapod():
    machine = gough.load("dumitriu2017")
    one, other = multibody.stacked([machine]), multibody.hexapod(machine)
    np.testing.assert_array_equal(one.table, other.table)
    np.testing.assert_array_equal(one.masses, other.masses)


@pytest.mark.parametrize("names", [*PAIRS, SKEW[:2], SKEW[1:]], ids=str)
def test_chains_and_saddle_agree_on_two_stages(names):
    _, system = stack(names, forces=np.linspace(3, 9, 12).tolist())
    state = system.state({"stage 1": [0.1, -0.2, 0.1, 0.3, 0.2, -0.4], "stage 2": [-0.1, 0.1, 0.3, -0.2, 0.1, 0.2]})
    found = multibody.solver_for(system)
    assert found.name == "chains"
    expected = multibody.solver_for(system, "saddle").solve(0.0, *state)
    for ours, theirs in zip(vars(found.solve(0.0, *state)).values(), vars(expected).values(), strict=True):
        assert_close(ours, theirs, AGREE)


@pytest.mark.parametrize("names", PAIRS, ids="+".join)
def test_forces_of_both_stages_agree_with_virtual_work(names, rng):
    """While the lower platform moves without turning, the upper stage feels gravity less its acceleration; what it
    needs loads the lower stage as a wrench."""
    (lower, upper), system = stack(names, mounts=[gough.pose([0.01, -0.02, 0.03])])
    mount = np.array([0.01, -0.02, 0.03])
    assert np.abs(lower.X_home[:3, :3] - np.eye(3)).max() < 1e-12, "base axes of the upper stage are inertial"
    v, a = rng.normal(size=(2, 3)) * 0.3
    V, A = rng.normal(size=(2, 6)) * 0.3
    still = np.zeros(3)
    state = system.state({"stage 1": [*v, *still], "stage 2": [*(v + V[:3]), *V[3:]]})
    wanted = {"stage 1": [*a, *still], "stage 2": [*(a + A[:3]), *A[3:]]}
    found = multibody.inverse_dynamics(system, wanted, DRIVES, state).magnitudes
    pull = lower.gravity - a
    assert_close(found[6:], gough.inverse_dynamics(upper, upper.home, V, A, gravity=pull), AGREE)
    need = base_wrench(upper, V, A, pull)
    need[3:] += np.cross(mount, need[:3])
    expected = gough.inverse_dynamics(
        lower, lower.home, [*v, *still], [*a, *still], wrench=-need, gravity=lower.gravity
    )
    assert_close(found[:6], expected, AGREE)


def base_wrench(machine, V, A, pull):
    """Force and moment about the base's origin that a machine asks of its base: momentum and moment of all bodies."""
    X = machine.X_home
    R, w, w_t = X[:3, :3], V[3:], A[3:]
    body = machine.platform
    arm = R @ body.mass_centre
    acceleration = A[:3] + np.cross(w_t, arm) + np.cross(w, np.cross(w, arm))
    J = R @ body.inertia @ R.T
    force = body.mass * (acceleration - pull)
    total = np.concatenate([force, np.cross(X[:3, 3] + arm, force) + J @ w_t + np.cross(w, J @ w)])
    for part, motion in gough.dynamics.body_motions(machine, X, V, A).items():
        for i in range(6):
            R = motion.matrix[i, :3, :3]
            J = R @ machine.leg_bodies[part][i].inertia @ R.T
            w, w_t = motion.angular_velocity[i], motion.angular_acceleration[i]
            force = motion.mass[i] * (motion.acceleration[i] - pull)
            moment = np.cross(motion.mass_centre[i], force) + J @ w_t + np.cross(w, J @ w)
            total += np.concatenate([force, moment])
    return total


def test_two_stages_keep_their_energy():
    """Kinetic and potential energy less the work of twelve constant forces along the legs."""
    machines, resting = stack(PAIRS[0])
    at_rest = {name: np.zeros(6) for name in ("stage 1", "stage 2")}
    forces = multibody.inverse_dynamics(resting, at_rest, DRIVES).magnitudes
    assert forces[0] > 2 * forces[6] > 0, "the lower legs carry both stages"
    _, system = stack(PAIRS[0], forces=(1.01 * forces).tolist())
    start = system.state({"stage 1": [0.05, 0, 0, 0, 0.2, 0], "stage 2": [0, 0.1, 0, 0.1, 0, 0.3]})
    motion = multibody.simulate(system, times=np.linspace(0, 0.2, 5), state=start)
    X_1, X_2 = motion.pose("stage 1"), motion.pose("stage 2")
    q_1 = gough.inverse_kinematics(machines[0], X_1)
    q_2 = gough.inverse_kinematics(machines[1], np.linalg.inv(X_1) @ X_2)
    work = 1.01 * (q_1 @ forces[:6] + q_2 @ forces[6:])
    total = motion.energy() - work
    assert np.ptp(work) > 0.01
    np.testing.assert_allclose(total, total[0], rtol=0, atol=AGREE * np.abs(total[0]))
    assert motion.residuals()[0].max() < 1e-12
