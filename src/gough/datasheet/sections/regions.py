"""Proven regions: displacements in all six coordinates at the same time that keep every limit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.datasheet.model import Card, Folded, Section, Text, warnings
from gough.datasheet.sheet import Datasheet
from gough.displacements import displacement
from gough.present.answer import Field, Table, of_result
from gough.present.units import percent
from gough.regions.guaranteed import GuaranteedRegion
from gough.regions.proof import RegionProof

SINGULAR = "some of these poses are singular: the legs do not hold the platform there"
LISTED = 12
"""Rows of the table: the limits that are nearest; the JSON output has all."""


def regions(sheet: Datasheet) -> Section | None:
    """The guaranteed region about home with its proof, and the regions that the machine's file names; None without."""
    found, named = sheet.guaranteed, sheet.named_regions
    if found.proof is None and not named:
        return None
    own = [] if found.proof is None else _headline(sheet, found, found.proof)
    return Section(
        key="regions",
        title="Proven regions",
        blocks=[*own, *([_of_file(sheet, named)] if named else [])],
        cards=[] if found.proof is None else [_card(found)],
        fields=[*([] if found.proof is None else _fields(found, found.proof)), *_named_fields(named)],
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
        Folded("Smallest margins in the region", [_table(sheet, proof)]),
    ]


def _end(found: GuaranteedRegion) -> str:
    if found.refutation is None:
        return ""
    return f" At {percent(found.refuted, 3)} a pose of the box breaks a limit ({found.refutation.limit})."


def _card(found: GuaranteedRegion) -> Card:
    singular = ", but singular" if found.proof is not None and found.proof.is_singular else ""
    detail = f"x, y, z at the same time, turned by up to {found.turn_in_words()} about any axis: proven{singular}"
    widths, _, unit = found.half_widths_in_words().rpartition(" ")
    return Card("Anywhere within", f"± {widths}", unit, detail, is_wide=True, of=("half_widths", "turn"))


def _fields(found: GuaranteedRegion, proof: RegionProof) -> list[Field]:
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


def _table(sheet: Datasheet, proof: RegionProof) -> Table:
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
