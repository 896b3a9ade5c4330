"""The map of ambiguity says what the modes of each place say."""

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough

ROUND_OFF = 1e-9
"""Of poses that two runs find, metres of machines of size one."""


@pytest.mark.parametrize("name", [*thorough("tsai2000", "hexel"), *SKEW])
def test_each_place_is_counted_as_its_modes_are(name):
    m = gough.load(name)
    found = gough.assembly.assembly_mode_count_map(m, samples=3)
    shape = tuple(found.sizes[axis] for axis in "xyz")
    looked_at = 0
    for place in np.ndindex(shape):
        here = found.isel(dict(zip("xyz", place, strict=True)))
        X = m.X_home.copy()
        X[:3, 3] = [float(here[axis]) for axis in "xyz"] - X[:3, :3] @ m.point_of_interest
        if not gough.margins(m, X).is_allowed:
            assert np.isnan(here.modes)
            assert np.isnan(here.modes_within_limits)
            assert np.isnan(here.nearest_other)
            continue
        modes = gough.assembly_modes(m, gough.inverse_kinematics(m, X))
        assert here.modes == len(modes)
        assert here.modes_within_limits == modes.within_limits.sum() >= 1
        assert bool(here.complete) == modes.complete
        looked_at += 1
        others = modes.matrix[modes.within_limits & (np.abs(modes.matrix - X).max(axis=(1, 2)) > 1e-6)]
        c = np.append(m.platform_centre, 1.0)
        shifts = np.linalg.norm((others - X) @ c, axis=1)
        np.testing.assert_allclose(here.nearest_other, shifts.min() if len(shifts) else np.nan, atol=ROUND_OFF)
    assert looked_at > 0


def test_a_machine_without_joint_limits_is_ambiguous_where_one_with_them_is_not():
    """tsai2000 states no cones: its mirror image below the base is as allowed. Hexel's joints keep it in one mode."""
    free, held = (gough.assembly.assembly_mode_count_map(gough.load(name), samples=3) for name in ("tsai2000", "hexel"))
    assert free.modes_within_limits.max() > 1
    assert held.modes_within_limits.max() == 1
    assert np.isnan(held.nearest_other).all()
    assert held.modes.max() > 1
