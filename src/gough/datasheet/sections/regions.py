"""Proven regions: where the platform can be in all six coordinates at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from gough.datasheet.model import Card, Folded, Section, Text
from gough.datasheet.sheet import Datasheet
from gough.present.answer import Field, Table
from gough.present.units import rounded
from gough.regions.guaranteed import GuaranteedRegion
from gough.regions.proof import RegionProof

LISTED = 12
"""Rows of the table: the limits that are nearest; the JSON output has all."""


def regions(sheet: Datasheet) -> Section | None:
    """The headline with its proof; None where travel has no end or home is not allowed."""
    found = sheet.guaranteed
    if found.proof is None:
        return None
    text = Text(
        f"The point of interest anywhere in the box ±{_widths(found)} {sheet.show.unit('m')} about its place at home, "
        f"the platform turned from home by up to {_turn(sheet, found)} about any axis, all at the same time: every "
        f"limit is kept, proven. Half widths and angle are {100 * found.share:.3g} % of the travel along and about "
        f"single axes, rounded down.{_end(found)}"
    )
    return Section(
        key="regions",
        title="Proven region",
        blocks=[text, Folded("Smallest margins in the region", [_table(sheet, found.proof)])],
        cards=[_card(sheet, found)],
        fields=_fields(found, found.proof),
    )


def _widths(found: GuaranteedRegion) -> str:
    return " / ".join(rounded(found.machine, float(half), "m") for half in found.half_widths)


def _turn(sheet: Datasheet, found: GuaranteedRegion) -> str:
    return f"{rounded(found.machine, found.turn, 'rad')} {sheet.show.unit('rad')}"


def _end(found: GuaranteedRegion) -> str:
    if found.refutation is None:
        return ""
    return f" At {100 * found.refuted:.3g} % a pose of the box breaks a limit ({found.refutation.limit})."


def _card(sheet: Datasheet, found: GuaranteedRegion) -> Card:
    detail = f"x, y, z at the same time, turned by up to {_turn(sheet, found)} about any axis: proven"
    return Card("Anywhere within", f"± {_widths(found)}", sheet.show.unit("m"), detail, is_wide=True)


def _fields(found: GuaranteedRegion, proof: RegionProof) -> list[Field]:
    larger = found.refutation
    fields = [
        Field("verdict", proof.verdict),
        Field("half_widths", found.half_widths, "m"),
        Field("turn", found.turn, "rad"),
        Field("share", found.share),
        Field("boxes", proof.boxes),
        Field("limits", [_limit(proof, c) for c in range(len(proof.columns))]),
    ]
    if larger is None or larger.witness is None:
        return fields
    m, X = found.machine, larger.witness
    turn = Rotation.from_matrix(X[:3, :3] @ m.X_home[:3, :3].T).as_rotvec()
    return [
        *fields,
        Field("refuted.share", found.refuted),
        Field("refuted.limit", larger.limit),
        Field("refuted.shift", X[:3, :3] @ m.point_of_interest + X[:3, 3] - m.home_point, "m"),
        Field("refuted.turn", turn, "rad"),
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
    """The limits that are nearest, in their scales."""
    scale = np.array([column.scale for column in proof.columns])
    listed = np.argsort(proof.upper / scale, kind="stable")[:LISTED]
    units = [proof.columns[c].unit for c in listed]
    columns = [
        Field("", proof.lower[listed], units, head="proven"),
        Field("", proof.upper[listed], units, head="found"),
    ]
    caption = f"Smallest margins, {len(listed)} of {len(scale)} limits: no pose is below the first, one has the second"
    return sheet.show.table("limit", [proof.names[c] for c in listed], columns, caption)
