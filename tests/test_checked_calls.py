"""Extreme numbers are refused or answered in silence; a defect of Gough and the caller's own functions are heard."""

import numpy as np
import pytest

import gough
from gough.checks.arguments import checks_arguments
from gough.errors import InputError

EXTREME = [1e200, 1e-200, np.inf, [0.0, 1e200], np.full(3, 1e-60)]
WARNS = "def call(*_):\n    return np.log(np.zeros(6))"
RAISES = "def call(*_):\n    return [1.0 / 0.0] * 6"
SINGULAR = "def call(*_):\n    return np.linalg.inv(np.zeros((2, 2)))"
HUNGRY = "def call(*_):\n    raise MemoryError('no room')"


def of_module(name, source):
    """The function that a module of this name would hold."""
    names = {"__name__": name, "np": np}
    exec(source, names)
    return names["call"]


def checked(source):
    """A checked function as Gough has them."""
    return checks_arguments(of_module("gough.planted", source))


@pytest.mark.parametrize("given", EXTREME)
def test_extreme_numbers_are_refused_or_silent(given):
    for source in (RAISES, SINGULAR):
        with pytest.raises(InputError, match="cannot be computed with these numbers"):
            checked(source)(given)
    assert np.isneginf(checked(WARNS)(given)).all()


@pytest.mark.parametrize("given", [0.0, 1.0, np.nan, np.ones(3), None, "text", gough.load("hexel")])
def test_a_defect_is_no_bad_input(given):
    with pytest.raises(ZeroDivisionError):
        checked(RAISES)(given)
    with pytest.raises(np.linalg.LinAlgError):
        checked(SINGULAR)(given)
    with pytest.raises(MemoryError):
        checked(HUNGRY)(given)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        checked(WARNS)(given)


def test_too_much_for_the_memory_is_refused():
    for given in (10**9, np.zeros(10**6)):
        with pytest.raises(InputError, match="too many"):
            checked(HUNGRY)(given)


def test_warnings_are_as_the_caller_has_them():
    with np.errstate(all="ignore"):
        checked(WARNS)(1.0)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        checked(WARNS)(1.0)
    heard = []
    with np.errstate(all="call", call=lambda *event: heard.append(event)):
        checked(WARNS)(1.0)
    assert heard[0][0] == "divide by zero"


@pytest.mark.parametrize("given", [1.0, 1e200])
def test_a_function_of_the_callers_is_heard(given):
    source = "def call(given, function):\n    return function(given)"
    with pytest.raises(ZeroDivisionError):
        checked(source)(given, of_module("theirs", RAISES))
    if given == 1.0:  # with extreme numbers warnings say nothing, whoever computes
        with pytest.warns(RuntimeWarning, match="divide by zero") as heard:
            checked(source)(given, of_module("theirs", WARNS))
        assert heard[0].filename == "<string>", "at the line that divides"
