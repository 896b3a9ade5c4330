"""Residuals as lengths of the legs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.arrays import Array
from gough.calibration.problem import Rows


def rms(values: Array) -> float:
    """Root mean square of what is known of an array; NaN where nothing is."""
    known = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else np.nan


def rms_of(rows: Sequence[Rows], legs: Array, size: float) -> float:
    """Root mean square of residuals of legs (n, 6) [m]; of what was measured where no row has all of a pose, rotations
    as displacements at the characteristic length `size` [m]."""
    if np.isfinite(legs).any():
        return rms(legs)
    parts = [
        (each.r * np.where(np.isin(each.kinds, ("rotations", "angles")), size, 1.0))[each.is_there] for each in rows
    ]
    return rms(np.concatenate(parts))


def leg_residuals(rows: Sequence[Rows], n: int) -> Array:
    """By how much rods are longer than modelled at the poses measured (n, 6) [m]; NaN where no pose was."""
    found = np.full((n, 6), np.nan)
    for each in rows:
        if each.by_other_joints is not None:
            continue
        enough = np.flatnonzero(each.is_there.sum(axis=1) >= 6)
        G = each.by_legs[enough]
        if not len(enough):
            continue
        U, s, Vt = np.linalg.svd(G, full_matrices=False)
        sound = s[:, -1] > 1e-6 * s[:, 0]
        along = np.einsum("kji,kj->ki", U[sound], each.r[enough[sound]]) / s[sound]
        found[each.at[enough[sound]]] = np.einsum("kji,kj->ki", Vt[sound], along)
    return found
