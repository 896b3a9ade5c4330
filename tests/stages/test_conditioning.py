"""Conditioning of two stages: least rates of twelve joints, the redundant Jacobian, singular stages."""

import numpy as np
import pytest

import gough
from gough import stages
from gough.errors import InputError
from gough.limits.velocity_envelope import inverse_jacobian_at
from gough.singularity import conditioning

ROUND_OFF = 1e-9
"""Relative, of values that are not near zero."""


def test_singular_values_are_one_over_those_of_the_redundant_inverse(state):
    m, X, *_ = state
    if len({stage.legs.joint for stage in m.stages}) > 1:
        with pytest.raises(InputError, match="no common norm"):
            conditioning(m, X)
        return
    found = conditioning(m, X)
    J = inverse_jacobian_at(m, X, m.upper.platform_centre)
    J[3:] *= found.length
    values = np.linalg.svd(J, compute_uv=False)
    np.testing.assert_allclose(found.singular_values, 1 / values[::-1], rtol=ROUND_OFF)
    assert found.manipulability == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)), rel=ROUND_OFF)


def test_no_twist_takes_more_or_fewer_least_rates_than_the_singular_values_say(double, rng):
    found = conditioning(double, double.X_home)
    V = rng.normal(size=(4000, 6))
    rho = double.end_home[:3, :3] @ double.upper.platform_centre
    size = np.linalg.norm(np.concatenate([V[:, :3] + np.cross(V[:, 3:], rho), found.length * V[:, 3:]], axis=1), axis=1)
    norms = np.linalg.norm(stages.least_rates(double, double.X_home, V), axis=1) / size
    assert found.singular_values[-1] <= norms.min()
    assert norms.max() <= found.singular_values[0]
    assert norms.min() == pytest.approx(found.singular_values[-1], rel=0.3)


def test_a_singular_stage_makes_the_whole_singular_and_the_nearer_one_is_the_distance(double):
    own = [conditioning(stage, stage.X_home).distance for stage in double.stages]
    assert conditioning(double, double.X_home).distance == pytest.approx(min(own), rel=ROUND_OFF)
    a = np.radians([0, 60, 120, 180, 240, 300])
    ring = np.column_stack([np.cos(a), np.sin(a), np.zeros(6)])
    flat = gough.from_points(ring, 0.5 * ring)  # similar hexagons: the platform turns about z
    for pair in ((flat, double.upper), (double.lower, flat)):
        m = stages.stack(*pair)
        if len({stage.legs.joint for stage in pair}) == 1:
            found = conditioning(m, m.X_home)
            assert found.is_singular
            assert found.condition_number == np.inf
