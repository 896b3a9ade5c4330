"""`gough certify`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.cli.region_input import RequestedLimits, Shape, named_region
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, json_keys, json_of, of_result, of_rows, sentence
from gough.quantity import AXES

SIZES = (("angle", "angles"), "half_widths", ("position", "positions"), "scale", "refuted", "limit", "verdict")
"""Attributes of a largest region for JSON, and keys where these differ."""
CHART = "of the region's chart of orientations"
NO_REGION = (
    "give the region: --box, --ball, --cylinder or --ellipsoid, and --cone, --turn or --euler; or name regions in the "
    "machine's file, under [[regions]]"
)


@command("pose", "wrench", "payload", "requested", "ignore", "boxes", "figure", "si", "as_json")
def certify(
    request: Request,
    shape: Shape,
    on_request: RequestedLimits,
    region: str | None = Option(None, metavar="NAME", help="One region of the machine's file instead of all of them."),
    largest: bool = Option(False, "--largest", help="Scale the region until it is proven and no larger one would be."),
    best: bool = Option(
        False, "--best-place", help="With --largest, --trade-off: centre it where the largest region fits."
    ),
    trade_off: str | None = Option(
        None, metavar="ANGLES", help="The largest region of positions for each of these tilt angles."
    ),
) -> Answer:
    """Prove that every pose of a region satisfies every limit.

    Or find one that violates a limit. The region: positions about those of
    a pose (home, if none is given), times orientations about its own.
    Without one: the regions that the machine's file names. On request
    joint speeds, actuator forces (--wrench, --any-wrench, --payload),
    stiffness and resolution are limits too.
    """
    is_scaled = largest or best or trade_off is not None
    if trade_off is None:
        request.counts_only_with("--trade-off", "figure")
    how: dict[str, Any] = {"ignore": request.ignored, "max_boxes": request.options.boxes}
    how["also"] = on_request.limits(request)
    if not shape.is_given and is_scaled:
        raise InputError("--largest, --best-place, --trade-off: give the region, such as --box 1,1,1 --cone 5")
    if shape.is_given and region is not None:
        raise InputError("--region names a region of the machine's file: give no other beside it")
    if best and not largest and trade_off is None:
        raise InputError("--best-place: give --largest or --trade-off with it")
    if is_scaled:
        return _sizes(request, shape.region(request), trade_off, {**how, "place": "best" if best else "given"})
    m, named = request.machine, gough.regions.named_regions
    if shape.is_given:
        regions: Mapping[str, Any] = {"": shape.region(request)}
    elif not (regions := named(m)):
        raise InputError(NO_REGION)
    elif region is not None:
        regions = {region: named_region(m, region)}
    proofs = {
        name: request.watched(f"region {name}".rstrip(), gough.certify_region, m, each, **how)
        for name, each in regions.items()
    }
    fields = [field for name, proof in proofs.items() for field in _fields(request, name, proof)]
    return Answer(fields, lambda: _words(request, proofs))


def _fields(request: Request, name: str, proof: gough.regions.RegionProof) -> list[Field]:
    under = f"regions.{name}." if name else ""
    fields = [
        *json_of(proof, "verdict", "is_singular", under=under),
        *json_keys(under, sentence=proof.sentence()),
        *json_of(proof, "limit", "ignored", "boxes", under=under),
        *json_keys(under, undecided=len(proof.low)),
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


def _sizes(request: Request, region: gough.regions.PoseRegion, angles: str | None, how: dict[str, Any]) -> Answer:
    """The largest region of a shape; or one for each of several angles."""
    from gough.cli.table import MANY

    m = request.machine
    if angles is None:
        found: tuple[gough.regions.LargestRegion, ...] = (gough.largest_region(m, region, **how),)
    else:
        given = request.numbers("--trade-off", angles, MANY, "rad")
        found = gough.regions.travel_tradeoff(m, region, given, **how)
        request.draw(lambda: gough.plot.travel(m, result=found))
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
