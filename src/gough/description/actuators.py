"""Drives and struts of a machine file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.arrays import Array
from gough.description.problems import Problems
from gough.description.schema import ActuatorsModel, MachineFile
from gough.description.units import AREA, INERTIA, PRESSURE, STIFFNESS
from gough.legs import Legs
from gough.machine import Actuators

SHORTEST_LEAD = 1e-12
"""Of a screw [m per turn]: shorter than an atom is a slip."""


def actuators_of(file: MachineFile, kind: type[Legs], problems: Problems) -> Actuators:
    """What the file says of its drives, in SI."""
    given, units = file.actuators, file.units
    is_length = kind.joint == "length"
    _check(given, is_length, problems)
    transmission = scaled(given.gear_ratio, 1.0)
    if given.screw_lead is not None:
        lead = np.array(given.screw_lead) * units.metres
        if lead.min() < SHORTEST_LEAD:
            problems.add("actuators.screw_lead", f"{min(given.screw_lead):g} {units.length} is no length to drive by")
            lead = np.maximum(lead, SHORTEST_LEAD)
        transmission = 2 * np.pi / lead
    rigidity = None
    if given.modulus is not None:
        rigidity = scaled(given.area, given.modulus * PRESSURE[units.pressure] * AREA[units.area])
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
