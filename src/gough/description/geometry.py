"""Joint points, directions, cranks and the home pose of a machine file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from gough.arrays import Array
from gough.description.problems import Problems
from gough.description.schema import Joints, MachineFile, Pose
from gough.description.units import Units
from gough.legs import Legs
from gough.legs.leg import unit_rows
from gough.machine import Machine
from gough.poses import euler_angles, pose_matrix

SAME_POINT = 1e-9
"""Points closer than this part of the plate's size count as one."""
PAIRS = (270.0, 30.0, 150.0)
"""Directions of the pairs of a pitch circle [deg]."""
SMALLEST, LARGEST = 1e-9, 1e9
"""Smallest size of the larger plate, and largest coordinate of a joint [m]."""
NO_LENGTH = 1e-12
"""Vectors shorter than this, in any unit, have no direction."""


def joint_points(joints: Joints, where: str, units: Units, problems: Problems, may_coincide: bool) -> Array | None:
    """Return six joint points (6, 3) [m] of the plate with the key `where`; None after adding to `problems`.

    `may_coincide` allows one point for several legs (cranks about a common axis).
    """
    if (joints.points is None) == (joints.pitch_circle is None):
        problems.add(where, "specify either `points` or a `pitch_circle`")
        return None
    if joints.pitch_circle is not None:
        if joints.of_leg is not None:
            problems.add(f"{where}.of_leg", "belongs to `points`; a `pitch_circle` has one joint for each leg")
        circle, m, rad = joints.pitch_circle, units.metres, units.radians
        pair_angle, rotation = circle.pair_angle * rad, circle.rotation * rad
        turns = {"pair_angle": [circle.pair_angle], "rotation": [circle.rotation]}
        _check_turns(turns, f"{where}.pitch_circle", units, problems)
        points = pitch_circle_points(circle.radius * m, pair_angle, circle.height * m, rotation)
        return points if _is_near(points, where, units, problems) else None
    points = np.array(joints.points, dtype=float).reshape(-1, 3) * units.metres
    before = len(problems)  # all checks of the points run before giving up
    _check_count(len(points), joints.of_leg, where, problems)
    if _is_near(points, where, units, problems) and not may_coincide:
        _check_distinct(points[:6], where, units, problems)
    if len(problems) > before:
        return None
    return points if joints.of_leg is None else points[np.array(joints.of_leg) - 1]


def check_size(points_B: Array, b_P: Array, units: Units, problems: Problems) -> None:
    """Reject a machine so small that a number or a unit must be wrong."""
    size = max(np.ptp(points_B, axis=0).max(), np.ptp(b_P, axis=0).max())
    if size < SMALLEST:
        problems.add(
            "units.length",
            f"with {units.length!r} the larger plate spans {size:.3g} m, expected at least {SMALLEST:g} m",
        )


def _is_near(points: Array, where: str, units: Units, problems: Problems) -> bool:
    farthest = np.abs(points).max(initial=0.0)
    if farthest > LARGEST:
        problems.add(
            where,
            f"with {units.length!r} a joint lies {farthest:.3g} m from the origin, expected at most {LARGEST:g} m",
        )
    return bool(farthest <= LARGEST)


def _check_turns(angles: Mapping[str, Sequence[float]], where: str, units: Units, problems: Problems) -> None:
    """Reject angles of more than a turn: their unit must be another one."""
    turn = 2.0 * np.pi / units.radians
    for key, given in angles.items():
        far = [angle for angle in given if abs(angle) > turn]
        if far:
            problems.add(f"{where}.{key}", f"{far[0]:g} {units.angle} is more than a turn, {turn:.6g} {units.angle}")


def pitch_circle_points(radius: float, pair_angle: float, height: float, rotation: float = 0.0) -> Array:
    """Return hinges at 270, 30 and 150 deg, each minus and plus half the pair angle, (6, 3) [m].

    The parameters are those of JPE, Precision Point, "HexaPod: Kinematics" (geometry), with a `rotation` of all hinges
    about z. Angles in rad.
    """
    half = pair_angle / 2
    middle = np.deg2rad(np.repeat(PAIRS, 2)) + rotation
    theta = middle + np.array([-half, half] * 3)
    return np.stack([radius * np.cos(theta), radius * np.sin(theta), np.full(6, height)], axis=-1)


def _check_count(count: int, of_leg: Sequence[int] | None, where: str, problems: Problems) -> None:
    if count > 6 or of_leg is None:
        if count == 6:
            return
        what = f"leg {count + 1} has none" if count < 6 else "there is no leg 7"
        problems.add(
            f"{where}.points",
            f"{count} point{'s' if count != 1 else ''}, expected 6 ({what}); "
            "legs that share a joint are named with `of_leg`",
        )
        return
    for leg, point in enumerate(of_leg, start=1):
        if point > count:
            problems.add(f"{where}.of_leg", f"leg {leg} ends on point {point}, but there are only {count}")
    for point in sorted(set(range(1, count + 1)) - set(of_leg)):
        problems.add(f"{where}.of_leg", f"no leg ends on point {point}")


def _check_distinct(points: Array, where: str, units: Units, problems: Problems) -> None:
    size = np.ptp(points, axis=0).max() if len(points) else 0.0
    for i, j in combinations(range(len(points)), 2):
        if np.linalg.norm(points[i] - points[j]) <= SAME_POINT * size:
            place = ", ".join(f"{x / units.metres:g}" for x in points[i])
            problems.add(
                f"{where}.points",
                f"points {i + 1} and {j + 1} are the same, ({place}) {units.length}; "
                "list a shared joint once and assign its legs with `of_leg`",
            )


def unit_directions(vectors: Sequence[Sequence[float]] | None, where: str, problems: Problems) -> Array | None:
    """Return six unit vectors (6, 3) along `vectors`; None where the file gives none or one has length zero."""
    if vectors is None:
        return None
    given = np.array(vectors, dtype=float)
    lengths = np.linalg.norm(given, axis=1)
    short = np.flatnonzero(lengths <= NO_LENGTH)
    problems.add_legs(where, dict.fromkeys(short.tolist(), "a direction of length zero, expected its components"))
    return None if len(short) else given / lengths[:, None]


def crank_of(file: MachineFile, kind: type[Legs], problems: Problems) -> dict[str, Array]:
    """Return arms and axes (6, 3) of `legs.crank`, in SI; empty where the file gives none or it is wrong.

    At zero an arm is horizontal; its axis is arm x z, so that positive angles lift it.
    """
    crank, circle = file.legs.crank, file.base.pitch_circle
    if crank is None:
        return {}
    wrong = _crank_error(file, kind)
    if wrong:
        problems.add("legs.crank", wrong)
        return {}
    turns = {"headings": crank.headings or (), "heading": () if crank.heading is None else (crank.heading,)}
    _check_turns(turns, "legs.crank", file.units, problems)
    if crank.headings is not None:
        angle = np.array(crank.headings) * file.units.radians
    else:
        assert circle is not None
        assert crank.heading is not None
        # Counted from the pairs' outward directions, mirrored within each pair.
        mirrored = np.tile([-1.0, 1.0], 3) * crank.heading
        angle = np.radians(np.repeat(PAIRS, 2)) + (circle.rotation + mirrored) * file.units.radians
    along = np.stack([np.cos(angle), np.sin(angle), np.zeros(6)], axis=1)
    length = np.array(crank.length)[:, None] * file.units.metres
    return {"arm": length * along, "axis": np.cross(along, [0.0, 0.0, 1.0])}


def _crank_error(file: MachineFile, kind: type[Legs]) -> str:
    crank = file.legs.crank
    assert crank is not None
    if "arm" not in kind.needs:
        return f"{kind.kind} legs have no crank"
    if file.legs.arm is not None or file.legs.axis is not None:
        return "replaces `axis` and `arm`: specify either the former or both of the latter"
    if (crank.heading is None) == (crank.headings is None):
        return "specify either `heading`, from the outward direction of each pair, or `headings`, from the x axis"
    if crank.heading is not None and file.base.pitch_circle is None:
        return "`heading` counts from the pairs of a `base.pitch_circle`; for points specify six `headings`, from x"
    return ""


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
    """Return the pose matrix (4, 4) in SI; the unit pose where the file gives none."""
    if pose is None:
        return np.eye(4)
    return pose_matrix(np.array(pose.translation) * units.metres, np.array(pose.angles) * units.radians, pose.sequence)


def pose_table(X: Array, units: Units) -> dict[str, Any]:
    """Return the table of a pose X (4, 4): the inverse of `pose_of`, with a sequence of axes far from its gimbal
    lock."""
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
        """Test whether the machine's legs reach from joint to joint as given, at distances `lengths` (6,) [m]."""
        if self.is_strut:
            return bool(((lengths >= self.low) & (lengths <= self.high)).all())
        return not self.has_rods or self.closes(np.eye(4))


def home_of(file: MachineFile, feet_B: Array, b_P: Array, reach: Reach, problems: Problems) -> Array:
    """Return the home pose (4, 4): the file's, or else `default_home`."""
    if file.home is not None:
        return pose_of(file.home, file.units)
    X, complaint = default_home(feet_B, b_P, reach, file.units)
    if complaint:
        problems.add("home", f"is missing, and {complaint}")
    return X


def default_home(feet_B: Array, b_P: Array, reach: Reach, units: Units) -> tuple[Array, str]:
    """Return the default home pose, and a sentence if it is not determined, else "".

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
        f"the height is ambiguous: the platform points are {abs(height) / units.metres:.6g} {units.length} {side} "
        "the base points, either at home or as each plate is drawn; write [home] with translation = [0, 0, 0] "
        "in the first case, with the platform's height above the base, translation = [0, 0, Z], in the second, or "
        "specify limits.joint_min and joint_max"
    )


def rod_directions(legs: Legs, X: Array, q: Array) -> Array:
    """Return the unit vectors u_B (6, 3) from the driven points to the platform joints, at pose X and joint coordinates
    q."""
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
