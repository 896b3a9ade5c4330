"""Drift, hysteresis, a shift, something that is not modelled: each is found where it is, and not where it is not."""

from functools import cache

import numpy as np
import pytest
from tests.calibration.built import KINDS, MICRON, Built
from tests.thorough import thorough

import gough
from gough.calibration import validate
from gough.calibration.diagnosis import drift, hysteresis, place
from gough.present.show import Show

NOISE = 20 * MICRON
SHOW = Show(gough.load(KINDS["UPS"]))
GIVEN = {"joints": NOISE, "positions": 0.2 * MICRON, "rotations": 1e-6}


@cache
def built(kind="UPS"):
    made = Built(gough.load(KINDS[kind]), np.random.default_rng(2), n=80, reach=0.08, turn=0.2, off=0.05)
    return made, made.q + NOISE * np.random.default_rng(6).normal(size=made.q.shape)


def kinds(found):
    return {one.kind for one in found.findings}


def test_of_good_data_nothing_is_said():
    made, q = built()
    found = gough.calibrate(made.drawn, q, made.X, noise=GIVEN)
    assert found.findings == ()
    assert found.shift is None


def test_a_jump_is_found_at_its_row_with_its_size():
    made, q = built()
    moved = q.copy()
    moved[50:] += np.array([0, 0, 15 * NOISE, 0, 0, -6 * NOISE])
    found = gough.calibrate(made.drawn, moved, made.X)
    assert found.shift.row == 50
    np.testing.assert_allclose(found.shift.by_leg[[2, 5]], [-15 * NOISE, 6 * NOISE], atol=3 * NOISE)
    assert "before row 51" in str(found)  # unasked
    assert "leg 3" in str(found.shift)
    first, *more = found.sentences()
    errors = len(found.errors)
    assert first.startswith(f"{len(q)} rows, {errors} errors looked for. Residuals of the legs, RMS: ")
    assert str(found.shift) in more
    assert more[-1].startswith("the frames of device and target were looked for: ")


def jumps(found):
    return {one.kind: one.row for one in found.findings if one.kind in ("shift", "stall")}


LEFT_OUT = {"before": (slice(0, 6), 6, 0.02), "after": (slice(35, 40), 35, -0.02)}


@pytest.mark.parametrize("side", LEFT_OUT)
@pytest.mark.parametrize("kind", ["UPS", *thorough("RUS")])
def test_rows_left_out_on_one_side_of_a_jump_of_a_reading_are_a_shift(kind, side):
    made, q = built(kind)
    rows, row, sign = LEFT_OUT[side]
    moved = q[:40].copy()
    moved[rows, 2] += 0.02 if kind == "UPS" else 0.2
    found = gough.calibrate(made.drawn, moved, made.X[:40])
    assert not found.kept[rows].any()
    assert found.kept.sum() == 40 - (rows.stop - rows.start)
    assert jumps(found) == {"shift": row}
    assert np.flatnonzero(found.shift.by_leg).tolist() == [2]
    if kind == "UPS":
        np.testing.assert_allclose(found.shift.by_leg[2], sign, rtol=0.05)


@pytest.mark.parametrize("kind", ["UPS", *thorough("RUS")])
def test_rows_left_out_after_the_device_moved_are_a_shift(kind):
    made, q = built(kind)
    X = made.X[:40].copy()
    X[32:, 2, 3] += 0.01
    found = gough.calibrate(made.drawn, q[:40], X)
    assert not found.kept[32:].any()
    assert jumps(found) == {"shift": 32}


def test_a_machine_that_warms_up_drifts():
    made, q = built()
    found = gough.calibrate(made.drawn, q + np.linspace(0, 8 * NOISE, len(q))[:, None] * np.eye(6)[1], made.X)
    assert "drift" in kinds(found)
    assert "leg 2" in str(next(one for one in found.findings if one.kind == "drift"))


def test_backlash_is_hysteresis():
    made, q = built()
    sign = np.sign(np.diff(q[:, 4], prepend=q[0, 4]))
    found = gough.calibrate(made.drawn, q + 3 * NOISE * sign[:, None] * np.eye(6)[4], made.X)
    assert "hysteresis" in kinds(found)
    assert "leg 5" in str(next(one for one in found.findings if one.kind == "hysteresis"))


def test_a_drive_that_curves_shows_over_the_workspace_and_in_cross_validation():
    made, q = built()
    d = q[:, 0] - q[:, 0].mean()
    bent = q + (d * d * 30 * NOISE / np.abs(d).max() ** 2)[:, None] * np.eye(6)[0]
    found = gough.calibrate(made.drawn, bent, made.X)
    assert "curvatures" in found.cross_validation.worth_having
    assert any(one.startswith("rows kept out fit better with more errors (--more): ") for one in found.sentences())
    more = gough.calibrate(made.drawn, bent, made.X, parameters=(*found.problem.legs.groups, "gains", "curvatures"))
    assert more.rms < 0.7 * found.rms


@pytest.mark.parametrize("kind", KINDS)
def test_a_moved_device_is_a_shift_between_sessions(kind):
    made, q = built(kind)
    found = gough.calibrate(made.drawn, q[:60], made.X[:60], noise=GIVEN)
    again = validate(found, q[60:], made.X[60:])
    assert again.shift is None
    assert again.rms < 3 * found.rms
    tilted = gough.pose([0, 0, 20 * NOISE], [0.2e-3, 0, 0], "xyz").as_matrix() @ made.X[60:]
    shifted = validate(found, q[60:], tilted)
    assert shifted.shift is not None
    assert str(shifted).endswith(f" RMS in another session; {shifted.shift}")


def test_tests_of_residuals_hold_their_chance():
    """Of 100 sets of plain noise at most two are said to have anything."""
    rng = np.random.default_rng(0)
    said = 0
    for _ in range(100):
        e, q, X = rng.normal(size=(40, 6)), rng.normal(size=(40, 6)), np.tile(np.eye(4), (40, 1, 1))
        X[:, :3, 3] = rng.normal(size=(40, 3))
        said += sum(one is not None for one in (drift(e, SHOW), hysteresis(e, q, SHOW), place(e, X, SHOW)))
    assert said <= 2
