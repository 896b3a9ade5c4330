"""Random machines near their flat configuration, where a path may cross the singular surface twice close by.

`python -m tests.crossings [PATHS]` (10,000 without a number) draws machines of all kinds of legs and directions, and
scans each travel at thousands of poses, densest where a limit is close: no allowed path may contain a pose beyond the
first limit, and none may end where nothing is violated just beyond. The scan takes its margins from the second reader
(`tests.independent`), which shares nothing with Gough.
"""

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation
from tests.independent import drawn
from tests.independent.machine_file import from_document, read
from tests.independent.margins import worst
from tests.skew import SKEW

import gough

SCAN, DIPS, INSIDE = 2000, 6, 100
"""Poses of one path, and in each of its lowest dips: two crossings closer than a 100,000th of it are not seen."""
JUST_BEFORE = 1e-9
"""The end of a path, as a part of it, where rounding decides."""
JUST_BEYOND = 10.0 ** -np.arange(6, 11)
"""Places beyond the end, in machine sizes or radians: at one of them a limit is violated, unless the path has only
touched it. A travel is too short where at none it is."""
ROUNDING = 1e-9
"""Relative margins below minus this are violated: more than rounding of either program."""


@dataclass
class Study:
    """Numbers of travels by what a scan has found: `too_long` ones pass a limit, `too_short` ones end where nothing is
    violated just beyond."""

    paths: int = 0
    singular: int = 0
    too_long: int = 0
    too_short: int = 0
    wrong: Counter = field(default_factory=Counter)
    """Wrong ones by machine and kind of path."""

    def __str__(self):
        return (
            f"{self.paths} travels, {self.singular} end at a singularity, {self.too_long} too long, "
            f"{self.too_short} short {dict(self.wrong) or ''}"
        )


def flat_points(rng):
    """Feet (6, 3), joints (6, 3) and home (3,) of a platform of half the base's size, flat and low over it, whose
    joints have come off their circles a little."""
    turn = np.deg2rad(np.array([90, 100, 210, 220, 330, 340]) + rng.uniform(-12, 12, 6))
    above = np.deg2rad(np.array([35, 145, 155, 265, 275, 25]) + rng.uniform(-12, 12, 6))
    ring = lambda r, angle: np.column_stack([r * np.cos(angle), r * np.sin(angle), rng.uniform(-0.02, 0.02, 6)])  # noqa: E731
    a, b = ring(rng.uniform(0.45, 0.5, 6), turn), ring(rng.uniform(0.2, 0.28, 6), above)
    return a, b, np.array([*rng.uniform(-0.02, 0.02, 2), rng.uniform(0.15, 0.3)])


def flat_machine(rng):
    """Such a machine on struts."""
    a, b, above = flat_points(rng)
    length = np.linalg.norm(b + above - a, axis=1)
    return gough.from_points(a, b, home=gough.pose(above), joint_min=0.5 * length, joint_max=1.8 * length)


def flat(kind, seed):
    """The document of such a machine on struts, sliders or cranks, which stand at zero at home."""
    rng = np.random.default_rng([ord(kind[0]), seed])
    a, b, above = flat_points(rng)
    legs, limits = {"kind": kind}, {"travel_min": -0.4, "travel_max": 0.4}
    directions = rng.normal(size=(6, 3)) * 0.4 + [0, 0, 1]
    if kind == "PUS":
        legs["guide"] = directions.tolist()
    if kind == "RUS":
        arm = np.cross(rng.normal(size=(6, 3)), directions)
        arm *= rng.uniform(0.1, 0.2, (6, 1)) / np.linalg.norm(arm, axis=1, keepdims=True)
        legs |= {"axis": directions.tolist(), "arm": arm.tolist()}
        a, limits = a - arm, {"travel_min": -2.5, "travel_max": 2.5}
    if kind == "UPS":
        length = np.linalg.norm(b + above - a, axis=1)
        limits = {"joint_min": (0.5 * length).tolist(), "joint_max": (1.8 * length).tolist()}
    return {
        "name": f"flat-{kind.lower()}-{seed}",
        "base": {"points": a.tolist()},
        "platform": {"points": b.tolist()},
        "legs": legs,
        "home": {"translation": above.tolist()},
        "limits": limits,
    }


def machines():
    """Pairs of Gough's machine and the second reader's without end: flat ones, drawn ones, and the three skew ones."""
    for seed in count():
        for kind in ("UPS", "PUS", "RUS"):
            for doc in (flat(kind, seed), flat(kind, 10**6 + seed), drawn.machine(kind, seed)):
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "machine.toml"
                    path.write_text(drawn.as_toml(doc), "utf-8")
                    yield gough.load(path), from_document(doc)
        yield gough.load(SKEW[seed % 3]), read(SKEW[seed % 3])


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


def study(paths, of_each, seed, kinds=KINDS):
    """Scan travels of machines of all kinds, so many of each machine and kind of path, until there are so many."""
    found, rng = Study(), np.random.default_rng(seed)
    for m, same in machines():
        for kind in kinds:
            if found.paths >= paths:
                return found
            directions = directions_of(rng, "turning" if kind == "angles" else kind, of_each)
            directions[:, :3] *= m.size  # a screw turns as much on the way through a machine of any size
            scan(m, same, directions, found, kind)
    raise AssertionError("machines have no end")


def scan(m, same, directions, found, kind):
    """Scan travels of one machine from home."""
    is_euler = kind == "angles"
    t = gough.travel(m, directions, euler=is_euler)
    v, w = np.linalg.norm(directions[:, :3], axis=1), np.linalg.norm(directions[:, 3:], axis=1)
    unit = directions / np.where(v > 0, v, w)[:, None]
    for d, far, name in zip(unit, t.distance, np.atleast_1d(t.binding), strict=True):

        def least(s, d=d):
            R, p = poses_along(m, d, s, euler=is_euler)
            return worst(same, p, R)

        end = far if np.isfinite(far) else (10 * m.size if d[:3].any() else np.pi)
        s = np.linspace(0, end * (1 - JUST_BEFORE), SCAN)
        values = least(s)
        dips = np.flatnonzero((values[1:-1] <= values[:-2]) & (values[1:-1] <= values[2:])) + 1
        for k in dips[np.argsort(values[dips])[:DIPS]]:
            values = np.append(values, least(np.linspace(s[k - 1], s[k + 1], INSIDE)))
        is_long = bool(values.min() < -ROUNDING)
        is_ended = np.isfinite(far) and name != "not searched farther"
        is_short = bool(is_ended and (least(end + JUST_BEYOND * (m.size if d[:3].any() else 1.0)) > 0).all())
        found.paths += 1
        found.singular += bool(name == "singularity")
        found.too_long += is_long
        found.too_short += is_short
        if is_long or is_short:
            found.wrong[f"{same.name} {kind} {'long' if is_long else 'short'} {name}"] += 1
