"""The machine a command speaks about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from gough.description.load import load_with_files, one_machine
from gough.machine import DisplayUnits, Machine
from gough.present.units import unit_of
from gough.stacked import StackedMachine


def load_machine(name: str, *, si: bool) -> Machine:
    """Machine by name or path, which counts in its file's units, or in SI; one machine, or one stage of two."""
    return _counting(one_machine(load_any(name), name), si)


def load_any(name: str, *, si: bool = False) -> Machine | StackedMachine:
    """As `load_machine`, or all stages together."""
    return _counting(load_with_files(name)[0], si)


M = TypeVar("M", bound=Machine | StackedMachine)


def _counting(machine: M, si: bool) -> M:
    return replace(machine, units=DisplayUnits()) if si else machine


def units_of(machine: Machine | StackedMachine) -> dict[str, Any]:
    """The units of an answer, for JSON."""
    units = {"length": machine.units.length, "angle": machine.units.angle}
    if isinstance(machine, Machine):
        return {**units, "joint": machine.joint_unit}
    return {
        **units,
        "joints": [unit_of(machine.units, one.legs.joint_unit)[1] for one in machine.stages for _ in range(6)],
    }
