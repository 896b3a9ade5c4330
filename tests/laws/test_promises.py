"""What docstrings promise where there is no answer: NaN, infinity or an error; the poses beside keep their answers.

Each line of a table is a function, and what it promises at a pose that is singular to rounding, or out of reach.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW, SKEW_STACK

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


def similar_hexagons(turned, shift):
    """Base and platform similar, with all that a file can have; its home is singular to rounding."""
    angles, radii = np.radians([0, 60, 150, 180, 240, 330]), [1.0, 0.8, 1.2, 0.9, 1.1, 0.7]  # not all on a conic
    plate = np.stack([radii * np.cos(angles), radii * np.sin(angles), 0 * angles], axis=-1)
    home = np.eye(4)
    home[:3, 3] = [0, 0, 0.3]
    frame_B, frame_P = (gough.pose_matrix(shift, s * np.array(turned), "XYZ") for s in (1, -1))
    inverse = np.linalg.inv(frame_P)
    return gough.from_points(
        0.15 * plate @ frame_B[:3, :3].T + frame_B[:3, 3],
        0.1 * plate @ inverse[:3, :3].T + inverse[:3, 3],
        home=frame_B @ home @ frame_P,
        joint_min=0.2,
        joint_max=0.4,
        limits={"joint_speed": 0.1, "actuator_force": 500.0, "joint_acceleration": 1.0},
        actuators={"stiffness": 1e6, "resolution": 1e-6},
        platform_body={"mass": 3.0, "inertia": {"xx": 0.02, "yy": 0.03, "zz": 0.04}},
    )


@pytest.fixture(
    scope="module", params=[((0, 0, 0), (0, 0, 0)), ((0.7, -1.1, 2.3), (0.2, -0.5, 0.3))], ids=("flat", "askew")
)
def singular(request):
    return similar_hexagons(*request.param)


AT_SINGULAR = {
    "inverse_jacobian": gough.kinematics.inverse_jacobian,
    "platform_twist": lambda m, X: gough.platform_twist(m, X, SIX),
    "platform_acceleration": lambda m, X: gough.kinematics.platform_acceleration(m, X, TWIST, SIX),
    "leg_forces": lambda m, X: gough.leg_forces(m, X, WRENCH),
    "leg_forces, weights": lambda m, X: gough.leg_forces(m, X, gravity=True),
    "axial_forces": lambda m, X: gough.statics.axial_forces(m, X, WRENCH),
    "displacement_under_load": lambda m, X: gough.statics.displacement_under_load(m, X, WRENCH),
    "resolution": lambda m, X: gough.accuracy.resolution(m, X).worst_case,
    "resolution, RMS": lambda m, X: gough.accuracy.resolution(m, X).rms,
    "pose_error": lambda m, X: gough.accuracy.pose_error(m, X, 1e-5).rms,
    "parameter_sensitivity": gough.accuracy.parameter_sensitivity,
    "inverse_dynamics": lambda m, X: gough.inverse_dynamics(m, X, TWIST, SIX),
    "linear_map": lambda m, X: np.stack([gough.kinematics.linear_map(m, one).T for one in X]),
    "payload_table": lambda m, X: np.array([[row.mass for row in gough.statics.payload_table(m, one)] for one in X]),
}


@pytest.mark.parametrize("name", AT_SINGULAR)
def test_singular_poses_have_no_numbers(singular, name):
    beside = singular.X_home @ gough.pose_matrix([0.01, 0.02, 0.01], [0.1, 0.2, 0.3], "XYZ")
    found = AT_SINGULAR[name](singular, np.stack([singular.X_home, beside]))
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()


def test_singular_poses_by_their_own_names(singular):
    X = singular.X_home
    found, e = gough.singularity.conditioning(singular, X), gough.velocity_envelope(singular, X)
    assert found.is_singular
    assert found.condition_number > 1e12
    assert np.isinf(e.fastest("rotation"))
    assert np.isfinite(e.fastest("translation"))  # it turns by itself, but goes nowhere
    assert gough.margins(singular, X).is_singular
    assert not gough.kinematics.certify_pose(singular, gough.inverse_kinematics(singular, X), X).proven
    for refused in (lambda: e.vertices("rotation"), lambda: gough.statics.load_envelope(singular, X)):
        with pytest.raises(InputError, match="singular"):
            refused()


OUT_OF_REACH = {
    "inverse_jacobian": gough.kinematics.inverse_jacobian,
    "platform_twist": lambda m, X: gough.platform_twist(m, X, SIX),
    "platform_acceleration": lambda m, X: gough.kinematics.platform_acceleration(m, X, TWIST, SIX),
    "conditioning": lambda m, X: gough.singularity.conditioning(m, X).singular_values,
    "leg_forces": lambda m, X: gough.leg_forces(m, X, WRENCH),
    "axial_forces": lambda m, X: gough.statics.axial_forces(m, X, WRENCH),
    "stiffness": gough.stiffness,
    "principal_stiffness": lambda m, X: gough.statics.principal_stiffness(gough.stiffness(m, X)).translation,
    "displacement_under_load": lambda m, X: gough.statics.displacement_under_load(m, X, WRENCH),
    "resolution": lambda m, X: gough.accuracy.resolution(m, X).worst_case,
    "parameter_sensitivity": gough.accuracy.parameter_sensitivity,
    "mass_matrix": gough.dynamics.mass_matrix,
    "inverse_dynamics": lambda m, X: gough.inverse_dynamics(m, X, TWIST, SIX),
    "forward_dynamics": lambda m, X: gough.forward_dynamics(m, X, TWIST, SIX),
    "natural_frequencies": lambda m, X: gough.natural_frequencies(m, X).frequency,
}
OF_EACH_LEG = {
    "inverse_kinematics": gough.inverse_kinematics,
    "jacobian": lambda m, X: gough.jacobian(m, X)[..., 0],
    "joint_rates": lambda m, X: gough.joint_rates(m, X, TWIST),
    "joint_accelerations": lambda m, X: gough.kinematics.joint_accelerations(m, X, TWIST, SIX),
}


@pytest.fixture(scope="module", params=SKEW[1:], ids=("sliders", "cranks"))
def reach(request):
    """A machine with a pose that no leg reaches, one that some do not, and home."""
    m = gough.load(request.param)
    X = np.tile(m.X_home, (3, 1, 1))
    X[0, :3, 3] += 10 * m.size
    step = next(s for s in np.linspace(0.01, 3, 300) if out_of_reach(m, shifted(m, s)).any())
    X[1] = shifted(m, step)
    return m, X


def shifted(m, part):
    X = m.X_home.copy()
    X[:3, 3] += part * m.size * np.array([0.6, -0.3, 0.7])
    return X


def out_of_reach(m, X):
    """By the margins, which count a leg's reach without closing it."""
    found = gough.margins(m, X)
    return found.values[..., [k for k, name in enumerate(found.names) if name.endswith("reach")]] < 0


@pytest.mark.parametrize("name", OUT_OF_REACH)
def test_poses_out_of_reach_have_no_numbers(reach, name):
    found = OUT_OF_REACH[name](*reach)
    assert np.isnan(found[:2]).all()
    assert np.isfinite(found[2]).all()


@pytest.mark.parametrize("name", OF_EACH_LEG)
def test_legs_out_of_reach_have_no_numbers_and_the_others_keep_theirs(reach, name):
    m, X = reach
    is_open = out_of_reach(m, X)
    assert is_open[0].all()
    assert 0 < is_open[1].sum() < 6
    found = OF_EACH_LEG[name](m, X)
    np.testing.assert_array_equal(np.isnan(found), is_open)


def test_nothing_is_proven_out_of_reach(reach):
    m, X = reach
    q = gough.inverse_kinematics(m, m.X_home)
    found = gough.kinematics.certify_pose(m, np.tile(q, (3, 1)), X)
    np.testing.assert_array_equal(found.proven, [False, False, True])
    np.testing.assert_array_equal(found.position_error[:2], np.inf)
    np.testing.assert_array_equal(found.rotation_radius[:2], 0.0)


@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_joint_values_without_an_answer(name):
    m = gough.load(name)
    q = gough.inverse_kinematics(m, m.X_home)
    # A leg ten times as long as the machine, or a slider as far away; cranks of which neighbours point apart.
    wrong = q + (10 * m.size if m.legs.joint == "length" else np.pi) * np.array([1, 0, 0, 0, 1, 0])
    with pytest.raises(NotConvergedError, match="misses a leg by"):
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
    "load_capacity": (lambda m, X: gough.statics.load_capacity(bare(), bare().X_home, WRENCH), InputError),
    "inverse_dynamics": (lambda m, X: gough.inverse_dynamics(bare(), bare().X_home, TWIST, SIX), InputError),
    "forward_dynamics": (lambda m, X: gough.forward_dynamics(bare(), bare().X_home, TWIST, SIX), InputError),
    "simulate": (lambda m, X: gough.simulate(bare(), bare().X_home, TWIST, SIX, 0.1), InputError),
    "simulate, out of limits": (lambda m, X: gough.simulate(m, raised(X, m.size), 0 * SIX, SIX, 0.1), InputError),
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


@pytest.mark.parametrize("name", ["dumitriu2017", *SKEW])
@pytest.mark.parametrize("promise", REFUSED)
def test_what_is_refused(promise, name):
    m = gough.load(name)
    call, error = REFUSED[promise]
    with pytest.raises(error) as caught:
        call(m, m.X_home)
    assert "\n" not in str(caught.value) or isinstance(caught.value, MachineFileError)


ON_STACK = {
    "inverse_dynamics": lambda m, X: gough.inverse_dynamics(m, X, np.ones((2, 6)), np.ones((2, 6))),
    "forward_dynamics": lambda m, X: gough.forward_dynamics(m, X, np.ones((2, 6)), np.ones(12)),
    "mass_matrix": gough.dynamics.mass_matrix,
    "jacobian": gough.jacobian,
    "joint_rates": lambda m, X: gough.joint_rates(m, X, np.ones((2, 6))),
    "twists": lambda m, X: gough.platform_twist(m, X, np.ones(12)),
}


@pytest.mark.parametrize("name", ON_STACK)
def test_a_stage_out_of_reach_leaves_no_numbers(name):
    m = gough.load(SKEW_STACK)
    X = np.tile(m.X_home, (2, 1, 1, 1))
    X[0, 1, :3, 3] += 10 * m.stages[1].size
    found = ON_STACK[name](m, X)
    assert np.isnan(found[0]).any()
    assert np.isfinite(found[1]).all()
