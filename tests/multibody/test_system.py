"""Systems: counts, names, states, energies, loads."""

import numpy as np
import pytest

import mechanisms
from gough import multibody
from gough.errors import InputError, ShapeError

ROUND_OFF = 1e-13
BLOCK = np.diag([0.02, 0.03, 0.04])


def block(name, centre):
    return multibody.Body(name=name, mass=2.0, mass_centre=centre, inertia=BLOCK)


def test_counts_of_the_double_pendulum_are_the_papers():
    """24 differential equations, 18 constraints (2016, section 4)."""
    counts = multibody.double_pendulum().counts
    assert counts.differential == 24
    assert counts.orthogonality + counts.joints == 18
    assert counts.freedom == 6


def test_twists_of_some_solids_give_those_of_all():
    system = mechanisms.four_bar()
    theta, speed = np.pi / 3, 2.0
    state = system.state({"crank 1": [*(0.15 * speed * np.array([np.cos(theta), np.sin(theta), 0])), 0, 0, speed]})
    assert np.abs(system.constraints(*state)[1]).max() < ROUND_OFF
    coupler = state.V[system.index("coupler")]
    np.testing.assert_allclose(coupler[:, 1:], 0.0, atol=ROUND_OFF)
    np.testing.assert_allclose(coupler[:2, 0], 0.3 * speed * np.array([np.cos(theta), np.sin(theta)]), atol=ROUND_OFF)


def test_twists_the_joints_forbid_or_that_leave_motion_open_are_refused():
    system = multibody.double_pendulum()
    with pytest.raises(InputError, match="leave 3 motions of the system undetermined"):
        system.state({"bar 1": np.zeros(6)})
    with pytest.raises(InputError, match="do not allow these twists"):
        mechanisms.four_bar().state({"crank 1": [0, 0, 1, 0, 0, 0]})
    with pytest.raises(ShapeError, match=r"twist of 'bar 1': expected shape \(6,\), got \(3,\)"):
        system.state({"bar 1": [0, 0, 1]})
    with pytest.raises(InputError, match="ground does not move"):
        system.state({"ground": np.zeros(6)})


def wrench(system, time=0.0, V=None):
    """Force and moment about the mass centre of the loads on the first solid at the start."""
    Z, rest = system.state()
    E = system.efforts(time, Z, rest if V is None else V)[0]
    A = E[:, 1:]
    moment = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
    return E[:, 0], moment - np.cross(system.bodies[0].mass_centre, E[:, 0])


def test_a_force_at_a_point_is_its_force_and_moment():
    centre, point, f = np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 0.5]), np.array([3.0, 0.0, -4.0])
    load = multibody.Force("a", point, f, magnitude=5.0)
    force, moment = wrench(multibody.System([block("a", centre)], force_elements=[load], gravity=[0, 0, 0]))
    np.testing.assert_allclose(force, f, atol=ROUND_OFF)
    np.testing.assert_allclose(moment, np.cross(point - centre, f), atol=ROUND_OFF)


def test_a_torque_is_a_torque_whatever_the_mass_centre():
    load = multibody.Torque("a", [0, 0, 2], magnitude=0.7)
    force, moment = wrench(multibody.System([block("a", [5, 6, 7])], force_elements=[load], gravity=[0, 0, 0]))
    np.testing.assert_allclose(force, 0.0, atol=ROUND_OFF)
    np.testing.assert_allclose(moment, [0, 0, 0.7], atol=ROUND_OFF)


def test_weight_acts_at_the_mass_centre():
    force, moment = wrench(multibody.System([block("a", [0.4, 0.5, 0.6])], gravity=[0, 0, -10]))
    np.testing.assert_allclose(force, [0, 0, -20], atol=ROUND_OFF)
    np.testing.assert_allclose(moment, 0.0, atol=ROUND_OFF)


def test_a_spring_pulls_by_stretch_and_damps_by_speed():
    spring = multibody.Spring("a", [0, 0, 0], [0, 0, 2], stiffness=100.0, length=1.5, damping=4.0)
    system = multibody.System([block("a", [0, 0, 0])], force_elements=[spring], gravity=[0, 0, 0])
    np.testing.assert_allclose(wrench(system)[0], [0, 0, 50], atol=ROUND_OFF)
    falling = system.state({"a": [0, 0, -1, 0, 0, 0]}).V
    np.testing.assert_allclose(wrench(system, V=falling)[0], [0, 0, 54], atol=ROUND_OFF)
    assert system.energy(*system.state()) == pytest.approx(0.5 * 100 * 0.25)


def test_a_load_between_two_solids_is_opposite_on_both():
    pair = [block("a", [0, 0, 0]), block("b", [1, 0, 0])]
    loads = [
        multibody.Force("a", [0.2, 0.3, 0.4], [1, 2, 3], against="b", carried_by="b", magnitude=2.0),
        multibody.Torque("a", [1, 2, 3], against="b", carried_by="a", magnitude=2.0),
        multibody.Spring("a", [0, 0.1, 0], [1, 0.3, 0], against="b", stiffness=10.0, length=0.2),
    ]
    system = multibody.System(pair, force_elements=loads, gravity=[0, 0, 0])
    F = system.efforts(0.0, *system.state())
    np.testing.assert_allclose((F[0] + F[1])[:, 0], 0.0, atol=ROUND_OFF)
    total = (F[0] + F[1])[:, 1:]
    np.testing.assert_allclose(total, total.T, atol=ROUND_OFF)


def test_a_free_solid_keeps_energy_and_angular_momentum():
    system = multibody.System([block("a", [0.3, 0, 0])], gravity=[0, 0, 0])
    motion = multibody.simulate(system, 6.0, state=system.state({"a": [0.1, 0, 0, 0.2, 5.0, 0.1]}))
    R = motion.rotation("a")
    spin = np.einsum("kij,jl,kml,km->ki", R, BLOCK, R, motion.angular_velocity("a"))
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), atol=1e-10)
    np.testing.assert_allclose(motion.energy(), motion.energy()[0], rtol=1e-10)
    assert R[:, 1, 1].min() < -0.9, "spun about its middle axis, a solid turns over"


def test_a_damper_between_points_of_turning_solids_takes_the_power_of_its_own_speed(rng):
    """The forces' power on both solids is that of the spring along its line, with both ends off the centres."""
    from scipy.spatial.transform import Rotation

    ends = rng.normal(size=(2, 3))
    spring = multibody.Spring("a", ends[0], ends[1], against="b", stiffness=10.0, length=0.2, damping=3.0)
    system = multibody.System(
        [block("a", [0, 0, 0]), block("b", [1, 0, 0])], force_elements=[spring], gravity=[0, 0, 0]
    )
    Z, V = (part.copy() for part in system.state())
    for _ in range(5):
        turns, w = Rotation.random(2, rng=rng).as_matrix(), rng.normal(size=(2, 3))
        Z[:2, :, 0], V[:2, :, 0] = rng.normal(size=(2, 2, 3))
        Z[:2, :, 1:], V[:2, :, 1:] = turns, np.cross(w[:, None], turns, axisb=1, axisc=1)
        (a, b), (v_a, v_b) = ((part[:2, :, 1:] @ ends[..., None])[..., 0] + part[:2, :, 0] for part in (Z, V))
        length = np.linalg.norm(b - a)
        rate = (b - a) @ (v_b - v_a) / length
        power = np.sum(system.efforts(0.0, Z, V)[:2] * V[:2])
        assert power == pytest.approx(-(10.0 * (length - 0.2) + 3.0 * rate) * rate)
