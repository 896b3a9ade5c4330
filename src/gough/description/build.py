"""Checked values -> `Machine`: conversion to SI, defaults, and the checks that need more than one key."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.description.geometry import (
    SAME_POINT,
    Reach,
    check_size,
    crank_of,
    home_of,
    joint_points,
    pose_of,
    rod_directions,
    unit_directions,
)
from gough.description.limits import (
    check_limits,
    check_order,
    check_range,
    check_regions,
    counts_from_home,
    joint_ends,
    limits_of,
    regions_of,
)
from gough.description.parts import (
    actuators_of,
    calibration_of,
    encoders_of,
    head_of,
    leg_bodies,
    platform_body,
    tolerances_of,
)
from gough.description.problems import Problems, checked
from gough.description.schema import MachineFile
from gough.errors import MachineFileError
from gough.head import Head
from gough.legs import KINDS, MOVES_AS, Legs
from gough.machine import Machine
from gough.machine_parts import STANDARD_GRAVITY

SMALLEST_JOINT_ANGLE = np.radians(1.0)
"""Smallest angle at home between a leg and the first axis of its universal joint [rad]."""
TURNING_POINT_ERROR = 32 * float(np.finfo(float).eps)
"""Distances to a turning point below this part of the coordinates are rounding."""


def kind_of(file: MachineFile) -> type[Legs]:
    """Return the class of the legs; a UCU or SPS strut has the kinematics of a UPS strut, and so on."""
    return KINDS[MOVES_AS.get(file.legs.kind, file.legs.kind)]


def build(file: MachineFile) -> tuple[Machine | None, Problems]:
    """Return the machine a file describes, or None with all problems of the file."""
    # One run reports as many problems as it can: it returns early only where the next step needs values that are wrong.
    problems = Problems()
    kind = kind_of(file)
    given = _leg_parameters(file, kind, problems)
    check_order(file, kind, problems)
    if not counts_from_home(file.limits):
        check_range(*joint_ends(file, kind), file, kind, problems)
    check_limits(file.limits, file.units, problems)
    check_regions(file, problems)
    carrier = platform_body(file, problems)
    head = head_of(file, carrier, problems)
    known: dict[str, Any] = {
        "joint_axis": unit_directions(file.legs.joint_axis, "legs.joint_axis", problems),
        "platform": carrier if head is None else head.platform(),
        "head": head,
        "leg_bodies": leg_bodies(file, kind, problems),
        "actuators": actuators_of(file, kind, problems),
        "encoders": encoders_of(file, kind, problems),
        "tolerances": tolerances_of(file, kind),
        "calibration": calibration_of(file),
    }
    # Joint coordinates at home, default cones and travel from home follow from the legs assembled at home.
    legs, X_home = _assemble(file, kind, given, problems)
    if legs is None or problems:
        return None, problems
    q_home = legs.joints_at(legs.b_P @ X_home[:3, :3].T + X_home[:3, 3])
    if counts_from_home(file.limits):
        check_range(*joint_ends(file, kind, q_home), file, kind, problems)
    if known["joint_axis"] is not None:
        _check_joint_axes(known["joint_axis"], legs, q_home, X_home, problems)
    if problems:
        return None, problems
    known |= {"legs": legs, "X_home": X_home, "limits": limits_of(file, legs, X_home, q_home)}
    known |= _as_written(file, head)
    known["regions"] = regions_of(file, X_home, known["point_of_interest"])
    return Machine(**known), problems


def machine_of(file: MachineFile, where: str) -> Machine:
    """Return the machine of checked values; `MachineFileError` for what is wrong with them together."""
    machine, problems = build(file)
    if machine is None:
        raise MachineFileError(where, problems)
    return machine


def from_document(document: Mapping[str, Any], where: str) -> Machine:
    """Return the machine from the values of a machine file."""
    return machine_of(checked(document, where), where)


def _as_written(file: MachineFile, head: Head | None) -> dict[str, Any]:
    """Attributes that need no checks beyond those of single values."""
    units = file.units
    X_PT = pose_of(file.tool, units)
    tip = X_PT if head is None else head.tip()
    interest = file.point_of_interest
    return {
        "name": file.name,
        "leg_kind": file.legs.kind,
        "title": file.title,
        "source": file.source,
        "notes": flowing(file.notes),
        "X_PT": X_PT,
        "tool_side": None if file.tool is None else file.tool.side,
        "point_of_interest": tip[:3, 3].copy() if interest is None else np.array(interest) * units.metres,
        "gravity": np.array(STANDARD_GRAVITY if file.gravity is None else file.gravity),
        "published": file.published,
        "units": units.for_display,
    }


def flowing(text: str) -> str:
    """Return the text with one line for each paragraph: files break lines only to be read."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n") if part.strip())


def _leg_parameters(file: MachineFile, kind: type[Legs], problems: Problems) -> dict[str, Array]:
    """Parameters of the legs in SI, after checking that their kind has them."""
    given = crank_of(file, kind, problems)
    for key in ("guide", "axis", "arm", "rod_length", "branch"):
        value = getattr(file.legs, key)
        if value is None:
            if key in kind.needs and file.legs.crank is None:
                problems.add(f"legs.{key}", f"is missing; {kind.kind} legs need it")
        elif key not in kind.needs + kind.takes:
            problems.add(f"legs.{key}", f"{kind.kind} legs have no {key}")
        elif key in ("guide", "axis"):
            directions = unit_directions(value, f"legs.{key}", problems)
            if directions is not None:
                given[key] = directions
        else:
            given[key] = np.array(value, dtype=float) * (1.0 if key == "branch" else file.units.metres)
    return given


def _assemble(
    file: MachineFile, kind: type[Legs], given: dict[str, Array], problems: Problems
) -> tuple[Legs | None, Array]:
    """The legs between the joint points, and the home pose at which they close; None where a check fails."""
    points_B = joint_points(file.base, "base", file.units, problems, may_coincide=kind.feet_may_coincide)
    b_P = joint_points(file.platform, "platform", file.units, problems, may_coincide=False)
    X_home = np.eye(4)
    if points_B is None or b_P is None:
        return None, X_home
    check_size(points_B, b_P, file.units, problems)
    _check_twins(points_B, b_P, given, problems)
    if problems:
        return None, X_home
    feet = points_B + given["arm"] if "arm" in given else points_B
    X_home = home_of(file, feet, b_P, _reach(file, kind, points_B, b_P, given), problems)
    if problems:
        return None, X_home
    legs, complaints = kind.assemble(points_B, b_P, b_P @ X_home[:3, :3].T + X_home[:3, 3], given)
    problems.extend(complaints)
    if legs is not None:
        _check_turning_points(legs, X_home, problems)
    return legs, X_home


def _check_turning_points(legs: Legs, X_home: Array, problems: Problems) -> None:
    """Check that home is not at the turning point of a drive, where rounding decides whether the leg closes."""
    table, rods, b_home = legs.table(), legs.rod(), legs.b_P @ X_home[:3, :3].T + X_home[:3, 3]
    if rods is None:
        return
    for i in range(6):
        least = TURNING_POINT_ERROR * float(np.abs([*b_home[i], *legs.rest()[i], rods[i]]).max())
        if abs(legs.plain.reach(table, i, *b_home[i])) <= least:
            problems.add(
                "legs",
                f"leg {i + 1} is at the turning point of its drive at home, where rounding decides whether its "
                f"rod of {rods[i]:.6g} m is long enough; specify another home or another rod_length",
            )


def _reach(file: MachineFile, kind: type[Legs], points_B: Array, b_P: Array, given: dict[str, Array]) -> Reach:
    """Strokes and rod lengths that are known before home is; travel counted from home is not."""
    rods = given.get("rod_length", np.full(6, np.nan)) if "rod_length" in kind.takes else np.full(6, np.nan)
    low, high = joint_ends(file, kind)
    if counts_from_home(file.limits):
        low, high = np.full(6, -np.inf), np.full(6, np.inf)

    def closes(X: Array) -> bool:
        b_B = b_P @ X[:3, :3].T + X[:3, 3]
        legs, _ = kind.assemble(points_B, b_P, b_B, given)
        return legs is not None and bool(((legs.joints_at(b_B) >= low) & (legs.joints_at(b_B) <= high)).all())

    return Reach("rod_length" not in kind.takes, low, high, rods, closes)


def _check_joint_axes(joint_axis: Array, legs: Legs, q_home: Array, X_home: Array, problems: Problems) -> None:
    """Check that no leg points along the first axis of its universal joint at home, where the joint locks."""
    rods = rod_directions(legs, X_home, q_home)
    angle = np.arcsin(np.clip(np.linalg.norm(np.cross(legs.unturned(q_home, rods), joint_axis), axis=1), 0.0, 1.0))
    sentence = (
        "the leg points along it at home, {:.2f} deg off; the first axis of a universal joint is perpendicular to the "
        "leg, and fixed to the base, the slider or the crank"
    )
    along = np.flatnonzero(angle < SMALLEST_JOINT_ANGLE).tolist()
    problems.add_legs("legs.joint_axis", {i: sentence.format(np.degrees(angle[i])) for i in along})


def _check_twins(points_B: Array, b_P: Array, given: dict[str, Array], problems: Problems) -> None:
    """Check that no two legs have the same joints at both ends."""
    near = SAME_POINT * max(np.ptp(points_B, axis=0).max(), np.ptp(b_P, axis=0).max())
    for i, j in combinations(range(6), 2):
        apart = max(np.linalg.norm(points_B[i] - points_B[j]), np.linalg.norm(b_P[i] - b_P[j]))
        if apart <= near and all(np.array_equal(values[i], values[j]) for values in given.values()):
            problems.add("legs", f"legs {i + 1} and {j + 1} are the same: both their joints coincide")
