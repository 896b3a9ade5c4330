"""What is shown as a table: the pose, or a motion over time, in the units of the machine's file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.machine import Machine
from gough.plot._units import file_unit, in_file_units
from gough.viewer.clips import Clip
from gough.viewer.pose_controller import Mover
from gough.viewer.pose_coordinates import Reading

Array = NDArray[np.float64]


def clip_csv(machine: Machine, clip: Clip, reading: Reading) -> str:
    """Time, the six numbers of the pose, leg values and, where known, forces and powers; one row for each sample."""
    columns = {"time_s": clip.time, **_poses(machine, clip.X, reading)}
    columns |= _legs("q", machine.joint_unit, clip.q / machine.joint_scale)
    unit = "N" if machine.legs.joint == "length" else "Nm"
    for name, values, short in (("force", clip.force, unit), ("power", clip.power, "W")):
        if values is not None:
            columns |= _legs(name, short, values)
    return _text(columns)


def pose_csv(mover: Mover, reading: Reading) -> str:
    """The pose that is shown in one row: its six numbers, the legs and every margin."""
    machine = mover.machine
    columns = _poses(machine, mover.X[None], reading)
    columns |= _legs("q", machine.joint_unit, mover.q[None] / machine.joint_scale)
    for name, unit, value in zip(mover.margins.names, mover.margins.units, mover.margins.values, strict=True):
        shown = file_unit(machine, unit)
        title = f"margin {name}".replace(" ", "_").replace("-", "_") + (f"_{shown}" if shown else "")
        columns[title] = in_file_units(machine, [value], unit)
    return _text(columns)


def _poses(machine: Machine, X: Array, reading: Reading) -> dict[str, Array]:
    numbers = np.array([reading.numbers(machine, pose) for pose in X])
    units = [file_unit(machine, "m")] * 3 + [file_unit(machine, "rad")] * 3
    scaled = [in_file_units(machine, numbers[:, k], "m" if k < 3 else "rad") for k in range(6)]
    return {f"{name}_{unit}": column for name, unit, column in zip(reading.names, units, scaled, strict=True)}


def _legs(name: str, unit: str, values: Array) -> dict[str, Array]:
    return {f"{name}{i + 1}_{unit}": values[:, i] for i in range(6)}


def _text(columns: dict[str, Array]) -> str:
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return "\n".join([",".join(columns), *(",".join(f"{value:.12g}" for value in row) for row in rows)]) + "\n"
