"""Compiled arithmetic on vectors as tuples of three numbers: they stay in registers."""

from __future__ import annotations

from gough._compile import inline, inline_norefcount
from gough.legs.leg import Array, Three


@inline
def dot(a: Three, b: Three) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a: Three, b: Three) -> Three:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inline
def plus(a: Three, b: Three) -> Three:
    """A + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inline
def minus(a: Three, b: Three) -> Three:
    """A - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inline
def times(s: float, a: Three) -> Three:
    """S a."""
    return s * a[0], s * a[1], s * a[2]


@inline
def beside(a: Three, s: float, b: Three) -> Three:
    """A + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@inline_norefcount
def column(T: Array, row: int, i: int) -> Three:
    """Three rows of a table, of leg i."""
    return T[row, i], T[row + 1, i], T[row + 2, i]


@inline_norefcount
def turned(X: Array, a: Three) -> Three:
    """R a, with the rotation in the corner of X."""
    return (
        X[0, 0] * a[0] + X[0, 1] * a[1] + X[0, 2] * a[2],
        X[1, 0] * a[0] + X[1, 1] * a[1] + X[1, 2] * a[2],
        X[2, 0] * a[0] + X[2, 1] * a[1] + X[2, 2] * a[2],
    )
