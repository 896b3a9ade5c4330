"""The multibody engine against published and independent answers, and against exact theory."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import gough
import mechanisms
from gough import multibody
from mechanisms import bricard_loop, parallelogram, top

HERE = Path(__file__).parent
PENDULUM = json.loads((HERE / "dumitriu2016_pendulum.json").read_text())
HEXAPOD = json.loads((HERE / "dumitriu2017_forward.json").read_text())

ANGLE = 1e-8
"""[rad]"""
PLANE = 1e-12
"""Departure from the plane of motion [m, or 1]."""
METRES, RADIANS = 1e-7, 1e-6
"""To which three independent codes agree on the hexapod's motion."""
DIGITS = 5e-9
"""Half a unit in the last digit of a force printed with eight decimals [N]."""
PSIDE = 1e-8
"""Relative accuracy asked of Andrews' mechanism against the solution printed with sixteen digits."""


@pytest.fixture(scope="module")
def pendulum():
    return multibody.simulate(multibody.double_pendulum(), times=PENDULUM["time"])


def test_double_pendulum_has_the_angles_of_its_own_lagrange_equations(pendulum):
    """Dumitriu and Margaritescu 2016, eq. (27) against eq. (26), over three seconds."""
    hinge = pendulum.position("bar 1", pendulum.system.joints[1].centre)
    for name, along in (("phi", hinge), ("psi", pendulum.position("bar 2") - hinge)):
        assert np.abs(np.arctan2(along[:, 1], along[:, 0]) - PENDULUM[name]).max() < ANGLE


def test_double_pendulum_on_ball_joints_stays_in_its_plane(pendulum):
    assert np.abs(pendulum.Z[:, :2, 2, :3]).max() <= PLANE
    assert np.abs(pendulum.V[:, :2, 2]).max() <= PLANE


def test_multipliers_of_the_pendulum_are_its_joint_reactions(pendulum):
    """Newton's law: Lambda_01 is the force on the ground, m (2 g - a_1 - a_2); Lambda_12 that on bar 1, m (g - a_2)."""
    g = np.array([9.81, 0, 0])
    a_1, a_2 = pendulum.acceleration("bar 1"), pendulum.acceleration("bar 2")
    np.testing.assert_allclose(pendulum.multipliers("O"), 0.108 * (2 * g - a_1 - a_2), atol=1e-12)
    np.testing.assert_allclose(pendulum.multipliers("H"), 0.108 * (g - a_2), atol=1e-12)
    np.testing.assert_allclose(pendulum.reaction("H")[:, :3], -pendulum.multipliers("H"), atol=1e-12)
    np.testing.assert_allclose(pendulum.reaction("H")[:, 3:], 0.0, atol=1e-12)


def test_orthogonality_multipliers_are_those_of_equation_nine_and_symmetric(pendulum):
    """R Lambda = R'' K_O + m T'' OG0^T - Y: what it takes, besides loads and joints, to keep the bar rigid."""
    body = pendulum.system.bodies[1]
    R, A = pendulum.rotation("bar 2"), pendulum.solution.acceleration[:, 1]
    Y = np.einsum("ki,j->kij", -pendulum.multipliers("H"), pendulum.system.joints[1].centre)
    Y += 0.108 * np.outer([9.81, 0, 0], body.mass_centre)
    expected = np.swapaxes(R, 1, 2) @ ((A @ body.mass_matrix)[:, :, 1:] - Y)
    np.testing.assert_allclose(pendulum.orthogonality("bar 2"), expected, atol=1e-13)
    np.testing.assert_allclose(expected, np.swapaxes(expected, 1, 2), atol=1e-13)


@pytest.fixture(scope="module")
def hexapod():
    system = multibody.hexapod(gough.load("dumitriu2017"), forces=[9.5, 9.5, 8.5105, 8.5105, 8.5105, 8.5105])
    return multibody.simulate(system, times=HEXAPOD["time"])


def test_the_hexapod_has_the_papers_counts():
    """156 differential equations and 78 + 72 constraints (Dumitriu 2017), whatever the legs."""
    for name in ("dumitriu2017", "sinatra2009", "servo", "hexaglide"):
        counts = multibody.hexapod(gough.load(name)).counts
        assert (counts.differential, counts.orthogonality, counts.joints, counts.freedom) == (156, 78, 72, 6)


def test_the_hexapods_motion_is_that_of_three_other_codes(hexapod):
    """Dumitriu 2017, figures 2 and 3."""
    assert np.abs(hexapod.position("platform") - HEXAPOD["position"]).max() < METRES
    angles = gough.euler_angles(hexapod.pose("platform"), "XYZ")
    assert np.abs(angles - HEXAPOD["euler_XYZ"]).max() < RADIANS
    assert np.abs(hexapod.rotation("platform") - HEXAPOD["rotation"]).max() < RADIANS


def test_the_hexapods_legs_have_those_lengths(hexapod):
    """Figure 4."""
    machine = gough.load("dumitriu2017")
    lengths = gough.inverse_kinematics(machine, hexapod.pose("platform"))
    assert np.abs(lengths - HEXAPOD["leg_length"]).max() < METRES


def test_equilibrium_forces_are_those_of_first_principles():
    machine = gough.load("dumitriu2017")
    system = multibody.hexapod(machine)
    drives = [f"drive {i}" for i in range(1, 7)]
    found = multibody.inverse_dynamics(system, {"platform": np.zeros(6)}, drives)
    assert np.abs(found.magnitudes - HEXAPOD["static_force"]).max() < DIGITS
    assert np.abs(found.magnitudes - machine.published["static_leg_force_N"]).min() > 0.02, "the paper prints 8.5105"


@pytest.mark.parametrize("closing_hinges", [False, True])
def test_andrews_squeezing_mechanism(closing_hinges):
    """Reference at t = 0.03 s: PSIDE at tolerance 1e-14 (Mazzia and Magherini 2008)."""
    motion = multibody.simulate(mechanisms.andrews(closing_hinges=closing_hinges), times=np.linspace(0, 0.03, 121))
    q = mechanisms.andrews_angles(motion.Z[:, :7, :, 1:])
    w = np.array([motion.angular_velocity(f"K{k}")[-1, 2] for k in range(1, 8)])
    rates = w - np.array([0, w[0], 0, w[4], 0, w[6], 0])
    expected = [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ]
    expected_rates = [
        1139.920302151208,
        -1424.379294994111,
        11.03291221937134,
        19.29337464421385,
        0.5735699284790808,
        -19.29337464421385,
        0.3231791658026955,
    ]
    np.testing.assert_allclose(q[-1], expected, rtol=0, atol=PSIDE)
    np.testing.assert_allclose(rates, expected_rates, rtol=0, atol=PSIDE * 1400)


def test_a_parallelogram_linkage_is_a_simple_pendulum():
    """Cranks at 2 asin(k sn(K + w t, k)), k = sin(theta_0 / 2), although three rows are redundant."""
    start = np.pi / 3
    motion = multibody.simulate(mechanisms.four_bar(start), times=np.linspace(0, 3, 31))
    m, r = parallelogram.MASS, parallelogram.CRANK
    rate = np.sqrt(2 * m * r * parallelogram.GRAVITY / (2 * m * r**2 / 3 + m * r**2))
    k = np.sin(start / 2)
    expected = 2 * np.arcsin(k * ellipj(ellipk(k**2) + rate * motion.time, k**2)[0])
    R = motion.rotation("crank 1")
    assert np.abs(np.arctan2(R[:, 1, 0], R[:, 0, 0]) + start - expected).max() < ANGLE


def test_a_top_nutates_by_an_elliptic_function():
    """Height u = u_1 + (u_2 - u_1) sn^2, precession (b - a u) / (1 - u^2) (Goldstein, Poole, Safko 2002, 5.7)."""
    tilt, spin = np.pi / 6, 120.0
    system = mechanisms.spinning_top(tilt)
    axis = np.array([np.sin(tilt), 0, np.cos(tilt)])
    motion = multibody.simulate(system, 1.0, state=system.state({"top": [0, 0, 0, *(spin * axis)]}))
    u0, beta = np.cos(tilt), 2 * top.MASS * top.GRAVITY * top.HEIGHT / top.TRANSVERSE
    a = top.AXIAL * spin / top.TRANSVERSE
    # Released without precession: u'^2 = (u0 - u) (beta (1 - u^2) - a^2 (u0 - u)), u0 is one root.
    u1, u3 = np.sort(np.roots([beta, -(a**2), a**2 * u0 - beta]))
    k2 = (u0 - u1) / (u3 - u1)
    phase = ellipk(k2) + 0.5 * np.sqrt(beta * (u3 - u1)) * motion.time
    expected = u1 + (u0 - u1) * ellipj(phase, k2)[0] ** 2
    pole = motion.position("top") / top.HEIGHT
    np.testing.assert_allclose(pole[:, 2], expected, atol=ANGLE)
    speed = motion.velocity("top") / top.HEIGHT
    around = (pole[:, 0] * speed[:, 1] - pole[:, 1] * speed[:, 0]) / (pole[:, 0] ** 2 + pole[:, 1] ** 2)
    np.testing.assert_allclose(around, a * (u0 - expected) / (1 - expected**2), atol=a * ANGLE)


@pytest.mark.parametrize("which", [0, 1], ids=["slow", "fast"])
def test_a_top_precesses_steadily_at_two_speeds(which):
    """J_1 cos(tilt) Omega^2 - J_3 w_3 Omega + m g h = 0: the tilt stays (Goldstein, Poole, Safko 2002, eq. 5.76)."""
    tilt, spin = np.pi / 6, 120.0
    weight = top.MASS * top.GRAVITY * top.HEIGHT
    # J_1 is about O; with the spin w_3 along the axis its cosine term loses J_3, which w_3 counts already.
    precession = np.sort(np.roots([top.TRANSVERSE * np.cos(tilt), -top.AXIAL * spin, weight]))[which]
    axis = np.array([np.sin(tilt), 0, np.cos(tilt)])
    w = precession * (np.array([0, 0, 1]) - np.cos(tilt) * axis) + spin * axis
    system = mechanisms.spinning_top(tilt)
    motion = multibody.simulate(system, 0.5, state=system.state({"top": [*np.cross(w, top.HEIGHT * axis), *w]}))
    pole = motion.position("top") / top.HEIGHT
    np.testing.assert_allclose(pole[:, 2], np.cos(tilt), atol=ANGLE)
    azimuth = np.unwrap(np.arctan2(pole[:, 1], pole[:, 0]))
    np.testing.assert_allclose(azimuth, precession * motion.time, atol=1e-7)


@pytest.fixture(scope="module")
def bricard():
    return multibody.simulate(mechanisms.bricard(), times=np.linspace(0, 5, 51))


def hinge_angles(motion):
    """Turn of each hinge since the start (k, 6) [rad], about its axis of the solid before it."""
    k = len(motion)
    still = np.broadcast_to(np.eye(3), (k, 3, 3))
    turns = [still, *(motion.rotation(f"rod {i}") for i in range(1, 6)), still]
    angles = np.empty((k, 6))
    for i, joint in enumerate(motion.system.joints):
        R = np.swapaxes(turns[i], 1, 2) @ turns[i + 1]
        n = joint.axis
        u = np.cross(n, np.roll(n, 1))
        angles[:, i] = np.arctan2(R @ u @ np.cross(n, u), R @ u @ u)
    return angles


def test_bricards_hinges_turn_as_the_closure_says(bricard):
    """Opposite in turn, and cos phi + cos theta + cos phi cos theta = 0 (Chen, You, Tarnai 2005)."""
    angles = hinge_angles(bricard)
    np.testing.assert_allclose(angles[:, ::2], angles[:, [0, 0, 0]], atol=ANGLE)
    np.testing.assert_allclose(angles[:, 1::2], angles[:, [1, 1, 1]], atol=ANGLE)
    phi, theta = np.cos(angles[:, 0] + np.pi / 2), np.cos(angles[:, 1] + np.pi / 2)
    np.testing.assert_allclose(phi + theta + phi * theta, 0.0, atol=ANGLE)
    assert np.ptp(angles[:, 0]) > 1, "it does move"


def test_bricards_speed_is_that_of_one_degree_of_freedom(bricard):
    """With the closure alone, a chain of hinges gives mass and potential by one angle x; energy gives |x'|."""
    x = hinge_angles(bricard)[:, 0]
    h = 1e-5
    speed, potential = [], []
    for value in x:
        here, ahead, behind = (rods(value + d) for d in (0.0, h, -h))
        mass = 0.0
        for (c1, R1), (c0, R0) in zip(ahead, behind, strict=True):
            v, W = (c1 - c0) / (2 * h), (R1 - R0) / (2 * h)
            K = np.diag([1.0, 0.01, 0.01]) / 12
            mass += v @ v + np.trace(W @ K @ W.T)
        potential.append(bricard_loop.GRAVITY * sum(c[1] for c, _ in here))
        speed.append(np.sqrt(max(2 * (potential[0] - potential[-1]) / mass, 0.0)))
    axis = bricard.system.joints[0].axis
    found = np.abs(bricard.angular_velocity("rod 1") @ axis)
    np.testing.assert_allclose(found, speed, atol=2e-6)


def rods(x):
    """Mass centre and rotation (x along the rod) of each of the five rods, by the turn x of the hinge P0."""
    y = np.arcsin(np.sin(x) / (np.sin(x) - 1.0))
    corners = bricard_loop.CORNERS
    R, p, found = np.eye(3), corners[0], []
    for k in range(5):
        before, after = corners[k] - corners[k - 1], corners[k + 1] - corners[k]
        n, a = np.cross(before, after), (x, y)[k % 2]
        S = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
        R = R @ (np.eye(3) + np.sin(a) * S + (1 - np.cos(a)) * S @ S)
        across = np.cross(after, n)
        found.append((p + R @ after / 2, R @ np.column_stack([after, across, np.cross(after, across)])))
        p = p + R @ after
    return found
