"""Extremes, absolute integrals and root mean squares of functions of time, interpolated from knot to knot.

Between two knots of a motion every quantity is one smooth function. It is interpolated at Chebyshev points of the first
kind (Trefethen 2013, *Approximation Theory and Approximation Practice*), on all intervals at once; an interval is
halved until the last coefficients are negligible. The interpolant has its extremes at its ends or at roots of its
derivative, which are eigenvalues of the colleague matrix (Good 1961; Battles and Trefethen 2004), and the integral of
its square is exact. The interpolant's derivative is that of the quantity, to a tolerance of its own. No point lies on a
knot: where a quantity jumps, both sides count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from gough.arrays import Array, Bools, Indices

TOLERANCE = 1e-7
"""Error of a quantity on each interval, as part of its largest value over the motion and over all legs."""
COUNT = 9
"""Points of an interval."""
TAIL = 2
"""Last coefficients that estimate the error; two, as either may vanish by symmetry."""
LEAST = 16
"""Intervals to begin with, so that a motion without knots is not taken for what a few points show."""
UNEVEN = 0.381966
"""Shift of their ends, as part of an interval."""
INTERVALS_AT_ONCE = 4096
"""Intervals evaluated at once."""
MOST = 200_000
"""Largest number of intervals that are halved; beyond it extremes are not resolved."""
NARROWEST = 1e-9
"""Width, as part of the interval between knots, below which an interval is not halved: a jump that is not a knot."""
HALVINGS = 20
"""Halvings of an interval on which it is not clear which quantity uses most of its limit."""
TIE = 1e-6
"""Difference of utilisations, for each quantity between them, below which the first of two counts as the larger one."""
ROUNDING = 64 * float(np.finfo(float).eps)
"""Rounding errors, as part of the sizes in `noise`."""
EQUAL_TIMES = 1e3 * ROUNDING
"""Distance of times, as part of them, below which they are the same."""

Noise = Mapping[str, Sequence[tuple[float, int]]]
"""Pairs (size, k) of quantities: their rounding errors are about size / width^k on an interval between knots, as the
k-th derivative of a spline of values of this size has."""


@dataclass(frozen=True, eq=False)
class Extremes:
    """Extremes and integrals of a quantity's k components over time.

    Attributes
    ----------
    lowest, highest : (k,) array
        NaN where the quantity is undefined somewhere.
    when_lowest, when_highest : (k,) array
        [s]
    rms : (k,) array
        Root of the mean square over the time.
    path : (k,) array
        Integral of the absolute value, of quantities where it is requested; of a rate the travel. NaN of others.
    share : (k,) array
        Part of the time for which the component uses more of its limit than any other; NaN of quantities without limit.
    is_resolved : bool
        Whether the tolerance was reached on every interval.
    undefined : float or None
        First time found at which the quantity is not finite [s].
    bounds : (p, k) array
        Upper bounds of the absolute values in each of the requested pieces of the time.

    """

    lowest: Array
    highest: Array
    when_lowest: Array
    when_highest: Array
    rms: Array
    path: Array
    share: Array
    is_resolved: bool
    undefined: float | None
    bounds: Array = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def peak(self) -> Array:
        """Largest absolute values (k,)."""
        return np.maximum(np.abs(self.lowest), np.abs(self.highest))

    @property
    def when(self) -> Array:
        """Times of the peaks (k,) [s]."""
        return np.where(np.abs(self.highest) >= np.abs(self.lowest), self.when_highest, self.when_lowest)


def extremes(
    function: Callable[[Array], Mapping[str, Array]],
    knots: Array,
    *,
    noise: Noise | None = None,
    products: Mapping[str, tuple[str, str]] | None = None,
    integrals: Sequence[str] = (),
    derivatives: Mapping[str, str] | None = None,
    limits: Mapping[str, ArrayLike] | None = None,
    idle: Array | None = None,
    pieces: Array | None = None,
    most: int = MOST,
) -> dict[str, Extremes]:
    """Find the extremes and integrals of quantities over time.

    Parameters
    ----------
    function : callable
        Quantities (n, k) by name at times (n,), smooth between knots.
    knots : (m,) array
        Increasing, from the first to the last time [s].
    noise : mapping
        Rounding errors of quantities, see `Noise`: smaller details are not resolved.
    products : mapping
        Names of two quantities by the name of their product, whose rounding errors follow from theirs.
    integrals : sequence of str
        Quantities whose absolute value is integrated.
    derivatives : mapping
        Names of quantities by the names of their derivatives by time, whose extremes are found too.
    limits : mapping
        Limits of absolute values, () or (k,), of the quantities and derivatives whose `share` is found.
    idle : (m, 2) array
        Begins and ends, which are knots, of the times that `share` leaves out [s].
    pieces : (p + 1,) array
        Increasing knots between which absolute values are bounded [s].
    most : int
        Largest number of intervals that are halved.

    Returns
    -------
    dict of str to Extremes
        To a relative error of 1e-7 of the largest value of each quantity, of all its components.

    """
    derivatives = derivatives or {}
    if knots[-1] == knots[0]:
        values = dict(function(knots[:1]))
        values |= {name: np.zeros_like(values[of]) for name, of in derivatives.items()}
        return {name: _of_instant(each, knots[:1]) for name, each in values.items()}
    # Knots that are the same but for rounding: differences over the time between them would be rounding errors.
    is_apart = np.minimum(np.diff(knots)[:-1], knots[-1] - knots[1:-1]) > EQUAL_TIMES * np.abs(knots[1:-1])
    knots = np.concatenate([knots[:1], knots[1:-1][is_apart], knots[-1:]])
    count = max(1, -(-LEAST // (len(knots) - 1)))  # rounded up
    # Uneven: the middle of a motion that turns back there is no end of an interval.
    parts = np.maximum(np.arange(count) - UNEVEN, 0.0) / count
    ends = np.append((knots[:-1, None] + np.diff(knots)[:, None] * parts).ravel(), knots[-1])
    low, high = ends[:-1], ends[1:]
    widths = {name: values.shape[1] for name, values in function(low[:1]).items()}
    search = _Search(function, widths, noise or {}, products or {}, integrals, derivatives, most)
    if pieces is not None:
        search.pieces, search.bounds = pieces, np.zeros((len(pieces) - 1, len(search.size)))
    search.shares = _Shares(search.per_limit(limits or {}), np.empty((0, 2)) if idle is None else idle)
    chunks = [slice(k, k + INTERVALS_AT_ONCE) for k in range(0, len(low), INTERVALS_AT_ONCE)]
    # The size of the quantities over all of the motion first: it decides how closely each interval is looked at.
    for chunk in chunks:
        search.note_sizes(search.values((low[chunk] + high[chunk]) / 2))
    for chunk in chunks:
        search.run(low[chunk], high[chunk], count)
    return search.results(float(knots[-1] - knots[0]))


def _of_instant(values: Array, time: Array) -> Extremes:
    """Extremes of values (1, k) at one time (1,)."""
    v, t = values[0], np.repeat(time, values.shape[1])
    is_undefined = not np.isfinite(v).all()
    nothing = np.zeros_like(v)
    return Extremes(v, v, t, t, np.abs(v), nothing, nothing, True, float(time[0]) if is_undefined else None)


class _Search:
    """Adaptive interpolation of quantities, whose components are the columns of one array, those of derivatives last,
    and what is found so far."""

    shares: _Shares
    pieces: Array | None = None
    bounds: Array = np.empty((0, 0))

    def __init__(
        self,
        function: Callable[[Array], Mapping[str, Array]],
        widths: Mapping[str, int],
        noise: Noise,
        products: Mapping[str, tuple[str, str]],
        integrals: Sequence[str],
        derivatives: Mapping[str, str],
        most: int,
    ) -> None:
        self.function, self.left, self.names = function, most, tuple(widths)
        sizes = {**widths, **{name: widths[of] for name, of in derivatives.items()}}
        ends = np.cumsum([0, *sizes.values()]).tolist()
        self.parts = dict(zip(sizes, map(slice, ends[:-1], ends[1:]), strict=True))
        self.derived = slice(sum(widths.values()), None)
        columns = np.arange(ends[-1])
        self.of_derived = np.concatenate([columns[:0], *(columns[self.parts[of]] for of in derivatives.values())])
        self.noise = [(self.parts[name], pairs) for name, pairs in noise.items() if name in self.parts]
        self.products = [(self.parts[name], *(self.parts[of] for of in pair)) for name, pair in products.items()]
        self.is_integrated = np.zeros(ends[-1], dtype=bool)
        for name in integrals:
            self.is_integrated[self.parts[name]] = True
        self.size, self.square, self.path = np.zeros((3, ends[-1]))
        self.best = np.full((2, ends[-1]), -np.inf)  # highest, and highest of the negative
        self.when = np.zeros((2, ends[-1]))
        self.undefined = np.full(ends[-1], np.inf)
        self.is_resolved = np.ones(ends[-1], dtype=bool)

    def per_limit(self, limits: Mapping[str, ArrayLike]) -> Array:
        """Utilisations (k,) of limits by values of one; NaN of quantities without limit."""
        found = np.full(len(self.size), np.nan)
        for name, limit in limits.items():
            found[self.parts[name]] = 1.0 / np.asarray(limit, dtype=float)
        return found

    def values(self, t: Array) -> Array:
        """All quantities (n, k) at times (n,), zero for derivatives."""
        found = self.function(t)
        return np.concatenate([*(found[name] for name in self.names), np.zeros((len(t), len(self.of_derived)))], axis=1)

    def note_sizes(self, values: Array) -> None:
        """Raise the sizes of the quantities to those of values (n, k)."""
        sizes = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=0)
        for part in self.parts.values():
            self.size[part] = max(self.size[part].max(initial=0.0), sizes[part].max(initial=0.0))

    def run(self, low: Array, high: Array, count: int) -> None:
        """Interpolate on intervals from `low` to `high` (n,), halved until the quantities are resolved; of them about
        `count` lie between two knots, whose distance determines the rounding errors of derivatives."""
        width = high - low
        allowed = np.zeros((len(low), len(self.size)))
        for part, pairs in self.noise:
            errors = [size / (count * width) ** k for size, k in pairs]
            allowed[:, part] = ROUNDING * sum(errors)[:, None]  # type: ignore[index]
        for part, a, b in self.products:
            allowed[:, part] += allowed[:, a] * self.size[b] + allowed[:, b] * self.size[a]
        narrow = np.maximum(NARROWEST * width, EQUAL_TIMES * np.abs(high))
        while len(low):
            half = (high - low) / 2
            t = (low + half)[:, None] + half[:, None] * POINTS
            values = self.values(t.ravel()).reshape(*t.shape, -1)
            is_finite = np.isfinite(values)
            c = np.einsum("ij,pjk->pik", TO_COEFFICIENTS, np.where(is_finite, values, 0.0))
            tail = np.abs(c[:, -TAIL:]).sum(axis=1)
            if len(self.of_derived):
                slopes = np.einsum("ij,pjk->pik", DERIVATIVE, c[..., self.of_derived]) / half[:, None, None]
                c[:, :-1, self.derived] = slopes
                tail[:, self.derived] = np.abs(slopes[:, -TAIL:]).sum(axis=1)
                values[..., self.derived] = np.einsum("ji,pik->pjk", TO_VALUES[:, :-1], slopes)
                is_finite[..., self.derived] = is_finite[..., self.of_derived]
            self.note_sizes(np.concatenate(values))
            off = tail > np.maximum(TOLERANCE * self.size, allowed)
            # Undefined throughout is a result; undefined in parts is a jump.
            off |= is_finite.any(axis=1) & ~is_finite.all(axis=1)
            is_wide = 2 * half > narrow
            is_open = off.any(axis=1) & is_wide
            if int(is_open.sum()) > self.left:
                self.is_resolved &= ~(off & is_open[:, None]).any(axis=0)
                is_open[:] = False
            self.left -= int(is_open.sum())
            done = ~is_open
            self._keep_points(t[done], values[done], is_finite[done], off[done])
            # Interpolants that are not resolved, across a jump, would overshoot: their mean, next to their points.
            c[:, 1:] = np.where(off[:, None], 0.0, c[:, 1:])
            self._reduce(low[done], half[done], c[done], allowed[done])
            middle = (low + half)[is_open]
            low, high = (np.concatenate(pair) for pair in ((low[is_open], middle), (middle, high[is_open])))
            allowed, narrow = (np.concatenate([part[is_open]] * 2) for part in (allowed, narrow))
            allowed[:, self.derived] *= 2.0  # differences of rounding errors over half the time

    def results(self, duration: float) -> dict[str, Extremes]:
        """By name."""
        high, low = self.best * [[1.0], [-1.0]]
        is_defined = np.isinf(self.undefined)
        high, low = (np.where(is_defined, part, np.nan) for part in (high, low))
        rms = np.where(is_defined, np.sqrt(self.square / duration), np.nan)
        path = np.where(is_defined & self.is_integrated, self.path, np.nan)
        share = self.shares.parts()
        found = {}
        for name, part in self.parts.items():
            first = float(self.undefined[part].min(initial=np.inf))
            of_time = low[part], high[part], self.when[1, part], self.when[0, part], rms[part], path[part], share[part]
            is_resolved, when = bool(self.is_resolved[part].all()), None if np.isinf(first) else first
            found[name] = Extremes(*of_time, is_resolved, when, self.bounds[:, part])
        return found

    def _keep_points(self, t: Array, values: Array, is_finite: Bools, is_off: Bools) -> None:
        """Note the times t (n, COUNT) of values (n, COUNT, k) that are undefined, and the values of interpolants that
        are not resolved (n, k)."""
        times = np.where(is_finite, np.inf, t[:, :, None])
        self.undefined = np.minimum(self.undefined, times.min(axis=(0, 1), initial=np.inf))
        piece, point, column = np.nonzero(is_off[:, None] & is_finite)
        for k, sign in enumerate((1.0, -1.0)):
            self._raise(k, column, sign * values[piece, point, column], t[piece, point])
        if self.pieces is not None:
            np.maximum.at(self.bounds, (self._piece(t[piece, point]), column), np.abs(values[piece, point, column]))

    def _reduce(self, low: Array, half: Array, c: Array, allowed: Array) -> None:
        """Count interpolants with coefficients c (n, COUNT, k) on intervals from `low`, of half a width `half` (n,)."""
        if not len(low):
            return
        self.square += np.einsum("p,pik,ij,pjk->k", half, c, SQUARES, c, optimize=True)
        sides = np.einsum("ei,pik->epk", ENDS, c)
        times = np.stack([low, low + 2 * half])
        spread = np.abs(c[:, 1:]).sum(axis=1)
        slack = np.maximum(TOLERANCE * self.size, allowed)
        if self.pieces is not None:
            np.maximum.at(self.bounds, self._piece(low + half), np.abs(c[:, 0]) + spread)
        columns = np.arange(len(self.size))
        for k, sign in enumerate((1.0, -1.0)):
            flat = sign * np.concatenate(sides)
            first = flat.argmax(axis=0)
            self._raise(k, columns, flat[first, columns], times.ravel()[first])
            # Only interpolants that may exceed the best so far have their derivative's roots found.
            piece, column = np.nonzero(sign * c[:, 0] + spread > self.best[k] + slack)
            some = c[piece, :, column]
            x = _roots(some @ DERIVATIVE.T)
            values = sign * np.einsum("mri,mi->mr", _chebyshev(x), some)
            place = values.argmax(axis=1)
            row = np.arange(len(some))
            at = low[piece] + half[piece] * (1 + x[row, place])
            self._raise(k, column, values[row, place], at)
        self._add_path(half, c, spread, slack)
        self.shares.add(low, half, c)

    def _piece(self, t: Array) -> Indices:
        """Pieces (n,) in which times (n,) are."""
        assert self.pieces is not None
        return np.searchsorted(self.pieces[1:-1], t, side="right")

    def _raise(self, k: int, column: Indices, values: Array, times: Array) -> None:
        """Raise the best values of columns (m,), which may repeat, with their times."""
        order = np.lexsort((times, -values, column))
        column, first = np.unique(column[order], return_index=True)
        values, times = values[order][first], times[order][first]
        is_better = values > self.best[k, column]
        self.best[k, column[is_better]], self.when[k, column[is_better]] = values[is_better], times[is_better]

    def _add_path(self, half: Array, c: Array, spread: Array, slack: Array) -> None:
        """Add integrals of absolute values: with one sign, or negligible, that of the integral."""
        which = np.flatnonzero(self.is_integrated)
        c, spread, slack = c[..., which], spread[:, which], slack[:, which]
        primitive = np.einsum("ij,pjk->pik", PRIMITIVE, c)
        whole = np.abs(np.einsum("i,pik->pk", ENDS_OF_PRIMITIVE[1] - ENDS_OF_PRIMITIVE[0], primitive))
        piece, column = np.nonzero((np.abs(c[:, 0]) < spread) & (np.abs(c[:, 0]) + spread > slack))
        x = np.sort(_roots(c[piece, :, column]), axis=1)
        x = np.concatenate([np.full((len(x), 1), -1.0), x, np.full((len(x), 1), 1.0)], axis=1)
        along = np.einsum("mri,mi->mr", _chebyshev(x, COUNT + 1), primitive[piece, :, column])
        whole[piece, column] = np.abs(np.diff(along, axis=1)).sum(axis=1)
        self.path[which] += half @ whole


class _Shares:
    """Times for which each column uses more of its limit than any other."""

    def __init__(self, per_limit: Array, idle: Array) -> None:
        self.which = np.flatnonzero(np.isfinite(per_limit))
        # Of utilisations that tie the first is the largest, whatever their last bits are.
        self.weights = per_limit[self.which] * (1.0 - TIE * np.arange(len(self.which)))
        self.idle, self.time = idle, np.where(np.isfinite(per_limit), 0.0, np.nan)

    def parts(self) -> Array:
        """Parts of the time that counts (k,)."""
        return self.time / max(float(np.nansum(self.time)), np.finfo(float).tiny)

    def add(self, low: Array, half: Array, c: Array) -> None:
        """Count intervals from `low`, of half a width `half` (n,), with coefficients c (n, COUNT, k)."""
        if not len(self.which):
            return
        begin, end = self.idle.T
        is_counted = np.searchsorted(begin, low + half) == np.searchsorted(end, low + half)
        half, c = half[is_counted], c[is_counted][..., self.which] * self.weights
        most = 2 * len(half)
        for turn in range(HALVINGS + 1):
            size, row, leader = np.abs(c).sum(axis=1), np.arange(len(c)), np.argmax(np.abs(c[:, 0]), axis=1)
            first = c[row, :, leader] * np.sign(c[row, 0, leader])[:, None]
            # A rival's size may exceed that of the leader somewhere: of columns that do the same none is one.
            rivals = size > (2 * first[:, 0] - size[row, leader])[:, None]
            rivals[row, leader] = False
            piece, column = np.nonzero(rivals)
            apart = first[piece] + np.array([[[1.0]], [[-1.0]]]) * c[piece, :, column]
            rivals[piece, column] = (apart[..., 0] < np.abs(apart[..., 1:]).sum(axis=-1)).any(axis=0)
            count = rivals.sum(axis=1)
            # Below the rounding of ties, and where halving does not separate columns, the largest mean counts.
            is_clear = (count == 0) | (size.max(axis=1, initial=0.0) < TIE) | (turn == HALVINGS) | (len(c) > most)
            self._count(leader[is_clear], 2 * half[is_clear])
            ends = np.stack([leader, np.argmax(rivals, axis=1)], axis=1)
            keeps_sign = np.take_along_axis(2 * np.abs(c[:, 0]) > size, ends, axis=1).all(axis=1)
            is_pair = (count == 1) & keeps_sign & ~is_clear
            self._count_pairs(ends[is_pair], half[is_pair], c[is_pair])
            is_open = ~(is_clear | is_pair)
            if not is_open.any():
                break
            half = np.tile(half[is_open] / 2, 2)
            c = np.concatenate([np.einsum("ij,pjk->pik", to_half, c[is_open]) for to_half in TO_HALVES])

    def _count_pairs(self, columns: Indices, half: Array, c: Array) -> None:
        """Count intervals on which one of two columns (n, 2), neither of which changes its sign, is the largest."""
        both = np.take_along_axis(c, columns[:, None, :], axis=2)
        size = both * np.sign(both[:, :1])
        difference = size[..., 0] - size[..., 1]
        x = np.sort(_roots(difference), axis=1)
        x = np.concatenate([np.full((len(x), 1), -1.0), x, np.full((len(x), 1), 1.0)], axis=1)
        middle = np.einsum("mri,mi->mr", _chebyshev((x[:, :-1] + x[:, 1:]) / 2), difference)
        first = (np.diff(x, axis=1) * (middle > 0)).sum(axis=1)
        self._count(columns[:, 0], half * first)
        self._count(columns[:, 1], half * (2.0 - first))

    def _count(self, column: Indices, time: Array) -> None:
        self.time[self.which] += np.bincount(column, time, len(self.which))


def _chebyshev(x: Array, count: int = COUNT) -> Array:
    """Values (..., count) of the Chebyshev polynomials at x (...)."""
    return np.cos(np.arange(count) * np.arccos(np.clip(x, -1.0, 1.0))[..., None])


def _roots(c: Array) -> Array:
    """Real roots (m, n) within -1 to 1 of Chebyshev series (m, n + 1); -1 in place of others."""
    n = c.shape[1] - 1
    if not len(c):
        return np.zeros((0, n))
    # A last coefficient of nearly zero becomes rounding: its root is far away.
    least = np.maximum(ROUNDING * np.abs(c).max(axis=1), np.finfo(float).tiny)
    last = np.where(np.abs(c[:, -1]) < least, least, c[:, -1])
    matrix = np.tile(COLLEAGUE[n], (len(c), 1, 1))
    matrix[:, :, -1] -= c[:, :-1] / last[:, None] * SCALED[n]
    found = np.linalg.eigvals(matrix)
    is_inside = (np.abs(found.imag) < REAL) & (np.abs(found.real) <= 1.0)
    return np.where(is_inside, found.real, -1.0)


REAL = 1e-6
"""Imaginary part up to which a root counts as real: double roots are off by the square root of rounding."""
POINTS = chebyshev.chebpts1(COUNT)
TO_VALUES = chebyshev.chebvander(POINTS, COUNT - 1)
TO_COEFFICIENTS = np.linalg.inv(TO_VALUES)
TO_HALVES = [TO_COEFFICIENTS @ chebyshev.chebvander((POINTS + side) / 2, COUNT - 1) for side in (-1.0, 1.0)]
"""Coefficients on both halves of an interval by those on the interval."""
ENDS = chebyshev.chebvander(np.array([-1.0, 1.0]), COUNT - 1)
ENDS_OF_PRIMITIVE = chebyshev.chebvander(np.array([-1.0, 1.0]), COUNT)
DERIVATIVE = chebyshev.chebder(np.eye(COUNT))
PRIMITIVE = chebyshev.chebint(np.eye(COUNT))
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(COUNT)
SQUARES = np.einsum("n,ni,nj->ij", _WEIGHTS, *[chebyshev.chebvander(_NODES, COUNT - 1)] * 2)
"""Integrals of products of two Chebyshev polynomials."""
COLLEAGUE = {n: chebyshev.chebcompanion(np.eye(n + 1)[n]) for n in (COUNT - 2, COUNT - 1)}
"""Colleague matrices of the Chebyshev polynomials themselves, by degree."""
SCALED = {n: 0.5 * np.array([np.sqrt(2.0), *[1.0] * (n - 1)]) for n in COLLEAGUE}
"""Factors of a series' coefficients in the last column of its colleague matrix."""
