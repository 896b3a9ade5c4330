"""Solvers: they agree where they apply, and say where they do not."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
import mechanisms
from gough import multibody
from gough.errors import NotConvergedError, RedundantConstraintsError, SolverError

AGREE = 1e-9
"""Relative difference of accelerations and multipliers, in the largest of each."""


def swinging_pendulum():
    system = multibody.double_pendulum()
    w = np.array([0.5, -1.0, 2.0])
    arm = system.centres[0]
    tip = system.joints[1].centre
    first = np.concatenate([np.cross(w, arm), w])
    second = np.concatenate([np.cross(w, tip) + np.cross(-w, system.centres[1] - tip), -w])
    return system, system.state({"bar 1": first, "bar 2": second})


def moving_hexapod(name="dumitriu2017", **keywords):
    system = multibody.hexapod(gough.load(name), forces=[9.5, 9.0, 8.0, 9.0, 8.5, 8.0], **keywords)
    return system, system.state({"platform": [0.1, -0.2, 0.3, 0.4, -0.3, 0.5]})


def agree(found, expected):
    for ours, theirs in zip(vars(found).values(), vars(expected).values(), strict=True):
        assert np.abs(ours - theirs).max() <= AGREE * np.abs(theirs).max()


def test_solvers_agree_on_a_pendulum_swinging_in_space():
    system, state = swinging_pendulum()
    found = multibody.solver_for(system, "two-step").solve(0.0, *state)
    agree(found, multibody.solver_for(system, "saddle").solve(0.0, *state))


@pytest.mark.parametrize("name", SKEW)
def test_solvers_agree_on_hexapods_of_thin_rods(name):
    system, state = moving_hexapod(name)
    found = multibody.solver_for(system, "chains").solve(0.0, *state)
    agree(found, multibody.solver_for(system, "saddle").solve(0.0, *state))


@pytest.mark.parametrize("struts", ["UCU", "UPS"])
def test_all_three_agree_on_a_hexapod_with_thick_parts(struts):
    system, state = moving_hexapod(struts=struts)
    system = system.regularised(0.05)
    expected = multibody.solver_for(system, "saddle").solve(0.0, *state)
    for solver in ("two-step", "chains"):
        agree(multibody.solver_for(system, solver).solve(0.0, *state), expected)


def test_the_equations_hold_for_what_saddle_answers():
    """M Z'' = F + Phi_q^T Lambda and both second derivatives, written out once more in plain NumPy."""
    from gough.multibody._equations import rows_of

    system, (Z, V) = moving_hexapod()
    found = multibody.solver_for(system, "saddle").solve(0.0, Z, V)
    E = system.efforts(0.0, Z, V)
    _, _, J, gamma = rows_of(Z, V, system.tables)
    for k, pair in enumerate(system.joint_solids):
        E[pair] += found.multipliers[k] * J[k]
    E[:-1, :, 1:] += Z[:-1, :, 1:] @ found.orthogonality
    np.testing.assert_allclose(found.acceleration @ system.masses, E[:-1], atol=1e-11)
    A = np.concatenate([found.acceleration, np.zeros((1, 3, 4))])
    np.testing.assert_allclose(np.einsum("ksij,ksij->k", J, A[system.joint_solids]), gamma, atol=1e-11)
    R, Rd, Rdd = (M[:13, :, 1:] for M in (Z, V, A))
    bent = np.swapaxes(Rdd, 1, 2) @ R + np.swapaxes(R, 1, 2) @ Rdd + 2 * np.swapaxes(Rd, 1, 2) @ Rd
    np.testing.assert_allclose(bent, 0.0, atol=1e-11)


def test_auto_takes_chains_for_hexapods_and_saddle_for_the_rest():
    assert multibody.solver_for(moving_hexapod()[0]).name == "chains"
    assert multibody.solver_for(multibody.double_pendulum()).name == "saddle"
    assert multibody.solver_for(mechanisms.four_bar()).name == "saddle"


@pytest.mark.parametrize("solver", ["two-step", "shooting"])
def test_thin_rods_are_refused_by_solvers_that_invert_poinsot_matrices(solver):
    system, _ = moving_hexapod()
    with pytest.raises(SolverError, match=r"'cylinder 1'.* singular .*Use solver='saddle'"):
        multibody.simulate(system, 0.1, solver=solver, step=1e-3)


@pytest.mark.parametrize("solver", ["saddle", "two-step"])
def test_redundant_rows_are_refused_with_their_names(solver):
    system = mechanisms.four_bar(drop_redundant=False)
    with pytest.raises(RedundantConstraintsError, match=r"3 of 20 joint rows are redundant: .*torque about.*drop_red"):
        multibody.solver_for(system, solver)


def test_a_motion_without_mass_gives_an_error_and_no_number():
    system = multibody.double_pendulum()
    weightless = [
        multibody.Body(name=b.name, mass=0.0 if k else b.mass, mass_centre=b.mass_centre, inertia=0 * b.inertia)
        for k, b in enumerate(system.bodies)
    ]
    loose = multibody.System(weightless, system.joints, gravity=[9.81, 0, 0])
    with pytest.raises(NotConvergedError, match=r"at 0\.5 s .* singular configuration"):
        multibody.solver_for(loose, "saddle").solve(0.5, *loose.state())


@pytest.fixture(scope="module")
def tenth_of_a_second():
    return angles(multibody.simulate(multibody.double_pendulum(), times=[0.0, 0.1]))


def angles(motion):
    """Both angles at the end, from the turns of the bars."""
    R = motion.Z[-1, :2, :, 1:]
    return np.arctan2(R[:, 1, 0], R[:, 0, 0])


@pytest.mark.parametrize("multipliers", ["every evaluation", "held"])
def test_shooting_comes_to_the_same_motion(multipliers, tenth_of_a_second):
    motion = multibody.simulate(
        multibody.double_pendulum(), times=[0.0, 0.1], solver="shooting", step=2.5e-4, multipliers=multipliers
    )
    assert np.abs(angles(motion) - tenth_of_a_second).max() < AGREE
    assert motion.residuals()[0].max() < 1e-13, "it meets the constraints without projection"


def test_shooting_with_steps_too_long_says_so():
    with pytest.raises(NotConvergedError, match="use smaller steps"):
        multibody.simulate(multibody.double_pendulum(), times=[0.0, 0.3], solver="shooting", step=0.3)
