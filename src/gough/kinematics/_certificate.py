"""Compiled proof that a pose fits the legs, with bounds of its error: Newton-Kantorovich, rounding included.

In the frame of the pose itself, with its origin at the platform's centre, a pose nearby is the dual quaternion
(1, v) + eps (g0, w) with g0 = -v . w by Study's condition. With a the driven point in that frame, b the platform joint,
d = b - a, h = a + b and all lengths in machine sizes, the equation of leg i is F = 0 with

    F = (|d|^2 - L^2)/2 + 2 (a x b) . v + 2 d . w                                    value and derivative
      + (|h|^2 - L^2)/2 |v|^2 - 2 (a . v)(b . v) + 2 w . (v x h) + 2 |w|^2           constant second derivative
      + 2 (v . w)(d . v) + 2 (v . w)^2                                               cubic and quartic remainder

The map y -> y - Y F(y), with Y an approximate inverse of the derivative, moves 0 by at most eta, and its own derivative
on the cube |y| <= r is at most Z(r) = kappa + lambda r + mu r^2 + nu r^3 in the maximum norm. If eta + Z(r) r <= r and
Z(r) < 1, the cube contains exactly one pose (Kantorovich 1948; Krawczyk 1969; Rump 2010, section 13). Every bound
includes the rounding of the numbers from which it was computed.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from gough._compile import inline, kernel
from gough._linear_algebra import departure, eliminate
from gough.arrays import Array
from gough.kinematics._equations import Model
from gough.legs._leg_dispatch import driven_point
from gough.legs.leg import PLATFORM

U = 2.0**-53
"""Unit roundoff of doubles."""
POINT_ERROR = 32.0 * U
"""Relative error of driven points in the platform's frame, two dozen roundings; the matrix's departure from a rotation
is added to it."""
LONG_SUM = 16.0 * U
"""Relative error of a sum of up to a dozen products."""
LARGEST_CUBE = 0.25
"""Half the side of the largest cube tried: |v| is the tangent of half an angle."""
OVERFLOWS = 1e60
"""Numbers below this have a finite fourth power [m, rad]."""
PROVEN, TOO_CURVED, SINGULAR, NO_POSE = 0, 1, 2, 3
"""Verdicts, see `gough.kinematics.certificate.REASONS`."""
HALVINGS = 40

# Rows of the local equations, one column per leg: value, gradient (6), second derivative (vv 6, h 3), bound of the
# sum of |d|'s components, error of d.
VALUE, GRADIENT, XX, YY, ZZ, XY, XZ, YZ, HX, HY, HZ, REACH, ERROR = 0, 1, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
LOCAL_ROWS = 18


@inline
def write_local(model: Model, q: Array, X: Array, G: Array) -> float:
    """The legs' equations in the frame of the pose X, into G (18, 6); returns the largest length in machine sizes.

    Infinite for a negative rod length, which the equations, with its square, would accept.
    """
    code, T, centre, size, _ = model
    largest = 1.0
    t = (
        X[0, 3] + X[0, 0] * centre[0] + X[0, 1] * centre[1] + X[0, 2] * centre[2],
        X[1, 3] + X[1, 0] * centre[0] + X[1, 1] * centre[1] + X[1, 2] * centre[2],
        X[2, 3] + X[2, 0] * centre[0] + X[2, 1] * centre[1] + X[2, 2] * centre[2],
    )
    s = 1.0 / size
    turned = departure((X[0, 0], X[0, 1], X[0, 2], X[1, 0], X[1, 1], X[1, 2], X[2, 0], X[2, 1], X[2, 2]))
    for i in range(6):
        p0, p1, p2, L = driven_point(code, T, i, q[i])
        f0, f1, f2 = s * (p0 - t[0]), s * (p1 - t[1]), s * (p2 - t[2])
        # a = R^T (p - t) / size
        ax = X[0, 0] * f0 + X[1, 0] * f1 + X[2, 0] * f2
        ay = X[0, 1] * f0 + X[1, 1] * f1 + X[2, 1] * f2
        az = X[0, 2] * f0 + X[1, 2] * f1 + X[2, 2] * f2
        bx, by = s * (T[PLATFORM, i] - centre[0]), s * (T[PLATFORM + 1, i] - centre[1])
        bz = s * (T[PLATFORM + 2, i] - centre[2])
        L *= s
        largest = np.inf if L < 0.0 else largest
        dx, dy, dz, hx, hy, hz = bx - ax, by - ay, bz - az, ax + bx, ay + by, az + bz
        d = sqrt(dx * dx + dy * dy + dz * dz)
        G[VALUE, i] = 0.5 * (d - L) * (d + L)
        G[GRADIENT, i] = 2.0 * (ay * bz - az * by)
        G[GRADIENT + 1, i] = 2.0 * (az * bx - ax * bz)
        G[GRADIENT + 2, i] = 2.0 * (ax * by - ay * bx)
        G[GRADIENT + 3, i], G[GRADIENT + 4, i], G[GRADIENT + 5, i] = 2.0 * dx, 2.0 * dy, 2.0 * dz
        both = hx * hx + hy * hy + hz * hz - L * L
        # Second derivatives: v v, then (v x h) . w by h alone.
        G[XX, i], G[YY, i], G[ZZ, i] = both - 4.0 * ax * bx, both - 4.0 * ay * by, both - 4.0 * az * bz
        G[XY, i] = -2.0 * (ax * by + ay * bx)
        G[XZ, i] = -2.0 * (ax * bz + az * bx)
        G[YZ, i] = -2.0 * (ay * bz + az * by)
        G[HX, i], G[HY, i], G[HZ, i] = hx, hy, hz
        long = s * (abs(p0) + abs(t[0]) + abs(p1) + abs(t[1]) + abs(p2) + abs(t[2])) + abs(bx) + abs(by) + abs(bz) + L
        G[ERROR, i] = (POINT_ERROR + turned) * long
        G[REACH, i] = abs(dx) + abs(dy) + abs(dz) + 3.0 * G[ERROR, i]
        largest = long if long > largest else largest
    return largest


@inline
def invert(G: Array, M: Array, Y: Array) -> bool:
    """Approximate inverse Y (6, 6) of the gradients; False where they are singular. M (6, 12) is scratch."""
    for i in range(6):
        for j in range(6):
            M[i, j] = G[GRADIENT + j, i]
            M[i, 6 + j] = 1.0 if i == j else 0.0
    if eliminate(M, 6, 6) == 0.0:
        return False
    for i in range(6):
        for j in range(6):
            Y[i, j] = M[i, 6 + j]
            if not abs(Y[i, j]) < np.inf:
                return False
    return True


@inline
def larger(a: float, b: float) -> float:
    """The larger of two, NaN if b is."""
    return a if a >= b else b


@inline
def bounds(G: Array, Y: Array, largest: float) -> tuple[float, float, float, float, float]:
    """Bounds (eta, kappa, lambda, mu, nu) of the module's docstring: maxima over the rows k of Y F."""
    eta, kappa, lam, mu, nu = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(6):
        # eta: |Y F(0)|, with the error of F(0) in `unsure`.
        moved, unsure, norm, reach = 0.0, 0.0, 0.0, 0.0
        for i in range(6):
            y = abs(Y[k, i])
            moved += Y[k, i] * G[VALUE, i]
            # The error of (|d|^2 - L^2) / 2 is |d| times the errors of |d| and L.
            unsure += y * (LONG_SUM * abs(G[VALUE, i]) + 2.0 * G[ERROR, i] * G[REACH, i])
            norm += y
            reach += y * G[REACH, i]
        # kappa: row sum of |Y F'(0) - 1|; an entry of F' depends on 2 (a x b) or 2 d, hence on lengths times errors.
        row = 0.0
        for j in range(6):
            total, size = (-1.0 if j == k else 0.0), 0.0
            for i in range(6):
                total += Y[k, i] * G[GRADIENT + j, i]
                size += abs(Y[k, i] * G[GRADIENT + j, i])
            row += abs(total) + LONG_SUM * (size + 1.0)
        for i in range(6):
            row += abs(Y[k, i]) * 6.0 * 8.0 * G[ERROR, i] * largest
        # lambda: row sum of |Y F''|: 6 of v v (mixed ones twice), 3 of (v x h) . w, and 2 |w|^2.
        curve = 0.0
        for m in range(XX, HX):
            total = 0.0
            for i in range(6):
                total += Y[k, i] * G[m, i]
            curve += abs(total) if m < XY else 2.0 * abs(total)
        for m in range(HX, HZ + 1):
            total = 0.0
            for i in range(6):
                total += Y[k, i] * G[m, i]
            curve += 8.0 * abs(total)
        total = 0.0
        for i in range(6):
            total += Y[k, i]
            curve += abs(Y[k, i]) * 36.0 * (LONG_SUM + POINT_ERROR) * 8.0 * largest * largest
        curve += 12.0 * abs(total)
        # mu, nu: derivatives of 2 (v . w)(d . v) and 2 (v . w)^2, by sums of absolute values.
        eta, kappa, lam = larger(eta, abs(moved) + unsure), larger(kappa, row), larger(lam, curve)
        mu, nu = larger(mu, 18.0 * reach), larger(nu, 72.0 * norm)
    up = 1.0 + 64.0 * U  # rounding of the bounds' own sums
    return eta * up, kappa * up, lam * up, mu * up, nu * up


@inline
def are_sane(q: Array, X: Array) -> bool:
    """Whether all numbers are finite and small enough for products not to overflow."""
    # A sum, because a maximum of NaN and 0 may be 0.
    total = 0.0
    for i in range(6):
        total += abs(q[i])
    for i in range(3):
        for j in range(4):
            total += abs(X[i, j])
    return total < OVERFLOWS


@inline
def certify(model: Model, q: Array, X: Array, G: Array, M: Array, Y: Array) -> tuple[int, float, float]:
    """PROVEN or the reason why not; half sides of a cube about X that contains the true pose, and of the largest cube
    known to contain no other."""
    if not are_sane(q, X):
        return NO_POSE, np.inf, 0.0
    largest = write_local(model, q, X, G)
    if not largest < OVERFLOWS:
        return NO_POSE, np.inf, 0.0
    if not invert(G, M, Y):
        return SINGULAR, np.inf, 0.0
    eta, kappa, lam, mu, nu = bounds(G, Y, largest)
    if not kappa < 0.5:
        return SINGULAR, np.inf, 0.0
    error = 2.0 * eta / (1.0 - kappa)  # twice the error of linear equations leaves room for the higher orders
    if not (error < LARGEST_CUBE and eta + (kappa + error * (lam + error * (mu + error * nu))) * error <= error):
        return TOO_CURVED, np.inf, 0.0
    for _ in range(4):  # Z(error) < 1 now: the pose is within eta / (1 - Z(error)), a smaller cube
        closer = eta / (1.0 - kappa - error * (lam + error * (mu + error * nu)))
        error = closer if closer < error else error
    # Bisect for the largest r on whose cube the map still contracts.
    low, high = error, LARGEST_CUBE
    for _ in range(HALVINGS):
        r = 0.5 * (low + high)
        if eta + (kappa + r * (lam + r * (mu + r * nu))) * r <= r and kappa + r * (lam + r * (mu + r * nu)) < 1.0:
            low = r
        else:
            high = r
    return PROVEN, error * (1.0 + 64.0 * U), low * (1.0 - 64.0 * U)


@kernel
def certify_batch(model: Model, q: Array, X: Array, verdict: NDArray[np.int64], error: Array, alone: Array) -> None:
    """`certify` of poses X (n, 4, 4) with joint coordinates q (n, 6)."""
    G, M, Y = np.empty((LOCAL_ROWS, 6)), np.empty((6, 12)), np.empty((6, 6))
    for k in range(q.shape[0]):
        verdict[k], error[k], alone[k] = certify(model, q[k], X[k], G, M, Y)
