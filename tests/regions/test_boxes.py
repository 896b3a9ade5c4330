"""Boxes: they cover, halve, and know what they touch."""

import numpy as np

from gough.regions.boxes import Boxes, connected_component, neighbours, shortest_path

LOW, HIGH = np.array([-1.0, 0.0, 2.0]), np.array([3.0, 1.0, 2.5])


def test_they_cover_the_region_and_go_on_covering_it_when_halved(rng):
    boxes = Boxes.of(LOW, HIGH)
    points = LOW + rng.uniform(size=(100, 3)) * (HIGH - LOW)
    for level in range(3):
        inside = (np.abs(points[:, None] - boxes.centres) <= boxes.half).all(axis=-1)
        assert inside.any(axis=1).all()
        assert boxes.level == level
        assert np.isclose(boxes.volume, 2.0)
        boxes = boxes.halved()


def test_touching_is_what_distance_says(rng):
    coarse = Boxes.of(LOW, HIGH)
    chosen = rng.uniform(size=len(coarse)) < 0.5
    fine = coarse[chosen].halved()
    fine = fine[rng.uniform(size=len(fine)) < 0.4]
    parts = [coarse[~chosen], fine]
    centres = np.concatenate([part.centres for part in parts])
    half = np.concatenate([np.broadcast_to(part.half, part.centres.shape) for part in parts])
    gap = np.abs(centres[:, None] - centres) - half[:, None] - half
    expected = (gap <= 1e-6).all(axis=-1)
    found = np.zeros_like(expected)
    found[neighbours(parts)] = True
    np.testing.assert_array_equal(found | found.T, expected)


def test_parts_that_do_not_touch_are_told_apart_and_ways_go_round():
    boxes = Boxes.of(np.zeros(3), np.array([4.0, 4.0, 1.0]), along=1)  # sixteen unit boxes
    x, y = boxes.centres[:, 0], boxes.centres[:, 1]
    wall = (x > 1) & (x < 2)
    left, right = np.array([0.5, 0.5, 0.5]), np.array([3.5, 0.5, 0.5])
    whole = [boxes[~wall]]
    np.testing.assert_array_equal(connected_component(whole, left)[0], whole[0].centres[:, 0] < 1)
    assert shortest_path(whole, np.ones(len(whole[0]), dtype=bool), left, right) is None
    door = [boxes[~(wall & (y < 3))]]
    assert connected_component(door, left)[0].all()
    path = shortest_path(door, np.ones(len(door[0]), dtype=bool), left, right)
    np.testing.assert_array_equal(path[[0, -1]], [left, right])
    assert (np.abs(np.diff(path, axis=0)) <= 1).all()
    assert path[:, 1].max() > 3
