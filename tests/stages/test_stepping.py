"""Searches by steps: margins whose zeros are known."""

import numpy as np
import pytest

from gough.limits.interval_search import Intervals
from gough.stages.stepping import AT_ONCE, first_intervals

PHASES = np.array([0.0, 1.0, 2.0, np.pi, 5.0])
LENGTHS = np.array([20.0, 21.0, 22.0, 23.0, 24.0])
TWO_ULPS = 2 * np.spacing(24.0)


def cosines(s, which):
    """Margins cos(s + phase), and minus cos from the third zero on as column 7."""
    return np.cos(s + PHASES[which, None]), np.where(np.sin(s + PHASES[which, None]) > 0, 3, 7)


def expected(most):
    """Intervals between the zeros (k - 1/2) pi - phase of the cosine, k even, and the columns there."""
    found = []
    for phase, length in zip(PHASES, LENGTHS, strict=True):
        low = 2 * np.pi * np.arange(-1, 6) - np.pi / 2 - phase
        pairs = [(max(0.0, a), min(length, a + np.pi)) for a in low if a + np.pi > 0 and a < length]
        found.append([(a, b, 7 if a > 0 else -1, 3 if b < length else -1) for a, b in pairs][:most])
    return found


@pytest.mark.parametrize("most", [1, 2, 8])
@pytest.mark.parametrize("step", [0.3, 0.01])
def test_all_intervals_between_zeros_are_found_to_rounding(step, most):
    """The steps of one batch pass several zeros, or only a part of one interval."""
    assert AT_ONCE * 0.01 < np.pi < AT_ONCE * 0.3
    found = first_intervals(cosines, np.full(5, step), LENGTHS, most)
    assert isinstance(found, Intervals)
    for k, rows in enumerate(expected(most)):
        assert found.count[k] == len(rows)
        np.testing.assert_allclose(found.ends[k, : len(rows)], [row[:2] for row in rows], atol=TWO_ULPS)
        np.testing.assert_array_equal(found.binding[k, : len(rows)], [row[2:] for row in rows])
        assert np.isnan(found.ends[k, len(rows) :]).all()
    inside = found.ends[np.isfinite(found.ends) & (found.binding >= 0)]
    paths = np.nonzero(np.isfinite(found.ends) & (found.binding >= 0))[0]
    assert (cosines(inside[:, None], paths)[0] >= 0).all()


def test_what_is_never_allowed_or_always_has_no_end():
    found = first_intervals(
        lambda s, k: (np.where(k == 0, 1.0, -1.0)[:, None] + 0 * s, 0 * k), np.ones(2), LENGTHS[:2], 8
    )
    np.testing.assert_array_equal(found.count, [1, 0])
    np.testing.assert_array_equal(found.ends[:, 0], [[0.0, 20.0], [np.nan, np.nan]])
    assert (found.binding == -1).all()
