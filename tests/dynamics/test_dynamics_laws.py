"""Laws of dynamics on every machine whose legs have masses: virtual work, energy, symmetries, small masses."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.poses import assert_close
from tests.skew import SKEW, SKEW_OF_KIND

import gough
from gough.machine import Actuators
from gough.machine_parts import LegBodies

ROUND_OFF = 1e-11
"""Relative; rounding of a few thousand operations, times the Jacobian's condition."""
THERE_AND_BACK = 1e-10
"""Of forward after inverse dynamics, relative to the largest acceleration."""
STEP = 1e-5
"""Of time, for central differences [s]."""
DIFFERENCE = 1e-6
"""Their error, relative."""


def per_body_work(machine, X, V, A, gravity, unit):
    """What the inertia and weight of all bodies do along a virtual twist: d'Alembert, body by body."""
    R, w, w_t = X[:, :3, :3], V[:, 3:], A[:, 3:]
    body = machine.platform
    arm = R @ body.mass_centre
    acceleration = A[:, :3] + np.cross(w_t, arm) + np.cross(w, np.cross(w, arm))
    J = R @ body.inertia @ R.swapaxes(-1, -2)
    total = body.mass * np.sum((acceleration - gravity) * (unit[:, :3] + np.cross(unit[:, 3:], arm)), axis=-1)
    total += np.sum(euler(J, w, w_t) * unit[:, 3:], axis=-1)
    moving, virtual = gough.dynamics.body_motions(machine, X, V, A), gough.dynamics.body_motions(machine, X, unit)
    for part, motion in moving.items():
        R = motion.matrix[..., :3, :3]
        J = R @ machine.leg_bodies[part].inertia @ R.swapaxes(-1, -2)
        torque = euler(J, motion.angular_velocity, motion.angular_acceleration)
        force = motion.mass[:, None] * (motion.acceleration - gravity)
        total += np.sum(force * virtual[part].velocity, axis=(-1, -2))
        total += np.sum(torque * virtual[part].angular_velocity, axis=(-1, -2))
    return total


def euler(J, w, w_t):
    """Euler's equation: the torque of a turning body."""
    return (J @ w_t[..., None])[..., 0] + np.cross(w, (J @ w[..., None])[..., 0])


def test_forces_do_the_work_that_all_bodies_ask_for(massive, states, without_friction, rng):
    """Virtual work f . dq + F . dX, along random virtual motions, against d'Alembert's sum over the bodies."""
    m = without_friction(massive)
    m = replace(m, actuators=replace(m.actuators, rotor_inertia=None))
    X, V, A = states(m, rng, 20)
    _, unit, F = states(m, rng, 20)
    f = gough.inverse_dynamics(m, X, V, A, F)
    done = f * gough.joint_rates(m, X, unit)
    work = done.sum(axis=-1) + np.sum(F * unit, axis=-1)
    expected = per_body_work(m, X, V, A, m.gravity, unit)
    assert np.abs(work - expected).max() < ROUND_OFF * np.abs(done).max()


def test_round_legs_that_spin_are_the_limit_of_uneven_ones(rng):
    """Between universal joints a leg turns about its own axis too, and its moment about that counts."""
    m = gough.load(SKEW_OF_KIND["UPS"])
    X = m.home.as_matrix() @ gough.pose_matrix(np.zeros(3), rng.uniform(-0.2, 0.2, (5, 3)), "XYZ")
    V, A = rng.normal(size=(2, 5, 6))

    def forces(uneven):
        def even(body):
            moment = np.trace(body.inertia)
            centre = body.mass_centre * [0, 0, 1]
            return replace(body, mass_centre=centre, inertia=moment * np.diag([1.0 + uneven, 1.0, 0.9]))

        bodies = {part: LegBodies.of([even(body) for body in six]) for part, six in m.leg_bodies.items()}
        return gough.inverse_dynamics(replace(m, leg_bodies=bodies), X, V, A)

    np.testing.assert_allclose(forces(0.0), forces(1e-8), rtol=1e-6)


def test_rotors_and_friction_ask_for_their_own_forces(lopsided, states, rng):
    """Reflected inertia times q'', viscous and Coulomb friction, beside what the bodies ask."""
    X, V, A = states(lopsided, rng, 20)
    V[::2] *= 1e-3  # where Coulomb friction has not its full size yet
    bare = replace(lopsided, actuators=Actuators())
    more = gough.inverse_dynamics(lopsided, X, V, A) - gough.inverse_dynamics(bare, X, V, A)
    qd, qdd = gough.joint_rates(lopsided, X, V), gough.kinematics.joint_accelerations(lopsided, X, V, A)
    drives = lopsided.actuators
    expected = drives.rotor_inertia * drives.transmission**2 * qdd + drives.viscous_friction * qd
    slip = 1e-3 * (lopsided.size if lopsided.legs.joint == "length" else 1.0)
    expected += drives.coulomb_friction * np.tanh(qd / slip)
    np.testing.assert_allclose(more, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_forward_dynamics_undoes_inverse_dynamics(massive, states, rng):
    X, V, A = states(massive, rng, 200)
    _, F, _ = states(massive, rng, 200)
    f = gough.inverse_dynamics(massive, X, V, A, F)
    assert_close(gough.forward_dynamics(massive, X, V, f, F), A, THERE_AND_BACK)


def test_the_terms_add_up_to_inverse_dynamics(massive, states, without_friction, rng):
    m = without_friction(massive)
    X, V, A = states(m, rng, 20)
    wanted = (gough.dynamics.mass_matrix(m, X) @ A[..., None])[..., 0] + gough.dynamics.coriolis_wrench(m, X, V)
    wanted += gough.dynamics.gravity_wrench(m, X)
    J, f = gough.jacobian(m, X), gough.inverse_dynamics(m, X, V, A)
    given = (J.swapaxes(-1, -2) @ f[..., None])[..., 0]
    assert_close(given, wanted, 1e-9)


@pytest.mark.parametrize("drives", ["free", "held"])
def test_mass_is_symmetric_and_positive(massive, states, rng, drives):
    X, _, _ = states(massive, rng, 50)
    M = gough.dynamics.mass_matrix(massive, X, drives=drives)
    np.testing.assert_array_equal(M, M.swapaxes(-1, -2))
    assert np.linalg.eigvalsh(M).min() > 0


def test_kinetic_energy_is_that_of_the_bodies(massive, states, rng):
    m = replace(massive, actuators=Actuators())
    X, V, _ = states(m, rng, 20)
    R, body = X[:, :3, :3], m.platform
    v = V[:, :3] + np.cross(V[:, 3:], R @ body.mass_centre)
    w = (R.swapaxes(-1, -2) @ V[:, 3:, None])[..., 0]
    expected = 0.5 * body.mass * np.sum(v**2, axis=-1) + 0.5 * np.einsum("ni,ij,nj->n", w, body.inertia, w)
    for part, motion in gough.dynamics.body_motions(m, X, V).items():
        w = (motion.matrix[..., :3, :3].swapaxes(-1, -2) @ motion.angular_velocity[..., None])[..., 0]
        expected += 0.5 * np.sum(motion.mass[:, None] * motion.velocity**2, axis=(-1, -2))
        expected += 0.5 * np.einsum("nli,lij,nlj->n", w, m.leg_bodies[part].inertia, w)
    assert_close(gough.dynamics.kinetic_energy(m, X, V), expected, ROUND_OFF)


def test_energy_changes_by_the_power_that_goes_in(massive, states, rng):
    """d(T + U)/dt = f . q' - friction . q' + F . V, by differences along a motion."""
    X, V, A = states(massive, rng, 10)
    _, F, _ = states(massive, rng, 10)
    f = gough.inverse_dynamics(massive, X, V, A, F)
    qd = gough.joint_rates(massive, X, V)
    power = np.sum(f * qd, axis=-1) + np.sum(F * V, axis=-1)
    lost = gough.inverse_dynamics(massive, X, V, A) - gough.inverse_dynamics(unbraked(massive), X, V, A)
    power -= np.sum(lost * qd, axis=-1)
    ends = []
    for t in (-STEP, STEP):
        Y = X.copy()
        Y[:, :3, 3] += t * V[:, :3] + 0.5 * t * t * A[:, :3]
        Y[:, :3, :3] = Rotation.from_rotvec(t * V[:, 3:] + 0.5 * t * t * A[:, 3:]).as_matrix() @ X[:, :3, :3]
        ends.append(gough.dynamics.kinetic_energy(massive, Y, V + t * A) + gough.dynamics.potential_energy(massive, Y))
    rate = (ends[1] - ends[0]) / (2 * STEP)
    assert np.abs(rate - power).max() < DIFFERENCE * np.abs(power).max()


def unbraked(machine):
    drives = replace(machine.actuators, viscous_friction=None, coulomb_friction=None)
    return replace(machine, actuators=drives)


def test_weight_is_the_slope_of_the_potential_energy(massive, states, rng):
    X, V, _ = states(massive, rng, 10)
    ends = []
    for t in (-STEP, STEP):
        Y = X.copy()
        Y[:, :3, 3] += t * V[:, :3]
        Y[:, :3, :3] = Rotation.from_rotvec(t * V[:, 3:]).as_matrix() @ X[:, :3, :3]
        ends.append(gough.dynamics.potential_energy(massive, Y))
    slope = (ends[1] - ends[0]) / (2 * STEP)
    expected = np.sum(gough.dynamics.gravity_wrench(massive, X) * V, axis=-1)
    assert np.abs(slope - expected).max() < DIFFERENCE * np.abs(expected).max()


# Symmetries


def in_another_world(machine, D):
    """The machine seen from a frame moved by D (4, 4), gravity and joint axes with it."""
    R, t = D[:3, :3], D[:3, 3]
    moved = {}
    for name, value in vars(machine.legs).items():
        if name.endswith("_B"):
            moved[name] = value @ R.T + (t if name in ("a_B", "c_B") else 0.0)
    axes = None if machine.joint_axis is None else machine.joint_axis @ R.T
    legs = replace(machine.legs, **moved)
    return replace(machine, legs=legs, X_home=D @ machine.X_home, joint_axis=axes, gravity=R @ machine.gravity)


def test_moving_the_whole_world_changes_no_force(massive, states, rng):
    X, V, A = states(massive, rng, 20)
    _, F, _ = states(massive, rng, 20)
    f = gough.inverse_dynamics(massive, X, V, A, F)
    for turn in rng.uniform(-3, 3, (3, 3)):
        D = gough.pose_matrix(rng.uniform(-1, 1, 3) * massive.size, turn, "XYZ")
        there = in_another_world(massive, D)
        V_, A_, F_ = (np.concatenate([y[:, :3] @ D[:3, :3].T, y[:, 3:] @ D[:3, :3].T], axis=1) for y in (V, A, F))
        assert_close(gough.inverse_dynamics(there, D @ X, V_, A_, F_), f, 1e-9)
        assert_close(gough.forward_dynamics(there, D @ X, V_, f, F_), A_, 1e-8)


def test_the_order_of_the_legs_is_no_matter(massive, states, rng):
    X, V, A = states(massive, rng, 20)
    order = rng.permutation(6)

    def reordered(thing):
        six = {k: v[order] for k, v in vars(thing).items() if isinstance(v, np.ndarray) and len(v) == 6}
        return replace(thing, **six)

    axes = None if massive.joint_axis is None else massive.joint_axis[order]
    bodies = {part: reordered(six) for part, six in massive.leg_bodies.items()}
    m = replace(massive, legs=reordered(massive.legs), actuators=reordered(massive.actuators), joint_axis=axes)
    m = replace(m, leg_bodies=bodies)
    f = gough.inverse_dynamics(massive, X, V, A)
    assert_close(gough.inverse_dynamics(m, X, V, A), f[:, order], 1e-9)
    assert_close(gough.forward_dynamics(m, X, V, f[:, order]), A, 1e-9)


def test_massless_legs_leave_the_platform_alone(massive, states, rng):
    """F = J_qV^-T (platform's own loads - F)."""
    m = replace(massive, leg_bodies={}, actuators=Actuators())
    X, V, A = states(m, rng, 20)
    _, F, _ = states(m, rng, 20)
    body, R, w = m.platform, X[:, :3, :3], V[:, 3:]
    arm = R @ body.mass_centre
    force = body.mass * (A[:, :3] + np.cross(A[:, 3:], arm) + np.cross(w, np.cross(w, arm)) - m.gravity)
    moment = np.cross(arm, force) + euler(R @ body.inertia @ R.swapaxes(-1, -2), w, A[:, 3:])
    wrench = F - np.concatenate([force, moment], axis=-1)
    assert_close(gough.inverse_dynamics(m, X, V, A, F), gough.leg_forces(m, X, wrench), 1e-9)


def test_at_rest_without_gravity_actuators_hold_nothing(massive, states, rng):
    X, _, _ = states(massive, rng, 5)
    still = np.zeros(6)
    assert np.abs(gough.inverse_dynamics(massive, X, still, still, gravity=[0, 0, 0])).max() == 0


def test_a_wrench_acts_where_it_is_said_to(massive, states, rng):
    X, V, A = states(massive, rng, 10)
    point = np.array([0.1, -0.2, 0.3]) * massive.size
    F = rng.normal(size=(10, 6))
    arm = X[:, :3, :3] @ point
    at_origin = F + np.concatenate([np.zeros((10, 3)), np.cross(arm, F[:, :3])], axis=1)
    expected = gough.inverse_dynamics(massive, X, V, A, at_origin)
    assert_close(gough.inverse_dynamics(massive, X, V, A, F, point=point), expected, ROUND_OFF)
    f = rng.normal(size=(10, 6))
    expected = gough.forward_dynamics(massive, X, V, f, at_origin)
    assert_close(gough.forward_dynamics(massive, X, V, f, F, point=point), expected, ROUND_OFF)


# Signs


@pytest.mark.parametrize("name", SKEW)
def test_a_positive_force_drives_its_coordinate_up(name):
    m = gough.load(name)
    rest = gough.inverse_dynamics(m, m.X_home, np.zeros(6), np.zeros(6))
    for leg in range(6):
        f = rest + 0.01 * np.abs(rest).max() * np.eye(6)[leg]
        A = gough.forward_dynamics(m, m.X_home, np.zeros(6), f)
        assert gough.kinematics.joint_accelerations(m, m.X_home, np.zeros(6), A)[leg] > 0


# Batches and bad input
