"""The linear map of two stages: differences of joints and of forward kinematics, and a stage that goes alone."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW_STACK

import gough
from gough import stages
from gough.errors import ShapeError
from gough.kinematics import linear_map

STEP = 1e-6
"""Of central differences [m of the machine's size, rad]."""
DIFFERENCE = 1e-8
"""Their error, relative to the largest entry."""
M = np.array([0.01, -0.02, 0.03])


@pytest.fixture(params=["double-hexapod", SKEW_STACK])
def away(request):
    """A stack that shares by another part than a half, and a pose of its end platform away from home."""
    m = replace(gough.load(request.param), share=0.35)
    X = m.end_home @ gough.pose_matrix(0.02 * m.size * np.array([1.0, -0.5, 0.3]), [0.05, -0.1, 0.08], "XYZ")
    return m, X


def assert_near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=DIFFERENCE * (np.abs(expected).max() + 1))


def test_it_is_the_derivative_of_twelve_joints_by_the_share(away):
    m, X = away
    K = linear_map(m, X, M)
    assert K.T_inv.shape == (12, 6)
    h = STEP * np.repeat([m.size, 1.0], 3)
    both = []
    for sign in (1, -1):
        poses = np.broadcast_to(X, (6, 4, 4)).copy()
        poses[3:, :3, :3] = Rotation.from_rotvec(sign * STEP * np.eye(3)).as_matrix() @ X[:3, :3]
        place = X[:3, :3] @ M + X[:3, 3] + sign * h[:, None] * np.eye(6)[:, :3]
        poses[:, :3, 3] = place - poses[:, :3, :3] @ M
        np.testing.assert_allclose(K.displaced(sign * np.diag(h)), poses, rtol=0, atol=1e-15)
        both.append(stages.resolve_redundancy(m, poses).joints)
    assert_near(K.T_inv, ((both[0] - both[1]) / (2 * h[:, None])).T)


def test_its_inverse_is_the_derivative_of_forward_kinematics_by_every_joint(away):
    m, X = away
    K, posture = linear_map(m, X, M), stages.resolve_redundancy(m, X)
    h = STEP * np.repeat([stage.size if stage.legs.joint_unit == "m" else 1.0 for stage in m.stages], 6)
    solve = [gough.forward_kinematics(m, posture.joints + s * np.diag(h), near=posture.matrix).matrix for s in (1, -1)]
    ahead, behind = (found[:, 1] for found in solve)
    shift = (ahead - behind)[:, :3, :3] @ M + (ahead - behind)[:, :3, 3]
    turn = Rotation.from_matrix(ahead[:, :3, :3] @ behind[:, :3, :3].swapaxes(-1, -2)).as_rotvec()
    assert K.T.shape == (6, 12)
    expected = np.concatenate([shift, turn], axis=1) / (2 * h[:, None])
    np.testing.assert_allclose(K.T, expected.T, rtol=0, atol=1e-7 * np.abs(expected).max())
    np.testing.assert_allclose(K.T @ K.T_inv, np.eye(6), atol=1e-11)


def test_with_all_of_it_in_the_lower_stage_it_is_the_map_of_that_stage(away):
    m, X = replace(away[0], share=1.0), away[1]
    X_BI = stages.resolve_redundancy(m, X).matrix[0]
    point = np.linalg.inv(X_BI) @ X @ np.append(M, 1.0)
    K, alone = linear_map(m, X, M), linear_map(m.lower, X_BI, point[:3])
    np.testing.assert_allclose(K.T_inv[:6], alone.T_inv, atol=1e-10)
    np.testing.assert_allclose(K.T_inv[6:], 0.0, atol=1e-10)
    np.testing.assert_allclose(K.T[:, :6], alone.T, atol=1e-9)


def test_its_error_grows_with_the_square_of_the_displacement(away):
    K = linear_map(*away)
    steps, d = np.array([1e-2, 1e-3, 1e-4]) * away[0].size, np.array([1, -0.5, 0.7, 0.4, 0.6, -0.3])
    errors = [np.abs(K.error(h * d)).max() for h in steps]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1)
    assert K.sentence().endswith("with its inverse")
    with pytest.raises(ShapeError, match="one pose"):
        linear_map(away[0], away[0].X_home)
