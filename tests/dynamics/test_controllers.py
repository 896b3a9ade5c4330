"""Controllers: what they hold, what they follow, and how they end up."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.errors import InputError
from gough.present.show import fitting
from gough.present.units import with_unit

STILL = np.zeros(6)

BRUTE = 2001
"""Samples in which a part of the time is counted."""
BETWEEN_ROWS = 1e-3
"""Of the largest error, by which it exceeds that of 4001 rows."""


@pytest.fixture(params=[SKEW[2], *thorough(*SKEW[:2])], scope="module")
def plant(request):
    """A machine of each kind, without friction, with a slow motion well within its limits."""
    m = gough.load(request.param)
    m = replace(m, actuators=replace(m.actuators, coulomb_friction=None, viscous_friction=None))
    return m, gough.dynamics.named_motion(m, "vertical", 0.01 * m.size, half_period=0.4)


def test_gravity_compensation_holds_the_machine_anywhere(plant):
    m, _ = plant
    X = m.X_home.copy()
    X[0, 3] += 0.01 * m.size
    r = gough.simulate(m, X, STILL, gough.dynamics.GravityCompensation(m), 0.1)
    assert np.abs(r.pose.to_numpy() - X).max() < 1e-10 * m.size


def test_computed_torque_follows_exactly(plant):
    m, motion = plant
    r = gough.simulate(m, m.home, STILL, gough.dynamics.ComputedTorque(m, motion, bandwidth=40.0), 0.4)
    assert np.abs(r.pose_error.to_numpy()).max() < 1e-10
    wanted = gough.dynamics.motion_forces(m, motion, r.time.to_numpy()).force.to_numpy()
    np.testing.assert_allclose(r.force, wanted, rtol=0, atol=1e-7 * np.abs(wanted).max())


@pytest.mark.thorough
def test_a_motion_is_followed_from_where_it_begins_for_as_long_as_it_takes(plant):
    m, motion = plant
    follows = gough.dynamics.ComputedTorque(m, motion, bandwidth=40.0)
    told, how = [], {"rtol": 1e-4, "atol": 1e-7}
    r = gough.simulate(m, force=follows, samples=3, progress=lambda done, whole: told.append((done, whole)), **how)
    X, V, _ = motion(0.0)
    expected = gough.simulate(m, X, V, follows, motion.span[1], times=np.linspace(0, motion.span[1], 3), **how)
    np.testing.assert_array_equal(r.pose, expected.pose)
    assert {whole for _, whole in told} == {motion.span[1]}
    # Three times are listed; the largest error lies between them.
    dense = np.abs(gough.simulate(m, force=follows, samples=4001, **how).joint_error.to_numpy()).max(axis=0)
    np.testing.assert_allclose(r.attrs["peak_joint_error"], dense, rtol=BETWEEN_ROWS)
    q, unit = r.attrs["peak_joint_error"].max(), m.legs.joint_unit
    assert r.attrs["largest_error"] == with_unit(m, q, fitting(m, q, unit), 3)
    assert r.attrs["ended"] == f"ran to its end at {motion.span[1]:.6g} s"
    moving = gough.dynamics.SplineMotion([0.0, 1.0], motion([0.1, 0.2])[0])
    begun = gough.simulate(m, force=gough.dynamics.ComputedTorque(m, moving, bandwidth=40.0), duration=1e-3, **how)
    np.testing.assert_array_equal(begun.twist[0], moving(0.0)[1])
    assert np.abs(begun.twist[0]).max() > 0
    later = gough.dynamics.SplineMotion([1.0, 2.0], [m.X_home, m.X_home])
    with pytest.raises(InputError, match="the motion begins at 1 s"):
        gough.simulate(m, force=gough.dynamics.ComputedTorque(m, later, bandwidth=40.0))


def test_the_error_of_computed_torque_dies_out_as_a_damped_spring(plant):
    """Critically damped from rest: e = e0 (1 + w t) exp(-w t)."""
    m, _ = plant
    motion = gough.dynamics.CosineMotion(m.home, [0, 0, 0, 0, 0, 0], 0.0)
    X = m.X_home.copy()
    offset = 0.005 * m.size * np.array([1.0, -0.5, 0.7])
    X[:3, 3] += offset
    r = gough.simulate(
        m, X, STILL, gough.dynamics.ComputedTorque(replace_limits(m), motion, bandwidth=30.0), 0.2, stop_at=()
    )
    t = r.time.to_numpy()[:, None]
    expected = -offset * (1 + 30 * t) * np.exp(-30 * t)
    np.testing.assert_allclose(r.pose_error.to_numpy()[:, :3], expected, rtol=0, atol=1e-7 * m.size)


def replace_limits(machine):
    """Without limits of forces and speeds."""
    return replace(machine, limits=replace(machine.limits, actuator_force=None, joint_speed=None))


def leg_gains(machine):
    """Gains for 40 rad/s, critically damped, of each leg on its share of the machine's mass."""
    tuned = gough.dynamics.LegPID.tuned(machine, gough.dynamics.CosineMotion(machine.home, np.zeros(6), 0.0), 40.0)
    return {"stiffness": tuned.stiffness, "damping": tuned.damping}


def test_tuned_gains_are_those_of_the_mass_a_leg_moves_alone():
    """A unit force on one leg, the others following: 1 / mass is what it accelerates by with the others held still."""
    m = gough.load("dumitriu2017")
    tuned = gough.dynamics.LegPID.tuned(m, gough.dynamics.CosineMotion(m.home, np.zeros(6), 0.0), 40.0)
    J_Vq = gough.kinematics.inverse_jacobian(m, m.X_home)
    for leg in range(6):
        f = gough.inverse_dynamics(m, m.home, STILL, J_Vq[:, leg], gravity=[0, 0, 0])
        assert tuned.stiffness[leg] == pytest.approx(1600 * f[leg], rel=1e-9)
        assert tuned.damping[leg] == pytest.approx(80 * f[leg], rel=1e-9)
    assert (tuned.integral > 0).all()
    with pytest.raises(InputError, match="bandwidth: 0, expected above 0"):
        gough.dynamics.LegPID.tuned(m, gough.dynamics.CosineMotion(m.home, np.zeros(6), 0.0), 0.0)


def test_pd_sags_under_the_weight_and_an_integral_takes_it_away(plant):
    m, _ = plant
    free = replace_limits(m)
    motion = gough.dynamics.CosineMotion(m.home, np.zeros(6), 0.0)
    gains = leg_gains(m)
    rest = gough.inverse_dynamics(m, m.home, STILL, STILL)
    sag = gough.simulate(
        free, m.home, STILL, gough.dynamics.LegPID(free, motion, **gains), 0.6, stop_at=(), rtol=1e-6, atol=1e-9
    )
    there = gough.inverse_dynamics(m, sag.pose.to_numpy()[-1], STILL, STILL)
    most = np.abs(sag.joint_error[-1]).max()
    np.testing.assert_allclose(sag.joint_error.to_numpy()[-1], there / gains["stiffness"], rtol=0, atol=2e-2 * most)
    pid = gough.dynamics.LegPID(free, motion, **gains, integral=10 * gains["stiffness"])
    held = gough.simulate(free, m.home, STILL, pid, 1.2, stop_at=(), rtol=1e-6, atol=1e-9)
    assert np.abs(held.joint_error.to_numpy()[-1]).max() < 1e-2 * np.abs(sag.joint_error.to_numpy()[-1]).max()
    np.testing.assert_allclose(held.force.to_numpy()[-1], rest, rtol=0, atol=2e-2 * np.abs(rest).max())


def test_speeds_and_forces_are_limited(plant):
    """A step of the reference: without a limit of the rate the legs hurry, with one they keep to it."""
    m, _ = plant
    free = replace_limits(m)
    X = m.X_home.copy()
    X[2, 3] += 0.01 * m.size
    motion = gough.dynamics.CosineMotion(X, np.zeros(6), 0.0)
    top = 0.05 * m.size if m.legs.joint == "length" else 0.15
    pd = gough.dynamics.LegPID(free, motion, **leg_gains(m), rate_limit=top, holds_weight=True)
    r = gough.simulate(free, m.home, STILL, pd, 0.3, stop_at=(), rtol=1e-6, atol=1e-9)
    hurried = gough.dynamics.LegPID(free, motion, **leg_gains(m), holds_weight=True)
    h = gough.simulate(free, m.home, STILL, hurried, 0.3, stop_at=(), rtol=1e-6, atol=1e-9)
    assert np.abs(r.joint_rate.to_numpy()).max() < 1.3 * top, "the weight pulls beside the demand"
    assert np.abs(h.joint_rate.to_numpy()).max() > 1.6 * top
    weak = 1.2 * np.abs(gough.inverse_dynamics(m, m.home, STILL, STILL)).max()
    limited = gough.dynamics.LegPID(free, motion, **leg_gains(m), force_limit=weak, holds_weight=True)
    force = gough.simulate(free, m.home, STILL, limited, 0.1, stop_at=(), rtol=1e-6, atol=1e-9).force.to_numpy()
    assert np.abs(force).max() <= weak < np.abs(h.force.to_numpy()).max()


@pytest.mark.parametrize(
    "make",
    [lambda *a: gough.dynamics.LegPID.tuned(*a, 40.0), lambda *a: gough.dynamics.ComputedTorque(*a, bandwidth=40.0)],
)
def test_a_saturated_force_is_on_its_limit_and_said(plant, make):
    m, motion = plant
    held = np.abs(gough.inverse_dynamics(m, m.home, STILL, STILL)).max()
    weak = replace(m, limits=replace(m.limits, actuator_force=np.full(6, 0.9 * held)))
    controller = make(weak, motion)
    assert (controller.machine, controller.motion) == (weak, motion)
    r = gough.simulate(weak, m.home, STILL, controller, 0.05, stop_at=(), rtol=1e-6)
    at_limit = np.isclose(np.abs(r.force), 0.9 * held, rtol=1e-12)
    np.testing.assert_array_equal(r.force_saturated, at_limit)
    assert at_limit.any()
    word = "torque" if m.legs.joint == "angle" else "force"
    assert r.attrs["saturated"].startswith(f"the controller is saturated: the {word} of ")
    free = gough.simulate(m, m.home, STILL, make(replace_limits(m), motion), 0.05, stop_at=(), rtol=1e-6)
    assert free.attrs["saturated"] == ""
    assert not free.force_saturated.any()


@pytest.mark.parametrize("kind", ["force", "speed"])
def test_the_part_of_time_in_saturation_is_solved_for_between_the_samples(plant, kind):
    """One leg is clipped for some of the time: brute force by samples of the same simulation."""
    m, motion = plant
    how = {"duration": 0.4, "stop_at": (), "rtol": 1e-6, "atol": 1e-9}
    begin = gough.displacements.displaced(m.home.as_matrix(), np.append(1e-3 * m.size, np.zeros(5)))
    pid = gough.dynamics.LegPID.tuned(m, motion, 40.0)
    free = gough.simulate(m, begin, STILL, pid, samples=401, **how)
    peak = np.abs(free.force if kind == "force" else free.joint_rate).max("time").to_numpy()
    limit = np.where(np.arange(6) == 2, 0.9 * peak, 1e9)
    pid.force_limit, pid.rate_limit = (limit, np.full(6, 1e9)) if kind == "force" else (np.full(6, 1e9), limit)
    dense, few = (gough.simulate(m, begin, STILL, pid, samples=n, **how) for n in (BRUTE, 3))
    part = dense[f"{kind}_saturated"].to_numpy().any(axis=1).mean()
    assert 0.0 < part < 1.0
    k = ("speed", "force").index(kind)
    for found in (dense, few):
        assert found.attrs["saturated_part"][k] == pytest.approx(part, abs=2 / BRUTE)
        assert found.attrs["saturated_part"][1 - k] == 0.0
        assert "leg 3" in found.attrs["saturated"]
