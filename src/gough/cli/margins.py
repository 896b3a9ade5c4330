"""`gough margins`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import At, Json, MachineName, Options, Output, Sequences, Share, Si, Table
from gough.present.answer import Answer, Words, json_keys, of_result
from gough.quantity import ALONG_AXES, AXES, ratios

if TYPE_CHECKING:
    from gough.cli.request import Request


def margins(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Signed distance of poses to every limit.

    Of one pose given by options, of many in a CSV file, or of home.
    Negative is beyond the limit. One pose gives words and a table,
    many as CSV, a column for each limit. Two stages have those of both,
    at the postures that --share gives.
    """
    given = Options(at=at, sequence=sequence, share=share, csv=csv, si=si, as_json=as_json, output=output)
    request = request_of(context, machine, given)
    m, X = request.any_machine, request.postures
    found = request.in_parts("margins", lambda part: gough.margins(m, part), X, 2 + len(m.stage_shape))
    fields = [
        *of_result(found, "is_allowed", "binding"),
        *request.limits(found.columns),
        *of_result(found, ("values", "margins"), title="{}"),
    ]
    if found.values.ndim > 1 or request.is_for_people:
        request.write(Answer(fields, lambda: _words(request, found)))
        return
    gradient = gough.limits.margin_gradient(m, request.X)
    fields += json_keys(binding_set=found.binding_set, sentences=found.findings(), is_singular=found.is_singular)
    fields += json_keys(advice=gradient.back_off(), axes=AXES)
    fields += json_keys("", ratios(found.units, ALONG_AXES), "base", gradients=gradient.values)
    request.write(Answer(fields))


def _words(request: Request, found: gough.limits.Margins) -> Words:
    """Limits that are broken or nearest, advice how to back off, then a table of every limit."""
    from gough.limits.nearest import nearest_words

    broken, singular = found.sentences(), found.singular_sentence()
    kept = "Every limit is kept, but the pose is singular:" if singular else "Allowed. Nearest to its limit:"
    yield "Not allowed:" if broken else kept
    yield from (f"  {each}" for each in found.findings())
    if found.is_tight and (broken or not singular):
        advice = gough.limits.margin_gradient(request.any_machine, request.X).back_off()
        far = nearest_words(request.any_machine, request.X) if broken else ""
        other = f"; the nearest allowed pose is {far} away: gough nearest" if far else ""
        yield f"  {advice.removeprefix('every limit is kept; ')}{other}"
    yield found.table()
