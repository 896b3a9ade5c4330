"""Tool head of a machine file, in SI."""

from __future__ import annotations

import numpy as np

from gough.description.bodies import rigid_body
from gough.description.home import pose_of
from gough.description.problems import Problems
from gough.description.schema import HeadJointModel, MachineFile
from gough.description.units import Units
from gough.head import Head, HeadJoint
from gough.machine import Body


def head_of(file: MachineFile, carrier: Body | None, problems: Problems) -> Head | None:
    """The head on its platform `carrier`; None where the file gives none or it cannot be built."""
    model = file.head
    if model is None:
        return None
    if not any(joint.kind != "fixed" for joint in model.joints):
        problems.add("head.joints", "no joint moves; give at least one that is revolute or prismatic")
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
        problems.add(where, f"its home {joint.home:g} {unit} is below its minimum {low:g} {unit}; give `home`")
    elif joint.home > high:
        problems.add(where, f"its home {joint.home:g} {unit} is above its maximum {high:g} {unit}; give `home`")
