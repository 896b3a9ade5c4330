"""Largest speeds, accelerations and forces of the joints in a history, and utilisation of the limits of the drives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gough.arrays import Array
from gough.limits.ties import legs_in_words, tied
from gough.machine import Machine
from gough.present.answer import Field
from gough.present.units import force_unit, of_legs, percent, with_unit
from gough.results import Labelled
from gough.stacked import StackedMachine

if TYPE_CHECKING:
    import xarray

Histories: TypeAlias = "xarray.Dataset | Labelled"

LIMITED = {
    "joint_rate": ("speed", "joint_speed"),
    "joint_acceleration": ("acceleration", "joint_acceleration"),
    "force": ("force", "actuator_force"),
}
"""Variables of a history that a drive limits: name of the quantity, and of the limit in `Machine.limits`."""
PER = {"speed": "/s", "acceleration": "/s2"}
"""Suffix of the unit of the joint coordinate in those of its rates."""
ROUND_OFF = 1e-9
"""Tolerance of a limit's utilisation: motions timed to reach a limit exactly do not exceed it."""


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
        Limits of the machine; None where its file has none.

    """

    quantity: str
    peak: Array
    time: Array
    limit: Array | None

    @property
    def used(self) -> Array | None:
        """Utilisation of the limit (6,); 1 at the limit."""
        return None if self.limit is None else np.asarray(self.peak / self.limit)

    def sentence(self, machine: Machine) -> str:
        """Sentence on the legs with the largest utilisation, in the file's units; empty where no limit is known."""
        if self.limit is None or self.used is None:
            return ""
        i = int(np.argmax(self.used))
        hardest = 1 + np.flatnonzero(tied(-self.used))
        legs = legs_in_words(hardest.tolist())
        unit = peak_unit(machine, self.quantity)
        peak, limit = (with_unit(machine, values[i], unit, 4) for values in (self.peak, self.limit))
        name = force_name(machine) if self.quantity == "force" else self.quantity
        verb = "needs" if len(hardest) == 1 else "need"
        return f"{legs} {verb} a {name} of {peak} at {self.time[i]:.4g} s, allowed {limit}: {percent(self.used[i], 3)}"


def peak_unit(stage: Machine, quantity: str) -> str:
    """SI unit of a quantity that a drive limits."""
    return force_unit(stage) if quantity == "force" else f"{stage.legs.joint_unit}{PER[quantity]}"


def force_name(machine: Machine | StackedMachine) -> str:
    """Name of the actuators' output: "torque" for a machine with cranks only, else "force"."""
    return "torque" if all(stage.legs.joint == "angle" for stage in machine.stages) else "force"


def peaks(data: Histories) -> dict[str, Array]:
    """Peak and root mean square over time of the actuators' forces and powers, (6,) each."""
    t, found = data["time"].to_numpy(), {}
    for name in ("force", "power"):
        values = data[name].to_numpy()
        found[f"peak_{name}"] = np.abs(values).max(axis=0)
        # Mean over time, as times need not be evenly spaced.
        mean = np.trapezoid(values**2, t, axis=0) / (t[-1] - t[0]) if len(t) > 1 else values[0] ** 2
        found[f"rms_{name}"] = np.sqrt(mean)
    return found


def peak_fields(machine: Machine | StackedMachine, data: Histories) -> list[Field]:
    """Fields of every actuator over a history: peak and root mean square of force and power, peak speed and
    acceleration, utilisation of known limits; zero where a simulation's tolerances do not resolve them."""
    floor = _resolution(data)
    words = {"peak": "peak", "rms": "RMS", "force": force_name(machine), "power": "power"}
    fields = []
    for key, values in peaks(data).items():
        kind, what = key.split("_")
        unit = of_legs(machine, force_unit) if what == "force" else "W"
        if what == "power":
            values = _resolved(values, floor["speed"] * np.abs(data["force"].to_numpy()).max(axis=0))
        fields.append(Field(key, values, unit, head=f"{words[kind]} {words[what]}"))
    of_drives = [
        tuple(replace(part, peak=_resolved(part.peak, floor.get(part.quantity, 0.0))) for part in parts)
        for parts in zip(*(drive_peaks(*each) for each in _of_stages(machine, data)), strict=True)
    ]
    for parts in of_drives:
        what = parts[0].quantity
        if what != "force":
            unit = of_legs(machine, partial(peak_unit, quantity=what))
            values = np.concatenate([part.peak for part in parts])
            fields.append(Field(f"peak_{what}", values, unit, head=f"peak {what}"))
    return [
        *fields,
        *(
            Field(f"used_{what}", used, head=f"{words.get(what, what)} used", digits=3, shown="%")
            for what, used in _used(of_drives).items()
        ),
    ]


def _resolution(data: Histories) -> dict[str, float]:
    """Speed and acceleration that the tolerances of a simulation do not resolve; 0 for other histories.

    The integrator allows an error of `atol` at each evaluation: these add up to a speed, which may turn round within
    the time between two of them.
    """
    t, count = data["time"].to_numpy(), int(data.attrs.get("evaluations", 0))
    speed = float(data.attrs.get("atol", 0.0)) * count
    span = float(t[-1] - t[0])
    return {"speed": speed, "acceleration": 2.0 * speed * count / span if span > 0 else 0.0}


def _resolved(values: Array, floor: Array | float) -> Array:
    """Magnitudes, zero up to `floor`."""
    return np.where(values <= floor, 0.0, values)


def _of_stages(machine: Machine | StackedMachine, data: Histories) -> list[tuple[Machine, Histories, slice]]:
    """Arguments of `drive_peaks` for each stage."""
    return [(stage, data, slice(6 * k, 6 * k + 6)) for k, stage in enumerate(machine.stages)]


def _used(of_drives: Iterable[tuple[DrivePeak, ...]]) -> dict[str, Array]:
    """Utilisations by quantity, of limits that every stage has."""
    found = {}
    for parts in of_drives:
        used = [part.used for part in parts if part.used is not None]
        if len(used) == len(parts):
            found[parts[0].quantity] = np.concatenate(used)
    return found


def drive_peaks(machine: Machine, data: Histories, legs: slice = slice(None)) -> list[DrivePeak]:
    """Peaks of joint speed, joint acceleration and actuator force at the times of a history; `legs` are the machine's
    among those of the history."""
    t, found = data["time"].to_numpy(), []
    for name, (quantity, limit) in LIMITED.items():
        values = np.abs(data[name].to_numpy()[:, legs])
        k = values.argmax(axis=0)
        found.append(DrivePeak(quantity, values.max(axis=0), t[k], getattr(machine.limits, limit)))
    return found


def exceeded(machine: Machine, data: Histories, legs: slice = slice(None)) -> list[str]:
    """Sentences on the limits of the drives that are exceeded at the times of a history."""
    peaks = drive_peaks(machine, data, legs)
    return [p.sentence(machine) for p in peaks if p.used is not None and bool((p.used > 1.0 + ROUND_OFF).any())]


def drive_attrs(machine: Machine | StackedMachine, data: Histories) -> dict[str, Any]:
    """Attributes of a history: utilisations (6,) of known limits, and the exceeded ones in words."""
    stages = _of_stages(machine, data)
    used = _used(zip(*(drive_peaks(*stage) for stage in stages), strict=True))
    words = machine.by_stage("; ".join(exceeded(*stage)) for stage in stages)
    return {**{f"used_{what}": part for what, part in used.items()}, "drives_exceeded": words}
