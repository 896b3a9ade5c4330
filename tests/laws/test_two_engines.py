"""Two engines, one truth: rotation matrices with multipliers against virtual work, on machines without any symmetry."""

import numpy as np
import pytest
from tests.poses import assert_close

import gough
from gough import multibody

AGREE = 1e-9
"""Relative to the largest component."""
KINDS = ("UPS", "PUS", "RUS")
DRIVES = [f"drive {i}" for i in range(1, 7)]


def random_state(m, rng):
    """A pose about home where every leg closes, a twist, an acceleration."""
    X = m.X_home.copy()
    X[:3, :3] = gough.pose_matrix(np.zeros(3), rng.uniform(-0.1, 0.1, 3), "XYZ")[:3, :3] @ X[:3, :3]
    X[:3, 3] += 0.02 * m.size * rng.uniform(-1, 1, 3)
    V, A = rng.normal(size=(2, 6)) * np.repeat([m.size, 3.0], 3)
    return X, V, A


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_accelerations_under_given_forces_agree(random_machine, kind, seed):
    rng = np.random.default_rng([seed, len(kind)])
    m = random_machine(kind, rng)
    X, V, _ = random_state(m, rng)
    f = rng.normal(size=6) * (20.0 if kind != "RUS" else 0.3)
    system = multibody.hexapod(m, X, f, struts="UPS")
    found = multibody.solver_for(system).solve(0.0, *system.state({"platform": V}))
    expected = gough.forward_dynamics(m, X, V, f)
    assert_close(platform_acceleration(system, found, V), expected, AGREE)
    general = multibody.solver_for(system, "saddle").solve(0.0, *system.state({"platform": V}))
    assert_close(platform_acceleration(system, general, V), expected, AGREE)


def platform_acceleration(system, solution, V):
    """[a, alpha] of the platform's origin of Z'' where R = I: R'' = [alpha]x + [w]x [w]x."""
    Zdd = solution.acceleration[system.index("platform")]
    S = Zdd[:, 1:]
    alpha = np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2
    return np.concatenate([Zdd @ [1.0, *system.bodies[system.index("platform")].origin], alpha])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_forces_of_a_given_motion_agree(random_machine, kind, seed):
    rng = np.random.default_rng([seed, 7, len(kind)])
    m = random_machine(kind, rng)
    X, V, A = random_state(m, rng)
    wrench = rng.normal(size=6) * np.repeat([10.0, 10.0 * m.size], 3)
    force, moment = (np.linalg.norm(part) for part in (wrench[:3], wrench[3:]))
    loads = [
        multibody.Force("platform", X[:3, 3], wrench[:3], magnitude=force, name="force"),
        multibody.Torque("platform", wrench[3:], magnitude=moment, name="moment"),
    ]
    system = multibody.hexapod(m, X, struts="UPS", force_elements=loads)
    found = multibody.inverse_dynamics(system, {"platform": A}, DRIVES, system.state({"platform": V}))
    assert_close(found.magnitudes, gough.inverse_dynamics(m, X, V, A, wrench), AGREE)


@pytest.mark.parametrize("kind", KINDS)
def test_every_solid_moves_as_the_other_engine_says(random_machine, kind, rng):
    m = random_machine(kind, rng)
    X, V, A = random_state(m, rng)
    system = multibody.hexapod(m, X, struts="UPS")
    state = system.state({"platform": V})
    found = multibody.inverse_dynamics(system, {"platform": A}, DRIVES, state).solution.acceleration
    for part, motion in gough.dynamics.body_motions(m, X, V, A).items():
        if part == "joint":
            continue  # one solid with the rod
        for i in range(6):
            k = system.index(f"{part} {i + 1}")
            h = [1.0, *motion.mass_centre[i]]
            assert_close(state.V[k] @ h, motion.velocity[i], AGREE)
            assert_close(found[k] @ h, motion.acceleration[i], AGREE)


def test_what_one_engine_integrates_keeps_the_energy_of_the_other(random_machine, rng):
    """Energy by virtual work, less the work of constant forces along the joints, over a motion of thirteen solids."""
    m = random_machine("UPS", rng)
    X, V, _ = random_state(m, rng)
    f = gough.inverse_dynamics(m, X, np.zeros(6), np.zeros(6))
    system = multibody.hexapod(m, X, f, struts="UPS")
    motion = multibody.simulate(system, times=np.linspace(0, 0.2, 5), state=system.state({"platform": 0.3 * V}))
    poses = motion.pose("platform")
    twists = np.concatenate([motion.velocity("platform"), motion.angular_velocity("platform")], axis=1)
    kinetic = gough.dynamics.kinetic_energy(m, poses, twists)
    work = gough.inverse_kinematics(m, poses) @ f
    total = kinetic + gough.dynamics.potential_energy(m, poses) - work
    assert np.ptp(kinetic) > 0.05 * kinetic[0], "the platform does speed up or slow down"
    np.testing.assert_allclose(total, total[0], rtol=0, atol=AGREE * np.abs(kinetic).max())
