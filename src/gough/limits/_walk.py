"""Compiled stepping along a path of poses, from one sign change of the smallest margin to the next.

The step length follows from the margins. Inside the limits no margin can change sign twice within a step: each either
cannot reach zero or crosses it once. Outside, not all negative margins can become positive within a step, or if they
do, no other can become negative. So a limit touched between two steps, and a narrow gap, are found too. Rates are those
of the last step; a margin that appears as a leg comes into reach has none yet, and the step is the smallest. The end of
a leg's reach is not stepped over: near it the joint's rate is unbounded. The sign change is found by Chandrupatla's
method (1997) on the smallest relative margin.

The singular surface has no such curvature: near a flat configuration a straight path may cross it twice within any
distance. It is left aside here, and searched for where all other limits are kept (`gough.limits._singular_changes`).

There is a minimum step after `PATIENCE` steps, and a fixed step after ten times as many, so that paths that graze a
limit terminate. After `MOST_STEPS` the distance reached is reported.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from gough._compile import inline, noinline, noinline_norefcount
from gough.arrays import Array
from gough.legs.leg import MIDDLE
from gough.legs.rus import RUS
from gough.legs.ups import UPS
from gough.limits._margins import (
    BASE_CONE,
    BOX,
    COLUMNS,
    HIGH,
    LONGEST,
    LOW,
    PAIR,
    SHORTEST,
    SINGULARITY,
    LimitArrays,
    Work,
    all_margins,
    margins_but_singularity,
    new_work,
    put,
    side_of_singularity,
    singular_margin,
)
from gough.limits._paths import Path, place
from gough.limits._singular_values import first_singular_value

STRUT, CRANK = UPS.code, RUS.code
"""Kinds of legs: with a stroke, and with an angle that jumps at half a turn."""

LARGEST_STEP = 0.04
SMALLEST_STEP = 1e-6
"""In walking lengths (`gough.limits.table.walking_length`); a gap narrower than the smallest step may be missed."""

PATIENCE, LEAST_LATER = 500, 0.005 * LARGEST_STEP
"""Minimum step after that many steps, in walking lengths, so that grazing paths terminate: steps are short also where
rods are close to their reach, and a limit grazed there must not be stepped over."""

MOST_STEPS = 20_000
"""Most steps of one path, at least 600 walking lengths."""

SLIP = 1.0 / 16.0
"""Part of a limit's tolerance by which a path along the limit may fall below its start: the rounding of margins."""


class Search(NamedTuple):
    """The limits of a search; `exact`, the same without `sign_only`; `others`, without the singularity; and the
    singularity `alone`, where it counts: it has a scale."""

    limits: LimitArrays
    exact: LimitArrays
    others: LimitArrays
    alone: LimitArrays


class Scratch(NamedTuple):
    """Scratch: that of `all_margins`, a pose (4, 4), margins (COLUMNS,) at the last two steps and within one, by how
    much each may be below zero along the path (`slacken`)."""

    work: Work
    X: Array
    now: Array
    before: Array
    m: Array
    slack: Array


@inline
def new_scratch() -> Scratch:
    """Arrays for one path."""
    return Scratch(
        new_work(1),
        np.empty((4, 4)),
        np.empty(COLUMNS),
        np.empty(COLUMNS),
        np.empty(COLUMNS),
        np.zeros(COLUMNS),
    )


@noinline_norefcount
def lowest(m: Array, limits: LimitArrays) -> int:
    """Reported column with the smallest relative margin, -1 where all are NaN."""
    best, index = np.inf, -1
    for c in range(limits.places.shape[0]):
        value = m[limits.places[c]] * limits.per_scale[c]
        if value < best or (index < 0 and value == value):  # of one that is infinite too
            best, index = value, c
    return index


@inline
def smallest(m: Array, limits: LimitArrays) -> float:
    """Smallest relative margin; -inf where all are NaN."""
    c = lowest(m, limits)
    return -np.inf if c < 0 else m[limits.places[c]] * limits.per_scale[c]


@noinline_norefcount
def least_margin(limits: LimitArrays, path: Path, s: float, scratch: Scratch, m: Array) -> float:
    """Margins at s along the path, with their slack, into m; the smallest relative one."""
    place(path, s, scratch.X)
    all_margins(limits, scratch.X, scratch.work, m)
    for c in range(limits.places.shape[0]):
        m[limits.places[c]] += scratch.slack[limits.places[c]]
    return smallest(m, limits)


@noinline_norefcount
def slacken(search: Search, path: Path, scratch: Scratch) -> float:
    """Let the path go along, and away from, limits on which it starts: where rounding takes a margin of the start below
    zero, within the limit's tolerance, the margin may be as far below zero along the path, and a little farther.

    A leg beyond its reach has no joint coordinate, and its reach no slack. Returns the smallest relative margin of the
    start with its slack; the margins are in `scratch.now`.
    """
    limits = search.limits
    scratch.slack[:] = 0.0
    least = least_margin(limits, path, 0.0, scratch, scratch.now)
    in_doubt = False
    for c in range(limits.places.shape[0]):
        in_doubt |= scratch.now[limits.places[c]] <= limits.doubt
    if not in_doubt:
        return least
    exact_margins(search, limits, path, 0.0, scratch)
    for c in range(limits.places.shape[0]):
        k, tolerance = limits.places[c], limits.tolerance[c]
        margin = min(scratch.now[k], scratch.m[k])
        if k >= SHORTEST and margin < 0.0 and margin >= -tolerance:
            scratch.slack[k] = min(tolerance, SLIP * tolerance - margin)
    return least_margin(limits, path, 0.0, scratch, scratch.now)


@noinline_norefcount
def exact_margins(search: Search, limits: LimitArrays, path: Path, s: float, scratch: Scratch) -> None:
    """Margins at s along the path, with their slack, into `scratch.m`; the determinant instead of the singular value
    where its sign is beyond doubt, and nothing where `limits`, some of the search's, are without it."""
    X, work, m = scratch.X, scratch.work, scratch.m
    place(path, s, X)
    margins_but_singularity(search.exact, X, work, m)
    put(work.M, work.matrices, 0)
    m[SINGULARITY] = side_of_singularity(limits, work.M) if limits.wanted[SINGULARITY] else np.inf
    if limits.wanted[SINGULARITY] and not (limits.sign_only and m[SINGULARITY] > limits.doubt):
        first_singular_value(work.matrices)
        m[SINGULARITY] = singular_margin(limits, work.matrices.smallest[0])
    for c in range(limits.places.shape[0]):
        m[limits.places[c]] += scratch.slack[limits.places[c]]


@noinline
def inner(search: Search, limits: LimitArrays, path: Path, s: float, towards: float, scratch: Scratch) -> float:
    """Nearest place to s in the direction of `towards` at which exact margins keep every one of the limits: the search
    knew their signs only. A leg is within its reach by the tolerance there, so that it has a joint
    coordinate wherever rounding takes the pose."""
    step, exact = 4e-16 * max(abs(s), abs(towards)), search.exact
    for _ in range(60):
        exact_margins(search, limits, path, s, scratch)
        is_kept = True
        for c in range(exact.places.shape[0]):
            k = exact.places[c]
            least = exact.tolerance[c] if k < SHORTEST else 0.0
            is_kept &= not scratch.m[k] * exact.per_scale[c] < least * exact.per_scale[c]
        if is_kept or s == towards:
            return s
        s = s + min(step, towards - s) if towards > s else s - min(step, s - towards)
        step *= 2.0
    return s


@inline
def to_half_turn(margin: float, k: int, limits: LimitArrays) -> float:
    """Angle between a crank that violates its limit in column k and half a turn from the middle of its range, where its
    coordinate jumps by a turn and may be allowed again at once [rad]."""
    if k < LONGEST:
        return max(0.0, np.pi + limits.L[LOW, k - SHORTEST] - limits.T[MIDDLE, k - SHORTEST] + margin)
    return max(0.0, np.pi - limits.L[HIGH, k - LONGEST] + limits.T[MIDDLE, k - LONGEST] + margin)


@noinline_norefcount
def next_step(
    limits: LimitArrays, path: Path, s: float, step: float, speed: float, taken: int, scratch: Scratch
) -> float:
    """Length of the step from s on, after `taken` steps, the last one `step` long; `speed` in walking lengths per unit
    of s. The margins there are in `scratch.now`, one step back in `scratch.before`.

    At a distance d from the end of its reach, in rods, a joint moves sqrt(1 / 2 d) times as fast as the platform.
    """
    now, before = scratch.now, scratch.before
    kept, kept_or_once, broken, broken_or_once = np.inf, np.inf, 0.0, 0.0
    gain, nearest, cap, per_step = 1.0, np.inf, LARGEST_STEP / speed, 1.0 / step
    for c in range(limits.places.shape[0]):
        k = limits.places[c]
        value, rate = now[k] * limits.per_walk[c], (now[k] - before[k]) * limits.per_walk[c] * per_step
        if k < SHORTEST:
            if value > 0.0:
                nearest = min(nearest, max(value, SMALLEST_STEP))
            else:
                kept = 0.0  # the leg's other margins are unknown until it closes
        elif nearest < np.inf:  # all margins of the reach have been read: they come first
            gain, nearest = max(1.0, 1.0 / sqrt(2.0 * nearest)), np.inf
        if rate != rate and abs(value) < np.inf:
            return SMALLEST_STEP / speed
        if value != value or rate != rate or rate == 0.0:
            continue  # unknown, or constant along this path, as that of a side of the box parallel to it
        nearing = -rate if value >= 0.0 else abs(rate) if PAIR <= k < BOX else rate  # crossing rods separate again
        # `far`: no zero within it at twice the last rate plus half the joints' largest speed. `once`: the rate cannot
        # change sign within it, for a curvature up to four times that of a limit that bends over one walking length;
        # |rate| / 8 and not / 4, as the rate is the mean over the last step.
        fast = 1.0 if k < SHORTEST else gain
        fastest = 2.0 * max(0.0, nearing) + 0.5 * speed * fast
        if value >= cap * fastest:
            continue  # no zero within the longest step
        far = abs(value) / fastest
        # A distance or an angle turns back where it is zero, one scale of the limit beyond the margin's zero.
        turn = abs(value) + limits.per_walk[c] / limits.per_scale[c]
        once = min(
            0.125 * abs(rate) / (speed * speed * fast * fast * fast), turn / (2.0 * abs(rate) + 0.5 * speed * fast)
        )
        once = far if k < SHORTEST else max(far, once)
        if value >= 0.0:
            kept, kept_or_once = min(kept, far), min(kept_or_once, once)
        else:
            if limits.code == CRANK and SHORTEST <= k < BASE_CONE:
                half_turn = to_half_turn(now[k], k, limits) / (2.0 * abs(rate) + 0.5 * speed * fast)
                far, once = min(far, half_turn), min(once, half_turn)
            broken, broken_or_once = max(broken, far), max(broken_or_once, once)
    length = kept_or_once if broken == 0.0 else max(broken, min(kept, broken_or_once))
    least = max(SMALLEST_STEP / speed, least_step(taken, speed))
    return max(least, min(length, cap))


@noinline_norefcount
def sure_step(now: Array, speed: float, limits: LimitArrays) -> float:
    """A step over which a leg provably stays out of its reach, or a strut beyond its stroke: these margins change no
    faster than the platform joint moves, `speed` walking lengths per unit of s. 0 where there is none."""
    last = BASE_CONE if limits.code == STRUT else SHORTEST
    least = 0.0
    for c in range(limits.places.shape[0]):
        k = limits.places[c]
        if k < last and now[k] * limits.per_scale[c] < 0.0:
            least = min(least, now[k] * limits.per_walk[c])
    return -least / speed


@inline
def least_step(taken: int, speed: float) -> float:
    """The minimum step after so many steps."""
    if taken < PATIENCE:
        return 0.0
    return (LEAST_LATER if taken < 10 * PATIENCE else LARGEST_STEP) / speed


@inline
def chandrupatla_fraction(a: float, b: float, c: float, fa: float, fb: float, fc: float) -> float:
    """Next fraction between a and b: inverse quadratic interpolation where it is safe, else the middle."""
    xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
    if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
        return fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    return 0.5


@noinline
def change(
    limits: LimitArrays, path: Path, a: float, b: float, fa: float, fb: float, scratch: Scratch
) -> tuple[float, int]:
    """Where the smallest relative margin changes sign between a and b: the last s inside, and the column that binds
    just beyond (Chandrupatla 1997)."""
    m = scratch.m
    inside, outside = (a, b) if fa >= 0.0 else (b, a)
    c, fc, t = a, fa, 0.5
    for _ in range(100):
        x = a + t * (b - a)
        fx = least_margin(limits, path, x, scratch, m)
        if fx >= 0.0:
            inside = x
        else:
            outside = x
        if (fx >= 0.0) == (fa >= 0.0):
            c, fc = a, fa
        else:
            c, b, fc, fb = b, a, fb, fa
        a, fa = x, fx
        gap = 4e-16 * max(abs(outside), abs(inside))  # two units in the last place
        if abs(outside - inside) <= gap:
            break
        t = chandrupatla_fraction(a, b, c, fa, fb, fc)
        # The next place stays at least `gap` away from both ends, so that the bracket always shrinks.
        edge = min(0.5, gap / max(abs(b - a), 1e-300))
        t = min(1.0 - edge, max(edge, t))
    least_margin(limits, path, outside, scratch, m)
    return inside, lowest(m, limits)
