"""`gough conditioning`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    At,
    Json,
    MachineName,
    Map,
    Options,
    Output,
    PlacesX,
    PlacesY,
    PlacesZ,
    Samples,
    Sequences,
    Share,
    Si,
    Table,
    number,
)
from gough.present.answer import Answer, Field, json_of, of_result
from gough.quantity import LEGS

if TYPE_CHECKING:
    pass


def conditioning(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None,
    length: Annotated[
        float | None,
        number("LENGTH", "Characteristic length that weighs rotations; default: the radius of the platform's joints."),
    ] = None,
    as_map: Map = False, samples: Samples = 15, x: PlacesX = None, y: PlacesY = None, z: PlacesZ = None,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Condition number, dexterity, distance to singularity.

    At one pose given by options, at many in a CSV file, or at home. With
    --map over the positions of the workspace.
    """
    given = Options(
        at=at, sequence=sequence, share=share, csv=csv, as_map=as_map, samples=samples, x=x, y=y, z=z, si=si,
        as_json=as_json, output=output,
    )  # fmt: skip
    request = request_of(context, machine, given)
    m, weight = request.any_machine, request.amount(length, "m")
    request.refuse_grid()
    if as_map:
        of_places = gough.singularity.conditioning_map
        request.write(request.map("conditioning map", of_places, m, request.X_one, length=weight))
        return
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
    request.write(Answer(fields, lambda: [request.show.facts(fields)], found.units))
