"""Conditioning at home: singular values of the Jacobian, and what follows from them."""

from __future__ import annotations

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Facts, Picture, Section, Text
from gough.datasheet.sheet import Datasheet
from gough.errors import InputError
from gough.plot.conditioning_figure import conditioning_slice
from gough.present.show import jsonable, number, significant, uncertain
from gough.workspaces.quadrature import Uncertain

EXPLAINED = (
    "The Jacobian gives joint rates from the velocity of the platform joints' centre and the angular velocity times "
    "the characteristic length: the root mean square distance of the platform joints from their centre. "
    "Manipulability is the product of the singular values of its inverse. The distance to a singularity is the "
    "smallest singular value of the rods' directions alone, whatever drives them."
)
SINGULAR = "Home is singular: there the legs cannot hold the platform in every direction."


def conditioning(sheet: Datasheet) -> Section:
    """Singular values with rotations weighed by the characteristic length, condition number, manipulability."""
    m, show = sheet.machine, sheet.show
    length, values = m.characteristic_length, sheet.singular_values
    condition, manipulability, sign = _derived(sheet)
    unit = "" if m.legs.joint == "length" else " rad/m"
    facts = Facts(
        [
            ("Singular values", ", ".join(significant(float(v)) for v in values) + unit),
            ("Condition number", "singular" if sheet.is_singular else significant(condition)),
            ("Manipulability", significant(manipulability) + ("" if not unit else " (m/rad)⁶")),
            ("Sign of the determinant", {1: "+1", -1: "−1", 0: "0"}[sign]),
            ("Characteristic length", show.with_unit(length, "m")),
            ("Distance to a singularity", number(_distance(sheet), 4)),
        ]
    )
    maps, mean = _map(sheet)
    warning: list[Block] = [Text(SINGULAR, is_warning=True)] if sheet.is_singular else []
    headline = "singular" if sheet.is_singular else significant(condition, 3)
    detail = f"at home, characteristic length {show.short(length, 'm')} {show.unit('m')}"
    return Section(
        key="conditioning",
        title="Conditioning at home",
        blocks=[*warning, Text(EXPLAINED), facts, *maps],
        cards=[Card("Condition number", headline, detail=detail)],
        numbers={
            "singular_values": jsonable(values),
            "unit": unit.strip(),
            "condition_number": jsonable(condition),
            "manipulability": manipulability,
            "determinant_sign": sign,
            "characteristic_length": length,
            "length_unit": "m",
            "smallest_singular_value": jsonable(_distance(sheet)),
            **({} if mean is None else {"average_dexterity": mean.value, "average_dexterity_error": mean.error}),
        },
    )


def _map(sheet: Datasheet) -> tuple[list[Block], Uncertain | None]:
    """Dexterity over the upright slice of the workspace through home, and its mean; none where that has no extent."""
    try:
        found = conditioning_slice(sheet.machine, sheet.machine.X_home)
    except InputError:
        return [], None
    if not found["is_allowed"].any():
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


def _derived(sheet: Datasheet) -> tuple[float, float, int]:
    """Condition number, manipulability, sign of the determinant of J_qV."""
    if sheet.is_singular:
        return np.inf, 0.0, 0
    values = sheet.singular_values
    sign = int(np.sign(np.linalg.det(gough.jacobian(sheet.machine, sheet.machine.X_home))))
    return float(values[0] / values[-1]), float(1 / np.prod(values)), sign


def _distance(sheet: Datasheet) -> float:
    found = sheet.margins
    return float(found.values[found.names.index("singularity")]) + sheet.machine.limits.singular_value
