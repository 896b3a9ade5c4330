"""Any finite pose is answered: NaN only where a leg cannot close, and nothing raised but Gough's own errors."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough

MACHINES = {name: gough.load(name) for name in ("hexel", "rotopod", *SKEW)}
names = st.sampled_from(sorted(MACHINES))
ROUND_OFF = 1e-12
"""Of the machine's size: nearer to where a leg just closes, rounding decides."""
FARTHEST = 1e3
"""Poses go as far as this many machine sizes."""

coordinates = st.tuples(*[st.floats(-FARTHEST, FARTHEST)] * 3)
near_coordinates = st.tuples(*[st.floats(-1, 1)] * 3)
turns = st.tuples(*[st.floats(-np.pi, np.pi)] * 3)


def pose_of(machine, position, turn):
    X = np.eye(4)
    X[:3, :3] = Rotation.from_rotvec(turn).as_matrix() @ machine.X_home[:3, :3]
    X[:3, 3] = machine.X_home[:3, 3] + machine.size * np.array(position)
    return X


def reach_of(machine, X):
    """How far each leg is from where it cannot close, in machine sizes; infinite for struts."""
    found = gough.margins(machine, X)
    reach = [found.values[k] for k, name in enumerate(found.names) if name.endswith("reach")]
    return np.array(reach if reach else [np.inf] * 6) / machine.size


@given(names, st.one_of(coordinates, near_coordinates), turns)
@settings(max_examples=300, deadline=None)
def test_joints_are_nan_exactly_where_a_leg_cannot_close(name, position, turn):
    machine = MACHINES[name]
    X = pose_of(machine, position, turn)
    reach = reach_of(machine, X)
    assume((np.abs(reach) > ROUND_OFF * FARTHEST).all())
    assert (np.isnan(gough.inverse_kinematics(machine, X)) == (reach < 0)).all()


@given(names, st.one_of(coordinates, near_coordinates), turns)
@settings(max_examples=300, deadline=None)
def test_rates_and_margins_are_nan_only_where_a_leg_cannot_close(name, position, turn):
    machine = MACHINES[name]
    X = pose_of(machine, position, turn)
    closes = ~np.isnan(gough.inverse_kinematics(machine, X))
    J = gough.jacobian(machine, X)
    assert J.shape == (6, 6)
    assert not np.isnan(J[closes]).any()
    found = gough.margins(machine, X)
    for value, legs in zip(found.values, found.legs, strict=True):
        concerned = closes[[leg - 1 for leg in legs]] if legs else closes
        assert not np.isnan(value) or not concerned.all()
    assert found.is_allowed in (True, False)
    assert found.sentence()
    assert len(found.sentences()) > 0 or bool(found.is_allowed)


@given(names, near_coordinates, turns)
@settings(max_examples=100, deadline=None)
def test_forward_kinematics_returns_the_pose_or_says_that_it_has_none(name, position, turn):
    machine = MACHINES[name]
    q = gough.inverse_kinematics(machine, pose_of(machine, position, turn))
    solution = gough.forward_kinematics(machine, q, throw=False)
    if solution.converged:
        again = gough.inverse_kinematics(machine, solution.matrix)
        off = np.abs(again - q) / (machine.size if machine.legs.joint == "length" else 1.0)
        # A crank or slider on its other branch has the same rod length, and another coordinate.
        assert solution.residual <= ROUND_OFF * machine.size
        assert (off < 1e-6).all() or machine.legs.rod() is not None
    else:
        assert np.isnan(solution.matrix).all()


arrays = st.sampled_from([(), (3,), (4,), (4, 4), (6,), (6, 6), (3, 4), (2, 3, 3), (1, 4, 4), (0, 4, 4), (2, 0, 4, 4)])


@given(names, arrays, st.sampled_from([0.0, 1.0, np.nan, np.inf, -1e308]))
@settings(max_examples=200, deadline=None)
@pytest.mark.parametrize("function", [gough.inverse_kinematics, gough.jacobian, gough.margins])
def test_any_array_is_a_pose_or_an_error_of_goughs_own(function, name, shape, value):
    X = np.full(shape, value)
    try:
        answer = function(MACHINES[name], X)
    except gough.errors.InputError:
        return
    values = getattr(answer, "values", answer)
    assert values.size == 0 or np.isnan(values).all(), "no such array is a pose, unless it is empty or NaN"


@given(st.tuples(*[st.floats()] * 3), st.tuples(*[st.floats()] * 3), st.sampled_from(["XYZ", "zyz", "ZX", "abc", ""]))
@settings(max_examples=200, deadline=None)
def test_any_numbers_make_a_pose_or_an_error_of_goughs_own(translation, angles, sequence):
    try:
        X = gough.pose(translation, angles, sequence)
    except gough.errors.InputError:
        return
    assert np.isfinite(X.as_matrix()).all()
