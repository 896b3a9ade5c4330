"""Simulation against closed forms, energy, and a reference; what stops it; what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.errors import InputError

ENERGY = 1e-9
"""Energy kept over ten seconds, relative to its scale, at a tolerance of 1e-11 a step."""
PATH = 1e-9
"""Of the machine's size: how far two methods may be apart, the tolerance of a step where none is given."""
STILL = np.zeros(6)


def with_rest(machine):
    return machine, gough.inverse_dynamics(machine, machine.home, STILL, STILL)


def test_free_motion_keeps_its_energy():
    """Ten seconds without weight and forces, through singularities: the platform turns right round."""
    m = gough.load("dumitriu2017")
    r = gough.simulate(
        m, m.home, [0.03, 0.02, 0.01, 0.1, 0.2, 0.3], STILL, 10.0, gravity=[0, 0, 0], stop_at=(), rtol=1e-11
    )
    energy = r.energy.to_numpy()
    assert np.abs(energy / energy[0] - 1).max() < ENERGY
    assert r.stopped_by == ""


def test_the_work_of_forces_and_wrenches_is_the_energy_gained():
    m, rest = with_rest(gough.load("sinatra2009"))
    F = np.array([2.0, 1.0, -3.0, 0.1, 0.2, -0.1])
    r = gough.simulate(m, m.home, STILL, rest, 0.3, wrench=F, stop_at=(), times=np.linspace(0, 0.3, 3001))
    power = r.power.sum("leg").to_numpy() + r.twist.to_numpy() @ F
    gained = np.trapezoid(power, r.time)
    change = float(r.energy[-1] - r.energy[0])
    assert gained == pytest.approx(change, rel=1e-6)
    np.testing.assert_allclose(r.wrench.to_numpy(), np.broadcast_to(F, (3001, 6)))


def test_a_load_hangs_at_its_point_while_the_platform_turns():
    m, rest = with_rest(gough.load("sinatra2009"))
    F, point = np.array([0.0, 0, 4.0, 0, 0, 0.1]), np.array([0.2, 0.1, -0.1])

    def moved(t, X, V):
        return F + np.array([0, 0, 0, *np.cross(X[:3, :3] @ point, F[:3])])

    asked = {"V0": [0, 0, 0, 0.2, 0, 0], "force": rest, "duration": 0.1}
    found = gough.simulate(m, m.home, **asked, wrench=F, point=point)
    expected = gough.simulate(m, m.home, **asked, wrench=moved)
    np.testing.assert_allclose(found.pose, expected.pose, rtol=0, atol=1e-14)
    with pytest.raises(InputError, match="point: requires a wrench"):
        gough.simulate(m, m.home, **asked, point=point)


def test_friction_takes_energy_and_nothing_else_does():
    m, rest = with_rest(gough.load("dumitriu2017"))
    m = replace(m, actuators=replace(m.actuators, viscous_friction=np.full(6, 20.0)))
    r = gough.simulate(m, m.home, [0.1, 0, 0, 0, 0, 0], rest, 0.3, stop_at=(), times=np.linspace(0, 0.3, 3001))
    lost = np.trapezoid(20 * np.sum(r.joint_rate.to_numpy() ** 2, axis=1), r.time)
    done = np.trapezoid(r.power.sum("leg").to_numpy(), r.time)
    assert float(r.energy[0] - r.energy[-1]) == pytest.approx(lost - done, rel=1e-6)
    assert lost > 1e-3


def test_the_order_of_convergence_is_that_of_the_method():
    """The error follows the tolerance, down to rounding."""
    m, _ = with_rest(gough.load("dumitriu2017"))
    f = [9.5, 9.5, 8.5, 8.5, 8.5, 8.5]
    ends = [
        gough.simulate(m, m.home, STILL, f, 0.4, times=[0.4], rtol=rtol, atol=rtol * 1e-3).pose[-1].to_numpy()
        for rtol in (1e-4, 1e-6, 1e-8, 1e-12)
    ]
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    assert errors[0] < 1e-3
    assert errors[1] < 1e-5
    assert errors[2] < 1e-7
    assert errors[0] > errors[2]


# Stiff motions


def slowed(name, rate):
    """A machine with this friction in its drives per mass of its platforms [1/s]; rest, and the forces that hold it."""
    m = gough.load(name)

    def with_friction(one):
        friction = np.full(6, rate * one.platform.mass)
        return replace(one, actuators=replace(one.actuators, coulomb_friction=None, viscous_friction=friction))

    m = replace(m, stages=tuple(map(with_friction, m.stages))) if len(m.stages) > 1 else with_friction(m)
    still = np.zeros((*m.stage_shape, 6))
    return m, still, gough.inverse_dynamics(m, m.X_home, still, still)


@pytest.mark.parametrize(("name", "rate"), [(SKEW[0], 6000), (SKEW_STACK, 300)])
def test_a_stiff_motion_is_the_same_in_fewer_steps(name, rate):
    """Implicit steps, which are chosen for it, against short explicit ones."""
    m, still, rest = slowed(name, rate)
    push = rest + 0.1 * np.abs(rest).max() * np.cos(np.arange(len(rest)))
    how = {"stop_at": (), "samples": 9}
    found = gough.simulate(m, m.X_home, still + 0.01, push, 0.2, **how)
    short = gough.simulate(m, m.X_home, still + 0.01, push, 0.2, method="DOP853", rtol=1e-11, atol=1e-14, **how)
    assert found.attrs["method"] == "BDF"
    assert found.attrs["evaluations"] < 0.5 * short.attrs["evaluations"]
    np.testing.assert_allclose(found.pose, short.pose, rtol=0, atol=PATH * m.size)
    assert np.abs(short.pose - m.X_home).max() > 5e-5 * m.size


def test_what_memory_held_before_has_no_part_in_a_stiff_motion(monkeypatch):
    """SciPy's BDF begins with a table that nothing has written: where it holds signalling NaN, NumPy warns."""
    m, still, rest = slowed(SKEW[0], 6000)
    how = {"stop_at": (), "samples": 3, "method": "BDF"}
    clean = gough.simulate(m, m.X_home, still + 0.01, rest, 0.02, **how)
    empty, signalling = np.empty, np.array(0x7FF0000000000001, np.uint64).view(np.float64)

    def unwritten(shape, dtype=float, **how):
        return (
            np.broadcast_to(signalling, shape).copy() if np.dtype(dtype) == np.float64 else empty(shape, dtype, **how)
        )

    monkeypatch.setattr(np, "empty", unwritten)
    found = gough.simulate(m, m.X_home, still + 0.01, rest, 0.02, **how)
    np.testing.assert_array_equal(found.pose, clean.pose)


# Stops


def test_a_limit_that_is_reached_ends_it_there():
    m, _ = with_rest(gough.load("dumitriu2017"))
    r = gough.simulate(m, m.home, STILL, [9.5, 9.5, 8.5, 8.5, 8.5, 8.5], 2.0)
    assert r.attrs["ended"] == f"stopped at {float(r.time[-1]):.6g} s: {r.attrs['stopped_by']}"
    # Legs 1 and 2 grow alike.
    assert r.stopped_by in [f"a limit is reached: leg {leg} needs 0.78 m, allowed 0.42 to 0.78 m" for leg in (1, 2)]
    assert r.joint.to_numpy()[-1].max() == pytest.approx(0.78, abs=1e-9)
    assert (r.margin.to_numpy()[:-1] > 0).all()
    assert float(r.time[-1]) < 2.0


def test_a_singularity_that_comes_near_ends_it_before():
    m, _ = with_rest(gough.load("dumitriu2017"))
    r = gough.simulate(m, m.home, [0, 0, 0, 0, 0, 3.0], STILL, 10.0, gravity=[0, 0, 0], stop_at=["singularity"])
    assert r.stopped_by.startswith("a singularity is near: smallest singular value 0.01")
    k = list(r.limit.to_numpy()).index("singularity")
    assert float(r.margin[-1, k]) == pytest.approx(0.01, abs=1e-9)
    farther = gough.simulate(
        m, m.home, [0, 0, 0, 0, 0, 3.0], STILL, 10.0, gravity=[0, 0, 0], stop_at=["singularity"], singular_value=0.1
    )
    assert float(farther.time[-1]) < float(r.time[-1])
    strict = replace(m, limits=replace(m.limits, singular_value=0.05))
    for given, end in ((None, 0.05), (0.1, 0.1)):
        r = gough.simulate(
            strict,
            m.home,
            [0, 0, 0, 0, 0, 3.0],
            STILL,
            10.0,
            gravity=[0, 0, 0],
            stop_at=["singularity"],
            singular_value=given,
        )
        assert gough.singularity.conditioning(m, r.pose[-1].to_numpy()).singular_values[-1] == pytest.approx(
            end, abs=1e-9
        )


def test_a_start_beyond_a_limit_is_refused_unless_limits_are_no_matter():
    m, rest = with_rest(gough.load("dumitriu2017"))
    high = gough.pose_matrix([0, 0, 0.77])
    with pytest.raises(InputError, match=r"at the start already a limit is reached: leg . needs 0.79.*'limits' out of"):
        gough.simulate(m, high, STILL, rest, 0.01)
    assert gough.simulate(m, high, STILL, rest, 0.01, stop_at=["singularity"]).stopped_by == ""


# What it returns and refuses


@pytest.mark.parametrize("rtol", [1e-3, 1e-9])
@pytest.mark.parametrize("name", SKEW)
def test_a_limit_that_is_passed_within_a_step_ends_the_simulation(name, rtol):
    """A platform is thrown up, and a joint's stroke ends just before it turns back: dense samples have when."""
    m = gough.load(name).without_coulomb_friction()
    g = -float(gough.forward_dynamics(m, m.X_home, np.zeros(6), np.zeros(6))[2])
    v = np.sqrt(0.5 * g * gough.travel(m, [0, 0, 1, 0, 0, 0]).distance)

    def thrown(machine, **how):
        twist, tolerances = [0, 0, v, 0, 0, 0], {"rtol": rtol, "atol": 1e-3 * rtol}
        return gough.simulate(machine, m.home, twist, np.zeros(6), 1.5 * v / g, **tolerances, **how)

    dense = thrown(m, stop_at=(), samples=20_001)
    q, time = dense.joint.to_numpy(), dense.time.to_numpy()
    leg = int(np.argmin(np.abs(q.argmax(axis=0) - len(q) // 2)))
    far = np.ptp(q, axis=0)
    most = np.where(np.arange(6) == leg, q.max(axis=0) - 1e-4 * far, q.max(axis=0) + far)
    beyond = np.flatnonzero(q[:, leg] > most[leg])
    assert 0 < beyond[0] < beyond[-1] < len(q) - 1
    limits = replace(m.limited_by_strokes().limits, joint_min=q.min(axis=0) - far, joint_max=most)
    found = thrown(replace(m, limits=limits), stop_at=("limits",), samples=3)
    assert found.attrs["stopped_by"].startswith(f"a limit is reached: leg {leg + 1} ")
    # Between samples, and by the error of steps of another length.
    assert float(found.time[-1]) == pytest.approx(time[beyond[0]], abs=2 * time[1] + 0.1 * rtol * time[-1])
    assert found.attrs["limits_broken"] == ""
    free = thrown(replace(m, limits=limits), stop_at=(), samples=3)
    assert free.attrs["limits_broken"].startswith(f"leg {leg + 1} ")
