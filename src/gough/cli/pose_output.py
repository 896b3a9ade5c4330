"""Poses as the command line writes them: columns for CSV, keys for JSON."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.cli.pose_input import ANGLES, MATRIX, POSITION, QUATERNION, Orientation
from gough.frames.conventions import to_convention
from gough.machine import DisplayUnits
from gough.poses import euler_angles

Array = NDArray[np.float64]


def pose_values(
    X: Array, orientation: Orientation, units: DisplayUnits, *, as_matrix: bool = False
) -> dict[str, Array]:
    """Position and orientation of poses (..., 4, 4), in `units`; NaN where a pose is NaN.

    The orientation is "matrix" if asked for, "angles" if a sequence or convention is given, or "quaternion".
    """
    position = X[..., :3, 3] / units.metres
    if as_matrix:
        matrix = X.copy()
        matrix[..., :3, 3] = position
        return {"matrix": matrix}
    if orientation.is_given:
        return {"position": position, "angles": _angles(X, orientation) / units.radians}
    return {"position": position, "quaternion": _quaternions(X)}


def pose_columns(values: dict[str, Array], units: DisplayUnits) -> dict[str, Array]:
    """The same as CSV columns, named as they are read."""
    columns: dict[str, Array] = {}
    for key, array in values.items():
        names = {"position": POSITION, "angles": ANGLES, "quaternion": QUATERNION, "matrix": MATRIX}[key]
        flat = np.atleast_2d(array.reshape(*array.shape[:-2], 16) if key == "matrix" else array)
        for k, name in enumerate(names):
            columns[name + _unit(name, units)] = flat[:, k]
    return columns


def _unit(name: str, units: DisplayUnits) -> str:
    if name in POSITION or name in ("m03", "m13", "m23"):
        return f"_{units.length}"
    return f"_{units.angle}" if name in ANGLES else ""


def _angles(X: Array, orientation: Orientation) -> Array:
    known = np.isfinite(X).all(axis=(-1, -2))
    angles = np.full((*X.shape[:-2], 3), np.nan)
    if orientation.convention is not None:
        angles[known] = to_convention(orientation.convention, X[known], degrees=False)[1]
    elif orientation.sequence is not None:
        angles[known] = euler_angles(X[known], orientation.sequence)
    return angles


def _quaternions(X: Array) -> Array:
    from scipy.spatial.transform import Rotation

    known = np.isfinite(X).all(axis=(-1, -2))
    quaternions = np.full((*X.shape[:-2], 4), np.nan)
    quaternions[known] = Rotation.from_matrix(X[known][:, :3, :3]).as_quat(canonical=True)
    return quaternions
