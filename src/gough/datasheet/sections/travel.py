"""Travel along and about each axis, proven regions in all six coordinates, and the range of motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gough import plot
from gough.datasheet.model import Block, Card, Folded, Picture, Section, Text, warnings
from gough.datasheet.sheet import Datasheet, Sheet
from gough.displacements import displacement
from gough.limits.ties import in_words
from gough.limits.travel import fitting_unit, travel_fields
from gough.present.answer import Field, Table, of_result
from gough.present.show import fitting
from gough.present.units import percent
from gough.quantity import ALONG_AXES, AXES
from gough.regions.guaranteed import GuaranteedRegion
from gough.regions.proof import RegionProof
from gough.workspaces.minimum import Motion


def travel(sheet: Sheet[Any]) -> Section:
    """Return the table, figure and cards of the travel."""
    point = "the point of interest" if sheet.machine.point_of_interest.any() else "the platform's origin"
    fields = travel_fields(sheet.travel)
    picture = Picture(
        figure=plot.travel(sheet.machine, result=sheet.travel),
        caption="Travel from home in both directions. Every bar is by itself: the other five displacements are zero.",
        description="Bars of the travel along x, y, z and about them, with the numbers of the table.",
    )
    text = Text(
        f"Displacements of {point}, along and about the axes of the base. Each is exact: "
        f"the distance at which the first limit is reached.{sheet.shared}"
    )
    caption = "Travel from home, one axis at a time, and the limit that ends it"
    refused = "" if sheet.is_home_allowed else "Home is not allowed, so that all travel from it is 0"
    return Section(
        key="travel",
        title="Travel",
        blocks=[*warnings(refused), text, sheet.show.table("axis", AXES, fields, caption), picture],
        cards=[_travel_card(sheet, "Translation", slice(3)), _travel_card(sheet, "Rotation", slice(3, 6))],
        fields=fields,
    )


def _travel_card(sheet: Sheet[Any], label: str, part: slice) -> Card:
    """The symmetric travel of every axis: the smaller one of both directions."""
    rows = sheet.travel[part]
    unit = fitting_unit(rows, ALONG_AXES[part][0])
    shown = [sheet.show.short(min(-row.minus, row.plus), unit) for row in rows]
    return Card(
        f"{label} from home",
        "± " + " / ".join(shown),
        sheet.show.unit(unit),
        f"{', '.join(row.axis for row in rows)}, the same in both senses",
        is_wide=True,
        of=("{}.minus", "{}.plus"),
    )


SINGULAR = "some of these poses are singular: the legs do not hold the platform there"
LISTED = 12
"""Rows of the table: the limits that are nearest; the JSON output has all."""


def regions(sheet: Datasheet) -> Section | None:
    """Return the guaranteed region about home with its proof, and the regions that the machine's file names; None
    without."""
    found, named = sheet.guaranteed, sheet.named_regions
    if found.proof is None and not named:
        return None
    own = [] if found.proof is None else _headline(sheet, found, found.proof)
    return Section(
        key="regions",
        title="Proven regions",
        blocks=[*own, *([_of_file(sheet, named)] if named else [])],
        cards=[] if found.proof is None else [_region_card(found)],
        fields=[*([] if found.proof is None else _region_fields(found, found.proof)), *_named_fields(named)],
    )


def _headline(sheet: Datasheet, found: GuaranteedRegion, proof: RegionProof) -> list[Text | Folded]:
    text = Text(
        f"The point of interest anywhere in the box ±{found.half_widths_in_words()} about its place at home, "
        f"the platform turned from home by up to {found.turn_in_words()} about any axis, all at the same time: every "
        f"limit is kept, proven. Half widths and angle are {percent(found.share, 3)} of the travel along and about "
        f"single axes, rounded down.{_end(found)}"
    )
    return [
        text,
        *warnings(SINGULAR * proof.is_singular),
        Folded("Smallest margins in the region", [_region_table(sheet, proof)]),
    ]


def _end(found: GuaranteedRegion) -> str:
    if found.refutation is None:
        return ""
    return f" At {percent(found.refuted, 3)} a pose of the box breaks a limit ({found.refutation.limit})."


def _region_card(found: GuaranteedRegion) -> Card:
    singular = ", but singular" if found.proof is not None and found.proof.is_singular else ""
    detail = f"x, y, z at the same time, turned by up to {found.turn_in_words()} about any axis: proven{singular}"
    widths, _, unit = found.half_widths_in_words().rpartition(" ")
    return Card("Anywhere within", f"± {widths}", unit, detail, is_wide=True, of=("half_widths", "turn"))


def _region_fields(found: GuaranteedRegion, proof: RegionProof) -> list[Field]:
    units = [column.unit for column in proof.columns]
    fields = [
        *of_result(proof, "verdict"),
        *of_result(found, "half_widths", "turn", "share"),
        *of_result(proof, "boxes"),
        Field("limits.name", proof.names, doc="The limit."),
        Field("limits.proven", proof.lower, units, doc="No pose of the region has a smaller margin; at least 0."),
        Field("limits.found", proof.upper, units, doc="Smallest margin that was met at a pose of the region."),
    ]
    larger, m = found.refutation, found.machine
    if larger is None or larger.witness is None:
        return fields
    d = displacement(m.X_home, larger.witness, m.point_of_interest)
    return [
        *fields,
        Field("refuted.share", found.refuted,
            doc="Smallest share found at which a pose of the region, not rounded, breaks a limit."),
        Field("refuted.limit", larger.limit, doc="That limit."),
        Field("refuted.shift", d[:3], "m", frame="base",
            doc="Where the point of interest is at that pose, from its place at home."),
        Field("refuted.turn", d[3:], "rad", frame="base",
            doc="Rotation vector from home's orientation at that pose, in the base."),
    ]  # fmt: skip


def _region_table(sheet: Datasheet, proof: RegionProof) -> Table:
    """The tightest limits, relative to their scales."""
    # Upper bounds are margins of poses that were evaluated: they order the limits, whatever the proof's bounds are.
    scale = np.array([column.scale for column in proof.columns])
    listed = np.argsort(proof.upper / scale, kind="stable")[:LISTED]
    caption = f"Smallest margins, {len(listed)} of {len(scale)} limits: no pose is below the first, one has the second"
    names, columns = proof.table_of(list(listed))
    keys = ("limits.proven", "limits.found")
    return sheet.show.table("limit", names, [replace(c, of=(k,)) for c, k in zip(columns, keys, strict=True)], caption)


def _nearest(proof: RegionProof) -> int:
    """Column of the limit that is broken, or of the tightest."""
    return proof.names.index(proof.limit or proof.tightest)


def _of_file(sheet: Datasheet, named: dict[str, RegionProof]) -> Table:
    """A row for each region."""
    caption = "Regions of the machine's file: the smallest margin of the nearest limit, proven and found"
    return sheet.show.table("region", list(named), _named_fields(named), caption)


def _named_fields(named: dict[str, RegionProof]) -> list[Field]:
    """Fields with an entry for each region that the machine's file names."""
    from scipy.spatial.transform import Rotation

    names, proofs = list(named), list(named.values())
    nearest = [(proof, _nearest(proof)) for proof in proofs]
    units, lower = [proof.columns[c].unit for proof, c in nearest], np.array([proof.lower[c] for proof, c in nearest])
    fields = [
        Field("named.{}.verdict", [proof.verdict for proof in proofs], labels=names, head="verdict",
            doc="Of a region that the machine's file names: proven, refuted (a pose breaks a limit) or undecided "
            "(within 10,000 boxes)."),
        Field("named.{}.limit", [proof.names[c] for proof, c in nearest], labels=names, head="nearest limit",
            doc="The limit that is broken, or whose smallest margin over the region is least in its scale."),
        Field("named.{}.proven", np.where(np.isfinite(lower), lower, np.nan), units, names, head="proven",
            doc="No pose of the region has a smaller margin of it; null where nothing is known."),
        Field("named.{}.found", np.array([proof.upper[c] for proof, c in nearest]), units, names, head="found",
            doc="Smallest margin of it that was met at a pose of the region."),
        Field("named.{}.boxes", [proof.boxes for proof in proofs], labels=names,
            doc="Boxes of poses that were looked at."),
    ]  # fmt: skip
    at = {name: proof.witness for name, proof in named.items() if proof.witness is not None}
    return [
        *fields,
        Field("named.{}.witness.position", [X[:3, 3] for X in at.values()], "m", list(at), frame="base",
            doc="A pose of the region that breaks the limit: position of the platform's origin in the base."),
        Field("named.{}.witness.quaternion", [Rotation.from_matrix(X[:3, :3]).as_quat() for X in at.values()],
            labels=list(at), frame="platform in the base", doc="Its orientation, scalar last."),
    ]  # fmt: skip


AXES_OF: dict[Motion, tuple[str, ...]] = {"translation": AXES[:3], "rotation": AXES[3:]}
CORNERS_EXPLAINED = (
    "The range of pure translations, and of pure rotations, is a volume like a cube on its corner: what "
    "straight paths from home reach before a limit. Corner 1 is its lowest point on the z axis, 8 its highest. "
    "Corners 2 to 7 are the farthest points from that axis in six half-planes 60 degrees apart, turned so that "
    "one of them holds the farthest point of all; between two of them the range may reach farther than in "
    "either. Angles are defined by R = Rx Ry Rz about the axes of the base; along a path all three grow in "
    "proportion."
)


def corners(sheet: Sheet[Any]) -> Section:
    """Return both volumes: figure and table each."""
    return Section(
        key="corners",
        title="Range of motion",
        blocks=[
            *(_picture(sheet, kind) for kind in AXES_OF),
            Folded("Corners", [Text(CORNERS_EXPLAINED), *(_corner_table(sheet, kind) for kind in AXES_OF)]),
        ],
        fields=[field for kind in AXES_OF for field in _corner_fields(sheet, kind)],
    )


def _picture(sheet: Sheet[Any], kind: Motion) -> Block:
    if not np.isfinite(sheet.corners[kind].points).all():
        return Text(f"No limit ends the range of {kind}s in every direction, so that it has no drawing.")
    return Picture(
        figure=plot.corners(sheet.machine, kind, result=sheet.corners[kind]),
        caption=f"Corners 1 to 8 of the range of {kind}s from home (dot): what straight paths from home reach before "
        "a limit, joined by straight edges.",
        description=f"The volume of {kind}s as a solid with eight numbered corners; the table lists them.",
        is_half=True,
        is_scene=True,
    )


def _corner_fields(sheet: Sheet[Any], kind: Motion) -> list[Field]:
    found, axes = sheet.corners[kind], AXES_OF[kind]
    shown = fitting(sheet.machine, found.points, "m" if kind == "translation" else "rad")
    return [
        *of_result(found, "points", under=f"{kind}.", labels=axes, head="{}", shown=shown),
        *of_result(found, "binding", under=f"{kind}.", doc="The limit met at each corner."),
        *of_result(
            found, ("binding_sets", "binding_set"), under=f"{kind}.",
            doc="All limits met at each corner together: their relative margins there are below 1e-5. From a singular "
            "home no singularity does.",
        ),
    ]  # fmt: skip


def _corner_table(sheet: Sheet[Any], kind: Motion) -> Table:
    found = sheet.corners[kind]
    words = [in_words(names) or one for names, one in zip(found.binding_sets, found.binding, strict=True)]
    numbers = [str(k + 1) for k in range(len(words))]
    columns = [_corner_fields(sheet, kind)[0], Field("", words, head="ended by")]
    return sheet.show.table("corner", numbers, columns, f"Corners of the range of {kind}s from home")
