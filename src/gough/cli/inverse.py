"""`gough inverse`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.stages.inverse import Choice

ChoiceOf = Annotated[
    str | None,
    typer.Option(
        "--choice",
        metavar="NAME",
        help="Two stages: how the free coordinates are chosen: fixed, margin, force or relative-force.",
    ),
]
Share = Annotated[
    float | None,
    typer.Option(metavar="PART", help="Two stages, fixed choice: the lower stage's part, 0 to 1; 0.5 if not given."),
]


def inverse(
    machine: options.Machine,
    at: options.At = None,
    angles: options.Angles = None,
    quaternion: options.Quaternion = None,
    matrix: options.Matrix = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    csv: options.Csv = None,
    choice: ChoiceOf = None,
    share: Share = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """Joint coordinates of poses.

    Of one pose given by options, of many in a CSV file, or of home. A leg
    that cannot close has none: nan, or null in JSON. A machine of two
    stages has twelve, which follow from --choice.
    """
    import numpy as np

    from gough.cli.batch import in_parts, joined
    from gough.cli.beside import note_joints
    from gough.cli.machine import load_any, units_of
    from gough.cli.output import emit, note
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.errors import InputError
    from gough.kinematics.inverse import inverse_kinematics
    from gough.stacked import StackedMachine

    m = load_any(machine, si=si)
    X = read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv), m)
    if isinstance(m, StackedMachine):
        from gough.cli.stacked import stacked_inverse

        stacked_inverse(m, X, _choice(choice, share), 0.5 if share is None else share, as_json=as_json, output=output)
        return
    if choice is not None or share is not None:
        raise InputError(f"--choice and --share are for machines of two stages; {m.name!r} has one")
    parts = in_parts("inverse kinematics", lambda part: inverse_kinematics(m, part), X, 2)
    q = joined(parts) / m.joint_scale
    columns = {f"q{leg}_{m.joint_unit}": q[..., leg - 1] for leg in range(1, 7)}
    document = {"machine": m.name, "units": units_of(m), "joints": q}
    emit(columns, document, as_json=as_json, output=output)
    note_joints(m, joined(parts))
    open_rows = np.isnan(np.atleast_2d(q)).any(axis=1)
    if open_rows.any():
        which = "this pose" if q.ndim == 1 else f"{open_rows.sum()} of {len(q)} poses"
        note(f"a leg cannot close at {which}: its joint coordinate is nan; gough margins says by how much")


def _choice(choice: str | None, share: float | None) -> Choice:
    """The choice by its name on the command line."""
    from typing import get_args

    from gough.errors import InputError, nearest
    from gough.stages.inverse import Choice

    known = {name.replace(" ", "-"): name for name in get_args(Choice)}
    if choice is not None and choice not in known:
        raise InputError(f"--choice: {choice!r} is not known, expected {', '.join(known)}.{nearest(choice, known)}")
    if share is not None and choice not in (None, "fixed"):
        raise InputError(f"--share goes with --choice fixed, not with {choice}")
    return known[choice or "fixed"]
