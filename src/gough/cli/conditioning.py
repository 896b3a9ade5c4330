"""`gough conditioning`."""

from __future__ import annotations

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.present.answer import LEGS, Answer, Field


@command("pose", "share", "csv", "map", "output")
def conditioning(
    request: Request,
    length: float | None = Option(
        None,
        metavar="LENGTH",
        help="Characteristic length that weighs turns; default: the radius of the platform's joints.",
    ),
) -> Answer:
    """Condition, dexterity, distance to a singularity.

    At one pose given by options, at many in a CSV file, or at home. With
    --map over the positions of the workspace.
    """
    m, weight = request.any_machine, request.amount(length, "m")
    if request.options.as_map:
        return request.map("conditioning map", gough.singularity.conditioning_map, m, request.X_one, length=weight)
    request.refuse_grid()
    found = gough.singularity.conditioning(m, request.postures, length=weight)
    units = found.units
    fields = [
        Field("condition_number", found.condition_number, head="condition number"),
        Field("dexterity", found.dexterity, head="dexterity"),
        Field("manipulability", found.manipulability, head="manipulability", shown=units.get("manipulability", "")),
        Field("distance_to_singularity", found.distance, head="distance to a singularity"),
        Field("singular_values", found.singular_values, "", LEGS, "singular_value_{}", "singular value {}",
              shown=units.get("singular_values", "")),
        Field("is_allowed", request.note_poses()),
        Field("length", found.length, "m", head="characteristic length", is_csv=False),
    ]  # fmt: skip
    return Answer(fields, lambda: [request.show.facts(fields)], units)
