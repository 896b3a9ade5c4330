"""Misreadings are named where they explain the data and the data as read do not, and only there."""

import pytest
from tests.calibration.grids import Grid

import gough
from gough.errors import InputError


def test_good_readings_of_one_orientation_are_not_taken_for_misread_ones():
    for kind in ("UPS", "RUS"):
        grid = Grid(kind, 8)
        assert gough.calibrate(grid.drawn, grid.q, grid.measured).rms < 2 * grid.s


def test_readings_of_another_machine_are_refused_or_said_not_to_fit():
    for seed in range(3):
        one, other = (Grid("UPS", k, turn=0.2) for k in (seed, 1000 + seed))
        found = gough.calibrate(one.drawn, other.q, other.measured, as_read=True)
        assert found.doubts
        assert found.sentences()[0].startswith("not a good fit: ")


def test_a_misreading_is_refused_and_goes_on_as_read():
    grid = Grid("UPS", 4, turn=0.2)
    swapped = grid.q[:, [1, 0, 2, 3, 4, 5]]
    with pytest.raises(InputError, match="legs 1 and 2 look swapped"):
        gough.calibrate(grid.drawn, swapped, grid.measured)
    assert gough.calibrate(grid.drawn, swapped, grid.measured, as_read=True).doubts
