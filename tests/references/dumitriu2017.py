"""The thirteen solids of Dumitriu et al. (2017), equations (1) to (16), written afresh in NumPy.

Coordinates Z = [T* | R] of every solid, all 150 constraints, one dense saddle-point system; nothing comes from Gough.
The paper does not print the axes of its Cardan joints.
"""

import numpy as np

FORCES = [9.5, 9.5, 8.5105, 8.5105, 8.5105, 8.5105]
"""(16) [N]."""
STEP = 0.01
"""Runge-Kutta step [s], the error of which is below 1e-7 m in 0.5 s."""
LOWER, UPPER, PLATFORM = 0.7, 0.3, 3.0
"""Masses [kg]."""


def hexagon(radius, pair, gap):
    """Corners of an irregular hexagon in its plane: pairs that see the centre at one angle, gaps at another [deg]."""
    angle = pair / 2 - np.cumsum([0, pair, gap, pair, gap, pair])
    return radius * np.column_stack([np.sin(np.radians(angle)), np.cos(np.radians(angle)), np.zeros(6)])


A, B = hexagon(0.40, 90, 30), hexagon(0.35, 36, 84)
LENGTH = 0.5320
HEIGHT = np.sqrt(LENGTH**2 - ((A - B)[0] ** 2).sum())
B = B + [0, 0, HEIGHT]
"""(15): base and platform joints at the start [m]."""


class Equations:
    """The system with joints as printed, or exact: (10) with the point B_0 of both parts, (11) with both axes carried.

    `attack` is the way from B_0 along the leg to where the forces act, -0.4 m in the paper; it matters for Lambda only.
    `cardan` (2, 3) are the axes u_0, v_0 of all Cardan joints; by default two directions across each leg.
    """

    def __init__(self, exact=False, cardan=None, forces=FORCES, attack=-0.4):
        self.exact, self.forces, self.attack = exact, forces, attack
        self.z = z = (B - A) / np.linalg.norm(B - A, axis=1, keepdims=True)
        first = np.cross(z, np.eye(3)[np.abs(z).argmin(axis=1)])
        self.first = first / np.linalg.norm(first, axis=1, keepdims=True)
        self.y = np.cross(z, self.first)
        across = ((self.y, self.first), (self.first, self.y))
        self.axes = across if cardan is None else ([np.tile(each, (6, 1)) for each in cardan],) * 2
        ends = np.stack([A + 0.2 * z, B - 0.2 * z], axis=1).reshape(12, 3)
        self.centres = np.vstack([ends, [0, 0, HEIGHT]])
        self.masses = np.array([LOWER, UPPER] * 6 + [PLATFORM])
        K = [k * np.outer(axis, axis) for axis in z for k in (0.0071, 0.0031)] + [np.diag([0.0324, 0.0324, 0.0])]
        self.M = np.zeros((13, 4, 4))
        for i, c in enumerate(self.centres):
            h = np.array([1.0, *c])
            self.M[i] = self.masses[i] * np.outer(h, h)
            self.M[i, 1:, 1:] += K[i]

    def constraints(self, Z):
        """Left sides of (9), (10), (11), (2): 72 and 78."""
        T, R = Z[..., 0], Z[..., 1:]
        lo, up, plate = R[..., 0:12:2, :, :], R[..., 1:12:2, :, :], R[..., 12:, :, :]
        T_lo, T_up, T_plate = T[..., 0:12:2, :], T[..., 1:12:2, :], T[..., 12:, :]

        def on(R, p):
            return np.einsum("...nij,nj->...ni", R, np.broadcast_to(p, (6, 3)))

        def dot(a, b):
            return (a * b).sum(axis=-1)[..., None]

        (u_9, v_9), (u_11, v_11) = self.axes
        apart = T_up - T_lo
        if self.exact:
            apart = apart + on(up, B) - on(lo, B)
        groups = [
            T_lo + on(lo, A),  # (9)
            dot(on(lo, u_9), v_9),
            dot(on(lo - up, self.z), self.first),  # (10)
            dot(on(lo - up, self.z), self.y),
            dot(on(lo, self.first), apart),
            dot(on(lo, self.y), apart),
            T_up + on(up, B) - T_plate - on(plate, B),  # (11)
            dot(on(plate, u_11), on(up, v_11)) if self.exact else dot(on(plate - up, u_11), v_11),
        ]
        if self.exact:  # parallel axes: the upper part's z across both directions of the lower one
            groups[2:4] = [dot(on(up, self.z), on(lo, each)) for each in (self.first, self.y)]
        joints = np.concatenate(groups, axis=-1).reshape(*Z.shape[:-3], 72)
        product = np.swapaxes(R, -1, -2) @ R
        rows, columns = np.triu_indices(3)
        rigid = product[..., rows, columns].reshape(*Z.shape[:-3], 78)
        return np.concatenate([joints, rigid], axis=-1)

    def loads(self, Z):
        """Weights, and forces (13) on the upper parts alone, along the lower ones."""
        load = np.zeros((13, 3, 4))
        for i, c in enumerate(self.centres):
            load[i] = self.masses[i] * np.outer([0, 0, -9.81], [1, *c])
        for i, force in enumerate(self.forces):
            load[2 * i + 1] += force * np.outer(Z[2 * i, :, 1:] @ self.z[i], [1, *(B[i] + self.attack * self.z[i])])
        return load

    def solved(self, Z, V):
        """Accelerations (13, 3, 4) and multipliers (150,) at (Z, V): those on the solids are J^T times these."""
        # All constraints are of second degree in Z: central differences of any step are exact.
        basis = np.eye(156).reshape(156, 13, 3, 4)
        J = (self.constraints(Z + basis) - self.constraints(Z - basis)).T / 2
        curvature = self.constraints(Z + V) + self.constraints(Z - V) - 2 * self.constraints(Z)
        saddle = np.zeros((306, 306))
        for i in range(13):
            for k in range(3):
                at = slice(12 * i + 4 * k, 12 * i + 4 * k + 4)
                saddle[at, at] = self.M[i]
        saddle[:156, 156:], saddle[156:, :156] = -J.T, J
        found = np.linalg.solve(saddle, np.concatenate([self.loads(Z).ravel(), -curvature]))
        return found[:156].reshape(13, 3, 4), found[156:]

    def acceleration(self, Z, V):
        """Accelerations (13, 3, 4)."""
        return self.solved(Z, V)[0]

    def integrated(self, end):
        """Z (13, 3, 4) at the end, by classical Runge-Kutta steps from rest."""
        Z, V = start()
        for _ in range(round(end / STEP)):
            a1 = self.acceleration(Z, V)
            a2 = self.acceleration(Z + STEP / 2 * V, V2 := V + STEP / 2 * a1)
            a3 = self.acceleration(Z + STEP / 2 * V2, V3 := V + STEP / 2 * a2)
            a4 = self.acceleration(Z + STEP * V3, V4 := V + STEP * a3)
            Z = Z + STEP / 6 * (V + 2 * V2 + 2 * V3 + V4)
            V = V + STEP / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return Z


def start():
    """Z and its rate at rest, (5)."""
    Z = np.zeros((13, 3, 4))
    Z[:, :, 1:] = np.eye(3)
    return Z, np.zeros((13, 3, 4))
