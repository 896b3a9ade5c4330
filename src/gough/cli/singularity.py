"""`gough singularity`."""

from __future__ import annotations

from typing import Any

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.errors import InputError
from gough.present.answer import NETCDF, Answer, Field, aligned, json_keys, json_of, of_result

WORKSPACE = (
    "verdict", "part", "bound", ("smallest", "smallest_found"), ("witness_point", "witness"), "path",
    "undecided_volume", "cover_volume", "boxes",
)  # fmt: skip
"""Attributes of the proof for JSON, and keys where these differ."""


@command("pose", "boxes", "output", boxes=150_000)
def singularity(
    request: Request,
    along: str | None = Option(
        None, metavar="DIRECTION", help="Where a straight line meets the surface: x, -y or VX,VY,VZ."
    ),
    low: str | None = Option(None, metavar="X,Y,Z", help="Lowest corner of the region to check."),
    high: str | None = Option(None, metavar="X,Y,Z", help="Highest corner of the region to check."),
    whole_box: bool = Option(False, "--whole-box", help="Check all between --low and --high, without the limits."),
) -> Answer:
    """Singularity locus, and a proof that limits exclude it.

    How far a pose (home, if none is given) is from it, where a line from
    there meets it, and whether what the other limits allow is free of it:
    proven, with a bound. A file .csv gets the coefficients of a strut
    machine's cubic, .nc all with the surface as triangles, in SI.
    """
    from gough.singularity.mesh import surface_dataset

    if whole_box and (low is None or high is None):
        raise InputError("--whole-box needs the box: give --low and --high")
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
    proof, words = _proof(request, low, high, whole=whole_box)
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
    return Answer(
        fields,
        lambda: aligned(facts.items()),
        data=lambda: surface_dataset(m, X, proof).assign_attrs(sentence=words),
    )


def _proof(
    request: Request, low: str | None, high: str | None, *, whole: bool
) -> tuple[gough.singularity.SingularityFreeProof | None, str]:
    """Whether the region is free of singularities, in words too, or why there is no verdict."""
    corners = {"low": request.numbers("--low", low, (3,), "m"), "high": request.numbers("--high", high, (3,), "m")}
    how: dict[str, Any] = {**corners, "within_limits": not whole, "max_boxes": request.options.boxes}
    try:
        found = request.watched(
            "singularities", gough.singularity.free_of_singularities, request.machine, request.X, **how
        )
    except InputError as error:
        if low is not None or high is not None:
            raise
        return None, str(error).replace("low and high [m]", "--low and --high")
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
