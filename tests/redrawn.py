"""A machine with its base frame and its platform frame drawn elsewhere, and what becomes of poses and vectors."""

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

OF_THE_DRAWING = ("box", "radius", "rotation", "base_plate_angle", "platform_plate_angle")
"""Limits that are stated by axes and planes of the frames: without them both files state one machine."""


@dataclass(frozen=True)
class Frame:
    """Where a frame is drawn: a point at p has the place R p + s, in units of the file."""

    R: np.ndarray
    s: np.ndarray

    def points(self, p):
        return np.asarray(p) @ self.R.T + self.s

    def vectors(self, v):
        """Vectors (..., 3), or pairs of them (..., 6)."""
        v = np.asarray(v, dtype=float)
        return (v.reshape(*v.shape[:-1], -1, 3) @ self.R.T).reshape(v.shape)


def redrawn(document, base, platform, unit):
    """The document drawn in other frames; `unit` of angles [rad]."""
    new = deepcopy(document)
    for key in OF_THE_DRAWING:
        new["limits"].pop(key, None)
    new["gravity"] = base.vectors(document["gravity"]).tolist()
    new["base"]["points"] = base.points(document["base"]["points"]).tolist()
    for key in ("guide", "axis", "arm", "joint_axis"):
        if key in document["legs"]:
            new["legs"][key] = base.vectors(document["legs"][key]).tolist()
    new["limits"]["base_cone"]["axis"] = base.vectors(document["limits"]["base_cone"]["axis"]).tolist()
    new["limits"]["platform_cone"]["axis"] = platform.vectors(document["limits"]["platform_cone"]["axis"]).tolist()
    if "slider" in document["legs"].get("bodies", {}):  # parallel to the base
        _turn_body(new["legs"]["bodies"]["slider"], base)
    plate = new["platform"]
    plate["points"] = platform.points(plate["points"]).tolist()
    plate["mass_centre"] = platform.points(plate["mass_centre"]).tolist()
    _turn_inertia(plate["inertia"], platform)
    new["point_of_interest"] = platform.points(document["point_of_interest"]).tolist()
    X_BP = pose_of_table(document["home"], unit)
    new["home"] = table_of_pose(moved(X_BP, base, platform), document["home"]["sequence"], unit)
    new["tool"] = table_of_pose(
        _matrix(platform) @ pose_of_table(document["tool"], unit), document["tool"]["sequence"], unit
    )
    return new


def moved(X, base, platform):
    """Poses (..., 4, 4) of the platform's frame in the base's, as they are in the new frames."""
    return _matrix(base) @ X @ np.linalg.inv(_matrix(platform))


def _matrix(frame):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = frame.R, frame.s
    return X


def pose_of_table(table, unit):
    X = np.eye(4)
    X[:3, 3] = table["translation"]
    X[:3, :3] = Rotation.from_euler(table["sequence"], np.array(table["angles"]) * unit).as_matrix()
    return X


def table_of_pose(X, sequence, unit):
    angles = Rotation.from_matrix(X[:3, :3]).as_euler(sequence) / unit
    return {"translation": X[:3, 3].tolist(), "angles": angles.tolist(), "sequence": sequence}


def _turn_body(body, frame):
    body["mass_centre"] = frame.vectors(np.broadcast_to(body["mass_centre"], (6, 3))).tolist()
    _turn_inertia(body["inertia"], frame)


def _turn_inertia(inertia, frame):
    """Turn the inertia of a body, or of six."""
    xx, yy, zz, xy, xz, yz = (np.asarray(inertia.get(key, 0.0)) for key in ("xx", "yy", "zz", "xy", "xz", "yz"))
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    J = np.einsum("ij,jk...,lk->il...", frame.R, J, frame.R)
    for key, (i, j) in {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}.items():
        inertia[key] = J[i, j].tolist()
