"""Laws that kinematics must obey whatever the machine: virtual work, symmetries, there and back, small angles."""

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.poses import assert_close, poses_near_home, twists
from tests.relabelled import relabelled
from tests.skew import SKEW

import gough
from gough.machine import Body
from gough.poses import inverse_matrices

ROUND_OFF = 1e-13
"""Relative; rounding of a few hundred operations."""
THERE_AND_BACK = 1e-12
"""Of the machine's size, of forward after inverse kinematics; the same in radians for a platform of that size."""
SMALL_ANGLE = 1e-12
"""Rounding of lengths of a metre, seen as an angle of the platform [rad]."""
MATRIX = 1e-15
"""Departure of a pose's numbers from the true ones, all below 1."""

POINTS_OF_BASE = ("a_B", "c_B")
DIRECTIONS = ("g_B", "n_B")
"""Of length 1; all other vectors of legs have a length in metres."""
REGULAR = [info.name for info in gough.machines(stages=1) if info.name != "singular-home"]
REGULAR += SKEW
ONE_OF_EACH_KIND = ("hexel", "sinatra2009", "servo")
"""Machines whose home is straight above the base, as symmetry needs it."""
"""The machine that is singular at home has no pose that its joints hold there."""

SIXTHS = Rotation.from_rotvec([0, 0, 2 * np.pi / 3]).as_matrix()


def vectors_of(legs):
    return {field.name: getattr(legs, field.name) for field in fields(legs)}


def assert_same_pose(machine, found, expected, within=THERE_AND_BACK):
    np.testing.assert_allclose(found[..., :3, :3], expected[..., :3, :3], rtol=0, atol=within)
    np.testing.assert_allclose(found[..., :3, 3], expected[..., :3, 3], rtol=0, atol=within * machine.size)


# Virtual work


def test_actuators_and_wrench_do_no_work_together(machine, rng):
    """Virtual work: f . qd + F . V = 0 along every motion."""
    X, V, F = poses_near_home(machine, rng, (50,), way=0.01), twists(machine, rng, (50,)), twists(machine, rng, (50,))
    F[:, :3] /= machine.characteristic_length**2
    done_by_joints = gough.leg_forces(machine, X, F) * gough.joint_rates(machine, X, V)
    work = done_by_joints.sum(axis=-1) + (F * V).sum(axis=-1)
    assert np.abs(work).max() < ROUND_OFF * np.abs(done_by_joints).max() * 10


def test_actuators_hold_the_weight_of_the_platform(machine, rng):
    """Virtual work: f . qd + m g . (velocity of the mass centre) = 0, the velocity by differences."""
    body = Body(mass=3.0, mass_centre=np.array([0.02, -0.01, 0.05]), inertia=np.eye(3))
    m = replace(machine, platform=body, leg_bodies={}, gravity=np.array([1.0, -2.0, -9.0]))
    X, step = poses_near_home(m, rng, way=0.01), 1e-5
    for V in twists(m, rng, (10,)):
        ends = [Rotation.from_rotvec(s * V[3:]).apply(X[:3, :3] @ body.mass_centre) for s in (step, -step)]
        velocity = V[:3] + (ends[0] - ends[1]) / (2 * step)
        f = gough.leg_forces(m, X, gravity=True)
        work = f @ gough.joint_rates(m, X, V) + body.mass * m.gravity @ velocity
        assert abs(work) < 1e-8 * np.abs(f * gough.joint_rates(m, X, V)).max(), "to the step's square"


# Symmetries


def moved_world(machine, D):
    """The machine seen from another frame: its base, home and gravity moved by D (4, 4)."""
    R, t = D[:3, :3], D[:3, 3]
    legs = {
        name: value @ R.T + (t if name in POINTS_OF_BASE else 0.0)
        for name, value in vectors_of(machine.legs).items()
        if name.endswith("_B")
    }
    axes = None if machine.joint_axis is None else machine.joint_axis @ R.T
    placed = {"X_home": D @ machine.X_home, "gravity": R @ machine.gravity, "joint_axis": axes}
    return replace(machine, legs=replace(machine.legs, **legs), **placed)


def test_moving_the_whole_world_changes_no_joint(machine, rng):
    m = replace(machine, platform=Body(mass=2.0, mass_centre=np.array([0.01, 0.02, 0.03]), inertia=np.eye(3)))
    X, V, A = poses_near_home(m, rng, (20,), way=0.01), twists(m, rng, (20,)), twists(m, rng, (20,))
    for turn in rng.uniform(-3, 3, (5, 3)):
        D = gough.pose_matrix(rng.uniform(-1, 1, 3) * m.size, turn, "XYZ")
        there = moved_world(m, D)
        turned = [np.concatenate([six[:, :3] @ D[:3, :3].T, six[:, 3:] @ D[:3, :3].T], axis=1) for six in (V, A)]
        q = gough.inverse_kinematics(m, X)
        assert_close(gough.inverse_kinematics(there, D @ X), q, 10 * ROUND_OFF)
        assert_close(gough.joint_rates(there, D @ X, turned[0]), gough.joint_rates(m, X, V), 10 * ROUND_OFF)
        expected = gough.kinematics.joint_accelerations(m, X, V, A)
        assert_close(gough.kinematics.joint_accelerations(there, D @ X, *turned), expected, 10 * ROUND_OFF)
        expected = gough.leg_forces(m, X, A, gravity=True)
        assert_close(gough.leg_forces(there, D @ X, turned[1], gravity=True), expected, 10 * ROUND_OFF)
        assert_same_pose(m, gough.forward_kinematics(there, q).matrix, D @ X)


def test_steps_to_a_pose_are_as_many_with_the_axes_of_the_world_renamed(machine, rng):
    """Far from home and close to singularities, where the length of steps follows from the bend of the path."""
    D = np.eye(4)[[1, 2, 0, 3]]
    there = moved_world(machine, D)
    X = poses_near_home(machine, rng, (2000,), turn=1.0, way=0.3)
    q = gough.inverse_kinematics(machine, X)
    q = q[np.isfinite(q).all(axis=1)]
    steps = [gough.forward_kinematics(m, q, throw=False) for m in (machine, there)]
    both = steps[0].is_near & steps[1].is_near
    total = [int(found.iterations[both].sum()) for found in steps]
    assert total[0] == pytest.approx(total[1], rel=2e-3)


@pytest.mark.parametrize("k", [1e-3, 0.3, 1e3])
def test_scaling_all_lengths_scales_lengths_and_leaves_angles(machine, k, rng):
    def scaled(X):
        larger = X.copy()
        larger[..., :3, 3] *= k
        return larger

    lengths = [name for name in vectors_of(machine.legs) if name not in (*DIRECTIONS, "branch")]
    legs = {name: getattr(machine.legs, name) * k for name in lengths}
    m = replace(machine, legs=replace(machine.legs, **legs), X_home=scaled(machine.X_home))
    assert m.size == pytest.approx(k * machine.size, rel=ROUND_OFF)
    X, V = poses_near_home(machine, rng, (20,), way=0.01), twists(machine, rng, (20,))
    in_joints = k if machine.legs.joint == "length" else 1.0
    q = gough.inverse_kinematics(machine, X)
    assert_close(gough.inverse_kinematics(m, scaled(X)), in_joints * q, ROUND_OFF)
    larger = V * np.array([k] * 3 + [1] * 3)
    assert_close(gough.joint_rates(m, scaled(X), larger), in_joints * gough.joint_rates(machine, X, V), ROUND_OFF)
    expected = in_joints * gough.kinematics.joint_accelerations(machine, X, V, V)
    assert_close(gough.kinematics.joint_accelerations(m, scaled(X), larger, larger), expected, ROUND_OFF)
    found = gough.forward_kinematics(m, in_joints * q)
    assert_same_pose(m, found.matrix, scaled(X))
    np.testing.assert_array_equal(found.iterations, gough.forward_kinematics(machine, q).iterations)


def test_relabelling_the_legs_relabels_the_answers(machine, rng):
    X, V, F = poses_near_home(machine, rng, (20,), way=0.01), twists(machine, rng, (20,)), twists(machine, rng, (20,))
    q = gough.inverse_kinematics(machine, X)
    for _ in range(5):
        order = rng.permutation(6)
        m = relabelled(machine, order)
        np.testing.assert_array_equal(gough.inverse_kinematics(m, X), q[:, order])
        np.testing.assert_array_equal(gough.jacobian(m, X), gough.jacobian(machine, X)[:, order])
        expected = gough.kinematics.joint_accelerations(machine, X, V, V)[:, order]
        assert_close(gough.kinematics.joint_accelerations(m, X, V, V), expected, ROUND_OFF)
        assert_close(gough.leg_forces(m, X, F), gough.leg_forces(machine, X, F)[:, order], ROUND_OFF)
        assert_same_pose(machine, gough.forward_kinematics(m, q[:, order]).matrix, X)


def three_fold(machine):
    """A machine whose legs 3, 4 and 5, 6 are its legs 1, 2 turned by 120 and 240 deg about z."""
    legs = {}
    for name, value in vectors_of(machine.legs).items():
        pair = value[:2]
        turned = [pair @ np.linalg.matrix_power(SIXTHS, k).T if value.ndim == 2 else pair for k in range(3)]
        legs[name] = np.concatenate(turned)
    X = machine.X_home.copy()
    X[:2, 3] = 0.0
    np.testing.assert_array_equal(X[:3, :3], np.eye(3), err_msg="a home that is turned is not symmetric")
    return replace(machine, legs=replace(machine.legs, **legs), X_home=X)


@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_a_symmetric_machine_gives_symmetric_answers(name, rng):
    """Turning pose, twist and wrench by 120 deg about the axis hands every leg's answer on to the next pair."""
    m = three_fold(gough.load(name))
    S = np.eye(4)
    S[:3, :3] = SIXTHS
    X, V, F = poses_near_home(m, rng, (20,), way=0.01), twists(m, rng, (20,)), twists(m, rng, (20,))
    X_turned = S @ X @ inverse_matrices(S)
    V_turned, F_turned = ((six.reshape(-1, 2, 3) @ SIXTHS.T).reshape(-1, 6) for six in (V, F))
    q = gough.inverse_kinematics(m, X)
    assert_close(gough.inverse_kinematics(m, X_turned), np.roll(q, 2, axis=1), ROUND_OFF)
    assert_close(gough.joint_rates(m, X_turned, V_turned), np.roll(gough.joint_rates(m, X, V), 2, axis=1), ROUND_OFF)
    expected = np.roll(gough.kinematics.joint_accelerations(m, X, V, V), 2, axis=1)
    assert_close(gough.kinematics.joint_accelerations(m, X_turned, V_turned, V_turned), expected, ROUND_OFF)
    expected = np.roll(gough.leg_forces(m, X, F), 2, axis=1)
    assert_close(gough.leg_forces(m, X_turned, F_turned), expected, 100 * ROUND_OFF)
    assert_same_pose(m, gough.forward_kinematics(m, np.roll(q, 2, axis=1)).matrix, X_turned)


@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_at_home_a_symmetric_machine_has_three_equal_pairs(name):
    m = three_fold(gough.load(name))
    q = gough.inverse_kinematics(m, m.home).reshape(3, 2)
    np.testing.assert_allclose(q, np.broadcast_to(q[0], (3, 2)), rtol=0, atol=ROUND_OFF)


# There and back


@pytest.mark.parametrize("name", REGULAR)
def test_forward_after_inverse_is_the_identity(name, rng):
    m = gough.load(name)
    X = poses_near_home(m, rng, (500,), way=0.01)
    q = gough.inverse_kinematics(m, X)
    assert np.isfinite(q).all()
    found = gough.forward_kinematics(m, q)
    assert found.is_near.all()
    assert_same_pose(m, found.matrix, X)


@pytest.mark.parametrize("name", REGULAR)
def test_inverse_after_forward_is_the_identity(name, rng):
    """Joints that move by up to a thousandth of the machine, or a milliradian's worth of crank, from home."""
    m = gough.load(name)
    reach = 1e-3 * (m.size if m.legs.joint == "length" else 1.0)
    q = gough.inverse_kinematics(m, m.home) + reach * rng.uniform(-1, 1, (200, 6))
    back = gough.inverse_kinematics(m, gough.forward_kinematics(m, q).matrix)
    np.testing.assert_allclose(back, q, rtol=0, atol=THERE_AND_BACK * (m.size if m.legs.joint == "length" else 1.0))


# Small angles


ANGLES = np.logspace(-9, -1, 17)


def exact_rotation(w):
    """exp([w]x) by Rodrigues' formula in extended precision, (3, 3)."""
    w = np.asarray(w, dtype=np.longdouble)
    angle = np.sqrt(w @ w)
    K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]], dtype=np.longdouble)
    half = np.sin(angle / 2)
    return np.eye(3, dtype=np.longdouble) + np.sin(angle) / angle * K + 2 * half * half / angle**2 * (K @ K)


def vee(R):
    """The small vector w of R = exp([w]x), to its third order [rad]."""
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("sequence", ["XYZ", "xyz", "ZYX", "yxz"])
def test_poses_of_small_angles_are_exact(angle, sequence):
    """Beside translations of a metre, which rounded angles would spoil by micrometres."""
    about = {
        axis: exact_rotation(angle * part * np.eye(3)["xyz".index(axis)])
        for axis, part in zip(sequence.lower(), (1.0, -0.7, 0.4), strict=True)
    }
    turns = [about[axis] for axis in sequence.lower()]
    first, second, third = turns if sequence.isupper() else turns[::-1]
    exact = first @ second @ third
    angles = angle * np.array([1.0, -0.7, 0.4])
    for X in (
        gough.pose_matrix([1.0, 1.0, 1.0], angles, sequence),
        gough.pose([1, 1, 1], angles, sequence).as_matrix(),
    ):
        assert np.abs(X[:3, :3] - exact).max() < MATRIX
        np.testing.assert_array_equal(X[:3, 3], 1.0)
        # A joint a metre away is where the exact rotation puts it, to rounding of a metre.
        arm = np.array([1.0, -1.0, 0.5])
        off = X[:3, :3] @ arm + X[:3, 3] - (exact @ arm.astype(np.longdouble) + 1)
        assert np.abs(off).max() < 3 * MATRIX


@pytest.mark.parametrize("name", ["hexel", "rotopod", *SKEW])
def test_small_angles_survive_there_and_back(name, rng):
    m = gough.load(name)
    for angle in ANGLES:
        w = angle * np.array([0.6, -0.64, 0.48])
        X = m.X_home.copy()
        X[:3, :3] = exact_rotation(w).astype(float) @ m.X_home[:3, :3]
        found = gough.forward_kinematics(m, gough.inverse_kinematics(m, X)).matrix
        turn = vee(found[:3, :3] @ m.X_home[:3, :3].T)
        expected = w * np.sin(angle) / angle
        assert np.abs(turn - expected).max() < SMALL_ANGLE
        assert np.abs(found[:3, 3] - X[:3, 3]).max() < THERE_AND_BACK * m.size


@pytest.mark.parametrize("angle", ANGLES)
def test_small_angles_move_the_joints_as_the_jacobian_says(machine, angle):
    """To second order in the angle, down to rounding: nothing is cut off where angles are tiny."""
    w = angle * np.array([0.6, -0.64, 0.48])
    X = machine.X_home.copy()
    X[:3, :3] = exact_rotation(w).astype(float) @ X[:3, :3]
    moved = gough.inverse_kinematics(machine, X) - gough.inverse_kinematics(machine, machine.X_home)
    linear = gough.joint_rates(machine, machine.X_home, [0, 0, 0, *w])
    bend = np.abs(gough.kinematics.joint_accelerations(machine, machine.X_home, [0, 0, 0, *w], np.zeros(6))).max()
    scale = machine.size if machine.legs.joint == "length" else 10.0
    assert np.abs(moved - linear).max() < 1.5 * bend + 1e-15 * scale
