"""Limits and regions of a machine file."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.description.geometry import NO_LENGTH, rod_directions, unit_directions
from gough.description.parts import scaled
from gough.description.problems import Problems
from gough.description.schema import ConeModel, LimitsModel, MachineFile
from gough.description.schema_parts import RegionModel
from gough.description.units import Units
from gough.legs import Legs
from gough.legs.leg import unit_rows
from gough.machine import Cone, Limits, PlateAngle
from gough.machine_parts import NamedRegion, Shape
from gough.poses import pose_matrix

ANGLE_ERROR = 1e-12
"""Relative rounding error of 180 deg in another unit."""


def joint_ends(file: MachineFile, kind: type[Legs], q_home: Array | float = 0.0) -> tuple[Array, Array]:
    """Return the lowest and highest joint coordinate (6,) [m or rad], infinite where the file gives none.

    `q_home` are the joint coordinates at home [m or rad], from which `travel_min` and `travel_max` count.
    """
    limits, scale = file.limits, file.units.of_joint(kind.joint)[0]
    low, high = scaled(limits.joint_min, scale), scaled(limits.joint_max, scale)
    if low is None:
        low = np.full(6, -np.inf) if limits.travel_min is None else q_home + np.array(limits.travel_min) * scale
    if high is None:
        high = np.full(6, np.inf) if limits.travel_max is None else q_home + np.array(limits.travel_max) * scale
    return low, high


def counts_from_home(limits: LimitsModel) -> bool:
    """Test whether the joint travel is given relative to home."""
    return limits.travel_min is not None or limits.travel_max is not None


def check_order(file: MachineFile, kind: type[Legs], problems: Problems) -> None:
    """Check that lower ends of travel are below upper ones."""
    limits = file.limits
    plain = limits.joint_min is not None or limits.joint_max is not None
    if plain and counts_from_home(limits):
        problems.add("limits", "specify either `joint_min` and `joint_max`, or `travel_min` and `travel_max` from home")
        return
    scale, unit = file.units.of_joint(kind.joint)
    low, high = (end / scale for end in joint_ends(file, kind))
    wrong = np.flatnonzero(low >= high).tolist()
    sentence = "the minimum {:g} {} is not below the maximum {:g} {}"
    problems.add_legs(
        f"limits.{'joint' if plain else 'travel'}_min", {i: sentence.format(low[i], unit, high[i], unit) for i in wrong}
    )


def check_range(low: Array, high: Array, file: MachineFile, kind: type[Legs], problems: Problems) -> None:
    """Check that the ends of travel are within the range of this kind of joint."""
    scale, unit = file.units.of_joint(kind.joint)
    lowest, highest = kind.joint_range
    word = "travel" if counts_from_home(file.limits) else "joint"
    for side, values, too_low, too_high in (
        # A lower end may be the beginning of the range, an upper one its end, not the reverse.
        ("min", low, low < lowest * (1 + ANGLE_ERROR), low >= highest),
        ("max", high, high <= lowest, high > highest * (1 + ANGLE_ERROR)),
    ):
        shown = [f"{value / scale:g} {unit}" for value in values]
        begins = f"is below {lowest / scale:g} {unit}, where the range of {kind.kind} legs begins"
        ends = f"is above {highest / scale:g} {unit}, where the range of {kind.kind} legs ends"
        given = np.isfinite(values)
        below, above = np.flatnonzero(given & too_low).tolist(), np.flatnonzero(given & too_high).tolist()
        problems.add_legs(f"limits.{word}_{side}", {i: f"{shown[i]} {begins}" for i in below})
        problems.add_legs(f"limits.{word}_{side}", {i: f"{shown[i]} {ends}" for i in above})


def check_limits(limits: LimitsModel, units: Units, problems: Problems) -> None:
    """Check limits of the tool's box, cones and plate angles."""
    for axis in "xyz":
        low, high = getattr(limits.box, f"{axis}_min"), getattr(limits.box, f"{axis}_max")
        if low is not None and high is not None and low >= high:
            problems.add(
                f"limits.box.{axis}_min",
                f"the minimum {low:g} {units.length} is not below the maximum {high:g} {units.length}",
            )
    for name in ("base_cone", "platform_cone"):
        cone: ConeModel | None = getattr(limits, name)
        if cone is not None:
            _check_angle(f"{name}.half_angle", max(cone.half_angle), np.pi, "is not a cone", units, problems)
            unit_directions(cone.axis, f"limits.{name}.axis", problems)
    for name in ("base_plate_angle", "platform_plate_angle"):
        angle = getattr(limits, name)
        if angle is not None:
            _check_angle(name, max(angle), np.pi / 2, "leaves a leg no direction", units, problems)


def _check_angle(key: str, angle: float, below: float, wrong: str, units: Units, problems: Problems) -> None:
    if angle * units.radians >= below:
        most = f"{below / units.radians:g} {units.angle}"
        problems.add(f"limits.{key}", f"{angle:g} {units.angle} {wrong}, expected less than {most}")


def limits_of(file: MachineFile, legs: Legs, X_home: Array, q_home: Array) -> Limits:
    """Return the limits in SI, after the checks; cones and plates without a direction take the legs' directions at
    home.

    `q_home` (6,) are the joint coordinates at the home pose `X_home` [m or rad].
    """
    given, units = file.limits, file.units
    scale = units.of_joint(legs.joint)[0]
    effort = units.newtons if legs.joint == "length" else units.newton_metres
    u_B = rod_directions(legs, X_home, q_home)
    low, high = joint_ends(file, type(legs), q_home)
    return Limits(
        joint_min=low,
        joint_max=high,
        joint_speed=scaled(given.joint_speed, scale / units.seconds),
        joint_acceleration=scaled(given.joint_acceleration, scale / units.seconds**2),
        actuator_force=scaled(given.actuator_force, effort),
        base_cone=_cone(given.base_cone, legs.unturned(q_home, u_B), units),
        platform_cone=_cone(given.platform_cone, u_B @ X_home[:3, :3], units),
        base_plate=_plate(given.base_plate_angle, u_B, np.eye(3), units),
        platform_plate=_plate(given.platform_plate_angle, u_B, X_home[:3, :3], units),
        leg_radius=scaled(given.leg_radius, units.metres),
        box=_box(given, units),
        radius=_largest(given.radius, units.metres),
        tilt=_largest(given.tilt, units.radians),
        rotation=_largest(given.rotation, units.radians),
        singular_value=given.singular_value or 0.0,
    )


def _cone(cone: ConeModel | None, at_home: Array, units: Units) -> Cone | None:
    if cone is None:
        return None
    axis = at_home if cone.axis is None else unit_rows(np.array(cone.axis, dtype=float))
    return Cone(axis=axis, half_angle=np.array(cone.half_angle) * units.radians)


def _plate(minimum: list[float] | None, u_B: Array, R: Array, units: Units) -> PlateAngle | None:
    """Plates are normal to their frame's z axis; the normal points to the side where the legs are at home."""
    if minimum is None:
        return None
    side = np.sign(u_B.mean(axis=0) @ R[:, 2]) or 1.0
    return PlateAngle(normal=np.array([0.0, 0.0, side]), minimum=np.array(minimum) * units.radians)


def _box(given: LimitsModel, units: Units) -> Array:
    box = given.box
    low = [-np.inf if x is None else x for x in (box.x_min, box.y_min, box.z_min)]
    high = [np.inf if x is None else x for x in (box.x_max, box.y_max, box.z_max)]
    return np.array([low, high]).T * units.metres


def _largest(value: float | None, scale: float) -> float:
    return np.inf if value is None else value * scale


SHAPES: tuple[Shape, ...] = ("box", "ball", "cylinder", "ellipsoid")
TURNS = ("tilt", "turn", "euler")


def check_regions(file: MachineFile, problems: Problems) -> None:
    """Check that each region has one shape of positions, one set of orientations, and angles up to half a turn."""
    for k, model in enumerate(file.regions, 1):
        where = f"regions, region {k}"
        shapes = [key for key in SHAPES if getattr(model, key) is not None]
        turns = [key for key in TURNS if getattr(model, key) is not None]
        if len(shapes) > 1:
            problems.add(where, f"{shapes[0]} and {shapes[1]} are given; a region has one shape of positions")
        if len(turns) > 1:
            problems.add(where, f"{turns[0]} and {turns[1]} are given; a region has one set of orientations")
        if not shapes + turns:
            problems.add(where, f"has no extent; specify one of {', '.join(SHAPES)}, or of {', '.join(TURNS)}")
        if model.roll is not None and model.tilt is None:
            problems.add(where, "has a roll without a tilt; roll is the torsion of a cone of orientations")
        if (model.euler is None) != (model.sequence is None):
            problems.add(where, "has one of euler and sequence; a box of angles needs both")
        _check_angles(model, where, file.units, problems)
        if model.cylinder is not None and np.linalg.norm(model.cylinder.axis) <= NO_LENGTH:
            problems.add(where, "the cylinder's axis has length zero, expected its components")


def _check_angles(model: RegionModel, where: str, units: Units, problems: Problems) -> None:
    half_turn = np.pi / units.radians
    for key in ("tilt", "roll", "turn", "euler"):
        most = float(np.max(getattr(model, key) or 0.0))
        if most > half_turn * (1 + 1e-12):  # rounding of half a turn in another unit
            unit = units.angle
            problems.add(where, f"{key} {most:g} {unit} is above half a turn, {half_turn:.6g} {unit}")


def regions_of(file: MachineFile, X_home: Array, point_of_interest: Array) -> tuple[NamedRegion, ...]:
    """Return the regions, after `check_regions`."""
    return tuple(_region(model, file.units, X_home, point_of_interest) for model in file.regions)


def _region(model: RegionModel, units: Units, X_home: Array, point_of_interest: Array) -> NamedRegion:
    about = point_of_interest if model.about is None else np.array(model.about) * units.metres
    # X is the pose of a frame at the point, with the platform's axes at the reference orientation.
    X = X_home.copy()
    X[:3, 3] += X_home[:3, :3] @ about
    if model.position is not None:
        X[:3, 3] = np.array(model.position) * units.metres
    if model.reference is not None:
        angles = np.array(model.reference.angles) * units.radians
        X[:3, :3] = pose_matrix([0.0, 0.0, 0.0], angles, model.reference.sequence)[:3, :3]
    shape, sizes = _positions(model)
    given: dict[str, Any] = {key: getattr(model, key) for key in ("tilt", "roll", "turn", "euler")}
    turns = {key: np.multiply(value, units.radians) for key, value in given.items() if value is not None}
    return NamedRegion(
        name=model.name,
        shape=shape,
        sizes=np.array(sizes) * units.metres,
        X=X,
        about=about,
        axis=np.array([0.0, 0.0, 1.0] if model.cylinder is None else model.cylinder.axis),
        orientations=turns if model.sequence is None else {**turns, "sequence": model.sequence},
    )


def _positions(model: RegionModel) -> tuple[Shape, list[float]]:
    if model.ball is not None:
        return "ball", [model.ball]
    if model.cylinder is not None:
        return "cylinder", [model.cylinder.radius, model.cylinder.half_height]
    if model.ellipsoid is not None:
        return "ellipsoid", model.ellipsoid
    return "box", [0.0, 0.0, 0.0] if model.box is None else model.box
