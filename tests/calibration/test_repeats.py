"""A small part of `python -m tests.calibration 1000`."""

import numpy as np
import pytest
from tests.calibration.built import KINDS
from tests.calibration.repeats import Repeats

COUNT = 12
CHANCE = 4.5
"""Standard deviations of what is left to chance in so few repeats."""


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_cover_the_truth_and_estimates_reach_the_bound(kind):
    found = Repeats(kind, COUNT)
    independent = COUNT * len(found.truth)
    assert abs(found.efficiency - 1.0) < 0.05 + CHANCE / np.sqrt(2 * independent)
    assert 0.91 < found.coverage < 0.985
