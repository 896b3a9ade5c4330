"""Dynamics of both stages: against the 26 solids of the other engine, and the laws."""

from dataclasses import replace

import numpy as np
import pytest
from tests.poses import assert_close

import gough
from gough import multibody, stages
from gough.machine import Actuators

AGREE = 1e-9
"""Of the two engines, relative to the largest component."""
ROUND_OFF = 1e-11
"""Relative, of sums over 26 bodies."""
DRIVES = [f"drive {i}" for i in range(1, 13)]


def solids(m, X, V=None, forces=None, force_elements=()):
    """The 26 solids of the other engine in a state."""
    inside = [X[0], stages.upper_pose(m, X)]
    system = multibody.stacked(m.stages, inside, forces, mounts=[m.X_IU], struts="UPS", force_elements=force_elements)
    return system, system.state(None if V is None else {"stage 1": V[0], "stage 2": V[1]})


def test_forces_of_a_given_motion_are_those_of_26_solids(state, rng):
    m, X, V, A = state
    F, point = rng.normal(size=3) * 10, X[1, :3, 3]
    push = multibody.Force("stage 2", point, F, magnitude=float(np.linalg.norm(F)), name="push")
    system, start = solids(m, X, V, force_elements=[push])
    wanted = {"stage 1": A[0], "stage 2": A[1]}
    expected = multibody.inverse_dynamics(system, wanted, DRIVES, start).magnitudes
    assert_close(gough.inverse_dynamics(m, X, V, A, [*F, 0, 0, 0]), expected, AGREE)


def test_accelerations_under_given_forces_are_those_of_26_solids(state, rng):
    m, X, V, _ = state
    f = rng.normal(size=12) * np.repeat([1.0 if s.legs.kind == "RUS" else 20.0 for s in m.stages], 6)
    system, start = solids(m, X, V, f.tolist())
    found = multibody.solver_for(system).solve(0.0, *start)
    expected = [platform_acceleration(system, found, name) for name in ("stage 1", "stage 2")]
    assert_close(gough.forward_dynamics(m, X, V, f), np.array(expected), AGREE)


def platform_acceleration(system, solution, name):
    """[a, alpha] of a platform's origin of Z'' where R = I: R'' = [alpha]x + [w]x [w]x."""
    Zdd = solution.acceleration[system.index(name)]
    S = Zdd[:, 1:]
    alpha = np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2
    return np.concatenate([Zdd @ [1.0, *system.bodies[system.index(name)].origin], alpha])


def test_direct_and_inverse_undo_one_another_with_friction_and_rotors(state, rng):
    m, X, V, A = state
    drives = Actuators(
        viscous_friction=rng.uniform(1, 5, 6),
        coulomb_friction=rng.uniform(1, 5, 6),
        rotor_inertia=rng.uniform(0.1, 0.2, 6),
        transmission=np.full(6, 2.0),
    )
    m = replace(m, stages=tuple(replace(stage, actuators=drives) for stage in m.stages))
    f = gough.inverse_dynamics(m, X, V, A)
    assert_close(gough.forward_dynamics(m, X, V, f), A, AGREE)
    plain = replace(m, stages=tuple(replace(stage, actuators=Actuators()) for stage in m.stages))
    more = f - gough.inverse_dynamics(plain, X, V, A)
    qd, qdd = gough.joint_rates(m, X, V), gough.kinematics.joint_accelerations(m, X, V, A)
    two = np.tile([drives.viscous_friction, drives.coulomb_friction, 4 * drives.rotor_inertia], 2)
    slip = np.repeat([1e-3 * (s.size if s.legs.joint == "length" else 1.0) for s in m.stages], 6)
    assert_close(more, two[0] * qd + two[1] * np.tanh(qd / slip) + two[2] * qdd, AGREE)


def test_forces_are_those_of_the_terms_of_the_equations_of_motion(state, rng):
    """J^T f = M A + C + G - F, each about both platforms' origins; a wrench at a point of the end platform is moved."""
    m, X, V, A = state
    F, point = rng.normal(size=6), 0.1 * rng.normal(size=3)
    f = gough.inverse_dynamics(m, X, V, A, F, point=point)
    C, G = gough.dynamics.coriolis_wrench(m, X, V), gough.dynamics.gravity_wrench(m, X)
    applied = np.zeros((2, 6))
    applied[1] = [*F[:3], *(F[3:] + np.cross(X[1, :3, :3] @ point, F[:3]))]
    needed = gough.dynamics.mass_matrix(m, X) @ A.ravel() + (C + G - applied).ravel()
    assert_close(gough.jacobian(m, X).T @ f, needed, AGREE)


def test_energy_changes_by_the_power_of_forces_and_wrenches(state, moved, rng):
    """dE/dt = f . qd + F . V: kinetic energy by M and its differences, potential energy by its own."""
    m, X, V, A = state
    F = rng.normal(size=(2, 6))
    f = gough.inverse_dynamics(m, X, V, A, F)
    power = f @ gough.joint_rates(m, X, V) + np.sum(F * V)
    h = 1e-5
    totals = []
    for t in (-h, h):
        Y, W = moved(X, V, A, t), V + t * A
        totals.append(gough.dynamics.kinetic_energy(m, Y, W) + gough.dynamics.potential_energy(m, Y))
    # The turn of a pose by the vector t w + t^2 alpha / 2 has the twist w + t alpha but for terms of t^2.
    assert (totals[1] - totals[0]) / (2 * h) == pytest.approx(power, rel=1e-6)


@pytest.mark.parametrize("double", ["double-hexapod"], indirect=True)
def test_one_stage_standing_still_is_the_other_alone(double, rng):
    """The upper stage on a platform that does not move: its forces are those of a single machine."""
    X = double.X_home
    V, A = np.zeros((2, 2, 6))
    V[1], A[1] = rng.normal(size=(2, 6))
    f = gough.inverse_dynamics(double, X, V, A)
    alone = gough.inverse_dynamics(double.upper, double.upper.X_home, V[1], A[1])
    assert_close(f[6:], alone, ROUND_OFF)


def test_no_forces_move_a_stage_that_is_singular_nor_the_one_below(rng):
    m = gough.load("double-hexapod")
    legs = replace(m.upper.legs, b_P=np.tile(m.upper.legs.b_P[0], (6, 1)))  # all rods meet in one point
    m = replace(m, stages=(m.lower, replace(m.upper, legs=legs)))
    assert np.isnan(gough.inverse_dynamics(m, m.X_home, *rng.normal(size=(2, 2, 6)))).all()
