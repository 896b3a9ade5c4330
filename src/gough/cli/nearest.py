"""`gough nearest`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import At, Json, MachineName, Options, Output, Sequences, Share, Si, Table, number
from gough.present.answer import Answer, Field, Words, aligned, csv_columns, json_keys, json_of, of_result

if TYPE_CHECKING:
    from gough.cli.request import Request


def nearest(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None,
    length: Annotated[
        float | None,
        number("LENGTH", "A rotation of one radian weighs as much as this; default: the platform's radius."),
    ] = None,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """The nearest allowed pose, and its active limits.

    The least of sqrt(shift^2 + (length * turn)^2), shift being that of the
    point of interest. The answer is written as the question was: angles
    with --sequence or --convention, otherwise a quaternion.
    """
    import numpy as np

    given = Options(at=at, sequence=sequence, share=share, csv=csv, si=si, as_json=as_json, output=output)
    request = request_of(context, machine, given)
    m, weight = request.any_machine, request.amount(length, "m")
    found = request.one_by_one("nearest allowed pose", lambda X: gough.nearest_pose(m, X, length=weight))
    one = request.X.ndim == 2

    def of_all(name: str, **how: Any) -> list[Field]:
        of_each = [of_result(each, name, **how)[0] for each in found]
        return [of_each[0] if one else replace(of_each[0], value=np.stack([each.value for each in of_each]))]

    # JSON has lists of limits, CSV their names in one cell.
    held = [list(each.active_limits) for each in found]
    fields = [
        *request.all_poses(of_all("matrix")[0].value, key="pose."),
        *of_all("distance"),
        *of_all("translation", title="shift_{}"),
        *of_all("rotation", title="turn_{}"),
        *csv_columns(limit=["; ".join(names) for names in held]),
        *json_keys(active_limits=held[0] if one else held),
        *json_of(found[0], "length"),
    ]
    request.write(Answer(fields, lambda: _words(request, found[0], fields)))


def _words(request: Request, found: gough.limits.NearestPose, fields: list[Field]) -> Words:
    from gough.limits.ties import in_words

    if found.distance == 0:
        yield "The pose is allowed itself."
        return
    pairs, show = [], request.show
    for each in fields[:2]:
        name, unit = each.key.removeprefix("pose."), str(each.unit)
        head = "quaternion x, y, z, w" if name == "quaternion" else name
        pairs.append((head, f"{show.numbers(each.value, unit, each.digits)} {show.unit(unit)}".rstrip()))
    moved, turned = ((values @ values) ** 0.5 for values in (found.translation, found.rotation))
    departure = f"{show.with_unit(moved, 'm', 4)} and {show.with_unit(turned, 'rad', 4)} from the requested pose"
    weight = f"a radian weighs as much as {show.with_unit(found.length, 'm', 4)}"
    distance = f"{show.with_unit(found.distance, 'm', 4)}, where {weight}"
    limits = in_words(found.active_limits) or "no limit"
    yield from aligned([*pairs, ("departure", departure), ("limited by", limits), ("distance", distance)])
