"""Motions of the base or the platform as one body, as errors of the legs: where a part is, not how it was made."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.calibration.legs import LegErrors, across
from gough.displacements import displaced, rotation_vectors
from gough.legs import RUS

PARTS = {"base_points": "device", "platform_points": "target"}
"""Frames with which the parts may be moved, by the groups of their points."""
TURNED, SHIFTED = 0.3, 0.5
"""Rotation [rad] and shift [machine sizes] up to which a frame is about that of the drawing."""
_STEP = 1e-5
"""Displacement for difference quotients, in machine sizes and rad: errors of 1e-10."""


def placed(legs: LegErrors, name: str, T: Array) -> Array:
    """Return errors (6, errors) of a part moved by T (4, 4), in its own axes: the part by the name of its points.

    The machine with these errors is the drawing with the part moved, where all groups of the part are estimated.
    """
    found, kind = np.zeros((6, legs.count)), legs.machine.legs
    R, t = T[:3, :3], T[:3, 3]
    if name == "platform_points":
        found[:, legs.places[name]] = legs.machine.b_P @ R.T + t - legs.machine.b_P
        return found
    driven = kind.driven_points(legs.middle)
    centres = kind.c_B if isinstance(kind, RUS) else driven
    moved = centres @ R.T + t - centres
    for group, axes in (("guides", getattr(kind, "g_B", None)), ("axes", getattr(kind, "n_B", None))):
        if group in legs.places and axes is not None:
            turned = axes @ R.T
            tilts = np.einsum("ijk,ij->ik", across(axes), turned) / np.sum(axes * turned, axis=1, keepdims=True)
            found[:, legs.places[group]] = tilts
    if isinstance(kind, RUS) and "joint_zeros" in legs.places:
        # The crank's circle: its radius is that of an arm as long as the part of it across the axis needs, its angle
        # at zero an error of the zero, and what the arm has along the axis is added to the centre.
        n, r = (kind.n_B @ R.T if "axes" in legs.places else kind.n_B), driven - centres
        arm = r @ R.T
        flat, across_n = (v - n * np.sum(n * v, axis=1, keepdims=True) for v in (r, arm))
        longer = np.linalg.norm(across_n, axis=1) / np.linalg.norm(flat, axis=1) if "arms" in legs.places else 1.0
        moved = moved + n * np.sum(n * (arm - np.reshape(longer, (-1, 1)) * r), axis=1, keepdims=True)
        angle = np.arctan2(np.sum(n * np.cross(flat, across_n), axis=1), np.sum(flat * across_n, axis=1))
        found[:, legs.places["joint_zeros"].start] = angle
        if "arms" in legs.places:
            found[:, legs.places["arms"].start] = (longer - 1.0) * np.linalg.norm(r, axis=1)
    found[:, legs.places[name]] = moved
    return found


def twists(legs: LegErrors, name: str, T: Array | None = None) -> Array:
    """Return errors (6, 6 errors) by unit twists of a part moved by T already."""
    step = _STEP * np.array([legs.machine.size] * 3 + [1.0] * 3)
    ends = displaced(
        np.tile(np.eye(4) if T is None else T, (12, 1, 1)), np.concatenate([np.diag(step), -np.diag(step)])
    )
    up, down = np.split(np.array([placed(legs, name, end).ravel() for end in ends]), 2)
    return np.asarray((up - down) / (2.0 * step[:, None]))


def rigid_motions(legs: LegErrors, spread: Array, name: str, T: Array | None = None) -> Array:
    """Return motions (6, p) of a part moved by T already, orthonormal errors in spreads; none without errors of its
    points."""
    return orthonormal(twists(legs, name, T) / spread) if name in legs.places else np.zeros((0, len(spread)))


def without_rigid_motions(legs: LegErrors, spread: Array, x: Array) -> Array:
    """Return errors x (p,) in their spreads without the motions of base and platform as rigid bodies."""
    for name in PARTS:
        basis = rigid_motions(legs, spread, name)
        x = x - basis.T @ (basis @ x)
    return x


def is_far(T: Array, size: float) -> bool:
    """Test whether a frame T (4, 4) is not about the unit frame, for a machine of this size [m]."""
    return bool(np.linalg.norm(rotation_vectors(T[:3, :3])) > TURNED or np.linalg.norm(T[:3, 3]) > SHIFTED * size)


def orthonormal(rows: Array) -> Array:
    """Return orthonormal rows with the span of `rows`."""
    _, s, Vt = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(Vt[s > 1e-6 * max(s.max(initial=0.0), 1e-300)]) if len(rows) else rows
