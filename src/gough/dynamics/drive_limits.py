"""Peaks of joint speed, acceleration and force over a history, with the limits of each joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.limits.ties import legs_in_words, tied
from gough.machine import Machine
from gough.stacked import StackedMachine

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]

QUANTITIES = {"joint_rate": "speed", "joint_acceleration": "acceleration", "force": "force"}
"""Variables of a history that a drive limits, and what they are called."""
LIMITS = {"joint_rate": "joint_speed", "joint_acceleration": "joint_acceleration", "force": "actuator_force"}
"""Where a machine keeps the limit of each."""


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
    return machine.joint_scale, f"{machine.joint_unit}/s{'2' if quantity == 'acceleration' else ''}"


def drive_peaks(machine: Machine, data: xarray.Dataset) -> list[DrivePeak]:
    """Peaks of joint speed, joint acceleration and actuator force over a history, at its times."""
    t, found = data["time"].to_numpy(), []
    for name, quantity in QUANTITIES.items():
        values = np.abs(data[name].to_numpy())
        k = values.argmax(axis=0)
        found.append(DrivePeak(quantity, values.max(axis=0), t[k], getattr(machine.limits, LIMITS[name])))
    return found


ROUND_OFF = 1e-9
"""A motion timed to touch a limit does not exceed it."""


def exceeded(machine: Machine, data: xarray.Dataset) -> list[str]:
    """A sentence for every limit of the drives that a history exceeds, at its times."""
    peaks = drive_peaks(machine, data)
    return [p.sentence(machine) for p in peaks if p.used is not None and bool((p.used > 1.0 + ROUND_OFF).any())]


def drive_attrs(machine: Machine | StackedMachine, data: xarray.Dataset) -> dict[str, Any]:
    """For a history's attributes: the used parts (6,) of limits that are known, and in words what is exceeded."""
    stages = [(stage, data.isel(leg=slice(6 * k, 6 * k + 6))) for k, stage in enumerate(machine.stages)]
    used = zip(*(drive_peaks(*stage) for stage in stages), strict=True)
    known = {
        f"used_{parts[0].quantity}": np.concatenate([part.used for part in parts if part.used is not None])
        for parts in used
        if all(part.used is not None for part in parts)
    }
    words = machine.by_stage("; ".join(exceeded(*stage)) for stage in stages)
    return {**known, "drives_exceeded": words}


def saturated_part(time: Array, is_cut: NDArray[np.bool_]) -> float:
    """Part of the time, from times (n,), at which a demand of any leg was cut (n, 6)."""
    some = is_cut.any(axis=1).astype(float)
    return float(np.trapezoid(some, time) / (time[-1] - time[0]) if len(time) > 1 else some[0])


def saturation(time: Array, is_cut: NDArray[np.bool_]) -> str:
    """In words how long a controller's demands were cut, from times (n,) and `Controller.saturation`s (n, 2, 6)."""
    words = []
    for k, name in enumerate(("speed demand", "force")):
        legs = np.flatnonzero(is_cut[:, k].any(axis=0))
        if len(legs):
            part = saturated_part(time, is_cut[:, k])
            words.append(f"the {name} of {legs_in_words((legs + 1).tolist())}, {100 * part:.3g} % of the time")
    return "the controller is saturated: " + "; ".join(words) if words else ""
