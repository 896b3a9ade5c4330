"""Proven regions: displacements in all six coordinates at the same time that keep every limit."""

from __future__ import annotations

from typing import Any

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
    return Card("Anywhere within", f"± {widths}", unit, detail, is_wide=True)


def _fields(found: GuaranteedRegion, proof: RegionProof) -> list[Field]:
    fields = [
        *of_result(proof, "verdict"),
        *of_result(found, "half_widths", "turn", "share"),
        *of_result(proof, "boxes"),
        Field("limits", [_limit(proof, c) for c in range(len(proof.columns))]),
    ]
    larger, m = found.refutation, found.machine
    if larger is None or larger.witness is None:
        return fields
    d = displacement(m.X_home, larger.witness, m.point_of_interest)
    return [
        *fields,
        Field("refuted.share", found.refuted),
        Field("refuted.limit", larger.limit),
        Field("refuted.shift", d[:3], "m", frame="base"),
        Field("refuted.turn", d[3:], "rad", frame="base"),
    ]


def _limit(proof: RegionProof, c: int) -> dict[str, Any]:
    column = proof.columns[c]
    return {
        "name": column.name,
        "proven": float(proof.lower[c]),
        "found": float(proof.upper[c]),
        "unit": column.unit,
    }


def _table(sheet: Datasheet, proof: RegionProof) -> Table:
    """The tightest limits, relative to their scales."""
    # Upper bounds are margins of poses that were evaluated: they order the limits, whatever the proof's bounds are.
    scale = np.array([column.scale for column in proof.columns])
    listed = np.argsort(proof.upper / scale, kind="stable")[:LISTED]
    caption = f"Smallest margins, {len(listed)} of {len(scale)} limits: no pose is below the first, one has the second"
    return sheet.show.table("limit", *proof.table_of(list(listed)), caption)


def _nearest(proof: RegionProof) -> int:
    """Column of the limit that is broken, or of the tightest."""
    return proof.names.index(proof.limit or proof.tightest)


def _of_file(sheet: Datasheet, named: dict[str, RegionProof]) -> Table:
    """A row for each region."""
    pairs = [(proof, _nearest(proof)) for proof in named.values()]
    units = [proof.columns[c].unit for proof, c in pairs]
    lower = np.array([proof.lower[c] for proof, c in pairs])
    columns = [
        Field("", [proof.verdict for proof, _ in pairs], head="verdict"),
        Field("", [proof.names[c] for proof, c in pairs], head="nearest limit"),
        Field("", np.where(np.isfinite(lower), lower, np.nan), units, head="proven"),
        Field("", np.array([proof.upper[c] for proof, c in pairs]), units, head="found"),
    ]
    caption = "Regions of the machine's file: the smallest margin of the nearest limit, proven and found"
    return sheet.show.table("region", list(named), columns, caption)


def _named_fields(named: dict[str, RegionProof]) -> list[Field]:
    from scipy.spatial.transform import Rotation

    fields = []
    for name, proof in named.items():
        key, c = f"named.{name}.", _nearest(proof)
        fields += [
            Field(f"{key}verdict", proof.verdict),
            Field(f"{key}limit", proof.names[c]),
            Field(f"{key}proven", proof.lower[c] if np.isfinite(proof.lower[c]) else None),
            Field(f"{key}found", proof.upper[c]),
            Field(f"{key}unit", proof.columns[c].unit),
            Field(f"{key}boxes", proof.boxes),
        ]
        if proof.witness is not None:
            fields += [
                Field(f"{key}witness.position", proof.witness[:3, 3], "m", frame="base"),
                Field(
                    f"{key}witness.quaternion",
                    Rotation.from_matrix(proof.witness[:3, :3]).as_quat(),
                    frame="platform in the base",
                ),
            ]
    return fields
