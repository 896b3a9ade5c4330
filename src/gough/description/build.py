"""Checked description -> `Machine`: numbers into SI, defaults filled in, and the checks that need more than one key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.description import schema
from gough.description.units import AREA, INERTIA, PRESSURE, STIFFNESS, Units
from gough.errors import InputError, nearest
from gough.legs import KINDS, Legs
from gough.legs.leg import unit_rows
from gough.machine import Actuators, Body, Cone, DisplayUnits, Limits, Machine, PlateAngle
from gough.poses import pose_matrix

Array = NDArray[np.float64]

SAME_POINT = 1e-9
"""Points closer than this part of the machine's size are one point given twice."""


class Problems(list[str]):
    """Sentences about what is wrong, collected so that all of them are told at once."""

    def add(self, where: str, what: str) -> None:
        """Note one problem."""
        self.append(f"{where}: {what}")


def build(file: schema.MachineFile) -> tuple[Machine | None, Problems]:
    """The machine a file describes, or None with everything that is wrong with it."""
    problems = Problems()
    kind = KINDS["UPS" if file.legs.kind == "UCU" else file.legs.kind]
    points_B = _points(file.base, "base", file.units, problems, may_coincide=kind.feet_may_coincide)
    b_P = _points(file.platform, "platform", file.units, problems)
    given = _leg_parameters(file, kind, problems)
    limits = _joint_limits(file, kind, problems)
    if points_B is None or b_P is None or problems:
        return None, problems
    _check_shared(file, kind, points_B, b_P, problems)
    X_home = _home(file, points_B, b_P, given, limits)
    b_home = b_P @ X_home[:3, :3].T + X_home[:3, 3]
    legs, complaints = kind.assemble(points_B, b_P, b_home, given)
    problems.extend(complaints)
    platform = _platform(file, problems)
    bodies = _leg_bodies(file, kind, problems)
    actuators = _actuators(file, kind, problems)
    if legs is None or problems:
        return None, problems
    X_PT = np.eye(4) if file.tool is None else _pose(file.tool, file.units)
    interest = X_PT[:3, 3].copy()
    if file.point_of_interest is not None:
        interest = np.array(file.point_of_interest) * file.units.metres
    machine = Machine(
        name=file.name,
        title=file.title,
        source=file.source,
        notes=file.notes,
        legs=legs,
        X_home=X_home,
        X_PT=X_PT,
        point_of_interest=interest,
        limits=_limits(file, legs, X_home, b_home, limits, problems),
        actuators=actuators,
        platform=platform,
        leg_bodies=bodies,
        joint_axis=None if file.legs.joint_axis is None else unit_rows(np.array(file.legs.joint_axis)),
        gravity=np.array([0.0, 0.0, -9.80665] if file.gravity is None else file.gravity),
        published=file.published,
        units=DisplayUnits(
            length=file.units.length, angle=file.units.angle, metres=file.units.metres, radians=file.units.radians
        ),
    )
    return (None if problems else machine), problems


def _points(
    joints: schema.Joints, where: str, units: Units, problems: Problems, may_coincide: bool = False
) -> Array | None:
    """Six joint points (6, 3) [m]."""
    if (joints.points is None) == (joints.pitch_circle is None):
        problems.add(where, "give either `points` or a `pitch_circle`, one of the two")
        return None
    if joints.pitch_circle is not None:
        circle = joints.pitch_circle
        return pitch_circle_points(
            circle.radius * units.metres,
            circle.pair_angle * units.radians,
            circle.height * units.metres,
            circle.rotation * units.radians,
        )
    points = np.array(joints.points, dtype=float).reshape(-1, 3) * units.metres
    count = len(points)
    if joints.of_leg is not None:
        wrong = sorted({n for n in joints.of_leg if not 1 <= n <= count})
        if wrong:
            problems.add(f"{where}.of_leg", f"point {wrong[0]} is not among the {count} points (1 is the first)")
            return None
        unused = sorted(set(range(1, count + 1)) - set(joints.of_leg))
        if unused:
            problems.add(f"{where}.of_leg", f"no leg ends on point {unused[0]}")
            return None
    elif count != 6:
        what = f"leg {count + 1} has none" if count < 6 else f"there is no leg {count}"
        problems.add(
            f"{where}.points", f"{count} points, expected 6 ({what}); legs that share joints are named with `of_leg`"
        )
        return None
    size = np.ptp(points, axis=0).max(initial=0.0)
    for i in range(count):
        for j in range(i + 1, count):
            if np.linalg.norm(points[i] - points[j]) <= SAME_POINT * size and not may_coincide:
                shown = ", ".join(f"{x / units.metres:g}" for x in points[i])
                problems.add(
                    f"{where}.points",
                    f"points {i + 1} and {j + 1} are the same, ({shown}) {units.length}; "
                    "give a shared joint once and say with `of_leg` which legs end on it",
                )
    return points if joints.of_leg is None else points[np.array(joints.of_leg) - 1]


def pitch_circle_points(radius: float, pair_angle: float, height: float, rotation: float = 0.0) -> Array:
    """Hinges at 270, 30 and 150 deg, each minus and plus half the pair angle, (6, 3) [m] (document K, geometry)."""
    half = pair_angle / 2
    middle = np.deg2rad([270.0, 270.0, 30.0, 30.0, 150.0, 150.0]) + rotation
    theta = middle + np.array([-half, half] * 3)
    return np.stack([radius * np.cos(theta), radius * np.sin(theta), np.full(6, height)], axis=-1)


def _leg_parameters(file: schema.MachineFile, kind: type[Legs], problems: Problems) -> dict[str, Array]:
    """What the file says of the legs, in SI, after checking that it belongs to their kind."""
    given: dict[str, Array] = {}
    scale = {"arm": file.units.metres, "rod_length": file.units.metres}
    for key in ("guide", "axis", "arm", "rod_length", "branch"):
        value = getattr(file.legs, key)
        if value is None:
            if key in kind.needs:
                problems.add(f"legs.{key}", f"is missing; {kind.kind} legs need it")
            continue
        if key not in kind.needs + kind.takes:
            problems.add(f"legs.{key}", f"{kind.kind} legs have no {key}")
            continue
        given[key] = np.array(value, dtype=float) * scale.get(key, 1.0)
    return given


def _check_shared(
    file: schema.MachineFile, kind: type[Legs], points_B: Array, b_P: Array, problems: Problems
) -> None:
    """Two legs with the same joints at both ends are one leg given twice."""
    parameters = [getattr(file.legs, key) for key in ("guide", "arm", "axis", "rod_length")]
    for i in range(6):
        for j in range(i + 1, 6):
            ends = np.allclose(points_B[i], points_B[j], atol=0) and np.allclose(b_P[i], b_P[j], atol=0)
            if ends and all(p is None or p[i] == p[j] for p in parameters):
                problems.add("legs", f"legs {i + 1} and {j + 1} are the same: both their joints coincide")


def _pose(home: schema.Home, units: Units) -> Array:
    translation = np.array(home.translation) * units.metres
    return pose_matrix(translation, np.array(home.angles) * units.radians, home.sequence)


def _home(
    file: schema.MachineFile, points_B: Array, b_P: Array, given: dict[str, Array], limits: tuple[Array, Array]
) -> Array:
    if file.home is not None:
        return _pose(file.home, file.units)
    wanted = given.get("rod_length", (limits[0] + limits[1]) / 2)
    foot = points_B + given["arm"] if "arm" in given else points_B
    return default_home(foot, b_P, wanted)


def default_home(points_B: Array, b_P: Array, wanted: Array) -> Array:
    """Home of a machine that names none.

    Platform points given at another height than the base's are already in place: home is the unit pose (document K's
    way). Otherwise the platform stands straight above the base, at the height where the legs have the `wanted`
    lengths (6,) in the mean, or, where those are unknown, as high as the base points' mean radius.
    """
    size = max(np.ptp(points_B, axis=0).max(), np.ptp(b_P, axis=0).max())
    X = np.eye(4)
    if abs(b_P[:, 2].mean() - points_B[:, 2].mean()) > 1e-3 * size:
        return X
    across = np.linalg.norm((b_P - points_B)[:, :2], axis=1)
    squared = np.mean(wanted**2 - across**2)
    X[2, 3] = np.sqrt(squared) if np.isfinite(squared) and squared > 0 else np.linalg.norm(points_B[:, :2], axis=1).mean()
    return X


def _joint_limits(file: schema.MachineFile, kind: type[Legs], problems: Problems) -> tuple[Array, Array]:
    """Lowest and highest joint coordinate (6,) [m or rad]."""
    units = file.units
    scale, unit = (units.metres, units.length) if kind.joint == "length" else (units.radians, units.angle)
    low = np.full(6, -np.inf) if file.limits.joint_min is None else np.array(file.limits.joint_min) * scale
    high = np.full(6, np.inf) if file.limits.joint_max is None else np.array(file.limits.joint_max) * scale
    for i in np.flatnonzero(low >= high):
        problems.add(
            "limits.joint_min",
            f"leg {i + 1}: the minimum {low[i] / scale:g} {unit} is not below the maximum {high[i] / scale:g} {unit}",
        )
    lowest, highest = kind.joint_range
    for i in np.flatnonzero((np.isfinite(low) & (low < lowest)) | (np.isfinite(high) & (high > highest))):
        problems.add(
            "limits",
            f"leg {i + 1}: {low[i] / scale:g} to {high[i] / scale:g} {unit} leaves what a {kind.title} can do, "
            f"{lowest / scale:g} to {highest / scale:g} {unit}",
        )
    return low, high


def _limits(
    file: schema.MachineFile,
    legs: Legs,
    X_home: Array,
    b_home: Array,
    joint: tuple[Array, Array],
    problems: Problems,
) -> Limits:
    given, units = file.limits, file.units
    scale = units.metres if legs.joint == "length" else units.radians
    effort = units.newtons if legs.joint == "length" else units.newton_metres
    direction_B = unit_rows(b_home - legs.rest())
    box = given.box
    sides = [(box.x_min, box.x_max), (box.y_min, box.y_max), (box.z_min, box.z_max)]
    for axis, (low, high) in zip("xyz", sides, strict=True):
        if low is not None and high is not None and low >= high:
            problems.add(f"limits.box.{axis}_min", f"{low:g} {units.length} is not below {axis}_max {high:g} {units.length}")
    inf = np.inf
    return Limits(
        joint_min=joint[0],
        joint_max=joint[1],
        joint_speed=_scaled(given.joint_speed, scale / units.seconds),
        joint_acceleration=_scaled(given.joint_acceleration, scale / units.seconds**2),
        actuator_force=_scaled(given.actuator_force, effort),
        base_cone=_cone(given.base_cone, "limits.base_cone", direction_B, units, problems),
        platform_cone=_cone(given.platform_cone, "limits.platform_cone", direction_B @ X_home[:3, :3], units, problems),
        base_plate=_plate(given.base_plate_angle, direction_B, np.eye(3), units),
        platform_plate=_plate(given.platform_plate_angle, direction_B, X_home[:3, :3], units),
        leg_radius=_scaled(given.leg_radius, units.metres),
        box=np.array([[-inf if a is None else a, inf if b is None else b] for a, b in sides]) * units.metres,
        radius=inf if given.radius is None else given.radius * units.metres,
        tilt=inf if given.tilt is None else given.tilt * units.radians,
        rotation=inf if given.rotation is None else given.rotation * units.radians,
        singular_value=given.singular_value or 0.0,
    )


def _scaled(values: Sequence[float] | None, scale: float) -> Array | None:
    return None if values is None else np.array(values, dtype=float) * scale


def _cone(cone: schema.ConeModel | None, where: str, default: Array, units: Units, problems: Problems) -> Cone | None:
    if cone is None:
        return None
    half_angle = np.array(cone.half_angle) * units.radians
    if (half_angle >= np.pi).any():
        problems.add(f"{where}.half_angle", f"{max(cone.half_angle):g} {units.angle} is no cone, expected below 180 deg")
    axis = default if cone.axis is None else np.array(cone.axis, dtype=float)
    if (np.linalg.norm(axis, axis=1) == 0).any():
        problems.add(f"{where}.axis", "a direction of length zero")
        return None
    return Cone(axis=unit_rows(axis), half_angle=half_angle)


def _plate(minimum: float | None, direction_B: Array, R: Array, units: Units) -> PlateAngle | None:
    """Plates lie across their frame's z axis; the side is the one where the legs are at home."""
    if minimum is None:
        return None
    side = np.sign(direction_B.mean(axis=0) @ R[:, 2]) or 1.0
    return PlateAngle(normal=np.array([0.0, 0.0, side]), minimum=minimum * units.radians)


def rigid_body(model: Any, units: Units, where: str, problems: Problems) -> Body:
    """A body in SI, its inertia about the mass centre, if a rigid body can have it."""
    mass = (model.mass or 0.0) * units.kilograms
    centre = np.array(model.mass_centre) * units.metres
    J = np.zeros((3, 3))
    if model.inertia is not None:
        i = model.inertia
        J = np.array([[i.xx, i.xy, i.xz], [i.xy, i.yy, i.yz], [i.xz, i.yz, i.zz]]) * INERTIA[units.inertia]
        if model.inertia_about == "origin":  # Steiner
            J = J - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        low, middle, high = np.linalg.eigvalsh(J)
        if low < -1e-9 * high:
            problems.add(f"{where}.inertia", f"no rigid body has it: a principal moment is {low:.4g} kg m2")
        elif high > (low + middle) * (1 + 1e-6):
            problems.add(
                f"{where}.inertia",
                f"no rigid body has it: the largest principal moment {high:.4g} kg m2 exceeds the sum of the others, "
                f"{low + middle:.4g} kg m2",
            )
    return Body(mass=mass, mass_centre=centre, inertia=J)


def _platform(file: schema.MachineFile, problems: Problems) -> Body | None:
    return None if file.platform.mass is None else rigid_body(file.platform, file.units, "platform", problems)


def _leg_bodies(file: schema.MachineFile, kind: type[Legs], problems: Problems) -> dict[str, Body]:
    bodies = {}
    for part, model in file.legs.bodies.items():
        if part not in kind.parts:
            problems.add(
                f"legs.bodies.{part}", f"{kind.kind} legs have no such part, only {', '.join(kind.parts)}.{nearest(part, kind.parts)}"
            )
            continue
        bodies[part] = rigid_body(model, file.units, f"legs.bodies.{part}", problems)
    return bodies


def _actuators(file: schema.MachineFile, kind: type[Legs], problems: Problems) -> Actuators:
    a, units = file.actuators, file.units
    if (a.modulus is None) != (a.area is None):
        problems.add("actuators", "`modulus` and `area` go together")
    if a.modulus is not None and a.stiffness is not None:
        problems.add("actuators", "give either `stiffness` or `modulus` and `area`, one of the two")
    is_length = kind.joint == "length"
    if a.screw_lead is not None and not is_length:
        problems.add("actuators.screw_lead", "cranks have no screw; give `gear_ratio`")
    if a.gear_ratio is not None and is_length:
        problems.add("actuators.gear_ratio", "sliding drives have no crank; give `screw_lead`")
    transmission = None
    if a.screw_lead is not None:
        transmission = 2 * np.pi / (np.array(a.screw_lead) * units.metres)
    elif a.gear_ratio is not None:
        transmission = np.array(a.gear_ratio)
    stiffness = STIFFNESS[units.stiffness]
    rigidity = None
    if a.modulus is not None and a.area is not None:
        rigidity = a.modulus * PRESSURE[units.pressure] * np.array(a.area) * AREA[units.area]
    return Actuators(
        resolution=_scaled(a.resolution, units.metres if is_length else units.radians),
        stiffness=_scaled(a.stiffness, stiffness),
        axial_rigidity=rigidity,
        base_joint_stiffness=_scaled(a.base_joint_stiffness, stiffness),
        platform_joint_stiffness=_scaled(a.platform_joint_stiffness, stiffness),
        viscous_friction=_scaled(a.viscous_friction, 1.0),
        coulomb_friction=_scaled(a.coulomb_friction, units.newtons if is_length else units.newton_metres),
        rotor_inertia=_scaled(a.rotor_inertia, INERTIA[units.inertia]),
        transmission=transmission,
    )
