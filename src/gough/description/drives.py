"""Drives and struts, encoders, tolerances and calibration records of a machine file, in SI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.description.problems import Problems
from gough.description.schema import ActuatorsModel, MachineFile
from gough.description.units import AREA, INERTIA, PRESSURE, STIFFNESS, size_of
from gough.legs import Legs
from gough.machine import Actuators
from gough.machine_parts import Encoders

SHORTEST_LEAD = 1e-12
"""Smallest lead of a screw [m per turn], below the size of an atom."""
STEEPEST_GAIN = 0.9
"""Largest gain of an encoder: readings and joint coordinates must increase together."""


def actuators_of(file: MachineFile, kind: type[Legs], problems: Problems) -> Actuators:
    """The file's drives, in SI."""
    given, units = file.actuators, file.units
    is_length = kind.joint == "length"
    _check(given, is_length, problems)
    transmission = scaled(given.gear_ratio, 1.0)
    if given.screw_lead is not None:
        lead = np.array(given.screw_lead) * units.metres
        if lead.min() < SHORTEST_LEAD:
            problems.add("actuators.screw_lead", f"{min(given.screw_lead):g} {units.length} is no length to drive by")
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
    """Six values in SI, or None where the file gives none."""
    return None if values is None else np.array(values, dtype=float) * scale


def _check(given: ActuatorsModel, is_length: bool, problems: Problems) -> None:
    if (given.modulus is None) != (given.area is None):
        problems.add("actuators", "`modulus` and `area` go together")
    if given.modulus is not None and given.stiffness is not None:
        problems.add("actuators", "give either `stiffness` or `modulus` and `area`, one of the two")
    if given.rotor_inertia is not None and is_length and given.screw_lead is None:
        problems.add(
            "actuators.rotor_inertia", "needs `screw_lead` beside it: how far the rotor's turns drive the joint"
        )
    if given.screw_lead is not None and not is_length:
        problems.add("actuators.screw_lead", "cranks have no screw; give `gear_ratio`")
    if given.gear_ratio is not None and is_length:
        problems.add("actuators.gear_ratio", "only cranks have a gear; give `screw_lead`")


def encoders_of(file: MachineFile, kind: type[Legs], problems: Problems) -> Encoders | None:
    """The file's encoders; None where it gives none."""
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
    """Tolerances by group of parameters."""
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
