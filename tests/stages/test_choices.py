"""Inverse kinematics with six free coordinates: what each choice promises, and that searches find what is best."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

import gough
from gough import stages
from gough.stages.redundancy import PostureSearch

ROUND_OFF = 1e-12
"""Of lengths of about a metre."""
FIRST_ORDER = 1e-5
"""Growth of the smallest margin that a first-order step of the machine's size promises at the answer."""
SPHERE = 1e-4
"""What a random search may find better, relative: less than it finds worse elsewhere."""


@pytest.fixture(scope="module")
def wanted(double):
    part = 1.0 if double.name == "double-hexapod" else 0.4
    return double.X_home[1] @ gough.pose_matrix(
        part * np.array([0.08, 0.03, 0.05]), part * np.array([0.1, -0.2, 0.3]), "XYZ"
    )


@pytest.fixture(scope="module")
def found(double, wanted):
    return {choice: stages.resolve_redundancy(double, wanted, choice) for choice in ("fixed", "margin", "force")}


@pytest.mark.parametrize("choice", ["fixed", "margin", "force"])
def test_forward_kinematics_undoes_every_choice(double, found, wanted, choice):
    answer = found[choice]
    assert answer.is_allowed
    assert answer.margin == pytest.approx(gough.margins(double, answer.matrix).smallest, abs=ROUND_OFF)
    pose = gough.forward_kinematics(double, answer.joints, near=answer.matrix)
    np.testing.assert_allclose(pose.matrix[1], wanted, atol=ROUND_OFF)
    np.testing.assert_allclose(pose.matrix, answer.matrix, atol=ROUND_OFF)
    np.testing.assert_allclose(
        answer.joints[6:],
        gough.inverse_kinematics(double.upper, stages.upper_pose(double, answer.matrix)),
        atol=ROUND_OFF,
    )


def test_each_choice_is_best_at_what_it_promises(double, found):
    norms = {c: np.linalg.norm(stages.force_balance(double, f.matrix).forces) for c, f in found.items()}
    assert found["margin"].margin == max(f.margin for f in found.values())
    assert norms["force"] == min(norms.values())
    assert found["force"].value == pytest.approx(norms["force"])


def test_no_small_step_widens_the_smallest_margin(double, found, wanted):
    """First-order optimality: a linear program finds no direction in which all near-binding margins grow."""
    search = PostureSearch(double, wanted)
    x = search.coordinates(found["margin"].matrix[0])
    margins = search.relative(x[None])[0]
    slopes = search.gradients(search.relative, x[None])[0] * search.size
    near = margins < margins.min() + 1e-6
    A = np.column_stack([-slopes[near], np.ones(near.sum())])
    best = linprog(-np.eye(7)[6], A, np.zeros(near.sum()), bounds=[(-1, 1)] * 6 + [(None, None)])
    assert -best.fun < FIRST_ORDER


def test_random_searches_find_nothing_better(double, found, wanted, rng):
    search = PostureSearch(double, wanted)
    for start in (search.known[2], search.known[8]):
        x, value, spread = start, search.smallest(start[None])[0], 0.2
        while spread > 1e-6:
            tried = x + spread * search.size * rng.normal(size=(500, 6))
            margins = search.smallest(tried)
            if margins.max() > value:
                x, value = tried[margins.argmax()], margins.max()
            else:
                spread *= 0.6
        assert value <= found["margin"].margin + SPHERE


@pytest.mark.parametrize("double", ["double-hexapod"], indirect=True)
def test_where_no_posture_looked_at_is_allowed_the_search_begins_at_the_widest(double, found, wanted, monkeypatch):
    every = PostureSearch.candidates

    def refused(search):
        x, least = every(search)
        return x[least < 0], least[least < 0]

    monkeypatch.setattr(PostureSearch, "candidates", refused)
    answer = stages.resolve_redundancy(double, wanted, "force")
    assert answer.is_allowed
    assert answer.value == pytest.approx(found["force"].value, rel=1e-3)


@pytest.mark.parametrize("double", ["double-hexapod"], indirect=True)
def test_no_allowed_posture_near_by_takes_less_force(double, found, wanted, rng):
    search = PostureSearch(double, wanted)
    x = search.coordinates(found["force"].matrix[0])
    for spread in (1e-1, 1e-2, 1e-3):
        tried = search.postures(x + spread * search.size * rng.normal(size=(500, 6)))
        allowed = tried[gough.margins(double, tried).is_allowed]
        assert len(allowed)
        norms = np.linalg.norm(stages.force_balance(double, allowed).forces, axis=1)
        assert norms.min() >= found["force"].value * (1 - ROUND_OFF)


@pytest.mark.thorough
def test_relative_forces_count_in_parts_of_what_actuators_give(double, wanted):
    strong = replace(double.lower.limits, actuator_force=np.full(6, 200.0))
    weak = replace(double.upper.limits, actuator_force=np.full(6, 20.0))
    m = replace(double, stages=(replace(double.lower, limits=strong), replace(double.upper, limits=weak)))
    answer = stages.resolve_redundancy(m, wanted, "relative force", wrench=[0, 0, -50, 0, 0, 0])
    balance = stages.force_balance(m, answer.matrix, [0, 0, -50, 0, 0, 0])
    np.testing.assert_array_equal(balance.used, np.abs(balance.forces) / np.repeat([200.0, 20.0], 6))
    assert answer.value == pytest.approx(np.linalg.norm(balance.used))
