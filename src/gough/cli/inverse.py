"""`gough inverse`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from typer import Context, Option

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    Angles,
    At,
    Json,
    MachineName,
    Options,
    Output,
    Sequences,
    Share,
    Si,
    Table,
    flag,
    text,
)
from gough.errors import InputError
from gough.present.answer import Answer, Field, json_of, of_result
from gough.quantity import LEGS, TWELVE_LEGS

if TYPE_CHECKING:
    from gough.cli.request import Request


def inverse(
    context: Context, machine: MachineName, at: At = None, angles: Angles = None,
    quaternion: Annotated[
        str | None, text("X,Y,Z,W", "Orientation of the pose as a quaternion, instead of behind the position.")
    ] = None,
    sequence: Sequences = None, share: Share = None, csv: Table = None,
    choice: Annotated[
        Literal["fixed", "margin", "force", "relative-force"] | None,
        Option(help="Two stages: how the free coordinates are chosen."),
    ] = None,
    passive: Annotated[
        bool,
        flag("--passive", "Angles of the legs' universal joints (about both axes) and ball joints from home, too."),
    ] = False,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Inverse kinematics: joint coordinates of poses.

    Of one pose given by options, of many in a CSV file, or of home. A leg
    that cannot close has none: nan, or null in JSON. A machine of two
    stages has twelve, which follow from --choice. Where the file gives
    encoders, beside them what the controller reads and commands, r1 to r6.
    """
    from gough.machine import Machine

    given = Options(
        at=at, angles=angles, quaternion=quaternion, sequence=sequence, share=share, csv=csv, si=si, as_json=as_json,
        output=output,
    )  # fmt: skip
    request = request_of(context, machine, given)
    m = request.any_machine
    if not isinstance(m, Machine):
        if share is not None and choice not in (None, "fixed"):
            raise InputError(f"--share goes with --choice fixed, not with {choice}")
        request.write(_of_two_stages(request, (choice or "fixed").replace("-", " "), passive=passive))
        return
    if choice is not None:
        raise InputError(f"--choice is for machines of two stages; {m.name!r} has one")
    request.write(_of_one_stage(request, passive=passive))


def _of_one_stage(request: Request, *, passive: bool) -> Answer:
    """Six joint coordinates of poses."""
    import numpy as np

    from gough.limits.ties import some_of

    m, X = request.machine, request.X
    q = request.in_parts("inverse kinematics", lambda part: gough.inverse_kinematics(m, part), X)
    request.note_joints(q)
    is_open, notes = np.isnan(q).any(axis=-1), list[str]()
    if is_open.any():
        which = some_of(is_open, "this pose", "poses")
        notes = [f"a leg cannot close at {which}: its joint coordinate is nan; gough margins says by how much"]
    return Answer([*request.joints(q), *(request.passive_joints(X) if passive else [])], notes=notes)


def _of_two_stages(request: Request, choice: Any, *, passive: bool) -> Answer:
    """Twelve joint coordinates of poses of the end platform, and the poses of the intermediate platform."""
    X, machine = request.X, cast(gough.StackedMachine, request.any_machine)
    with request.progress("inverse kinematics", max(1, X[..., 0, 0].size)) as advance:
        found = gough.stages.resolve_redundancy(machine, X, choice, progress=lambda k, n: advance(1))
    units = [stage.legs.joint_unit for stage in machine.stages for _ in LEGS]
    fields = [
        *json_of(found, "choice"),
        Field("joints", found.joints, units, TWELVE_LEGS, "q{}"),
        *request.poses(found.matrix[..., 0, :, :], as_intermediate=True),
        *of_result(found, "margin"),
        *(request.passive_joints(found.matrix) if passive else []),
    ]
    refusal = found.margins.refusal()
    return Answer(fields, notes=[f"with this choice {refusal}"] if refusal else [])
