"""Limits of a machine file: checks, which need no poses, and the limits in SI, whose defaults depend on home."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.description.drives import scaled
from gough.description.geometry import unit_directions
from gough.description.home import rod_directions
from gough.description.problems import Problems
from gough.description.schema import ConeModel, LimitsModel, MachineFile
from gough.description.units import Units
from gough.legs import Legs
from gough.legs.leg import unit_rows
from gough.machine import Cone, Limits, PlateAngle

ROUND_OFF = 1e-12
"""Relative rounding error of 180 deg in another unit."""


def joint_ends(file: MachineFile, kind: type[Legs], q_home: Array | float = 0.0) -> tuple[Array, Array]:
    """Lowest and highest joint coordinate (6,) [m or rad], infinite where the file gives none.

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
    """Whether the joint travel is given relative to home."""
    return limits.travel_min is not None or limits.travel_max is not None


def check_order(file: MachineFile, kind: type[Legs], problems: Problems) -> None:
    """Check that lower ends of travel are below upper ones."""
    limits = file.limits
    plain = limits.joint_min is not None or limits.joint_max is not None
    if plain and counts_from_home(limits):
        problems.add("limits", "give `joint_min` and `joint_max`, or `travel_min` and `travel_max` from home, not both")
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
        ("min", low, low < lowest * (1 + ROUND_OFF), low >= highest),
        ("max", high, high <= lowest, high > highest * (1 + ROUND_OFF)),
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
            _check_angle(f"{name}.half_angle", max(cone.half_angle), np.pi, "is no cone", units, problems)
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
    """The limits in SI, after the checks; cones and plates without a direction take the legs' directions at home.

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
