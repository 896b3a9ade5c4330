"""Homotopy paths: their ends solve the leg equations of the target, each a different solution."""

import sys
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.assembly import solve
from gough.assembly.families import FLAT, GENERAL, SYMMETRIC, triangle
from gough.assembly.homotopy import NO_POSE, REGULAR, SINGULAR, follow_paths
from gough.assembly.solve import are_same, start_system

sys.path.insert(0, str(Path(__file__).parent))
from machines import general

FAMILIES = [GENERAL, FLAT, SYMMETRIC, triangle(True, False), triangle(False, False), triangle(True, True)]


def assert_solves(x, target):
    """The dual quaternion moves every platform point to its leg's sphere: checked by the motion itself."""
    e, g = x[:4], x[4:]
    assert abs(e @ g) < 1e-12 * (np.abs(x) ** 2).sum()
    R, t = rotation_and_translation(e, g)
    a, b, c = target[:, :3], target[:, 3:6], target[:, 6]
    d = t + b @ R.T - a
    square = (a * a).sum(axis=1) + (b * b).sum(axis=1) - c
    scale = 1.0 + np.abs(t).max() ** 2 + np.abs(R).max() ** 2
    np.testing.assert_allclose((d * d).sum(axis=1), square, atol=1e-9 * scale)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{family.name}{' inverse' * family.is_inverse}")
def test_paths_between_members_of_a_family_end_at_different_solutions(family):
    legs, starts = start_system(family, 0)
    rng = np.random.default_rng(len(starts))
    factor = 1.0 + 0.3 * (rng.normal(size=7) + 1j * rng.normal(size=7))  # of columns: members stay members
    factor[1], factor[4] = factor[0], factor[3]
    target = legs * factor
    found = follow_paths(legs, target, starts)
    assert (found.fate == REGULAR).all()
    assert (found.turns == 1).all()
    for k, x in enumerate(found.ends):
        assert_solves(x, target)
        assert not any(are_same(x, y) for y in found.ends[:k])


def test_paths_to_a_real_machine_end_at_its_solutions():
    rng = np.random.default_rng(5)
    legs, starts = start_system(GENERAL, 0)
    machine = general(rng)
    a, b = machine.legs.driven_points(np.ones(6)), machine.b_P
    q = np.linalg.norm(a - b - [0.1, -0.2, 1.1], axis=1)
    target = np.column_stack([a, b, (a * a + b * b).sum(axis=1) - q * q]).astype(complex)
    found = follow_paths(legs, target, starts)
    assert (found.fate == REGULAR).all()
    for x in found.ends:
        assert_solves(x, target)


def test_double_poses_and_self_motions_are_found(monkeypatch):
    machine = gough.load("singular-home")
    met = set()

    def recorded(*arguments):
        found = follow_paths(*arguments)
        met.update(found.fate.tolist())
        return found

    monkeypatch.setattr(solve, "follow_paths", recorded)
    found = gough.assembly_modes(machine, gough.inverse_kinematics(machine, machine.X_home))
    assert met >= {REGULAR, NO_POSE, SINGULAR}
    assert found.complete
    assert found.is_singular.any()


def rotation_and_translation(e, g):
    """Complex rotation matrix and translation of a dual quaternion."""
    square, (w, v) = e @ e, (e[0], e[1:])
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    R = ((w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * cross) / square
    return R, 2.0 * (w * g[1:] - g[0] * v - np.cross(g[1:], v)) / square
