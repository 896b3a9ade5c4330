"""`gough modes --between`: the way from one mode to another, a row for each pose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.assembly.mode_transition import ModeTransition, mode_transition
from gough.cli.machine import units_of
from gough.cli.numbers import numbers
from gough.cli.output import emit, note
from gough.cli.pose_input import Orientation
from gough.cli.pose_output import pose_columns, pose_values
from gough.errors import GoughError, InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.limits.margins import margins
from gough.machine import Machine

if TYPE_CHECKING:
    from gough.assembly.assembly_modes import AssemblyModes
    from gough.cli.pose_input import Array


def write_path(
    machine: Machine,
    found: AssemblyModes,
    between: str,
    orientation: Orientation,
    *,
    as_json: bool,
    output: Path | None,
) -> None:
    """Write the path between two modes, given by their numbers "1,2" as `gough modes` counts them."""
    first, last = _chosen(between, len(found))
    path = mode_transition(machine, found.matrix[first - 1], found.matrix[last - 1])
    if path is None:
        raise GoughError(f"no path found from mode {first} to mode {last}: a leg cannot close on any way tried")
    s, X, is_crossing = _with_crossings(path)
    q = inverse_kinematics(machine, X) / machine.joint_scale
    values = pose_values(X, orientation, machine.units)
    evidence = {"allowed": margins(machine, X).is_allowed, "singular": is_crossing}
    joints = {f"q{leg}_{machine.joint_unit}": q[:, leg - 1] for leg in range(1, 7)}
    document = {"machine": machine.name, "units": units_of(machine), "between": [first, last]}
    columns = {"s": s, **pose_columns(values, machine.units), **joints, **evidence}
    document |= {"s": s, **values, "joints": q, **evidence, "crossings": path.crossings}
    emit(columns, document, as_json=as_json, output=output)
    note(f"from mode {first} to mode {last}, {path.sentence()}")


def _chosen(between: str, count: int) -> tuple[int, int]:
    """Two numbers of modes, from 1."""
    chosen = numbers("--between", between, [2])
    if not (np.isin(chosen, np.arange(1, count + 1)).all() and chosen[0] != chosen[1]):
        raise InputError(f"--between: {between!r}, expected two different modes of 1 to {count}")
    return int(chosen[0]), int(chosen[1])


def _with_crossings(path: ModeTransition) -> tuple[Array, Array, Any]:
    """Places and poses along the path with the singular ones among them, and which those are."""
    s = np.concatenate([path.s, path.crossings])
    order = np.argsort(s, kind="stable")
    return s[order], np.concatenate([path.matrix, path.crossing_poses])[order], order >= len(path.s)
