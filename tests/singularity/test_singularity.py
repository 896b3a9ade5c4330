"""The singular cubic against determinants, and what follows from it."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.singularity.cubic import determinant

ROUND_OFF = 1e-12  # of the largest coefficient


@pytest.mark.parametrize("name", ["hexel", "linuxcnc", "tsai2000", "nasa-msfc", SKEW[0]])
def test_the_cubic_is_the_determinant_everywhere(name, rng):
    m = gough.load(name)
    X = gough.pose([0, 0, 0], [0.2, -0.1, 0.3], "XYZ")
    c = gough.singularity.singularity_cubic(m, X)
    t = m.X_home[:3, 3] + rng.uniform(-3, 3, (200, 3)) * m.size
    poses = gough.pose_matrix(t, [0.2, -0.1, 0.3], "XYZ")
    scale = np.abs(c.coefficients).max() * 27  # the monomials reach 3^3 out there
    np.testing.assert_allclose(c(t), determinant(m, poses) / m.size**9, rtol=0, atol=ROUND_OFF * scale)


def test_the_determinant_is_the_published_one():
    """LinuxCNC's default machine at (0, 0, 20): -9821.2023 for rows of unit length."""
    m = gough.load("linuxcnc")
    X = gough.pose_matrix(np.array([0, 0, 20]) * m.units.metres)
    q = gough.inverse_kinematics(m, X)
    unit = determinant(m, X) / q.prod() / m.units.metres**3
    assert unit == pytest.approx(-9821.2023, abs=5e-5)


def test_lines_meet_the_surface_where_the_singular_value_vanishes(rng):
    m = gough.load("hexel")
    X = gough.pose([0, 0, 0], [0.3, 0.2, 0.4], "XYZ")
    c = gough.singularity.singularity_cubic(m, X)
    met = 0
    for _ in range(20):
        d = rng.normal(size=3)
        for s in c.along(m.X_home[:3, 3], d):
            if abs(s) > 3 * m.size:
                continue
            met += 1
            t = m.X_home[:3, 3] + s * d / np.linalg.norm(d)
            g = gough.margins(m, gough.pose_matrix(t, [0.3, 0.2, 0.4], "XYZ"))
            assert abs(g.values[g.names.index("singularity")]) < 1e-9
    assert met > 5


def test_lines_meet_every_sign_change(rng):
    m = gough.load("hexel")
    c = gough.singularity.singularity_cubic(m, gough.pose([0, 0, 0], [0.3, 0.2, 0.4], "XYZ"))
    s = np.linspace(-2, 2, 4001) * m.size
    for _ in range(20):
        d = rng.normal(size=3)
        d /= np.linalg.norm(d)
        sign = np.sign(c(m.X_home[:3, 3] + s[:, None] * d))
        changes = np.flatnonzero(sign[1:] != sign[:-1])
        roots = c.along(m.X_home[:3, 3], d)
        roots = roots[np.abs(roots) < 2 * m.size]
        np.testing.assert_array_equal(np.searchsorted(s, roots) - 1, changes)


def test_bernstein_bounds_enclose_and_close_in(rng):
    m = gough.load("hexel")
    c = gough.singularity.singularity_cubic(m, gough.pose([0, 0, 0], [0.1, 0.2, 0.1], "XYZ"))
    centre = m.X_home[:3, 3]
    spread = []
    for half in (0.4, 0.1, 0.025):
        low, high = c.bounds(centre - half, centre + half)
        values = c(centre + rng.uniform(-half, half, (2000, 3)))
        assert low <= values.min() <= values.max() <= high
        spread.append((high - low) / np.ptp(values))
    assert spread[-1] < 1.2


def test_nearest_point_lies_on_the_surface_and_is_near(rng):
    m = gough.load("hexel")
    c = gough.singularity.singularity_cubic(m, gough.pose([0, 0, 0], [0.3, 0.2, 0.4], "XYZ"))
    origin = m.X_home[:3, 3]
    found = gough.singularity.singular_distance(m, gough.pose_matrix(origin, [0.3, 0.2, 0.4], "XYZ"))
    distance, point = found.upper, found.position - c.R @ m.point_of_interest
    assert abs(c(point)) < 1e-9 * np.abs(c.coefficients).max()
    d = rng.normal(size=(4000, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    sampled = min(np.abs(s).min() for s in (c.along(origin, v) for v in d) if len(s))
    assert distance <= sampled * (1 + 1e-9)
    # At the nearest point the surface is square to the way there.
    normal = c.gradient(point) / np.linalg.norm(c.gradient(point))
    assert abs(normal @ (point - origin)) == pytest.approx(distance, rel=1e-5)


def test_a_machine_that_is_singular_at_home_has_home_on_the_surface():
    m = gough.load("singular-home")
    c = gough.singularity.singularity_cubic(m)
    assert abs(c(m.X_home[:3, 3])) < 1e-12
