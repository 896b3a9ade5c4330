"""Commands of workspaces: workspace, volume, conditioning, singularity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Context, Option

import gough
from gough.cli.options import (
    TABLES,
    At,
    Boxes,
    Ignore,
    Json,
    MachineName,
    Map,
    Output,
    PlacesX,
    PlacesY,
    PlacesZ,
    Samples,
    Sequences,
    Share,
    Si,
    Table,
    count,
    number,
    request_of,
    text,
)
from gough.cli.regions import named_region
from gough.errors import InputError
from gough.present.answer import (
    JSON,
    NETCDF,
    Answer,
    Field,
    Words,
    aligned,
    csv_columns,
    json_keys,
    json_of,
    of_result,
    sentence,
)
from gough.quantity import AXES, LEGS

if TYPE_CHECKING:
    from gough.cli.request import Request

MESHES = (".stl", ".ply")
COLUMNS = ("x", "y", ("ends", "intervals"), "count")
RAYS = ("directions", ("ends", "intervals"), "count")
SHARE = (("share", "share_of_all_orientations"), ("share_error", "share_of_all_orientations_error"))
KEYS = {
    "columns": COLUMNS,
    "dexterous": ("tilt", "roll", "orientations", "shortfall", *COLUMNS),
    "rays": RAYS,
    "orientations": (*RAYS, *SHARE),
}
"""Attributes of each shape for JSON, beside volume and boundary."""


def workspace(
    context: Context, machine: MachineName,
    shape: Annotated[
        Literal["columns", "rays", "orientations", "dexterous"],
        Option(help="Columns along z; rays from the pose; orientations at its position; dexterous positions."),
    ] = "columns",
    samples: Annotated[
        int | None, count("Number of columns along x and y [49; 25 for dexterous].", metavar="NUMBER", low=2, high=2000)
    ] = None,
    level: Annotated[
        int, count("Refinement of rays and orientations: 10 * 4^LEVEL + 2.", metavar="NUMBER", low=0, high=7)
    ] = 4,
    tilt: Annotated[float | None, number("ANGLE", "Half-angle of the cone of the dexterous workspace.")] = None,
    at: At = None, sequence: Sequences = None, share: Share = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute the workspace and the limits on its boundary.

    The allowed positions of the point of interest, at the orientation of a
    pose specified by options or of home. Boundaries are found by root finding;
    for two stages, in the postures of --share. -o writes .csv, .nc (netCDF,
    in SI), or the boundary as a closed mesh: .stl or .ply.
    """
    request = request_of(context, (*TABLES, *MESHES))
    if shape in ("rays", "orientations"):
        request.counts_only_with("--shape columns or dexterous", "samples")
    else:
        request.counts_only_with("--shape rays or orientations", "level")
        if at is not None and len(request.numbers("--at", at, (3, 6, 7))) == 3:
            request.counts_only_with("--shape rays or orientations, or with an orientation behind it", "at")
    if shape != "dexterous":
        request.counts_only_with("--shape dexterous", "tilt")
    elif tilt is None:
        raise InputError("the dexterous workspace requires a cone: specify --tilt ANGLE")
    m: Any = request.any_machine
    spaces, X = gough.workspaces, request.X
    # Rays begin where home has the point of interest unless a position is given.
    place = X[:3, :3] @ m.point_of_interest + X[:3, 3] if at is not None else None
    cone = request.amount(tilt or 0.0, "rad")
    searches: dict[str, Callable[..., Any]] = {
        "columns": partial(gough.workspace, m, X, samples=samples or 49),
        "rays": partial(spaces.workspace_rays, m, X, centre=place, level=level),
        "orientations": partial(spaces.orientation_workspace, m, place, reference=X, level=level),
        "dexterous": partial(spaces.dexterous_workspace, m, X, tilt=cone, samples=samples or 25),
    }
    body = request.watched(shape, searches[shape])
    if output is not None and output.suffix.lower() in MESHES:
        request.watched("boundary", body.mesh).write(output, request.sizes([body.unit])[0])
        return
    keys = _keys(shape, body) if request.options.as_json else []  # extents and boundary shares take time
    request.write(Answer([*body.rows(), *keys], lambda: _workspace_words(body), data=lambda: body.dataset))


def _keys(shape: str, body: gough.workspaces.Workspace | gough.workspaces.RayWorkspace) -> list[Field]:
    """Keys for JSON."""
    boundary = []
    if not body.is_empty:
        ends = {axis: [body.extent.low[k], body.extent.high[k]] for k, axis in enumerate("xyz")}
        boundary = [*json_keys("extent.", body.unit, "base", **ends), *body.share_fields()]
    own = json_of(body, *KEYS[shape], ("names", "limits"), "binding")
    return [*json_keys(shape=shape), *body.volume_fields(), *boundary, *own]


def _workspace_words(body: gough.workspaces.Workspace | gough.workspaces.RayWorkspace) -> Words:
    """Volume with its error, extents, share of the boundary by limit."""
    if body.is_empty:
        yield sentence(body.sentence())
        return
    yield from (f"{what:<7} {much}" for what, much in body.facts().items())
    yield from ("", body.extent_table(), "", body.share_table())


def volume(
    context: Context, machine: MachineName,
    region: Annotated[str | None, text("NAME", "Region of the machine's file; default: all poses.")] = None,
    rtol: Annotated[float, number("PART", "Relative half-width of the confidence interval.")] = 0.005,
    boxes: Annotated[int | None, count("Number of boxes of the paving, for tighter proven bounds.")] = None,
    processes: Annotated[int | None, count("Number of local processes; default: number of cores.")] = None,
    scheduler: Annotated[str | None, text("ADDRESS", "Address of a Dask scheduler for the computation.")] = None,
    ignore: Ignore = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute the 6-D volume of all allowed poses.

    An estimate with a confidence interval of 99 %, and proven bounds, in
    m3 rad3; the volume of all orientations is 8 pi^2 rad3. -o FILE.nc writes
    the boxes of the paving.
    """
    request = request_of(context, (*NETCDF, JSON))
    m = request.machine
    part = None if region is None else named_region(m, region)
    if isinstance(part, gough.regions.RegionUnion):
        raise InputError(
            f"region {region!r} is a union of {len(part.regions)}, whose parts may overlap; specify one of the parts"
        )
    how: dict[str, Any] = {"rtol": rtol, "max_boxes": boxes, "ignore": ignore or ()}
    how |= {"processes": processes, "scheduler": scheduler}
    found = request.watched("volume", gough.workspace_volume_6d, m, part, **how)
    fields = [
        *json_of(found, "volume", "low", "high"),
        *json_of(found, "lower", "upper", under="proven."),
        *json_of(found, "confidence", "relative_error", "samples", "hits", "seed"),
        *json_keys(boxes=len(found.paving), region=found.region.name, ignored=list(found.paving.ignored)),
    ]
    error = f", to {found.relative_error:.2%}".replace("%", " %") if found.volume else ""
    unit, drawn = found.QUANTITIES["volume"].unit, f"{found.hits} of {found.samples} poses drawn are allowed"
    words = (
        f"volume   {found.volume:.5g} {unit}{error} at a confidence of 99 %",
        f"         {found.low:.5g} to {found.high:.5g} {unit}, {drawn}",
        f"proven   {found.lower:.4g} to {found.upper:.4g} {unit}, by {len(found.paving)} boxes",
    )
    request.write(Answer(fields, lambda: words, data=lambda: found.paving.dataset))


def conditioning(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None,
    length: Annotated[
        float | None, number("LENGTH", "Characteristic length; default: radius of the platform's joints.")
    ] = None,
    as_map: Map = False, samples: Samples = 15, x: PlacesX = None, y: PlacesY = None, z: PlacesZ = None,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute condition number, dexterity and related indices.

    At one pose specified by options, at several in a CSV file, or at home.
    --map evaluates the positions of the workspace.
    """
    request = request_of(context)
    weight, of_places = request.amount(length, "m"), gough.singularity.conditioning_map
    request.write_at_poses(
        lambda: _conditioning(request, weight),
        lambda: request.map("conditioning map", of_places, length=weight),
        is_column=True,
    )


def _conditioning(request: Request, weight: float | None) -> Answer:
    found = gough.singularity.conditioning(request.any_machine, request.postures, length=weight)
    # Units of singular values and of their product depend on the leg kind: they are shown in SI, not converted.
    of_product, of_each = (found.units.get(name, "") for name in ("manipulability", "singular_values"))
    numbered: dict[str, Any] = {"labels": LEGS, "title": "singular_value_{}", "head": "singular value {}"}
    fields = [
        *of_result(found, "condition_number", "dexterity"),
        *of_result(found, "manipulability", unit="", shown=of_product),
        *of_result(found, ("distance", "distance_to_singularity")),
        *of_result(found, "singular_values", unit="", shown=of_each, **numbered),
        *json_of(found, "length"),
    ]
    return Answer(fields, lambda: [request.show.facts(fields)], found.units)


WORKSPACE = (
    "verdict", "part", "bound", ("smallest", "smallest_found"), ("witness_point", "witness"), "path",
    "undecided_volume", "cover_volume", "boxes",
)  # fmt: skip
"""Attributes of the proof for JSON, and keys where these differ."""


def singularity(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None,
    along: Annotated[str | None, text("DIRECTION", "Line to intersect: x, -y or VX,VY,VZ.")] = None,
    boxes: Boxes = 150_000, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Locate singularities; prove that limits exclude them.

    Prints the distance of a pose (default: home) from the singular surface,
    the intersections of a line from the pose with the surface, and whether
    the positions within all other limits are free of singularities: proven,
    with a bound. -o writes .csv (coefficients of the cubic of a strut
    machine) or .nc (all results, with the surface as triangles, in SI).
    """
    from gough.singularity.surface import surface_dataset

    request = request_of(context)
    m, X = request.machine, request.X
    request.note_poses()
    direction = None if along is None else request.direction("--along", along)
    if direction is not None and (direction[3:].any() or not direction[:3].any()):
        raise InputError(f"--along {along}: the surface is over positions: expected x, -y ... or VX,VY,VZ")
    surface = gough.singularity.singular_surface(m, X)
    coefficients = _coefficients(request, surface)
    places = None if direction is None else surface.along(X[:3, 3], direction[:3])
    with request.progress("distance to a singularity"):
        distance = gough.singularity.singular_distance(m, X)
    free, proof = gough.singularity.free_of_singularities, None
    try:
        proof = request.watched("singularities", free, m, X, max_boxes=boxes)
        words = proof.sentence()
    except InputError as error:  # there is no verdict
        words = str(error)
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
    data = partial(surface_dataset, m, X, proof)
    request.write(Answer(fields, lambda: aligned(facts.items()), data=lambda: data().assign_attrs(sentence=words)))


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
        kind = request.machine.leg_kind
        raise InputError(f"the singular surface of {kind} legs has no coefficients; use --json, or -o FILE.nc")
    return json_keys(cubic=None)


def lowest(request: Request, found: Mapping[str, gough.workspaces.WorkspaceMinimum]) -> Answer:
    """Return the lowest values by name of the quantity: a row of the table and of CSV, and a key of JSON each."""
    names, values, units = list(found), [each.value for each in found.values()], [each.unit for each in found.values()]
    fields = [
        *csv_columns(of=names, lowest=values / request.sizes(units), unit=[request.unit(each) for each in units]),
        Field("", values, units, head="lowest found", is_csv=False, is_json=False),
        Field("", [each.position for each in found.values()], "m", AXES[:3], "{}", "{}", is_json=False),
        Field("", [each.limited_by for each in found.values()], head="limited there by", is_csv=False, is_json=False),
    ]
    for name, each in found.items():
        fields += json_of(each, ("value", "lowest"), under=f"{name}.")
        fields += json_of(
            each, ("on_grid", "lowest_on_grid"), "position", "active_limits", "reach_margin", under=f"{name}."
        )
    return Answer(fields, lambda: [request.show.table("of", names, fields)])
