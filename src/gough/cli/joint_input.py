"""Joint coordinates as the command line takes them: from an option, or from a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.cli.options import Options
from gough.cli.table import Table, numbers, read_table
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.present.units import unit_of
from gough.stacked import StackedMachine

if TYPE_CHECKING:
    from gough.cli.command import Request


def read_joints(machine: Machine | StackedMachine, options: Options, beside: Collection[str] = ()) -> Array:
    """Joint coordinates (6,) from the options or (n, 6) from a table [SI], twelve of two stages; from readings too."""
    joints, readings, csv = options.joints, options.readings, options.csv
    legs = [stage.legs for stage in machine.stages for _ in range(6)]
    last = f"q{len(legs)}"
    if sum(each is not None for each in (joints, readings, csv)) != 1:
        which = "the joint coordinates" if len(legs) == 6 else "the twelve joint coordinates"
        raise InputError(
            f"give {which} with --joints Q1,...,{last.upper()}, readings with --readings, or many with --csv FILE"
        )
    sizes = [unit_of(machine.units, each.joint_unit)[0] for each in legs]
    if readings is not None:
        return _coordinates(machine, numbers("--readings", readings, (len(legs),)) * sizes)
    if joints is not None:
        return numbers("--joints", joints, (len(legs),)) * sizes
    return _from_table(machine, csv or "-", [each.joint for each in legs], beside)


def joints_or_pose(request: Request) -> Array:
    """Joint coordinates (n, 6) [SI] as from `read_joints`; those of the pose of the options, or home, without any."""
    given = request.options
    if any(each is not None for each in (given.joints, given.readings, given.csv)):
        return np.atleast_2d(read_joints(request.machine, given))
    q = inverse_kinematics(request.machine, request.X)
    if not np.isfinite(q).all():
        raise InputError("a leg cannot close at this pose; gough margins says by how much")
    return np.atleast_2d(q)


def _coordinates(machine: Machine | StackedMachine, readings: Array) -> Array:
    """Joint coordinates of readings, by the file's encoders; without them readings are joint coordinates."""
    parts = np.split(readings, len(machine.stages), axis=-1)
    encoders = [stage.encoders for stage in machine.stages]
    own = [q if each is None else each.coordinates(q) for each, q in zip(encoders, parts, strict=True)]
    return np.concatenate(own, axis=-1)


def _from_table(machine: Machine | StackedMachine, csv: str, kinds: Sequence[str], beside: Collection[str]) -> Array:
    """Columns q1, q2, ... of a table, or r1, r2, ..., of readings, where it has only those."""
    coordinates, readings = ({f"{letter}{k}": kind for k, kind in enumerate(kinds, 1)} for letter in "qr")
    table = read_table(csv, {**coordinates, **readings}, machine.units, beside)
    if not set(coordinates) & set(table.columns) and set(readings) & set(table.columns):
        _check_columns(table, readings, f"readings are r1 to r{len(kinds)}")
        return _coordinates(machine, table.stack(list(readings)))
    _check_columns(table, coordinates, f"joint coordinates are q1 to q{len(kinds)}")
    return table.stack(list(coordinates))


def read_joint_history(file: str, machine: Machine) -> tuple[Array, Array]:
    """Times (k,) [s] and joint coordinates (k, 6) [SI] from a table; from readings r1 to r6 where it has only those."""
    coordinates, readings = ([f"{letter}{leg}" for leg in range(1, 7)] for letter in "qr")
    dimensions = {"time": "time", **dict.fromkeys([*coordinates, *readings], machine.legs.joint)}
    table = read_table(file, dimensions, machine.units)
    is_read = not set(coordinates) & set(table.columns) and bool(set(readings) & set(table.columns))
    names = readings if is_read else coordinates
    _check_columns(table, ["time", *names], f"a history is time and {names[0]} to {names[-1]}")
    values = table.stack(names)
    return table.columns["time"], _coordinates(machine, values) if is_read else values


def _check_columns(table: Table, names: Iterable[str], what: str) -> None:
    """Refuse a table that misses some of the columns; `what` says what they are."""
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise InputError(f"{table.where}: columns missing: {', '.join(missing)}; {what}")
