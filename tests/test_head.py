"""Articulated tool heads: Denavit-Hartenberg parameters in both conventions, and the masses they move."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import gough
from gough.head import Head, HeadJoint
from gough.machine_parts import Body, joined

ROUND_OFF = 1e-14
"""A few roundings of lengths and cosines near one."""
MM = 1e-3


def turn(axis, angle):
    return RigidTransform.from_rotation(Rotation.from_euler(axis, angle))


def shift(*by):
    return RigidTransform.from_translation(by)


def rows_of(convention, **more):
    """Three joints, one of each kind, none of whose parameters is nought."""
    rows = [
        HeadJoint(name="1", kind="revolute", a=0.1, alpha=0.4, d=0.2, theta=-0.7),
        HeadJoint(name="2", kind="fixed", a=-0.3, alpha=1.4, d=0.1, theta=0.5),
        HeadJoint(name="3", kind="prismatic", a=0.05, alpha=-0.9, d=-0.15, theta=2.0),
    ]
    return Head(joints=tuple(rows), convention=convention, q=np.zeros(2), **more)


def test_modified_parameters_are_those_of_craig(rng):
    head, (q1, q2) = rows_of("modified"), rng.uniform(-1, 1, 2)
    X = turn("x", 0.4) * shift(0.1, 0, 0) * turn("z", q1 - 0.7) * shift(0, 0, 0.2)
    X = X * turn("x", 1.4) * shift(-0.3, 0, 0) * turn("z", 0.5) * shift(0, 0, 0.1)
    X = X * turn("x", -0.9) * shift(0.05, 0, 0) * turn("z", 2.0) * shift(0, 0, q2 - 0.15)
    np.testing.assert_allclose(head.tip([q1, q2]), X.as_matrix(), rtol=0, atol=ROUND_OFF)


def test_standard_parameters_are_those_of_denavit_and_hartenberg(rng):
    head, (q1, q2) = rows_of("standard"), rng.uniform(-1, 1, 2)
    X = turn("z", q1 - 0.7) * shift(0, 0, 0.2) * shift(0.1, 0, 0) * turn("x", 0.4)
    X = X * turn("z", 0.5) * shift(0, 0, 0.1) * shift(-0.3, 0, 0) * turn("x", 1.4)
    X = X * turn("z", 2.0) * shift(0, 0, q2 - 0.15) * shift(0.05, 0, 0) * turn("x", -0.9)
    np.testing.assert_allclose(head.tip([q1, q2]), X.as_matrix(), rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_joints_move_the_tip_about_and_along_their_axes(convention, rng):
    head = rows_of(convention, X_PH=(turn("y", 0.6) * shift(0.1, 0.2, 0.3)).as_matrix())
    q = rng.uniform(-1, 1, 2)
    points, directions = head.axes(head.frames(q))
    about = turn_about(points[0], directions[0], 0.3)
    np.testing.assert_allclose(head.tip(q + [0.3, 0]), about @ head.tip(q), rtol=0, atol=ROUND_OFF)
    along = shift(*(0.3 * directions[1])).as_matrix()
    np.testing.assert_allclose(head.tip(q + [0, 0.3]), along @ head.tip(q), rtol=0, atol=ROUND_OFF)


def turn_about(point, direction, angle):
    turned = RigidTransform.from_rotation(Rotation.from_rotvec(angle * direction))
    return (shift(*point) * turned * shift(*-point)).as_matrix()


def test_hexels_head_is_the_reports(rng):
    """Swivel about z of the ball plate, tilt about y 120 mm beside it, written out by hand."""
    head = gough.load("hexel-head").head
    for th1, th2 in rng.uniform(-1.5, 1.5, (5, 2)):
        swivel, tilt = Rotation.from_euler("z", th1), Rotation.from_euler("y", th2)
        tip = swivel.apply(np.array([120, 0, 125.1]) + tilt.apply([-120, 0, 180])) - [0, 0, 305.1]
        X = head.tip([th1, th2])
        np.testing.assert_allclose(X[:3, 3], tip * MM, rtol=0, atol=ROUND_OFF)
        np.testing.assert_allclose(X[:3, :3], (swivel * tilt).as_matrix(), rtol=0, atol=ROUND_OFF)


def test_at_zero_the_tip_of_hexels_head_is_the_fixed_tool_tip_of_hexel():
    head, fixed = gough.load("hexel-head"), gough.load("hexel")
    np.testing.assert_allclose(head.head.tip([0, 0]), fixed.X_PT, rtol=0, atol=ROUND_OFF)
    np.testing.assert_array_equal(gough.inverse_kinematics(head, head.home), gough.inverse_kinematics(fixed, head.home))


def test_the_same_head_in_standard_parameters(rng):
    """Modified rows hold a link's length and twist one row later than standard ones do."""
    head = gough.load("hexel-head").head
    down = np.deg2rad(-90)
    rows = (
        HeadJoint(name="swivel", kind="revolute", d=0.1251, a=0.12, alpha=down),
        HeadJoint(name="tilt", kind="revolute", a=-0.12, alpha=-down),
        HeadJoint(name="tip", kind="fixed", d=0.18),
    )
    same = replace(head, joints=rows, convention="standard")
    q = rng.uniform(-1, 1, (3, 1, 2))
    np.testing.assert_allclose(same.tip(q), head.tip(q), rtol=0, atol=ROUND_OFF)
    (point, direction), (place, along) = same.axes(same.frames(q)), head.axes(head.frames(q))
    np.testing.assert_allclose(direction, along, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(np.cross(point - place, along), 0, rtol=0, atol=ROUND_OFF)


def points_as_body(points, masses):
    """A body of point masses, by its definition."""
    centre = masses @ points / masses.sum()
    arm = points - centre
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arm, strict=True))
    return Body(mass=masses.sum(), mass_centre=centre, inertia=inertia)


def test_bodies_are_joined_as_their_particles_are(rng):
    points, masses = rng.normal(size=(9, 3)), rng.uniform(0.1, 2, 9)
    X = (turn("xyz", [0.3, -0.8, 1.1]) * shift(0.4, 0.1, -0.9)).as_matrix()
    own = np.linalg.inv(X)
    first = points_as_body(points[:4], masses[:4])
    second = points_as_body(points[4:] @ own[:3, :3].T + own[:3, 3], masses[4:])
    whole, expected = joined([first, second.seen_from(X)]), points_as_body(points, masses)
    assert whole.mass == pytest.approx(expected.mass, rel=ROUND_OFF)
    np.testing.assert_allclose(whole.mass_centre, expected.mass_centre, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(whole.inertia, expected.inertia, rtol=0, atol=30 * ROUND_OFF)


def test_a_machine_with_its_head_elsewhere_weighs_there():
    m = gough.load("hexel-head")
    tilted = m.with_head([0, np.pi / 2])
    # The spindle's centre, 170 mm from the tip: now 120 mm beside the swivel and across it.
    spindle = np.array([120 + 10, 0, 125.1 + 120 - 305.1])
    fork, plate = np.array([45, 0, 125.1 - 45 - 305.1]), np.array([0, 0, -290.0])
    centre = (45 * plate + 24 * fork + 30 * spindle) / 99 * MM
    np.testing.assert_allclose(tilted.platform.mass_centre, centre, rtol=0, atol=ROUND_OFF)
    assert tilted.platform.mass == pytest.approx(99)
    np.testing.assert_allclose(tilted.point_of_interest, tilted.head.tip()[:3, 3], rtol=0, atol=ROUND_OFF)
    np.testing.assert_array_equal(m.head.q, [0, 0])
    still = np.zeros(6)
    level, other = (gough.inverse_dynamics(machine, m.home, still, still) for machine in (m, tilted))
    assert np.abs(level - other).max() > 10  # newtons: the spindle hangs out by 300 mm
    assert level.sum() == pytest.approx(other.sum(), rel=0.01)
