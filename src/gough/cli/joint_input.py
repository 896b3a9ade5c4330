"""Joint coordinates of the command line: from an option or from a table, as coordinates or as readings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
    """Joint coordinates or readings (6,) of the options or (n, 6) of a table, as coordinates [SI]; 12 of two stages."""
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
    return _from_table(machine, csv or "-", [each.joint for each in legs], beside)[1]


def joints_or_pose(request: Request) -> Array:
    """Joint coordinates (n, 6) [SI] as from `read_joints`; those of the pose of the options, or home, without any."""
    given = request.options
    if any(each is not None for each in (given.joints, given.readings, given.csv)):
        return np.atleast_2d(read_joints(request.machine, given))
    q = inverse_kinematics(request.machine, request.X)
    if not np.isfinite(q).all():
        raise InputError("a leg cannot close at this pose; gough margins says by how much")
    return np.atleast_2d(q)


def read_joint_history(file: str, machine: Machine) -> tuple[Array, Array]:
    """Times (k,) [s] and joint coordinates (k, 6) [SI] from a table, of coordinates or of readings."""
    table, q = _from_table(machine, file, [machine.legs.joint] * 6, has_time=True)
    return table.columns["time"], q


def _coordinates(machine: Machine | StackedMachine, readings: Array) -> Array:
    """Joint coordinates at readings, by the file's encoders; the same numbers without encoders."""
    parts = np.split(readings, len(machine.stages), axis=-1)
    encoders = [stage.encoders for stage in machine.stages]
    own = [q if each is None else each.coordinates(q) for each, q in zip(encoders, parts, strict=True)]
    return np.concatenate(own, axis=-1)


def _from_table(
    machine: Machine | StackedMachine, file: str, kinds: Sequence[str], beside: Collection[str] = (), *,
    has_time: bool = False,
) -> tuple[Table, Array]:  # fmt: skip
    """A table, and joint coordinates of its columns q1, q2, ..., or of readings r1, r2, ... where it has only those."""
    coordinates, readings = ({f"{letter}{k}": kind for k, kind in enumerate(kinds, 1)} for letter in "qr")
    time = {"time": "time"} if has_time else {}
    table = read_table(file, {**time, **coordinates, **readings}, machine.units, beside)
    has_readings = not set(coordinates) & set(table.columns) and bool(set(readings) & set(table.columns))
    names, what = (list(readings), "readings are") if has_readings else (list(coordinates), "joint coordinates are")
    if missing := [name for name in [*time, *names] if name not in table.columns]:
        what = "a history is time and" if has_time else what
        raise InputError(f"{table.where}: columns missing: {', '.join(missing)}; {what} {names[0]} to {names[-1]}")
    values = table.stack(names)
    return table, _coordinates(machine, values) if has_readings else values
