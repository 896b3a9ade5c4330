"""`gough singularity`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    import xarray

    from gough.cli.pose_input import Array
    from gough.machine import Machine
    from gough.singularity.free_regions import SingularityFreeProof
    from gough.singularity.surface import SingularDistance, SingularSurface

Along = Annotated[
    str | None, typer.Option(metavar="DIRECTION", help="Where a straight line meets the surface: x, -y or VX,VY,VZ.")
]
Low = Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Lowest corner of the region to judge.")]
High = Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Highest corner of the region to judge.")]
Whole = Annotated[bool, typer.Option("--whole-box", help="Judge all between --low and --high, whatever limits say.")]
Boxes = Annotated[int, typer.Option(min=1, metavar="N", help="Boxes looked at before the rest is undecided.")]


@dataclass(frozen=True)
class _Answer:
    """Everything about one orientation. Positions along a line [m]; `refused` says why there is no verdict."""

    machine: Machine
    X: Array
    surface: SingularSurface
    distance: SingularDistance
    along: Array | None
    freedom: SingularityFreeProof | None
    refused: str


def singularity(
    machine: options.Machine,
    along: Along = None,
    at: options.At = None,
    angles: options.Angles = None,
    quaternion: options.Quaternion = None,
    matrix: options.Matrix = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    low: Low = None,
    high: High = None,
    whole_box: Whole = False,
    boxes: Boxes = 150_000,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """The singular surface, and whether limits keep off it.

    How far a pose (home, if none is given) is from it, where a line from
    there meets it, and whether what the other limits allow is free of it:
    proven, with a bound. A file .csv gets the coefficients of a strut
    machine's cubic, .nc all with the surface as triangles, in SI.
    """
    from gough.cli.beside import note_poses
    from gough.cli.machine import load_machine
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.errors import InputError

    m = load_machine(machine, si=si)
    if whole_box and (low is None or high is None):
        raise InputError("--whole-box needs the box: give --low and --high")
    X = read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention), m)
    note_poses(m, X)
    answer = _asked(m, X, along, (low, high), whole_box, boxes)
    if as_json or output is not None:
        _write(answer, as_json=as_json, output=output)
    else:
        _tell(answer)


def _asked(
    machine: Machine, X: Array, along: str | None, corners: tuple[str | None, str | None], whole: bool, boxes: int
) -> _Answer:
    from gough.cli.numbers import numbers
    from gough.cli.progress import progress
    from gough.errors import InputError
    from gough.singularity.free_regions import free_of_singularities
    from gough.singularity.surface import singular_distance, singular_surface

    low, high = (
        None if text is None else numbers(option, text, (3,)) * machine.units.metres
        for option, text in zip(("--low", "--high"), corners, strict=True)
    )
    direction = None if along is None else _direction(machine, along)
    with progress("singularities") as advance:
        surface = singular_surface(machine, X)
        places = None if direction is None else surface.along(X[:3, 3], direction)
        distance = singular_distance(machine, X)
        before = 0

        def tell(done: int, most: int) -> None:
            nonlocal before
            advance(done - before, most)
            before = done

        freedom, refused = None, ""
        try:
            freedom = free_of_singularities(
                machine, X, low=low, high=high, within_limits=not whole, max_boxes=boxes, progress=tell
            )
        except InputError as error:
            if low is not None or high is not None:
                raise
            refused = str(error).replace("low and high [m]", "--low and --high")
    return _Answer(machine, X, surface, distance, places, freedom, refused)


def _direction(machine: Machine, text: str) -> Array:
    from gough.cli.travel import parse_direction
    from gough.errors import InputError

    direction = parse_direction(text, machine.units)
    if direction[3:].any() or not direction[:3].any():
        raise InputError(f"--along {text}: the surface is one of positions, expected x, -y ... or VX,VY,VZ")
    return direction[:3]


def _tell(answer: _Answer) -> None:
    """For people."""
    from gough.singularity.cubic import SingularityCubic

    m, near = answer.machine, answer.distance
    u, size = m.units, m.units.metres
    is_cubic = isinstance(answer.surface, SingularityCubic)
    print(f"{'surface':<10} {'a cubic in the position, see --json' if is_cubic else 'no cubic, ' + _bounded(m)}")
    if near.upper < float("inf"):
        place = ", ".join(f"{value:.6g}" for value in near.position.round(9) / size + 0.0)
        print(f"{'distance':<10} {near.lower / size:.6g} to {near.upper / size:.6g} {u.length}, at ({place})")
    else:
        print(f"{'distance':<10} more than {near.lower / size:.6g} {u.length}; no singular position found")
    if answer.along is not None:
        found = ", ".join(f"{value / size:+.6g}" for value in answer.along) or "nowhere"
        print(f"{'along':<10} {found}{f' {u.length}' if len(answer.along) else ''}")
    print(f"{'workspace':<10} {answer.refused if answer.freedom is None else answer.freedom.sentence()}")


def _bounded(machine: Machine) -> str:
    return f"bounded by what {machine.legs.kind} legs can do in a ball"


def _write(answer: _Answer, *, as_json: bool, output: Path | None) -> None:
    from gough.cli.output import emit, is_netcdf
    from gough.errors import InputError
    from gough.files import write_whole
    from gough.singularity.cubic import EXPONENTS, SingularityCubic

    if output is not None and is_netcdf(output, as_json=as_json):
        write_whole(output, bytes(_dataset(answer).to_netcdf(engine="scipy")))
        return
    columns: dict[str, Any] = {}
    if isinstance(answer.surface, SingularityCubic):
        powers = {f"{axis}_power": EXPONENTS[:, k] for k, axis in enumerate("xyz")}
        columns = {**powers, "coefficient": answer.surface.coefficients}
    elif not as_json:
        kind = answer.machine.legs.kind
        raise InputError(
            f"the singular surface of {kind} legs has no coefficients for a table; ask --json, or -o FILE.nc"
        )
    emit(columns, _document(answer), as_json=as_json, output=output)


def _document(answer: _Answer) -> dict[str, Any]:
    """Keys for JSON, in the machine's units; coefficients are pure numbers."""
    from gough.cli.machine import units_of
    from gough.singularity.cubic import EXPONENTS, SingularityCubic

    m, near, free = answer.machine, answer.distance, answer.freedom
    size = m.units.metres
    document: dict[str, Any] = {"machine": m.name, "units": units_of(m), "rotation": answer.X[:3, :3]}
    cubic = answer.surface if isinstance(answer.surface, SingularityCubic) else None
    document["cubic"] = (
        None
        if cubic is None
        else {
            "of": "det [d, R b x d] / length^9, in powers of (position of the platform's origin - centre) / length",
            "exponents": EXPONENTS,
            "coefficients": cubic.coefficients,
            "centre": cubic.centre / size,
            "length": cubic.length / size,
        }
    )
    document["distance"] = {
        "lower": near.lower / size,
        "upper": near.upper / size,
        "position": near.position / size,
    }
    document["along"] = None if answer.along is None else answer.along / size
    if free is None:
        return {**document, "workspace": None, "sentence": answer.refused}
    document["workspace"] = {
        "verdict": free.verdict,
        "part": free.part,
        "bound": free.bound,
        "smallest_found": free.smallest,
        "witness": None if free.witness is None else _position(free.witness, m) / size,
        "path": None if free.path is None else free.path / size,
        "undecided_volume": free.undecided_volume / size**3,
        "cover_volume": free.cover_volume / size**3,
        "boxes": free.boxes,
    }
    return {**document, "sentence": free.sentence()}


def _position(X: Array, machine: Machine) -> Array:
    return X[:3, :3] @ machine.point_of_interest + X[:3, 3]


def _dataset(answer: _Answer) -> xarray.Dataset:
    """Coefficients, boxes with their bounds, and the surface as triangles within them, in SI."""
    import numpy as np
    import xarray

    from gough.singularity.cubic import EXPONENTS, SingularityCubic
    from gough.singularity.mesh import singular_mesh

    m, free = answer.machine, answer.freedom
    offset = answer.X[:3, :3] @ m.point_of_interest
    point = answer.X[:3, 3] + offset
    low, high = point - 0.5 * m.size, point + 0.5 * m.size
    variables: dict[str, Any] = {}
    if free is not None and len(free.low):
        low, high = free.low.min(axis=0), free.high.max(axis=0)
        variables["box_low"] = ("box", "axis"), free.low, {"units": "m"}
        variables["box_high"] = ("box", "axis"), free.high, {"units": "m"}
        variables["box_bound"] = "box", free.lower, {"units": "1", "long_name": "lower bound of the singular value"}
    mesh = singular_mesh(answer.surface, low - offset, high - offset)
    variables["vertices"] = ("vertex", "axis"), mesh.vertices + offset, {"units": "m"}
    variables["triangles"] = ("triangle", "corner"), mesh.triangles.astype(np.int32)
    if isinstance(answer.surface, SingularityCubic):
        variables["coefficients"] = "term", answer.surface.coefficients, {"units": "1"}
        variables["exponents"] = ("term", "axis"), EXPONENTS.astype(np.int32)
        variables["centre"] = "axis", answer.surface.centre, {"units": "m"}
        variables["length"] = (), answer.surface.length, {"units": "m"}
    verdict = (
        {"sentence": answer.refused}
        if free is None
        else {"sentence": free.sentence(), "verdict": free.verdict, "bound": free.bound}
    )
    attributes = {"machine": m.name, "rotation": answer.X[:3, :3].ravel().tolist(), **verdict}
    return xarray.Dataset(variables, coords={"axis": list("xyz")}, attrs=attributes)
