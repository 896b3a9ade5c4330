"""Both stages in time: against the 26 solids, and their energy."""

import numpy as np
import pytest

import gough
from gough import multibody, stages

MICROMETRE = 1e-6
ENERGY = 1e-9
"""Relative to the kinetic energy and the work done: the integrator's tolerance."""


@pytest.fixture(scope="module")
def pushed(double):
    """Held forces at home, two lower and one upper leg pushing harder."""
    forces = stages.force_balance(double, double.X_home).forces
    forces[[0, 1, 8]] += [0.5, 0.5, -0.3]
    return forces


@pytest.fixture(scope="module")
def motion(double, pushed):
    return gough.simulate(double, double.X_home, np.zeros((2, 6)), pushed, 0.2, times=[0.0, 0.1, 0.2])


def test_the_motion_is_that_of_26_solids(double, pushed, motion):
    system = multibody.stacked(double.stages, forces=pushed.tolist(), mounts=[double.X_IU], struts="UPS")
    expected = multibody.simulate(system, times=motion.time.to_numpy())
    for k, name in enumerate(("stage 1", "stage 2")):
        np.testing.assert_allclose(motion.pose[:, k], expected.pose(name), atol=1e-3 * MICROMETRE)
    assert np.abs(motion.pose[-1, 1] - motion.pose[0, 1]).max() > 1e3 * MICROMETRE


def test_energy_is_what_actuators_put_in(motion):
    work = ((motion.joint - motion.joint[0]) @ motion.force[0]).to_numpy()  # of constant forces
    np.testing.assert_allclose(motion.work, work, rtol=0, atol=ENERGY * float(np.abs(work).max()))
    total = (motion.energy - motion.work).to_numpy()
    np.testing.assert_allclose(total, total[0], rtol=0, atol=ENERGY * float(np.abs(work).max() + motion.kinetic.max()))


def test_energy_is_what_changing_forces_and_wrenches_on_both_platforms_put_in(double, pushed):
    def force(t, poses, twists):
        return pushed + 0.2 * np.sin(30 * t) * np.arange(12) - 0.5

    def wrench(t, poses, twists):
        return np.array([[3 * t, 0, 1, 0, 0.2, 0], [0, 20 * t, 0, 0.1, 0, -t]])

    found = gough.simulate(double, double.X_home, np.zeros((2, 6)), force, 0.1, wrench=wrench, times=[0.0, 0.1])
    gained = float(found.energy[-1] - found.energy[0])
    assert abs(gained) > 1e-3
    assert float(found.work[-1]) == pytest.approx(gained, rel=ENERGY)


def test_forces_and_wrenches_may_be_functions_of_time_and_state(double):
    """Held against a wrench that is balanced at every instant, the machine stays."""
    X = double.X_home

    def wrench(t, poses, twists):
        return np.array([0, 0, -20 * t, 0, 0, 0])

    def force(t, poses, twists):
        return stages.force_balance(double, poses, wrench(t, poses, twists)).forces

    told = []
    how = {"wrench": wrench, "times": [0.05], "progress": lambda time, whole: told.append(time)}
    held = gough.simulate(double, X, np.zeros((2, 6)), force, 0.05, **how)
    np.testing.assert_allclose(held.pose[-1], X, atol=1e-3 * MICROMETRE)
    assert told[-1] <= 0.05


def test_it_stops_at_a_limit_and_names_it(double):
    found = gough.simulate(double, double.X_home, np.zeros((2, 6)), np.zeros(12), 1.0)
    k = int(np.argmin(found.margin[-1].to_numpy()))
    assert found.attrs["stopped_by"].startswith(f"a limit is reached: {str(found.limit[k].data)[:7]}: ")
    assert float(found.time[-1]) < 1.0
    assert float(found.margin[-1].min()) == pytest.approx(0.0, abs=1e-9)
