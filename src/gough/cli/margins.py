"""`gough margins`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gough
from gough.cli.command import command
from gough.present.answer import ALONG_AXES, AXES, Answer, Field, Words

if TYPE_CHECKING:
    from gough.cli.request import Request
    from gough.limits.margins import Margins


@command("pose", "csv", "output")
def margins(request: Request) -> Answer:
    """Signed distance of poses to every limit.

    Of one pose given by options, of many in a CSV file, or of home.
    Negative is beyond the limit. One pose gives words and a table,
    many as CSV, a column for each limit.
    """
    found = request.in_parts("margins", lambda part: gough.margins(request.machine, part), request.X)
    limits = [
        {"name": column.name, "legs": list(column.legs), "unit": request.unit(column.unit)} for column in found.columns
    ]
    fields = [
        Field("is_allowed", found.is_allowed),
        Field("binding", found.binding),
        Field("limits", limits, is_csv=False),
        Field("margins", found.values, found.units, found.names, "{}", "{}"),
    ]
    if found.values.ndim == 1 and not request.is_for_people:
        fields += _of_one_pose(request, found)
    return Answer(fields, lambda: _words(request, found, fields))


def _of_one_pose(request: Request, found: Margins) -> list[Field]:
    """What to say and do about one pose, and how each margin changes with it."""
    singular = [found.singular_sentence()] if found.is_singular else []
    more: dict[str, Any] = {
        "binding_set": list(found.binding_set),
        "sentences": [*found.sentences(), *singular] or [found.sentence()],
    }
    if request.given.csv is None:
        gradient = gough.limits.margin_gradient(request.machine, request.X)
        step, size = request.sizes(ALONG_AXES), request.sizes(found.units)
        values = gradient.values * step / size[:, None]
        more |= {"is_singular": found.is_singular, "advice": gradient.back_off(), "axes": AXES, "gradients": values}
    return [Field(key, value, is_csv=False) for key, value in more.items()]


def _words(request: Request, found: Margins, fields: list[Field]) -> Words:
    """What is wrong or nearest to it, what to do about it, then every limit."""
    from gough.limits.gradient import TIGHT

    broken, singular = found.sentences(), found.singular_sentence()
    kept = "Every limit is kept, but the pose is singular:" if singular else "Allowed. Nearest to its limit:"
    yield "Not allowed:" if broken else kept
    yield from (f"  {each}" for each in ([*broken, singular] if singular else broken or [found.sentence()]))
    if broken or (not singular and float(found.relative[found.binding_index]) < TIGHT):
        advice = gough.limits.margin_gradient(request.machine, request.X).back_off()
        yield f"  {advice.removeprefix('every limit is kept; ')}{', or see gough nearest' if broken else ''}"
    yield request.show.facts(fields[-1:], ("limit", "margin", "unit"))
