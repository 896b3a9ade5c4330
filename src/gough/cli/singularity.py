"""`gough singularity`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from typer import Option

import gough
from gough.cli.command import Array, Request, command
from gough.cli.travel import parse_direction
from gough.errors import InputError
from gough.present.answer import NETCDF, Answer, Field, Words, json_keys, json_of, of_result

if TYPE_CHECKING:
    import xarray

    from gough.singularity.cubic import SingularityCubic
    from gough.singularity.distance import SingularDistance
    from gough.singularity.free_regions import SingularityFreeProof
    from gough.singularity.surface import SingularSurface


WORKSPACE = "verdict part bound smallest:smallest_found witness_point:witness path undecided_volume cover_volume boxes"
"""What is proven: attributes, and keys where these differ."""


@command("pose", "boxes", "output", boxes=150_000)
def singularity(
    request: Request,
    along: str | None = Option(
        None, metavar="DIRECTION", help="Where a straight line meets the surface: x, -y or VX,VY,VZ."
    ),
    low: str | None = Option(None, metavar="X,Y,Z", help="Lowest corner of the region to judge."),
    high: str | None = Option(None, metavar="X,Y,Z", help="Highest corner of the region to judge."),
    whole_box: bool = Option(False, "--whole-box", help="Judge all between --low and --high, whatever limits say."),
) -> Answer:
    """The singular surface, and whether limits keep off it.

    How far a pose (home, if none is given) is from it, where a line from
    there meets it, and whether what the other limits allow is free of it:
    proven, with a bound. A file .csv gets the coefficients of a strut
    machine's cubic, .nc all with the surface as triangles, in SI.
    """
    if whole_box and (low is None or high is None):
        raise InputError("--whole-box needs the box: give --low and --high")
    m, X, output = request.machine, request.X, request.options.output
    request.note_poses()
    corners = {"low": request.numbers("--low", low, (3,), "m"), "high": request.numbers("--high", high, (3,), "m")}
    direction = None if along is None else _direction(request, along)
    surface = gough.singularity.singular_surface(m, X)
    cubic = surface if isinstance(surface, gough.singularity.SingularityCubic) else None
    if cubic is None and output is not None and not request.options.as_json and output.suffix.lower() not in NETCDF:
        raise InputError(
            f"the singular surface of {m.leg_kind} legs has no coefficients for a table; use --json, or -o FILE.nc"
        )
    places = None if direction is None else surface.along(X[:3, 3], direction)
    with request.progress("distance to a singularity"):
        distance = gough.singularity.singular_distance(m, X)
    freedom, sentence = _freedom(request, corners, whole_box)
    fields = [
        *json_keys(rotation=X[:3, :3]),
        *_surface(cubic),
        *json_of(distance, "lower upper position", "distance."),
        *json_keys("", "m", along=places),
        *(json_keys(workspace=None) if freedom is None else json_of(freedom, WORKSPACE, "workspace.")),
        *json_keys(sentence=sentence),
    ]
    return Answer(
        fields,
        lambda: _words(request, cubic is not None, distance, places, sentence),
        data=lambda: _dataset(request, surface, freedom, sentence),
    )


def _freedom(request: Request, corners: dict[str, Any], whole: bool) -> tuple[SingularityFreeProof | None, str]:
    """Whether the region is free of singularities, or why there is no verdict."""
    prove, m, X, boxes = gough.singularity.free_of_singularities, request.machine, request.X, request.options.boxes
    try:
        found = request.watched("singularities", prove, m, X, **corners, within_limits=not whole, max_boxes=boxes)
    except InputError as error:
        if any(corner is not None for corner in corners.values()):
            raise
        return None, str(error).replace("low and high [m]", "--low and --high")
    return found, found.sentence()


def _direction(request: Request, text: str) -> Array:
    direction = parse_direction(request, text)
    if direction[3:].any() or not direction[:3].any():
        raise InputError(f"--along {text}: the surface is one of positions, expected x, -y ... or VX,VY,VZ")
    return direction[:3]


def _words(request: Request, is_cubic: bool, near: SingularDistance, along: Array | None, sentence: str) -> Words:
    bounded = f"no cubic, bounded by what {request.machine.leg_kind} legs can do in a ball"
    yield f"surface    {'a cubic in the position, see --json' if is_cubic else bounded}"
    yield f"distance   {near.sentence()}"
    if along is not None:
        found = ", ".join(request.show.value(value, "m", sign=True) for value in along)
        yield f"along      {found + ' ' + request.unit('m') if found else 'nowhere'}"
    yield f"workspace  {sentence}"


def _surface(cubic: SingularityCubic | None) -> list[Field]:
    """The cubic: pure numbers, one row of CSV for each coefficient."""
    if cubic is None:
        return json_keys(cubic=None)
    of = "det [d, R b x d] / length^9, in powers of (position of the platform's origin - centre) / length"
    return [
        *json_keys("cubic.", of=of),
        *of_result(cubic, "exponents", "cubic.", title="{}_power"),
        *of_result(cubic, "coefficients", "cubic.", title="coefficient"),
        *json_of(cubic, "centre length", "cubic."),
    ]


def _dataset(
    request: Request, surface: SingularSurface, free: SingularityFreeProof | None, sentence: str
) -> xarray.Dataset:
    """What is proven, with the boxes and their bounds, the surface as triangles within them, and the cubic, in SI."""
    import xarray

    m, X = request.machine, request.X
    offset = X[:3, :3] @ m.point_of_interest
    low, high = X[:3, 3] + offset - 0.5 * m.size, X[:3, 3] + offset + 0.5 * m.size
    parts = []
    if free is not None and len(free.low):
        low, high = free.low.min(axis=0), free.high.max(axis=0)
        parts.append(free.dataset.rename(low="box_low", high="box_high", lower="box_bound"))
    mesh = gough.singularity.singular_mesh(surface, low - offset, high - offset)
    parts.append(replace(mesh, vertices=mesh.vertices + offset).dataset)
    if isinstance(surface, gough.singularity.SingularityCubic):
        parts.append(surface.dataset)
    named = {"machine": m.name, "rotation": X[:3, :3].ravel().tolist(), "sentence": sentence}
    return xarray.merge(parts, combine_attrs="drop_conflicts").assign_attrs(named)
