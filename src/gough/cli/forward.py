"""`gough forward`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import gough
from gough.cli.command import command
from gough.errors import InputError
from gough.present.answer import Answer, Field

if TYPE_CHECKING:
    from gough.cli.request import Request

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


@command("orientation", "csv", "output")
def forward(request: Request, joints: Joints = None, near: Near = None, as_matrix: AsMatrix = False) -> Answer:
    """Poses with given joint coordinates.

    Continued from home or from --near. The orientation is written as a
    quaternion, or as angles with --sequence or --convention. Certified
    poses are proven to fit, within the errors given. In a batch, rows
    without an answer are nan and say so, and the exit code is 1.
    """
    import numpy as np

    from gough.cli.joint_input import read_joints
    from gough.cli.stacked import stacked_forward
    from gough.stacked import StackedMachine

    m = request.any_machine
    if isinstance(m, StackedMachine):
        if near is not None:
            raise InputError("--near is for one machine; two stages start from home, or one by one (NAME:1, NAME:2)")
        return stacked_forward(request, m, joints, as_matrix=as_matrix)
    start = request.pose("--near", near)
    q = read_joints(m, joints, request.given.csv)
    found = request.in_parts(
        "forward kinematics", lambda part: gough.forward_kinematics(m, part, near=start, throw=q.ndim == 1), q, 1
    )
    request.note_joints(q)
    proof, missing = found.certificate, int((~found.converged).sum())
    fields = [
        *request.poses(found.matrix, as_matrix=as_matrix),
        Field("residual", found.residual, "m"),
        Field("iterations", found.iterations),
        Field("status", found.status_words),
        Field("certified", proof.proven),
        Field("error_position", np.where(proof.proven, proof.position_error, np.nan), "m"),
        Field("error_rotation", np.where(proof.proven, proof.rotation_error, np.nan), "rad"),
    ]
    note = f"no pose found for {missing} of {len(q)} rows: give a closer --near, or none has these values"
    return Answer(fields, notes=[note] if missing else [], code=int(missing > 0))
