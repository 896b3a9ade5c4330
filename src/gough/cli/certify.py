"""`gough certify`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.cli.region_input import Shape, named_region
from gough.cli.region_limits import RequestedLimits
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, json_keys, json_of, of_result, sentence

if TYPE_CHECKING:
    from gough.regions.proof import RegionProof
    from gough.regions.shapes import Region


@command(
    "pose",
    "wrench",
    "payload",
    "joint_speed",
    "force",
    "no_weight",
    "step",
    "ignore",
    "boxes",
    "figure",
    "si",
    "as_json",
)
def certify(
    request: Request,
    shape: Shape,
    on_request: RequestedLimits,
    region: str | None = Option(None, metavar="NAME", help="One region of the machine's file instead of all of them."),
    largest: bool = Option(False, "--largest", help="Scale the region until it is proven and no larger one would be."),
    best: bool = Option(False, "--best-place", help="With --largest, --trade-off: move it to where it has most room."),
    trade_off: str | None = Option(
        None, metavar="ANGLES", help="How large the positions can be for each of these angles of its orientations."
    ),
) -> Answer:
    """Prove that every pose of a region keeps every limit.

    Or find one that breaks a limit. The region: positions about those of
    a pose (home, if none is given), times orientations about its own.
    Without one: the regions that the machine's file names. On request
    joint speeds, actuator forces (--wrench, --any-wrench, --payload),
    stiffness and resolution are limits too.
    """
    if trade_off is None:
        request.counts_only_with("--trade-off", "figure")
    also = on_request.limits(request)
    how: dict[str, Any] = {"ignore": request.ignored, "also": also, "max_boxes": request.options.boxes}
    prove = partial(_proof, request, how)
    if not shape.is_given:
        if largest or best or trade_off is not None:
            raise InputError("--largest, --best-place, --trade-off: give the region, such as --box 1,1,1 --cone 5")
        return _of_file(request, region, prove)
    if region is not None:
        raise InputError("--region names a region of the machine's file: give no other beside it")
    chosen = shape.region(request)
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
    chosen = named if name is None else {name: named_region(named, name)}
    proofs = {each: prove(region) for each, region in chosen.items()}
    fields = [field for each, proof in proofs.items() for field in _fields(request, proof, f"regions.{each}.")]
    return Answer(fields, lambda: _all_words(request, proofs))


def _proof(request: Request, how: dict[str, Any], region: Region) -> RegionProof:
    found: RegionProof = request.watched(
        f"region {region.name}".rstrip(), gough.certify_region, request.machine, region, **how
    )
    return found


def _fields(request: Request, proof: RegionProof, under: str = "") -> list[Field]:
    fields = [
        *json_of(proof, "verdict", under),
        *json_keys(under, sentence=proof.sentence()),
        *json_of(proof, "limit ignored boxes", under),
        *json_keys(under, undecided=len(proof.low)),
        *request.limits(proof.columns, under),
        *of_result(proof, "lower upper", under, is_csv=not under),
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


def _words(request: Request, proof: RegionProof) -> Words:
    yield from _verdict(request, proof, sentence(proof.sentence()))
    counted = [c for c, name in enumerate(proof.names) if name not in proof.ignored]
    names = [proof.names[c] for c in counted]
    yield request.show.table("smallest margin of", names, proof.bounds_of(counted))


def _all_words(request: Request, proofs: Mapping[str, RegionProof]) -> Words:
    for name, proof in proofs.items():
        yield from _verdict(request, proof, f"{name}: {proof.sentence()}.")


def _verdict(request: Request, proof: RegionProof, words: str) -> Words:
    yield words
    if proof.witness is not None:
        yield f"  at {request.show.numbers(proof.witness[:3, 3])} {request.unit('m')}; --json has the pose"
