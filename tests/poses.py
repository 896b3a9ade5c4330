"""Poses and twists that every leg of a machine can follow, and one comparison of numbers."""

import numpy as np
from scipy.spatial.transform import Rotation

import gough


def poses_near_home(machine, rng, shape=(), turn=0.1, way=0.03):
    """Poses (*shape, 4, 4) off home by angles up to `turn` [rad], and positions up to `way` of the machine's size."""
    X = gough.pose_matrix(np.zeros((*shape, 3)), rng.uniform(-turn, turn, (*shape, 3)), "XYZ")
    X[..., :3, :3] = X[..., :3, :3] @ machine.X_home[:3, :3]
    X[..., :3, 3] = machine.X_home[:3, 3] + way * machine.size * rng.uniform(-1, 1, (*shape, 3))
    return X


def twists(machine, rng, shape=()):
    """Twists (*shape, 6) that move every joint of the platform by about its size in a second."""
    V = rng.normal(size=(*shape, 6))
    V[..., :3] *= machine.characteristic_length
    return V


def displaced(X, d, point=(0.0, 0.0, 0.0)):
    """Pose (4, 4) after a displacement d (6,) in base axes: a point moves by d[:3], all turns by d[3:] about it."""
    arm, turn = X[:3, :3] @ point, Rotation.from_rotvec(d[3:]).as_matrix()
    found = X.copy()
    found[:3, :3], found[:3, 3] = turn @ X[:3, :3], X[:3, 3] + d[:3] + arm - turn @ arm
    return found


def assert_close(found, expected, within, what=""):
    """Compare arrays to a part `within` of the largest expected magnitude; both, and what they are of, are printed."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=within * np.abs(expected).max(), err_msg=str(what))
