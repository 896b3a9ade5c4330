"""`gough certify`."""

from __future__ import annotations

from math import inf
from typing import Any

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.errors import InputError
from gough.present.answer import Answer, Field, Table, Words, json_keys


@command("pose", "si", "as_json")
def certify(
    request: Request,
    box: str | None = Option(None, metavar="X,Y,Z", help="Half widths of a box of positions."),
    ball: float | None = Option(None, metavar="RADIUS", help="Radius of a ball of positions."),
    cylinder: str | None = Option(None, metavar="RADIUS,HALF", help="Radius and half height of an upright cylinder."),
    ellipsoid: str | None = Option(None, metavar="X,Y,Z", help="Semi-axes of an ellipsoid of positions."),
    cone: str | None = Option(None, metavar="TILT[,ROLL]", help="Cone of the platform's z axis, and torsion about it."),
    turn: float | None = Option(None, metavar="ANGLE", help="Rotation vectors up to this angle about any axis."),
    euler: str | None = Option(None, metavar="A,B,C", help="Half widths of a box of angles; needs --sequence."),
    about: str | None = Option(
        None, metavar="X,Y,Z", help="The point that is placed, in the platform's frame; the point of interest."
    ),
    ignore: list[str] | None = Option(None, metavar="LIMIT", help='A limit to ignore, such as "singularity"; repeat.'),
    boxes: int = Option(100_000, min=1, metavar="N", help="Boxes looked at before the rest is undecided."),
) -> Answer:
    """Prove that every pose of a region keeps every limit.

    Or find one that breaks a limit. The region: positions about those of
    a pose (home, if none is given), times orientations about its own.
    """
    m, X = request.machine, request.X_one
    point = request.numbers("--about", about, (3,), "m")
    point = m.point_of_interest if point is None else point
    place = X[:3, :3] @ point + X[:3, 3]
    how = {**_orientations(request, cone, turn, euler), "about": point, "reference": X}
    region = _region(request, place, {"box": box, "ball": ball, "cylinder": cylinder, "ellipsoid": ellipsoid}, how)
    proof = request.watched("region", gough.certify_region, m, region, ignore=tuple(ignore or ()), max_boxes=boxes)
    units = [column.unit for column in proof.columns]
    limits = [
        {"name": column.name, "legs": list(column.legs), "unit": request.unit(column.unit)} for column in proof.columns
    ]
    fields = [
        *json_keys(verdict=proof.verdict, sentence=proof.sentence(), limit=proof.limit, ignored=list(proof.ignored)),
        *json_keys(boxes=proof.boxes, undecided=len(proof.low), limits=limits),
        Field("lower", proof.lower, units, proof.names),
        Field("upper", proof.upper, units, proof.names),
        *([] if proof.witness is None else request.poses(proof.witness, key="witness.")),
        *json_keys("region.", chart=region.chart, groups=region.groups, reference=region.reference),
        *json_keys("region.", directions=region.directions),
        *json_keys("region.", "m", position=region.centre[:3], half_widths=region.half[:3], about=region.about),
        *json_keys("region.", "rad", angles=region.centre[3:], half_angles=region.half[3:]),
        *json_keys("undecided_boxes.", "m", low_position=proof.low[:, :3], high_position=proof.high[:, :3]),
        *json_keys("undecided_boxes.", "rad", low_angles=proof.low[:, 3:], high_angles=proof.high[:, 3:]),
    ]
    return Answer(fields, lambda: _words(request, proof))


def _orientations(request: Request, cone: str | None, turn: float | None, euler: str | None) -> dict[str, Any]:
    """The orientations as keywords of regions."""
    found: dict[str, Any] = {"turn": request.amount(turn, "rad")}
    angles = request.numbers("--cone", cone, (1, 2), "rad")
    if angles is not None:
        found["tilt"], found["roll"] = float(angles[0]), float(angles[1]) if len(angles) > 1 else 0.0
    if euler is not None:
        if request.options.sequence is None:
            raise InputError("--euler: give --sequence too, the axes of the angles, such as XYZ")
        found |= {"euler": request.numbers("--euler", euler, (3,), "rad"), "sequence": request.options.sequence}
    return found


def _region(request: Request, place: Any, shapes: dict[str, Any], how: dict[str, Any]) -> gough.regions.PoseRegion:
    given = [name for name, value in shapes.items() if value is not None]
    if len(given) > 1:
        raise InputError(f"--{given[0]} and --{given[1]}: give one shape of positions")
    if not given:
        if not ({"tilt", "euler"} & set(how)) and how["turn"] is None:
            raise InputError("give the region: --box, --ball, --cylinder or --ellipsoid, and --cone, --turn or --euler")
        return gough.regions.box(place, [0.0, 0.0, 0.0], **how)
    if shapes["ball"] is not None:
        return gough.regions.ball(place, request.amount(shapes["ball"], "m"), **how)
    sizes = request.numbers(f"--{given[0]}", shapes[given[0]], (2,) if given[0] == "cylinder" else (3,), "m")
    if given[0] == "cylinder":
        return gough.regions.cylinder(place, float(sizes[0]), float(sizes[1]), **how)
    return gough.regions.box(place, sizes, **how) if given[0] == "box" else gough.regions.ellipsoid(place, sizes, **how)


def _words(request: Request, proof: gough.regions.RegionProof) -> Words:
    yield f"{proof.sentence()[:1].upper()}{proof.sentence()[1:]}."
    if proof.witness is not None:
        yield f"  at {request.show.numbers(proof.witness[:3, 3])} {request.unit('m')}; --json has the pose"
    rows = []
    for column, low, high in zip(proof.columns, proof.lower, proof.upper, strict=True):
        if column.name in proof.ignored:
            continue
        lower = request.show.value(low, column.unit) if low > -inf else ""
        rows.append((column.name, lower, request.show.value(high, column.unit), request.unit(column.unit)))
    yield Table(("smallest margin of", "proven", "found", "unit"), rows, (1, 2))
