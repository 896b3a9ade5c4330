"""Machines as they were built, and what would be read and measured of them."""

import numpy as np
from tests.skew import SKEW

import gough
from gough.calibration.legs import LegErrors, groups_of
from gough.calibration.spreads import leg_errors, spreads
from gough.displacements import displaced
from gough.poses import inverse_matrices

KINDS = dict(zip(("UPS", "PUS", "RUS"), SKEW, strict=True))
MICRON = 1e-6
KNOWN = ("three targets", "one target", "single coordinates of known targets", "levels", "wires", "relative")


def poses_about_home(machine, rng, n, reach=0.06, turn=0.15):
    """Poses (n, 4, 4) about home that the legs reach, small against the machine but not against its errors."""
    found = np.zeros((0, 4, 4))
    while len(found) < n:
        d = rng.uniform(-1.0, 1.0, (4 * n, 6)) * np.array([reach * machine.size] * 3 + [turn] * 3)
        X = displaced(np.tile(machine.X_home, (4 * n, 1, 1)), d)
        found = np.concatenate([found, X[np.isfinite(gough.inverse_kinematics(machine, X)).all(axis=1)]])
    return found[:n]


class Built:
    """A machine off its drawing by known errors, at poses, with the readings of its joints."""

    def __init__(self, machine, rng, n=40, off=0.1, parameters=None, reach=0.06, turn=0.15, errors=None):
        self.drawn = machine
        X = poses_about_home(machine, rng, n, reach, turn)
        q = gough.inverse_kinematics(machine, X)
        self.legs = leg_errors(machine, q, parameters)
        self.spread = spreads(self.legs, q, machine.tolerances)
        self.errors = off * self.spread * rng.normal(size=len(self.spread)) if errors is None else errors
        self.machine = self.legs.machine_with(self.errors.reshape(6, -1))
        self.X = X[np.isfinite(gough.inverse_kinematics(self.machine, X)).all(axis=1)]
        self.q = self.readings(self.X)

    def readings(self, X):
        """What the joints read at poses."""
        q = gough.inverse_kinematics(self.machine, X)
        return q if self.machine.encoders is None else self.machine.encoders.readings(q)


def same_kinematics(a, b, X):
    """Largest difference of the joint coordinates of two machines at poses [m or rad]."""
    return np.nanmax(np.abs(gough.inverse_kinematics(a, X) - gough.inverse_kinematics(b, X)))


def everything(kind):
    """All errors of a leg kind, for derivatives."""
    m = gough.load(KINDS[kind])
    extra = ("joint_zeros", "gains", "curvatures", "once_per_turn")
    chosen = tuple(dict.fromkeys((*groups_of(m, None), *extra)))
    q = gough.inverse_kinematics(m, m.X_home)
    return LegErrors(m, groups_of(m, chosen), 0.9 * q, np.full(6, 0.01 * m.size))


def measured(built, what, rng):
    """One kind of measurement of a machine, with the frames or points it needs; all of it, and none of it poses."""
    X, m = built.X, built.drawn
    C, D = displaced(np.tile(np.eye(4), (2, 1, 1)), 0.3 * rng.normal(size=(2, 6)))
    points = m.platform_centre + 0.2 * m.size * rng.normal(size=(3, 3))
    seen = C @ X
    positions = np.einsum("nij,kj->nki", seen[:, :3, :3], points) + seen[:, None, :3, 3]
    rise = np.arcsin((seen @ D)[:, 2, :2])
    fixed = m.size * np.array([[2.0, 0.5, 0.1], [-0.4, 2.0, 0.3], [0.3, 0.2, 2.5]])
    ends = np.einsum("nij,kj->nki", X[:, :3, :3], points) + X[:, None, :3, 3]
    distances = np.linalg.norm(ends - fixed, axis=2)
    relative = inverse_matrices((X @ D)[[0, *range(len(X) - 1)]]) @ X @ D
    gauges = np.where(np.arange(len(X))[:, None, None] % 3 != np.arange(3), positions[:, :1], np.nan)
    return {
        "three targets": {"positions": positions},
        "one target": {"positions": positions[:, 0]},
        "single coordinates of known targets": {"positions": gauges, "points": points[:1], "device": C},
        "levels": {"angles": rise, "positions": positions[:, :1]},
        "wires": {"distances": distances, "wire_points": points, "fixed_points": fixed},
        "relative": {"relative": relative},
    }[what]
