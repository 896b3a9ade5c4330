"""Joint points of the two plates [m], and the checks that concern them alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from gough.arrays import Array
from gough.description.problems import Problems
from gough.description.schema import Joints, PitchCircle
from gough.description.units import Units

SAME_POINT = 1e-9
"""Points closer than this part of the plate's size are one point given twice."""

PAIRS = (270.0, 30.0, 150.0)
"""Where the pairs of a pitch circle are [deg]."""
SMALLEST, LARGEST = 1e-9, 1e9
"""Least size of the larger plate, and most that a joint can be from the origin [m]."""


def joint_points(joints: Joints, where: str, units: Units, problems: Problems, may_coincide: bool) -> Array | None:
    """Six joint points (6, 3) [m], or None with the reason noted.

    Parameters
    ----------
    joints : Joints
        What the file says of the plate.
    where : str
        The plate's key.
    units : Units
    problems : Problems
    may_coincide : bool
        Whether one point may serve all legs (cranks about a common axis).

    """
    if (joints.points is None) == (joints.pitch_circle is None):
        problems.add(where, "give either `points` or a `pitch_circle`, one of the two")
        return None
    if joints.pitch_circle is not None:
        if joints.of_leg is not None:
            problems.add(f"{where}.of_leg", "belongs to `points`; a `pitch_circle` has one joint for each leg")
        points = _on_circle(joints.pitch_circle, units)
        return points if _is_near(points, where, units, problems) else None
    points = np.array(joints.points, dtype=float).reshape(-1, 3) * units.metres
    before = len(problems)
    _check_count(len(points), joints.of_leg, where, problems)
    if _is_near(points, where, units, problems) and not may_coincide:
        _check_distinct(points, where, units, problems)
    if len(problems) > before:
        return None
    return points if joints.of_leg is None else points[np.array(joints.of_leg) - 1]


def check_size(points_B: Array, b_P: Array, units: Units, problems: Problems) -> None:
    """A machine smaller than any there is: a slip of the pen or of the unit."""
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


def pitch_circle_points(radius: float, pair_angle: float, height: float, rotation: float = 0.0) -> Array:
    """Hinges at 270, 30 and 150 deg, each minus and plus half the pair angle, (6, 3) [m].

    The parameters are those of JPE, Precision Point, "HexaPod: Kinematics" (geometry); all are then turned
    by `rotation` about z. Angles in rad.
    """
    half = pair_angle / 2
    middle = np.deg2rad(np.repeat(PAIRS, 2)) + rotation
    theta = middle + np.array([-half, half] * 3)
    return np.stack([radius * np.cos(theta), radius * np.sin(theta), np.full(6, height)], axis=-1)


def _on_circle(circle: PitchCircle, units: Units) -> Array:
    return pitch_circle_points(
        circle.radius * units.metres,
        circle.pair_angle * units.radians,
        circle.height * units.metres,
        circle.rotation * units.radians,
    )


def _check_count(count: int, of_leg: Sequence[int] | None, where: str, problems: Problems) -> None:
    if of_leg is None:
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
