"""What is refused, and with which error: joint values without a pose, arguments without an answer."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough
from gough import motion, multibody, stages
from gough.errors import (
    GoughError,
    InputError,
    MachineFileError,
    NotConvergedError,
    PoseError,
    ShapeError,
    StagesError,
    UnknownMachineError,
)

WRENCH = np.array([11.0, -7.0, 23.0, 1.3, -0.7, 2.1])
TWIST = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6])
SIX = np.linspace(0.5, 1.0, 6)


@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_joint_values_without_an_answer(name):
    m = gough.load(name)
    q = gough.inverse_kinematics(m, m.X_home)
    # A leg ten times as long as the machine, or a slider as far away; cranks of which neighbours point apart.
    wrong = q + (10 * m.size if m.legs.joint == "length" else np.pi) * np.array([1, 0, 0, 0, 1, 0])
    with pytest.raises(NotConvergedError, match="has a leg error of"):
        gough.forward_kinematics(m, wrong)
    found = gough.forward_kinematics(m, np.stack([wrong, q]), throw=False)
    np.testing.assert_array_equal(found.converged, [False, True])
    assert np.isnan(found.matrix[0]).all()
    assert found.residual[0] > 1e-6 * m.size
    assert not found.certified[0]


@pytest.mark.parametrize("value", [1e155, -1e155, 1e200, 1.7e308])
@pytest.mark.parametrize("name", ["hexel", "hexaglide", *SKEW[:2]])
def test_extreme_joint_values_are_refused_without_nan(name, value):
    m = gough.load(name)
    with pytest.raises(GoughError) as caught:
        gough.forward_kinematics(m, np.array([value, 0.8, 0.8, 0.8, 0.8, 0.8]))
    assert "nan" not in str(caught.value)


HALF_TURN = Rotation.from_rotvec([0, np.pi, 0]).as_matrix()


def raised(X, by):
    Y = np.array(X)
    Y[:3, 3] += by
    return Y


def turned(X):
    Y = np.array(X)
    Y[:3, :3] = HALF_TURN @ Y[:3, :3]
    return Y


def bare():
    """Points alone: no limits, masses or stiffness."""
    m = gough.load("hexel")
    return gough.from_points(m.legs.a_B, m.b_P, home=m.X_home)


REFUSED = {
    "load": (lambda m, X: gough.load("no-such-machine"), UnknownMachineError),
    "from_points": (lambda m, X: gough.from_points(np.zeros((6, 3)), np.ones((6, 3))), MachineFileError),
    "from_points, shape": (lambda m, X: gough.from_points(np.zeros((5, 3)), np.ones((6, 3))), ShapeError),
    "inverse_kinematics": (lambda m, X: gough.inverse_kinematics(m, 1.01 * X), PoseError),
    "inverse_kinematics, out": (lambda m, X: gough.inverse_kinematics(m, X, out=np.empty(5)), ShapeError),
    "assembly_modes": (lambda m, X: gough.assembly_modes(m, [np.nan] * 6), InputError),
    "travel": (lambda m, X: gough.travel(m, np.zeros(6)), InputError),
    "stages.resolve_redundancy": (stages.resolve_redundancy, (StagesError, InputError)),
    "with_payload": (lambda m, X: m.with_payload(-1.0, [0, 0, 0]), InputError),
    "resolution": (lambda m, X: gough.accuracy.resolution(bare(), bare().X_home), InputError),
    "stiffness": (lambda m, X: gough.stiffness(bare(), bare().X_home), InputError),
    "velocity_envelope": (lambda m, X: gough.velocity_envelope(bare(), bare().X_home), InputError),
    "velocity_envelope, zero": (lambda m, X: gough.velocity_envelope(m, X, joint_speed=0.0), InputError),
    "wrench_capacity": (lambda m, X: gough.statics.wrench_capacity(bare(), bare().X_home, WRENCH), InputError),
    "inverse_dynamics": (lambda m, X: gough.inverse_dynamics(bare(), bare().X_home, TWIST, SIX), InputError),
    "forward_dynamics": (lambda m, X: gough.forward_dynamics(bare(), bare().X_home, TWIST, SIX), InputError),
    "simulate": (lambda m, X: gough.simulate(bare(), bare().X_home, TWIST, SIX, 0.1), InputError),
    "simulate, out of limits": (lambda m, X: gough.simulate(m, raised(X, m.size), 0 * SIX, SIX, 0.1), InputError),
    "closed_loop_poles": (
        lambda m, X: gough.dynamics.closed_loop_poles(bare(), gough.dynamics.GravityCompensation(bare())),
        InputError,
    ),
    "mjcf": (lambda m, X: gough.export.mjcf(bare()), InputError),
    "workspace": (lambda m, X: gough.workspace(bare()), InputError),
    "workspace, ignore": (lambda m, X: gough.workspace(m, ignore=("no limit",)), InputError),
    "line, same": (lambda m, X: motion.line(X, X), InputError),
    "line, half a turn": (lambda m, X: motion.line(X, turned(X)), InputError),
    "arc, axis": (lambda m, X: motion.arc(X, X[:3, 3], [0, 0, 1], 1.0), InputError),
    "arc, zero": (lambda m, X: motion.arc(X, X[:3, 3] + [0.1, 0, 0], [0, 0, 1], 0.0), InputError),
    "arc_through": (lambda m, X: motion.arc_through(X, raised(X, 0.01)[:3, 3], raised(X, 0.02)), InputError),
    "Spline, same": (lambda m, X: motion.Spline(np.stack([X, X])), InputError),
    "Spline, at": (lambda m, X: motion.Spline(np.stack([X, raised(X, 0.01)]), at=[1.0, 0.0]), InputError),
    "Spline, open": (lambda m, X: motion.Spline(np.stack([X, raised(X, 0.01)]), closed=True), InputError),
    "concatenate": (lambda m, X: motion.concatenate([step(X, 0.0), step(X, 0.5)]), InputError),
    "motion_limits": (lambda m, X: motion.motion_limits(m, joint_speed=-1.0), InputError),
    "time_optimal": (lambda m, X: motion.time_optimal(bare(), step(bare().X_home, 0.0)), InputError),
    "multibody": (
        lambda m, X: multibody.inverse_dynamics(multibody.hexapod(m), {"platform": SIX}, ["drive 1"]),
        InputError,
    ),
}


def step(X, begin):
    return motion.line(raised(X, begin), raised(X, begin + 0.001))


@pytest.mark.parametrize("name", SKEW)
@pytest.mark.parametrize("promise", REFUSED)
def test_what_is_refused(promise, name):
    m = gough.load(name)
    call, error = REFUSED[promise]
    with pytest.raises(error) as caught:
        call(m, m.X_home)
    assert "\n" not in str(caught.value) or isinstance(caught.value, MachineFileError)
