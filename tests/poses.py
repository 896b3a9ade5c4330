"""Poses and twists that every leg of a machine can follow."""

import numpy as np

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
