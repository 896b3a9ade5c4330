"""Every statement of De Sapio's report that a number can check, beyond those of its appendices B to D at tilted poses
(`test_desapio_golden.py`): geometry, head, envelopes, paths, maps."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.references import desapio1998 as report

import gough
from gough import motion
from gough.motion.joint_space import JointSpacePath, incremental_forward, straightness

M = gough.load("hexel")
ROUND_OFF = 1e-12
"""Of lengths of about a metre, in m, and of numbers of order one."""
SOLVED = 1e-9
"""Of what an iteration or a linear system finds."""
TILTED = np.array([0.15, -0.1, 0.3])
"""alpha, beta, gamma [rad]"""
HEIGHT = 0.8
"""[m]"""


def pose(p):
    return gough.from_convention("hexel", np.asarray(p[:3]) * 1e-3, p[3:], degrees=False)


def test_the_points_are_those_of_the_programs():
    np.testing.assert_allclose(1e3 * M.legs.a_B, report.FEET, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(1e3 * M.b_P, report.BALLS, rtol=0, atol=ROUND_OFF)


def test_lengths_of_two_hundred_poses_and_the_rotation_of_both_conventions(rng):
    p = np.column_stack(
        [rng.uniform(-150, 150, (200, 2)), rng.uniform(650, 900, 200), rng.uniform(-0.5, 0.5, (200, 3))]
    )
    X = np.stack([pose(row).as_matrix() for row in p])
    found = 1e3 * gough.inverse_kinematics(M, X)
    np.testing.assert_allclose(found, [report.lengths(row) for row in p], rtol=ROUND_OFF)
    back = [gough.to_convention("hexel", each, degrees=False) for each in X]
    np.testing.assert_allclose(
        [[*(1e3 * np.asarray(each.translation)), *each.angles] for each in back], p, rtol=0, atol=SOLVED
    )
    # "We will use a Z-Y-Z Euler set": Rz(alpha) Ry(beta) Rz(gamma).
    (s1, s2, s3), (c1, c2, c3) = np.sin(p[:, 3:].T), np.cos(p[:, 3:].T)
    zyz = np.array([
        [c1 * c2 * c3 - s1 * s3, -c1 * c2 * s3 - s1 * c3, c1 * s2],
        [s1 * c2 * c3 + c1 * s3, -s1 * c2 * s3 + c1 * c3, s1 * s2],
        [-s2 * c3, s2 * s3, c2],
    ])  # fmt: skip
    R = gough.pose_matrix(np.zeros((200, 3)), p[:, 3:], "ZYZ")[:, :3, :3]
    np.testing.assert_allclose(R, np.moveaxis(zyz, -1, 0), rtol=0, atol=ROUND_OFF)


# The head: figures 7 to 9, table 1


@pytest.mark.parametrize("theta", [(0.0, 0.0), (0.4, -0.7), (-2.1, 1.3)])
def test_the_head_is_that_of_table_1_and_carries_the_ball_joints(theta):
    m = gough.load("hexel-head")
    plate = pose([30, -40, 780, *TILTED])
    star = np.eye(4)
    star[:3, 3] = report.BALL_PLATE * 1e-3
    in_m = report.head(*theta)
    in_m[:3, 3] *= 1e-3
    tip = motion.heads.head_pose(m, plate, theta).as_matrix()
    np.testing.assert_allclose(tip, plate.as_matrix() @ star @ in_m, rtol=0, atol=ROUND_OFF)
    balls = m.b_P @ plate.as_matrix()[:3, :3].T + plate.as_matrix()[:3, 3]
    in_tool = (balls - tip[:3, 3]) @ tip[:3, :3]
    np.testing.assert_allclose(1e3 * in_tool, report.balls_in_tool(*theta), rtol=0, atol=1e3 * ROUND_OFF)
    back = motion.heads.platform_under(m, tip, theta).as_matrix()
    np.testing.assert_allclose(back, plate.as_matrix(), rtol=0, atol=ROUND_OFF)


# Paths: x(t), ..., gamma(t); via points


def course(t):
    """Coordinates [mm, rad] and their rates at time t [s]."""
    s, c = np.sin(t), np.cos(t)
    p = np.array([60 * s, 40 * c, 780 + 30 * s * c, 0.2 * s, -0.15 * c, 0.3 * s**2])
    return p, np.array([60 * c, -40 * s, 30 * (c * c - s * s), 0.2 * c, 0.15 * s, 0.6 * s * c])


def test_lengths_and_rates_of_any_path_of_the_six_coordinates():
    def function(t):
        p = np.moveaxis(np.array([course(each)[0] for each in np.ravel(t)]), -1, 0)
        x, y, z, a, b, c = p
        return np.stack([1e-3 * x, 1e-3 * y, 1e-3 * z, b, a, c], axis=-1)  # the sequence is Y X Z

    path = motion.coordinates(function, "YXZ", (0.0, 3.0))
    times = np.linspace(0.1, 2.9, 15)
    legs = motion.leg_motion(M, path, times)
    known = [course(t) for t in times]
    np.testing.assert_allclose(1e3 * legs["joint"], [report.lengths(p) for p, _ in known], rtol=ROUND_OFF)
    rates = [report.inverse_jacobian(p) @ v for p, v in known]
    np.testing.assert_allclose(
        1e3 * legs["joint_rate"], rates, rtol=0, atol=1e-6
    )  # derivatives of the function by differences


VIAS = np.array([[0, 0, 800, 0, 0, 0], [50, 20, 790, 0.1, 0, 0], [100, 0, 800, 0, 0.1, 0.1]])


def test_via_points_linear_in_strut_space():
    path = JointSpacePath(M, np.stack([pose(p).as_matrix() for p in VIAS]))
    known = np.array([report.lengths(p) for p in VIAS])
    a, b, c = path.knots
    for (low, high), (start, end) in zip(((a, b), (b, c)), ((0, 1), (1, 2)), strict=True):
        for part in (0.0, 0.3, 0.8, 1.0):
            q = 1e3 * gough.inverse_kinematics(M, path(low + part * (high - low))[0])
            np.testing.assert_allclose(q, (1 - part) * known[start] + part * known[end], rtol=0, atol=1e-6)


def test_velocities_at_via_points_by_the_inverse_jacobian():
    twists = np.array([[0, 0, 0, 0, 0, 0], [10, 5, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0.0]])  # [mm/s], without rotation
    path = JointSpacePath(M, np.stack([pose(p).as_matrix() for p in VIAS]), twists * 1e-3)
    rate = motion.leg_motion(M, path, path.knots[1:2])["joint_rate"]
    np.testing.assert_allclose(1e3 * rate[0], report.inverse_jacobian(VIAS[1]) @ twists[1], rtol=0, atol=1e-6)


@pytest.mark.parametrize(("pieces", "off"), [(1, 2117), (2, 533)])
def test_linear_struts_do_not_lead_straight(pieces, off):
    """Quoted: "interpolation in strut space would yield straight-line Cartesian motion": by Newton's method on the
    program's lengths the tool leaves its line of 100 mm by this much [um]."""
    ends = np.linspace([0, 0, 800, 0, 0, 0], [100, 0, 800, 0, 0, 0], pieces + 1)
    largest = 0.0
    for start, end in pairwise(ends):
        p = start
        for s in np.linspace(0, 1, 41):
            wanted = (1 - s) * report.lengths(start) + s * report.lengths(end)
            for _ in range(5):
                p = p + np.linalg.solve(report.inverse_jacobian(p), wanted - report.lengths(p))
            largest = max(largest, 1e3 * np.hypot(p[1], p[2] - 800))
    found = straightness(M, np.stack([pose(p).as_matrix() for p in ends]))
    assert largest == pytest.approx(off, abs=1)
    assert 1e6 * found.largest.max() == pytest.approx(off, abs=1)
    assert 1e6 * found.largest.max() >= largest - 1e-6  # between the samples of the yardstick


# Appendix A: figures 14, 16, 17


@pytest.mark.parametrize("angles", [np.zeros(3), TILTED])
def test_the_programs_ends_are_within_their_steps_of_the_envelopes(angles):
    low, high = report.lower_envelope(angles), report.upper_envelope(angles)
    R = pose([0, 0, 800, *angles])
    found = gough.workspace(M, R, x=1e-3 * report.GRID, y=1e-3 * report.GRID)
    both = (low > high) & np.isfinite(found.upper)
    assert both.sum() == (1349 if not angles.any() else 1140)
    below, above = (1e3 * found.upper - low)[both], (high - 1e3 * found.lower)[both]
    assert (below >= -1e-6).all()  # the program is inside
    assert (above >= -1e-6).all()
    assert below.max() <= 5 + 1e-6
    assert above.max() <= 10 + 1e-6


def test_each_limit_alone_and_the_volume():
    """The strut limit alone ends 1985 columns, the angle and the least z alone every one of 2401."""
    low, high = report.lower_envelope(np.zeros(3)), report.upper_envelope(np.zeros(3))
    names = gough.margins(M, M.home).names
    others = tuple(name for name in names if "longest" not in name)
    assert len(others) == len(names) - 6
    z = (0.0, 1.8)
    grid = {"x": 1e-3 * report.GRID, "y": 1e-3 * report.GRID, "z": z}
    struts = gough.workspace(M, **grid, ignore=others)
    is_reached = low > 0
    assert is_reached.sum() == 1985
    off = (1e3 * struts.upper - low)[is_reached]
    assert off.min() >= -1e-6
    assert off.max() <= 5 + 1e-6
    plates = gough.workspace(M, **grid, ignore=tuple(name for name in names if name not in others))
    off = (high - 1e3 * plates.lower)[high <= 1790]
    assert (high <= 1790).all()
    assert off.min() >= -1e-6
    assert off.max() <= 10 + 1e-6
    within = np.maximum(low - high, 0).sum() * 25**2 * 1e-6  # [litres]
    exact = gough.workspace(M)
    assert within == pytest.approx(242.5, abs=0.1)
    assert within < 1e3 * exact.volume == pytest.approx(248.9, abs=0.2)


# Appendix B: figures 19, 20


@pytest.mark.parametrize("p", [[0, 0, 800, 0, 0, 0], [60, -40, 760, 0.1, -0.1, 0.2]])
def test_the_velocity_envelope_over_the_programs_directions(p):
    directions = report.unit_vectors().reshape(-1, 3)
    J = report.inverse_jacobian(np.array(p, dtype=float))[:, :3]
    program = report.TOP_SPEED / np.abs(directions @ J.T).max(axis=1)
    envelope = gough.velocity_envelope(M, pose(p))
    np.testing.assert_allclose(1e3 * envelope.speed(directions), program, rtol=1e-11)


def test_a_pose_outside_the_envelope_names_its_struts():
    p = np.array([350.0, 200, 1050, 0, 0, 0])
    too_long = [str(k + 1) for k in np.flatnonzero(report.lengths(p) > report.LONGEST)]
    found = gough.margins(M, pose(p))
    assert too_long
    assert not found.is_allowed
    for number in too_long:
        assert any(f"leg {number}" in sentence for sentence in found.sentences())


def test_maps_over_the_workspace_are_the_programs_at_their_points():
    """Figure 20, and the maps of the introduction: speeds along x, y and z, and principal stiffnesses, at every point
    of a grid."""
    grid = {"x": [-0.05, 0.1], "y": [0.03], "z": [0.7, 0.8]}
    speeds = gough.workspaces.velocity_map(M, directions=np.eye(3), **grid)
    stiff = gough.statics.stiffness_map(M, **grid)
    name = next(name for name in speeds if "direction" in speeds[name].dims)
    for x in grid["x"]:
        for z in grid["z"]:
            p = 1e3 * np.array([x, 0.03, z, 0, 0, 0])
            at = {"x": x, "y": 0.03, "z": z}
            program = [report.top_speed(p, e) for e in np.eye(3)]
            np.testing.assert_allclose(1e3 * speeds[name].sel(at, method="nearest"), program, rtol=1e-11)
            K = report.stiffness(p)  # [N/mm, N; N, N mm]: at zero angles those of rotations about x, y, z
            A, B, D = K[:3, :3], K[:3, 3:], K[3:, 3:]
            held, free = np.linalg.eigvalsh(A), np.linalg.eigvalsh(D - B.T @ np.linalg.solve(A, B))
            found = stiff.sel(at, method="nearest")
            np.testing.assert_allclose(found["translation"], 1e3 * held, rtol=1e-11)
            np.testing.assert_allclose(found["rotation"], 1e-3 * free, rtol=1e-11)


# Appendix D: figures 22, 23


def test_the_animators_errors_and_frames():
    moves, start = np.array([15.0, -10, 12, 5, -8, 9]), np.array([10, -20, 790, 0.1, -0.05, 0.15])
    end = report.forward(start, moves)
    missed = report.lengths(start) + moves - report.lengths(end)  # "Lerror", which it prints in microns
    found = incremental_forward(M, pose(start), moves * 1e-3)
    assert len(found.matrix) == 51  # the start, and 50 increments
    reached = 1e3 * gough.inverse_kinematics(M, found.matrix[-1])
    np.testing.assert_allclose(report.lengths(start) + moves - reached, missed, rtol=0, atol=1e-10)
    exact = gough.forward_kinematics(M, gough.inverse_kinematics(M, pose(start)) + moves * 1e-3, near=pose(start))
    off = 1e6 * np.linalg.norm(exact.matrix[:3, 3] - found.matrix[-1, :3, 3])
    assert off == pytest.approx(1e6 * found.position_error[-1], abs=1e-3)


@pytest.mark.parametrize("name", ["rotopod", "hexaglide"])
def test_the_variants_go_through_the_same_analyses(name):
    """Figure 24: inverse and forward kinematics, speed, stiffness, dynamics, by differences of the inverse."""
    m = gough.load(name)
    X = gough.frames.displaced(m, gough.pose([0.005, -0.004, 0.003], [2, -1, 3], "XYZ", degrees=True)).as_matrix()
    J, h = gough.jacobian(m, X), 1e-5
    for k in range(6):
        step = np.eye(6)[k] * h
        ends = []
        for sign in (1, -1):
            moved = X.copy()
            moved[:3, 3] += sign * step[:3]
            moved[:3, :3] = Rotation.from_rotvec(sign * step[3:]).as_matrix() @ X[:3, :3]
            ends.append(gough.inverse_kinematics(m, moved))
        np.testing.assert_allclose(J[:, k], (ends[0] - ends[1]) / (2 * h), atol=1e-7)
    K = gough.stiffness(m, X)
    arms = m.b_P @ X[:3, :3].T
    rods = arms + X[:3, 3] - m.legs.driven_points(gough.inverse_kinematics(m, X))
    u = rods / np.linalg.norm(rods, axis=1, keepdims=True)
    screws = np.hstack([u, np.cross(arms, u)])
    drives = m.actuators
    parts = (drives.stiffness, drives.base_joint_stiffness, drives.platform_joint_stiffness)
    expected = screws.T @ np.diag(1 / sum(1 / part for part in parts)) @ screws  # in series
    np.testing.assert_allclose(K, expected, rtol=0, atol=SOLVED * abs(K).max())
    force = gough.inverse_dynamics(m, X, np.zeros(6), np.zeros(6))
    rise = [sum_of_heights(m, X, k) for k in range(6)]
    np.testing.assert_allclose(J.T @ force, rise, rtol=0, atol=1e-5 * abs(np.array(rise)).max())


def sum_of_heights(m, X, k):
    """Derivative of the potential energy [J] along one displacement, by differences."""
    ends = []
    for sign in (1, -1):
        moved = X.copy()
        step = sign * 1e-5 * np.eye(6)[k]
        moved[:3, 3] += step[:3]
        moved[:3, :3] = Rotation.from_rotvec(step[3:]).as_matrix() @ X[:3, :3]
        ends.append(gough.dynamics.potential_energy(m, moved))
    return (ends[0] - ends[1]) / 2e-5
