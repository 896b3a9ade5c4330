"""The thirteen solids of a machine: what is built, reactions, errors."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough
from gough import multibody
from gough.multibody.simulation import projected
from gough.multibody.system import State

BALANCE = 1e-10
"""Of forces and moments, in the largest."""


@pytest.fixture(params=SKEW, scope="module")
def motion(request):
    """A little way from home, moving, under forces that nearly hold it."""
    m = gough.load(request.param)
    f = gough.inverse_dynamics(m, m.home, np.zeros(6), np.zeros(6))
    system = multibody.hexapod(m, forces=1.02 * f)
    V = np.array([0.1, -0.05, 0.08, 0.1, 0.2, -0.1]) * np.repeat([m.size, 1.0], 3)
    return multibody.simulate(system, times=[0.0, 0.02, 0.04], state=system.state({"platform": V}))


def test_every_solid_obeys_newton_and_euler_with_the_reactions_reported(motion):
    """Mass times (a - g), and Euler's torque of all thirteen, from the wrenches of `reaction` and the drives."""
    s = motion.system
    gravity = np.asarray(s.gravity)
    J = np.einsum("kbij,bjl,kbml->kbim", motion.Z[:, :-1, :, 1:], s.inertia, motion.Z[:, :-1, :, 1:])
    force, moment = np.zeros((2, len(motion), 14, 3))
    centre = np.einsum("kbij,bj->kbi", motion.Z, np.column_stack([np.ones(14), s.centres]))
    for joint in s.joints:
        wrench = motion.reaction(joint.title)
        second, first = s.index(joint.second), s.index(joint.first)
        place = motion.position(joint.second, joint.centre)
        for body, sign in ((second, 1.0), (first, -1.0)):
            force[:, body] += sign * wrench[:, :3]
            moment[:, body] += sign * (wrench[:, 3:] + np.cross(place - centre[:, body], wrench[:, :3]))
    for k, (Z, V) in enumerate(zip(motion.Z, motion.V, strict=True)):
        E = s.efforts(motion.time[k], Z, V) - s.weight
        A = E[:, :, 1:] @ np.swapaxes(Z[:, :, 1:], 1, 2)
        torque = np.stack([A[:, 2, 1] - A[:, 1, 2], A[:, 0, 2] - A[:, 2, 0], A[:, 1, 0] - A[:, 0, 1]], axis=1)
        force[k] += E[:, :, 0]
        moment[k] += torque - np.cross(centre[k] - Z[:, :, 0], E[:, :, 0])
    for b, body in enumerate(s.bodies):
        a = motion.acceleration(body.name, body.mass_centre)
        w = motion.angular_velocity(body.name)
        S = motion.solution.acceleration[:, b, :, 1:] @ np.swapaxes(motion.rotation(body.name), 1, 2)
        alpha = np.stack([S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], axis=1) / 2
        spin = np.einsum("kij,kj->ki", J[:, b], w)
        turning = np.einsum("kij,kj->ki", J[:, b], alpha) + np.cross(w, spin)
        scale = np.abs(force).max()
        np.testing.assert_allclose(force[:, b], body.mass * (a - gravity), rtol=0, atol=BALANCE * scale)
        np.testing.assert_allclose(moment[:, b], turning, rtol=0, atol=BALANCE * scale)


def test_ball_joints_carry_no_moment(motion):
    for joint in motion.system.joints:
        if joint.kind == "spherical":
            np.testing.assert_allclose(motion.reaction(joint.title)[:, 3:], 0.0, atol=1e-12)


def test_both_kinds_of_struts_move_thin_rods_alike():
    """Parts without inertia about the leg do not care whether they may turn against one another."""
    m = gough.load("dumitriu2017")
    ends = []
    for struts in ("UCU", "UPS"):
        system = multibody.hexapod(m, forces=[9.5, 9.0, 8.5, 8.0, 8.5, 9.0], struts=struts)
        assert system.counts.joints == 72
        ends.append(multibody.simulate(system, times=[0.0, 0.2]).pose("platform")[-1])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-11)


def test_a_pose_other_than_home_is_where_it_starts():
    m = gough.load("dumitriu2017")
    X = gough.pose([0.01, 0.02, 0.52], [0.1, 0, 0.05], "XYZ")
    system = multibody.hexapod(m, X)
    motion = multibody.simulate(system, times=[0.0, 1e-3])
    np.testing.assert_allclose(motion.pose("platform")[0], X.as_matrix(), atol=1e-15)
    feet = [motion.position(f"cylinder {i + 1}")[0] for i in range(6)]
    np.testing.assert_allclose(feet, m.legs.a_B, atol=1e-15)


def test_universal_joints_take_their_axes_from_the_machine():
    m = gough.load("dumitriu2017")
    axes = np.tile([1.0, 0.0, 0.0], (6, 1))
    system = multibody.hexapod(replace(m, joint_axis=axes))
    np.testing.assert_allclose(system.joints[0].first_axis, [1, 0, 0])


@pytest.mark.parametrize("name", SKEW)
def test_solids_pushed_apart_come_back_to_their_joints_as_rotations(name):
    """Half a degree off: turns back of such a size keep R orthogonal by their second-order term only."""
    m = gough.load(name)
    system = multibody.hexapod(m)
    state = system.state()
    push = np.random.default_rng(7).normal(size=(len(state.Z) - 1, 6))
    Z = state.Z.copy()
    Z[:-1, :, 1:] = Rotation.from_rotvec(0.01 * push[:, 3:]).as_matrix() @ Z[:-1, :, 1:]
    Z[:-1, :, 0] += 0.01 * m.size * push[:, :3]
    back = projected(system, 0.0, State(Z, state.V))
    R = back.Z[:-1, :, 1:]
    np.testing.assert_allclose(R.swapaxes(-1, -2) @ R, np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=1e-14)
    assert np.abs(system.constraints(*back)[0]).max() < 1e-13 * m.size
