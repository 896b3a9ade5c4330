"""`gough forward`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import POSE, Joints, Json, MachineName, Options, Output, Sequences, Si, Table, text
from gough.errors import InputError
from gough.present.answer import Answer, Field, of_result

if TYPE_CHECKING:
    pass


def forward(
    context: Context, machine: MachineName, joints: Joints = None,
    readings: Annotated[
        str | None, text("R1,...,R6", "Instead of joint coordinates what the controller reads, by the file's encoders.")
    ] = None,
    csv: Table = None,
    near: Annotated[str | None, text("POSE", f"Pose to start from instead of home: {POSE}.")] = None,
    sequence: Sequences = None, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Forward kinematics: poses of joint coordinates.

    Many from a CSV file: columns q1 to q6, or r1 to r6 of readings.

    Continued from home or from --near. The orientation is written as a
    quaternion, or as angles with --sequence. Certified
    poses are proven to fit, within the errors given. In a batch, rows
    without an answer are nan and say so, and the exit code is 1.
    """
    import numpy as np

    from gough.cli.joint_input import read_joints
    from gough.stacked import StackedMachine

    given = Options(joints=joints, readings=readings, csv=csv, sequence=sequence, si=si, as_json=as_json, output=output)
    request = request_of(context, machine, given)
    m, has_two = request.any_machine, isinstance(request.any_machine, StackedMachine)
    if has_two and near is not None:
        raise InputError("--near is for one machine; two stages start from home, or one by one (NAME:1, NAME:2)")
    start = request.pose("--near", near)
    q = read_joints(request)
    found = request.in_parts(
        "forward kinematics", lambda part: gough.forward_kinematics(m, part, near=start, throw=q.ndim == 1), q, 1
    )
    missing = int((~found.converged).sum())
    fields = [
        *request.all_poses(found.matrix),
        *of_result(found, "residual", "iterations"),
    ]
    if has_two:
        note = f"no poses of both platforms found for {missing} rows"
        fields += of_result(found, "converged")
    else:
        note = f"no pose found for {missing} of {len(q)} rows: probably none has these values, which gough modes proves"
        request.note_joints(q)
        proof = found.certificate
        fields += [
            Field("status", found.status_words),
            Field("certified", proof.proven),
            Field("error_position", np.where(proof.proven, proof.position_error, np.nan), "m"),
            Field("error_rotation", np.where(proof.proven, proof.rotation_error, np.nan), "rad"),
        ]
    request.write(Answer(fields, notes=[note] if missing else [], code=int(missing > 0)))
