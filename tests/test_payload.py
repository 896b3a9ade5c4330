"""A machine with a payload: against bodies put together point by point, and in every number that depends on it."""

from dataclasses import replace

import numpy as np
import pytest
from tests.conftest import random_body
from tests.skew import SKEW

import gough
from gough.machine_parts import Body

ROUND_OFF = 1e-12


def points_of(body):
    """Six point masses with the mass, mass centre and inertia of a body: on its principal axes, either side."""
    moments, axes = np.linalg.eigh(body.inertia)
    # m_i r_i^2 on axis i add up to (J_j + J_k - J_i) / 2, in two halves of a sixth of the mass each.
    reach = np.sqrt(np.maximum(moments.sum() / 2 - moments, 0) / (body.mass / 3))
    return [body.mass_centre + sign * r * axis for r, axis in zip(reach, axes.T, strict=True) for sign in (1, -1)]


def inertia_about_origin(points, masses):
    return sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for p, m in zip(points, masses, strict=True))


@pytest.mark.parametrize("name", SKEW)
def test_platform_and_payload_are_one_body(name, rng):
    platform, payload = random_body(rng, 3.0, 0.4), random_body(rng, 5.0, 0.6)
    machine = gough.load(name)
    machine = replace(machine, platform=platform)
    body = machine.with_payload(5.0, payload.mass_centre, payload.inertia).platform
    points = points_of(platform) + points_of(payload)
    masses = [platform.mass / 6] * 6 + [payload.mass / 6] * 6
    centre = np.average(points, axis=0, weights=masses)
    about_centre = inertia_about_origin([p - centre for p in points], masses)
    assert body.mass == pytest.approx(8.0)
    np.testing.assert_allclose(body.mass_centre, centre, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(body.inertia, about_centre, rtol=0, atol=1e-9)


def test_a_platform_without_a_mass_carries_the_payload_alone():
    machine = gough.load("hexel")
    assert machine.platform is None
    body = machine.with_payload(7.0, [0.1, 0.2, 0.3]).platform
    assert isinstance(body, Body)
    assert (body.mass, body.mass_centre.tolist(), np.abs(body.inertia).max()) == (7.0, [0.1, 0.2, 0.3], 0.0)


def test_a_head_moves_on_the_loaded_platform():
    machine = gough.load("hexel-head")
    loaded = machine.with_payload(4.0, [0, 0, 0.1])
    turned = loaded.with_head(np.array(machine.head.q) + 0.1)
    before = 0.0 if machine.platform is None else machine.platform.mass
    assert turned.platform.mass == pytest.approx(before + 4.0)


def test_frequencies_fall_as_those_of_a_mass_on_the_same_springs():
    """Rayleigh's principle by hand: K of the legs, M of the machine and of a point mass beside it."""
    machine, mass, centre = gough.load("pitch-circle"), 40.0, np.array([0.02, -0.01, 0.1])
    X = machine.X_home
    arm = X[:3, :3] @ centre
    S = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    G = np.hstack([np.eye(3), -S])  # velocity of the payload = G V
    M = gough.dynamics.mass_matrix(machine, X, drives="held") + mass * G.T @ G
    square = np.sort(np.linalg.eigvals(np.linalg.solve(M, gough.stiffness(machine, X))).real)
    expected = np.sqrt(square) / (2 * np.pi)
    found = gough.natural_frequencies(machine.with_payload(mass, centre), X).frequency
    np.testing.assert_allclose(np.sort(found), expected, rtol=1e-7)
    assert found[0] < 0.9 * gough.natural_frequencies(machine, X).frequency[0]


def test_shares_of_a_mode_are_those_of_the_point_masses_that_the_platform_is(rng):
    machine = gough.load("pitch-circle").with_payload(9.0, [0.03, -0.02, 0.25], np.diag([0.1, 0.2, 0.15]))
    X = machine.X_home @ gough.pose_matrix([1e-3, 2e-3, -1e-3], [0.02, 0.01, -0.03], "xyz")
    found, body = gough.natural_frequencies(machine, X), machine.platform
    arms = (np.array(points_of(body)) @ X[:3, :3].T)[:, None]
    v, w = found.shape[:3].T, found.shape[3:].T
    whole = (body.mass / 6 * (v + np.cross(w, arms)) ** 2).sum(axis=(0, 2))
    along = body.mass * (v + np.cross(w, X[:3, :3] @ body.mass_centre)) ** 2
    np.testing.assert_allclose(found.energy_shares[:, :3], along / whole[:, None], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.energy_shares.sum(axis=1), 1.0, rtol=1e-12)
    like = gough.natural_frequencies(gough.load("pitch-circle"), gough.load("pitch-circle").X_home)
    np.testing.assert_allclose(like.energy_shares[0, 0], like.energy_shares[0, 1], rtol=1e-6)  # x as y: two alike
