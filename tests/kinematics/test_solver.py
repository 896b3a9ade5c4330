"""ForwardSolver: the answers of forward kinematics, its promise, and that calls leave nothing behind."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import gough

SAME = 1e-12
"""Entries of two solutions of one pose, in machine sizes: rounding, times the conditioning of ordinary poses."""


def motion(machine, count=200):
    """A closed curve about home that every built-in machine can follow."""
    s = np.linspace(0.0, 2.0 * np.pi, count)
    reach = 0.02 * machine.size * np.stack([np.sin(s), np.sin(2 * s), np.cos(s) - 1], axis=1)
    return machine.X_home @ gough.pose_matrix(reach, 0.05 * np.stack([np.sin(s), np.sin(3 * s), 0 * s], axis=1), "XYZ")


def barred(machine):
    """Joint coordinates that cannot be reached from home without a singularity, but fit another mode."""
    X = machine.X_home @ gough.pose_matrix([0, 0, 0], np.random.default_rng(1).uniform(-1.2, 1.2, (400, 3)), "XYZ")
    q = gough.inverse_kinematics(machine, X)
    s = gough.forward_kinematics(machine, q[np.isfinite(q).all(axis=1)], throw=False)
    return s.q[np.flatnonzero(s.status == gough.kinematics.Status.OTHER_MODE)[0]]


def test_a_motion_is_followed_as_by_forward_kinematics_from_each_last_pose(machine):
    X = motion(machine)
    q = gough.inverse_kinematics(machine, X)
    solver, last = gough.ForwardSolver(machine), machine.X_home
    for joints, pose in zip(q, X, strict=True):
        assert solver(joints) == gough.kinematics.Status.NEAR
        s = gough.forward_kinematics(machine, joints, near=last)
        np.testing.assert_allclose(solver.matrix, s.matrix, atol=SAME * machine.size)
        np.testing.assert_allclose(solver.matrix, pose, atol=SAME * machine.size)
        assert solver.iterations == s.iterations
        assert solver.residual < SAME * machine.size
        last = s.matrix


def test_behind_a_singularity_it_stays_where_it_was_and_goes_on():
    m = gough.load("tsai2000")
    q = gough.inverse_kinematics(m, motion(m))
    solver, bad = gough.ForwardSolver(m), barred(m)
    for joints in q[:100]:
        solver(joints)
    before = solver.last
    for _ in range(3):
        assert solver(bad) == gough.kinematics.Status.OTHER_MODE
        assert np.abs(gough.inverse_kinematics(m, solver.matrix) - bad).max() < SAME * m.size, "it fits the legs"
        np.testing.assert_array_equal(solver.last, before)
    assert solver(q[100]) == gough.kinematics.Status.NEAR
    np.testing.assert_allclose(solver.matrix, motion(m)[100], atol=SAME)


@pytest.mark.parametrize("q", [[0.1, 0.9, 0.1, 0.9, 0.1, 0.9], [np.nan] * 6], ids=["fit nothing", "no numbers"])
def test_where_nothing_fits_it_stays_where_it_was_and_goes_on(q):
    m = gough.load("hexel")
    good = gough.inverse_kinematics(m, motion(m))
    solver = gough.ForwardSolver(m)
    solver(good[50])
    before = solver.last
    assert solver(q) == gough.kinematics.Status.NOT_CONVERGED
    np.testing.assert_array_equal(solver.last, before)
    s = solver.follow([good[51], q, good[52]])
    assert s.status.tolist() == [
        gough.kinematics.Status.NEAR,
        gough.kinematics.Status.NOT_CONVERGED,
        gough.kinematics.Status.NEAR,
    ]
    assert np.isnan(s.matrix[1]).all()
    np.testing.assert_allclose(s.matrix[2], motion(m)[52], atol=SAME)


def test_it_starts_and_starts_again_where_it_is_told(machine):
    X = motion(machine)[60]
    q = gough.inverse_kinematics(machine, X)
    solver = gough.ForwardSolver(machine, X)
    np.testing.assert_array_equal(solver.last, X)
    assert solver(q) == gough.kinematics.Status.NEAR
    assert solver.iterations <= 1
    solver.reset()
    np.testing.assert_array_equal(solver.last, machine.X_home)
    np.testing.assert_array_equal(solver.matrix, machine.X_home)
    solver.reset(X)
    np.testing.assert_array_equal(solver.last, X)


def test_cranks_that_pass_a_full_turn_go_on():
    """A crank's angle and the same angle one turn on are one place."""
    m = gough.load("servo")
    solver = gough.ForwardSolver(m)
    X = motion(m)[70]
    assert solver(gough.inverse_kinematics(m, X) + 2 * np.pi) == gough.kinematics.Status.NEAR
    np.testing.assert_allclose(solver.matrix, X, atol=SAME)


def test_calls_leave_no_memory_behind():
    m = gough.load("hexel")
    q = list(gough.inverse_kinematics(m, motion(m)))
    solver = gough.ForwardSolver(m)
    for joints in q:
        solver(joints)
    tracemalloc.start()
    for joints in q:
        solver(joints)
    first, _ = tracemalloc.get_traced_memory()
    for _ in range(10):
        for joints in q:
            solver(joints)
    later, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert later - first < 1000, "bytes, after two thousand calls"


def test_a_compiled_loop_may_call_the_solver_before_gough_has_compiled_anything():
    program = """
import numba
import numpy as np
import gough
from gough.kinematics._equations import prepare_legs
from gough.kinematics.solver import next_pose
from gough.legs.leg import ROWS

@numba.njit
def follow(code, arrays, q):
    return next_pose(code, arrays, q)

m = gough.load("hexel")
solver = gough.ForwardSolver(m, m.home)
assert follow(*solver.state, np.full(6, 0.5868)) == 0
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
