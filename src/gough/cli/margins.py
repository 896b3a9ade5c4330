"""`gough margins`."""

from __future__ import annotations

import gough
from gough.cli.command import Request, command
from gough.present.answer import ALONG_AXES, AXES, Answer, Field, Table, Words, json_keys, of_result


@command("pose", "share", "csv", "output")
def margins(request: Request) -> Answer:
    """Signed distance of poses to every limit.

    Of one pose given by options, of many in a CSV file, or of home.
    Negative is beyond the limit. One pose gives words and a table,
    many as CSV, a column for each limit. Two stages have those of both,
    at the postures that --share gives.
    """
    m, X = request.any_machine, request.postures
    found = request.in_parts("margins", lambda part: gough.margins(m, part), X, 2 + len(m.stage_shape))
    fields = [
        *of_result(found, "is_allowed binding"),
        *request.limits(found.columns),
        *of_result(found, "values:margins", title="{}"),
    ]
    if found.values.ndim == 1 and not request.is_for_people:
        fields += _of_one_pose(request, found)
    units: dict[str, list[str]] = {}
    if any(field.key == "gradients" for field in fields):
        per = [request.unit(unit) for unit in ("m", "rad")]
        units["gradients"] = [", ".join(f"{request.unit(unit)}/{step}" for step in per) for unit in found.units]
    return Answer(fields, lambda: _words(request, found), units)


def _of_one_pose(request: Request, found: gough.limits.Margins) -> list[Field]:
    """What to say and do about one pose, and how each margin changes with it."""
    singular = [found.singular_sentence()] if found.is_singular else []
    sentences = [*found.sentences(), *singular] or [found.sentence()]
    fields = json_keys(binding_set=list(found.binding_set), sentences=sentences)
    if request.options.csv is None:
        gradient = gough.limits.margin_gradient(request.any_machine, request.X)
        step, size = request.sizes(ALONG_AXES), request.sizes(found.units)
        values = gradient.values * step / size[:, None]
        fields += json_keys(is_singular=found.is_singular, advice=gradient.back_off(), axes=AXES, gradients=values)
    return fields


def _words(request: Request, found: gough.limits.Margins) -> Words:
    """What is wrong or nearest to it, what to do about it, then every limit."""
    from gough.limits.gradient import TIGHT

    broken, singular = found.sentences(), found.singular_sentence()
    kept = "Every limit is kept, but the pose is singular:" if singular else "Allowed. Nearest to its limit:"
    yield "Not allowed:" if broken else kept
    yield from (f"  {each}" for each in ([*broken, singular] if singular else broken or [found.sentence()]))
    if broken or (not singular and float(found.relative[found.binding_index]) < TIGHT):
        advice = gough.limits.margin_gradient(request.any_machine, request.X).back_off()
        yield f"  {advice.removeprefix('every limit is kept; ')}{', or see gough nearest' if broken else ''}"
    yield limits_table(request, found)


def limits_table(request: Request, found: gough.limits.Margins, *, refused_only: bool = False) -> Table:
    """Every limit of one pose, or those that it breaks: margin, what the pose has, what is allowed, and the verdict."""
    rows = []
    for column, name, margin in zip(found.columns, found.names, found.values, strict=True):
        is_refused = not margin >= 0
        if refused_only and not is_refused:
            continue
        now, bound = column.value(margin), column.bound
        side = "at least" if column.is_lower else "at most"
        has_bound = column.quantity != "reach"  # of rods: how far their ends may still move
        show, unit = request.show, column.unit
        values = (show.value(now, unit), f"{side} {show.value(bound, unit)}") if has_bound else ("", "")
        rows.append((name, show.value(margin, unit), request.unit(unit), *values, "refused" if is_refused else ""))
    return Table(("limit", "margin", "unit", "now", "allowed", ""), rows, (1, 3))
