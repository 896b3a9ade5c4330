"""Numbers with an estimated error, and integrals over grids that have one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array, Ints
from gough.present.show import uncertain
from gough.present.units import PREFIXED

THINNED = (2, 3)
"""Every so many columns are left in rules whose change tells the error of a rule over all of them."""


@dataclass(frozen=True)
class Uncertain:
    """A number with its estimated error."""

    value: float
    error: float

    @property
    def percent(self) -> str:
        """A part of a whole with its error, in per cent without the unit."""
        return uncertain(*(part / PREFIXED["%"] for part in (self.value, self.error)))


def over_grid(x: Array, y: Array, values: Array) -> Uncertain:
    """Integral of values (nx, ny) over places x (nx,), y (ny,) by the trapezoidal rule, with its estimated error.

    The error is seen in the rules over every second and over every third place, from each of the first ones on, the
    last places always among them: the root mean square of their changes, over 2 and over 3, as an error falls with the
    step or faster (for bodies with its power 3/2); their sum, as either alone is nearly zero where a body happens to
    suit it. With fewer than three places along a side it is the integral itself.
    """

    def integral(i: Ints, j: Ints) -> float:
        return float(np.trapezoid(np.trapezoid(values[np.ix_(i, j)], y[j], axis=1), x[i]))

    whole = integral(np.arange(len(x)), np.arange(len(y)))
    if min(values.shape) < 3:
        return Uncertain(whole, abs(whole))
    parts = []
    for k in THINNED:
        changes = [integral(i, j) - whole for i in _every(k, len(x)) for j in _every(k, len(y))]
        parts.append(float(np.sqrt(np.mean(np.square(changes)))) / k)
    return Uncertain(whole, sum(parts))


def _every(k: int, count: int) -> list[Ints]:
    """Every k-th of so many places, from each of the first k on; the first and the last place always."""
    return [np.union1d([0, count - 1], np.arange(first, count, k)) for first in range(k)]
