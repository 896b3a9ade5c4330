"""Uncertainty of poses along a path: sets of displacements, balls or ellipsoids, at parameters of it.

A displacement z (6,) moves the platform's point of interest by z[:3] and turns the platform by the rotation vector
z[3:], both in base axes. At a parameter it is within a ball of positions times one of rotation vectors, or within the
ellipsoid z^T M^-1 z <= 1 with M = c C, which has the probability content p of a normal distribution with the covariance
C: c is the p-quantile of the chi-square distribution with six degrees of freedom. Radii and covariances are linear
between parameters. Then the support function sqrt(g^T M g) of every set between two parameters is at most the larger of
both ends', for any direction g; and the intersection of both ends' sets is within every set between, since z^T M^-1 z
is convex in M.
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
"""Types that `gough.motion.check_path` accepts as an uncertainty."""
FUNCTION_PLACES = 65
"""Parameters at which a function of the pose is evaluated, besides the path's knots."""
SHAPES = "() or (2,), a distance [m] and an angle [rad]; (k, 3), these after a parameter; or (6, 6), a covariance"
ASYMMETRY = 1e-9
"""Part of a covariance's size by which rounding may make it asymmetric or its eigenvalues negative."""
THINNEST_ELLIPSOID = 1e-14
"""Regularisation of flat ellipsoids: squared thickness as part of their squared size."""
TINY = float(np.finfo(float).tiny)
ROUNDED_UP = 1 + 1e-12
"""Factor of radii from eigenvalues, so that rounding does not make them too small."""
PARTS = ((0, slice(3)), (1, slice(3, 6)))
"""Column of the radii and components of displacements: positions, rotations."""


class DisplacementSets(NamedTuple):
    """Sets of displacements over n parts of a path: radii (n, 2) [m, rad] of balls of positions and rotations, the
    largest and the smallest over each part, or those of balls about ellipsoids; and with ellipsoids their matrices
    `ends` (n, 2, 6, 6) at both ends."""

    outer: Array
    inner: Array
    ends: Array | None

    def chosen(self, which: Any) -> DisplacementSets:
        """Return some of the parts."""
        return DisplacementSets(*(None if each is None else each[which] for each in self))  # type: ignore[arg-type]

    @property
    def half(self) -> Array:
        """Half widths (n, 6) of boxes that hold the sets."""
        if self.ends is None:
            return np.repeat(self.outer, 3, axis=1)
        return np.asarray(np.sqrt(np.diagonal(self.ends, axis1=-2, axis2=-1).max(axis=1)))

    def support(self, g: Array) -> Array:
        """Return the largest g . z (n, k) over the sets, for g (n, k, 6)."""
        if self.ends is None:
            lengths = np.linalg.norm(g[..., :3], axis=-1), np.linalg.norm(g[..., 3:], axis=-1)
            return np.asarray(lengths[0] * self.outer[:, :1] + lengths[1] * self.outer[:, 1:])
        square = np.einsum("nki,neij,nkj->nek", g, self.ends, g)
        return np.asarray(np.sqrt(np.maximum(square.max(axis=1), 0.0)))

    def lowest(self, g: Array) -> Array:
        """Return displacements z (n, k, 6) that are in the sets all over each part, and about minimise g . z there."""
        if self.ends is None:
            lengths = [np.linalg.norm(g[..., at], axis=-1, keepdims=True) for _, at in PARTS]
            return np.concatenate(
                [
                    -g[..., at] / np.maximum(length, TINY) * self.inner[:, None, k : k + 1]
                    for (k, at), length in zip(PARTS, lengths, strict=True)
                ],
                axis=-1,
            )
        # z = -M g / sqrt(g^T M g) minimises g . z over the ellipsoid halfway; it is then scaled into both ends'.
        middle = self.ends.mean(axis=1)
        z = -np.einsum("nij,nkj->nki", middle, g)
        z /= np.maximum(np.sqrt(np.abs(np.sum(g * z, axis=-1, keepdims=True))), TINY)
        # Norms in units of each coordinate's size, with flat ellipsoids thickened: M may be singular.
        size = np.sqrt(np.diagonal(middle, axis1=1, axis2=2))
        size = np.where(size > 0, size, 1.0)
        unit = self.ends / size[:, None, None] / size[:, None, :, None] + THINNEST_ELLIPSOID * np.eye(6)
        y = z / size[:, None]
        norm = np.sqrt(np.einsum("nki,neij,nkj->nek", y, np.linalg.inv(unit), y).max(axis=1))
        return np.asarray(z / np.maximum(norm, 1.0)[..., None] * (1 - 1e-12))


class Uncertainty(NamedTuple):
    """Radii (k, 2) of balls that hold all displacements at parameters s (k,), and where the sets are ellipsoids their
    matrices M (k, 6, 6), with the probability content `confidence`; linear between parameters."""

    s: Array
    radii: Array
    ellipsoids: Array | None = None
    confidence: float | None = None

    @classmethod
    def of(cls, given: UncertaintyLike, path: Path, confidence: float) -> Uncertainty | None:
        """Build from a checked argument; None if nothing is uncertain."""
        if callable(given):
            s = np.unique(np.concatenate([path.knots, np.linspace(*path.span, FUNCTION_PLACES)]))
            values = np.asarray(numbers("uncertainty", given(path(s)[0])))
            if values.shape[1:] not in ((), (2,), (6, 6)) or len(values) != len(s):
                raise ShapeError.expected("uncertainty of n poses", "(n,), (n, 2) or (n, 6, 6)", values.shape)
        else:
            s, values = _tabulated(np.asarray(numbers("uncertainty", given)), path)
        if values.shape[1:] == (6, 6):
            return cls._of_covariances(s, values, confidence)
        # One value for each parameter is a distance, two are a distance and an angle.
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
        # Tolerances apply to scaled covariances: metres and radians are of different size.
        size = np.sqrt(np.maximum(np.diagonal(C, axis1=1, axis2=2), 0.0).max(axis=0))
        unit = C / np.where(size > 0, size, 1.0) / np.where(size > 0, size, 1.0)[:, None]
        lowest = np.linalg.eigvalsh((unit + np.swapaxes(unit, 1, 2)) / 2)[:, 0]
        if (np.abs(unit - np.swapaxes(unit, 1, 2)) > ASYMMETRY).any() or (lowest < -ASYMMETRY).any():
            raise InputError("uncertainty: a covariance is not symmetric with eigenvalues of zero or more")
        # The chi-square quantile: its distribution with 6 degrees of freedom is the regularised gamma P(3, x / 2).
        M = 2 * gammaincinv(3, confidence) * (C + np.swapaxes(C, 1, 2)) / 2
        radii = _radii(M)
        if (radii[:, 1] > np.pi).any():
            raise InputError(f"uncertainty: with confidence {confidence:g} rotations are beyond pi")
        return cls(s, radii * ROUNDED_UP, M, confidence)

    def over(self, low: Array, high: Array) -> DisplacementSets:
        """Return sets over parts of the path from low to high (n,), none of which has one of the parameters inside."""
        ends = np.stack([low, high], axis=1)
        if self.ellipsoids is None:
            radii = np.stack([np.interp(ends, self.s, column) for column in self.radii.T], axis=-1)
            return DisplacementSets(radii.max(axis=1), radii.min(axis=1), None)
        k = np.clip(np.searchsorted(self.s, ends, side="right") - 1, 0, len(self.s) - 2)
        t = np.clip((ends - self.s[k]) / (self.s[k + 1] - self.s[k]), 0.0, 1.0)[..., None, None]
        M = (1 - t) * self.ellipsoids[k] + t * self.ellipsoids[k + 1]
        # M is linear between parameters; its radii are roots, which linear interpolation may make too small.
        radii = _radii(M)
        return DisplacementSets(radii.max(axis=1) * ROUNDED_UP, radii.min(axis=1), M)


def _radii(M: Array) -> Array:
    """Radii (..., 2) of the balls about the projections of ellipsoids M (..., 6, 6) onto positions and rotations."""
    return np.stack([np.sqrt(np.linalg.eigvalsh(M[..., at, at])[..., -1].clip(0)) for _, at in PARTS], axis=-1)


def _tabulated(given: Array, path: Path) -> tuple[Array, Array]:
    """Parameters (k,) and values there, of a constant uncertainty or of rows with parameters of their own."""
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
