"""Compiled leg equations over complex dual quaternions: seven quadrics in eight homogeneous unknowns.

A pose is the dual quaternion e + eps g with Study's condition e . g = 0; its translation is t = 2 g e* / (e . e). A leg
between a on the base and b on the platform, |t + R b - a| = l, is then the quadric (Husty 1996, eq. 4; halved here)

    c/2 e.e - (a e).(e b) + 2 g.(e b - a e) + 2 g.g = 0        c = |a|^2 + |b|^2 - l^2

in quaternion products. A machine is a row (a, b, c) for each leg, seven complex numbers, all of them free. In
a homotopy the rows go straight, (a, b, c) + s (da, db, dc), and the quadrics' coefficients are quadratic in s.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough._compile import called, inlined

Complex = NDArray[np.complex128]

# Coefficients of a leg: c; the form (a e).(e b) over e = (e0, v); d = b - a and h = a + b, for e b - a e.
C, M00, M01, M02, M03, M11, M22, M33, M12, M13, M23, DX, DY, DZ, HX, HY, HZ = range(17)
COEFFICIENTS = 17
EQUATIONS, UNKNOWNS = 7, 8


@called
def write_coefficients(legs: Complex, way: Complex, s: complex, K: Complex, K_s: Complex) -> None:
    """Coefficients (6, 17) of the legs (6, 7) at s on their way (6, 7), into K, and their derivative by s, into K_s."""
    for i in range(6):
        xa, ya, za = way[i, 0], way[i, 1], way[i, 2]
        xb, yb, zb = way[i, 3], way[i, 4], way[i, 5]
        ax, ay, az = legs[i, 0] + s * xa, legs[i, 1] + s * ya, legs[i, 2] + s * za
        bx, by, bz = legs[i, 3] + s * xb, legs[i, 4] + s * yb, legs[i, 5] + s * zb
        K[i, C], K_s[i, C] = legs[i, 6] + s * way[i, 6], way[i, 6]
        xx, yy, zz = ax * bx, ay * by, az * bz
        xx_s, yy_s, zz_s = xa * bx + ax * xb, ya * by + ay * yb, za * bz + az * zb
        K[i, M00], K_s[i, M00] = xx + yy + zz, xx_s + yy_s + zz_s
        K[i, M11], K_s[i, M11] = xx - yy - zz, xx_s - yy_s - zz_s
        K[i, M22], K_s[i, M22] = yy - xx - zz, yy_s - xx_s - zz_s
        K[i, M33], K_s[i, M33] = zz - xx - yy, zz_s - xx_s - yy_s
        xy, yx, xy_s, yx_s = ax * by, ay * bx, xa * by + ax * yb, ya * bx + ay * xb
        xz, zx, xz_s, zx_s = ax * bz, az * bx, xa * bz + ax * zb, za * bx + az * xb
        yz, zy, yz_s, zy_s = ay * bz, az * by, ya * bz + ay * zb, za * by + az * yb
        K[i, M01], K[i, M02], K[i, M03] = zy - yz, xz - zx, yx - xy
        K_s[i, M01], K_s[i, M02], K_s[i, M03] = zy_s - yz_s, xz_s - zx_s, yx_s - xy_s
        K[i, M12], K[i, M13], K[i, M23] = xy + yx, xz + zx, yz + zy
        K_s[i, M12], K_s[i, M13], K_s[i, M23] = xy_s + yx_s, xz_s + zx_s, yz_s + zy_s
        K[i, DX], K[i, DY], K[i, DZ] = bx - ax, by - ay, bz - az
        K[i, HX], K[i, HY], K[i, HZ] = ax + bx, ay + by, az + bz
        K_s[i, DX], K_s[i, DY], K_s[i, DZ] = xb - xa, yb - ya, zb - za
        K_s[i, HX], K_s[i, HY], K_s[i, HZ] = xa + xb, ya + yb, za + zb


@called
def write_gradients(K: Complex, x: Complex, J: Complex) -> None:
    """Gradients (7, 8) of the quadrics at x (8,), into J: the legs', then Study's. A quadric is half x . gradient."""
    e0, e1, e2, e3, g0, g1, g2, g3 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
    for i in range(6):
        c = K[i, C]
        dx, dy, dz, hx, hy, hz = K[i, DX], K[i, DY], K[i, DZ], K[i, HX], K[i, HY], K[i, HZ]
        m01, m02, m03, m12, m13, m23 = K[i, M01], K[i, M02], K[i, M03], K[i, M12], K[i, M13], K[i, M23]
        J[i, 0] = c * e0 + 2.0 * (dx * g1 + dy * g2 + dz * g3 - K[i, M00] * e0 - m01 * e1 - m02 * e2 - m03 * e3)
        J[i, 1] = c * e1 + 2.0 * (hy * g3 - hz * g2 - dx * g0 - m01 * e0 - K[i, M11] * e1 - m12 * e2 - m13 * e3)
        J[i, 2] = c * e2 + 2.0 * (hz * g1 - hx * g3 - dy * g0 - m02 * e0 - m12 * e1 - K[i, M22] * e2 - m23 * e3)
        J[i, 3] = c * e3 + 2.0 * (hx * g2 - hy * g1 - dz * g0 - m03 * e0 - m13 * e1 - m23 * e2 - K[i, M33] * e3)
        J[i, 4] = 4.0 * g0 - 2.0 * (dx * e1 + dy * e2 + dz * e3)
        J[i, 5] = 4.0 * g1 + 2.0 * (dx * e0 + e2 * hz - e3 * hy)
        J[i, 6] = 4.0 * g2 + 2.0 * (dy * e0 + e3 * hx - e1 * hz)
        J[i, 7] = 4.0 * g3 + 2.0 * (dz * e0 + e1 * hy - e2 * hx)
    for j in range(4):
        J[6, j], J[6, 4 + j] = x[4 + j], x[j]


@inlined
def rate(K_s: Complex, i: int, x: Complex) -> complex:
    """Derivative of leg i's quadric by s, at x held."""
    e0, e1, e2, e3, g0, g1, g2, g3 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
    dx, dy, dz, hx, hy, hz = K_s[i, DX], K_s[i, DY], K_s[i, DZ], K_s[i, HX], K_s[i, HY], K_s[i, HZ]
    square = e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3
    form = K_s[i, M00] * e0 * e0 + K_s[i, M11] * e1 * e1 + K_s[i, M22] * e2 * e2 + K_s[i, M33] * e3 * e3
    mixed = e0 * (K_s[i, M01] * e1 + K_s[i, M02] * e2 + K_s[i, M03] * e3)
    mixed += e1 * (K_s[i, M12] * e2 + K_s[i, M13] * e3) + e2 * K_s[i, M23] * e3
    turned = g1 * (dx * e0 + e2 * hz - e3 * hy) + g2 * (dy * e0 + e3 * hx - e1 * hz)
    turned += g3 * (dz * e0 + e1 * hy - e2 * hx) - g0 * (dx * e1 + dy * e2 + dz * e3)
    return 0.5 * K_s[i, C] * square - form - 2.0 * mixed + 2.0 * turned
