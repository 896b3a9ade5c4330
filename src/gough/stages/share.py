"""A fixed share: both stages go parts of one screw motion."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.poses import common_shape, inverse_matrices
from gough.stacked import StackedMachine


def shared(machine: StackedMachine, X: Array, share: Array) -> Array:
    """Poses of both platforms (..., 2, 4, 4) where the lower stage goes a share (...) of the displacement from home.

    X_BI = exp(share log D) X_BI,home with D = X_BP X_BP,home^-1, on the group of rigid motions; what is left for the
    upper stage is the rest of the same screw, as seen from its base.
    """
    from scipy.spatial.transform import RigidTransform

    start, shape = machine.lower.X_home, common_shape("poses and share", X.shape[:-2], share.shape)
    D = np.broadcast_to(X @ inverse_matrices(machine.X_home[1]), (*shape, 4, 4)).reshape(-1, 4, 4)
    part = np.full((len(D), 4, 4), np.nan)
    is_known = np.isfinite(D).all(axis=(-1, -2))
    screw = RigidTransform.from_matrix(D[is_known]).as_exp_coords()
    shares = np.broadcast_to(share, shape).reshape(-1)[is_known]
    part[is_known] = RigidTransform.from_exp_coords(shares[:, None] * screw).as_matrix()
    X_BI = part.reshape(*shape, 4, 4) @ start
    return np.stack([X_BI, np.broadcast_to(X, X_BI.shape)], axis=-3)
