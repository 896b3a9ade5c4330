"""How far poses may be from those of a path: radii or covariances at places of it, and sets of displacements of parts.

A displacement z (6,) moves the platform's point of interest by z[:3] and turns the platform by the rotation vector
z[3:], both in base axes. At a place it is within a ball of positions times one of rotation vectors, or within the
ellipsoid z^T M^-1 z <= 1, M = c C, that holds a part p of all draws of a normal distribution with the covariance C: c
is the p-quantile of the chi-square distribution of six degrees of freedom. Between places radii and covariances are
linear. Then every set of a part of the path is within the larger of its ends' along every direction g, since g^T M g is
linear too; and what is within both ends' sets is within all between, since z^T M^-1 z is convex in M.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.numbers import numbers
from gough.errors import InputError, ShapeError
from gough.motion.path import Path

UncertaintyLike: TypeAlias = ArrayLike | Callable[[Array], Any]
"""What `gough.motion.check_path` takes as an uncertainty."""
PLACES = 65
"""Places of a path at which a function of the pose is evaluated, besides its knots."""
SHAPES = "() or (2,), a distance [m] and an angle [rad]; (k, 3), these after a parameter; or (6, 6), a covariance"
ASYMMETRY = 1e-9
"""Part of a covariance's size by which it may be asymmetric, or have negative eigenvalues, by rounding."""
FLAT = 1e-14
"""Part of their sizes, squared, by which ellipsoids are thick where they are flat."""
TINY = float(np.finfo(float).tiny)


class Spreads(NamedTuple):
    """Displacements that count over n parts of a path: largest and smallest radii (n, 2) [m, rad] of the balls of
    positions and rotations, or of those about ellipsoids; with `ends` (n, 2, 6, 6) the ellipsoids at both ends."""

    most: Array
    least: Array
    ends: Array | None

    def chosen(self, which: Any) -> Spreads:
        """Some of the parts."""
        return Spreads(*(None if each is None else each[which] for each in self))  # type: ignore[arg-type]

    @property
    def half(self) -> Array:
        """Half widths (n, 6) of boxes that hold the sets."""
        if self.ends is None:
            return np.repeat(self.most, 3, axis=1)
        return np.asarray(np.sqrt(np.diagonal(self.ends, axis1=-2, axis2=-1).max(axis=1)))

    def support(self, g: Array) -> Array:
        """Largest g . z (n, k) over the sets, for g (n, k, 6)."""
        if self.ends is None:
            lengths = np.linalg.norm(g[..., :3], axis=-1), np.linalg.norm(g[..., 3:], axis=-1)
            return np.asarray(lengths[0] * self.most[:, :1] + lengths[1] * self.most[:, 1:])
        square = np.einsum("nki,neij,nkj->nek", g, self.ends, g)
        return np.asarray(np.sqrt(np.maximum(square.max(axis=1), 0.0)))

    def lowest(self, g: Array) -> Array:
        """Displacements z (n, k, 6) within the sets all over each part, where g . z is about smallest."""
        if self.ends is None:
            return np.concatenate([_against(g[..., at]) * self.least[:, None, k : k + 1] for k, at in PARTS], axis=-1)
        middle = self.ends.mean(axis=1)
        z = -np.einsum("nij,nkj->nki", middle, g)
        z /= np.maximum(np.sqrt(np.abs(np.sum(g * z, axis=-1, keepdims=True))), TINY)
        size = np.sqrt(np.diagonal(middle, axis1=1, axis2=2))
        size = np.where(size > 0, size, 1.0)
        unit = self.ends / size[:, None, None] / size[:, None, :, None] + FLAT * np.eye(6)
        y = z / size[:, None]
        norm = np.sqrt(np.einsum("nki,neij,nkj->nek", y, np.linalg.inv(unit), y).max(axis=1))
        return np.asarray(z / np.maximum(norm, 1.0)[..., None] * (1 - 1e-12))


PARTS = ((0, slice(3)), (1, slice(3, 6)))


def _against(g: Array) -> Array:
    length = np.linalg.norm(g, axis=-1, keepdims=True)
    return np.asarray(-g / np.maximum(length, TINY))


class Uncertainty(NamedTuple):
    """Radii (k, 2) of balls that hold all displacements at parameters s (k,), and ellipsoids M (k, 6, 6) where these
    are the sets, of draws' parts `confidence`; linear between."""

    s: Array
    radii: Array
    ellipsoids: Array | None = None
    confidence: float | None = None

    @classmethod
    def of(cls, given: UncertaintyLike, path: Path, confidence: float) -> Uncertainty | None:
        """Checked; None where nothing is uncertain."""
        if callable(given):
            s = np.unique(np.concatenate([path.knots, np.linspace(*path.span, PLACES)]))
            values = np.asarray(numbers("uncertainty", given(path(s)[0])))
            if values.shape[1:] not in ((), (2,), (6, 6)) or len(values) != len(s):
                raise ShapeError.expected("uncertainty of n poses", "(n,), (n, 2) or (n, 6, 6)", values.shape)
        else:
            s, values = _placed(np.asarray(numbers("uncertainty", given)), path)
        if values.shape[1:] == (6, 6):
            return cls._of_covariances(s, values, confidence)
        radii = np.zeros((len(s), 2))
        radii[:, : values.reshape(len(s), -1).shape[1]] = values.reshape(len(s), -1)
        wrong = ~(np.isfinite(radii) & (radii >= 0) & (radii <= [np.inf, np.pi])).all(axis=1)
        if wrong.any():
            raise InputError(
                f"uncertainty {radii[int(np.argmax(wrong))].tolist()}: expected a distance [m] and an angle up to pi, "
                "zero or more"
            )
        return cls(s, radii) if radii.any() else None

    @classmethod
    def _of_covariances(cls, s: Array, C: Array, confidence: float) -> Uncertainty | None:
        from scipy.special import gammaincinv

        if not 0 < confidence < 1:
            raise InputError(f"confidence {confidence:g}: expected a number between 0 and 1")
        if not np.isfinite(C).all():
            raise InputError("uncertainty: a covariance has numbers that are not finite; a leg cannot close there")
        if not C.any():
            return None
        # In units in which all displacements are of one size: metres and radians are not.
        size = np.sqrt(np.maximum(np.diagonal(C, axis1=1, axis2=2), 0.0).max(axis=0))
        unit = C / np.where(size > 0, size, 1.0) / np.where(size > 0, size, 1.0)[:, None]
        lowest = np.linalg.eigvalsh((unit + np.swapaxes(unit, 1, 2)) / 2)[:, 0]
        if (np.abs(unit - np.swapaxes(unit, 1, 2)) > ASYMMETRY).any() or (lowest < -ASYMMETRY).any():
            raise InputError("uncertainty: a covariance is not symmetric with eigenvalues of zero or more")
        M = 2 * gammaincinv(3, confidence) * (C + np.swapaxes(C, 1, 2)) / 2
        radii = np.sqrt(np.stack([np.linalg.eigvalsh(M[:, at, at])[:, -1] for _, at in PARTS], axis=1).clip(0))
        if (radii[:, 1] > np.pi).any():
            raise InputError(f"uncertainty: with confidence {confidence:g} rotations are beyond pi")
        return cls(s, radii * (1 + 1e-12), M, confidence)

    def over(self, low: Array, high: Array) -> Spreads:
        """Sets of parts of the path from low to high (n,), with none of the places inside."""
        ends = np.stack([low, high], axis=1)
        radii = np.stack([np.interp(ends, self.s, column) for column in self.radii.T], axis=-1)
        if self.ellipsoids is None:
            return Spreads(radii.max(axis=1), radii.min(axis=1), None)
        k = np.clip(np.searchsorted(self.s, ends, side="right") - 1, 0, len(self.s) - 2)
        t = np.clip((ends - self.s[k]) / (self.s[k + 1] - self.s[k]), 0.0, 1.0)[..., None, None]
        M = (1 - t) * self.ellipsoids[k] + t * self.ellipsoids[k + 1]
        # The largest eigenvalue is convex in M: interpolated roots would be too small.
        radii = np.stack([np.sqrt(np.linalg.eigvalsh(M[..., at, at])[..., -1].clip(0)) for _, at in PARTS], axis=-1)
        return Spreads(radii.max(axis=1) * (1 + 1e-12), radii.min(axis=1), M)


def _placed(given: Array, path: Path) -> tuple[Array, Array]:
    """Parameters (k,) and values there, of what is the same all along or has parameters of its own."""
    if given.shape in ((), (1,), (2,), (6, 6)):
        return np.array(path.span), np.stack([given, given])
    if given.ndim != 2 or given.shape[1] != 3 or len(given) < 2:
        raise ShapeError.expected("uncertainty", SHAPES, given.shape)
    s, (low, high) = given[:, 0], path.span
    slack = 1e-9 * (high - low)
    if not ((np.diff(s) > 0).all() and s[0] <= low + slack and s[-1] >= high - slack):
        raise InputError(
            f"uncertainty: expected parameters that rise from {low:.9g} to {high:.9g}, the path's, got "
            f"{s[0]:.9g} to {s[-1]:.9g}"
        )
    return s, given[:, 1:]
