"""Platform and tool head together: forward and inverse maps, Jacobian, sharing by margins, dynamics."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.errors import InputError
from gough.head import Head, HeadJoint
from gough.machine_parts import Body
from gough.motion.heads.forces import head_dynamics
from gough.motion.heads.kinematics import head_angles, head_jacobian, head_margins, head_pose, platform_under
from gough.motion.heads.motion import UnderTool
from gough.motion.heads.placement import place_tool
from gough.motion.heads.tool_path import follow_tool

TOOL = 1e-12
"""Within which platform and head reproduce a tool pose [m, and of unit vectors]."""
DIFFERENCE = 1e-8
"""Error of central differences of second order with steps of 1e-4 on a machine of a metre, relative."""


@pytest.fixture(scope="module")
def m():
    return gough.load("hexel-head")


@pytest.fixture(scope="module")
def odd():
    """Hexel with a head of three joints, one sliding, in standard parameters, heavy and uneven."""
    rng = np.random.default_rng(5)

    def body():
        L = rng.normal(size=(3, 3))
        J = L @ L.T
        return Body(mass=rng.uniform(5, 20), mass_centre=rng.normal(size=3) * 0.1, inertia=J + np.trace(J) * np.eye(3))

    rows = (
        HeadJoint(name="1", kind="revolute", a=0.1, alpha=0.4, d=0.2, theta=-0.7, minimum=-2, maximum=2, body=body()),
        HeadJoint(name="2", kind="fixed", a=-0.1, alpha=1.4, d=0.1, body=body()),
        HeadJoint(name="3", kind="prismatic", a=0.05, alpha=-0.9, minimum=-0.2, maximum=0.2, body=body()),
        HeadJoint(name="4", kind="revolute", a=0.02, alpha=0.3, d=0.1, minimum=-2, maximum=2, body=body()),
    )
    head = Head(joints=rows, convention="standard", q=np.zeros(3), carrier=body())
    return replace(gough.load("hexel"), name="odd", head=head, platform=head.platform())


def tools(m, rng, count):
    """Poses of the tool within reach: of platforms near home, with the head somewhere."""
    X = gough.frames.displaced(
        m, gough.pose(rng.uniform(-0.05, 0.05, (count, 3)), rng.uniform(-0.1, 0.1, (count, 3)), "xyz")
    )
    joints = rng.uniform(0.7 * m.head.joint_min, 0.7 * m.head.joint_max, (count, len(m.head.moving)))
    return head_pose(m, X, joints).as_matrix(), joints


@pytest.mark.parametrize("name", ["m", "odd"])
def test_legs_and_head_together_reproduce_a_tool_pose(name, request, rng):
    """There and back by all of the machine: tool, platform under it, leg lengths, forward kinematics, tool."""
    machine = request.getfixturevalue(name)
    tips, joints = tools(machine, rng, 20)
    X = platform_under(machine, tips, joints).as_matrix()
    q = gough.inverse_kinematics(machine, X)
    again = gough.forward_kinematics(machine, q, near=X).matrix
    np.testing.assert_allclose(head_pose(machine, again, joints).as_matrix(), tips, rtol=0, atol=TOOL)


@pytest.mark.parametrize("name", ["m", "odd"])
def test_a_placed_tool_is_where_it_was_asked_for(name, request, rng):
    machine = request.getfixturevalue(name)
    tips, _ = tools(machine, rng, 2)
    for tip in tips:
        found = place_tool(machine, tip)
        q = gough.inverse_kinematics(machine, found.matrix)
        X = gough.forward_kinematics(machine, q, near=found.matrix).matrix
        np.testing.assert_allclose(head_pose(machine, X, found.joints).as_matrix(), tip, rtol=0, atol=TOOL)
        pointed = place_tool(machine, point=tip[:3, 3], axis=3 * tip[:3, 2])
        reached = head_pose(machine, pointed.matrix, pointed.joints).as_matrix()
        np.testing.assert_allclose(reached[:3, 2:], tip[:3, 2:], rtol=0, atol=TOOL)
        assert pointed.margin >= found.margin - TOOL, "a tool that may roll has more ways"


@pytest.mark.parametrize("name", ["m", "odd"])
def test_the_jacobian_is_what_differences_say(name, request, rng):
    machine, h = request.getfixturevalue(name), 1e-4
    X, q = machine.X_home, 0.3 * machine.head.joint_max
    J = head_jacobian(machine, X, q)
    for k in range(J.shape[1]):
        step = np.zeros(J.shape[1])
        step[k] = h
        ends = [moved(machine, X, q, sign * step) for sign in (1, -1)]
        v = (ends[0][:3, 3] - ends[1][:3, 3]) / (2 * h)
        w = Rotation.from_matrix(ends[0][:3, :3] @ ends[1][:3, :3].T).as_rotvec() / (2 * h)
        np.testing.assert_allclose(J[:, k], np.append(v, w), rtol=0, atol=DIFFERENCE)
    by_legs = head_jacobian(machine, X, q, rates="legs")
    np.testing.assert_allclose(by_legs[:, :6] @ gough.jacobian(machine, X), J[:, :6], rtol=0, atol=1e-10)
    np.testing.assert_array_equal(by_legs[:, 6:], J[:, 6:])


def moved(machine, X, q, step):
    Y = X.copy()
    Y[:3, 3] += step[:3]
    Y[:3, :3] = Rotation.from_rotvec(step[3:6]).as_matrix() @ X[:3, :3]
    return head_pose(machine, Y, q + step[6:]).as_matrix()


def test_the_head_points_in_closed_form_where_the_platform_keeps_its_orientation(m, rng):
    axis = rng.normal(size=(40, 3))
    X = gough.pose(np.zeros((40, 3)), rng.uniform(-0.5, 0.5, (40, 3)), "xyz").as_matrix()
    found = head_angles(m, X, axis)
    for solution in np.moveaxis(found, 1, 0):
        pointed = head_pose(m, X, solution).as_matrix()[:, :3, 2]
        np.testing.assert_allclose(pointed, axis / np.linalg.norm(axis, axis=1, keepdims=True), rtol=0, atol=TOOL)
    assert np.abs(found[:, 0] - found[:, 1]).max(axis=1).min() > 0.1, "two ways, not one twice"
    np.testing.assert_allclose(head_angles(m, np.eye(4), [0, 0, 1], [0.7, 0.1])[:, 0], 0.7)  # the swivel turns nothing


def test_where_the_closed_form_points_nowhere(m, rng):
    skew = tuple(replace(joint, alpha=np.deg2rad(-30)) if joint.name == "tilt" else joint for joint in m.head.joints)
    machine = replace(m, head=replace(m.head, joints=skew))
    assert np.isnan(head_angles(machine, np.eye(4), [1, 0, -1])).all()
    axis = rng.normal(size=(40, 3))
    found = head_angles(machine, np.eye(4), axis)
    is_met = np.isfinite(found).all(axis=(1, 2))
    assert 0 < is_met.sum() < len(axis)
    for solution in np.moveaxis(found[is_met], 1, 0):
        pointed = head_pose(machine, np.tile(np.eye(4), (len(solution), 1, 1)), solution).as_matrix()[:, :3, 2]
        expected = axis[is_met] / np.linalg.norm(axis[is_met], axis=1, keepdims=True)
        np.testing.assert_allclose(pointed, expected, rtol=0, atol=TOOL)
    with pytest.raises(InputError, match="has no tool head"):
        head_angles(gough.load("hexel"), np.eye(4), [0, 0, 1])


@pytest.mark.parametrize("axis", [[0, 0, 1], [0.3, 0.2, 1], [1, 0, 0.2]])
def test_no_other_way_among_fifty_thousand_is_farther_from_all_limits(m, axis, rng):
    found = place_tool(m, point=[0.05, 0, 0.85], axis=axis)
    count = 50_000
    joints = rng.uniform(m.head.joint_min, m.head.joint_max, (count, 2))
    roll = Rotation.from_euler("z", rng.uniform(-np.pi, np.pi, (count, 1)))
    tips = np.tile(found.tip, (count, 1, 1))
    tips[:, :3, :3] = (Rotation.from_matrix(found.tip[:3, :3]) * roll).as_matrix()
    relative = gough.margins(m, tips @ np.linalg.inv(m.head.tip(joints))).relative
    of_head = 1 - np.abs(joints / m.head.joint_max)  # its ranges are symmetric
    brute = np.minimum(np.nanmin(relative, axis=1), of_head.min(axis=1)).max()
    assert brute - 1e-9 < found.margin < brute + 0.02


@pytest.mark.parametrize("side", [-1, 1])
def test_of_two_settings_of_a_head_the_one_near_its_present_joints_counts(m, side):
    """A swivel half a turn on with the opposite tilt points alike: both hold the tool with the same margins."""
    rows = (
        HeadJoint(name="swivel", kind="revolute", d=0.1, minimum=-np.pi, maximum=np.pi),
        HeadJoint(name="tilt", kind="revolute", alpha=-np.pi / 2, minimum=-0.5, maximum=0.5),
        HeadJoint(name="tip", kind="fixed", alpha=np.pi / 2, d=0.05),
    )
    present = side * np.deg2rad([80.0, 20.0])
    head = Head(joints=rows, convention="modified", q=present)
    machine = replace(m, head=head, platform=None)
    found = place_tool(machine, point=[0.02, 0.01, 0.85], axis=[0.05, 0.8, 1.0])
    other = found.joints * [1, -1] - [np.sign(found.joints[0]) * np.pi, 0]
    tips = head_pose(machine, found.matrix, np.stack([found.joints, other])).as_matrix()
    np.testing.assert_allclose(tips[0], tips[1] @ np.diag([-1.0, -1, 1, 1]), atol=1e-12)
    both = head_margins(machine, found.matrix, np.stack([found.joints, other])).relative
    assert np.nanmin(both, axis=-1) == pytest.approx(found.margin)
    far = np.linalg.norm((np.stack([found.joints, other]) - present) / head.joint_max, axis=1)
    assert far[0] < far[1]


@pytest.fixture(scope="module")
def cone(m):
    """Round a bead on a cone, the tool leaning outwards by 40 deg all the way: points, axes, the track."""
    s = np.linspace(0, 2 * np.pi, 25)
    points = np.stack([0.04 * np.cos(s), 0.04 * np.sin(s), np.full_like(s, 0.85)], axis=1)
    axes = np.stack([0.64 * np.cos(s), 0.64 * np.sin(s), np.full_like(s, 0.77)], axis=1)
    seen = []
    track = follow_tool(m, points=points, axes=axes, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (50, 50)
    return points, axes, track


def test_a_tool_path_is_followed_without_jumps(m, cone):
    points, axes, track = cone
    assert track.is_allowed.all()
    assert str(track).startswith("all 25 poses of the tool are held; ")
    away = track.matrix.copy()
    away[0, 2, 3] += 1.0
    missed = replace(track, matrix=away)
    assert str(missed) == "1 of 25 poses of the tool cannot be held on this path"
    tip = head_pose(m, track.matrix, track.joints).as_matrix()
    np.testing.assert_allclose(tip, track.tip, rtol=0, atol=TOOL)
    np.testing.assert_allclose(tip[:, :3, 3], points, rtol=0, atol=TOOL)
    np.testing.assert_allclose(np.cross(tip[:, :3, 2], axes), 0, rtol=0, atol=TOOL)
    ranges = m.head.joint_max - m.head.joint_min
    assert (np.abs(np.diff(track.joints, axis=0)) <= 0.05 * ranges + TOOL).all()
    assert np.abs(np.diff(track.matrix[:, :3, 3], axis=0)).max() < 0.1


def test_the_platform_under_a_moving_tool_is_exact_between_the_poses_too(m, cone):
    _, _, track = cone
    time = np.linspace(0, 6, 25)
    platform, head = track.in_time(time)
    t, h = np.linspace(0.3, 5.7, 31), 1e-4
    before, (X, V, A), after = (platform(t + k * h) for k in (-1, 0, 1))
    tip = head_pose(m, X, head(t)[0]).as_matrix()
    np.testing.assert_allclose(tip, platform.tip(t)[0], rtol=0, atol=TOOL)
    np.testing.assert_allclose(np.linalg.norm(tip[:, :2, 3], axis=1), 0.04, rtol=0, atol=1e-6)
    np.testing.assert_allclose((after[0] - before[0])[:, :3, 3] / (2 * h), V[:, :3], rtol=0, atol=1e-6)
    spin = Rotation.from_matrix(after[0][:, :3, :3] @ np.swapaxes(before[0][:, :3, :3], 1, 2)).as_rotvec() / (2 * h)
    np.testing.assert_allclose(spin, V[:, 3:], rtol=0, atol=1e-6)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), A, rtol=0, atol=1e-3)
    J = head_jacobian(m, X, head(t)[0])
    rates = np.concatenate([V, head(t)[1]], axis=1)
    np.testing.assert_allclose((J @ rates[..., None])[..., 0], platform.tip(t)[1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_sliding_heads_move_under_a_tool_too(odd, convention, rng):
    """Straight from the definition, by differences: a tip that goes its way while three joints of both kinds move."""
    machine = replace(odd, head=replace(odd.head, convention=convention))
    tip, joints = motion_of(rng, machine)
    platform, t, h = UnderTool(machine, tip, joints), 0.4, 1e-4
    before, (X, V, A), after = (platform(t + k * h) for k in (-1, 0, 1))
    np.testing.assert_allclose(head_pose(machine, X, joints(t)[0]).as_matrix(), tip(t)[0], rtol=0, atol=TOOL)
    np.testing.assert_allclose((after[0] - before[0])[:3, 3] / (2 * h), V[:3], rtol=0, atol=1e-6)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), A, rtol=0, atol=1e-5)


def motion_of(rng, machine):
    """Smooth motion of platform and head with nothing at rest: states and joints at times."""
    start, direction = machine.X_home, rng.normal(size=6) * [0.1, 0.1, 0.1, 0.4, 0.4, 0.4]
    platform = gough.dynamics.CosineMotion(start, direction, 0.3, half_period=1.0)
    swing = rng.normal(size=(len(machine.head.moving), 2))

    def joints(t):
        t = np.asarray(t)[..., None]
        a, b = swing.T
        return a * np.sin(3 * t) + b * t, 3 * a * np.cos(3 * t) + b, -9 * a * np.sin(3 * t)

    return platform, joints


def momentum(machine, platform, joints, t, h):
    """Linear momentum and angular momentum about the base's origin (6,) of the head's bodies, by differences."""
    total = np.zeros(6)
    links = [platform(s)[0] @ machine.head.frames(joints(s)[0]) for s in (t - h, t, t + h)]
    for i, joint in enumerate(machine.head.joints):
        if joint.body is None:
            continue
        before, now, after = (link[i + 1] for link in links)
        c = now[:3, :3] @ joint.body.mass_centre + now[:3, 3]
        shift = (after - before)[:3, :3] @ joint.body.mass_centre + (after - before)[:3, 3]
        w = Rotation.from_matrix(after[:3, :3] @ before[:3, :3].T).as_rotvec() / (2 * h)
        p = joint.body.mass * shift / (2 * h)
        spin = now[:3, :3] @ joint.body.inertia @ now[:3, :3].T @ w
        total += np.concatenate([p, np.cross(c, p) + spin])
    return total


def weight(machine, X, q):
    """Weight of the head's bodies and its moment about the base's origin (6,)."""
    total = np.zeros(6)
    for joint, link in zip(machine.head.joints, (X @ machine.head.frames(q))[1:], strict=True):
        if joint.body is not None:
            c = link[:3, :3] @ joint.body.mass_centre + link[:3, 3]
            f = joint.body.mass * machine.gravity
            total += np.concatenate([f, np.cross(c, f)])
    return total


@pytest.mark.parametrize("name", ["m", "odd"])
def test_what_the_platform_gives_the_head_is_its_change_of_momentum(name, request, rng):
    machine, t, h = request.getfixturevalue(name), 0.37, 1e-4
    platform, joints = motion_of(rng, machine)
    change = (momentum(machine, platform, joints, t + h, h) - momentum(machine, platform, joints, t - h, h)) / (2 * h)
    X, V, A = platform(t)
    q, qd, qdd = joints(t)
    found = head_dynamics(machine, X, V, A, q, qd, qdd)
    given = change - weight(machine, X, q)
    given[3:] -= np.cross(X[:3, 3], given[:3])
    np.testing.assert_allclose(-found.wrench, given, rtol=0, atol=1e-5 * np.abs(given).max())


@pytest.mark.parametrize("name", ["m", "odd"])
def test_energy_changes_by_the_power_of_legs_and_head_drives(name, request, rng):
    machine, t, h = request.getfixturevalue(name), 0.37, 1e-3
    platform, joints = motion_of(rng, machine)

    def energy(s):
        X, V, _ = platform(s)
        q, _, _ = joints(s)
        total = kinetic(machine.head.carrier, X, V) + potential(machine.head.carrier, X, machine.gravity)
        links, step = X @ machine.head.frames(q), 1e-5
        around = [platform(s + e)[0] @ machine.head.frames(joints(s + e)[0]) for e in (step, -step)]
        for i, joint in enumerate(machine.head.joints):
            if joint.body is not None:
                rate = (around[0][i + 1] - around[1][i + 1]) / (2 * step)
                W = rate[:3, :3] @ links[i + 1, :3, :3].T
                V_link = np.append(rate[:3, 3], [W[2, 1], W[0, 2], W[1, 0]])
                total += kinetic(joint.body, links[i + 1], V_link) + potential(
                    joint.body, links[i + 1], machine.gravity
                )
        return total

    X, V, A = platform(t)
    q, qd, qdd = joints(t)
    found = head_dynamics(machine, X, V, A, q, qd, qdd)
    power = found.force @ gough.joint_rates(machine, X, V) + found.effort @ qd
    slope = (energy(t + h) - energy(t - h)) / (2 * h)
    finer = (energy(t + h / 2) - energy(t - h / 2)) / h
    assert power == pytest.approx((4 * finer - slope) / 3, rel=1e-6)  # Richardson


def kinetic(body, X, V):
    R = X[:3, :3]
    v = V[:3] + np.cross(V[3:], R @ body.mass_centre)
    return 0.5 * body.mass * v @ v + 0.5 * V[3:] @ R @ body.inertia @ R.T @ V[3:]


def potential(body, X, gravity):
    return -body.mass * gravity @ (X[:3, :3] @ body.mass_centre + X[:3, 3])


def test_a_head_at_rest_is_part_of_the_platform(m, rng):
    q = np.array([0.4, -0.9])
    X, V, A = gough.dynamics.CosineMotion(m.X_home, rng.normal(size=6) * 0.1, 0.3)(np.linspace(0.1, 1, 4))
    wrench = rng.normal(size=6) * 100
    held = m.with_head(q)
    expected = gough.inverse_dynamics(held, X, V, A, wrench, point=held.point_of_interest)
    found = head_dynamics(m, X, V, A, q, wrench=wrench)
    np.testing.assert_allclose(found.force, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    assert found.effort.shape == (4, 2)
