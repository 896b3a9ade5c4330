"""Poses of a machine file, and the home of a machine that names none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.description.schema import MachineFile, Pose
from gough.description.units import Units
from gough.legs import Legs
from gough.legs.leg import unit_rows
from gough.machine import Machine
from gough.poses import pose_matrix

Array = NDArray[np.float64]

IN_PLACE = 1e-3
"""Plates given further apart than this part of their size are taken to be where they stand at home."""

SINGULAR = 1e-9
"""A smallest singular value below this is zero to rounding, with joint points to nine digits."""
SINGULAR_AT_HOME = (
    "singular at home: det J = 0, the legs do not hold the platform in every direction there; choose another home pose "
    "or other joint points"
)


def pose_of(pose: Pose | None, units: Units) -> Array:
    """Pose matrix (4, 4) in SI; the unit pose where the file gives none."""
    if pose is None:
        return np.eye(4)
    translation = np.array(pose.translation) * units.metres
    if not any(pose.angles):
        return pose_matrix(translation)  # most homes; SciPy's rotations take 0.3 s to import
    return pose_matrix(translation, np.array(pose.angles) * units.radians, pose.sequence)


def home_of(file: MachineFile, feet_B: Array, b_P: Array, wanted: Array) -> Array:
    """Home pose (4, 4): the file's, or else `default_home`."""
    return default_home(feet_B, b_P, wanted) if file.home is None else pose_of(file.home, file.units)


def default_home(feet_B: Array, b_P: Array, wanted: Array) -> Array:
    """Home of a machine that names none.

    Platform points given at another height than the base's, none of them at its foot, are already in place: home is
    the unit pose. Otherwise the platform stands straight above the base, where the legs have the `wanted` lengths (6,)
    in the mean square [m], or, where those are NaN or too short, as high as the feet's mean distance from the z axis.
    """
    size = max(np.ptp(feet_B, axis=0).max(), np.ptp(b_P, axis=0).max())
    X = np.eye(4)
    shortest = np.linalg.norm(b_P - feet_B, axis=1).min()
    if abs(b_P[:, 2].mean() - feet_B[:, 2].mean()) > IN_PLACE * size and shortest > IN_PLACE * size:
        return X
    across = np.linalg.norm((b_P - feet_B)[:, :2], axis=1)
    squared = np.mean(wanted**2 - across**2)
    X[2, 3] = np.sqrt(squared) if squared > 0 else np.linalg.norm(feet_B[:, :2], axis=1).mean()
    return X


def rod_directions(legs: Legs, X: Array, q: Array) -> Array:
    """Unit vectors u_B (6, 3) from the driven points to the platform joints, at pose X and joint coordinates q."""
    return unit_rows(legs.b_P @ X[:3, :3].T + X[:3, 3] - legs.driven_points(q))


def home_side(machine: Machine) -> float:
    """Sign of the determinant of the rod directions' Jacobian at home: +1 or -1; 0 where home is singular, to which no
    pose is on the same side or on the other."""
    X = machine.X_home
    u = rod_directions(machine.legs, X, machine.legs.joints_at(machine.b_home))
    rho = (machine.b_P - machine.platform_centre) @ X[:3, :3].T / machine.characteristic_length
    rows = np.concatenate([u, np.cross(rho, u)], axis=1)
    if not np.isfinite(rows).all():
        return 1.0
    if np.linalg.svd(rows, compute_uv=False)[-1] <= SINGULAR:
        return 0.0
    return -1.0 if np.linalg.det(rows) < 0.0 else 1.0
