"""`gough singularity`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import At, Boxes, Json, MachineName, Options, Output, Sequences, text
from gough.errors import InputError
from gough.present.answer import NETCDF, Answer, Field, aligned, json_keys, json_of, of_result

if TYPE_CHECKING:
    from gough.cli.request import Request

WORKSPACE = (
    "verdict", "part", "bound", ("smallest", "smallest_found"), ("witness_point", "witness"), "path",
    "undecided_volume", "cover_volume", "boxes",
)  # fmt: skip
"""Attributes of the proof for JSON, and keys where these differ."""


def singularity(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None,
    along: Annotated[
        str | None, text("DIRECTION", "Where a straight line meets the surface: x, -y or VX,VY,VZ.")
    ] = None,
    boxes: Boxes = 150_000, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Singularity locus, and a proof that limits exclude it.

    How far a pose (home, if none is given) is from it, where a line from
    there meets it, and whether what the other limits allow is free of it:
    proven, with a bound. A file .csv gets the coefficients of a strut
    machine's cubic, .nc all with the surface as triangles, in SI.
    """
    from gough.singularity.mesh import surface_dataset

    given = Options(at=at, sequence=sequence, as_json=as_json, output=output)
    request = request_of(context, machine, given)
    m, X = request.machine, request.X
    request.note_poses()
    direction = None if along is None else request.direction("--along", along)
    if direction is not None and (direction[3:].any() or not direction[:3].any()):
        raise InputError(f"--along {along}: the surface is one of positions, expected x, -y ... or VX,VY,VZ")
    surface = gough.singularity.singular_surface(m, X)
    coefficients = _coefficients(request, surface)
    places = None if direction is None else surface.along(X[:3, 3], direction[:3])
    with request.progress("distance to a singularity"):
        distance = gough.singularity.singular_distance(m, X)
    proof, words = _proof(request, boxes)
    fields = [
        *json_keys("", "", "platform in the base", rotation=X[:3, :3]),
        *coefficients,
        *json_of(distance, "lower", "upper", "position", under="distance."),
        *json_keys("", "m", "base", along=places),
        *(json_keys(workspace=None) if proof is None else json_of(proof, *WORKSPACE, under="workspace.")),
        *json_keys(sentence=words),
    ]

    facts = {"surface": surface.sentence(), "distance": distance.sentence()}
    if places is not None:
        found = ", ".join(request.show.value(value, "m", sign=True) for value in places)
        facts["along"] = f"{found} {request.unit('m')}" if found else "nowhere"
    facts["workspace"] = words
    answer = Answer(
        fields,
        lambda: aligned(facts.items()),
        data=lambda: surface_dataset(m, X, proof).assign_attrs(sentence=words),
    )
    request.write(answer)


def _proof(request: Request, boxes: int) -> tuple[gough.singularity.SingularityFreeProof | None, str]:
    """Whether the workspace is free of singularities, in words too, or why there is no verdict."""
    free = gough.singularity.free_of_singularities
    try:
        found = request.watched("singularities", free, request.machine, request.X, max_boxes=boxes)
    except InputError as error:
        return None, str(error)
    return found, found.sentence()


def _coefficients(request: Request, surface: Any) -> list[Field]:
    """Coefficients of a cubic, pure numbers, a row of CSV each; refused for CSV of other surfaces."""
    if isinstance(surface, gough.singularity.SingularityCubic):
        return [
            *json_keys("cubic.", of=surface.QUANTITIES["coefficients"].label),
            *of_result(surface, "exponents", under="cubic.", title="{}_power"),
            *of_result(surface, "coefficients", under="cubic.", title="coefficient"),
            *json_of(surface, "centre", "length", under="cubic."),
        ]
    output = request.options.output
    if output is not None and not request.options.as_json and output.suffix.lower() not in NETCDF:
        raise InputError(
            f"the singular surface of {request.machine.leg_kind} legs has no coefficients for a table; use --json, or "
            "-o FILE.nc"
        )
    return json_keys(cubic=None)
