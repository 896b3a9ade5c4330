"""The thirteen solids of Dumitriu et al. 2017 by their own equations: joints as printed, and as they hold always."""

from dataclasses import replace

import numpy as np
import pytest
from tests.references import dumitriu2017 as paper

import gough
from gough import multibody

CLOSE = 1e-6
"""[m, 1]"""
OF_STEPS = 1e-7
"""Error of the Runge-Kutta steps after half a second [m, 1]."""
EIGHT_DECIMALS = 5e-9
"""[N]"""
LEGS = [0, 1, 4, 5, 2, 3]
"""Numbers in the paper of the machine's legs 1 to 6, from 0: it counts round the base, A_2 O A_3 being 30 degrees."""
SOLIDS = [2 * leg + part for leg in LEGS for part in (0, 1)] + [12]


@pytest.fixture(scope="module")
def machine():
    return replace(gough.load("dumitriu2017"), gravity=np.array([0, 0, -9.81]))


@pytest.fixture(scope="module")
def printed(machine):
    return multibody.hexapod(machine, forces=paper.FORCES, struts="UCU-printed")


def test_the_printed_joints_start_as_the_papers_equations_say(printed):
    known = paper.Equations().acceleration(*paper.start())[SOLIDS]
    for solver in ("chains", "saddle"):
        found = multibody.solver_for(printed, solver).solve(0.0, *printed.state())
        np.testing.assert_allclose(found.acceleration[:13], known, atol=1e-9)
    assert known[12, 2, 2] == pytest.approx(4.2760, abs=5e-5)  # alpha_x [rad/s2]


def test_the_printed_joints_move_as_the_papers_equations_say(printed):
    known = paper.Equations().integrated(0.3)[SOLIDS]
    found = multibody.simulate(printed, times=[0.0, 0.3]).Z[-1]
    np.testing.assert_allclose(found[:13], known, atol=CLOSE)


x0, y0, z0 = np.eye(3)


def upright(system):
    """The system with the axes x0 and y0 in every universal joint."""
    joints = [
        replace(joint, first_axis=x0, second_axis=y0) if joint.kind == "universal" else joint for joint in system.joints
    ]
    return multibody.System(system.bodies, joints, system.force_elements, system.gravity)


def test_with_axes_x0_and_y0_the_printed_joints_are_exact(machine, printed):
    """The parts of a leg do not turn relative to each other then, which the last lines of (10) presuppose."""
    known = paper.Equations(cardan=[y0, x0]).integrated(0.3)[SOLIDS]
    np.testing.assert_allclose(known[0:12:2, :, 1:], known[1:12:2, :, 1:], atol=CLOSE)
    found = multibody.simulate(upright(printed), times=[0.0, 0.3]).Z[-1]
    np.testing.assert_allclose(found[:13], known, atol=CLOSE)
    exact = multibody.simulate(multibody.hexapod(machine, forces=paper.FORCES), times=[0.0, 0.3]).Z[-1]
    np.testing.assert_allclose(exact[12], known[12], atol=CLOSE)


def test_printed_and_exact_joints_differ_from_the_start(machine, printed):
    exact = multibody.hexapod(machine, forces=paper.FORCES)
    alpha, other = (
        multibody.solver_for(system).solve(0.0, *system.state()).acceleration[12, 2, 2] for system in (exact, printed)
    )
    assert alpha == pytest.approx(4.4042, abs=5e-5)  # [rad/s2]
    assert other == pytest.approx(4.2760, abs=5e-5)


# Exact joints


def test_geometry_and_counts(machine):
    """(15); 156 differential equations, 78 orthogonality and 72 joint constraints."""
    np.testing.assert_allclose(machine.legs.a_B, paper.A[LEGS], rtol=0, atol=1e-15)
    np.testing.assert_allclose(machine.b_home, paper.B[LEGS], rtol=0, atol=1e-15)
    counts = multibody.hexapod(machine).counts
    rows = len(paper.Equations(exact=True).constraints(paper.start()[0]))
    assert (counts.differential, counts.orthogonality, counts.joints) == (156, 78, 72)
    assert rows == counts.orthogonality + counts.joints


def test_multipliers_and_efforts_at_the_start(machine):
    """(6), (7), (12) to (14): every Lambda_i, and the forces of the base and of the platform on the legs.

    The paper's drive pushes the upper part alone, ours both: so here it pushes the upper part against the ground. Both
    act at B here.
    """
    acceleration, multipliers = paper.Equations(exact=True, attack=0.0).solved(*paper.start())
    acceleration = acceleration[SOLIDS]
    system = multibody.hexapod(machine, forces=paper.FORCES)
    drives = [replace(drive, against="ground") for drive in system.force_elements]
    system = multibody.System(system.bodies, system.joints, drives, system.gravity)
    for solver in ("chains", "saddle"):
        found = multibody.solver_for(system, solver).solve(0.0, *system.state())
        np.testing.assert_allclose(found.acceleration[:13], acceleration, rtol=0, atol=1e-9)
        pairs = np.triu_indices(3)
        rigid = multipliers[72:].reshape(13, 6)[SOLIDS]
        for i in range(13):
            # A row of (2) off the diagonal stands for two elements, one on it is differentiated twice.
            L = np.zeros((3, 3))
            L[pairs] = rigid[i] * np.where(pairs[0] == pairs[1], 2.0, 1.0)
            L = np.triu(L) + np.triu(L, 1).T
            np.testing.assert_allclose(found.orthogonality[i], L, rtol=0, atol=1e-12)
    motion = multibody.simulate(system, times=[0.0, 1e-3])
    of_legs = multipliers[:72].reshape(6, 12)[LEGS]
    at_base, at_platform = of_legs[:, :3], of_legs[:, 8:11]
    for i in range(6):
        np.testing.assert_allclose(motion.reaction(f"base {i + 1}")[0, :3], at_base[i], rtol=0, atol=EIGHT_DECIMALS)
        on_upper = -motion.reaction(f"platform {i + 1}")[0, :3]
        np.testing.assert_allclose(on_upper, at_platform[i], rtol=0, atol=EIGHT_DECIMALS)


def test_the_motion_of_figures_2_to_4(machine):
    known = paper.Equations(exact=True).integrated(0.5)[SOLIDS]
    motion = multibody.simulate(multibody.hexapod(machine, forces=paper.FORCES), times=[0.0, 0.5])
    np.testing.assert_allclose(motion.Z[-1, :13], known, rtol=0, atol=OF_STEPS)
    R = known[12, :, 1:]
    rise = known[12, 2, 0] + R[2] @ [0, 0, paper.HEIGHT] - paper.HEIGHT
    assert 1e3 * rise == pytest.approx(46.607, abs=5e-4)  # figure 2
    # Figure 3, with (18): R_23 = -sin(alpha_1) cos(alpha_2), R_33 = cos(alpha_1) cos(alpha_2), R_13 = sin(alpha_2).
    assert np.degrees(np.arctan2(-R[1, 2], R[2, 2])) == pytest.approx(39.735, abs=5e-4)
    assert np.abs(R[0, 1:]).max() < OF_STEPS
    ends = known[12, :, 0] + paper.B @ R.T
    lengths = np.linalg.norm(ends - paper.A, axis=1)
    np.testing.assert_allclose(lengths[[0, 4, 5]], lengths[[1, 3, 2]], rtol=0, atol=OF_STEPS)  # figure 4
    found = gough.inverse_kinematics(machine, motion.pose("platform")[-1])
    np.testing.assert_allclose(found, lengths[LEGS], rtol=0, atol=OF_STEPS)


def test_at_rest(machine):
    """8.53329 N keep every solid at rest, by the paper's equations; the printed 8.5105 N do not."""
    held, _ = paper.Equations(exact=True, forces=[8.53329] * 6).solved(*paper.start())
    fallen, _ = paper.Equations(exact=True).solved(*paper.start())
    assert np.abs(held).max() < 1e-3 < 1e-2 < np.abs(fallen).max()
    drives = [f"drive {i}" for i in range(1, 7)]
    found = multibody.inverse_dynamics(multibody.hexapod(machine), {"platform": np.zeros(6)}, drives).magnitudes
    np.testing.assert_allclose(found, 8.53329, rtol=0, atol=5e-6)
    at_rest, _ = paper.Equations(exact=True, forces=found).solved(*paper.start())
    assert np.abs(at_rest).max() < 1e-11
