"""Solids: what they accept, their Poinsot matrices, their mass matrices."""

import numpy as np
import pytest

from gough import multibody

ROUND_OFF = 1e-14
ROD = np.diag([0.0, 0.02, 0.02])
BLOCK = np.diag([0.02, 0.03, 0.04])


def test_poinsot_and_inertia_belong_together():
    body = multibody.Body(name="block", mass=1.0, mass_centre=[0, 0, 0], inertia=BLOCK)
    again = multibody.Body.from_poinsot("block", 1.0, [0, 0, 0], body.poinsot)
    np.testing.assert_allclose(again.inertia, BLOCK, atol=ROUND_OFF)
    np.testing.assert_allclose(body.poinsot, np.diag([0.025, 0.015, 0.005]), atol=ROUND_OFF)


def test_poinsot_of_point_masses_is_their_sum(rng):
    """K is the integral of r r^T (2016, eq. 10), and the mass matrix that of (1, OM)(1, OM)^T."""
    points, masses = rng.normal(size=(7, 3)), rng.uniform(1, 2, 7)
    centre = masses @ points / masses.sum()
    r = points - centre
    J = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, r, strict=True))
    body = multibody.Body(name="cloud", mass=masses.sum(), mass_centre=centre, inertia=J)
    np.testing.assert_allclose(body.poinsot, np.einsum("k,ki,kj->ij", masses, r, r), rtol=1e-12)
    h = np.column_stack([np.ones(7), points])
    np.testing.assert_allclose(body.mass_matrix, np.einsum("k,ki,kj->ij", masses, h, h), rtol=1e-12)


def test_a_frame_turns_mass_centre_and_inertia_with_it():
    from scipy.spatial.transform import RigidTransform, Rotation

    R = Rotation.from_rotvec([0.3, -0.2, 0.5])
    X = RigidTransform.from_components([1, 2, 3], R)
    body = multibody.Body.in_frame("block", X, 2.0, [0.1, 0, 0], BLOCK)
    np.testing.assert_allclose(body.mass_centre, [1, 2, 3] + R.apply([0.1, 0, 0]), atol=ROUND_OFF)
    np.testing.assert_allclose(np.linalg.eigvalsh(body.inertia), np.diag(BLOCK), atol=ROUND_OFF)
    np.testing.assert_allclose(body.origin, [1, 2, 3], atol=ROUND_OFF)


@pytest.mark.parametrize(("inertia", "is_singular"), [(ROD, True), (BLOCK, False), (np.zeros((3, 3)), True)])
def test_thin_rods_and_points_have_no_inverse_of_poinsot(inertia, is_singular):
    body = multibody.Body(name="part", mass=1.0, mass_centre=[0, 0, 0], inertia=inertia)
    assert body.is_singular == is_singular


def test_a_little_thickness_makes_a_rod_regular():
    rod = multibody.Body(name="rod", mass=1.0, mass_centre=[0, 0, 0], inertia=ROD)
    assert not rod.regularised(1e-6).is_singular
    np.testing.assert_allclose(rod.regularised(1e-6).poinsot, rod.poinsot + 1e-6 * 0.02 * np.eye(3), atol=ROUND_OFF)
