"""A measuring device with a wrong scale: all measured lengths are multiplied by one factor, which is estimated."""

import numpy as np
import pytest
from tests.calibration.built import KINDS, MICRON, Built, measured
from tests.calibration.grids import Grid
from tests.thorough import thorough

import gough
from gough.calibration import rehome, remaining_error, write
from gough.errors import InputError

NOISE = 20 * MICRON
SAME = 1e-2
"""Difference of two fits to the same information, in standard deviations: where the passes of a fit end."""
SURE = 4.5
"""Standard deviations within which 99.999 % of estimates lie."""
LENGTHS = ("poses", "positions", "distances", "relative")


def multiplied(how, scale):
    """Measurements with their lengths multiplied."""
    found = {name: values.copy() for name, values in how.items()}
    for name in set(LENGTHS) & set(found):
        lengths = found[name][:, :3, 3] if name in ("poses", "relative") else found[name]
        lengths *= scale
    return found


@pytest.mark.parametrize("what", ["poses", *thorough("levels", "wires")])
def test_a_scale_that_is_estimated_changes_nothing_else(what):
    """Each kind of measurement as a true device gives it, and as one whose lengths are two per cent short."""
    rng = np.random.default_rng(5)
    made = Built(gough.load(KINDS["PUS"]), rng, n=30, off=0.02)
    how = {"poses": made.X} if what == "poses" else measured(made, what, rng)
    if what == "three targets":  # points have noise, as those of any device
        how["positions"] = how["positions"] + NOISE * rng.normal(size=how["positions"].shape)
    q = made.q + NOISE * rng.normal(size=made.q.shape)
    noise = {"joints": NOISE}
    true, short = (gough.calibrate(made.drawn, q, **multiplied(how, k), scale=None, noise=noise) for k in (1.0, 0.98))
    np.testing.assert_allclose(short.scale[0], 0.98 * true.scale[0], atol=SAME * true.scale[1])
    np.testing.assert_allclose(short.errors, true.errors, atol=SAME * true.deviations.min())
    assert abs(true.scale[0] - 1.0) < SURE * true.scale[1]


@pytest.mark.parametrize("turn", [0.2, *thorough(1e-3)])
@pytest.mark.parametrize("kind", ["UPS", *thorough("skew")])
def test_a_scale_that_is_off_is_said(kind, turn):
    """Of the readings of cranks, which are angles, it may be the size of the machine: found with less evidence."""
    grid, true = (Grid(kind, 33, turn=turn, scale=k) for k in (1.01, 1.0))
    found, is_turned = gough.calibrate(grid.drawn, grid.q, grid.measured), grid.drawn.legs.joint != "length"
    said = (*found.doubts, *(str(one) for one in found.findings if is_turned))
    assert any("--more scale" in one for one in said)
    assert gough.calibrate(true.drawn, true.q, true.measured).doubts == ()
    free = gough.calibrate(grid.drawn, grid.q, grid.measured, scale=None)
    assert free.doubts == ()
    assert abs(free.scale[0] - 1.01) < SURE * free.scale[1]
    assert any(one.startswith("the measuring device's scale was estimated") for one in free.sentences())
    assert any(one.startswith("scaling the whole machine") for one in free.undetermined) == is_turned


def test_a_scale_that_is_known_is_not_looked_for():
    grid = Grid("UPS", 30, turn=0.2, scale=1.01)
    found = gough.calibrate(grid.drawn, grid.q, grid.measured, scale=1.01)
    assert found.doubts == ()
    assert found.scale == (1.01, 0.0)
    with pytest.raises(InputError, match=r"scale: 25\.4, expected a number from 0\.5 to 2"):
        gough.calibrate(grid.drawn, grid.q, grid.measured, scale=25.4)


@pytest.mark.thorough
def test_other_sessions_are_compared_by_the_scale_found(tmp_path):
    grid = Grid("UPS", 30, turn=0.2, scale=1.01)
    found = gough.calibrate(grid.drawn, grid.q[:40], grid.measured[:40], scale=None)
    assert gough.calibration.validate(found, grid.q[40:], grid.measured[40:]).rms < 3 * grid.s
    again = rehome(found, grid.q[40:], grid.measured[40:])
    assert again.scale == (found.scale[0], 0.0)
    assert again.rms < 2 * grid.s
    write(found, tmp_path / "built.toml", like=KINDS["UPS"])
    assert np.isfinite(remaining_error(gough.load(tmp_path / "built.toml"), grid.tests["wide"]).position).all()
