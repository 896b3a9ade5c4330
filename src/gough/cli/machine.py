"""The machine a command speaks about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, cast

from gough.description.load import load_with_files, one_machine
from gough.errors import InputError
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


def carrying(machine: M, payload: float | None, centre: str | None, inertia: str | None) -> M:
    """The machine with the payload of the options --payload, --centre and --inertia, if there is one."""
    from gough.cli.numbers import numbers

    if payload is None:
        for option, text in (("--centre", centre), ("--inertia", inertia)):
            if text is not None:
                raise InputError(f"{option} is of a payload: give --payload KG too")
        return machine
    if centre is None:
        raise InputError("--payload: give --centre X,Y,Z too, its mass centre in the platform frame")
    J = None
    if inertia is not None:
        xx, yy, zz, xy, xz, yz = (*numbers("--inertia", inertia, (3, 6)), 0.0, 0.0, 0.0)[:6]
        J = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    place = numbers("--centre", centre, (3,)) * machine.units.metres
    return cast(M, machine.with_payload(payload, place, J))


def units_of(machine: Machine | StackedMachine) -> dict[str, Any]:
    """The units of an answer, for JSON."""
    units = {"length": machine.units.length, "angle": machine.units.angle}
    if isinstance(machine, Machine):
        return {**units, "joint": machine.joint_unit}
    return {
        **units,
        "joints": [unit_of(machine.units, one.legs.joint_unit)[1] for one in machine.stages for _ in range(6)],
    }
