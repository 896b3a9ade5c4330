"""Geometry of the legs in a machine file: joint points, directions and cranks, in SI, with their own checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from gough.arrays import Array
from gough.description.problems import Problems
from gough.description.schema import Joints, MachineFile
from gough.description.units import Units
from gough.legs import Legs

SAME_POINT = 1e-9
"""Points closer than this part of the plate's size count as one."""
PAIRS = (270.0, 30.0, 150.0)
"""Directions of the pairs of a pitch circle [deg]."""
SMALLEST, LARGEST = 1e-9, 1e9
"""Smallest size of the larger plate, and largest coordinate of a joint [m]."""
NO_LENGTH = 1e-12
"""Vectors shorter than this, in any unit, have no direction."""


def joint_points(joints: Joints, where: str, units: Units, problems: Problems, may_coincide: bool) -> Array | None:
    """Six joint points (6, 3) [m] of the plate with the key `where`; None after adding to `problems`.

    `may_coincide` allows one point for several legs (cranks about a common axis).
    """
    if (joints.points is None) == (joints.pitch_circle is None):
        problems.add(where, "give either `points` or a `pitch_circle`, one of the two")
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
    """Hinges at 270, 30 and 150 deg, each minus and plus half the pair angle, (6, 3) [m].

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
                "give a shared joint once and say with `of_leg` which legs end on it",
            )


def unit_directions(vectors: Sequence[Sequence[float]] | None, where: str, problems: Problems) -> Array | None:
    """Six unit vectors (6, 3) along `vectors`; None where the file gives none or one has length zero."""
    if vectors is None:
        return None
    given = np.array(vectors, dtype=float)
    lengths = np.linalg.norm(given, axis=1)
    short = np.flatnonzero(lengths <= NO_LENGTH)
    problems.add_legs(where, dict.fromkeys(short.tolist(), "a direction of length zero, expected its components"))
    return None if len(short) else given / lengths[:, None]


def crank_of(file: MachineFile, kind: type[Legs], problems: Problems) -> dict[str, Array]:
    """Arms and axes (6, 3) of `legs.crank`, in SI; empty where the file gives none or it is wrong.

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
        return "is instead of `axis` and `arm`: give it or both of them"
    if (crank.heading is None) == (crank.headings is None):
        return "give `heading`, from the outward direction of each pair, or `headings`, from the x axis; one of the two"
    if crank.heading is not None and file.base.pitch_circle is None:
        return "`heading` counts from the pairs of a `base.pitch_circle`; for points give six `headings`, from x"
    return ""
