"""Workspace of two stages together against each alone."""

import numpy as np
import pytest
from scipy.signal import fftconvolve

import gough
from gough import stages
from gough.stages.workspace_gain import FINER, section_of_sum, sum_of

COARSE = 13
"""Columns along a side, for speed."""
ROUND_OFF = 1e-12


@pytest.fixture(scope="module")
def gain(double):
    return stages.workspace_gain(double, samples=COARSE)


def test_the_section_of_a_sum_is_that_of_the_sum_of_the_whole(gain):
    """Of the same columns; of finer ones it has no column less, and does not lie farther out."""
    both, section = sum_of(gain.lower, gain.upper), section_of_sum(gain.lower, gain.upper)
    np.testing.assert_allclose(section.x, both.x, atol=ROUND_OFF)
    assert section.y == [0.0]
    whole = both.section.ends
    known = np.isfinite(section.ends)
    np.testing.assert_allclose(section.ends[known], whole[..., : section.ends.shape[2], :][known], atol=ROUND_OFF)
    assert np.isfinite(whole).sum() == known.sum()
    fine = dict(zip(np.rint(gain.sections[2].x / both.step * FINER), gain.sections[2].height[:, 0], strict=True))
    found = [fine.get(place, 0.0) for place in np.rint(both.x / both.step) * FINER]
    assert np.all(found >= both.section.height[:, 0] - ROUND_OFF)
    assert np.sum(found) > both.section.height.sum()


def test_each_stage_alone_is_the_workspace_of_its_machine(double, gain):
    """Columns of the same places, from the machine's own workspace."""
    columns = gain.lower
    X = double.lower.X_home
    x, y, home = X[:3, :3] @ double.lower.point_of_interest + X[:3, 3]
    found = gough.workspace(double.lower, x=x + columns.x, y=y + columns.y)
    both_known = np.isfinite(found.lower) & np.isfinite(columns.ends[:, :, 0, 0])
    assert both_known.sum() > 20
    np.testing.assert_allclose(columns.ends[both_known][:, 0, 0] + home, found.lower[both_known], atol=1e-9)


def test_every_displacement_of_the_sum_is_reached_with_every_margin_kept(double, gain, rng):
    """Displacements drawn from both stages' columns: their sums are in the sum, and allowed."""
    X = np.tile(double.X_home, (40, 1, 1, 1))
    total = np.zeros((40, 3))
    for columns in (gain.lower, gain.upper):
        i, j, k = np.nonzero(np.isfinite(columns.ends[..., 0]))
        chosen = rng.integers(len(i), size=40)
        low, high = columns.ends[i[chosen], j[chosen], k[chosen]].T
        z = low + rng.uniform(0.01, 0.99, 40) * (high - low)
        step = np.stack([columns.x[i[chosen]], columns.y[j[chosen]], z], axis=1)
        total += step
        X[:, 1, :3, 3] += step
        X[:, 0, :3, 3] += step if columns is gain.lower else 0.0
    assert gough.margins(double, X).is_allowed.all()
    both = gain.both
    at = (np.rint((total[:, 0] - both.x[0]) / both.step), np.rint((total[:, 1] - both.y[0]) / both.step))
    ends = both.ends[at[0].astype(int), at[1].astype(int)]
    assert ((ends[..., 0] <= total[:, 2:]) & (total[:, 2:] <= ends[..., 1])).any(axis=1).all()


def test_the_error_is_the_most_that_leaving_out_every_other_column_changes(gain):
    coarse = [sum_of(gain.lower.thinned(2, (i, j)), gain.upper.thinned()).volume for i in (0, 1) for j in (0, 1)]
    assert gain.volume_error == pytest.approx(max(abs(volume - gain.both.volume) for volume in coarse))


@pytest.mark.parametrize("double", ["double-hexapod"], indirect=True)
def test_two_equal_stages_gain_at_least_eightfold(gain):
    """By Brunn and Minkowski's inequality: 2^3 for convex sets, more for others."""
    assert gain.lower.volume == pytest.approx(gain.upper.volume, rel=1e-9)
    assert gain.gain > 8 - 8 * gain.volume_error / gain.both.volume
    assert 0 < gain.volume_error < 0.2 * gain.both.volume


PITCH = 0.02
"""Between points that are counted [m]: a thirtieth of the reach, of which the count then misses a part or two."""
REACH = 0.36
"""Past what a stage of `double-hexapod` reaches, any way [m]."""


def counted(machine):
    """Points of a grid of displacements that a machine reaches at home's orientation."""
    steps = PITCH * np.arange(-round(REACH / PITCH), round(REACH / PITCH) + 1)
    X = np.tile(machine.X_home, (len(steps),) * 3 + (1, 1))
    X[..., :3, 3] += np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1)
    return gough.margins(machine, X).is_allowed


def test_the_gain_is_that_of_counted_points():
    """Another route to the documented 8.3: points counted instead of columns cut, their sums by convolution."""
    m = gough.load("double-hexapod")
    lower, upper = (counted(stage).astype(float) for stage in m.stages)
    both = fftconvolve(lower, upper) > 0.5
    found = stages.workspace_gain(m, samples=21)
    assert PITCH**3 * lower.sum() == pytest.approx(found.lower.volume, rel=0.03)
    assert PITCH**3 * both.sum() == pytest.approx(found.both.volume, rel=0.03)
    assert both.sum() / lower.sum() == pytest.approx(8.3, rel=0.03)


def test_a_turned_upper_stage_adds_in_base_axes(double):
    """Turned by a right angle about z, the upper stage's box turns with it."""
    from dataclasses import replace

    turned = replace(double, X_IU=double.X_IU @ gough.pose_matrix([0, 0, 0], [np.pi / 2], "Z"))
    plain, found = (stages.workspace_gain(m, samples=COARSE) for m in (double, turned))
    along_x = np.ptp(found.upper.x[(found.upper.height > 0).any(axis=1)])
    along_y = np.ptp(plain.upper.y[(plain.upper.height > 0).any(axis=0)])
    assert along_x == pytest.approx(along_y, abs=2 * found.upper.step)
    assert found.upper.volume == pytest.approx(plain.upper.volume, rel=0.05)
