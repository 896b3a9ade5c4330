"""`gough inverse` and `gough forward` for machines of two stages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.cli.numbers import numbers
from gough.cli.output import emit, note
from gough.cli.pose_input import Orientation
from gough.cli.pose_output import pose_columns, pose_values
from gough.cli.progress import progress
from gough.cli.table import read_table
from gough.errors import InputError
from gough.stacked import StackedMachine

if TYPE_CHECKING:
    from gough.stages.inverse import Choice

Array = NDArray[np.float64]


def stacked_inverse(
    machine: StackedMachine, X: Array, choice: Choice, share: float, *, as_json: bool, output: Path | None
) -> None:
    """Twelve joint coordinates of poses of the end platform, and where the intermediate platform is then."""
    from gough.stages.inverse import inverse_kinematics

    with progress("inverse kinematics", max(1, X[..., 0, 0].size)) as advance:
        found = inverse_kinematics(machine, X, choice, share=share, progress=lambda k, n: advance(1))
    q, between = found.joints / _scales(machine), _between(machine, found.intermediate)
    columns = {f"q{leg}_{unit}": q[..., leg - 1] for leg, unit in enumerate(_units(machine), 1)}
    columns |= {f"mid_{name}": column for name, column in pose_columns(between, machine.units).items()}
    columns["margin"] = found.margin
    document = {**_head(machine), "choice": choice, "joints": q, "intermediate": between, "margin": found.margin}
    emit(columns, document, as_json=as_json, output=output)
    broken = ~np.atleast_1d(found.is_allowed)
    if broken.any():
        which = "this pose is" if X.ndim == 2 else f"{broken.sum()} of {len(X)} poses are"
        note(f"{which} not allowed with this choice: the smallest margin of both stages is negative")


def stacked_forward(
    machine: StackedMachine,
    joints: str | None,
    csv: str | None,
    orientation: Orientation,
    *,
    as_matrix: bool,
    as_json: bool,
    output: Path | None,
) -> int:
    """Poses of the end platform with twelve joint coordinates; how many rows have none."""
    from gough.stages.forward import forward_kinematics

    q = _read_joints(machine, joints, csv)
    with progress("forward kinematics"):
        found = forward_kinematics(machine, q, throw=q.ndim == 1)
    values = pose_values(found.matrix, orientation, machine.units, as_matrix=as_matrix)
    between = _between(machine, found.intermediate)
    residual = found.residual / machine.units.metres
    evidence: dict[str, Any] = {"iterations": found.iterations, "converged": found.converged}
    columns: dict[str, Any] = {**pose_columns(values, machine.units)}
    columns |= {f"mid_{name}": column for name, column in pose_columns(between, machine.units).items()}
    columns |= {f"residual_{machine.units.length}": residual, **evidence}
    document = {**_head(machine), **values, "intermediate": between, "residual": residual, **evidence}
    emit(columns, document, as_json=as_json, output=output)
    return int((~np.atleast_1d(found.converged)).sum())


def _head(machine: StackedMachine) -> dict[str, Any]:
    units = {"length": machine.units.length, "angle": machine.units.angle, "joints": _units(machine)}
    return {"machine": machine.name, "units": units}


def _between(machine: StackedMachine, X_BI: Array) -> dict[str, Array]:
    return pose_values(X_BI, Orientation(), machine.units)


def _units(machine: StackedMachine) -> list[str]:
    """Unit of each joint coordinate: the file's for lengths or angles."""
    units = machine.units
    return [units.length if stage.legs.joint == "length" else units.angle for stage in machine.stages for _ in range(6)]


def _scales(machine: StackedMachine) -> Array:
    units = machine.units
    sizes = [units.metres if stage.legs.joint == "length" else units.radians for stage in machine.stages]
    return np.repeat(sizes, 6)


def _read_joints(machine: StackedMachine, joints: str | None, csv: str | None) -> Array:
    """Joint coordinates (12,) from the option or (n, 12) from a table [SI]."""
    if (joints is None) == (csv is None):
        raise InputError("give the twelve joint coordinates with --joints Q1,...,Q12, or many with --csv FILE")
    if joints is not None:
        return numbers("--joints", joints, (12,)) * _scales(machine)
    dimensions = {f"q{leg}": machine.stages[(leg - 1) // 6].legs.joint for leg in range(1, 13)}
    table = read_table(csv or "-", dimensions, machine.units, _BESIDE)
    missing = [name for name in dimensions if name not in table.columns]
    if missing:
        raise InputError(f"{table.where}: columns missing: {', '.join(missing)}; joint coordinates are q1 to q12")
    return table.stack(list(dimensions))


_BESIDE = ("mid", "margin")
"""What `gough inverse` writes beside the joints."""
