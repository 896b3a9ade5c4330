"""`gough certify`: regions of poses from options or from the machine's file, and requested limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf, pi
from typing import TYPE_CHECKING, Annotated, Any

from typer import Context

import gough
from gough.cli.options import (
    At,
    Boxes,
    Centre,
    Force,
    Ignore,
    Json,
    MachineName,
    Payload,
    Sequences,
    number,
    request_of,
    text,
)
from gough.errors import InputError, nearest
from gough.present.answer import Answer, Field, Words, json_keys, json_of, of_result, of_rows, sentence
from gough.quantity import AXES

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.inputs import Units
    from gough.cli.request import Request
    from gough.regions.requested import RequestedLimit
    from gough.regions.shapes import PoseRegion, Region

SIZES = (("angle", "angles"), "half_widths", ("position", "positions"), "scale", "refuted", "limit", "verdict")
"""Attributes of a largest region for JSON, and keys where these differ."""
CHART = "of the region's chart of orientations"
NO_REGION = "specify the region: --box, and --cone or --turn; or name regions in the machine's file, under [[regions]]"


def certify(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None,
    box: Annotated[str | None, text("X,Y,Z", "Half widths of a box of positions.")] = None,
    cone: Annotated[str | None, text("TILT[,ROLL]", "Cone of the platform's z axis, and torsion about it.")] = None,
    turn: Annotated[float | None, number("ANGLE", "Rotation vectors up to this angle about any axis.")] = None,
    region: Annotated[str | None, text("NAME", "Region of the machine's file; default: all regions.")] = None,
    any_twist: Annotated[
        str | None, text("V[,W]", "Reach speed V in every direction, and angular velocity W, within joint speeds.")
    ] = None,
    any_wrench: Annotated[str | None, text("F[,M]", "Hold any force up to F and moment up to M [N, N m].")] = None,
    stiffness: Annotated[str | None, text("K[,C]", "Least principal stiffnesses [N/µm, N m/mrad].")] = None,
    resolution: Annotated[str | None, text("LENGTH[,ANGLE]", "Largest displacement by one joint step.")] = None,
    trade_off: Annotated[str | None, text("ANGLES", "Find the largest positions for these tilt angles.")] = None,
    payload: Payload = None, centre: Centre = None, force: Force = None, ignore: Ignore = None,
    boxes: Boxes = 100_000, as_json: Json = False,
) -> None:  # fmt: skip
    """Prove that every pose of a region satisfies every limit.

    Otherwise print a pose that violates a limit. A region has positions about
    the position of a pose (default: home), times orientations about its
    orientation. Without region options, the regions of the machine file are
    used. Joint speeds, actuator forces (--any-wrench, --payload), stiffness
    and resolution can be added as limits.
    """
    request = request_of(context)
    how: dict[str, Any] = {"ignore": ignore or (), "max_boxes": boxes}
    how["also"] = requested_limits(request, any_twist, any_wrench, stiffness, resolution, force)
    has_shape = any(size is not None for size in (box, cone, turn))
    typed = region_about(request, box, cone, turn) if has_shape else None
    if typed is None and trade_off is not None:
        raise InputError("--trade-off: specify the region, such as --box 1,1,1 --cone 5")
    if typed is not None and region is not None:
        raise InputError("--region selects a region of the machine's file and cannot be combined with another region")
    if typed is not None and trade_off is not None:
        request.write(_sizes(request, typed, trade_off, how))
        return
    m = request.machine
    regions: Mapping[str, Any] = {"": typed} if typed is not None else gough.regions.named_regions(m)
    if not regions:
        raise InputError(NO_REGION)
    if region is not None:
        regions = {region: named_region(m, region)}
    proofs = {
        name: request.watched(f"region {name}".rstrip(), gough.certify_region, m, each, **how)
        for name, each in regions.items()
    }
    fields = [field for name, proof in proofs.items() for field in _fields(request, name, proof)]
    request.write(Answer(fields, lambda: _words(request, proofs)))


def _fields(request: Request, name: str, proof: gough.regions.RegionProof) -> list[Field]:
    under = f"regions.{name}." if name else ""
    fields = [
        *json_of(proof, "verdict", "is_singular", "limit", "ignored", "boxes", under=under),
        *json_keys(under, sentence=proof.sentence(), undecided=len(proof.low)),
        *request.limits(proof.columns, under),
        *of_result(proof, "lower", "upper", under=under, is_csv=not under),
        *([] if proof.witness is None else request.poses(proof.witness, key=f"{under}witness.")),
    ]
    parts = proof.region.regions
    for k, part in enumerate(parts, 1):
        key = f"{under}region." if len(parts) == 1 else f"{under}region_{k}."
        fields += [
            *json_keys(key, chart=part.chart, groups=part.groups),
            *json_keys(key, "", "platform in the base", reference=part.reference),
            *json_keys(key, "", "base", directions=part.directions),
            *json_keys(key, "m", "base", position=part.centre[:3]),
            *json_keys(key, "m", "along the region's directions", half_widths=part.half[:3]),
            *json_keys(key, "m", "platform", about=part.about),
            *json_keys(key, "rad", CHART, angles=part.centre[3:], half_angles=part.half[3:]),
        ]
    left, (low, high) = f"{under}undecided_boxes.", (proof.low, proof.high)
    fields += json_keys(left, "m", "base", low_position=low[:, :3], high_position=high[:, :3])
    return [*fields, *json_keys(left, "rad", CHART, low_angles=low[:, 3:], high_angles=high[:, 3:])]


def _words(request: Request, proofs: Mapping[str, gough.regions.RegionProof]) -> Words:
    for name, proof in proofs.items():
        yield f"{name}: {proof.sentence()}." if name else sentence(proof.sentence())
    if "" in proofs:
        yield request.show.table("smallest margin of", *proofs[""].table_of())


def _sizes(request: Request, region: gough.regions.PoseRegion, angles: str, how: dict[str, Any]) -> Answer:
    """The largest region of positions for each of several angles."""
    from gough.cli.table import MANY

    given = request.numbers("--trade-off", angles, MANY, "rad")
    found = gough.regions.travel_tradeoff(request.machine, region, given, **how)
    return Answer(of_rows(found, "angle", *SIZES, is_csv=False), lambda: _size_words(request, found))


def _size_words(request: Request, found: tuple[gough.regions.LargestRegion, ...]) -> Words:
    show = request.show
    if len(found) == 1:
        yield sentence(found[0].sentence())
    angles = [show.value(one.angle, "rad") for one in found]
    widths, places = of_rows(found, "angle", "half_widths", "position")
    sizes = [replace(widths, head="±{}", labels=AXES[:3]), replace(places, head="centre {}", labels=AXES[:3])]
    limits = Field("", [one.limit for one in found], head="ended by")
    yield show.table(f"angle [{request.unit('rad')}]", angles, [*sizes, limits])


def region_about(request: Request, box: str | None, cone: str | None, turn: float | None) -> PoseRegion:
    """Return positions of the point of interest in a box about its position at the pose of the request, one position
    without it, times orientations about that of the pose."""
    from gough.regions.constructors import region_of

    m, X, turns = request.machine, request.X_one, dict[str, Any]()
    if turn is not None:
        turns["turn"] = float(_amounts(request, "--turn", repr(turn), (1,), "rad", pi)[0])
    if cone is not None:
        angles = _amounts(request, "--cone", cone, (1, 2), "rad", pi)
        turns["tilt"], turns["roll"] = float(angles[0]), float(angles[1]) if len(angles) > 1 else 0.0
    half = [0.0, 0.0, 0.0] if box is None else _amounts(request, "--box", box, (3,), "m")
    point = m.point_of_interest
    return region_of("box", X[:3, :3] @ point + X[:3, 3], half, **turns, about=point, reference=X)


def requested_limits(
    request: Request, twist: str | None, wrench: str | None, stiffness: str | None, resolution: str | None,
    actuator_force: float | None,
) -> tuple[RequestedLimit, ...]:  # fmt: skip
    """Return limits requested by options, in addition to the machine's limits."""
    m = request.machine
    limits: list[RequestedLimit] = []
    if (speed := _pair(request, "--any-twist", twist, ("m/s", "rad/s"))) is not None:
        limits.append(gough.regions.SpeedLimit(translation=speed[0], rotation=speed[1]))
    load = _pair(request, "--any-wrench", wrench, ("N", "N m"))
    if load is None and request.options.payload is None:
        request.counts_only_with("--any-wrench or --payload", "force")
    else:
        force, moment = load or (0.0, 0.0)
        held: dict[str, Any] = {"gravity": m.has_weight, "actuator_force": actuator_force}
        limits.append(gough.statics.ForceLimit(force=force, moment=moment, **held))
    if (least := _pair(request, "--stiffness", stiffness, ("N/µm", "N m/mrad"))) is not None:
        limits.append(gough.statics.StiffnessLimit(translation=least[0], rotation=least[1]))
    if resolution is not None:
        steps = _amounts(request, "--resolution", resolution, (1, 2), ("m", "rad"))
        bounds = dict(zip(("translation", "rotation"), map(float, steps), strict=False))
        limits.append(gough.accuracy.ResolutionLimit(**bounds))
    return tuple(limits)


def named_region(machine: gough.Machine, name: str) -> Region:
    """Return the region of this name in the machine's file."""
    named = gough.regions.named_regions(machine)
    if name not in named:
        there = f"expected {', '.join(named)}" if named else "it names none"
        raise InputError(f"no region {name!r} in the machine's file: {there}.{nearest(name, named)}")
    return named[name]


def _pair(request: Request, option: str, text: str | None, units: tuple[str, str]) -> tuple[float, float] | None:
    """One number or two in SI; the second is 0 where it is left out."""
    if text is None:
        return None
    values = _amounts(request, option, text, (1, 2), units)
    return float(values[0]), float(values[1]) if len(values) > 1 else 0.0


def _amounts(
    request: Request, option: str, text: str, counts: tuple[int, ...], unit: Units, most: float = inf
) -> Array:
    """The numbers of an option in SI, none below zero or above `most`."""
    values = request.numbers(option, text, counts, unit)
    if not ((values >= 0) & (values <= most)).all():
        wanted = "of zero or more" if most == inf else f"from 0 to {request.show.with_unit(most, 'rad')}"
        raise InputError(f"{option} {text}: expected amounts {wanted}")
    return values
