"""Random machines measured on a grid of positions, and how far off calibrated ones are there and elsewhere."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.spatial.transform import Rotation
from tests.calibration.built import KINDS, poses_about_home

import gough
from gough.calibration.spreads import leg_errors, spreads
from gough.description.write import toml
from gough.displacements import rotation_vectors
from gough.poses import skew

JITTER = 0.02
"""Of the joints' places, in radii."""


def ring(rng, radius, half):
    """Six points in three pairs on a circle, each off by a little."""
    angle = np.repeat(np.arange(3) * 2 * np.pi / 3, 2) + np.tile([-half, half], 3)
    points = radius * np.stack([np.cos(angle), np.sin(angle), np.zeros(6)], axis=1)
    return points + JITTER * radius * rng.normal(size=(6, 3))


def unit(v):
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def machine(kind, rng):
    """A random machine of a leg kind, or one of the skew ones."""
    if kind == "skew":
        return gough.load(list(KINDS.values())[rng.integers(3)])
    a, b = (
        ring(rng, rng.uniform(0.3, 0.5), rng.uniform(0.15, 0.35)),
        ring(rng, rng.uniform(0.15, 0.3), rng.uniform(0.7, 0.95)),
    )
    home = np.eye(4)
    home[:3, :3] = Rotation.from_rotvec(0.05 * rng.normal(size=3)).as_matrix()
    home[:3, 3] = [*0.01 * rng.normal(size=2), rng.uniform(0.4, 0.6)]
    if kind == "UPS":
        return gough.from_points(a, b, home=home)
    tips = b @ home[:3, :3].T + home[:3, 3]
    legs = {"kind": kind}
    if kind == "PUS":
        legs["guide"] = unit([0, 0, 1.0] + 0.2 * rng.normal(size=(6, 3)))
        feet = a
    else:
        out = unit(a)
        legs["axis"] = unit(np.cross([0, 0, 1.0], out) + 0.1 * rng.normal(size=(6, 3)))
        arm = 0.15 * out * rng.uniform(0.9, 1.1, (6, 1))
        legs["arm"] = arm - legs["axis"] * np.sum(arm * legs["axis"], axis=1, keepdims=True)
        legs["branch"] = np.ones(6, dtype=int)
        feet = a + legs["arm"]
    legs["rod_length"] = np.linalg.norm(tips - feet, axis=1)
    text = toml(
        {
            "name": kind.lower(), "base": {"points": a.tolist()}, "platform": {"points": b.tolist()},
            "legs": {key: v if isinstance(v, str) else v.tolist() for key, v in legs.items()},
            "home": {
                "translation": home[:3, 3].tolist(), "sequence": "XYZ",
                "angles": Rotation.from_matrix(home[:3, :3]).as_euler("XYZ").tolist(),
            },
        }
    )  # fmt: skip
    with TemporaryDirectory() as folder:
        (Path(folder) / "m.toml").write_text(text)
        return gough.load(Path(folder) / "m.toml")


class Grid:
    """A machine off its drawing, measured at positions with orientations within `turn` [rad] of one."""

    def __init__(self, kind, seed, off=0.03, n=60, reach=0.15, turn=1e-3, noise=20e-6, frames=True, scale=1.0):
        rng = np.random.default_rng(seed)
        m = self.drawn = machine(kind, rng)
        X = poses_about_home(m, rng, n, reach, turn)
        q = gough.inverse_kinematics(m, X)
        legs = leg_errors(m, q, None)
        errors = off * spreads(legs, q, m.tolerances) * rng.normal(size=6 * legs.count)
        self.true = legs.machine_with(errors.reshape(6, -1))
        X = X[np.isfinite(gough.inverse_kinematics(self.true, X)).all(axis=1)]
        self.s = noise * (1.0 if m.legs.joint == "length" else 5.0)
        self.q = read(self.true, X) + self.s * rng.normal(size=(len(X), 6))
        C, D = np.eye(4), np.eye(4)
        if frames:
            C[:3, :3], D[:3, :3] = Rotation.random(2, random_state=rng.integers(2**31)).as_matrix()
            C[:3, 3], D[:3, 3] = rng.normal(size=3), 0.05 * rng.normal(size=3)
        self.noise = {"joints": self.s, "positions": noise / 4, "rotations": noise}
        self.measured = C @ X @ D
        turns = self.noise["rotations"] * rng.normal(size=(len(X), 3))
        self.measured[:, :3, :3] = Rotation.from_rotvec(turns).as_matrix() @ self.measured[:, :3, :3]
        self.measured[:, :3, 3] += self.noise["positions"] * rng.normal(size=(len(X), 3))
        self.measured[:, :3, 3] *= scale
        self.tests = {
            "grid": poses_about_home(m, rng, 80, reach, turn),
            "wide": poses_about_home(m, rng, 80, reach, 0.15),
        }

    def error(self, m, where):
        """RMS error of the poses that a machine expects of readings, frames of base and platform fitted [m]."""
        X, size = self.tests[where], m.characteristic_length
        q = read(self.true, X)
        x = q if m.encoders is None else m.encoders.coordinates(q)
        Y = gough.forward_kinematics(m, x, near=X, throw=False).matrix
        there = np.isfinite(Y).all(axis=(1, 2))
        X, Y = X[there], Y[there]
        for _ in range(4):
            R = Y[:, :3, :3]
            turn = rotation_vectors(X[:, :3, :3] @ np.swapaxes(R, 1, 2))
            e = np.concatenate([X[:, :3, 3] - Y[:, :3, 3], size * turn], axis=1)
            A = np.zeros((len(X), 6, 12))
            A[:, :3, :3], A[:, :3, 3:6], A[:, 3:, 3:6] = np.eye(3), -skew(Y[:, :3, 3]), size * np.eye(3)
            A[:, :3, 6:9], A[:, 3:, 9:] = R, size * R
            left, right = np.linalg.lstsq(A.reshape(-1, 12), e.ravel(), rcond=1e-10)[0].reshape(2, 6)
            C, D = np.eye(4), np.eye(4)
            C[:3, :3], C[:3, 3] = Rotation.from_rotvec(left[3:]).as_matrix(), left[:3]
            D[:3, :3], D[:3, 3] = Rotation.from_rotvec(right[3:]).as_matrix(), right[:3]
            Y = C @ Y @ D
        return float(np.sqrt(np.mean(e**2)))


def read(m, X):
    """What the joints of a machine read at poses."""
    q = gough.inverse_kinematics(m, X)
    return q if m.encoders is None else m.encoders.readings(q)
