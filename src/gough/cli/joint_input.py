"""Joint coordinates as the command line takes them: from an option, or from a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from gough.cli.table import Table, numbers, read_table
from gough.errors import InputError
from gough.machine import Machine
from gough.present.units import unit_of
from gough.stacked import StackedMachine

Array = NDArray[np.float64]


def read_joints(
    machine: Machine | StackedMachine, joints: str | None, csv: str | None, beside: Collection[str] = ()
) -> Array:
    """Joint coordinates (6,) from the option or (n, 6) from a table [SI]; twelve of two stages."""
    legs = [stage.legs for stage in machine.stages for _ in range(6)]
    last = f"q{len(legs)}"
    if (joints is None) == (csv is None):
        which = "the joint coordinates" if len(legs) == 6 else "the twelve joint coordinates"
        raise InputError(f"give {which} with --joints Q1,...,{last.upper()}, or many with --csv FILE")
    if joints is not None:
        sizes = [unit_of(machine.units, each.joint_unit)[0] for each in legs]
        return numbers("--joints", joints, (len(legs),)) * sizes
    names = {f"q{k}": each.joint for k, each in enumerate(legs, 1)}
    return _read(csv or "-", machine, names, beside, f"joint coordinates are q1 to {last}").stack(list(names))


def read_joint_history(file: str, machine: Machine) -> tuple[Array, Array]:
    """Times (k,) [s] and joint coordinates (k, 6) [SI] from a table."""
    names = [f"q{leg}" for leg in range(1, 7)]
    table = _read(
        file,
        machine,
        {"time": "time", **dict.fromkeys(names, machine.legs.joint)},
        (),
        "a history is time and q1 to q6",
    )
    return table.columns["time"], table.stack(names)


def _read(
    file: str, machine: Machine | StackedMachine, dimensions: Mapping[str, str], beside: Collection[str], what: str
) -> Table:
    """A table that has all of the columns; `what` says so where it has not."""
    table = read_table(file, dimensions, machine.units, beside)
    missing = [name for name in dimensions if name not in table.columns]
    if missing:
        raise InputError(f"{table.where}: columns missing: {', '.join(missing)}; {what}")
    return table
