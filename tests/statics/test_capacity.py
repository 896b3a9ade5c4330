"""Load capacity: at the limit one actuator is at its force, in any mounting."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough


def test_at_capacity_one_actuator_is_at_its_force(machine, rng):
    F = rng.normal(size=(20, 6))
    most = np.linspace(50, 100, 6)
    c = gough.statics.wrench_capacity(machine, machine.home, F, actuator_force=most)
    used = np.abs(gough.leg_forces(machine, machine.home, F * c.factor[:, None])) / most
    np.testing.assert_allclose(used.max(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(c.leg, 1 + used.argmax(axis=1))


def test_payload_and_platform_hang_from_the_same_gravity():
    m = gough.load("dumitriu2017")
    for g in ([0, 0, -9.81], [9.81, 0, 0], [0, 6.0, 6.0]):
        p = gough.payload(m, m.home, gravity=g, actuator_force=60.0)
        load = p.factor * np.array([*g, 0, 0, 0], dtype=float)
        f = gough.leg_forces(m, m.home, load, gravity=g)
        assert np.abs(f).max() == pytest.approx(60.0, rel=1e-12)


def test_a_machine_too_weak_for_its_platform_carries_nothing():
    m = gough.load("dumitriu2017")
    p = gough.payload(m, m.home, actuator_force=1.0)
    assert str(p) == f"Payload: largest payload {float(p.factor):.4g} kg"
    assert p.dataset["factor"].attrs["units"] == "kg"
    assert p.factor == 0.0


def test_legs_whose_own_weight_is_too_much_are_named():
    m = gough.load(SKEW[0])
    weight = np.abs(gough.leg_forces(m, m.home, np.zeros(6), gravity=True))
    top = float(np.sort(weight)[2]) * (1 + 1e-9)
    too_weak = tuple(1 + np.flatnonzero(weight > top))
    for found in (gough.payload(m, m.home, actuator_force=top),
                  *(gough.statics.wrench_capacity(m, m.home, w, gravity=True, actuator_force=top)
                    for w in (*np.eye(6), *-np.eye(6)))):  # fmt: skip
        assert found.factor == 0.0
        assert found.legs == too_weak


@pytest.mark.parametrize("motion", ["force", "moment"])
def test_the_guaranteed_wrench_is_the_least_over_directions(machine, rng, motion):
    found = float(
        gough.statics.guaranteed_wrench(machine, machine.home, motion, point=np.zeros(3), actuator_force=40.0)
    )
    d = rng.normal(size=(20000, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    six = np.concatenate([d, 0 * d] if motion == "force" else [0 * d, d], axis=1)
    least = gough.statics.wrench_capacity(machine, machine.home, six, actuator_force=40.0).factor.min()
    assert found <= least * (1 + 1e-12)
    assert least == pytest.approx(found, rel=2e-3)  # 20000 directions lie about 1 deg apart


def test_upright_is_where_gravity_pulls_the_platform_towards_the_base():
    """Of hexel, which hangs from its base, that is against its own gravity; of a machine that stands, along it."""
    for name, against in (("hexel", -1.0), ("pitch-circle", 1.0)):
        m = gough.load(name)
        upright, hanging, *_ = gough.statics.payload_table(m, m.home, actuator_force=100.0)
        down = m.gravity / np.linalg.norm(m.gravity)
        assert upright.gravity @ down == pytest.approx(against)
        assert hanging.gravity @ down == pytest.approx(-against)
