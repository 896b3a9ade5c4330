"""The machine a command speaks about."""

from __future__ import annotations

from dataclasses import replace

from gough.description.load import load
from gough.machine import DisplayUnits, Machine


def load_machine(name: str, *, si: bool) -> Machine:
    """Machine by name or path, which counts in its file's units, or in SI."""
    machine = load(name)
    return replace(machine, units=DisplayUnits()) if si else machine


def units_of(machine: Machine) -> dict[str, str]:
    """The units of an answer, for JSON."""
    return {"length": machine.units.length, "angle": machine.units.angle, "joint": machine.joint_unit}
