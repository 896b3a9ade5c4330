"""Load capacity: at the limit one actuator is at its force, in any mounting."""

import numpy as np
import pytest

import gough


def test_at_capacity_one_actuator_is_at_its_force(machine, rng):
    F = rng.normal(size=(20, 6))
    most = np.linspace(50, 100, 6)
    c = gough.load_capacity(machine, machine.home, F, actuator_force=most)
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
    assert p.factor == 0.0


def test_capacity_needs_actuator_forces():
    m = gough.load("hexel")
    m = gough.from_points(m.legs.a_B, m.b_P, home=m.home)
    with pytest.raises(gough.InputError, match="actuator_force"):
        gough.load_capacity(m, m.home, [0, 0, 1, 0, 0, 0])
