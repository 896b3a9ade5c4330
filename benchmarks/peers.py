"""What Gough is measured against: plain NumPy, SciPy, and a scalar compiled Newton that steps in Euler angles.

All are written for this purpose. The Newton is what machine controllers do: it adds rotation steps to roll, pitch and
yaw, so it converges linearly once the platform is turned.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from pathlib import Path

import numba
import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation


def numpy_inverse(a_B, b_P, X):
    """Strut lengths (n, 6) of poses (n, 4, 4), written as one would in NumPy."""
    d = np.einsum("nij,lj->nli", X[:, :3, :3], b_P) + X[:, None, :3, 3] - a_B
    return np.sqrt(np.einsum("nli,nli->nl", d, d))


def loop_inverse(a_B, b_P, X):
    """The same for one pose."""
    return np.linalg.norm(b_P @ X[:3, :3].T + X[:3, 3] - a_B, axis=1)


@numba.njit(nogil=True, cache=True, error_model="numpy")
def euler_newton(a_B, b_P, start, lengths, out, steps):
    """Poses (x, y, z, roll, pitch, yaw) of strut lengths (n, 6): Newton that adds its rotation steps to the angles."""
    J = np.empty((6, 6))
    error = np.empty(6)
    for k in range(lengths.shape[0]):
        pose = start.copy()
        count = 0
        while count < 100:
            cr, sr, cp, sp = cos(pose[3]), sin(pose[3]), cos(pose[4]), sin(pose[4])
            cy, sy = cos(pose[5]), sin(pose[5])
            r00, r01, r02 = cp * cy, sr * sp * cy - cr * sy, cr * sp * cy + sr * sy
            r10, r11, r12 = cp * sy, sr * sp * sy + cr * cy, cr * sp * sy - sr * cy
            r20, r21, r22 = -sp, sr * cp, cr * cp
            worst = 0.0
            for i in range(6):
                x = r00 * b_P[i, 0] + r01 * b_P[i, 1] + r02 * b_P[i, 2]
                y = r10 * b_P[i, 0] + r11 * b_P[i, 1] + r12 * b_P[i, 2]
                z = r20 * b_P[i, 0] + r21 * b_P[i, 1] + r22 * b_P[i, 2]
                dx, dy, dz = x + pose[0] - a_B[i, 0], y + pose[1] - a_B[i, 1], z + pose[2] - a_B[i, 2]
                length = sqrt(dx * dx + dy * dy + dz * dz)
                ux, uy, uz = dx / length, dy / length, dz / length
                J[i, 0], J[i, 1], J[i, 2] = ux, uy, uz
                J[i, 3], J[i, 4], J[i, 5] = y * uz - z * uy, z * ux - x * uz, x * uy - y * ux
                error[i] = lengths[k, i] - length
                worst = max(worst, abs(error[i]))
            if worst < 1e-13:
                break
            count += 1
            move = gauss(J, error)
            for j in range(6):
                pose[j] += move[j]
        out[k] = pose
        steps[k] = count


@numba.njit(nogil=True, cache=True, error_model="numpy")
def gauss(J, b):
    """Solve six linear equations by elimination with pivoting; both are lost."""
    for c in range(6):
        p = c
        for r in range(c + 1, 6):
            if abs(J[r, c]) > abs(J[p, c]):
                p = r
        for j in range(6):
            J[c, j], J[p, j] = J[p, j], J[c, j]
        b[c], b[p] = b[p], b[c]
        for r in range(c + 1, 6):
            f = J[r, c] / J[c, c]
            for j in range(c, 6):
                J[r, j] -= f * J[c, j]
            b[r] -= f * b[c]
    for c in range(5, -1, -1):
        for j in range(c + 1, 6):
            b[c] -= J[c, j] * b[j]
        b[c] /= J[c, c]
    return b


def juggler_108(machine):
    """Readings (108, 6) [m] of Jugglebot's strings and poses (108, 4, 4) that cameras saw."""
    file = Path(__file__).parents[1] / "examples" / "data" / "jugglebot_108.csv"
    table = np.genfromtxt(file, delimiter=",", names=True)
    turns, place, turned = (
        np.stack([table[name] for name in table.dtype.names if name.startswith(start)], axis=1)
        for start in (("q1", "q2", "q3", "q4", "q5", "q6"), ("x_", "y_", "z_"), ("qx", "qy", "qz", "qw"))
    )
    X = np.tile(np.eye(4), (len(table), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = Rotation.from_quat(turned).as_matrix(), place * 1e-3
    return 0.6657 + turns * 2.0 * np.pi / machine.actuators.transmission, X


def calibrated_by_differences(a_B, b_P, q, X):
    """Points, zeros, gains and curvatures of struts, as one would with SciPy: lengths of the measured poses against the
    readings, derivatives by differences, a weak hold at the drawing; frames known, nothing said of what is open."""
    d = q - q.mean(axis=0)

    def residuals(e):
        a, b, curve = e[:18].reshape(6, 3), e[18:36].reshape(6, 3), e[36:].reshape(3, 6)
        lengths = numpy_inverse(a_B + a, b_P + b, X)
        return np.append((q + curve[0] + curve[1] * d + curve[2] * d * d - lengths).ravel(), 1e-3 * e)

    return least_squares(residuals, np.zeros(54), method="lm")
