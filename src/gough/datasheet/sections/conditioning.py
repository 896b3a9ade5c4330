"""Conditioning at home: singular values of the Jacobian and the measures that follow from them."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Picture, Section, Text, facts, for_people, warnings
from gough.datasheet.sheet import Sheet
from gough.errors import InputError
from gough.plot.map_figures import conditioning_slice
from gough.present.answer import Field, of_result
from gough.present.show import uncertain
from gough.workspaces.quadrature import Uncertain

EXPLAINED = (
    "The Jacobian gives joint rates from the velocity of the platform joints' centre and the angular velocity times "
    "the characteristic length: the root mean square distance of the platform joints from their centre. "
    "Manipulability is the product of the singular values of its inverse. The distance to a singularity is the "
    "smallest singular value of the rods' directions alone, whatever drives them."
)
SINGULAR = "Home is singular: there the legs cannot hold the platform in every direction"


def conditioning(sheet: Sheet[Any]) -> Section | None:
    """Singular values with rotations weighted by the characteristic length, condition number, manipulability.

    None if joints of two stages are of different kinds: their rates have no common norm.
    """
    if len({stage.legs.joint for stage in sheet.machine.stages}) > 1:
        return None
    show, length = sheet.show, sheet.machine.characteristic_length
    fields = _fields(sheet)
    maps, mean = _map(sheet)
    if mean is not None:
        fields += [Field("average_dexterity", mean.value,
            doc="Mean, by area, of the dexterity (smallest over largest singular value, here at each "
            "position) over the positions of the point of interest in the plane y = that of home that "
            "are allowed with home's orientation."), Field("average_dexterity_error", mean.error,
            doc="Estimated error of that mean, which is from 160 columns along z at the middles of cells and "
            "24 places on each: its largest difference to those from 64, 80, 96 and 120 columns and 12 "
            "places.")]  # fmt: skip
    headline = "singular" if sheet.is_singular else show.short(float(sheet.conditioning.condition_number), "")
    detail = f"at home, characteristic length {show.with_unit(length, 'm', 3)}"
    return Section(
        key="conditioning",
        title="Conditioning at home",
        blocks=[
            *warnings(SINGULAR * sheet.is_singular),
            Text(f"{EXPLAINED}{sheet.of_rates}"),
            facts(show, fields),
            *maps,
        ],
        cards=[Card("Condition number", headline, detail=detail, of=("condition_number",))],
        fields=fields,
    )


def _fields(sheet: Sheet[Any]) -> list[Field]:
    m, found, is_none = sheet.machine, sheet.conditioning, sheet.is_singular
    sign = 0 if is_none else int(np.sign(np.linalg.det(gough.jacobian(m, m.X_home))))
    return [
        *of_result(found, "singular_values", head="singular values"),
        *of_result(found, "condition_number", head="" if is_none else "condition number"),
        *([for_people("condition number", "singular", "condition_number")] if is_none else []),
        *of_result(found, "manipulability", shown=found.units.get("manipulability", "").replace("^6", "⁶")),
        Field("determinant_sign", sign,
            doc="Sign of the determinant of J_qV, the matrix from [v, w] to the joint rates: it differs "
            "between the sides of the singular surface."),
        for_people("sign of the determinant", {1: "+1", -1: "−1", 0: "0"}[sign], "determinant_sign"),
        *of_result(found, ("length", "characteristic_length")),
        *of_result(found, ("distance", "smallest_singular_value"), unit="1"),
    ]  # fmt: skip


def _map(sheet: Sheet[Any]) -> tuple[list[Block], Uncertain | None]:
    """Map of the dexterity over the slice of the workspace through home across y, and its mean; none without extent."""
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
