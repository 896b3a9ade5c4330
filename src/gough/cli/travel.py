"""`gough travel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    DIRECTION,
    At,
    Json,
    MachineName,
    Options,
    Output,
    Sequences,
    Share,
    Si,
    Table,
    text,
)
from gough.present.answer import Answer, Field, Words, json_keys, of_result
from gough.quantity import ALONG_AXES, AXES

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request


def travel(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None,
    along: Annotated[
        str | None, text("DIRECTION", f"An axis: x, -y, rz ...; {DIRECTION}. Without it: all axes, in both senses.")
    ] = None,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Travel along an axis, and the limit that binds there.

    Of the point of interest, from one pose given by options, from many in
    a CSV file, or from home. Two stages go parts of it, as --share says.
    With --along the answer also has the pose where it ends; without it
    there is a table of all axes, in both senses. A distance is inf (null in
    JSON) where no limit ends it.
    """
    given = Options(at=at, sequence=sequence, share=share, csv=csv, si=si, as_json=as_json, output=output)
    request = request_of(context, machine, given)
    request.write(_along_axes(request) if along is None else _along(request, along))


def _along(request: Request, along: str) -> Answer:
    """Travel along one direction, and the pose where it ends."""
    found = _travel(request, request.direction("--along", along))
    fields = [
        *of_result(found, "distance"),
        *of_result(found, ("binding", "limit")),
        *json_keys(limits=found.words()),
        *request.all_poses(found.matrix, key="end."),
        *of_result(found, ("is_start_allowed", "start_allowed")),
    ]
    return Answer(fields, lambda: [found.sentence()])


def _along_axes(request: Request) -> Answer:
    """Travel along all axes, in both senses."""
    import numpy as np

    if request.X.ndim == 2 and request.is_for_people:
        return Answer(words=lambda: _words(request))
    # Twelve unit displacements, the negative senses first.
    return Answer(_all_axes(request, _travel(request, np.concatenate([-np.eye(6), np.eye(6)]))))


def _travel(request: Request, directions: Array) -> gough.limits.Travel:
    """Travels along directions (k, 6) or (6,) from poses (4, 4) or (n, 4, 4)."""
    from gough._compile import expect_rows

    m, many = request.any_machine, directions.ndim == 2
    expect_rows(directions.size // 6 * (request.X.size // 16))
    return request.in_parts(
        "travel", lambda part: gough.travel(m, directions, part[..., None, :, :] if many else part), request.X
    )


def _all_axes(request: Request, found: gough.limits.Travel) -> list[Field]:
    """Signed distances (..., 6) in both senses with their limits."""
    import numpy as np

    fields, sets = request.axes(ALONG_AXES), found.words()
    for side, sign, of in (("minus", -1.0, slice(6)), ("plus", 1.0, slice(6, None))):
        fields += [
            Field(side, sign * found.distance[..., of], ALONG_AXES, AXES, f"{{}}_{side}", frame="base"),
            Field(f"{side}_limit", np.asarray(found.binding)[..., of], "", AXES, f"{{}}_{side}_limit"),
            *json_keys(**{f"{side}_limits": sets[..., of]}),
        ]
    return [*fields, Field("start_allowed", found.is_start_allowed[..., 0])]


def _words(request: Request) -> Words:
    from gough.limits.nearest import nearest_words
    from gough.limits.travel import travel_fields

    found = gough.margins(request.any_machine, request.postures)
    if found.sentences():
        yield "The start is not allowed, so there is no travel from it:"
        yield found.table(refused_only=True)
        if far := nearest_words(request.any_machine, request.X):
            yield f"The nearest allowed pose is {far} away: gough nearest"
        return
    yield request.show.table("axis", AXES, travel_fields(gough.travel_table(request.any_machine, request.X)))
