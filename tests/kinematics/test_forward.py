"""Forward kinematics: its answers, its promises, and what it says when it has none."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.kinematics.forward import Status

sys.path.insert(0, str(Path(__file__).parent.parent.parent))
from benchmarks.forward_counts import distance, not_confirmed
from benchmarks.sampling import allowed_poses, turned_poses
from tests.skew import SKEW

MACHINES = [info.name for info in gough.machines(stages=1) if info.name != "singular-home"]
MACHINES += SKEW
BACK = 1e-12  # of the machine's size, times the conditioning of the pose
LEGS_FIT = 1e-12  # of the machine's size
MOST_STEPS = 8


def conditioning(machine, X):
    """How much a pose magnifies errors of the joint coordinates, in machine sizes."""
    g = gough.margins(machine, X)
    return 1.0 / np.abs(g.values[..., g.names.index("singularity")] + machine.limits.singular_value)


@pytest.mark.parametrize("name", MACHINES)
def test_poses_inside_the_limits_come_back_or_are_told_apart(name):
    m = gough.load(name)
    X = allowed_poses(m, np.random.default_rng(7), 1000)
    assert len(X) > 100
    q = gough.inverse_kinematics(m, X)
    s = gough.forward_kinematics(m, q, throw=False)
    away = distance(m, X, s.matrix) > 1e-9
    back = s.is_near & ~away
    assert back.sum() > 0.8 * len(X)
    assert (distance(m, X, s.matrix)[back] <= BACK * np.maximum(1.0, conditioning(m, X[back]))).all()
    assert (s.residual[s.converged] <= LEGS_FIT * m.size).all()
    assert np.isnan(s.matrix[~s.converged]).all()
    # Called near, but not the drawn pose: that is in another mode then, and a fine walk gets to the answer.
    doubtful = s.is_near & away
    assert not_confirmed(m, q[doubtful], s.matrix[doubtful]) == 0


@pytest.mark.parametrize("name", MACHINES)
def test_few_steps_from_home_for_poses_turned_by_twenty_degrees(name):
    m = gough.load(name)
    X = turned_poses(m, np.random.default_rng(7), 2000, 20.0)
    inside = gough.margins(m, X).is_allowed
    s = gough.forward_kinematics(m, gough.inverse_kinematics(m, X), throw=False)
    assert s.iterations[inside].max(initial=0) <= MOST_STEPS
    back = s.is_near & (distance(m, X, s.matrix) < 1e-9)
    if name not in ("hexaglide", "rubin-m2"):  # some of theirs lie far past joint cones, or near singularities
        assert s.iterations[back].max() <= MOST_STEPS


def test_no_silent_wrong_pose_on_the_machine_where_a_controller_gives_some():
    """2000 poses at +-45 deg of LinuxCNC's default machine: what is called near is where a fine walk leads."""
    m = gough.load("linuxcnc")
    X = turned_poses(m, np.random.default_rng(45), 2000, 45.0)
    q = gough.inverse_kinematics(m, X)
    s = gough.forward_kinematics(m, q, throw=False)
    doubtful = s.is_near & (distance(m, X, s.matrix) > 1e-9)
    assert doubtful.any()
    assert not_confirmed(m, q[doubtful], s.matrix[doubtful]) == 0


@pytest.mark.parametrize("name", ["hexel", SKEW[0]])
def test_near_is_where_the_straight_path_of_the_joints_leads_from_any_start(name):
    """Between poses far apart, in parts of a hundredth: long steps must not end in another mode."""
    m, rng = gough.load(name), np.random.default_rng(3)
    turns = Rotation.from_rotvec(0.7 * rng.normal(size=(6000, 3))).as_matrix().reshape(2, -1, 3, 3)
    X = np.tile(m.X_home, (2, 3000, 1, 1))
    X[..., :3, :3] = turns @ m.X_home[:3, :3]
    X[..., :3, 3] += 0.5 * m.size * rng.normal(size=(2, 3000, 3))
    q, end = gough.inverse_kinematics(m, X)
    found = gough.forward_kinematics(m, end, near=X[0], throw=False)
    q, end, start = q[found.is_near], end[found.is_near], X[0, found.is_near]
    last, followed = start, np.ones(len(q), dtype=bool)
    assert len(q) > 1000
    for part in np.linspace(0, 1, 101)[1:]:
        along, near = (
            np.where(followed[:, None], q + part * (end - q), q),
            np.where(followed[:, None, None], last, start),
        )
        s = gough.forward_kinematics(m, along, near=near, throw=False)
        last, followed = s.matrix, followed & s.is_near
    lost = ~(followed & (distance(m, last, found.matrix[found.is_near]) < 1e-6))
    assert lost.sum() <= 2, "some pass so close to a singularity that rounding decides"


def test_each_step_squares_the_error_or_better(machine):
    """Started d away, two steps leave less than d^3: at least quadratic convergence, however the platform is turned."""
    X = machine.X_home @ gough.pose_matrix([0, 0, 0], [0.1, -0.05, 0.08], "XYZ")
    q = gough.inverse_kinematics(machine, X)
    steps = [
        int(gough.forward_kinematics(machine, q, near=X @ gough.pose_matrix([0, 0, 0], [d, d, d], "XYZ")).iterations)
        for d in (1e-1, 1e-2, 1e-4, 1e-6)
    ]
    assert steps == sorted(steps, reverse=True)
    assert steps[-1] <= 2
    assert steps[0] <= 5


@pytest.mark.parametrize("leading", [(), (1,), (3, 1, 2), (0,)])
def test_batches_keep_their_leading_axes(machine, leading):
    q = np.broadcast_to(gough.inverse_kinematics(machine, machine.home), (*leading, 6))
    s = gough.forward_kinematics(machine, q)
    assert s.matrix.shape == (*leading, 4, 4)
    assert s.residual.shape == s.iterations.shape == s.status.shape == s.converged.shape == leading


def test_cranks_go_on_over_a_half_turn_the_short_way(rng):
    """Angles that are counted a turn further, as past half a turn, are those of the same poses."""
    m = gough.load(SKEW[2])
    X = m.X_home @ gough.pose_matrix(
        0.02 * m.size * rng.uniform(-1, 1, (400, 3)), rng.uniform(-0.1, 0.1, (400, 3)), "XYZ"
    )
    far = gough.pose_matrix([0, 0, 0])
    near = m.X_home @ far
    near[:3, 3] += 0.08 * m.size * np.array([0.3, 0.9, 0.3])
    q = gough.inverse_kinematics(m, X)
    found = gough.forward_kinematics(m, q + 2 * np.pi * rng.integers(-1, 2, q.shape), near=near)
    np.testing.assert_allclose(found.matrix, X, rtol=0, atol=1e-12)
    assert found.is_near.all()


def test_joint_values_that_fit_no_pose_raise_with_the_best_residual():
    m = gough.load("hexel")
    q = np.array([0.1, 0.9, 0.1, 0.9, 0.1, 0.9])
    with pytest.raises(gough.errors.NotConvergedError, match="no pose found for the joint values") as caught:
        gough.forward_kinematics(m, q)
    assert caught.value.residual > 1e-3
    s = gough.forward_kinematics(m, [q, gough.inverse_kinematics(m, m.home)], throw=False)
    np.testing.assert_array_equal(s.status, [Status.NOT_CONVERGED, Status.NEAR])
    np.testing.assert_array_equal(s.converged, [False, True])
    assert np.isnan(s.matrix[0]).all()
    with pytest.raises(gough.errors.NotConvergedError):
        _ = s.pose


def test_a_singular_home_is_no_start_and_says_so():
    m = gough.load("singular-home")
    X = m.X_home @ gough.pose_matrix([0, 0, 0], [0.1, 0.1, 0.1], "XYZ")
    s = gough.forward_kinematics(m, gough.inverse_kinematics(m, X), throw=False)
    assert s.status != Status.NEAR
    if s.converged:
        assert s.residual < LEGS_FIT * m.size


def test_an_answer_on_the_other_branch_of_a_slider_is_not_called_near():
    m = gough.load("sinatra2009")
    X = allowed_poses(m, np.random.default_rng(3), 20000)
    q = gough.inverse_kinematics(m, X)
    s = gough.forward_kinematics(m, q, throw=False)
    again = gough.inverse_kinematics(m, s.matrix[s.is_near])
    assert np.abs(again - q[s.is_near]).max() < 1e-5  # m: at the turning point itself rounding moves a slider far
    assert (s.status == Status.OTHER_MODE).any()
