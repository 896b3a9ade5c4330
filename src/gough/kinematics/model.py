"""Arguments of the kernels of forward kinematics."""

from __future__ import annotations

import numpy as np

from gough.kinematics._equations import Model
from gough.machine import Machine


def forward_model(machine: Machine) -> Model:
    """The machine as the kernels of forward kinematics and certificates read it."""
    low, high = machine.legs.joint_range
    period = high - low if np.isfinite(high - low) else 0.0
    return machine.legs.code, machine.table, machine.platform_centre, machine.size, float(period)
