"""Compiled: the places along a path at which a machine comes to, or leaves, the limit of its singularity.

They are searched for where all other limits are kept, from one end of an allowed interval to the other. Nothing is
stepped over: zeros of the determinant are counted where it is a polynomial, or the parts of a path without one are
proven (`gough.limits._regular_parts`), about each place that is looked at, and about each zero that is found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough._compile import inline, noinline, noinline_norefcount
from gough.arrays import Array
from gough.limits._determinant import (
    DEGREE,
    LENGTH_OF_PATH,
    NUMBERS,
    WHOLE,
    ZEROS,
    degree_along,
    distance_with,
    expand,
    new_form,
)
from gough.limits._margins import SIDE, SINGULARITY, LimitArrays
from gough.limits._paths import Path
from gough.limits._regular_parts import Jet, new_jet, radius_of_zero, regular_radius
from gough.limits._walk import (
    LARGEST_STEP,
    MOST_STEPS,
    SMALLEST_STEP,
    Scratch,
    Search,
    change,
    least_margin,
    least_step,
)

DEEPEST = 64
"""Most parts of a path that wait for a proof: each is at most half of the one before."""


class Proofs(NamedTuple):
    """Scratch: the determinant along a path, the Jacobian's derivatives, and parts of the path to be proven."""

    form: Array
    jet: Jet
    undecided: Array


@inline
def new_proofs() -> Proofs:
    """Arrays for one path."""
    return Proofs(new_form(), new_jet(), np.empty((DEEPEST, 2)))


@inline
def counts(limits: LimitArrays) -> bool:
    """Whether the singularity is searched for."""
    is_counted = False
    for c in range(limits.places.shape[0]):
        is_counted |= limits.places[c] == SINGULARITY and limits.per_scale[c] > 0.0
    return is_counted


@noinline_norefcount
def prepare(search: Search, path: Path, length: float, scratch: Scratch, proofs: Proofs) -> None:
    """Expand the determinant over a path of this length, where it is a polynomial."""
    form = proofs.form
    form[NUMBERS, LENGTH_OF_PATH] = length
    degree = degree_along(search.limits, path, form)
    form[NUMBERS, DEGREE] = degree
    if degree:
        expand(search.limits, path, degree, scratch.X, scratch.work.M, form)


@noinline
def next_change(
    search: Search, path: Path, s: float, end: float, is_inside: bool, speed: float, scratch: Scratch, proofs: Proofs
) -> tuple[float, float, int]:
    """The first place between s and `end` at which the singularity's margin changes its sign, on the allowed side of
    it, a place beyond up to which it does not change again, and the column of the singularity; `end`, `end` and -1
    where there is none. `is_inside`: whether the margin is kept from s on."""
    alone, m, form, undecided = search.alone, scratch.m, proofs.form, proofs.undecided
    at, beyond, column = end, end, -1
    degree, left = int(form[NUMBERS, DEGREE]), 0
    if degree and form[NUMBERS, ZEROS] == 0.0:
        sign = search.limits.G[SIDE] * form[WHOLE, degree]
        if sign != 0.0 and (sign > 0.0) == is_inside:  # the path may begin at a zero
            return end, end, -1
    middle = end
    for taken in range(MOST_STEPS):
        if not s < end:
            break
        least, radius = max(SMALLEST_STEP / speed, least_step(taken, speed)), 0.0
        if degree:
            middle = s + distance_with(path, degree, s, end - s, min(least, end - s), 1, form)
            value = least_margin(alone, path, middle, scratch, m)
        elif taken == 0:
            value = least_margin(alone, path, end, scratch, m)
        else:
            middle = 0.5 * (s + end)
            value, radius = regular_radius(
                search.limits, path, middle, 0.5 * (end - s), scratch.X, scratch.work.matrices, proofs.jet
            )
            radius = LARGEST_STEP / speed if value != value else max(radius, 0.5 * least)
        if value != value or (value < 0.0) != is_inside:
            if degree:
                s = middle
            elif taken > 0:
                # What is left on the right is looked at after what is left on the left.
                if middle + radius < end and left < undecided.shape[0]:
                    undecided[left, 0], undecided[left, 1] = middle + radius, end
                    left += 1
                end = middle - radius
            for _ in range(left):
                if s < end:
                    break
                left -= 1
                s, end = undecided[left, 0], undecided[left, 1]
            continue
        first = least_margin(alone, path, s, scratch, m)
        if (first >= 0.0) == is_inside:
            at, column = change(alone, path, s, middle, first, least_margin(alone, path, middle, scratch, m), scratch)
        else:  # rounding decides: the change is where the search begins
            at, column = s, column_of(search.limits)
        if degree:
            return at, max(middle, at + SMALLEST_STEP / speed), column
        if search.limits.sign_only:
            radius = radius_of_zero(search.limits, path, at, middle - s, scratch.X, proofs.jet)
        beyond, end, left = at + max(radius, SMALLEST_STEP / speed), at - radius, 0
    return at, beyond, column


@inline
def column_of(limits: LimitArrays) -> int:
    """Reported column of the singularity."""
    column = -1
    for c in range(limits.places.shape[0]):
        column = c if limits.places[c] == SINGULARITY else column
    return column
