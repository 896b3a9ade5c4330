"""Regions of poses: what they hold, what they draw, and the speeds of their coordinates."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.regions import ball, box, cylinder, ellipsoid
from gough.regions.branching import Boxes, Search
from gough.regions.cells import Cells, Motion
from gough.regions.models import variables
from gough.regions.placing import Chart
from gough.regions.requested import RegionLimits

ROUND_OFF = 64 * np.finfo(float).eps
"""Of poses of numbers about one."""
R = Rotation.from_rotvec([0.3, -0.8, 1.1]).as_matrix()
REGIONS = {
    "cone": box([0, 0, 1], [1, 2, 3], tilt=0.5, roll=0.2, reference=R, about=[0.1, 0.2, 0.3]),
    "rotation vectors": ball([0, 0, 1], 2, turn=1.0, reference=R),
    "angles": cylinder([0, 0, 1], 2, 1, "x", euler=[0.1, 0.2, 0.3], sequence="xyz"),
    "an axis askew": cylinder([0, 0, 1], 2, 1, [1, -2, 0.5], turn=0.3),
    "large angles": ellipsoid([0, 0, 1], [1, 2, 0], euler=[[1, 3], [2, 3], [0, 1]], sequence="ZYZ"),
    "beyond the middle angle's range": box([0, 0, 0], [1, 1, 1], euler=[[0, 0.1], [2, 3], [0, 1]], sequence="XYZ"),
}


@pytest.mark.parametrize("region", REGIONS.values(), ids=REGIONS)
def test_a_region_contains_what_it_draws_and_half_of_it_is_on_the_boundary(region):
    X = region.sample(600, seed=3)
    assert region.contains(X).all()
    assert region.scaled(1 + 1e-6).contains(X).all()
    assert 0.4 < region.scaled(1 - 1e-6).contains(X).mean() < 0.5 + 1e-9
    assert not region.contains(np.full((4, 4), np.nan))
    assert all(np.isnan(z).all() for z in region.coordinates(np.full((1, 4, 4), np.nan)))
    np.testing.assert_array_equal(X, region.sample(600, seed=3))


def test_a_cone_is_what_the_tilt_of_the_z_axis_says():
    region = REGIONS["cone"]
    X = region.sample(400)
    tilt = np.arccos(np.clip(X[:, :3, 2] @ R[:, 2], -1, 1))
    assert tilt.max() <= 0.5 + 1e-9
    assert tilt.max() > 0.499


@pytest.mark.parametrize("sequence", ["ZXZ", "zxz", "YXY", "XYZ", "xyz", "XZY", "zxy"])
@pytest.mark.parametrize("half_turns", [0, 1])
def test_poses_whose_euler_angles_are_not_unique_are_in_the_region_too(sequence, half_turns, rng):
    """Where the first and the third axis coincide only a sum or a difference of two angles is known."""
    lock = np.pi * half_turns + (0.0 if sequence[0] == sequence[2] else np.pi / 2)
    first, third = np.array([0.1, 0.2]), np.array([-0.3, 0.5])
    region = box(
        [0.1, 0.2, 1.0], [0.01] * 3, euler=[first, [lock, lock + 0.1], third], sequence=sequence, about=[0, 0.1, 0.2]
    )
    z = region.places(300, rng)
    for off in (0.0, 1e-12, 1e-9, 1e-8, 1e-6):
        z[:, 4] = lock + off
        assert region.contains(region.poses(z)).all()
        if off < 2e-8:
            assert not region.scaled(1 - 1e-6).contains(region.poses(z)).any()  # it begins above the middle angle
    # All turns about the axis that both share, of which a part is in the region: sums or differences, by the sense.
    turns = np.linspace(-1.0, 1.0, 201) + 1e-4
    z = np.column_stack([np.tile(region.centre[:3], (201, 1)), turns, np.full(201, lock), np.zeros(201)])
    sums = (turns > first[0] + third[0]) & (turns < first[1] + third[1])
    differences = (turns > first[0] - third[1]) & (turns < first[1] - third[0])
    found = region.contains(region.poses(z))
    assert (found == sums).all() or (found == differences).all()


def rotations(chart, axes, z):
    """Rotations of coordinates z (n, 3), as `gough.regions.charts` defines them, by SciPy."""
    if chart == "rotvec":
        return Rotation.from_rotvec(z)
    if chart == "cone":
        return Rotation.from_rotvec(z[:, :2] @ axes[:2]) * Rotation.from_rotvec(z[:, 2:] * axes[2])
    return Rotation.from_euler(chart, z)


@pytest.mark.parametrize("region", REGIONS.values(), ids=REGIONS)
def test_poses_are_those_of_their_coordinates(region, rng):
    z = region.places(50, rng)
    turns = rotations(region.chart, region.axes, z[:, 3:]).as_matrix() @ region.reference
    X = region.poses(z)
    place = region.centre[:3] + (z[:, :3] - region.centre[:3]) @ region.directions.T
    np.testing.assert_allclose(X[:, :3, :3], turns, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(X[:, :3, 3], place - turns @ region.about, rtol=0, atol=4 * ROUND_OFF)


@pytest.mark.parametrize("region", REGIONS.values(), ids=REGIONS)
def test_places_of_boxes_are_within_reach_of_their_centres(region, rng):
    """Boxes partly beyond the region."""
    z, half = region.places(2000, rng), region.half * rng.uniform(0.4, 1.2, (20, 6))
    cells = Cells(region.places(20, rng) + half * rng.uniform(-0.8, 0.8, (20, 6)), half)
    motion, reached = Motion.over(region, cells), np.zeros(2)
    for k, (centre, width) in enumerate(zip(*cells, strict=True)):
        inside = z[(np.abs(z - centre) <= width).all(axis=1)]
        if not len(inside):
            continue
        X, at = region.poses(inside), motion.X[k]
        gone = np.linalg.norm(X[:, :3, 3] - at[:3, 3] + (X[:, :3, :3] - at[:3, :3]) @ region.about, axis=1)
        turned_by = Rotation.from_matrix(X[:, :3, :3] @ at[:3, :3].T).magnitude()
        reached = np.maximum(reached, [(gone / motion.shift[k]).max(), (turned_by / motion.turn[k]).max()])
    assert (reached <= 1 + 1e-9).all()
    assert (reached > 0.8).all()


@pytest.mark.parametrize("region", REGIONS.values(), ids=REGIONS)
def test_coordinates_of_searches_give_the_poses_of_the_region(region, rng):
    """By arrays in the unit cube, and over boxes of it by Taylor models."""
    chart = Chart.of(region)
    y = chart.moved_inside(rng.uniform(-1.2, 1.2, (len(chart.free), 200)))
    X = region.poses(chart.coordinates(y))
    pose = chart.pose_at(y)
    np.testing.assert_allclose(np.moveaxis(pose.R, -1, 0), X[:, :3, :3], rtol=0, atol=1e-14)
    points = X[:, :3, :3] @ region.about + X[:, :3, 3]
    np.testing.assert_allclose(pose.p.T, points, rtol=0, atol=1e-14)
    for size in (1e-4, 0.1, 1.0):
        centre, half = 0.3 * y[:, :1], np.full((len(y), 1), size)
        over, x = chart.pose_at(variables(centre, half)), rng.uniform(-1, 1, (len(y), 500))
        inside = chart.pose_at(centre + half * x)
        for model, values in ((over.R, inside.R), (over.p, inside.p)):
            assert (np.abs(values - model.value) <= model.change + 1e-14).all()


@pytest.mark.parametrize("region", REGIONS.values(), ids=REGIONS)
def test_halves_of_boxes_hold_every_place_of_the_region(region, rng):
    """Boxes partly beyond the region: what is dropped of them has no place of it."""
    machine = gough.load("hexel")
    search = Search(RegionLimits.of(machine), Chart.of(region), np.ones(len(RegionLimits.of(machine).columns), bool))
    d = len(search.chart.free)
    box = Boxes(
        rng.uniform(-1, 1, (d, 1)),
        rng.uniform(0.2, 1, (d, 1)),
        np.zeros(1, int),
        np.ones((1, 1), bool),
        -np.ones((1, 1)),
    )
    parts, _ = search.split(box, rng.uniform(size=(d, 1)))
    parts = search.shrunk(search.split(parts, rng.uniform(size=(d, len(parts.items))))[0])
    y = search.chart.moved_inside(rng.uniform(-1.2, 1.2, (d, 4000)))
    inside = y[:, (np.abs(y - box.centre) <= box.half).all(axis=0)]
    held = (
        (np.abs(inside[:, :, None] - parts.centre[:, None]) <= parts.half[:, None] * (1 + 1e-9)).all(axis=0).any(axis=1)
    )
    assert held.all()
