"""Maps over positions: the grid, the mask, and that every number is that of its pose."""

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.limits.interval_search import poses_at
from gough.workspaces.position_maps import CHUNK


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


@pytest.mark.parametrize("name", ["hexel", *thorough("sinatra2009", "servo", "dehaeze", "rubin-m2"), *SKEW])
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


def test_long_maps_tell_their_progress_and_stop_when_it_raises():
    m, told = gough.load("hexel"), []
    gough.workspaces.map_over_positions(m, height, samples=17, progress=lambda done, total: told.append((done, total)))
    assert told == [(CHUNK, 17**3), (17**3, 17**3)]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gough.workspaces.map_over_positions(m, height, samples=3, progress=stop)


def test_a_map_goes_to_netcdf_and_back(tmp_path):
    import xarray

    found = gough.workspaces.map_over_positions(gough.load("hexel"), height, samples=4)
    found.to_netcdf(tmp_path / "map.nc", engine="scipy")
    with xarray.open_dataset(tmp_path / "map.nc", engine="scipy") as again:
        xarray.testing.assert_equal(again.load(), found)
        assert again.height.attrs["units"] == "m"


def test_nowhere_allowed_is_all_nan():
    found = gough.workspaces.map_over_positions(gough.load("hexel"), height, x=0.0, y=0.0, z=[5.0, 6.0])
    assert not found.is_allowed.any()
    assert np.isnan(found.height).all()


@pytest.mark.parametrize("z", [[0.8, 0.7], [0.8, np.nan], [[0.8]], []])
def test_places_that_are_no_list_of_ascending_numbers_are_refused(z):
    with pytest.raises(gough.errors.InputError, match="z must be"):
        gough.workspaces.map_over_positions(gough.load("hexel"), height, z=z)


def test_a_machine_without_an_end_needs_the_grid():
    hexel = gough.load("hexel")
    m = gough.from_points(hexel.legs.a_B, hexel.b_P, home=hexel.home)
    with pytest.raises(gough.errors.InputError, match="no largest length"):
        gough.workspaces.map_over_positions(m, height)
    assert gough.workspaces.map_over_positions(m, height, x=0.0, y=0.0, z=0.8).is_allowed.all()


@pytest.mark.parametrize(("name", "angle"), [("rubin-m2", 20), ("hexel", 120)])
def test_a_workspace_that_is_empty_at_the_orientation_is_said(name, angle):
    """Where no leg reaches, and where legs reach and other limits refuse all."""
    m = gough.load(name)
    with pytest.raises(gough.errors.InputError, match="no position is allowed"):
        gough.workspaces.map_over_positions(
            m, height, m.home * gough.pose([0, 0, 0], [angle, 0, 0], "XYZ", degrees=True)
        )
