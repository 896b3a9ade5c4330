"""Maps over positions: the grid, the mask, and that every number is that of its pose."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.limits.interval_search import poses_at


def height(poses):
    return {
        "height": ((), poses[:, 2, 3], {"units": "m"}),
        "corner": (("axis",), poses[:, :3, 3], {"units": "m"}),
    }


def test_each_number_is_that_of_its_pose_and_refused_poses_have_none(machine):
    X = machine.X_home
    found = gough.workspaces.map_over_positions(machine, height, samples=7)
    assert found.sizes == {"x": 7, "y": 7, "z": 7, "axis": 3}
    assert 10 < int(found.is_allowed.sum()) < 343
    for i, j, k in [(3, 3, 3), (0, 0, 0), (2, 4, 3), (3, 3, 6)]:
        place = np.array([found.x[i], found.y[j], found.z[k]])
        pose = poses_at(machine, X[:3, :3], place)
        np.testing.assert_allclose(pose[:3, :3] @ machine.point_of_interest + pose[:3, 3], place, atol=1e-15)
        allowed = bool(gough.margins(machine, pose).is_allowed)
        assert bool(found.is_allowed[i, j, k]) == allowed
        if allowed:
            assert float(found.height[i, j, k]) == pose[2, 3]
            np.testing.assert_array_equal(found.corner[i, j, k], pose[:3, 3])
    np.testing.assert_array_equal(np.isfinite(found.height), found.is_allowed)


@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_the_grid_covers_the_workspace_and_little_more(name):
    """No pose on a finer grid over twice the extent is allowed beyond its ends, and the ends are near allowed ones."""
    m = gough.load(name)
    found = gough.workspaces.map_over_positions(m, height, samples=2)
    low, high = (np.array([float(found[axis][k]) for axis in "xyz"]) for k in (0, -1))
    wider = [np.linspace(a - (b - a) / 2, b + (b - a) / 2, 41) for a, b in zip(low, high, strict=True)]
    wide = gough.workspaces.map_over_positions(m, height, x=wider[0], y=wider[1], z=wider[2])
    for k, axis in enumerate("xyz"):
        allowed = wider[k][wide.is_allowed.any([name for name in "xyz" if name != axis])]
        step = wider[k][1] - wider[k][0]
        assert low[k] - 0.02 * step <= allowed[0] <= low[k] + 5 * step
        assert high[k] - 5 * step <= allowed[-1] <= high[k] + 0.02 * step


def test_one_number_makes_a_slice_at_any_orientation():
    m = gough.load("hexel")
    X = gough.pose([0, 0, 0], [3, -2, 10], "XYZ", degrees=True)
    found = gough.workspaces.map_over_positions(m, height, X, x=[-0.01, 0.0, 0.02], y=0.0, z=0.8)
    assert found.sizes == {"x": 3, "y": 1, "z": 1, "axis": 3}
    np.testing.assert_allclose(np.reshape(found.attrs["rotation"], (3, 3)), X.as_matrix()[:3, :3])
    assert found.is_allowed.all()
