"""What a path is: poses in order, with their first and second derivative by the path's own parameter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.errors import InputError

Array = NDArray[np.float64]
States = tuple[Array, Array, Array]

OVERSHOOT = 1e-9
"""Part of a path's span by which a parameter may lie outside and still mean the end."""


class Rates(NamedTuple):
    """Upper bounds over intervals of a path, each (n,): of the speed |v| of the frame's origin and the angular speed
    |w|, per s, and of the accelerations |a| and |alpha|, per s squared."""

    v: Array
    w: Array
    a: Array
    alpha: Array


def carried(arm: float | Array, rate: Array) -> Array:
    """Speed at an arm's end from a turning rate: none without an arm, however large the rate, infinite ones too."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(arm) > 0, arm * rate, 0.0)


class Path(ABC):
    """A path of a frame through poses, over a parameter s.

    Calling it gives `(X, V, A)`: poses (..., 4, 4), V = [dp/ds, w per s] (..., 6) and A = dV/ds (..., 6), of the origin
    of the moving frame, in the axes of the frame in which the path is described: the platform in the base, unless it
    is to go through `gough.motion.in_frame` first. With s = s(t) the twist is V s' and the acceleration A s'^2 + V s''.

    Attributes
    ----------
    knots : (k,) array
        Increasing parameters from the path's begin to its end; between two of them it is one formula.
    breaks : (b,) array
        Those inside at which the first or the second derivative jumps.

    """

    knots: Array
    breaks: Array

    @property
    def span(self) -> tuple[float, float]:
        """First and last value of the parameter."""
        return float(self.knots[0]), float(self.knots[-1])

    def __call__(self, s: ArrayLike, *, before: bool = False) -> States:
        """Poses and derivatives at parameters s (...); at a break those that follow, or with `before` those before it.

        Raises
        ------
        InputError
            A parameter outside the span.

        """
        given = numbers("s", s)
        low, high = self.span
        slack = OVERSHOOT * (high - low)
        outside = ~((given >= low - slack) & (given <= high + slack))
        if outside.any():
            raise InputError(f"s = {given[outside].flat[0]:g}: the path goes from {low:g} to {high:g}")
        X, V, A = self.states(np.clip(given, low, high).ravel(), before)
        shape = given.shape
        return X.reshape(*shape, 4, 4), V.reshape(*shape, 6), A.reshape(*shape, 6)

    @abstractmethod
    def states(self, s: Array, before: bool) -> States:
        """`(X, V, A)` at parameters (n,) inside the span."""

    def rates(self, low: Array, high: Array) -> Rates | None:
        """Bounds over intervals from `low` to `high` (n,), none of which goes over a knot; None where nobody knows."""
        return None

    @property
    def start(self) -> Array:
        """First pose (4, 4)."""
        return self(self.knots[0])[0]

    @property
    def end(self) -> Array:
        """Last pose (4, 4)."""
        return self(self.knots[-1], before=True)[0]

    @checks_arguments
    def samples(self, count: int) -> Array:
        """About `count` parameters that go evenly over the path and hold all its knots."""
        low, high = self.span
        return np.union1d(np.linspace(low, high, count), self.knots)


class Subpath(Path):
    """The part of a path from one parameter to another; its own parameter starts at zero."""

    def __init__(self, path: Path, low: float, high: float) -> None:
        inside = (path.knots > low) & (path.knots < high)
        self.path, self.low = path, low
        self.knots = np.concatenate([[0.0], path.knots[inside] - low, [high - low]])
        self.breaks = path.breaks[(path.breaks > low) & (path.breaks < high)] - low

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        at_end = s >= self.knots[-1]
        found = self.path.states(s + self.low, before)
        if not before and at_end.any():
            last = self.path.states(s[at_end] + self.low, True)
            for part, values in zip(found, last, strict=True):
                part[at_end] = values
        return found

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        return self.path.rates(low + self.low, high + self.low)


def piece_of(knots: Array, s: Array, before: bool) -> NDArray[np.intp]:
    """Which of the intervals between knots (k,) holds s (n,): the later one at a knot, or with `before` the earlier."""
    found = np.searchsorted(knots, s, side="left" if before else "right") - 1
    return np.clip(found, 0, len(knots) - 2)
