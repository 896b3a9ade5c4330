"""`gough inverse`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import gough
from gough.cli.command import command
from gough.errors import InputError, nearest
from gough.present.answer import LEGS, Answer, Field

if TYPE_CHECKING:
    from gough.cli.request import Request
    from gough.stages.redundancy import Choice

ChoiceOf = Annotated[
    str | None,
    typer.Option(
        "--choice",
        metavar="NAME",
        help="Two stages: how the free coordinates are chosen: fixed, margin, force or relative-force.",
    ),
]


@command("pose", "share", "csv", "output")
def inverse(request: Request, choice: ChoiceOf = None) -> Answer:
    """Joint coordinates of poses.

    Of one pose given by options, of many in a CSV file, or of home. A leg
    that cannot close has none: nan, or null in JSON. A machine of two
    stages has twelve, which follow from --choice.
    """
    from gough.cli.stacked import stacked_inverse
    from gough.stacked import StackedMachine

    m, X = request.any_machine, request.X
    if isinstance(m, StackedMachine):
        return stacked_inverse(request, m, _choice(choice, request.options["share"]))
    if choice is not None:
        raise InputError(f"--choice is for machines of two stages; {m.name!r} has one")
    q = request.in_parts("inverse kinematics", lambda part: gough.inverse_kinematics(m, part), X)
    request.note_joints(q)
    is_open = (q != q).any(axis=-1)
    which = "this pose" if q.ndim == 1 else f"{is_open.sum()} of {len(q)} poses"
    note = f"a leg cannot close at {which}: its joint coordinate is nan; gough margins says by how much"
    return Answer([Field("joints", q, m.legs.joint_unit, LEGS, "q{}")], notes=[note] if is_open.any() else [])


def _choice(choice: str | None, share: float | None) -> Choice:
    """The choice by its name on the command line."""
    from typing import get_args

    from gough.stages.redundancy import Choice

    known = {name.replace(" ", "-"): name for name in get_args(Choice)}
    if choice is not None and choice not in known:
        raise InputError(f"--choice: {choice!r} is not known, expected {', '.join(known)}.{nearest(choice, known)}")
    if share is not None and choice not in (None, "fixed"):
        raise InputError(f"--share goes with --choice fixed, not with {choice}")
    return known[choice or "fixed"]
