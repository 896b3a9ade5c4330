"""Postures for one pose of the end platform: coordinates of its six free parameters, and initial samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.displacements import displaced, displacement
from gough.limits.margins import margins
from gough.stacked import StackedMachine
from gough.stages.share import shared

SHARES = np.linspace(0.0, 1.0, 11)
"""Shares of the displacement about which initial postures are sampled."""
SPREADS = (0.3, 0.1, 0.03)
"""Standard deviations of the samples about them, as parts of the lower stage's size."""
SAMPLES = 500
"""Number of samples of each standard deviation."""
FINE = 1e-6
"""Step of central differences, as a part of the size."""
UNREACHABLE = -1e3
"""Relative margin in place of NaN, where a leg cannot close."""


@dataclass(frozen=True, eq=False)
class Posture:
    """Poses of both platforms (2, 4, 4), their smallest relative margin, and the value of the objective."""

    X: Array
    margin: float
    value: float


class Search:
    """Postures for one pose of the end platform.

    Coordinates x (6,) of a posture are the displacement of the intermediate platform from its pose at the share 0.5:
    translation of its origin in base axes, and rotation vector times a length [m].

    Parameters
    ----------
    machine : StackedMachine
    X : (4, 4) array
        The end platform in the base.
    starts : sequence of (4, 4) arrays
        Further initial poses of the intermediate platform.

    """

    def __init__(self, machine: StackedMachine, X: Array, starts: Sequence[Array] = ()) -> None:
        self.machine, self.X = machine, X
        self.size, self.length = machine.lower.size, machine.lower.characteristic_length
        self.rng = np.random.default_rng(12)  # fixed: the same pose has the same result
        self.is_known = bool(np.isfinite(X).all())
        if self.is_known:
            known = shared(machine, X, SHARES)[:, 0]
            self.centre = known[len(SHARES) // 2]
            self.known = np.stack([self.coordinates(X_BI) for X_BI in [*starts, *known]])

    def postures(self, x: Array) -> Array:
        """Poses of both platforms (n, 2, 4, 4) with coordinates x (n, 6)."""
        found = np.empty((len(x), 2, 4, 4))
        found[:, 0], found[:, 1] = displaced(self.centre, x / np.repeat([1.0, self.length], 3)), self.X
        return found

    def coordinates(self, X_BI: Array) -> Array:
        """Inverse of `postures`."""
        return displacement(self.centre, X_BI) * np.repeat([1.0, self.length], 3)

    def relative(self, x: Array) -> Array:
        """Relative margins (n, k) at coordinates x (n, 6)."""
        return np.nan_to_num(margins(self.machine, self.postures(x)).relative, nan=UNREACHABLE)

    def smallest(self, x: Array) -> Array:
        """Smallest relative margins (n,) at coordinates x (n, 6)."""
        return np.asarray(self.relative(x).min(axis=1))

    def candidates(self) -> tuple[Array, Array]:
        """Coordinates (n, 6) of initial samples and their smallest margins (n,), in descending order."""
        about = [self.known]
        for spread in SPREADS:
            x = self.known[self.rng.integers(len(self.known), size=SAMPLES)]
            about.append(x + spread * self.size * self.rng.normal(size=(SAMPLES, 6)) / np.sqrt(6))
        x = np.concatenate(about)
        least = self.smallest(x)
        order = np.argsort(-least)
        return x[order], least[order]

    def apart(self, x: Array, count: int, distance: float) -> Array:
        """The first `count` of points (n, 6) whose mutual distances exceed a part of the size."""
        chosen: list[Array] = []
        for point in x:
            if all(np.linalg.norm(point - other) > distance * self.size for other in chosen):
                chosen.append(point)
            if len(chosen) == count:
                break
        return np.array(chosen)

    def gradients(self, of: Callable[[Array], Array], x: Array) -> Array:
        """Gradients (n, k, 6) of a function of points x (n, 6) with k values, by central differences."""
        h = FINE * self.size * np.eye(6)
        ends = np.concatenate([(x[:, None] + h).reshape(-1, 6), (x[:, None] - h).reshape(-1, 6)])
        plus, minus = of(ends).reshape(2, len(x), 6, -1)
        return np.asarray(np.swapaxes(plus - minus, 1, 2) / (2 * FINE * self.size))

    def posture(self, x: Array, value: float | None = None) -> Posture:
        """The posture at x (6,); without a `value` the objective is its smallest margin."""
        margin = float(self.smallest(x[None])[0])
        return Posture(self.postures(x[None])[0], margin, margin if value is None else value)


def no_posture(margin: float = np.nan) -> Posture:
    """NaN posture, with the largest smallest margin that was found."""
    return Posture(np.full((2, 4, 4), np.nan), margin, np.nan)
