"""Controllers of two stages: errors that die out as they must, gains by hand, limits of each stage."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.displacements import displaced
from gough.dynamics import ComputedTorque, CosineMotion, GravityCompensation, LegPID, SplineMotion, named_motion
from gough.dynamics.motions import states_of_all
from gough.errors import ShapeError

AGREE = 1e-8
"""Of simulations to 1e-9 in each step, relative."""
HOW = {"rtol": 1e-8, "atol": 1e-10, "stop_at": ()}


def test_gravity_compensation_holds_both_platforms_anywhere(double, rng):
    X = displaced(double.X_home, 0.01 * rng.normal(size=(2, 6)))
    r = gough.simulate(double, X, np.zeros((2, 6)), GravityCompensation(double), 0.02, times=[0.02], **HOW)
    np.testing.assert_allclose(r.pose.to_numpy()[-1], X, atol=1e-10)


def test_errors_of_both_platforms_die_out_as_damped_springs(double, rng):
    """Critically damped from the motion's own twist: e = e0 (1 + w t) exp(-w t), of places and about fixed axes."""
    m, bandwidth, times = replace(double, share=0.3), 30.0, [0.0, 0.02, 0.04]
    motion, e0 = named_motion(m, "vertical", 0.005 * m.size, half_period=0.5), 0.005 * rng.normal(size=(2, 6))
    X, V, _ = states_of_all(m, motion(0.0))
    follows = ComputedTorque(m, motion, bandwidth=bandwidth, force_limit=np.full(12, 1e9))
    r = gough.simulate(m, displaced(X, -e0), V, follows, times[-1], times=times, **HOW)
    t = r.time.to_numpy()[:, None, None]
    np.testing.assert_allclose(r.pose_error, e0 * (1 + bandwidth * t) * np.exp(-bandwidth * t), atol=1e-8)
    assert r.pose_error.dims == ("time", "stage", "component")
    wanted = gough.inverse_kinematics(m, states_of_all(m, motion(r.time.to_numpy()))[0])
    np.testing.assert_allclose(r.joint_reference, wanted, rtol=1e-12)
    np.testing.assert_allclose(r.joint_error, wanted - r.joint.to_numpy(), atol=1e-12)


def test_leg_by_leg_the_forces_are_those_of_gains_by_hand(double):
    """The same forces as a function of the state, both platforms' motion given."""
    m = replace(double, share=0.6)
    turn = Rotation.from_rotvec([[0, 0, 0], [0.01, -0.02, 0.01], [0, 0.02, 0]]).as_matrix()
    X = np.tile(m.end_home, (3, 1, 1))
    X[:, :3, :3] = turn @ X[:, :3, :3]
    end = SplineMotion([0.0, 0.2, 0.4], X)

    def of_both(t):
        return states_of_all(m, end(t))

    of_both.span = end.span
    K, D = 4e3 * np.linspace(1, 2, 12), 50 * np.linspace(2, 1, 12)

    def by_hand(t, X, V):
        wanted, twist, _ = of_both(t)
        held = gough.inverse_dynamics(m, wanted, np.zeros((2, 6)), np.zeros((2, 6)))
        off = gough.inverse_kinematics(m, wanted) - gough.inverse_kinematics(m, X)
        rate = gough.jacobian(m, wanted) @ twist.ravel() - gough.jacobian(m, X) @ V.ravel()
        return K * off + D * rate + held

    X0, V0, _ = of_both(0.0)
    expected = gough.simulate(m, X0, V0, by_hand, 0.008, times=[0.008], **HOW)
    unlimited = {"rate_limit": np.full(12, 1e9), "force_limit": 1e9}
    for motion in (end, of_both):
        pd = LegPID(m, motion, stiffness=K, damping=D, holds_weight=True, **unlimited)
        r = gough.simulate(m, X0, V0, pd, 0.008, times=[0.008], **HOW)
        np.testing.assert_allclose(r.joint, expected.joint, rtol=AGREE)
        np.testing.assert_allclose(r.force, expected.force, rtol=0, atol=1e-5 * float(np.abs(expected.force).max()))


def test_tuned_gains_are_of_the_mass_that_each_leg_moves(double):
    """By the kinetic energy that a rate of one joint alone gives both platforms."""
    motion = CosineMotion(double.end_home, np.zeros(6), 0.0)
    pid = LegPID.tuned(double, motion, 20.0)
    for leg in (0, 11):
        V = (gough.kinematics.inverse_jacobian(double, double.X_home) @ np.eye(12)[leg]).reshape(2, 6)
        mass = 2 * gough.dynamics.kinetic_energy(double, double.X_home, V)
        assert pid.stiffness[leg] == pytest.approx(400.0 * mass, rel=1e-9)
        assert pid.damping[leg] == pytest.approx(40.0 * mass, rel=1e-9)


def test_limits_are_those_of_each_stage(double):
    """Of one stage alone: the other's legs are free."""
    motion = CosineMotion(double.end_home, np.zeros(6), 0.0)
    lower, upper = double.stages
    limited = replace(upper, limits=replace(upper.limits, actuator_force=np.full(6, 2.0), joint_speed=np.full(6, 1e-3)))
    lower = replace(lower, limits=replace(lower.limits, actuator_force=None, joint_speed=None))
    m = replace(double, stages=(lower, limited))
    pid = LegPID(m, motion, stiffness=1e6, damping=1e3, integral=1.0)
    X, memory = displaced(m.X_home, np.full((2, 6), 1e-3)), np.zeros(pid.memory)
    force, rate = pid.command(0.0, X, np.zeros((2, 6)), memory)
    assert (np.abs(force[6:]) <= 2.0).all()
    assert np.abs(force[:6]).max() > 2.0
    cut = pid.saturation(0.0, X, np.zeros((2, 6)), memory)
    assert cut.shape == (2, 12)
    assert not cut[:, :6].any()
    assert cut[:, 6:].any()
    assert rate.shape == (12,)
    with pytest.raises(ShapeError, match="12"):
        LegPID(m, motion, stiffness=np.ones(6), damping=1.0)
