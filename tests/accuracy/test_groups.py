"""Errors by group of tolerances: against poses of machines that are really off by them."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.accuracy import error_by_group
from gough.cli import main

SMALL = 1e-7
"""Errors of the geometry [m], small enough for first order."""
OF_ARGUMENTS = {"points": "joint positions", "lengths": "lengths", "encoder": "encoders"}
GROUPS = tuple(OF_ARGUMENTS.values())


def moved(machine, q, X):
    """Displacement (6,) of the point of interest with joints q held, from pose X."""
    Y, c = gough.forward_kinematics(machine, q, near=X).matrix, machine.point_of_interest
    turn = Rotation.from_matrix(Y[:3, :3] @ X[:3, :3].T).as_rotvec()
    return np.concatenate([(Y[:3, :3] - X[:3, :3]) @ c + Y[:3, 3] - X[:3, 3], turn])


def test_each_group_is_the_sum_of_errors_really_made():
    machine = gough.load("pitch-circle")
    X = machine.X_home @ gough.pose_matrix([2e-3, -1e-3, 3e-3], [0.02, 0.03, -0.01], "xyz")
    q, legs = gough.inverse_kinematics(machine, X), machine.legs
    found = error_by_group(machine, X, points=SMALL, lengths=2 * SMALL, encoder=3 * SMALL)
    made = {"joint positions": [], "lengths": [], "encoders": []}
    for i in range(6):
        for side in ("a_B", "b_P"):
            for axis in range(3):
                points = getattr(legs, side).copy()
                points[i, axis] += SMALL
                made["joint positions"].append(moved(replace(machine, legs=replace(legs, **{side: points})), q, X))
        off = np.eye(6)[i]
        made["lengths"].append(moved(machine, q + 2 * SMALL * off, X))
        made["encoders"].append(moved(machine, q + 3 * SMALL * off, X))
    for name in GROUPS:
        errors = np.array(made[name])
        np.testing.assert_allclose(found[name].worst_case, np.abs(errors).sum(axis=0), rtol=2e-4)
        np.testing.assert_allclose(found[name].rms, np.sqrt((errors**2).sum(axis=0)), rtol=2e-4)
    everything = np.array([error for name in GROUPS for error in made[name]])
    np.testing.assert_allclose(found["together"].worst_case, np.abs(everything).sum(axis=0), rtol=2e-4)
    np.testing.assert_allclose(found["together"].rms, np.sqrt((everything**2).sum(axis=0)), rtol=2e-4)


def test_groups_that_are_exact_err_by_nothing_and_batches_keep_their_shape():
    machine = gough.load("servo")
    X = gough.pose_matrix([[0, 0, 0.13], [0, 0, 0.135]])
    found = error_by_group(machine, X, points=0.0, lengths=0.0, encoder=np.radians(1))
    assert found["together"].rms.shape == (2, 6)
    np.testing.assert_array_equal(found["joint positions"].rms, 0.0)
    np.testing.assert_array_equal(found["lengths"].worst_case, 0.0)
    np.testing.assert_allclose(found["together"].rms, found["encoders"].rms)
    with pytest.raises(gough.errors.InputError, match="lengths: -1, expected a tolerance of 0 or more"):
        error_by_group(machine, X, lengths=-1.0)


@pytest.mark.parametrize("known", [names for k in range(4) for names in combinations(OF_ARGUMENTS, k)], ids=str)
def test_errors_without_a_tolerance_are_unknown_and_say_which_is_missing(known, capsys):
    machine = gough.load("pitch-circle")
    X = np.stack([machine.X_home, machine.X_home @ gough.pose_matrix([2e-3, 1e-3, 0], [0.02, 0, 0.01], "xyz")])
    found = error_by_group(machine, X, **dict.fromkeys(known, SMALL))
    for argument, group in OF_ARGUMENTS.items():
        budget = found[group]
        assert np.isfinite(budget.rms).all() == np.isfinite(budget.worst_case).all() == (argument in known)
        assert np.isnan(budget.rms).all() == (argument not in known)
        assert budget.rms.shape == (2, 6)
        assert budget.unknown == (() if argument in known else (argument,))
        assert (argument in budget.sentence()) == (argument not in known)
    missing = tuple(name for name in OF_ARGUMENTS if name not in known)
    assert found["together"].unknown == missing
    assert np.isnan(found["together"].worst_case).all() == bool(missing)
    command = [part for name in known for part in (f"--{name}", "0.01")]
    if known:
        assert main(["accuracy", "pitch-circle", *command, "--json"]) == 0
        parsed = json.loads(capsys.readouterr().out)
        for argument, group in OF_ARGUMENTS.items():
            numbers = parsed[group.replace(" ", "_")]["worst_case"]
            assert all((number is None) == (argument not in known) for number in numbers)
        assert all((number is None) == bool(missing) for number in parsed["together"]["rms"])
