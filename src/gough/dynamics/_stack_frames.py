"""Compiled transformations between motions of both platforms in the base and that of the upper stage in its own.

The intermediate platform I carries the upper stage's base U. With r from I's origin to the end platform's and
w = R_UB w_I,

    v_UP = R_UB (v_P - v_I - w_I x r)            a_UP = R_UB (a_P - a_I - alpha_I x r - w_I x (w_I x r)) - 2 w x v_UP
    w_UP = R_UB (w_P - w_I)                      alpha_UP = R_UB (alpha_P - alpha_I) - w x w_UP

as in `gough.stages.frames`.
"""

from __future__ import annotations

from typing import NamedTuple

from gough._compile import inline, inline_norefcount
from gough.arrays import Array
from gough.dynamics._motion import Model, cross, minus, plus, rotated, times
from gough.dynamics._moving_base import add_wrench
from gough.legs.leg import Three


class Stack(NamedTuple):
    """Tables of two machines, and the pose of the upper one's base in the lower one's platform (4, 4)."""

    lower: Model
    upper: Model
    X_IU: Array


class State(NamedTuple):
    """Poses (4, 4) and twists (6,) of both platforms in the base of the lower stage."""

    X_I: Array
    X_P: Array
    V_I: Array
    V_P: Array


class Carrier(NamedTuple):
    """The intermediate platform as carrier: arms from its origin to those of U and of the end platform, its angular
    velocity in axes of the base and in those of U, gravity."""

    to_base: Three
    to_end: Three
    w_I: Three
    w: Three
    g: Three


@inline
def rotated_back(X: Array, a: Three) -> Three:
    """R^T a, with the rotation R of the pose X."""
    return (
        X[0, 0] * a[0] + X[1, 0] * a[1] + X[2, 0] * a[2],
        X[0, 1] * a[0] + X[1, 1] * a[1] + X[2, 1] * a[2],
        X[0, 2] * a[0] + X[1, 2] * a[1] + X[2, 2] * a[2],
    )


@inline
def three(values: Array, k: int) -> Three:
    """Vector values[k:k + 3]."""
    return values[k], values[k + 1], values[k + 2]


@inline
def set_three(values: Array, k: int, a: Three) -> None:
    """Set values[k:k + 3]."""
    values[k], values[k + 1], values[k + 2] = a


@inline_norefcount
def carrier_of(X_IU: Array, state: State, g: Three, X_BU: Array, X_UP: Array, V_UP: Array) -> Carrier:
    """The intermediate platform as carrier; sets X_BU, and the end platform's pose X_UP and twist V_UP in U."""
    X_I, X_P, V_I, V_P = state
    # X_BU = X_BI X_IU
    for j in range(4):
        c = rotated(X_I, (X_IU[0, j], X_IU[1, j], X_IU[2, j]))
        X_BU[0, j], X_BU[1, j], X_BU[2, j] = c
    to_base, to_end = (X_BU[0, 3], X_BU[1, 3], X_BU[2, 3]), (X_P[0, 3], X_P[1, 3], X_P[2, 3])
    to_end = minus(to_end, (X_I[0, 3], X_I[1, 3], X_I[2, 3]))
    # X_UP = X_BU^-1 X_BP; until here the last column of X_BU was the arm to U's origin.
    for j in range(3):
        X_BU[j, 3] += X_I[j, 3]
        c = rotated_back(X_BU, (X_P[0, j], X_P[1, j], X_P[2, j]))
        X_UP[0, j], X_UP[1, j], X_UP[2, j] = c
    X_UP[0, 3], X_UP[1, 3], X_UP[2, 3] = rotated_back(X_BU, minus(to_end, to_base))
    w_I = three(V_I, 3)
    v = minus(minus(three(V_P, 0), three(V_I, 0)), cross(w_I, to_end))
    set_three(V_UP, 0, rotated_back(X_BU, v))
    set_three(V_UP, 3, rotated_back(X_BU, minus(three(V_P, 3), w_I)))
    return Carrier(to_base, to_end, w_I, rotated_back(X_BU, w_I), g)


@inline_norefcount
def set_generalised_wrench(F: Array, carrier: Carrier, X_BU: Array, x: Array) -> None:
    """Set x (12,) to the generalised forces of V_I and V_UP of the wrenches F (12,) on both platforms."""
    # Virtual work: V_P = [V_I moved to the end platform] + R_BU V_UP, so the wrench on P also acts on V_I, at its arm.
    f, m = three(F, 6), three(F, 9)
    for j in range(6):
        x[j] = F[j]
    add_wrench(f, m, carrier.to_end, x)
    set_three(x, 6, rotated_back(X_BU, f))
    set_three(x, 9, rotated_back(X_BU, m))


@inline_norefcount
def make_absolute(carrier: Carrier, V_UP: Array, X_BU: Array, x: Array) -> None:
    """Turn x = [A_I, A_UP] into [A_I, A_P], in place."""
    r, w_I, alpha_I = carrier.to_end, carrier.w_I, three(x, 3)
    v, w = three(V_UP, 0), three(V_UP, 3)
    a = rotated(X_BU, plus(three(x, 6), times(2.0, cross(carrier.w, v))))
    swing = plus(cross(alpha_I, r), cross(w_I, cross(w_I, r)))
    set_three(x, 6, plus(plus(three(x, 0), swing), a))
    set_three(x, 9, plus(alpha_I, rotated(X_BU, plus(three(x, 9), cross(carrier.w, w)))))


@inline_norefcount
def set_relative_acceleration(carrier: Carrier, V_UP: Array, X_BU: Array, A: Array, A_UP: Array) -> None:
    """Set A_UP from the accelerations A (12,) of both platforms."""
    r, w_I, alpha_I = carrier.to_end, carrier.w_I, three(A, 3)
    v, w = three(V_UP, 0), three(V_UP, 3)
    swing = plus(cross(alpha_I, r), cross(w_I, cross(w_I, r)))
    a = rotated_back(X_BU, minus(minus(three(A, 6), three(A, 0)), swing))
    set_three(A_UP, 0, minus(a, times(2.0, cross(carrier.w, v))))
    set_three(A_UP, 3, minus(rotated_back(X_BU, minus(three(A, 9), alpha_I)), cross(carrier.w, w)))
