"""How controllers write poses: presets against formulas written out, pivots, tool and work frames."""

import doctest
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import RigidTransform, Rotation

import gough

ROUND_OFF = 1e-14
"""Of numbers of the size of 1."""
PICOMETRE = 1e-12
GIMBAL = 2e-7
"""Rotation lost where only the sum of two angles is known [rad]."""

# The rotation matrices written out from each maker's formula, angles in the maker's order [rad].
WRITTEN_OUT = {
    "pi": lambda u, v, w: about_x(u) @ about_y(v) @ about_z(w),
    "symetrie": lambda rx, ry, rz: about_z(rz) @ about_y(ry) @ about_x(rx),
    "linuxcnc": lambda a, b, c: about_z(c) @ about_y(b) @ about_x(a),
    "rubin": lambda u, v, w: about_x(u) @ about_y(v) @ about_z(w),
    "hexel": lambda a, b, c: about_y(b) @ about_x(a) @ about_z(c),
}
PAGE = Path(__file__).parents[1] / "docs" / "conventions.md"


MIDDLE_ANGLE = {"pi": 1, "symetrie": 1, "linuxcnc": 1, "rubin": 1, "hexel": 0}
"""Place of the angle that must stay within 90 deg for the numbers to be unique."""


def about_x(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def about_y(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def about_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_rotation_is_the_makers_formula(name, rng):
    for angles in rng.uniform(-180, 180, (20, 3)):
        X = gough.from_convention(name, [0, 0, 0], angles).as_matrix()
        np.testing.assert_allclose(X[:3, :3], WRITTEN_OUT[name](*np.deg2rad(angles)), atol=ROUND_OFF)


def test_ten_degrees_mean_different_things_to_pi_and_symetrie():
    pi, symetrie = (gough.from_convention(name, [0, 0, 0], [10, 10, 10]) for name in ("pi", "symetrie"))
    apart = np.rad2deg((pi * symetrie.inv()).rotation.magnitude())
    point = np.array([0, 0, 0.1])
    assert round(apart, 1) == 3.0
    assert round(float(np.linalg.norm(pi.apply(point) - symetrie.apply(point))) * 1e3, 1) == 3.9


def test_linuxcnc_numbers_give_linuxcnc_lengths():
    m = gough.load("linuxcnc")
    inch = m.units.metres
    position = np.array([[1, 2, 22], [0, 0, 20], [1, 2, 20.5]]) * inch
    angles = [[5, -3, 10], [10, 0, 0], [5, -3, 2]]
    lengths = gough.inverse_kinematics(m, gough.from_convention("linuxcnc", position, angles)) / inch
    expected = [  # genhexkins; nine digits in the last row, eight in the others
        [31.057007, 32.570519, 28.430544, 34.230374, 30.065788, 31.176462],
        [31.134755, 31.134755, 29.137207, 29.055447, 29.055447, 29.137207],
        [31.085467435, 30.376591426, 28.308765735, 32.034909924, 30.17116351, 28.992798286],
    ]
    np.testing.assert_allclose(lengths[:2], expected[:2], atol=0.51e-6)
    np.testing.assert_allclose(lengths[2], expected[2], atol=0.51e-9)


def test_rubin_pivot_is_the_formula_of_its_controller(rng):
    """|(xyz + pivot) + R (moving - pivot) - fixed|: R about the pivot, which moves by xyz."""
    m = gough.load("rubin-camera")
    pivot, xyz, uvw = np.array([0, 0, -2.7584]), rng.uniform(-0.01, 0.01, 3), rng.uniform(-0.3, 0.3, 3)
    R = WRITTEN_OUT["rubin"](*np.deg2rad(uvw))
    moved = xyz + pivot + (m.b_home - pivot) @ R.T
    X = gough.from_convention("rubin", xyz, uvw, pivot=pivot) * m.home
    expected = np.linalg.norm(moved - m.legs.a_B, axis=1)
    np.testing.assert_allclose(gough.inverse_kinematics(m, X), expected, atol=PICOMETRE)


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2)])
@pytest.mark.parametrize("name", WRITTEN_OUT)
@pytest.mark.parametrize("pivot", [None, [0.1, -0.2, 0.7]])
def test_numbers_come_back(name, shape, pivot, rng):
    angles = rng.uniform(-180, 180, (*shape, 3))
    angles[..., MIDDLE_ANGLE[name]] /= 2.1
    translation = rng.uniform(-1, 1, (*shape, 3))
    X = gough.from_convention(name, translation, angles, pivot=pivot)
    assert isinstance(X, RigidTransform)
    assert X.shape == shape
    back_translation, back_angles = gough.to_convention(name, X, pivot=pivot)
    np.testing.assert_allclose(back_translation, translation, atol=PICOMETRE)
    np.testing.assert_allclose(back_angles, angles, atol=1e3 * ROUND_OFF * 180)
    radians = gough.to_convention(name, X, pivot=pivot, degrees=False)[1]
    np.testing.assert_allclose(np.rad2deg(radians), back_angles, rtol=ROUND_OFF)


@given(
    name=st.sampled_from(sorted(WRITTEN_OUT)),
    axis=st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3),
    angle=st.floats(-np.pi, np.pi),
)
def test_poses_come_back_from_any_convention(name, axis, angle):
    R = Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis))
    X = RigidTransform.from_components([0.1, 0.2, 0.3], R)
    again = gough.from_convention(name, *gough.to_convention(name, X))
    assert (X.inv() * again).rotation.magnitude() < GIMBAL


@pytest.mark.parametrize("name", WRITTEN_OUT)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-8])
def test_gimbal_lock_is_met_with_a_zero_third_angle_and_no_warning(name, sign, off):
    angles = np.array([20.0, 20.0, 30.0])
    angles[MIDDLE_ANGLE[name]] = sign * (90 - off)
    X = gough.from_convention(name, [0, 0, 0], angles)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, found = gough.to_convention(name, X)
    assert found[2] == 0
    again = gough.from_convention(name, [0, 0, 0], found)
    assert (X.inv() * again).rotation.magnitude() < GIMBAL


def test_about_pivot_moves_the_pivot_by_the_translation(rng):
    D = gough.pose(rng.uniform(-1, 1, (4, 3)), rng.uniform(-1, 1, (4, 3)), "XYZ")
    pivot = rng.uniform(-1, 1, (4, 3))
    np.testing.assert_allclose(
        gough.frames.about_pivot(D, pivot).apply(pivot), pivot + D.translation, atol=ROUND_OFF * 10
    )
    np.testing.assert_allclose(
        gough.frames.about_pivot(D, pivot).rotation.as_matrix(), D.rotation.as_matrix(), atol=ROUND_OFF
    )


def test_displaced_moves_the_point_of_interest(machine, rng):
    by = gough.pose(rng.uniform(-0.1, 0.1, 3), rng.uniform(-0.5, 0.5, 3), "XYZ")
    for point in (None, rng.uniform(-0.5, 0.5, 3)):
        M = machine.point_of_interest if point is None else point
        X = gough.frames.displaced(machine, by, point=point)
        np.testing.assert_allclose(X.apply(M), machine.home.apply(M) + by.translation, atol=PICOMETRE)
        np.testing.assert_allclose(
            X.rotation.as_matrix(), (by.rotation * machine.home.rotation).as_matrix(), atol=ROUND_OFF
        )
        back = gough.frames.displacement(machine, X, point=point)
        np.testing.assert_allclose(back.as_matrix(), by.as_matrix(), atol=PICOMETRE)


def test_tool_and_work_frames_undo_each_other(machine, rng):
    work = gough.pose(rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), "XYZ")
    tool = gough.pose(rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), "XYZ")
    X = gough.pose(rng.uniform(-1, 1, (3, 2, 3)), rng.uniform(-1, 1, (3, 2, 3)), "XYZ")
    for frames in ({}, {"work": work}, {"X_PT": tool}, {"work": work, "X_PT": tool}):
        X_WT = gough.frames.tool_pose(machine, X, **frames)
        again = gough.frames.platform_pose(machine, X_WT, **frames)
        np.testing.assert_allclose(again.as_matrix(), X.as_matrix(), atol=PICOMETRE)


def test_tool_pose_says_where_the_tool_is_in_the_work_frame(machine):
    work, tool = gough.pose([1, 0, 0], [90], "z", degrees=True), gough.pose([0, 0, 0.25])
    X_WT = gough.frames.tool_pose(machine, gough.pose([1, 2, 3]), work=work, X_PT=tool)
    np.testing.assert_allclose(X_WT.translation, [2, 0, 3.25], atol=ROUND_OFF * 10)


def test_the_examples_of_the_page_are_true():
    text = PAGE.read_text("utf-8")
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    example = doctest.DocTestParser().get_doctest(code, {}, PAGE.name, str(PAGE), 0)
    told = []
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=told.append)
    assert outcome.attempted >= 15
    assert outcome.failed == 0, "".join(told)
