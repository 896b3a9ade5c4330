"""Encoders: the joint coordinate that belongs to what a controller reads or commands."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.errors import NotConvergedError
from gough.read_only import ReadOnly

_STEPS = 50
_CLOSE = 4 * float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False, kw_only=True)
class Encoders(ReadOnly):
    """Joint coordinate q of a reading r, each leg's own:

        q = r + zero + gain d + curvature d^2 + sine sin(w d) + cosine cos(w d),    d = r - middle, w = 2 pi / period

    Attributes
    ----------
    zero, gain, curvature, sine, cosine : (6,) array
        [m or rad; 1; 1/m or 1/rad; m or rad twice]
    middle : (6,) array
        Reading about which gain and curvature turn [m or rad].
    period : (6,) array
        Of the term that returns with every motor turn [m or rad]; NaN where there is none.

    """

    zero: Array = field(default_factory=lambda: np.zeros(6))
    gain: Array = field(default_factory=lambda: np.zeros(6))
    curvature: Array = field(default_factory=lambda: np.zeros(6))
    sine: Array = field(default_factory=lambda: np.zeros(6))
    cosine: Array = field(default_factory=lambda: np.zeros(6))
    middle: Array = field(default_factory=lambda: np.zeros(6))
    period: Array = field(default_factory=lambda: np.full(6, np.nan))

    @property
    def is_needed(self) -> bool:
        """Whether a reading differs from the joint coordinate at all."""
        return any(np.any(part) for part in (self.zero, self.gain, self.curvature, self.sine, self.cosine))

    def coordinates(self, readings: ArrayLike) -> Array:
        """Joint coordinates (..., 6) [m or rad] of readings (..., 6); NaN stays."""
        r = np.asarray(readings, dtype=float)
        d = r - self.middle
        q = r + self.zero + self.gain * d + self.curvature * d * d
        if not (self.sine.any() or self.cosine.any()):
            return np.asarray(q)
        angle = self._angle(d)
        return np.asarray(q + self.sine * np.sin(angle) + self.cosine * np.cos(angle))

    def rates(self, readings: ArrayLike) -> Array:
        """Derivatives (..., 6) of the joint coordinates by the readings."""
        d = np.asarray(readings, dtype=float) - self.middle
        slope = 1.0 + self.gain + 2.0 * self.curvature * d
        if not (self.sine.any() or self.cosine.any()):
            return np.asarray(slope)
        angle = self._angle(d)
        w = np.where(np.isfinite(self.period), 2.0 * np.pi / self.period, 0.0)
        return np.asarray(slope + w * (self.sine * np.cos(angle) - self.cosine * np.sin(angle)))

    def readings(self, coordinates: ArrayLike) -> Array:
        """Readings (..., 6) of joint coordinates (..., 6) [m or rad], by Newton's method; NaN stays."""
        q = np.asarray(coordinates, dtype=float)
        r = q - self.zero
        for _ in range(_STEPS):
            step = (self.coordinates(r) - q) / self.rates(r)
            r = r - step
            if not np.any(np.abs(step) > _CLOSE * (np.abs(r) + np.abs(q) + np.abs(self.zero))):
                return np.asarray(r)
        raise NotConvergedError("encoders: no reading found for these joint coordinates; are gain and curvature right?")

    def moved(self, before: Encoders, ends: Array) -> Array:
        """Ends of travel (6,) [m or rad] that were coordinates `before`, at the same readings; infinite ones stay."""
        there = np.isfinite(ends)
        readings = before.readings(np.where(there, ends, before.middle))
        return np.where(there, self.coordinates(readings), ends)

    def _angle(self, d: Array) -> Array:
        return np.where(np.isfinite(self.period), 2.0 * np.pi * d / self.period, 0.0)
