"""Homotopy paths in NumPy: the ends, fates and turns that the compiled tracker finds."""

import sys
from pathlib import Path

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough._compile import INTERPRETER, _TooLongError
from gough.assembly import solve
from gough.assembly._paths_in_numpy import _multiple, _solved, follow_together
from gough.assembly.families import FLAT, GENERAL, SYMMETRIC, triangle
from gough.assembly.paths import AIM, NO_POSE, REGULAR, SINGULAR, Paths, are_same, follow, start_system

sys.path.insert(0, str(Path(__file__).parent))
from machines import general

FAMILIES = [GENERAL, FLAT, SYMMETRIC, triangle(True, False), triangle(False, False), triangle(True, True)]
SPECIAL = ["jugglebot", *thorough("hexaglide", "servo", "tsai2000", "rubin-camera")]
"""Machines more special than their families: some paths to them leave the motions."""

NEAR = 1e-4


def follow_in_numpy(legs, target, starts, aim=AIM):
    count = len(starts)
    found = Paths(np.full((count, 8), np.nan, complex), np.empty(count, np.int64), np.empty(count, np.int64))
    with np.errstate(all="ignore"):
        follow_together(legs, target - legs, starts, aim, found.ends, found.fate, found.turns)
    return found


def motion_part(x):
    """|e . e| / |x|^2 (n,), small for huge translations."""
    return np.abs((x[:, :4] ** 2).sum(axis=1)) / (np.abs(x) ** 2).sum(axis=1)


def assert_same(found, expected):
    """Rounding decides which ends with translations of hundreds of machine sizes are regular."""
    near = [(each.fate == REGULAR) & (motion_part(each.ends) > NEAR) for each in (found, expected)]
    np.testing.assert_array_equal(*near)
    assert (found.turns[near[0]] == 1).all()
    assert all(are_same(x, y, 1e-9) for x, y in zip(found.ends[near[0]], expected.ends[near[0]], strict=True))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{family.name}{' inverse' * family.is_inverse}")
def test_paths_between_members_of_a_family_end_where_compiled_ones_do(family):
    legs, starts = start_system(family, 0)
    rng = np.random.default_rng(len(starts))
    factor = 1.0 + 0.3 * (rng.normal(size=7) + 1j * rng.normal(size=7))  # of columns: members stay members
    factor[1], factor[4] = factor[0], factor[3]
    target = legs * factor
    found = follow_in_numpy(legs, target, starts)
    assert (found.fate == REGULAR).all()
    assert_same(found, follow(legs, target, starts))


@pytest.mark.parametrize("name", [*SPECIAL, *SKEW])
def test_paths_to_machines_end_where_compiled_ones_do(name, monkeypatch):
    machine, met = gough.load(name), set()

    def compared(legs, target, starts, aim):
        expected = follow(legs, target, starts, aim)
        assert_same(follow_in_numpy(legs, target, starts, aim), expected)
        met.update(expected.fate.tolist())
        return expected

    monkeypatch.setattr(solve, "follow", compared)
    assert len(gough.assembly_modes(machine, gough.inverse_kinematics(machine, machine.X_home)))
    assert met >= ({REGULAR} if name in SKEW else {REGULAR, NO_POSE})


def test_double_poses_and_self_motions_are_found(monkeypatch):
    """Rounding decides which of its members a path to a self-motion ends at, not how many poses there are."""
    machine = gough.load("singular-home")
    q, met = gough.inverse_kinematics(machine, machine.X_home), set()
    expected = gough.assembly_modes(machine, q)

    def in_numpy(legs, target, starts, aim):
        found = follow_in_numpy(legs, target, starts, aim)
        met.update(found.fate.tolist())
        return found

    monkeypatch.setattr(solve, "follow", in_numpy)
    found = gough.assembly_modes(machine, q)
    assert met >= {REGULAR, NO_POSE, SINGULAR}
    assert found.complete
    np.testing.assert_allclose(found.matrix, expected.matrix, atol=1e-6)
    np.testing.assert_array_equal(found.is_singular, expected.is_singular)


def test_ends_fit_the_legs():
    """Checked in the leg equations themselves: the compiled tracker may share an error."""
    rng = np.random.default_rng(5)
    legs, starts = start_system(GENERAL, 0)
    machine = general(rng)
    a, b = machine.legs.driven_points(np.ones(6)), machine.b_P
    q = np.linalg.norm(a - b - [0.1, -0.2, 1.1], axis=1)
    target = np.column_stack([a, b, (a * a + b * b).sum(axis=1) - q * q]).astype(complex)
    found = follow_in_numpy(legs, target, starts)
    assert (found.fate == REGULAR).all()
    for x in found.ends:
        e, g = x[:4], x[4:]
        assert abs(e @ g) < 1e-12 * (np.abs(x) ** 2).sum()
        R, t = rotation_and_translation(e, g)
        d = t + b @ R.T - a
        scale = 1.0 + np.abs(t).max() ** 2 + np.abs(R).max() ** 2
        np.testing.assert_allclose((d * d).sum(axis=1), q * q, atol=1e-9 * scale)


def rotation_and_translation(e, g):
    """Complex rotation matrix and translation of a dual quaternion."""
    square, (w, v) = e @ e, (e[0], e[1:])
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    R = ((w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * cross) / square
    return R, 2.0 * (w * g[1:] - g[0] * v - np.cross(g[1:], v)) / square


def test_singular_systems_have_infinite_steps_and_others_their_own():
    J = np.array([np.eye(8), np.zeros((8, 8)), 2.0 * np.eye(8)], complex)
    found = _solved(J, np.ones((3, 8, 2), complex))
    assert np.isinf(found[1].real).all()
    np.testing.assert_array_equal(found[[0, 2]], [np.ones((8, 2)), np.full((8, 2), 0.5)])


def test_multiple_ends_far_away_are_no_poses():
    """Null vectors e are no rotations, whatever the scale; a translation of ten machine sizes is one."""
    far, near = [1, 1j, 0, 0, 0, 0, 2, 0], [1, 0, 0, 0, 0, 5, 0, 0]
    slightly = [1, 1j * (1 - 1e-7), 0, 0, 0, 0, 2, 0]
    found = _multiple(3j * np.array([far, slightly, near]))
    assert found.tolist() == [NO_POSE, NO_POSE, SINGULAR]


def test_paths_stop_at_the_deadline_of_interpretation():
    legs, starts = start_system(FLAT, 0)
    target = start_system(FLAT, 1)[0]
    arguments = legs, target - legs, starts, AIM, starts.copy(), np.zeros(20, np.int64), np.zeros(20, np.int64)
    with pytest.raises(_TooLongError):
        INTERPRETER.run(follow_together, arguments, 0.0)
