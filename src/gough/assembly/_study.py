"""Compiled leg equations over complex dual quaternions: seven quadrics in eight homogeneous unknowns.

A pose is the dual quaternion e + eps g with Study's condition e . g = 0; its translation is t = 2 g e* / (e . e). A leg
between a on the base and b on the platform, |t + R b - a| = l, is then the quadric (Husty 1996, eq. 4; halved here)

    c/2 e.e - (a e).(e b) + 2 g.(e b - a e) + 2 g.g = 0        c = |a|^2 + |b|^2 - l^2

in quaternion products. A machine is a row (a, b, c) for each leg, seven independent complex numbers. A homotopy changes
the rows linearly, (a, b, c) + s (da, db, dc), and the coefficients of the quadrics are quadratic in s.

All numbers lie in one array: rows of LANES numbers, one for each leg, the real parts of all rows before the imaginary
ones. This shows the compiler that rows do not overlap, so that it vectorises over four legs; it also needs unsigned
indices, and a number of lanes that is unknown to it (it would unroll short loops of known length instead).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough._compile import inline_norefcount, noinline
from gough.arrays import Array

Complex = NDArray[np.complex128]

EQUATIONS, UNKNOWNS, LANES = 7, 8, 8
COEFFICIENTS = 17


def rows(first: int, count: int) -> tuple[Any, ...]:
    """Offsets of `count` rows from row number `first` on."""
    return tuple(np.uint64(LANES * (first + k)) for k in range(count))


# Coefficients of a leg: c; d = b - a and h = a + b, for e b - a e; the form (a e).(e b) over e = (e0, v).
C, DX, DY, DZ, HX, HY, HZ, M00, M01, M02, M03, M11, M22, M33, M12, M13, M23 = rows(0, COEFFICIENTS)
CONSTANT, LINEAR, SQUARE = (rows(COEFFICIENTS * k, 1)[0] for k in range(1, 4))
"""Offsets of the terms of the coefficients: constant + s linear + s^2 square."""
J0, J1, J2, J3, J4, J5, J6, J7, RIGHT, TANGENT = rows(4 * COEFFICIENTS, 10)
"""A linear system, one row for each of its columns: gradients; minus the quadrics; minus their derivatives by s."""
IMAGINARY = rows(4 * COEFFICIENTS + 10, 1)[0]
"""Offset of imaginary parts from real parts."""
NUMBERS = 2 * int(IMAGINARY)
STUDY = np.uint64(6)
"""The lane of Study's condition."""
STRIDE = np.uint64(LANES)
"""Offset from a row to the next."""


@inline_norefcount
def at(w: Array, row: Any, i: Any) -> complex:
    """Number in lane i of a row."""
    return complex(w[row + i], w[row + IMAGINARY + i])


@inline_norefcount
def put(w: Array, row: Any, i: Any, z: complex) -> None:
    """Store z in lane i of a row."""
    w[row + i], w[row + IMAGINARY + i] = z.real, z.imag


Three = tuple[complex, complex, complex]


@inline_norefcount
def add_forms(w: Array, to: Any, i: Any, a: Three, b: Three) -> None:
    """Add the form (a e).(e b) to the coefficients of leg i."""
    # Its matrix over e = (e0, v): a.b, then -(a x b), then a b^T + b a^T - (a.b) 1.
    xx, yy, zz = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    put(w, to + M00, i, at(w, to + M00, i) + xx + yy + zz)
    put(w, to + M11, i, at(w, to + M11, i) + xx - yy - zz)
    put(w, to + M22, i, at(w, to + M22, i) + yy - xx - zz)
    put(w, to + M33, i, at(w, to + M33, i) + zz - xx - yy)
    put(w, to + M01, i, at(w, to + M01, i) + a[2] * b[1] - a[1] * b[2])
    put(w, to + M02, i, at(w, to + M02, i) + a[0] * b[2] - a[2] * b[0])
    put(w, to + M03, i, at(w, to + M03, i) + a[1] * b[0] - a[0] * b[1])
    put(w, to + M12, i, at(w, to + M12, i) + a[0] * b[1] + a[1] * b[0])
    put(w, to + M13, i, at(w, to + M13, i) + a[0] * b[2] + a[2] * b[0])
    put(w, to + M23, i, at(w, to + M23, i) + a[1] * b[2] + a[2] * b[1])


@inline_norefcount
def put_linear(w: Array, to: Any, i: Any, a: Three, b: Three, c: complex) -> None:
    """Store c, d = b - a and h = a + b in the coefficients of leg i."""
    put(w, to + C, i, c)
    put(w, to + DX, i, b[0] - a[0])
    put(w, to + DY, i, b[1] - a[1])
    put(w, to + DZ, i, b[2] - a[2])
    put(w, to + HX, i, a[0] + b[0])
    put(w, to + HY, i, a[1] + b[1])
    put(w, to + HZ, i, a[2] + b[2])


@noinline
def prepare(legs: Complex, path: Complex, w: Array) -> None:
    """Terms of the coefficients of legs (6, 7) that change by `path` (6, 7) from s = 0 to 1."""
    for k in range(NUMBERS):
        w[k] = 0.0
    for leg in range(6):
        i = np.uint64(leg)
        a, b = (legs[leg, 0], legs[leg, 1], legs[leg, 2]), (legs[leg, 3], legs[leg, 4], legs[leg, 5])
        da, db = (path[leg, 0], path[leg, 1], path[leg, 2]), (path[leg, 3], path[leg, 4], path[leg, 5])
        put_linear(w, CONSTANT, i, a, b, legs[leg, 6])
        put_linear(w, LINEAR, i, da, db, path[leg, 6])
        # ((a + s da) e).(e (b + s db)) by powers of s
        add_forms(w, CONSTANT, i, a, b)
        add_forms(w, LINEAR, i, a, db)
        add_forms(w, LINEAR, i, da, b)
        add_forms(w, SQUARE, i, da, db)


@noinline
def write_coefficients(w: Array, s: complex) -> None:
    """Coefficients of the legs at s."""
    for i in range(M00):
        put(w, C, i, at(w, CONSTANT, i) + s * at(w, LINEAR, i))
    for i in range(M00, CONSTANT):
        put(w, C, i, at(w, CONSTANT, i) + s * (at(w, LINEAR, i) + s * at(w, SQUARE, i)))


@noinline
def write_gradients(w: Array, x: Complex) -> None:
    """Gradients of the quadrics at x (8,), of the legs and of Study's condition, and minus the quadrics into RIGHT.

    A quadric is half x . gradient (Euler's theorem on homogeneous functions).
    """
    e0, e1, e2, e3, g0, g1, g2, g3 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
    for i in range(np.uint64(x.size)):
        c = at(w, C, i)
        dx, dy, dz, hx, hy, hz = at(w, DX, i), at(w, DY, i), at(w, DZ, i), at(w, HX, i), at(w, HY, i), at(w, HZ, i)
        m01, m02, m03, m12 = at(w, M01, i), at(w, M02, i), at(w, M03, i), at(w, M12, i)
        m13, m23 = at(w, M13, i), at(w, M23, i)
        j0 = (c - 2.0 * at(w, M00, i)) * e0 + 2.0 * (dx * g1 + dy * g2 + dz * g3 - m01 * e1 - m02 * e2 - m03 * e3)
        j1 = (c - 2.0 * at(w, M11, i)) * e1 + 2.0 * (hy * g3 - hz * g2 - dx * g0 - m01 * e0 - m12 * e2 - m13 * e3)
        j2 = (c - 2.0 * at(w, M22, i)) * e2 + 2.0 * (hz * g1 - hx * g3 - dy * g0 - m02 * e0 - m12 * e1 - m23 * e3)
        j3 = (c - 2.0 * at(w, M33, i)) * e3 + 2.0 * (hx * g2 - hy * g1 - dz * g0 - m03 * e0 - m13 * e1 - m23 * e2)
        j4 = 4.0 * g0 - 2.0 * (dx * e1 + dy * e2 + dz * e3)
        j5 = 4.0 * g1 + 2.0 * (dx * e0 + e2 * hz - e3 * hy)
        j6 = 4.0 * g2 + 2.0 * (dy * e0 + e3 * hx - e1 * hz)
        j7 = 4.0 * g3 + 2.0 * (dz * e0 + e1 * hy - e2 * hx)
        put(w, J0, i, j0)
        put(w, J1, i, j1)
        put(w, J2, i, j2)
        put(w, J3, i, j3)
        put(w, J4, i, j4)
        put(w, J5, i, j5)
        put(w, J6, i, j6)
        put(w, J7, i, j7)
        along = j0 * e0 + j1 * e1 + j2 * e2 + j3 * e3 + j4 * g0 + j5 * g1 + j6 * g2 + j7 * g3
        put(w, RIGHT, i, -0.5 * along)
    # Study's condition e . g
    put(w, J0, STUDY, g0)
    put(w, J1, STUDY, g1)
    put(w, J2, STUDY, g2)
    put(w, J3, STUDY, g3)
    put(w, J4, STUDY, e0)
    put(w, J5, STUDY, e1)
    put(w, J6, STUDY, e2)
    put(w, J7, STUDY, e3)
    put(w, RIGHT, STUDY, -(e0 * g0 + e1 * g1 + e2 * g2 + e3 * g3))


@inline_norefcount
def rate(w: Array, row: Any, i: Any, s: complex) -> complex:
    """Derivative by s of a coefficient of the form (a e).(e b)."""
    return at(w, LINEAR + row, i) + s * (2.0 * at(w, SQUARE + row, i))


@noinline
def write_rates(w: Array, s: complex, x: Complex, speed: complex) -> None:
    """Minus the partial derivatives of the quadrics by s at x (8,), times `speed`, into TANGENT."""
    e0, e1, e2, e3, g0, g1, g2, g3 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
    square = e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3
    for i in range(np.uint64(x.size)):
        dx, dy, dz = at(w, LINEAR + DX, i), at(w, LINEAR + DY, i), at(w, LINEAR + DZ, i)
        hx, hy, hz = at(w, LINEAR + HX, i), at(w, LINEAR + HY, i), at(w, LINEAR + HZ, i)
        form = e0 * (rate(w, M01, i, s) * e1 + rate(w, M02, i, s) * e2 + rate(w, M03, i, s) * e3)
        form += e1 * (rate(w, M12, i, s) * e2 + rate(w, M13, i, s) * e3) + e2 * rate(w, M23, i, s) * e3
        form *= 2.0
        form += rate(w, M00, i, s) * e0 * e0 + rate(w, M11, i, s) * e1 * e1
        form += rate(w, M22, i, s) * e2 * e2 + rate(w, M33, i, s) * e3 * e3
        turned = g1 * (dx * e0 + e2 * hz - e3 * hy) + g2 * (dy * e0 + e3 * hx - e1 * hz)
        turned += g3 * (dz * e0 + e1 * hy - e2 * hx) - g0 * (dx * e1 + dy * e2 + dz * e3)
        # Derivative of c/2 e.e - form + 2 g.(e b - a e); the quadric's term 2 g.g does not depend on s.
        put(w, TANGENT, i, -speed * (0.5 * at(w, LINEAR + C, i) * square - form + 2.0 * turned))
    put(w, TANGENT, STUDY, 0j)
