"""Machines as they were built, by closed formulas of this file: what their joints read, and how far off others are."""

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation
from tests.calibration.grids import machine, unit

import gough

KINDS = ("UPS", "PUS", "RUS")


class Truth:
    """A machine off its drawing: joints by `off` [m], axes by as much at a radius of 0.3 m."""

    def __init__(self, kind, seed, off=3e-4):
        rng = np.random.default_rng(seed)
        self.kind, self.drawn = kind, machine(kind, rng)
        legs = self.drawn.legs
        error = off * rng.normal(size=(4, 6, 3))
        self.b, self.rod = legs.b_P + error[0], None
        if kind == "UPS":
            self.a = legs.a_B + error[1]
        else:
            self.rod = legs.rod_length + error[2, :, 0]
            self.a = (legs.a_B if kind == "PUS" else legs.c_B) + error[1]
            self.axis = unit((legs.g_B if kind == "PUS" else legs.n_B) + error[3] / 0.3)
        if kind == "RUS":
            arm = legs.r_B * (1.0 + error[2, :, 1:2] / np.linalg.norm(legs.r_B, axis=1, keepdims=True))
            self.arm = arm - self.axis * np.sum(arm * self.axis, axis=1, keepdims=True)
        self.zero = 0.0 if kind == "PUS" else error[2, :, 2] / (1.0 if kind == "UPS" else 0.15)

    def read(self, X):
        """Readings (n, 6) at poses (n, 4, 4)."""
        d = np.einsum("nij,kj->nki", X[:, :3, :3], self.b) + X[:, None, :3, 3] - self.a
        if self.kind == "UPS":
            return np.linalg.norm(d, axis=2) - self.zero
        if self.kind == "PUS":  # |d - q g| = l, and of both roots the one that is zero at home
            along = np.sum(d * self.axis, axis=2)
            return along - np.sqrt(along**2 - np.sum(d * d, axis=2) + self.rod**2)
        # |d - cos(q) r - sin(q) n x r| = l with r across n is A cos(q) + B sin(q) = C.
        A, B = (np.sum(d * v, axis=2) for v in (self.arm, np.cross(self.axis, self.arm)))
        C = (np.sum(d * d, axis=2) + np.sum(self.arm**2, axis=1) - self.rod**2) / 2.0
        middle, half = np.arctan2(B, A), np.arccos(C / np.hypot(A, B))
        both = np.stack([middle - half, middle + half])
        both = (both + np.pi) % (2.0 * np.pi) - np.pi
        return np.take_along_axis(both, np.abs(both).argmin(axis=0)[None], axis=0)[0] - self.zero

    def poses(self, rng, n, turn, reach=0.15):
        """Poses (n, 4, 4) about home that the drawing and this machine reach."""
        m, found = self.drawn, np.zeros((0, 4, 4))
        while len(found) < n:
            X = np.tile(m.X_home, (4 * n, 1, 1))
            X[:, :3, 3] += reach * m.size * rng.uniform(-1.0, 1.0, (4 * n, 3))
            X[:, :3, :3] = Rotation.from_rotvec(turn * rng.uniform(-1, 1, (4 * n, 3))).as_matrix() @ X[:, :3, :3]
            with np.errstate(invalid="ignore"):
                there = np.isfinite(self.read(X)).all(axis=1) & np.isfinite(readings(m, X)).all(axis=1)
            found = np.concatenate([found, X[there]])
        return found[:n]

    def off(self, m, X):
        """RMS difference of the readings of a machine at poses, frames of its base and platform fitted [m or rad]."""
        truth = self.read(X)

        def left(x):
            C, D = frame(x[:6]), frame(x[6:])
            return np.nan_to_num(readings(m, C @ X @ D) - truth, nan=1.0).ravel()

        found = least_squares(left, np.zeros(12), method="lm", x_scale=1.0)
        return float(np.sqrt(np.mean(found.fun**2)))


class Session:
    """What is read and measured of a machine, with noise: `turn` [rad] is how far orientations differ from one."""

    def __init__(self, kind, seed, turn=0.0, n=60, frames=True, noise=20e-6, off=3e-4):
        self.truth, rng = Truth(kind, seed, off), np.random.default_rng([seed, 1])
        self.drawn = self.truth.drawn
        self.X = X = self.truth.poses(rng, n, turn)
        self.s = noise / (0.15 if kind == "RUS" else 1.0)
        self.noise = {"joints": self.s, "positions": noise / 5, "rotations": noise / 2}
        self.q = self.truth.read(X) + self.s * rng.normal(size=(n, 6))
        C, D = np.eye(4), np.eye(4)
        if frames:
            C[:3, :3], D[:3, :3] = Rotation.random(2, random_state=int(rng.integers(2**31))).as_matrix()
            C[:3, 3], D[:3, 3] = rng.normal(size=3), 0.05 * rng.normal(size=3)
        self.clean = C @ X @ D
        self.measured = self.clean.copy()
        turns = Rotation.from_rotvec(self.noise["rotations"] * rng.normal(size=(n, 3))).as_matrix()
        self.measured[:, :3, :3] = turns @ self.measured[:, :3, :3]
        self.measured[:, :3, 3] += self.noise["positions"] * rng.normal(size=(n, 3))
        self.tests = [self.truth.poses(rng, 60, angle) for angle in (turn, 0.15)]

    def is_worse(self, m):
        """Whether a machine is worse than the drawing, where it was measured or at other orientations."""
        return any(self.truth.off(m, X) > self.truth.off(self.drawn, X) for X in self.tests)


def readings(m, X):
    """What the joints of a machine read at poses."""
    q = gough.inverse_kinematics(m, X)
    return q if m.encoders is None else m.encoders.readings(q)


def frame(x):
    """Frame of a displacement [v, rotation vector]."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = Rotation.from_rotvec(x[3:]).as_matrix(), x[:3]
    return found
