"""Digits: bounds stay bounds, numbers that differ look different, and an error of parts suits the machine."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.accuracy.accuracy import likely_error
from gough.machine import DisplayUnits
from gough.present.show import Show
from gough.present.units import apart, bound_in_words

IGNORED = 1.001e-3
"""Part of the last digit that outward rounding ignores."""


@pytest.mark.parametrize("is_upper", [False, True])
def test_a_bound_in_words_is_a_bound_and_never_zero(rng, is_upper):
    for exact in np.concatenate([10.0 ** rng.uniform(-12, 6, 300), -(10.0 ** rng.uniform(-12, 6, 300)), [9.6e-6, 1.0]]):
        text = bound_in_words(exact, is_upper=is_upper)
        off = (float(text) - exact) * (1 if is_upper else -1)
        digit = 10.0 ** (np.floor(np.log10(abs(exact))) - 3)
        assert -IGNORED * digit <= off <= 1.001 * digit
        assert float(text) != 0


@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_a_number_and_its_limit_look_different_where_they_differ(rng, name):
    m = gough.load(name)
    for unit in ("m", "rad", "1", "N"):
        for decade in rng.uniform(-11, -1, 40):
            bound = rng.uniform(0.5, 2.0)
            value = bound - 10.0**decade
            for texts in (apart(m, value, bound, unit), Show(m).apart(value, bound, unit)):
                numbers = [float(text.replace("−", "-")) for text in texts]
                assert numbers[0] < numbers[1]


def test_an_error_of_parts_is_round_and_the_same_in_any_unit():
    for info in gough.machines(stages=1):
        m = gough.load(info.name)
        error = likely_error(m)
        assert 0.4 * 2e-5 * m.size <= error <= 2e-5 * m.size * (1 + 1e-9)
        assert f"{error:.0e}"[0] in "125"
        assert error == pytest.approx(float(f"{error:.0e}"), rel=1e-12)
        inches = DisplayUnits(length="in", metres=0.0254, angle="deg", radians=np.pi / 180)
        assert likely_error(replace(m, units=inches)) == error
