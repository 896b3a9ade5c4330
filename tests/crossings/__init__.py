"""Random machines near their flat configuration, where a straight path may cross the singular surface twice close by.

`python -m tests.crossings [PATHS]` (10,000 without a number) draws machines and directions, and scans each travel at
thousands of poses: no allowed path may contain a pose beyond the first limit. The scan knows the determinant and the
legs' lengths from the joint points alone, by NumPy.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import gough

SCAN = 2000
"""Poses of one path: two crossings that are closer than a 2000th of the path are not seen by the scan."""
JUST_BEFORE = 1e-9
"""The end of a path, as a part of it, where rounding decides."""
JUST_BEYOND = 1e-7
"""As a part of the path beyond its end: there a limit is violated, unless the path has only touched it."""


@dataclass
class Study:
    """What a scan of travels has found."""

    paths: int = 0
    singular: int = 0
    """Travels that a singularity ends."""
    too_long: int = 0
    too_short: int = 0
    """Travels that end where nothing is violated just beyond."""


def flat_machine(rng):
    """A platform of half the base's size, flat and low over it, whose joints have come off their circles a little."""
    turn = np.deg2rad(np.array([90, 100, 210, 220, 330, 340]) + rng.uniform(-12, 12, 6))
    above = np.deg2rad(np.array([35, 145, 155, 265, 275, 25]) + rng.uniform(-12, 12, 6))
    ring = lambda r, angle: np.column_stack([r * np.cos(angle), r * np.sin(angle), rng.uniform(-0.02, 0.02, 6)])  # noqa: E731
    a, b = ring(rng.uniform(0.45, 0.5, 6), turn), ring(rng.uniform(0.2, 0.28, 6), above)
    above = np.array([*rng.uniform(-0.02, 0.02, 2), rng.uniform(0.15, 0.3)])
    length = np.linalg.norm(b + above - a, axis=1)
    return gough.from_points(a, b, home=gough.pose(above), joint_min=0.5 * length, joint_max=1.8 * length)


def poses_along(m, direction, s, *, euler):
    """Rotations (n, 3, 3) and positions (n, 3) at s (n,) along [v, w], by the definition of travel."""
    X, turns = m.X_home, s[:, None] * direction[3:]
    R = (Rotation.from_euler("XYZ", turns) if euler else Rotation.from_rotvec(turns)).as_matrix() @ X[:3, :3]
    point = X[:3, :3] @ m.point_of_interest + X[:3, 3] + s[:, None] * direction[:3]
    return R, point - R @ m.point_of_interest


def kept(m, R, t):
    """Whether poses (n,) keep the strokes, and have the sign of det [d_i, R b_i x d_i] at home; (n,) each."""
    r = m.b_P @ np.swapaxes(R, 1, 2)
    d = r + t[:, None] - m.legs.rest()
    det, length = np.linalg.det(np.concatenate([d, np.cross(r, d)], axis=-1)), np.linalg.norm(d, axis=-1)
    return ((length >= m.limits.joint_min) & (length <= m.limits.joint_max)).all(axis=1), det * det[0] > 0


def directions_of(rng, kind, count):
    """Directions [v, w] (count, 6): straight, about a fixed axis, or both together."""
    v, w = rng.normal(size=(2, count, 3))
    v[::4] = [0, 0, -1.0]
    v, w = (e / np.linalg.norm(e, axis=1, keepdims=True) for e in (v, w))
    none = np.zeros_like(v)
    return np.concatenate({"straight": [v, none], "turning": [none, w]}.get(kind, [v, 3.0 * w]), axis=1)


KINDS = ("straight", "turning", "screw", "angles")
"""Straight translations, rotations about a fixed axis, both at once, and straight lines of angles Rx Ry Rz."""


def study(machines, of_each, rng, kinds=KINDS, machine=flat_machine):
    """Scan travels of random machines, so many of each and of each kind of path."""
    found = Study()
    for _ in range(machines):
        m = machine(rng)
        for kind in kinds:
            scan(m, directions_of(rng, "turning" if kind == "angles" else kind, of_each), found, euler=kind == "angles")
    return found


def scan(m, directions, found, *, euler):
    """Scan travels of one machine from home."""
    t = gough.travel(m, directions, euler=euler)
    for d, far, name in zip(directions, t.distance, t.binding, strict=True):
        end = far if np.isfinite(far) else (10 * m.size if d[:3].any() else np.pi)
        s = np.append(np.linspace(0, end * (1 - JUST_BEFORE), SCAN), end * (1 + JUST_BEYOND))
        is_kept = np.all(kept(m, *poses_along(m, d, s, euler=euler)), axis=0)
        found.paths += 1
        found.singular += bool(name == "singularity")
        found.too_long += not is_kept[:-1].all()
        found.too_short += bool(np.isfinite(far) and is_kept[-1])
