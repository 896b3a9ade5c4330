"""Poses as fields of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array, Bools
from gough.cli.columns import ANGLES, POSITION, QUATERNION
from gough.cli.pose_input import Orientation
from gough.displacements import quaternions_of
from gough.frames.conventions import to_convention
from gough.machine import DisplayUnits
from gough.poses import euler_angles
from gough.present.answer import Field

TURNED = "platform in the base"


def pose_fields(
    X: Array,
    orientation: Orientation,
    units: DisplayUnits,
    *,
    key: str = "",
    title: str = "",
    is_csv: bool = True,
    is_json: bool = True,
) -> list[Field]:
    """Position and orientation of poses (..., 4, 4); NaN where a pose is NaN.

    The orientation is "angles" if a sequence or convention is given, otherwise "quaternion". `key` and `title` are put
    before those of the fields; those of CSV or JSON may be left out.
    """
    title = f"{title}{{}}"
    how: dict[str, Any] = {"title": title, "head": title, "is_csv": is_csv, "is_json": is_json}
    position = Field(f"{key}position", X[..., :3, 3], "m", POSITION, frame="base", **how)
    if orientation.is_given:
        return [position, Field(f"{key}angles", _angles(X, orientation), "rad", ANGLES, frame=TURNED, **how)]
    quaternions = np.where(_is_known(X)[..., None], quaternions_of(X[..., :3, :3]), np.nan)
    return [position, Field(f"{key}quaternion", quaternions, "1", QUATERNION, digits=6, frame=TURNED, **how)]


def _angles(X: Array, orientation: Orientation) -> Array:
    known = _is_known(X)
    angles = np.full((*X.shape[:-2], 3), np.nan)
    if orientation.convention is not None:
        angles[known] = to_convention(orientation.convention, X[known], degrees=False)[1]
    elif orientation.sequence is not None:
        angles[known] = euler_angles(X[known], orientation.sequence)
    return angles


def _is_known(X: Array) -> Bools:
    return np.asarray(np.isfinite(X).all(axis=(-1, -2)))
