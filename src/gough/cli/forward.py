"""`gough forward`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from gough.cli.pose_input import Array, Orientation
    from gough.kinematics.forward import ForwardSolution
    from gough.machine import Machine
    from gough.stacked import StackedMachine

Joints = Annotated[
    str | None, typer.Option(metavar="Q1,...,Q6", help="Joint coordinates, in the units of the machine file.")
]
Near = Annotated[
    str | None,
    typer.Option(
        metavar="POSE",
        help="Pose to start from instead of home: X,Y,Z; X,Y,Z,A,B,C; or X,Y,Z and a quaternion X,Y,Z,W.",
    ),
]
AsMatrix = Annotated[bool, typer.Option("--as-matrix", help="Write poses as matrices m00 to m33.")]


def forward(
    machine: options.Machine,
    joints: Joints = None,
    near: Near = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    as_matrix: AsMatrix = False,
    csv: options.Csv = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """Poses with given joint coordinates.

    Continued from home or from --near. The orientation is written as a
    quaternion, or as angles with --sequence or --convention. Certified
    poses are proven to fit, within the errors given. In a batch, rows
    without an answer are nan and say so, and the exit code is 1.
    """
    from gough.cli.beside import note_joints
    from gough.cli.machine import load_any, units_of
    from gough.cli.output import emit, note
    from gough.cli.pose_input import Orientation, parse_pose
    from gough.cli.pose_output import pose_columns, pose_values
    from gough.stacked import StackedMachine

    orientation = Orientation(sequence, convention)
    m = load_any(machine, si=si)
    if isinstance(m, StackedMachine):
        _of_stages(m, joints, csv, near, orientation, as_matrix=as_matrix, as_json=as_json, output=output)
        return
    start = None if near is None else parse_pose("--near", near, orientation, m.units)
    q = read_joints(m, joints, csv)
    solution = _solve(m, q, start)
    values = pose_values(solution.matrix, orientation, m.units, as_matrix=as_matrix)
    evidence = _evidence(m, solution)
    columns = pose_columns(values, m.units) | {_titled(key, m): value for key, value in evidence.items()}
    document = {"machine": m.name, "units": units_of(m), **values, **evidence}
    emit(columns, document, as_json=as_json, output=output)
    note_joints(m, q)
    missing = int((~solution.converged).sum())
    if missing:
        note(f"no pose found for {missing} of {len(q)} rows: give a closer --near, or none has these values")
        raise typer.Exit(1)


def _of_stages(
    machine: StackedMachine,
    joints: str | None,
    csv: str | None,
    near: str | None,
    orientation: Orientation,
    *,
    as_matrix: bool,
    as_json: bool,
    output: Path | None,
) -> None:
    """Both platforms of a machine of two stages."""
    from gough.cli.output import note
    from gough.cli.stacked import stacked_forward
    from gough.errors import InputError

    if near is not None:
        raise InputError("--near is for one machine; two stages start from home, or one by one (NAME:1, NAME:2)")
    missing = stacked_forward(machine, joints, csv, orientation, as_matrix=as_matrix, as_json=as_json, output=output)
    if missing:
        note(f"no poses of both platforms found for {missing} rows")
        raise typer.Exit(1)


def _solve(machine: Machine, q: Array, start: Array | None) -> ForwardSolution:
    """Solutions for q (6,), which must have one, or (n, 6)."""
    from gough.cli.batch import in_parts, joined
    from gough.kinematics.forward import ForwardSolution, forward_kinematics

    is_single = q.ndim == 1
    parts = in_parts(
        "forward kinematics", lambda part: forward_kinematics(machine, part, near=start, throw=is_single), q, 1
    )
    return ForwardSolution(
        joined([part.matrix for part in parts]),
        joined([part.residual for part in parts]),
        joined([part.iterations for part in parts]),
        joined([part.status for part in parts]),
        machine,
        q,
    )


def _evidence(machine: Machine, solution: ForwardSolution) -> dict[str, Any]:
    """How good the poses are, in the machine's units, the status in words."""
    import numpy as np

    from gough.kinematics.forward import Status

    words = np.array([state.name.lower().replace("_", " ") for state in Status])
    proof = solution.certificate
    return {
        "residual": solution.residual / machine.units.metres,
        "iterations": solution.iterations,
        "status": words[solution.status],
        "certified": proof.proven,
        "error_position": np.where(proof.proven, proof.position_error, np.nan) / machine.units.metres,
        "error_rotation": np.where(proof.proven, proof.rotation_error, np.nan) / machine.units.radians,
    }


def _titled(key: str, machine: Machine) -> str:
    unit = {"residual": "length", "error_position": "length", "error_rotation": "angle"}.get(key)
    return key if unit is None else f"{key}_{getattr(machine.units, unit)}"


def read_joints(machine: Machine, joints: str | None, csv: str | None) -> Array:
    """Joint coordinates (6,) from the option or (n, 6) from a table [SI]."""
    from gough.cli.numbers import numbers
    from gough.cli.table import read_table
    from gough.errors import InputError

    if (joints is None) == (csv is None):
        raise InputError("give the joint coordinates with --joints Q1,...,Q6, or many with --csv FILE")
    if joints is not None:
        return numbers("--joints", joints, (6,)) * machine.joint_scale
    names = [f"q{leg}" for leg in range(1, 7)]
    table = read_table(csv or "-", dict.fromkeys(names, machine.legs.joint), machine.units)
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise InputError(f"{table.where}: columns missing: {', '.join(missing)}; joint coordinates are q1 to q6")
    return table.stack(names)
