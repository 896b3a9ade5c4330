"""Joint coordinates of the command line, and measurements of calibrations, from options and tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.cli.pose_input import (
    ROTATIONS,
    Orientation,
    pose_faults,
    poses_from_table,
)
from gough.cli.table import Table, numbers, read_table
from gough.cli.table_files import DIMENSIONS, POSITION, TIME
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.present.units import unit_of
from gough.stacked import StackedMachine

if TYPE_CHECKING:
    from gough.cli.inputs import Inputs
    from gough.cli.request import Request


def read_joints(inputs: Inputs) -> Array:
    """Return joint coordinates or readings (6,) of the options or (n, 6) of a table, as coordinates [SI]; 12 of two
    stages.

    Times of a table become those of the inputs.
    """
    machine, options = inputs.any_machine, inputs.options
    joints, readings, csv = options.joints, options.readings, options.csv
    legs = [stage.legs for stage in machine.stages for _ in range(6)]
    last = f"q{len(legs)}"
    if sum(each is not None for each in (joints, readings, csv)) != 1:
        which = "the joint coordinates" if len(legs) == 6 else "the twelve joint coordinates"
        raise InputError(
            f"specify {which} with --joints Q1,...,{last.upper()}, readings with --readings, or many with --csv FILE"
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
    """Return joint coordinates (n, 6) [SI] as from `read_joints`; without any, compute them at the pose of the options,
    default: home."""
    given = request.options
    if any(each is not None for each in (given.joints, given.readings, given.csv)):
        return np.atleast_2d(read_joints(request))
    q = inverse_kinematics(request.machine, request.X)
    if not np.isfinite(q).all():
        raise InputError("a leg cannot close at this pose; see gough margins for the distance")
    return np.atleast_2d(q)


def read_joint_history(file: str, machine: Machine) -> tuple[Array, Array]:
    """Return times (k,) [s] and joint coordinates (k, 6) [SI] from a table, of coordinates or of readings."""
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


MOST = 9
"""Largest number of targets and of wires."""
_READINGS = tuple(f"q{leg}" for leg in range(1, 7))
_TARGETS = {f"{axis}{k}": "length" for k in range(1, MOST + 1) for axis in "xyz"}
_WIRES = {f"d{k}": "length" for k in range(1, MOST + 1)}
_LEVELS = ("level1", "level2")


def read_measurements(file: str, machine: Machine, orientation: Orientation, zero: float) -> dict[str, Any]:
    """Return arguments of `gough.calibrate` from a table, in SI.

    Parameters
    ----------
    file : str
        Path, or "-".
    machine : Machine
        Its units hold for columns that name none.
    orientation : Orientation
        Meaning of angles.
    zero : float
        Joint coordinate at which motors read zero turns [m or rad].

    """
    kind = f"{machine.legs.joint} or turns"
    dimensions = {
        **dict.fromkeys(_READINGS, kind), **DIMENSIONS, **_TARGETS, **_WIRES, **dict.fromkeys(_LEVELS, "angle"),
        "session": "number", "reference": "number",
    }  # fmt: skip

    def check(names: Collection[str]) -> list[str]:
        missing = [name for name in _READINGS if name not in names]
        faults = [
            f"Columns missing: {', '.join(missing)}; readings of the joints are q1 to q6, as q1_mm, q1_deg or q1_turn "
            "of a motor."
        ]
        has_poses = any(set(group) & set(names) for group in ROTATIONS)
        return [*(faults if missing else []), *(pose_faults(names, orientation, is_whole=True) if has_poses else [])]

    table = read_table(file, dimensions, machine.units, check=check, may_miss=True)
    found: dict[str, Any] = {"q": _readings(table, machine, zero)}
    found |= _poses(table, orientation)
    found |= _blocks(table)
    for name in ("session", "reference"):
        if name in table.columns and not np.isfinite(table.columns[name]).all():
            raise InputError(f"{table.where}: column {name!r} has empty cells; every row needs one")
    if "session" in table.columns:
        found["sessions"] = table.columns["session"]
    return found


def _readings(table: Table, machine: Machine, zero: float) -> Array:
    """Readings (n, 6) [m or rad]; turns of motors are converted by the lead or gear of their leg."""
    q = table.stack(_READINGS)
    turned = np.array([table.units[name] == "turn" for name in _READINGS])
    if not turned.any():
        return q
    ratio = machine.actuators.transmission
    if ratio is None:
        raise InputError(
            f"{table.where}: readings in turns need the lead or the gear, and machine {machine.name!r} has no "
            "actuators.screw_lead or gear_ratio"
        )
    # The transmission is the motor's angle [rad] per joint coordinate.
    return np.where(turned, zero + q * 2.0 * np.pi / ratio, q)


def _poses(table: Table, orientation: Orientation) -> dict[str, Any]:
    """Poses, or positions without columns of an orientation; NaN in rows with an incomplete pose."""
    turned = [g for g in ROTATIONS if set(g) & set(table.columns)]
    if not turned:
        axes = [table.columns.get(name) for name in POSITION]
        if all(each is None for each in axes):
            return {}
        n = len(table.columns["q1"])
        return {"positions": np.stack([np.full(n, np.nan) if each is None else each for each in axes], axis=1)}
    names = [name for name in DIMENSIONS if name in table.columns]
    whole = np.asarray(np.isfinite(table.stack(names)).all(axis=1))
    X = np.full((len(whole), 4, 4), np.nan)
    if whole.any():
        X[whole] = poses_from_table(
            Table(table.where, {name: table.columns[name][whole] for name in names}), orientation
        )
    if "reference" not in table.columns:
        return {"poses": X}
    to = np.nan_to_num(table.columns["reference"], nan=0.0)
    return {"relative": X, "relative_to": to.astype(int) - 1}  # rows count from 1, and 0 is none


def _blocks(table: Table) -> dict[str, Any]:
    """Positions of numbered targets, levels, and wires."""
    found: dict[str, Any] = {}
    n = len(table.columns["q1"])
    empty = np.full(n, np.nan)
    last = max((int(name[1:]) for name in _TARGETS if name in table.columns), default=0)
    if last:
        axes = [[table.columns.get(f"{axis}{k}", empty) for axis in POSITION] for k in range(1, last + 1)]
        found["positions"] = np.moveaxis(np.array(axes), -1, 0)
    wires = max((int(name[1:]) for name in _WIRES if name in table.columns), default=0)
    if wires:
        found["distances"] = np.stack([table.columns.get(f"d{k}", empty) for k in range(1, wires + 1)], axis=1)
    if set(_LEVELS) & set(table.columns):
        found["angles"] = np.stack([table.columns.get(name, empty) for name in _LEVELS], axis=1)
    return found
