"""`gough certify`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.cli.region_limits import requested
from gough.errors import InputError, nearest
from gough.present.answer import Answer, Field, Table, Words, json_keys

STIFFNESSES = {"N/m": "N/µm", "N m/rad": "N m/mrad"}
"""Units in which people read them, as of `gough stiffness`."""

if TYPE_CHECKING:
    from gough.regions.proof import RegionProof
    from gough.regions.shapes import Region


@command("pose", "wrench", "payload", "joint_speed", "si", "as_json")
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
    region: str | None = Option(None, metavar="NAME", help="One region of the machine's file instead of all of them."),
    ignore: list[str] | None = Option(None, metavar="LIMIT", help='A limit to ignore, such as "singularity"; repeat.'),
    largest: bool = Option(False, "--largest", help="Scale the region until it is proven and no larger one would be."),
    best: bool = Option(False, "--best-place", help="With --largest, --trade-off: move it to where it has most room."),
    trade_off: str | None = Option(
        None, metavar="ANGLES", help="How large the positions can be for each of these angles of its orientations."
    ),
    twist: str | None = Option(
        None, metavar="VX,...,WZ", help="Joint speeds stay within theirs as the point of interest goes so."
    ),
    any_twist: str | None = Option(
        None, metavar="V[,W]", help="The same up to speed V in every direction, with up to W about every axis."
    ),
    any_wrench: str | None = Option(
        None, metavar="F[,M]", help="Any force up to F and moment up to M there, added to --wrench [N, N m]."
    ),
    force: float | None = Option(
        None, metavar="F", help="Largest force (torque of a crank) of every actuator, instead of the machine's."
    ),
    no_weight: bool = Option(False, "--no-weight", help="Leave the machine's own weight out, of platform and legs."),
    stiffness: str | None = Option(
        None, metavar="K[,C]", help="Least principal stiffnesses, of translation and rotation [N/µm, N m/mrad]."
    ),
    resolution: str | None = Option(
        None, metavar="LENGTH[,ANGLE]", help="Largest step of the platform for one of every joint."
    ),
    step: float | None = Option(
        None, metavar="STEP", help="Smallest step of every joint, instead of the machine's resolution."
    ),
    boxes: int = Option(100_000, min=1, metavar="N", help="Boxes looked at before the rest is undecided."),
) -> Answer:
    """Prove that every pose of a region keeps every limit.

    Or find one that breaks a limit. The region: positions about those of
    a pose (home, if none is given), times orientations about its own.
    Without one: the regions that the machine's file names. On request
    joint speeds, actuator forces (--wrench, --any-wrench, --payload),
    stiffness and resolution are limits too.
    """
    given = {"twist": twist, "any_twist": any_twist, "any_wrench": any_wrench, "force": force, "no_weight": no_weight}
    also = requested(request, {**given, "stiffness": stiffness, "resolution": resolution, "step": step})
    how: dict[str, Any] = {"ignore": tuple(ignore or ()), "also": also, "max_boxes": boxes}
    prove = partial(_proof, request, how)
    shapes = {"box": box, "ball": ball, "cylinder": cylinder, "ellipsoid": ellipsoid}
    if {*shapes.values(), cone, turn, euler, about} == {None}:
        if largest or best or trade_off is not None:
            raise InputError("--largest, --best-place, --trade-off: give the region, such as --box 1,1,1 --cone 5")
        return _of_file(request, region, prove)
    if region is not None:
        raise InputError("--region names a region of the machine's file: give no other beside it")
    m, X = request.machine, request.X_one
    point = request.numbers("--about", about, (3,), "m")
    point = m.point_of_interest if point is None else point
    place = X[:3, :3] @ point + X[:3, 3]
    oriented = {**_orientations(request, cone, turn, euler), "about": point, "reference": X}
    chosen = _region(request, place, shapes, oriented)
    if largest or trade_off is not None:
        from gough.cli.region_sizes import sizes_of

        return sizes_of(request, chosen, trade_off, {**how, "place": "best" if best else "given"})
    if best:
        raise InputError("--best-place: give --largest or --trade-off with it")
    proof = prove(chosen)
    return Answer(_fields(request, proof), lambda: _words(request, proof))


def _of_file(request: Request, name: str | None, prove: Callable[[Region], RegionProof]) -> Answer:
    """The regions that the machine's file names, or one of them."""
    named = gough.regions.named_regions(request.machine)
    if not named:
        raise InputError(
            "give the region: --box, --ball, --cylinder or --ellipsoid, and --cone, --turn or --euler; or name regions "
            "in the machine's file, under [[regions]]"
        )
    if name is not None and name not in named:
        raise InputError(
            f"no region {name!r} in the machine's file: expected {', '.join(named)}.{nearest(name, named)}"
        )
    proofs = {each: prove(region) for each, region in named.items() if name in (None, each)}
    fields = [field for each, proof in proofs.items() for field in _fields(request, proof, f"regions.{each}.")]
    return Answer(fields, lambda: _all_words(request, proofs))


def _proof(request: Request, how: dict[str, Any], region: Region) -> RegionProof:
    found: RegionProof = request.watched(
        f"region {region.name}".rstrip(), gough.certify_region, request.machine, region, **how
    )
    return found


def _fields(request: Request, proof: RegionProof, under: str = "") -> list[Field]:
    units = [column.unit for column in proof.columns]
    limits = [
        {"name": column.name, "legs": list(column.legs), "unit": request.unit(column.unit)} for column in proof.columns
    ]
    fields = [
        *json_keys(under, verdict=proof.verdict, sentence=proof.sentence(), limit=proof.limit),
        *json_keys(under, ignored=list(proof.ignored), boxes=proof.boxes, undecided=len(proof.low), limits=limits),
        Field(f"{under}lower", proof.lower, units, proof.names, is_csv=not under),
        Field(f"{under}upper", proof.upper, units, proof.names, is_csv=not under),
        *([] if proof.witness is None else request.poses(proof.witness, key=f"{under}witness.")),
    ]
    parts = proof.region.regions
    for k, region in enumerate(parts, 1):
        key = f"{under}region." if len(parts) == 1 else f"{under}region_{k}."
        fields += [
            *json_keys(key, chart=region.chart, groups=region.groups, reference=region.reference),
            *json_keys(key, directions=region.directions),
            *json_keys(key, "m", position=region.centre[:3], half_widths=region.half[:3], about=region.about),
            *json_keys(key, "rad", angles=region.centre[3:], half_angles=region.half[3:]),
        ]
    left = f"{under}undecided_boxes."
    return [
        *fields,
        *json_keys(left, "m", low_position=proof.low[:, :3], high_position=proof.high[:, :3]),
        *json_keys(left, "rad", low_angles=proof.low[:, 3:], high_angles=proof.high[:, 3:]),
    ]


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
            raise InputError(
                "--about: give the region too, --box, --ball, --cylinder or --ellipsoid, or its orientations"
            )
        return gough.regions.box(place, [0.0, 0.0, 0.0], **how)
    if shapes["ball"] is not None:
        return gough.regions.ball(place, request.amount(shapes["ball"], "m"), **how)
    sizes = request.numbers(f"--{given[0]}", shapes[given[0]], (2,) if given[0] == "cylinder" else (3,), "m")
    if given[0] == "cylinder":
        return gough.regions.cylinder(place, float(sizes[0]), float(sizes[1]), **how)
    return gough.regions.box(place, sizes, **how) if given[0] == "box" else gough.regions.ellipsoid(place, sizes, **how)


def _words(request: Request, proof: RegionProof) -> Words:
    yield f"{proof.sentence()[:1].upper()}{proof.sentence()[1:]}."
    if proof.witness is not None:
        yield f"  at {request.show.numbers(proof.witness[:3, 3])} {request.unit('m')}; --json has the pose"
    rows = []
    for column, low, high in zip(proof.columns, proof.lower, proof.upper, strict=True):
        if column.name in proof.ignored:
            continue
        unit, digits = STIFFNESSES.get(column.unit, column.unit), 4 if column.name.endswith("resolution") else None
        lower = request.show.value(low, unit, digits) if low > -inf else ""
        rows.append((column.name, lower, request.show.value(high, unit, digits), request.unit(unit)))
    yield Table(("smallest margin of", "proven", "found", "unit"), rows, (1, 2))


def _all_words(request: Request, proofs: Mapping[str, RegionProof]) -> Words:
    for name, proof in proofs.items():
        yield f"{name}: {proof.sentence()}."
        if proof.witness is not None:
            yield f"  at {request.show.numbers(proof.witness[:3, 3])} {request.unit('m')}; --json has the pose"
