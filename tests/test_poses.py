"""Poses: SciPy's spelling of angles, shapes, what is refused; twists and wrenches moved between points."""

from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import gough
from gough.displacements import angles_of, displaced, displacement, quaternions_of, rotation_vectors, rotations
from gough.poses import (
    as_matrices,
    checked_matrices,
    inverse_matrices,
    rotation_matrix,
    twist_at,
    wrench_at,
)

ROUND_OFF = 1e-15
"""Of numbers of the size of 1, a few operations."""
GIMBAL = 1e-7
"""Rotation lost where only the sum of two angles is known [rad]."""

ALL_THREE = ["".join(s) for s in product("xyz", repeat=3) if s[0] != s[1] and s[1] != s[2]]
BOTH_CASES = ALL_THREE + [s.upper() for s in ALL_THREE]


def about(axis, angle):
    """Rotation matrix about x, y or z, written out."""
    c, s = np.cos(angle), np.sin(angle)
    i, j, k = {"x": (0, 1, 2), "y": (1, 2, 0), "z": (2, 0, 1)}[axis]
    R = np.zeros((3, 3))
    R[i, i], R[j, j], R[k, k], R[j, k], R[k, j] = 1.0, c, c, -s, s
    return R


def written_out(sequence, angles):
    """Upper case: each turn about the axes as the ones before left them, from left to right; lower case: reversed."""
    turns = [about(axis.lower(), angle) for axis, angle in zip(sequence, angles, strict=True)]
    ordered = turns if sequence.isupper() else turns[::-1]
    R = np.eye(3)
    for turn in ordered:
        R = R @ turn
    return R


@pytest.mark.parametrize("sequence", [*BOTH_CASES, "x", "Y", "zx", "XZ"])
def test_sequences_are_spelt_as_scipy_does(sequence, rng):
    for angles in rng.uniform(-3, 3, (10, len(sequence))):
        expected = written_out(sequence, angles)
        np.testing.assert_allclose(rotation_matrix(angles, sequence), expected, atol=3 * ROUND_OFF)
        np.testing.assert_allclose(rotation_matrix(np.rad2deg(angles), sequence, degrees=True), expected, atol=1e-14)
        X = gough.pose_matrix([1.0, 2.0, 3.0], angles, sequence)
        np.testing.assert_array_equal(X[:3, :3], rotation_matrix(angles, sequence))
        np.testing.assert_array_equal(X[:, 3], [1, 2, 3, 1])
        np.testing.assert_array_equal(X[3], [0, 0, 0, 1])


def test_one_pose_is_a_rigid_transform_and_a_batch_is_one_too(rng):
    single = gough.pose([0.1, 0.2, 0.3], [1, 2, 3], "ZYX", degrees=True)
    assert isinstance(single, RigidTransform)
    assert single.as_matrix().shape == (4, 4)
    translation, angles = rng.normal(size=(3, 1, 3)), rng.normal(size=(1, 2, 3))
    batch = gough.pose(translation, angles, "xyz")
    assert batch.as_matrix().shape == (3, 2, 4, 4)
    matrix = gough.pose_matrix(translation, angles, "xyz")
    np.testing.assert_allclose(batch.as_matrix(), matrix, atol=3 * ROUND_OFF)
    for i, j in np.ndindex(3, 2):
        np.testing.assert_array_equal(matrix[i, j], gough.pose_matrix(translation[i, 0], angles[0, j], "xyz"))


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2), (0,)])
def test_leading_axes_are_batch_axes(shape, rng):
    translation, angles = rng.normal(size=(*shape, 3)), rng.uniform(-1, 1, (*shape, 3))
    X = gough.pose_matrix(translation, angles, "XYZ")
    assert X.shape == (*shape, 4, 4)
    assert rotation_matrix(angles, "XYZ").shape == (*shape, 3, 3)
    found = gough.euler_angles(X, "XYZ")
    assert found.shape == (*shape, 3)
    np.testing.assert_allclose(found, angles, atol=10 * ROUND_OFF)
    np.testing.assert_allclose(inverse_matrices(X) @ X, np.broadcast_to(np.eye(4), X.shape), atol=10 * ROUND_OFF)


@pytest.mark.parametrize("sequence", BOTH_CASES)
def test_euler_angles_give_the_rotation_back(sequence, rng):
    R = Rotation.random(50, rng=rng).as_matrix()
    X = np.tile(np.eye(4), (50, 1, 1))
    X[:, :3, :3] = R
    angles = gough.euler_angles(X, sequence)
    np.testing.assert_allclose(rotation_matrix(angles, sequence), R, atol=100 * ROUND_OFF)
    degrees = gough.euler_angles(RigidTransform.from_matrix(X), sequence, degrees=True)
    np.testing.assert_allclose(degrees, np.rad2deg(angles), atol=1e-12)


@pytest.mark.parametrize("sequence", BOTH_CASES)
def test_angles_matrices_and_quaternions_are_those_of_scipy(sequence, rng):
    """Next to gimbal lock too, on both sides of where the third angle becomes 0, and after half a turn."""
    line_up = np.array([0.0, np.pi]) if sequence[0] == sequence[2] else np.array([-0.5, 0.5]) * np.pi
    given = rng.uniform(-np.pi, np.pi, (60, 3))
    given[:40, 1] = rng.choice(line_up, 40) + rng.choice([0.0, 1e-12, 4e-8, -4e-8, 3e-7, -3e-7, 1e-4], 40)
    given[30:, ::2] *= rng.choice([0.0, 1.0], (30, 2))
    theirs = Rotation.from_euler(sequence, given)
    R = theirs.as_matrix()
    np.testing.assert_allclose(rotation_matrix(given, sequence), R, atol=10 * ROUND_OFF)
    apart = angles_of(R, sequence) - theirs.as_euler(sequence, suppress_warnings=True)
    np.testing.assert_allclose(np.angle(np.exp(1j * apart)), 0, atol=GIMBAL / 10)
    is_known = np.abs(theirs.as_quat()[:, 3]) > 1e-6  # the sign of w, next to half turns that of rounding
    expected = Rotation.from_matrix(R).as_quat(canonical=True)
    np.testing.assert_allclose(quaternions_of(R)[is_known], expected[is_known], atol=10 * ROUND_OFF)


def test_in_gimbal_lock_the_third_angle_is_zero_and_the_rotation_is_met():
    X = gough.pose_matrix([0, 0, 0], [0.3, np.pi / 2, -0.4], "XYZ")
    angles = gough.euler_angles(X, "XYZ")
    assert angles[2] == 0
    np.testing.assert_allclose(rotation_matrix(angles, "XYZ"), X[:3, :3], atol=GIMBAL)


def test_small_angles_keep_their_digits():
    for size in np.logspace(-12, -1, 12):
        angles = size * np.array([1.0, -0.5, 0.25])
        found = gough.euler_angles(gough.pose_matrix([1.0, 1.0, 1.0], angles, "XYZ"), "XYZ")
        np.testing.assert_allclose(found, angles, rtol=0, atol=2 * ROUND_OFF * max(size, 1e-1))


REFUSED = {
    r"angles require a sequence": lambda: gough.pose([0, 0, 0], [1, 2, 3]),
    r"sequence 'XYz': expected one to three of x, y, z": lambda: gough.pose([0, 0, 0], [1, 2, 3], "XYz"),
    r"sequence 'XXY': .*neighbours different": lambda: gough.pose([0, 0, 0], [1, 2, 3], "XXY"),
    r"sequence 'xyzx':": lambda: gough.pose([0, 0, 0], [1, 2, 3, 4], "xyzx"),
    r"sequence '':": lambda: gough.pose([0, 0, 0], [1, 2, 3], ""),
    r"sequence 'rpy':": lambda: gough.pose([0, 0, 0], [1, 2, 3], "rpy"),
    r"sequence 'xy': expected three of": lambda: gough.euler_angles(np.eye(4), "xy"),
    r"translation: expected shape \(\.\.\., 3\), got \(2,\)": lambda: gough.pose([0, 0]),
    r"translation: expected shape \(\.\.\., 3\), got \(\)": lambda: gough.pose(1.0),
    r"angles for the sequence 'XYZ': expected shape \(\.\.\., 3\), got \(2,\)": lambda: gough.pose(
        [0, 0, 0], [1, 2], "XYZ"
    ),
    r"angles for the sequence 'z': expected shape \(\.\.\., 1\), got \(\)": lambda: gough.pose([0, 0, 0], 1.0, "z"),
    r"translation and angles: batches of the shapes \(2,\) and \(3,\) are not compatible": lambda: gough.pose(
        np.zeros((2, 3)), np.zeros((3, 3)), "XYZ"
    ),
    r"pose: a translation or an angle is not a finite number": lambda: gough.pose([0, 0, np.inf]),
    r"pose \[1\]: a translation or an angle is not": lambda: gough.pose([[0, 0, 0], [0, 0, np.nan]]),
    r"pose: expected shape \(\.\.\., 4, 4\), got \(3, 3\)": lambda: gough.euler_angles(np.eye(3), "XYZ"),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_is_no_pose_is_refused_in_one_sentence(sentence):
    with pytest.raises(gough.errors.InputError, match="^" + sentence) as caught:
        REFUSED[sentence]()
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


def test_matrices_are_made_for_kernels(rng):
    """C-contiguous, writeable doubles, whatever they are given as; nothing given is written to."""
    X = gough.pose_matrix(rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), "XYZ")
    read_only = X.copy()
    read_only.setflags(write=False)
    for given in (X, X.tolist(), np.asfortranarray(X), X[::-1][::-1], read_only, RigidTransform.from_matrix(X)):
        found = as_matrices(given)
        assert found.flags.c_contiguous
        assert found.flags.writeable
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, X, atol=3 * ROUND_OFF)
    assert not read_only.flags.writeable


def test_nan_poses_pass_the_check_and_the_first_bad_pose_is_named():
    X = np.tile(np.eye(4), (3, 2, 1, 1))
    X[0, 1] = np.nan
    assert np.isnan(checked_matrices(X)[0, 1]).all()
    X[1, 0, :3, 2] *= -1
    X[2, 0, :3, 2] *= 2
    with pytest.raises(gough.errors.PoseError, match=r"^pose \[1, 0\]: the rotation part mirrors"):
        checked_matrices(X)
    with pytest.raises(
        gough.errors.PoseError, match=r"^pose: the rotation part is not orthonormal: .* by 3, allowed 1e-06"
    ):
        checked_matrices(X[2, 0])


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("column", range(4))
def test_nan_in_any_element_is_refused_or_shows_in_every_length(row, column):
    """A matrix whose NaN no result would show is no pose, whatever its other elements are."""
    m = gough.load("hexel")
    for size in (1.0, 0.0):
        X = m.X_home * size
        X[row, column] = np.nan
        for call in (gough.inverse_kinematics, gough.jacobian):
            if row < 3 and (column < 3 or size == 1.0):
                assert np.isnan(call(m, X)).any()
            else:
                with pytest.raises(gough.errors.PoseError):
                    call(m, X)


def test_moving_twist_and_wrench_to_another_point_keeps_their_power(rng):
    V, F, arm = rng.normal(size=(5, 6)), rng.normal(size=(5, 6)), rng.normal(size=(5, 3))
    there = np.sum(wrench_at(F, arm) * twist_at(V, arm), axis=-1)
    np.testing.assert_allclose(there, np.sum(F * V, axis=-1), atol=10 * ROUND_OFF)


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2)])
def test_a_displacement_moves_the_point_and_turns_about_it_and_is_found_again(shape):
    rng = np.random.default_rng(3)
    d, c = rng.uniform(-1, 1, (*shape, 6)), rng.uniform(-1, 1, 3)
    X = gough.pose_matrix(rng.uniform(-1, 1, (*shape, 3)), rng.uniform(-1, 1, (*shape, 3)), "xyz")
    Y = displaced(X, d, c)
    expected = Rotation.from_rotvec(d[..., 3:].reshape(-1, 3)).as_matrix().reshape(*shape, 3, 3)
    np.testing.assert_allclose(rotations(d[..., 3:]), expected, atol=ROUND_OFF)
    np.testing.assert_allclose(rotation_vectors(expected), d[..., 3:], atol=4 * ROUND_OFF)
    np.testing.assert_allclose(Y[..., :3, :3], expected @ X[..., :3, :3], atol=4 * ROUND_OFF)
    at = [pose[..., :3, :3] @ c + pose[..., :3, 3] for pose in (X, Y)]
    np.testing.assert_allclose(at[1] - at[0], d[..., :3], atol=4 * ROUND_OFF)
    np.testing.assert_array_equal(Y[..., 3, :], np.broadcast_to([0.0, 0.0, 0.0, 1.0], (*shape, 4)))
    np.testing.assert_allclose(displacement(X, Y, c), d, atol=8 * ROUND_OFF)
