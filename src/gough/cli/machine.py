"""The machine a command speaks about."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from gough.description.load import load_with_files, one_machine
from gough.machine import DisplayUnits, Machine
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


def units_of(machine: Machine) -> dict[str, str]:
    """The units of an answer, for JSON."""
    return {"length": machine.units.length, "angle": machine.units.angle, "joint": machine.joint_unit}
