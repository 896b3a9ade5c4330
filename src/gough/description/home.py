"""Poses of a machine file, and the default home pose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gough.arrays import Array
from gough.description.problems import Problems
from gough.description.schema import MachineFile, Pose
from gough.description.units import Units
from gough.legs import Legs
from gough.legs.leg import unit_rows
from gough.machine import Machine
from gough.poses import euler_angles, pose_matrix

IN_PLACE = 1e-3
"""Plates given further apart than this part of their size are taken to be given at home."""
UNCLEAR = 0.2
"""Plates closer than this part of their size, with unknown strokes, may be given at home, or in their own frames with
joints off the plane."""
SINGULAR = 1e-9
"""Largest smallest singular value that counts as zero, for joint points given to nine digits."""
SINGULAR_AT_HOME = (
    "singular at home: det J = 0, the legs do not hold the platform in every direction there; choose another home pose "
    "or other joint points"
)


def pose_of(pose: Pose | None, units: Units) -> Array:
    """Pose matrix (4, 4) in SI; the unit pose where the file gives none."""
    if pose is None:
        return np.eye(4)
    return pose_matrix(np.array(pose.translation) * units.metres, np.array(pose.angles) * units.radians, pose.sequence)


def pose_table(X: Array, units: Units) -> dict[str, Any]:
    """Table of a pose X (4, 4): the inverse of `pose_of`, with a sequence of axes far from its gimbal lock."""
    sequence = "XYZ" if abs(X[0, 2]) < 0.9 else "ZXZ"
    translation, angles = X[:3, 3] / units.metres, euler_angles(X, sequence) / units.radians
    # Adding zero turns -0 into 0.
    return {"translation": (translation + 0.0).tolist(), "angles": (angles + 0.0).tolist(), "sequence": sequence}


class Reach(NamedTuple):
    """Strokes `low` to `high` [m or rad] and rod lengths [m] known before home is; infinite or NaN where unknown.

    `is_strut` says that strokes are lengths; `closes(X)` whether sliders and cranks reach X within their travel.
    """

    is_strut: bool
    low: Array
    high: Array
    rods: Array
    closes: Callable[[Array], bool]

    @property
    def has_rods(self) -> bool:
        """Whether the legs are rods of known length."""
        return bool(np.isfinite(self.rods).all())

    @property
    def is_known(self) -> bool:
        """Whether strokes determine the reachable poses: those of struts, or of drives with known rods."""
        has_ends = bool(np.isfinite(self.low).all() and np.isfinite(self.high).all())
        return has_ends and (self.is_strut or self.has_rods)

    def reaches(self, lengths: Array) -> bool:
        """Whether the machine's legs reach from joint to joint as given, at distances `lengths` (6,) [m]."""
        if self.is_strut:
            return bool(((lengths >= self.low) & (lengths <= self.high)).all())
        return not self.has_rods or self.closes(np.eye(4))


def home_of(file: MachineFile, feet_B: Array, b_P: Array, reach: Reach, problems: Problems) -> Array:
    """Home pose (4, 4): the file's, or else `default_home`."""
    if file.home is not None:
        return pose_of(file.home, file.units)
    X, complaint = default_home(feet_B, b_P, reach, file.units)
    if complaint:
        problems.add("home", f"is missing, and {complaint}")
    return X


def default_home(feet_B: Array, b_P: Array, reach: Reach, units: Units) -> tuple[Array, str]:
    """Default home pose, and a sentence if it is not determined, else "".

    Platform points at another height than the base's, none of them at its foot and all within reach of the legs, are
    taken as given at home: home is the unit pose. Otherwise the platform is straight above the base, where struts are
    in mid-stroke and rods fit in the mean square or, if neither is known, as high as the feet's mean distance from the
    z axis.
    """
    d = b_P - feet_B
    size, height = max(np.ptp(feet_B, axis=0).max(), np.ptp(b_P, axis=0).max()), float(d[:, 2].mean())
    lengths = np.linalg.norm(d, axis=1)
    X = np.eye(4)
    if min(abs(height), lengths.min()) > IN_PLACE * size and reach.reaches(lengths):
        return X, "" if reach.is_known or abs(height) > UNCLEAR * size else _either(height, units)
    across = np.linalg.norm(d[:, :2], axis=1)
    if reach.is_strut and reach.is_known:
        X[2, 3], complaint = _in_stroke(across, d[:, 2], reach, units)
        return X, complaint
    squared = float(np.mean(reach.rods**2 - across**2)) if reach.has_rods else -1.0
    X[2, 3] = np.sqrt(squared) - height if squared > 0 else np.linalg.norm(feet_B[:, :2], axis=1).mean()
    return X, ""


def _in_stroke(across: Array, rise: Array, reach: Reach, units: Units) -> tuple[float, str]:
    """Height [m] straight above the base: mid-stroke in the mean square, or the middle of the heights within strokes.

    `across` and `rise` (6,) are the legs' horizontal and vertical extents at height 0 [m].
    """
    with np.errstate(invalid="ignore"):
        lowest = float(np.max(np.sqrt(np.maximum(reach.low**2 - across**2, 0.0)) - rise))
        highest = float(np.min(np.sqrt(reach.high**2 - across**2) - rise))
    middle = (reach.low + reach.high) / 2
    # mean of across^2 + (height + rise)^2 = mean of middle^2, solved for the height
    squared = float(np.mean(middle**2 - across**2) - np.var(rise))
    height = np.sqrt(max(squared, 0.0)) - float(rise.mean())
    if lowest <= height <= highest:
        return height, ""
    if lowest <= highest:
        return (lowest + highest) / 2, ""
    lengths = np.hypot(across, height + rise)
    off = np.maximum(reach.low - lengths, lengths - reach.high)
    i, mm = int(np.argmax(off)), units.metres
    return height, (
        f"straight above the base no height has all legs within their strokes: at {height / mm:.6g} {units.length} leg "
        f"{i + 1} has {lengths[i] / mm:.6g} {units.length}, allowed {reach.low[i] / mm:.6g} to "
        f"{reach.high[i] / mm:.6g}; write [home] with translation = [x, y, z], and angles where the platform is turned"
    )


def _either(height: float, units: Units) -> str:
    """Error for plates at slightly different heights, which leave home undetermined."""
    side = "above" if height > 0 else "below"
    return (
        f"the joint points leave it open: the platform's are {abs(height) / units.metres:.6g} {units.length} {side} "
        "the base's, which may be as they are or as each plate is drawn; write [home] with translation = [0, 0, 0] "
        "in the first case, with the platform's height above the base, translation = [0, 0, Z], in the second, or "
        "give limits.joint_min and joint_max"
    )


def rod_directions(legs: Legs, X: Array, q: Array) -> Array:
    """Unit vectors u_B (6, 3) from the driven points to the platform joints, at pose X and joint coordinates q."""
    return unit_rows(legs.b_P @ X[:3, :3].T + X[:3, 3] - legs.driven_points(q))


def home_side(machine: Machine) -> float:
    """Sign of the determinant of the rows [u, R b x u] at home: +1 or -1; 0 where home is singular, which then defines
    no side."""
    X = machine.X_home
    u = rod_directions(machine.legs, X, machine.legs.joints_at(machine.b_home))
    rho = (machine.b_P - machine.platform_centre) @ X[:3, :3].T / machine.characteristic_length
    rows = np.concatenate([u, np.cross(rho, u)], axis=1)
    if not np.isfinite(rows).all():
        return 1.0
    if np.linalg.svd(rows, compute_uv=False)[-1] <= SINGULAR:
        return 0.0
    return -1.0 if np.linalg.det(rows) < 0.0 else 1.0
