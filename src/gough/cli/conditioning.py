"""`gough conditioning`."""

from __future__ import annotations

from typing import Any

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.present.answer import Answer, Field, json_of, of_result
from gough.quantity import LEGS


@command("pose", "share", "csv", "map", "output")
def conditioning(
    request: Request,
    length: float | None = Option(
        None,
        metavar="LENGTH",
        help="Characteristic length that weighs rotations; default: the radius of the platform's joints.",
    ),
) -> Answer:
    """Condition number, dexterity, distance to singularity.

    At one pose given by options, at many in a CSV file, or at home. With
    --map over the positions of the workspace.
    """
    m, weight = request.any_machine, request.amount(length, "m")
    if request.options.as_map:
        return request.map("conditioning map", gough.singularity.conditioning_map, m, request.X_one, length=weight)
    request.refuse_grid()
    found = gough.singularity.conditioning(m, request.postures, length=weight)
    # Units of singular values and of their product depend on the leg kind: they are shown in SI, not converted.
    of_product, of_each = (found.units.get(name, "") for name in ("manipulability", "singular_values"))
    numbered: dict[str, Any] = {"labels": LEGS, "title": "singular_value_{}", "head": "singular value {}"}
    fields = [
        *of_result(found, "condition_number", "dexterity"),
        *of_result(found, "manipulability", unit="", shown=of_product),
        *of_result(found, ("distance", "distance_to_singularity")),
        *of_result(found, "singular_values", unit="", shown=of_each, **numbered),
        Field("is_allowed", request.note_poses()),
        *json_of(found, "length"),
    ]
    return Answer(fields, lambda: [request.show.facts(fields)], found.units)
