"""Both platforms from twelve joints and back: poses, rates, accelerations."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough
from gough import stages
from gough.errors import InputError, NotConvergedError, ShapeError
from gough.stacked import StackedMachine

ROUND_OFF = 1e-12
"""Of the machine's size, a metre."""
BY_DIFFERENCES = 1e-7
"""Of the largest element."""
STEP = 1e-6
"""[s]; the smallest machine moves by 1e-5 of its size."""


def test_both_ways_forward_agree_and_undo_inverse_kinematics(state):
    m, X, _, _ = state
    q = gough.inverse_kinematics(m, X)
    one_by_one, at_once = gough.forward_kinematics(m, q), stages.forward_as_one_system(m, q)
    for found in (one_by_one, at_once):
        assert found.converged
        np.testing.assert_allclose(found.matrix, X, atol=ROUND_OFF)
        assert found.residual < ROUND_OFF
    np.testing.assert_allclose(one_by_one.pose.as_matrix(), one_by_one.matrix, atol=ROUND_OFF)
    assert all(part.certified for part in one_by_one.stages)


def test_rates_are_those_of_the_motion(state, moved):
    m, X, V, A = state
    before, after = (gough.inverse_kinematics(m, moved(X, V, A, t)) for t in (-STEP, STEP))
    qd = gough.joint_rates(m, X, V)
    np.testing.assert_allclose((after - before) / (2 * STEP), qd, atol=BY_DIFFERENCES * np.abs(qd).max())
    before, after = (gough.joint_rates(m, moved(X, V, A, t), V + t * A) for t in (-STEP, STEP))
    qdd = gough.kinematics.joint_accelerations(m, X, V, A)
    np.testing.assert_allclose((after - before) / (2 * STEP), qdd, atol=BY_DIFFERENCES * np.abs(qdd).max())


def test_the_jacobian_is_that_of_forward_kinematics(state):
    """Columns by central differences of the end platform's pose over each of the twelve joints."""
    m, X, _, _ = state
    q, steps = gough.inverse_kinematics(m, X), STEP * np.concatenate([np.eye(12), -np.eye(12)])
    found = gough.forward_kinematics(m, q + steps, near=X).matrix[:, 1]
    plus, minus = found[:12], found[12:]
    turns = Rotation.from_matrix(plus[:, :3, :3] @ np.swapaxes(minus[:, :3, :3], 1, 2)).as_rotvec()
    columns = np.concatenate([plus[:, :3, 3] - minus[:, :3, 3], turns], axis=1) / (2 * STEP)
    J = gough.kinematics.inverse_jacobian(m, X)[..., 6:, :]
    np.testing.assert_allclose(columns.T, J, atol=BY_DIFFERENCES * np.abs(J).max())


def test_rates_and_twists_undo_one_another(state):
    m, X, V, _ = state
    qd = gough.joint_rates(m, X, V)
    np.testing.assert_allclose(gough.platform_twist(m, X, qd), V, atol=1e3 * ROUND_OFF)
    np.testing.assert_allclose(gough.kinematics.inverse_jacobian(m, X) @ gough.jacobian(m, X), np.eye(12), atol=1e-9)
    A = 3 * V[::-1]
    qdd = gough.kinematics.joint_accelerations(m, X, V, A)
    np.testing.assert_allclose(gough.kinematics.platform_acceleration(m, X, V, qdd), A, atol=1e4 * ROUND_OFF)


def test_least_rates_move_the_end_platform_and_nothing_smaller_does(double, rng):
    X, V = double.X_home, rng.normal(size=6)
    J, weights = gough.kinematics.inverse_jacobian(double, X)[..., 6:, :], rng.uniform(0.5, 2, 12)
    for w in (None, weights):
        qd = stages.least_rates(double, X, V, w)
        np.testing.assert_allclose(J @ qd, V, atol=ROUND_OFF)
        own = np.zeros((6, 2, 6))
        own[:, 0] = np.eye(6)  # the intermediate platform moves, the end platform stands
        free = gough.joint_rates(double, X, own)
        np.testing.assert_allclose(J @ free.T, 0.0, atol=ROUND_OFF)
        np.testing.assert_allclose(free @ (qd * (1.0 if w is None else w)), 0.0, atol=ROUND_OFF)


def test_rates_of_lengths_and_angles_need_weights(rng):
    m = StackedMachine(name="mixed", stages=(gough.load("servo"), gough.load("dumitriu2017")))
    with pytest.raises(InputError, match="no common norm; pass weights"):
        stages.least_rates(m, m.X_home, np.ones(6))
    assert np.isfinite(stages.least_rates(m, m.X_home, np.ones(6), np.ones(12))).all()
    with pytest.raises(ShapeError, match="twelve numbers above zero"):
        stages.least_rates(m, m.X_home, np.ones(6), np.zeros(12))


def test_margins_are_those_of_each_stage(state):
    m, X, _, _ = state
    found = gough.margins(m, X)
    lower, upper = gough.margins(m.lower, X[0]), gough.margins(m.upper, stages.upper_pose(m, X))
    np.testing.assert_array_equal(found.values, [*lower.values, *upper.values])
    assert found.smallest == min(lower.relative.min(), upper.relative.min())
    assert found.names[0] == f"stage 1 {lower.names[0]}"
    assert found.binding in found.names
    assert found.is_allowed == (lower.is_allowed and upper.is_allowed)


@pytest.mark.parametrize("name", ["rotopod", "hexel", *SKEW])
def test_a_stack_is_at_least_as_large_as_its_stages_where_they_stand(name):
    """Sliders and cranks that are not at zero at home count where they are."""
    m = gough.load(name)
    double = gough.stages.stack(m, m)
    stages, X = double.stages, [np.eye(4), double.X_home[0] @ double.X_IU]
    points = []
    for stage, X_BS in zip(stages, X, strict=True):
        feet = stage.legs.driven_points(gough.inverse_kinematics(stage, stage.X_home))
        points.extend((np.concatenate([feet, stage.b_home]) @ X_BS[:3, :3].T + X_BS[:3, 3]).tolist())
    assert double.size == pytest.approx(pdist(points).max(), rel=1e-12)
    assert double.size >= max(stage.size for stage in stages) * (1 - 1e-12)


def test_joints_that_fit_no_pose_say_so(double):
    q = gough.inverse_kinematics(double, double.X_home)
    q[7] = 5.0
    with pytest.raises(NotConvergedError):
        gough.forward_kinematics(double, q)
    found, at_once = gough.forward_kinematics(double, q, throw=False), stages.forward_as_one_system(double, q)
    assert not found.converged
    assert not found.certified
    assert np.isfinite(found.matrix[0]).all()
    assert np.isnan(found.matrix[1]).all()
    assert not at_once.converged
    assert np.isnan(at_once.matrix).all()
