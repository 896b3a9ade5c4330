"""Bodies, drives and tool head of a machine file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.description.geometry import pose_of
from gough.description.problems import Problems
from gough.description.schema import ActuatorsModel, BodyModel, HeadJointModel, MachineFile, Platform
from gough.description.units import AREA, INERTIA, PRESSURE, STIFFNESS, Units, size_of
from gough.errors import nearest
from gough.head import Head, HeadJoint
from gough.legs import Legs
from gough.machine import Actuators, Body
from gough.machine_parts import Encoders, LegBodies, steiner

INERTIA_ERROR = 1e-9
"""Rounding error of an inertia in a file, relative to its largest element."""
TURNING = ("cylinder", "piston", "joint", "rod")
"""Parts whose rotation about the leg's axis depends on the first axis of the universal joint."""


def platform_body(file: MachineFile, problems: Problems) -> Body | None:
    """Return the platform, or None where the file gives no mass."""
    platform = file.platform
    if platform.mass is None:
        for key in ("mass_centre", "inertia"):
            if getattr(platform, key) is not None:
                problems.add(f"platform.{key}", "requires `mass`")
        return None
    return rigid_body(platform, file.units, "platform", problems)


def leg_bodies(file: MachineFile, kind: type[Legs], problems: Problems) -> dict[str, LegBodies]:
    """Return the parts of the legs by name."""
    bodies = {}
    for part, model in file.legs.bodies.items():
        where = f"legs.bodies.{part}"
        if part not in kind.parts:
            known = ", ".join(kind.parts)
            problems.add(where, f"{kind.kind} legs have no such part, only {known}.{nearest(part, kind.parts)}")
            continue
        six = [body_of(model.of_leg(i), file.units) for i in range(6)]
        bodies[part] = LegBodies.of([body for body, _ in six])
        problems.add_legs(f"{where}.inertia", {i: said for i, (_, said) in enumerate(six) if said})
        if part in TURNING and file.legs.joint_axis is None:
            words = (
                "is not axisymmetric about its z axis, so its rotation about it is needed; "
                "specify the first axes of the universal joints, `legs.joint_axis`"
            )
            problems.add_legs(where, {i: words for i, (body, _) in enumerate(six) if not _is_round(body)})
    return bodies


def rigid_body(model: BodyModel | Platform, units: Units, where: str, problems: Problems) -> Body:
    """Return the body, with a problem at the key `where` if no rigid body has its inertia."""
    body, said = body_of(model, units)
    if said:
        problems.add(f"{where}.inertia", said)
    return body


def body_of(model: BodyModel | Platform, units: Units) -> tuple[Body, str]:
    """Return the body, and a sentence if no rigid body has its inertia, else ""."""
    mass = (model.mass or 0.0) * units.kilograms
    centre = np.array(model.mass_centre or (0.0, 0.0, 0.0)) * units.metres
    J, said = np.zeros((3, 3)), ""
    if model.inertia is not None:
        i = model.inertia
        J = np.array([[i.xx, i.xy, i.xz], [i.xy, i.yy, i.yz], [i.xz, i.yz, i.zz]]) * INERTIA[units.inertia]
        tolerance = INERTIA_ERROR * float(np.abs(J).max())
        if model.inertia_about == "origin":  # Steiner's theorem; may leave an impossible inertia
            J = J - steiner(mass, centre)
        said = _impossible(J, tolerance, units)
    return Body(mass=mass, mass_centre=centre, inertia=J), said


def _impossible(J: Array, tolerance: float, units: Units) -> str:
    """A sentence unless principal moments are positive and none exceeds the sum of the others, else ""."""
    low, middle, high = np.linalg.eigvalsh(J) / INERTIA[units.inertia]
    tolerance /= INERTIA[units.inertia]
    about = "no rigid body has it: about the mass centre"
    if low < -tolerance:
        return f"{about}, a principal moment is {low:.4g} {units.inertia}, below 0"
    if high > low + middle + tolerance:
        return (
            f"{about}, the largest principal moment {high:.4g} {units.inertia} exceeds the sum of the others, "
            f"{low + middle:.4g} {units.inertia}"
        )
    return ""


def _is_round(body: Body) -> bool:
    """Whether mass centre and inertia are symmetric about the body's z axis."""
    J, (x, y, _) = body.inertia, body.mass_centre
    uneven = max(abs(J[0, 0] - J[1, 1]), abs(J[0, 1]), abs(J[0, 2]), abs(J[1, 2]))
    return bool(x == 0.0 and y == 0.0 and uneven <= INERTIA_ERROR * np.abs(J).max())


SHORTEST_LEAD = 1e-12
"""Smallest lead of a screw [m per turn], below the size of an atom."""
STEEPEST_GAIN = 0.9
"""Largest gain of an encoder: readings and joint coordinates must increase together."""


def actuators_of(file: MachineFile, kind: type[Legs], problems: Problems) -> Actuators:
    """Return the file's drives, in SI."""
    given, units = file.actuators, file.units
    is_length = kind.joint == "length"
    _check(given, is_length, problems)
    transmission = scaled(given.gear_ratio, 1.0)
    if given.screw_lead is not None:
        lead = np.array(given.screw_lead) * units.metres
        if lead.min() < SHORTEST_LEAD:
            problems.add("actuators.screw_lead", f"{min(given.screw_lead):g} {units.length} is not a valid lead")
            lead = np.maximum(lead, SHORTEST_LEAD)  # the file is refused; checks go on without dividing by zero
        transmission = 2 * np.pi / lead
    rigidity = None
    if given.modulus is not None and given.area is not None:
        rigidity = np.array(given.modulus) * np.array(given.area) * PRESSURE[units.pressure] * AREA[units.area]
    stiffness = STIFFNESS[units.stiffness]
    return Actuators(
        resolution=scaled(given.resolution, units.metres if is_length else units.radians),
        stiffness=scaled(given.stiffness, stiffness),
        axial_rigidity=rigidity,
        base_joint_stiffness=scaled(given.base_joint_stiffness, stiffness),
        platform_joint_stiffness=scaled(given.platform_joint_stiffness, stiffness),
        viscous_friction=scaled(given.viscous_friction, 1.0),
        coulomb_friction=scaled(given.coulomb_friction, units.newtons if is_length else units.newton_metres),
        rotor_inertia=scaled(given.rotor_inertia, INERTIA[units.inertia]),
        transmission=transmission,
    )


def scaled(values: Sequence[float] | None, scale: float) -> Array | None:
    """Return six values in SI, or None where the file gives none."""
    return None if values is None else np.array(values, dtype=float) * scale


def _check(given: ActuatorsModel, is_length: bool, problems: Problems) -> None:
    if (given.modulus is None) != (given.area is None):
        problems.add("actuators", "`modulus` and `area` go together")
    if given.modulus is not None and given.stiffness is not None:
        problems.add("actuators", "specify either `stiffness`, or `modulus` and `area`")
    if given.rotor_inertia is not None and is_length and given.screw_lead is None:
        problems.add("actuators.rotor_inertia", "requires `screw_lead`, the travel of the joint per turn of the rotor")
    if given.screw_lead is not None and not is_length:
        problems.add("actuators.screw_lead", "cranks have no screw; specify `gear_ratio`")
    if given.gear_ratio is not None and is_length:
        problems.add("actuators.gear_ratio", "only cranks have a gear; specify `screw_lead`")


def encoders_of(file: MachineFile, kind: type[Legs], problems: Problems) -> Encoders | None:
    """Return the file's encoders; None where it gives none."""
    given = file.encoders
    if given is None:
        return None
    size = {key: size_of(key, file.units, kind.joint) for key in type(given).model_fields}
    values = {key: np.array(value, dtype=float) * size[key] for key, value in given if value is not None}
    if given.period is None and (any(given.sine) or any(given.cosine)):
        problems.add("encoders.period", "is missing: `sine` and `cosine` return with it")
    if max(abs(gain) for gain in given.gain) > STEEPEST_GAIN:
        problems.add(
            "encoders.gain", f"expected less than {STEEPEST_GAIN:g} either side; 0.01 is a hundredth more than is read"
        )
    return Encoders(**values)


def tolerances_of(file: MachineFile, kind: type[Legs]) -> dict[str, float]:
    """Return tolerances by group of parameters."""
    return {key: value * size_of(key, file.units, kind.joint) for key, value in file.tolerances if value is not None}


def calibration_of(file: MachineFile) -> dict[str, Any]:
    """Record of the calibration, residuals in metres; empty where the file has none."""
    if file.calibration is None:
        return {}
    found = file.calibration.model_dump()
    for key in ("rms", "before", "after"):
        if found[key] is not None:
            found[key] = (np.array(found[key]) * file.units.metres).tolist()
    return found


def head_of(file: MachineFile, carrier: Body | None, problems: Problems) -> Head | None:
    """Return the head on its platform `carrier`; None where the file gives none or it cannot be built."""
    model = file.head
    if model is None:
        return None
    if not any(joint.kind != "fixed" for joint in model.joints):
        problems.add("head.joints", "no joint moves; specify at least one revolute or prismatic joint")
        return None
    joints = tuple(_joint(joint, k, file.units, problems) for k, joint in enumerate(model.joints))
    # A head's coordinates are those of its moving joints only.
    home = [joint.home * file.units.of_joint(joint.measures)[0] for joint in model.joints if joint.kind != "fixed"]
    return Head(
        joints=joints,
        convention=model.convention,
        X_PH=pose_of(model.mount, file.units),
        X_NT=pose_of(model.tool, file.units),
        q=np.array(home),
        carrier=carrier,
    )


def _joint(joint: HeadJointModel, k: int, units: Units, problems: Problems) -> HeadJoint:
    where = f"head.joints, joint {k + 1}"
    _check_ends(joint, where, units, problems)
    scale, _ = units.of_joint(joint.measures)
    return HeadJoint(
        name=joint.name or str(k + 1),
        kind=joint.kind,
        a=joint.a * units.metres,
        alpha=joint.alpha * units.radians,
        d=joint.d * units.metres,
        theta=joint.theta * units.radians,
        minimum=-np.inf if joint.min is None else joint.min * scale,
        maximum=np.inf if joint.max is None else joint.max * scale,
        speed=np.inf if joint.speed is None else joint.speed * scale / units.seconds,
        body=None if joint.body is None else rigid_body(joint.body, units, where, problems),
    )


def _check_ends(joint: HeadJointModel, where: str, units: Units, problems: Problems) -> None:
    """Check that a moving joint has room to move and its home within it, and that a fixed one has neither."""
    unit = units.of_joint(joint.measures)[1]
    low = -np.inf if joint.min is None else joint.min
    high = np.inf if joint.max is None else joint.max
    if joint.kind == "fixed":
        given = [key for key in ("min", "max", "home", "speed") if key in joint.model_fields_set]
        if given:
            problems.add(where, f"is fixed and has no {', '.join(given)}")
    elif low >= high:
        problems.add(where, f"the minimum {low:g} {unit} is not below the maximum {high:g} {unit}")
    elif joint.home < low:
        problems.add(where, f"its home {joint.home:g} {unit} is below its minimum {low:g} {unit}; specify `home`")
    elif joint.home > high:
        problems.add(where, f"its home {joint.home:g} {unit} is above its maximum {high:g} {unit}; specify `home`")
