"""Both platforms from twelve joints and back: poses, rates, accelerations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough import stages
from gough.errors import InputError, NotConvergedError, ShapeError
from gough.stages.forward import joints_of

ROUND_OFF = 1e-12
"""Of the machine's size, a metre."""
BY_DIFFERENCES = 1e-7
"""Of the largest element."""
STEP = 1e-6
"""[s]; the smallest machine moves by 1e-5 of its size."""


def test_both_ways_forward_agree_and_undo_inverse_kinematics(state):
    m, X, _, _ = state
    q = joints_of(m, X)
    one_by_one, at_once = stages.forward_kinematics(m, q), stages.forward_kinematics(m, q, method="system")
    for found in (one_by_one, at_once):
        assert found.converged
        np.testing.assert_allclose(found.matrices, X, atol=ROUND_OFF)
        assert found.residual < ROUND_OFF
    np.testing.assert_allclose(one_by_one.pose.as_matrix(), one_by_one.matrix, atol=ROUND_OFF)
    assert all(part.certified for part in one_by_one.stages)


def test_batches_have_the_shape_of_the_joints(double):
    q = np.broadcast_to(joints_of(double, double.X_both_home), (3, 2, 12)) + np.linspace(0, 0.01, 3)[:, None, None]
    for method in ("stages", "system"):
        found = stages.forward_kinematics(double, q, method=method)
        assert found.matrices.shape == (3, 2, 2, 4, 4)
        assert found.converged.shape == (3, 2)
        np.testing.assert_allclose(joints_of(double, found.matrices), q, atol=ROUND_OFF)


@pytest.mark.parametrize("method", ["stages", "system"])
def test_joints_that_fit_no_pose_say_so(double, method):
    q = joints_of(double, double.X_both_home)
    q[7] = 5.0
    with pytest.raises(NotConvergedError):
        stages.forward_kinematics(double, q, method=method)
    found = stages.forward_kinematics(double, q, method=method, throw=False)
    assert not found.converged
    assert np.isnan(found.matrix).all()


@pytest.mark.parametrize("method", ["stages", "system"])
@pytest.mark.parametrize("double", ["double-hexapod"], indirect=True)
def test_empty_batches_and_joints_that_are_no_numbers(double, method):
    q = np.full((2, 12), np.nan)
    assert stages.forward_kinematics(double, q[:0], method=method).matrices.shape == (0, 2, 4, 4)
    with pytest.raises(NotConvergedError, match="nan m"):
        stages.forward_kinematics(double, q, method=method)
    with pytest.raises(ShapeError, match=r"near: expected shape \(2, 4, 4\), or \(2, 2, 4, 4\): one pair for each q"):
        stages.forward_kinematics(double, q, near=np.tile(double.X_both_home, (3, 1, 1, 1)), method=method)


def test_rates_are_those_of_the_motion(state, moved):
    m, X, V, A = state
    before, after = (joints_of(m, moved(X, V, A, t)) for t in (-STEP, STEP))
    qd = stages.joint_rates(m, X, V)
    np.testing.assert_allclose((after - before) / (2 * STEP), qd, atol=BY_DIFFERENCES * np.abs(qd).max())
    before, after = (stages.joint_rates(m, moved(X, V, A, t), V + t * A) for t in (-STEP, STEP))
    qdd = stages.joint_accelerations(m, X, V, A)
    np.testing.assert_allclose((after - before) / (2 * STEP), qdd, atol=BY_DIFFERENCES * np.abs(qdd).max())


def test_the_jacobian_is_that_of_forward_kinematics(state):
    """Columns by central differences of the end platform's pose over each of the twelve joints."""
    m, X, _, _ = state
    q, steps = joints_of(m, X), STEP * np.concatenate([np.eye(12), -np.eye(12)])
    found = stages.forward_kinematics(m, q + steps, near=X).matrix
    plus, minus = found[:12], found[12:]
    turns = Rotation.from_matrix(plus[:, :3, :3] @ np.swapaxes(minus[:, :3, :3], 1, 2)).as_rotvec()
    columns = np.concatenate([plus[:, :3, 3] - minus[:, :3, 3], turns], axis=1) / (2 * STEP)
    J = stages.jacobian(m, X)
    np.testing.assert_allclose(columns.T, J, atol=BY_DIFFERENCES * np.abs(J).max())


def test_rates_and_twists_undo_one_another(state):
    m, X, V, _ = state
    qd = stages.joint_rates(m, X, V)
    np.testing.assert_allclose(stages.twists(m, X, qd), V, atol=1e3 * ROUND_OFF)
    np.testing.assert_allclose(stages.jacobian(m, X) @ qd, V[1], atol=1e3 * ROUND_OFF)


def test_least_rates_move_the_end_platform_and_nothing_smaller_does(double, rng):
    X, V = double.X_both_home, rng.normal(size=6)
    J, weights = stages.jacobian(double, X), rng.uniform(0.5, 2, 12)
    for w in (None, weights):
        qd = stages.least_rates(double, X, V, w)
        np.testing.assert_allclose(J @ qd, V, atol=ROUND_OFF)
        own = np.zeros((6, 2, 6))
        own[:, 0] = np.eye(6)  # the intermediate platform moves, the end platform stands
        free = stages.joint_rates(double, X, own)
        np.testing.assert_allclose(J @ free.T, 0.0, atol=ROUND_OFF)
        np.testing.assert_allclose(free @ (qd * (1.0 if w is None else w)), 0.0, atol=ROUND_OFF)


def test_rates_of_lengths_and_angles_need_weights(rng):
    m = gough.StackedMachine(name="mixed", stages=(gough.load("servo"), gough.load("dumitriu2017")))
    with pytest.raises(InputError, match="no common norm; give weights"):
        stages.least_rates(m, m.X_both_home, np.ones(6))
    assert np.isfinite(stages.least_rates(m, m.X_both_home, np.ones(6), np.ones(12))).all()
    with pytest.raises(ShapeError, match="twelve numbers above zero"):
        stages.least_rates(m, m.X_both_home, np.ones(6), np.zeros(12))


def test_margins_are_those_of_each_stage(state):
    m, X, _, _ = state
    found = stages.margins(m, X)
    lower, upper = gough.margins(m.lower, X[0]), gough.margins(m.upper, stages.upper_pose(m, X))
    np.testing.assert_array_equal(found.values, [*lower.values, *upper.values])
    assert found.smallest == min(lower.relative.min(), upper.relative.min())
    assert found.names[0] == f"stage 1 {lower.names[0]}"
    assert found.binding in found.names
    assert found.is_allowed == (lower.is_allowed and upper.is_allowed)


def test_wrong_shapes_are_refused_with_what_was_expected(double):
    with pytest.raises(ShapeError, match=r"poses of both platforms: expected shape \(\.\.\., 2, 4, 4\)"):
        stages.margins(double, double.X_home)
    with pytest.raises(ShapeError, match=r"joint coordinates: expected shape \(\.\.\., 12\)"):
        stages.forward_kinematics(double, np.zeros(6))
    with pytest.raises(InputError, match="'both' is not known, expected 'stages' or 'system'"):
        stages.forward_kinematics(double, np.zeros(12), method="both")
