"""The rank of the joints' rows beside the start: a singular start has more rows that imply one another than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gough.multibody._dense import motion_rows
from gough.multibody.redundancy import RANK, scaled

if TYPE_CHECKING:
    from gough.multibody.system import System

Array = NDArray[np.float64]

AWAY = 0.02
"""How far the solids are moved, part of the system's size, and in radians."""
MOST = 20
CLOSED = 1e-14
"""Rows within this count as closed, part of the system's size."""


def rank_nearby(system: System) -> int:
    """Rank of the rows where the system has moved a little, every joint closed; 0 where it cannot move so."""
    Z, _ = system.state()
    G = _rows(system, Z)[1]
    free = np.linalg.svd(scaled(G, system.size))[2][_rank(G, system.size) :]
    if not len(free):
        return 0
    # Some motion the start allows to first order, the same at every call.
    motion = np.random.default_rng(1).normal(size=len(free)) @ free
    Z = _moved(system, Z, AWAY * motion / np.abs(motion).max() * _units(system))
    for _ in range(MOST):
        phi, G = _rows(system, Z)
        if np.abs(phi).max() <= CLOSED * max(1.0, system.size):
            return _rank(G, system.size)
        Z = _moved(system, Z, -np.linalg.lstsq(G * _units(system), phi, rcond=RANK)[0] * _units(system))
    return 0


def _units(system: System) -> Array:
    """Metres or radians of each motion (6 n,) where lengths are counted in the system's size."""
    size = system.size
    return np.tile([size, size, size, 1.0, 1.0, 1.0], len(system.bodies))


def _rows(system: System, Z: Array) -> tuple[Array, Array]:
    """Phi (m,) and its derivatives by the motions (m, 6 n)."""
    phi, _, G, _ = motion_rows(Z, np.zeros_like(Z), system.tables)
    return phi, G


def _rank(G: Array, size: float) -> int:
    values = np.linalg.svd(scaled(G, size), compute_uv=False)
    return int((values > RANK * values[0]).sum())


def _moved(system: System, Z: Array, motion: Array) -> Array:
    """Z with mass centres shifted and solids turned about them by motion (6 n,)."""
    from scipy.spatial.transform import Rotation

    step = motion.reshape(-1, 6)
    moved = Z.copy()
    c = system.centres[:-1]
    centre = np.einsum("kij,kj->ki", Z[:-1, :, 1:], c) + Z[:-1, :, 0] + step[:, :3]
    moved[:-1, :, 1:] = Rotation.from_rotvec(step[:, 3:]).as_matrix() @ Z[:-1, :, 1:]
    moved[:-1, :, 0] = centre - np.einsum("kij,kj->ki", moved[:-1, :, 1:], c)
    return moved
