"""Natural frequencies: published ones, a mass on springs, and small oscillations in a simulation."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigh
from tests.skew import SKEW

import gough
from gough.dynamics.natural_frequencies import ZERO_MODE_PERIOD
from gough.errors import InputError
from gough.machine import Actuators

PRINTED = 0.5000001


@pytest.fixture(scope="module")
def elastic():
    """The thirteen-solid machine with struts of 2e5 N/m."""
    return replace(gough.load("dumitriu2017"), actuators=Actuators(stiffness=np.full(6, 2e5)))


def test_published_frequencies_with_and_without_massive_struts():
    """T. Dehaeze, stewart-simscape: printed with one and two decimals."""
    m = gough.load("dehaeze")
    found = gough.natural_frequencies(m, m.home).frequency
    # The last of them is 1269.66: the source cuts its digits, so a whole last one is allowed.
    np.testing.assert_allclose(found, m.published["natural_frequencies_Hz"], rtol=0, atol=0.1)
    light = gough.natural_frequencies(replace(m, leg_bodies={}), m.home).frequency
    printed = m.published["natural_frequencies_massless_struts_Hz"]
    np.testing.assert_allclose(light[[0, 2, 3, 5]], printed, rtol=0, atol=PRINTED * 0.01)


def test_modes_solve_their_equation_and_are_of_unit_mass(elastic):
    found = gough.natural_frequencies(elastic, elastic.home)
    K, M = gough.stiffness(elastic, elastic.home), gough.dynamics.mass_matrix(elastic, elastic.home, drives="held")
    np.testing.assert_allclose(found.shape.T @ M @ found.shape, np.eye(6), rtol=0, atol=1e-10)
    left, right = K @ found.shape, M @ found.shape * (2 * np.pi * found.frequency) ** 2
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-9 * np.abs(left).max())
    assert (np.diff(found.frequency) >= 0).all()


def test_a_small_swing_in_a_simulation_has_the_period_of_the_mode(elastic):
    """Springs at the drives of a machine without weight, let go from a mode's shape: back after one period."""
    found = gough.natural_frequencies(elastic, elastic.home)
    q0 = gough.inverse_kinematics(elastic, elastic.home)
    for mode in (0, 5):
        V0 = 1e-4 * found.shape[:, mode]
        period = 1 / found.frequency[mode]
        r = gough.simulate(
            elastic,
            elastic.home,
            V0,
            lambda t, X, V: -2e5 * (gough.inverse_kinematics(elastic, X) - q0),
            period,
            gravity=[0, 0, 0],
        )
        np.testing.assert_allclose(r.twist.to_numpy()[-1], V0, rtol=0, atol=1e-4 * np.abs(V0).max())
        half = r.twist.to_numpy()[100]
        np.testing.assert_allclose(half, -V0, rtol=0, atol=1e-4 * np.abs(V0).max())


def test_rods_on_held_sliders_swing_about_their_feet():
    """With massless rods only the platform swings, whatever the sliders and rotors weigh."""
    m = gough.load("sinatra2009")
    m = replace(m, actuators=Actuators(stiffness=np.full(6, 1e6)))
    bare = gough.natural_frequencies(replace(m, leg_bodies={}), m.home).frequency
    sliders = {part: body for part, body in m.leg_bodies.items() if part != "rod"}
    drives = Actuators(stiffness=np.full(6, 1e6), rotor_inertia=np.full(6, 1e-3), transmission=np.full(6, 100.0))
    heavy = gough.natural_frequencies(replace(m, leg_bodies=sliders, actuators=drives), m.home).frequency
    np.testing.assert_allclose(heavy, bare, rtol=1e-12)
    assert (gough.natural_frequencies(m, m.home).frequency < bare).all()


@pytest.mark.parametrize("name", SKEW)
def test_modes_under_a_moment_are_those_of_the_symmetric_part_of_the_stiffness(name, rng):
    m = replace(gough.load(name), actuators=Actuators(stiffness=np.full(6, 1e6)))
    load = {"wrench": 1e3 * rng.normal(size=6), "gravity": True}
    K, M = gough.stiffness(m, m.home, **load), gough.dynamics.mass_matrix(m, m.home, drives="held")
    assert np.abs(K - K.T).max() > 1.0, "so that the test can fail"
    square = eigh((K + K.T) / 2, M, eigvals_only=True)
    found = gough.natural_frequencies(m, m.home, **load)
    np.testing.assert_allclose(found.frequency, np.sqrt(square) / (2 * np.pi), rtol=1e-9)


def test_the_lowest_frequency_of_the_workspace_is_that_of_its_pose_and_below_the_map():
    m = gough.load("pitch-circle")
    found = gough.dynamics.lowest_frequency(m, samples=5)
    assert found.value == pytest.approx(gough.natural_frequencies(m, found.matrix).frequency[0], rel=1e-9)
    assert gough.margins(m, found.matrix).is_allowed
    assert found.value <= gough.dynamics.frequency_map(m, samples=5).attrs["lowest_frequency_hz"]
    assert found.value < gough.natural_frequencies(m, m.home).frequency[0]
    with pytest.raises(InputError, match="has no masses"):
        gough.dynamics.lowest_frequency(gough.load("hexel"))


def test_a_point_mass_has_the_three_modes_that_inertia_does_not_change():
    """Its rotations follow it without inertia; the other modes are the limit of those of smaller and smaller bodies."""
    m = replace(gough.load("hexel"), actuators=Actuators(stiffness=np.full(6, 1e7)))
    X = gough.pose_matrix([0.02, -0.01, 0.79], [3.0, 2.0, -4.0], "XYZ", degrees=True)
    found = gough.natural_frequencies(m.with_payload(20, [0.01, 0.02, 0.05]), X)
    small = gough.natural_frequencies(m.with_payload(20, [0.01, 0.02, 0.05], 1e-7 * np.eye(3)), X)
    np.testing.assert_allclose(found.frequency[:3], small.frequency[:3], rtol=1e-5)
    np.testing.assert_allclose(
        np.abs(found.shape[:, :3]), np.abs(small.shape[:, :3]), atol=1e-4 * np.abs(found.shape[:, :3]).max()
    )
    assert np.isnan(found.frequency[3:]).all()
    assert np.isnan(found.shape[:, 3:]).all()
    np.testing.assert_allclose(found.energy_shares[:3, :3].sum(axis=1), 1.0)
    assert np.isnan(found.energy_shares[3:]).all()
    assert (
        found.missing()
        == "3 of 6 frequencies do not exist at this pose: some motion has no inertia (point masses: specify inertias)"
    )
    assert found.motion(2).span[1] == pytest.approx(1 / found.frequency[2])
    both = gough.natural_frequencies(m.with_payload(20, [0.01, 0.02, 0.05]), np.stack([m.X_home, X]))
    np.testing.assert_allclose(both.frequency[1], found.frequency)


def test_at_a_singular_pose_nothing_holds_one_mode(elastic):
    """Legs between similar hexagons: the determinant of their Jacobian is nought."""
    m = gough.load("singular-home")
    m = replace(m, platform=elastic.platform, actuators=Actuators(stiffness=np.full(6, 1e6)))
    modes = gough.natural_frequencies(m, m.home)
    found = modes.frequency
    assert found[0] == 0
    assert found[5] > 100
    assert np.isfinite(found).all()
    assert modes.motion(0).span == (0.0, ZERO_MODE_PERIOD)
