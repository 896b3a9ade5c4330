"""Misreadings are named where they explain the data and the data as read do not, and only there."""

import numpy as np
import pytest
from tests.calibration.truth import KINDS as TRUE_KINDS
from tests.calibration.truth import Session, Truth
from tests.thorough import thorough

import gough
from gough.calibration.measurements import measurements
from gough.calibration.misreadings import misreadings
from gough.calibration.problem import Problem
from gough.calibration.setup import Setup
from gough.calibration.spreads import leg_errors
from gough.errors import InputError


def same(a, b):
    """Whether two measurements are the same readings and poses."""
    return np.allclose(a.q, b.q, rtol=1e-9, atol=1e-12) and np.allclose(a.poses, b.poses, rtol=1e-9, atol=1e-9)


def misread(session):
    """Each misreading with the data so misread, where another undoes it: words, readings, poses."""
    given = measurements(session.q, poses=session.measured)
    legs, frames = leg_errors(session.drawn, session.q, None), np.eye(4)
    setup = Setup(frames[None], frames, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3)), frozenset())
    ways = misreadings(Problem(legs, setup, given, np.ones(6 * legs.count), session.X))
    for undo, words in ways:
        bad = next((other(given) for other, _ in ways if same(undo(other(given)), given)), None)
        if bad is not None:
            yield words, bad.q, bad.poses


@pytest.mark.parametrize(("kind", "part"), [("UPS", 7), *thorough(*((TRUE_KINDS[k % 3], k) for k in range(7)))])
def test_what_explains_the_data_is_named_where_they_do_not_fit_as_read(kind, part):
    session = Session(kind, 4, 0.2)
    for words, q, X in list(misread(session))[part::16][:2]:
        said = answer(session.drawn, q, X)
        assert words in said
        assert "--as-read" in said or "explained alike" in said


def answer(drawn, q, X):
    """The refusal, or the doubts of an answer: legs numbered from 3 are nearly those of a machine turned by 120 deg."""
    try:
        return " ".join(gough.calibrate(drawn, q, X).doubts)
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("turn", [0.0, *thorough(1e-3, 0.2)])
@pytest.mark.parametrize("kind", ["UPS", *thorough("RUS")])
def test_good_readings_in_frames_turned_anyhow_are_not_taken_for_misread_ones(kind, turn):
    session = Session(kind, 8, turn)
    found = gough.calibrate(session.drawn, session.q, session.measured)
    assert found.doubts == ()
    assert found.alternatives == ()


@pytest.mark.thorough
def test_a_reading_that_explains_no_better_is_not_named():
    """Two errors at once: undoing one of them leaves the other."""
    session = Session("UPS", 4, 0.2)
    q = session.q[:, [1, 2, 0, 3, 4, 5]]
    X = np.array(session.measured)
    X[:, :3, 3] *= [1.0, 1.0, -1.0]
    with pytest.raises(InputError) as error:
        gough.calibrate(session.drawn, q, X)
    assert "do not fit machine" in str(error.value)
    assert "look" not in str(error.value)


def three_pairs(uneven, off):
    """A machine with three pairs of legs, equal but for `uneven` [m], and readings and poses of one that is off by
    `off` [m]."""
    session, rng = Session("UPS", 4, 0.2), np.random.default_rng(4)
    turn, half = np.repeat(np.arange(3) * 2 * np.pi / 3, 2), np.tile([-1.0, 1.0], 3)
    a, b = (
        r * np.stack([np.cos(turn + w * half), np.sin(turn + w * half), np.zeros(6)], axis=1)
        for r, w in ((0.4, 0.25), (0.2, 0.8))
    )
    a = a + uneven * rng.normal(size=a.shape)
    truth = Truth.__new__(Truth)
    truth.kind, truth.a, truth.b, truth.zero = "UPS", a + off * rng.normal(size=a.shape), b, 0.0
    X = np.linalg.inv(session.drawn.X_home) @ session.X
    X[:, 2, 3] += 0.5
    q = truth.read(X) + 20e-6 * rng.normal(size=(len(X), 6))
    return gough.from_points(a, b, home=gough.pose([0.0, 0.0, 0.5])), q, X


def test_readings_that_explain_the_data_alike_are_all_named():
    """Legs of a machine with three equal pairs, numbered from 2, 4 or 6: a third of a turn apart."""
    drawn, q, X = three_pairs(0.0, 1e-4)
    with pytest.raises(InputError) as error:
        gough.calibrate(drawn, np.roll(q, -1, axis=1), X)
    for first in (2, 4, 6):
        assert f"the legs look numbered from {first}" in str(error.value)
    assert "3 readings explain the data alike" in str(error.value)


@pytest.mark.parametrize(("first", "uneven"), [(3, 4e-3), (5, 6e-3)])
def test_data_that_are_explained_alike_as_read_and_otherwise_are_said_to_be(first, uneven):
    """Legs of nearly equal pairs, numbered from another pair: the errors of the joints make up for it."""
    drawn, q, X = three_pairs(uneven, 3e-4)
    found = gough.calibrate(drawn, np.roll(q, 1 - first, axis=1), X)
    (words,) = found.alternatives
    assert words.startswith("the data are explained alike as they are, with ")
    assert words.endswith(f"the legs look numbered from {first}")
    assert words in found.doubts
    right = gough.calibrate(drawn, q, X)
    assert (right.alternatives, right.doubts) == ((), ())
    assert found.rms == pytest.approx(right.rms, rel=0.02)
    as_read = gough.calibrate(drawn, np.roll(q, 1 - first, axis=1), X, as_read=True)
    assert as_read.alternatives == ()
    np.testing.assert_array_equal(as_read.errors, found.errors)
