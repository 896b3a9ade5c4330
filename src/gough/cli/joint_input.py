"""Joint coordinates of the command line: from an option or from a table, as coordinates or as readings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.cli.columns import TIME
from gough.cli.table import Table, numbers, read_table
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.present.units import unit_of
from gough.stacked import StackedMachine

if TYPE_CHECKING:
    from gough.cli.inputs import Inputs
    from gough.cli.request import Request


def read_joints(inputs: Inputs) -> Array:
    """Joint coordinates or readings (6,) of the options or (n, 6) of a table, as coordinates [SI]; 12 of two stages.

    Times of a table become those of the inputs.
    """
    machine, options = inputs.any_machine, inputs.options
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
    table, q = _from_table(machine, csv or "-", [each.joint for each in legs])
    inputs.time = table.columns.get("time")
    return q


def joints_or_pose(request: Request) -> Array:
    """Joint coordinates (n, 6) [SI] as from `read_joints`; those of the pose of the options, or home, without any."""
    given = request.options
    if any(each is not None for each in (given.joints, given.readings, given.csv)):
        return np.atleast_2d(read_joints(request))
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
    machine: Machine | StackedMachine, file: str, kinds: Sequence[str], *, has_time: bool = False
) -> tuple[Table, Array]:
    """A table, and joint coordinates of its columns q1, q2, ..., or of readings r1, r2, ... where it has only those."""
    coordinates, readings = ({f"{letter}{k}": kind for k, kind in enumerate(kinds, 1)} for letter in "qr")

    def given(names: Collection[str]) -> list[str]:
        has_readings = not set(coordinates) & set(names) and bool(set(readings) & set(names))
        return list(readings if has_readings else coordinates)

    def check(names: Collection[str]) -> list[str]:
        needed = [*(TIME if has_time else ()), *given(names)]
        missing = [name for name in needed if name not in names]
        what = "readings are" if needed[-1] in readings else "joint coordinates are"
        what = "a history is time and" if has_time else what
        words = f"Columns missing: {', '.join(missing)}; {what} {given(names)[0]} to {needed[-1]}."
        return [words] if missing else []

    layouts = [(*TIME, *coordinates)] if has_time else [tuple(coordinates)]
    table = read_table(file, {**TIME, **coordinates, **readings}, machine.units, check=check, layouts=layouts)
    values = table.stack(given(table.columns))
    return table, _coordinates(machine, values) if given(table.columns)[0] in readings else values
