"""Inverse kinematics and Jacobians against published figures and independent codes, to the digits they show.

The JSON files beside this one say in `about` and `made_with` how they were made; no number here comes from Gough.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.assembly.machines import DIETMAIER_BASE, DIETMAIER_LENGTHS, DIETMAIER_PLATFORM

import gough
from gough.description.build import from_document
from gough.description.parse import machine_text, parse

HERE = Path(__file__).parent
INCH = 0.0254
MILLIMETRE = 1e-3
MICROMETRE = 1e-6
NANOMETRE = 1e-9
PRINTED = 0.5000001
"""Half a unit of the last printed digit, and its own rounding."""


def truth(name):
    return json.loads((HERE / f"{name}.json").read_text())


def lengths_at(name, translation, angles=None, sequence=None, unit=INCH):
    pose = gough.pose_matrix(np.array(translation) * unit, angles, sequence, degrees=True)
    return gough.inverse_kinematics(gough.load(name), pose) / unit


# The Hexel machine: V. De Sapio's appendices A to D, evaluated step by step.


def test_hexel_lengths_and_inverse_jacobian():
    hexel, m = truth("hexel"), gough.load("hexel")
    np.testing.assert_allclose(gough.inverse_kinematics(m, m.home), np.array(hexel["lengths"]) * MILLIMETRE, rtol=1e-14)
    J = gough.jacobian(m, m.home)
    # At zero angles the report's R = Ry(b) Rx(a) Rz(c) turns about x, y and z by a, b and c.
    J[:, 3:] /= MILLIMETRE
    np.testing.assert_allclose(J, hexel["inverse_jacobian"], rtol=1e-12, atol=1e-12)


def test_hexel_lengths_where_the_report_arrives():
    """Its forward steps end where the legs miss their displacements by what it prints as errors."""
    hexel, m = truth("hexel"), gough.load("hexel")
    a, b, c = hexel["fk_angles"]
    end = gough.pose_matrix(np.array(hexel["fk_position"]) * MILLIMETRE, [b, a, c], "YXZ")
    reached = gough.inverse_kinematics(m, end) / MILLIMETRE - np.array(hexel["lengths"])
    missed = np.array(hexel["fk_displacement"]) - reached
    np.testing.assert_allclose(np.abs(missed), np.abs(hexel["fk_error"]), rtol=1e-9, atol=1e-12)  # of 600 mm


# LinuxCNC's default hexapod: genhexkins, double precision.


@pytest.mark.parametrize(
    ("translation", "angles_zyx", "lengths"),
    [
        (
            (0, 0, 20),
            (0, 0, 0),
            (29.746680487, 29.746680487, 29.746714726, 29.746363425, 29.746363425, 29.746714726),
        ),
        (
            (1, 2, 20.5),
            (2, -3, 5),
            (31.085467435, 30.376591426, 28.308765735, 32.034909924, 30.17116351, 28.992798286),
        ),
    ],
)
def test_linuxcnc_lengths_to_nine_digits(translation, angles_zyx, lengths):
    q = lengths_at("linuxcnc", translation, angles_zyx, "ZYX")
    np.testing.assert_allclose(q, lengths, atol=PRINTED * 1e-9, rtol=0)


@pytest.mark.parametrize(
    ("translation", "angles_xyz", "lengths"),
    [
        ((1, 2, 22), (5, -3, 10), (31.057007, 32.570519, 28.430544, 34.230374, 30.065788, 31.176462)),
        ((0, 0, 20), (10, 0, 0), (31.134755, 31.134755, 29.137207, 29.055447, 29.055447, 29.137207)),
    ],
)
def test_linuxcnc_lengths_as_its_users_command_them(translation, angles_xyz, lengths):
    """Its A, B and C turn about the fixed axes x, y and z: R = Rz(C) Ry(B) Rx(A)."""
    q = lengths_at("linuxcnc", translation, angles_xyz, "xyz")
    np.testing.assert_allclose(q, lengths, atol=PRINTED * 1e-6, rtol=0)


def test_linuxcnc_determinant():
    """Angles in rad, lengths in inch."""
    m = gough.load("linuxcnc")
    det = np.linalg.det(gough.jacobian(m, m.home)) / INCH**3
    assert det == pytest.approx(-9821.2023, abs=PRINTED * 1e-4)


# Rubin Observatory: a unit test of ts_mthexapod with rings in place of the telescope's plates.


def test_rubin_ring():
    start = 10.0
    moved = ring(1.2e6, [start, *[start + 120] * 2, *[start + 240] * 2, start], z=0.0)
    fixed = ring(2.3e6, [*[start + 60] * 2, *[start + 180] * 2, *[start + 300] * 2], z=0.81e6)
    m = gough.from_points(fixed * MICROMETRE, moved * MICROMETRE, home=np.eye(4))
    displaced = gough.pose_matrix(np.array([500.0, -3020.0, 2500.0]) * MICROMETRE)
    changes = gough.inverse_kinematics(m, displaced) - gough.inverse_kinematics(m, m.home)
    published = [1895.25, 443.86, -2443.52, 515.74, -2268.74, -3776.62]
    # The third is -2443.525 to another digit: the source cuts it, so a whole last digit is allowed.
    np.testing.assert_allclose(changes / MICROMETRE, published, atol=0.01, rtol=0)


def ring(radius, degrees, z):
    angle = np.deg2rad(degrees)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(6, z)], axis=1)


@pytest.mark.parametrize("name", ["rubin-camera", "rubin-m2"])
def test_rubin_pivot_rule(name):
    """Change = |(xyz + pivot) + R (base - pivot) - mirror| - |base - mirror|, with R = Rx(u) Ry(v) Rz(w)."""
    m = gough.load(name)
    mirror, base, pivot = m.legs.rest(), m.b_P, m.point_of_interest
    xyz = np.array([1.5e-3, -2.5e-3, 4e-3])
    R = Rotation.from_euler("XYZ", [0.1, -0.08, 0.03], degrees=True).as_matrix()
    change = np.linalg.norm(xyz + pivot + (base - pivot) @ R.T - mirror, axis=1) - np.linalg.norm(base - mirror, axis=1)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, xyz + pivot - R @ pivot
    q = gough.inverse_kinematics(m, X) - gough.inverse_kinematics(m, m.home)
    np.testing.assert_allclose(q, change, atol=1e-14)


# Machines whose sources print leg lengths or joint values at home.


def test_nasa_msfc_pose_0():
    published = [136.34851, 136.34851, 136.34800, 136.34580, 136.34580, 136.34800]
    np.testing.assert_allclose(lengths_at("nasa-msfc", (0, 0, -111.31)), published, atol=PRINTED * 1e-5, rtol=0)


def test_micro_vibration_platform_leg_length_and_stiffness():
    """Dehaeze: legs of 0.0952254 m; the stiffness 45 mm above the upper plate follows from J and 20e6 N/m."""
    m = gough.load("dehaeze")
    np.testing.assert_allclose(gough.inverse_kinematics(m, m.home), 0.0952254, atol=PRINTED * 1e-7, rtol=0)
    J = gough.jacobian(m, m.home)
    J[:, 3:] -= np.cross(m.point_of_interest, J[:, :3])
    K = J.T @ np.diag(m.actuators.stiffness) @ J
    published = [36179658.38, 36179658.38, 47640683.23, 331359.06, 331359.06, 585721.51]
    np.testing.assert_allclose(np.diag(K), published, atol=PRINTED * 1e-2, rtol=0)
    assert K[0, 4] == pytest.approx(-2238842.16, abs=PRINTED * 1e-2)
    assert K[1, 3] == pytest.approx(2238842.16, abs=PRINTED * 1e-2)


def test_servo_platform_cranks_are_level_at_its_home_height():
    m = gough.load("servo")
    assert m.X_home[2, 3] == 132.943591247488 * MILLIMETRE
    # The points are given to 1e-5 mm, which a crank of 15 mm turns into about 1e-6 rad.
    np.testing.assert_allclose(gough.inverse_kinematics(m, m.home), np.zeros(6), atol=1e-6)


def test_rotopod_carriages_by_the_law_of_cosines():
    m = gough.load("rotopod")
    apart = np.arccos((250**2 + 153**2 - (222**2 - 140**2)) / (2 * 250 * 153))
    # Carriages start 22.5 deg from their platform joints, on alternating sides.
    turned = apart - np.deg2rad(22.5)
    np.testing.assert_allclose(gough.inverse_kinematics(m, m.home), turned * np.array([1, -1] * 3), atol=1e-14)


def test_paradex_sliders_by_pythagoras():
    """modparakins: joint = z - sqrt(rod^2 - horizontal distance^2), for a platform parallel to the base."""
    m = gough.load("paradex")
    across = np.linalg.norm((m.b_P - m.legs.rest())[:, :2], axis=1)
    expected = m.X_home[2, 3] - np.sqrt((2.953 * INCH) ** 2 - across**2)
    np.testing.assert_allclose(gough.inverse_kinematics(m, m.home), expected, atol=1e-15)


def test_linapod_sliders_at_home():
    m = gough.load("linapod")
    q = gough.inverse_kinematics(m, m.home)
    np.testing.assert_allclose(q, [1.221] * 3 + [1.933] * 3, atol=MILLIMETRE, rtol=0)  # points are given to 1 mm


def test_linapod_with_bars_ten_micrometres_too_long():
    """Pott and Hiller 2008: the platform is 11.528 um off; with points to 1 mm, the last digit is not ours to hold."""
    document = parse(machine_text("linapod")[1], "linapod")
    nominal = from_document(document, "linapod")
    document["legs"]["rod_length"] = [length + 10e-6 for length in document["legs"]["rod_length"]]
    built = from_document(document, "linapod")
    q = gough.inverse_kinematics(nominal, nominal.home)
    error = gough.forward_kinematics(built, q).matrix[:3, 3] - nominal.X_home[:3, 3]
    assert np.linalg.norm(error) == pytest.approx(11.528 * MICROMETRE, abs=NANOMETRE)


def test_singular_home_is_singular():
    m = gough.load("singular-home")
    J = gough.jacobian(m, m.home)
    assert abs(np.linalg.det(J)) < 1e-15 * np.prod(np.linalg.norm(J, axis=1))


# Sinatra, Xi and Staicu 2009, motions through 1 - cos(pi t / 3): the paper's data in an independent multibody code.


@pytest.mark.parametrize(
    ("motion", "translation", "turn"),
    [("vertical", (0, 0, -0.15), 0.0), ("horizontal", (0.1, 0, 0), 0.0), ("rotation", (0, 0, 0), np.pi / 12)],
)
def test_sinatra_slider_displacements(motion, translation, turn):
    reference, m = truth("sinatra2009"), gough.load("sinatra2009")
    course = 1 - np.cos(np.pi * np.array(reference["time"]) / 3)
    moved = gough.pose_matrix(course[:, None] * np.array(translation), course[:, None] * [turn], "z")
    moved[:, :3, 3] += m.X_home[:3, 3]
    q = gough.inverse_kinematics(m, moved)
    np.testing.assert_allclose(q, reference[motion]["slider"], atol=NANOMETRE, rtol=0)


def test_sinatra_home_height():
    assert gough.load("sinatra2009").X_home[2, 3] == pytest.approx(0.606379, abs=PRINTED * 1e-6)


# Dumitriu et al. 2017: the platform's fall as three multibody codes see it.


def test_dumitriu_leg_lengths_along_the_motion():
    reference, m = truth("dumitriu2017_forward"), gough.load("dumitriu2017")
    X = np.tile(np.eye(4), (len(reference["time"]), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = reference["rotation"], reference["position"]
    q = gough.inverse_kinematics(m, X)
    np.testing.assert_allclose(q, reference["leg_length"], atol=1e-12, rtol=0)
    np.testing.assert_allclose(q[0], 0.5320, atol=1e-14)


def test_dumitriu_joints():
    reference, m = truth("dumitriu2017_forward"), gough.load("dumitriu2017")
    np.testing.assert_allclose(m.legs.rest(), reference["base"], atol=1e-15)
    np.testing.assert_allclose(m.b_P, reference["platform"], atol=1e-15)


def test_dumitriu_bodies_have_the_papers_poinsot_matrices():
    """K = tr(J) / 2 I - J of the platform and of the parts of the legs, as printed (kg m2)."""
    m = gough.load("dumitriu2017")
    printed = {
        "platform": (m.platform, [0.0324, 0.0324, 0]),
        "lower parts": (m.leg_bodies["cylinder"][0], [0, 0, 0.0071]),
        "upper parts": (m.leg_bodies["piston"][0], [0, 0, 0.0031]),
    }
    for what, (body, diagonal) in printed.items():
        K = np.trace(body.inertia) / 2 * np.eye(3) - body.inertia
        np.testing.assert_allclose(K, np.diag(diagonal), atol=1e-16, err_msg=what)


# Dietmaier 1998: a hexapod with forty real poses for one set of leg lengths.

DIETMAIER_SUM = (30.337833093, -0.587585258, -6.013698893)
"""Of the forty positions."""


def test_dietmaiers_forty_poses(rng):
    """Newton's method from random poses, on lengths and Jacobians alone, finds the forty and nothing else."""
    m = gough.from_points(DIETMAIER_BASE, DIETMAIER_PLATFORM, home=gough.pose([0.5, 0.5, 0.5]))
    X = np.tile(np.eye(4), (4000, 1, 1))
    X[:, :3, :3] = Rotation.random(len(X), rng=rng).as_matrix()
    X[:, :3, 3] = rng.normal(size=(len(X), 3))
    for _ in range(60):
        missing = np.array(DIETMAIER_LENGTHS) - gough.inverse_kinematics(m, X)
        step = np.linalg.solve(gough.jacobian(m, X), missing[..., None])[..., 0]
        step *= np.minimum(1, 0.5 / np.maximum(np.linalg.norm(step, axis=1), 1e-300))[:, None]
        X[:, :3, 3] += step[:, :3]
        X[:, :3, :3] = Rotation.from_rotvec(step[:, 3:]).as_matrix() @ X[:, :3, :3]
    solved = np.abs(gough.inverse_kinematics(m, X) - DIETMAIER_LENGTHS).max(axis=1) < 1e-12
    poses = []
    for pose in X[solved]:
        if not any(np.abs(pose - other).max() < 1e-5 for other in poses):
            poses.append(pose)
    assert len(poses) == 40
    np.testing.assert_allclose(np.sum(poses, axis=0)[:3, 3], DIETMAIER_SUM, atol=40 * PRINTED * 1e-9, rtol=0)
