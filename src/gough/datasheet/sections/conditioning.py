"""Conditioning at home: singular values of the Jacobian, and what follows from them."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Picture, Section, Text, facts
from gough.datasheet.sheet import Sheet
from gough.errors import InputError
from gough.plot.conditioning_figure import conditioning_slice
from gough.present.answer import Field, of_result
from gough.present.show import uncertain
from gough.workspaces.quadrature import Uncertain

EXPLAINED = (
    "The Jacobian gives joint rates from the velocity of the platform joints' centre and the angular velocity times "
    "the characteristic length: the root mean square distance of the platform joints from their centre. "
    "Manipulability is the product of the singular values of its inverse. The distance to a singularity is the "
    "smallest singular value of the rods' directions alone, whatever drives them."
)
SINGULAR = "Home is singular: there the legs cannot hold the platform in every direction."


def conditioning(sheet: Sheet[Any]) -> Section | None:
    """Singular values with rotations weighed by the characteristic length, condition number, manipulability.

    Nothing where joints of two stages are unlike: their rates have no common norm.
    """
    if len({stage.legs.joint for stage in sheet.machine.stages}) > 1:
        return None
    show, length = sheet.show, sheet.machine.characteristic_length
    fields = _fields(sheet)
    maps, mean = _map(sheet)
    if mean is not None:
        fields += [Field("average_dexterity", mean.value), Field("average_dexterity_error", mean.error)]
    warning: list[Block] = [Text(SINGULAR, is_warning=True)] if sheet.is_singular else []
    headline = "singular" if sheet.is_singular else show.short(float(sheet.conditioning.condition_number), "")
    detail = f"at home, characteristic length {show.with_unit(length, 'm', 3)}"
    return Section(
        key="conditioning",
        title="Conditioning at home",
        blocks=[*warning, Text(f"{EXPLAINED}{sheet.of_rates}"), facts(show, fields), *maps],
        cards=[Card("Condition number", headline, detail=detail)],
        fields=fields,
    )


def _fields(sheet: Sheet[Any]) -> list[Field]:
    m, found, is_none = sheet.machine, sheet.conditioning, sheet.is_singular
    sign = 0 if is_none else int(np.sign(np.linalg.det(gough.jacobian(m, m.X_home))))
    return [
        *of_result(found, "singular_values", head="singular values", unit_key="unit"),
        *of_result(found, "condition_number", head="" if is_none else "condition number"),
        *([Field("", "singular", head="condition number", is_json=False)] if is_none else []),
        *of_result(found, "manipulability", shown=found.units.get("manipulability", "").replace("^6", "⁶")),
        Field("determinant_sign", sign),
        Field("", {1: "+1", -1: "−1", 0: "0"}[sign], head="sign of the determinant", is_json=False),
        *of_result(found, "length:characteristic_length", unit_key="length_unit"),
        *of_result(found, "distance:smallest_singular_value", unit="1"),
    ]


def _map(sheet: Sheet[Any]) -> tuple[list[Block], Uncertain | None]:
    """Dexterity over the upright slice of the workspace through home, and its mean; none where that has no extent."""
    try:
        found = conditioning_slice(sheet.machine, sheet.machine.end_home)
    except InputError:
        return [], None
    if not found["is_allowed"].values.any():
        return [], None
    mean = Uncertain(*(found.attrs[f"global_conditioning_index{part}"] for part in ("", "_error")))
    picture = Picture(
        figure=plot.conditioning_map(sheet.machine, result=found),
        caption="Dexterity, one over the condition number, over the slice of the workspace through home across y, "
        f"at home's orientation; {uncertain(mean.value, mean.error)} on average. 1 would be a pose as quick and as "
        "stiff in all directions.",
        description="A slice of the workspace, coloured by dexterity.",
    )
    return [picture], mean
