"""Paths between assembly modes: where they end, what the legs do on the way, where they meet singularities."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.assembly.real_poses import leg_gradients

ROUND_OFF = 1e-12
"""Entries of pose matrices that went through a quaternion and back, machine sizes."""
SINGULAR = 1e-9
"""Conditioning where the determinant changes its sign: bisected to rounding of the place along the path."""
MACHINES = ("hexel", "tsai2000", "linuxcnc", *SKEW[:2])
"""Between the modes of the cranks without symmetry no path is found on which their rods can close."""


def modes_at_home(name):
    m = gough.load(name)
    return m, gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))


@pytest.fixture(scope="module", params=MACHINES)
def paths(request):
    """A machine, its modes, and paths from the first to the next four.

    A slider or crank has two coordinates for one pose: only modes at which the machine's inverse kinematics takes the
    given one have a path that ends with it.
    """
    m, modes = modes_at_home(request.param)
    apart = np.abs(gough.inverse_kinematics(m, modes.matrix) - modes.q).max(axis=1)
    first, *others = np.flatnonzero(apart < 1e-8)[:5]
    assert first == 0
    found = {k: gough.assembly.mode_transition(m, modes.matrix[0], modes.matrix[k], tries=10) for k in others}
    found = {k: path for k, path in found.items() if path is not None}
    assert found
    return m, modes, found


def test_a_path_leads_from_one_mode_to_the_other(paths):
    m, modes, found = paths
    for k, path in found.items():
        np.testing.assert_allclose(path.matrix[0], modes.matrix[0], atol=ROUND_OFF * m.size)
        np.testing.assert_allclose(path.matrix[-1], modes.matrix[k], atol=1e-8 * m.size)
        assert (path.s[0], path.s[-1]) == (0.0, 1.0)
        for end in (0, -1):
            np.testing.assert_allclose(path.q[end], modes.q, atol=1e-8 * m.size)
        np.testing.assert_array_equal(path.q, gough.inverse_kinematics(m, path.matrix))
        np.testing.assert_array_equal(path.is_allowed, gough.margins(m, path.matrix).is_allowed)
        apart = np.abs(np.diff(path.matrix, axis=0)).max(axis=(1, 2))
        assert apart.max() < 0.1 * max(1.0, m.size), "no jump"


def test_crossings_are_singular_and_as_many_as_sides_ask_for(paths):
    m, modes, found = paths
    for k, path in found.items():
        assert len(path.crossings) % 2 == (modes.side[0] != modes.side[k])
        assert path.is_free == (len(path.crossings) == 0)
        assert path.crossing_poses.shape == (len(path.crossings), 4, 4)
        q = gough.inverse_kinematics(m, path.crossing_poses)
        values = np.linalg.svd(leg_gradients(m, q, path.crossing_poses), compute_uv=False)
        assert (values[:, -1] < SINGULAR * values[:, 0]).all()
        signs = np.sign(np.linalg.det(leg_gradients(m, path.q, path.matrix)))
        before, after = (np.searchsorted(path.s, path.crossings + off) for off in (-1e-9, 1e-9))
        assert (signs[before - 1] == -signs[after]).all()


def test_modes_of_one_side_are_connected_without_a_singularity_where_a_way_round_is_found():
    """On tsai2000 the determinant changes sign twice on the straight path between two modes, and not on a detour."""
    m, modes = modes_at_home("tsai2000")
    same = np.flatnonzero(modes.side == modes.side[0])[1:]
    straight = [gough.assembly.mode_transition(m, modes.matrix[0], modes.matrix[k], tries=0) for k in same]
    found = [gough.assembly.mode_transition(m, modes.matrix[0], modes.matrix[k], tries=40) for k in same]
    assert all(len(a.crossings) <= len(b.crossings) for a, b in zip(found, straight, strict=True))
    free = [path for path in found if path.is_free]
    assert free
    for path in free:
        signs = np.sign(np.linalg.det(leg_gradients(m, path.q, path.matrix)))
        assert (signs == signs[0]).all()
        assert path.conditioning.min() > 0
        assert "no singularity" in path.sentence()


def test_the_same_seed_gives_the_same_path():
    m, modes = modes_at_home("hexel")
    one, same = (
        gough.assembly.mode_transition(m, modes.matrix[0], modes.matrix[3], tries=10, seed=4) for _ in range(2)
    )
    np.testing.assert_array_equal(one.matrix, same.matrix)


def test_where_no_leg_can_close_there_is_no_path():
    """Crank and rod of a servo leg are far too short to reach a metre up."""
    m = gough.load("servo")
    assert gough.assembly.mode_transition(m, m.home, gough.pose([0, 0, 1.0]), tries=5) is None
