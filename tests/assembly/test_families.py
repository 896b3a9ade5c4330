"""Families of special machines: recognised however they are given, and as complete as the way for general ones."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.thorough import thorough

import gough
from gough.assembly.families import FLAT, GENERAL, SYMMETRIC, normalised, triangle
from gough.assembly.homotopy import REGULAR, follow_paths
from gough.assembly.solve import all_solutions, start_system

sys.path.insert(0, str(Path(__file__).parent))
from machines import flat, general, random_pose, symmetric

SAME = 1e-7  # entries of dual quaternions of length one
MEETING = [0, 0, 1, 1, 2, 2]
FAMILIES = [GENERAL, FLAT, SYMMETRIC, triangle(True, False), triangle(False, False), triangle(True, True)]


def meeting_in_pairs(rng, is_flat):
    """Base and platform points (6, 3) of legs that meet at three platform joints, the base flat or not."""
    points = rng.normal(size=(2, 6, 3))
    points[..., 2] *= 0.0 if is_flat else 1.0
    return points[0], points[1][MEETING]


def legs_of(machine, rng):
    """Base points, platform points and lengths that a random pose asks for, the legs in a random order."""
    order, q = rng.permutation(6), gough.inverse_kinematics(machine, random_pose(rng))
    return machine.legs.driven_points(q)[order], machine.b_P[order], q[order]


def special_machine(name, rng):
    if name == "symmetric":
        return symmetric(rng)
    base, platform = meeting_in_pairs(rng, "flat" in name)
    points = (platform, base) if "base" in name else (base, platform)
    return gough.from_points(*points, home=gough.pose([0, 0, 1]))


SPECIAL = {
    "symmetric": SYMMETRIC,
    "triangle": triangle(False, False),
    "flat triangle": triangle(True, False),
    "triangular base": triangle(False, True),
    "flat triangular base": triangle(True, True),
}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{family.name}{' inverse' * family.is_inverse}")
def test_start_systems_are_complete_and_solve_their_own_machine(family):
    legs, solutions = start_system(family, 0)
    assert len(solutions) == family.stored
    paths = follow_paths(legs, legs, solutions)
    assert (paths.fate == REGULAR).all()
    unit = paths.ends / np.linalg.norm(paths.ends, axis=1, keepdims=True)
    along = np.abs(unit.conj() @ unit.T) - np.eye(len(unit))
    assert along.max() < 1.0 - SAME, "no two are one"


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("seed", [2, *thorough(3, 4)])
def test_a_special_machine_is_recognised_and_nothing_of_it_is_lost(name, seed):
    rng = np.random.default_rng([seed, 28])
    frames = normalised(*legs_of(special_machine(name, rng), rng))
    assert frames.special == SPECIAL[name]
    quick, slow = all_solutions(frames), all_solutions(replace(frames, special=None))
    assert quick.complete
    assert slow.complete
    assert quick.runs == 1
    assert len(quick.regular) == len(slow.regular) == SPECIAL[name].finite
    same = np.abs(quick.regular.conj() @ slow.regular.T)
    assert (same.max(axis=1) > 1.0 - SAME).all()


@pytest.mark.parametrize("family", [general, flat])
def test_a_general_machine_is_in_no_special_family(family):
    rng = np.random.default_rng(1)
    assert normalised(*legs_of(family(rng), rng)).special is None


def test_a_platform_upside_down_is_recognised():
    rng = np.random.default_rng(2)
    a, b, q = legs_of(symmetric(rng), rng)
    for flip in ([1, 1, 1], [1, -1, 1], [-1, 1, 1]):
        assert normalised(a, b * flip, q).special == SYMMETRIC
