"""The largest speeds, accelerations and forces of the joints in a history, beside what the drives allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gough.arrays import Array
from gough.limits.ties import legs_in_words, tied
from gough.machine import Machine
from gough.results import Labelled
from gough.stacked import StackedMachine

if TYPE_CHECKING:
    import xarray

Histories: TypeAlias = "xarray.Dataset | Labelled"

QUANTITIES = {"joint_rate": "speed", "joint_acceleration": "acceleration", "force": "force"}
"""Variables of a history that a drive limits, and what they are called."""
LIMITS = {"joint_rate": "joint_speed", "joint_acceleration": "joint_acceleration", "force": "actuator_force"}
"""Where a machine keeps the limit of each."""
ROUND_OFF = 1e-9
"""A motion timed to touch a limit does not exceed it."""


@dataclass(frozen=True, eq=False)
class DrivePeak:
    """Largest absolute values of one quantity over a history, per leg.

    Attributes
    ----------
    quantity : str
        "speed", "acceleration" or "force" (of cranks the torque).
    peak : (6,) array
        [m/s, m/s2, N; rad/s, rad/s2, N m].
    time : (6,) array
        Of the peaks [s].
    limit : (6,) array or None
        What the machine allows; None where its file does not say.

    """

    quantity: str
    peak: Array
    time: Array
    limit: Array | None

    @property
    def used(self) -> Array | None:
        """Part of the limit that is used (6,); 1 on the limit."""
        return None if self.limit is None else np.asarray(self.peak / self.limit)

    def sentence(self, machine: Machine) -> str:
        """The legs that use most, in the file's units; empty where no limit is known."""
        if self.limit is None or self.used is None:
            return ""
        i = int(np.argmax(self.used))
        hardest = 1 + np.flatnonzero(tied(-self.used))
        legs = legs_in_words(hardest.tolist())
        scale, unit = unit_of_peak(machine, self.quantity)
        name = "torque" if self.quantity == "force" and machine.legs.joint == "angle" else self.quantity
        verb = "needs" if len(hardest) == 1 else "need"
        return (
            f"{legs} {verb} a {name} of {self.peak[i] / scale:.4g} {unit} at {self.time[i]:.4g} s, allowed "
            f"{self.limit[i] / scale:.4g} {unit}: {100 * self.used[i]:.3g} %"
        )


def unit_of_peak(machine: Machine, quantity: str) -> tuple[float, str]:
    """Size in SI and name of the unit in which a quantity is written out: the file's."""
    if quantity == "force":
        return 1.0, "N" if machine.legs.joint == "length" else "N m"
    return machine.displayed_joint_size, f"{machine.displayed_joint_unit}/s{'2' if quantity == 'acceleration' else ''}"


def drive_peaks(machine: Machine, data: Histories, legs: slice = slice(None)) -> list[DrivePeak]:
    """Peaks of joint speed, joint acceleration and actuator force over a history, at its times; `legs` are those of
    the machine among all that the history has."""
    t, found = data["time"].to_numpy(), []
    for name, quantity in QUANTITIES.items():
        values = np.abs(data[name].to_numpy()[:, legs])
        k = values.argmax(axis=0)
        found.append(DrivePeak(quantity, values.max(axis=0), t[k], getattr(machine.limits, LIMITS[name])))
    return found


def exceeded(machine: Machine, data: Histories, legs: slice = slice(None)) -> list[str]:
    """A sentence for every limit of the drives that a history exceeds, at its times."""
    peaks = drive_peaks(machine, data, legs)
    return [p.sentence(machine) for p in peaks if p.used is not None and bool((p.used > 1.0 + ROUND_OFF).any())]


def drive_attrs(machine: Machine | StackedMachine, data: Histories) -> dict[str, Any]:
    """For a history's attributes: the used parts (6,) of limits that are known, and in words what is exceeded."""
    stages = [(stage, data, slice(6 * k, 6 * k + 6)) for k, stage in enumerate(machine.stages)]
    used = zip(*(drive_peaks(*stage) for stage in stages), strict=True)
    known = {
        f"used_{parts[0].quantity}": np.concatenate([part.used for part in parts if part.used is not None])
        for parts in used
        if all(part.used is not None for part in parts)
    }
    words = machine.by_stage("; ".join(exceeded(*stage)) for stage in stages)
    return {**known, "drives_exceeded": words}
