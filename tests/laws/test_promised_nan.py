"""What docstrings promise where there is no answer: NaN, infinity or None; the poses beside keep their answers.

Each line of a table is a function, and what it promises at a pose that is singular to rounding, or out of reach.
"""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.laws.test_promised_errors import TESTS, documented
from tests.laws.test_promises import SIX, TWIST, WRENCH, bare, raised
from tests.skew import SKEW, SKEW_STACK

import gough
from gough import motion, stages
from gough.errors import InputError


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


TILTED = gough.pose_matrix([0.1, 0.2, 0.3], [0.3, -0.2, 0.1], "XYZ")
"""Of a base that moves."""


def by_group(m, X):
    found = gough.accuracy.error_by_group(m, X, points=1e-5, lengths=1e-5, encoder=1e-5)
    return np.stack([budget.rms for budget in found.values()], axis=1)


AT_SINGULAR = {
    "inverse_jacobian": gough.kinematics.inverse_jacobian,
    "platform_twist": lambda m, X: gough.platform_twist(m, X, SIX),
    "platform_acceleration": lambda m, X: gough.kinematics.platform_acceleration(m, X, TWIST, SIX),
    "leg_forces": lambda m, X: gough.leg_forces(m, X, WRENCH),
    "leg_forces, weights": lambda m, X: gough.leg_forces(m, X, gravity=True),
    "axial_forces": lambda m, X: gough.statics.axial_forces(m, X, WRENCH),
    "deflection": lambda m, X: gough.statics.deflection(m, X, WRENCH),
    "resolution": lambda m, X: gough.accuracy.resolution(m, X).worst_case,
    "resolution, RMS": lambda m, X: gough.accuracy.resolution(m, X).rms,
    "pose_error": lambda m, X: gough.accuracy.pose_error(m, X, 1e-5).rms,
    "parameter_sensitivity": gough.accuracy.parameter_sensitivity,
    "inverse_dynamics": lambda m, X: gough.inverse_dynamics(m, X, TWIST, SIX),
    "linear_map": lambda m, X: np.stack([gough.kinematics.linear_map(m, one).T for one in X]),
    "guaranteed_wrench": gough.statics.guaranteed_wrench,
    "wrench_capacity": lambda m, X: gough.statics.wrench_capacity(m, X, WRENCH).factor,
    "capacity_table": lambda m, X: np.array([[row.plus for row in gough.statics.capacity_table(m, one)] for one in X]),
    "payload": lambda m, X: gough.payload(m, X).factor,
    "payload_table": lambda m, X: np.array([[row.mass for row in gough.statics.payload_table(m, one)] for one in X]),
    "error_by_group": by_group,
    "moving_base_forces": lambda m, X: stages.moving_base_forces(m, (TILTED, TWIST, SIX), (X, TWIST, SIX)),
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
    for refused in (lambda: e.vertices("rotation"), lambda: gough.statics.wrench_envelope(singular, X)):
        with pytest.raises(InputError, match="singular"):
            refused()


def standing(X):
    """A motion that jumps from pose to pose of X (3, 4, 4) and stands at each."""
    return motion.FunctionPath(lambda s: (X[s.round().astype(int)], *np.zeros((2, len(s), 6))), (0.0, 2.0))


OUT_OF_REACH = {
    "inverse_jacobian": gough.kinematics.inverse_jacobian,
    "platform_twist": lambda m, X: gough.platform_twist(m, X, SIX),
    "platform_acceleration": lambda m, X: gough.kinematics.platform_acceleration(m, X, TWIST, SIX),
    "conditioning": lambda m, X: gough.singularity.conditioning(m, X).singular_values,
    "leg_forces": lambda m, X: gough.leg_forces(m, X, WRENCH),
    "axial_forces": lambda m, X: gough.statics.axial_forces(m, X, WRENCH),
    "stiffness": gough.stiffness,
    "principal_stiffness": lambda m, X: gough.statics.principal_stiffness(gough.stiffness(m, X)).translation,
    "deflection": lambda m, X: gough.statics.deflection(m, X, WRENCH),
    "resolution": lambda m, X: gough.accuracy.resolution(m, X).worst_case,
    "parameter_sensitivity": gough.accuracy.parameter_sensitivity,
    "mass_matrix": gough.dynamics.mass_matrix,
    "inverse_dynamics": lambda m, X: gough.inverse_dynamics(m, X, TWIST, SIX),
    "forward_dynamics": lambda m, X: gough.forward_dynamics(m, X, TWIST, SIX),
    "natural_frequencies": lambda m, X: gough.natural_frequencies(m, X).frequency,
    "pose_error": lambda m, X: gough.accuracy.pose_error(m, X, 1e-5).rms,
    "guaranteed_wrench": lambda m, X: gough.statics.guaranteed_wrench(m, X, actuator_force=1e3),
    "wrench_capacity": lambda m, X: gough.statics.wrench_capacity(m, X, WRENCH, actuator_force=1e3).factor,
    "payload": lambda m, X: gough.payload(m, X, actuator_force=1e3).factor,
    "coriolis_wrench": lambda m, X: gough.dynamics.coriolis_wrench(m, X, TWIST),
    "gravity_wrench": gough.dynamics.gravity_wrench,
    "kinetic_energy": lambda m, X: gough.dynamics.kinetic_energy(m, X, TWIST),
    "potential_energy": gough.dynamics.potential_energy,
    "velocity_envelope": lambda m, X: gough.velocity_envelope(m, X, joint_speed=1.0).fastest(),
    "singular_surface": lambda m, X: gough.singularity.singular_surface(m)(X[:, :3, 3]),
    "margins": lambda m, X: gough.margins(m, X).relative[:, -1],
    "margin_gradient": lambda m, X: gough.limits.margin_gradient(m, X).values[:, -1],
    "error_by_group": by_group,
    "moving_base_forces": lambda m, X: stages.moving_base_forces(m, (TILTED, TWIST, SIX), (X, TWIST, SIX)),
}
OF_EACH_LEG = {
    "inverse_kinematics": gough.inverse_kinematics,
    "jacobian": lambda m, X: gough.jacobian(m, X)[..., 0],
    "joint_rates": lambda m, X: gough.joint_rates(m, X, TWIST),
    "leg_motion": lambda m, X: motion.leg_motion(m, standing(X), [0.0, 1.0, 2.0]).joint_rate.values,
    "joint_accelerations": lambda m, X: gough.kinematics.joint_accelerations(m, X, TWIST, SIX),
    "body_motions": lambda m, X: gough.dynamics.body_motions(m, X)[m.legs.parts[-1]].mass_centre[..., 0],
    "passive_joints": lambda m, X: gough.dynamics.passive_joints(m, X).universal[..., 0],
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


ON_STACK = {
    "inverse_dynamics": lambda m, X: gough.inverse_dynamics(m, X, np.ones((2, 6)), np.ones((2, 6))),
    "forward_dynamics": lambda m, X: gough.forward_dynamics(m, X, np.ones((2, 6)), np.ones(12)),
    "mass_matrix": gough.dynamics.mass_matrix,
    "jacobian": gough.jacobian,
    "joint_rates": lambda m, X: gough.joint_rates(m, X, np.ones((2, 6))),
    "twists": lambda m, X: gough.platform_twist(m, X, np.ones(12)),
    "resolve_redundancy": lambda m, X: stages.resolve_redundancy(m, X[:, 1]).joints,
}


@pytest.mark.parametrize("name", ON_STACK)
def test_a_stage_out_of_reach_leaves_no_numbers(name):
    m = gough.load(SKEW_STACK)
    X = np.tile(m.X_home, (2, 1, 1, 1))
    X[0, 1, :3, 3] += 10 * m.stages[1].size
    found = ON_STACK[name](m, X)
    assert np.isnan(found[0]).any()
    assert np.isfinite(found[1]).all()


STACK_AT_SINGULAR = {
    "least_rates": lambda m, X: stages.least_rates(m, X, TWIST),
    "force_balance": lambda m, X: stages.force_balance(m, X, WRENCH).forces,
}


@pytest.mark.parametrize("name", STACK_AT_SINGULAR)
def test_a_singular_stage_leaves_no_numbers(singular, name):
    m = stages.stack(singular, singular)
    beside = singular.X_home @ gough.pose_matrix([0.01, 0.02, 0.01], [0.1, 0.2, 0.3], "XYZ")
    lower, upper = np.stack([beside, singular.X_home, beside]), np.stack([singular.X_home, beside, beside])
    found = STACK_AT_SINGULAR[name](m, stages.stacked_poses(m, lower, upper))
    assert np.isnan(found[:2, :6]).all()
    np.testing.assert_array_equal(np.isnan(found[:2, 6:]).all(axis=1), [True, name == "least_rates"])
    assert np.isfinite(found[2]).all()


NAN_ELSEWHERE = {
    "forward_as_one_system": "stages/test_kinematics.py",
    **dict.fromkeys(("pose_covariance", "remaining_error"), "calibration/test_written.py"),
}
"""Tests that see the NaN of functions with other arguments, by file."""


@pytest.mark.parametrize(
    ("promise", "tables"),
    [
        (r"NaN[^;.]*\bcannot close\b", (OUT_OF_REACH, OF_EACH_LEG, ON_STACK)),
        (r"NaN[^;.]*\bsingular\b", (AT_SINGULAR, STACK_AT_SINGULAR)),
    ],
)
def test_every_function_that_promises_no_number_has_a_row(promise, tables):
    rows = {name.split(",")[0] for table in tables for name in table}
    promising = {name for name, text in documented() if re.search(promise, text)}
    assert len(promising) > 10
    for name in promising - rows:
        tests = (TESTS / NAN_ELSEWHERE[name]).read_text("utf8").split("\ndef ")
        assert any(re.search(rf"\b{name}\(", test) and "np.isnan(" in test for test in tests), name


def jacobian_at_turning_points():
    """Of rods that are perpendicular to their sliders, without rounding."""
    m = gough.load("hexaglide")
    heads = np.round(4 * m.b_P) / 4
    legs = replace(m.legs, b_P=heads, a_B=heads - [0, 0, 1.0], g_B=np.tile([1.0, 0, 0], (6, 1)), rod_length=np.ones(6))
    J = gough.jacobian(replace(m, legs=legs), np.eye(4))
    assert not np.isfinite(J).any()
    return np.nanmax(np.abs(J), axis=1)


def from_home(call, name):
    m = gough.load(name)
    return call(m, m.X_home)


ENDLESS = {
    "jacobian": jacobian_at_turning_points,
    "wrench_capacity": lambda: from_home(
        lambda m, X: gough.statics.wrench_capacity(m, X, np.zeros(6), actuator_force=1e3).factor, "hexel"
    ),
    "payload": lambda: from_home(lambda m, X: gough.payload(m, X, gravity=False, actuator_force=1e3).factor, "hexel"),
    "singular_distance": lambda: from_home(lambda m, X: gough.singularity.singular_distance(m, X).upper, "servo"),
    "travel_table": lambda: gough.travel_table(bare(), bare().X_home)[0].plus,
}
NOTHING = {
    "mode_transition": lambda: from_home(
        lambda m, X: gough.assembly.mode_transition(m, X, raised(X, 100 * m.size)), "hexaglide"
    ),
    "motion_limits": lambda: motion.motion_limits(bare()).speed,
}


@pytest.mark.parametrize("name", [*ENDLESS, *NOTHING])
def test_what_has_no_end_is_infinite_and_what_is_not_there_is_none(name):
    found = {**ENDLESS, **NOTHING}[name]()
    assert (found is None) if name in NOTHING else np.isposinf(found).all()


@pytest.mark.parametrize(("promise", "table"), [(r"\binfinite\b", ENDLESS), (r"\bNone (where|for)\b", NOTHING)])
def test_every_function_that_promises_infinity_or_none_has_a_row(promise, table):
    returned = ((name, re.search(r" Returns -+ (.*?)( Raises -+ |$)", text)) for name, text in documented())
    assert {name for name, section in returned if section and re.search(promise, section[1])} == {*table}
