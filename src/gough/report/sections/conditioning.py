"""Conditioning at home: singular values of the Jacobian, and what follows from them."""

from __future__ import annotations

import numpy as np

import gough
from gough.report.datasheet import Datasheet
from gough.report.model import Block, Card, Facts, Section, Text
from gough.report.show import jsonable, number, significant


def conditioning(sheet: Datasheet) -> Section:
    """Singular values with rotations weighed by the characteristic length, condition number, manipulability."""
    m, show = sheet.machine, sheet.show
    length, values, is_singular = m.characteristic_length, sheet.singular_values, sheet.is_singular
    condition = np.inf if is_singular else float(values[0] / values[-1])
    manipulability = 0.0 if is_singular else float(1 / np.prod(values))
    sign = 0 if is_singular else int(np.sign(np.linalg.det(gough.jacobian(m, m.X_home))))
    unit = "" if m.legs.joint == "length" else " rad/m"
    headline = "singular" if is_singular else significant(condition, 3)
    words = "singular" if is_singular else significant(condition)
    facts = Facts(
        [
            ("Singular values", ", ".join(significant(float(v)) for v in values) + unit),
            ("Condition number", words),
            ("Manipulability", significant(manipulability) + ("" if not unit else " (m/rad)⁶")),
            ("Sign of the determinant", {1: "+1", -1: "−1", 0: "0"}[sign]),
            ("Characteristic length", show.with_unit(length, "m")),
            ("Distance to a singularity", _distance(sheet)),
        ]
    )
    blocks: list[Block] = [_explained(sheet), facts]
    if is_singular:
        blocks.insert(0, Text("Home is singular: there the legs cannot hold the platform in every direction.", True))
    return Section(
        key="conditioning",
        title="Conditioning at home",
        blocks=blocks,
        cards=[
            Card(
                "Condition number",
                headline,
                detail=f"at home, characteristic length {show.short(length, 'm')} {show.unit('m')}",
            )
        ],
        numbers={
            "singular_values": jsonable(values),
            "unit": unit.strip(),
            "condition_number": jsonable(condition),
            "manipulability": manipulability,
            "determinant_sign": sign,
            "characteristic_length": show.plain(length, "m"),
            "length_unit": show.unit("m"),
        },
    )


def _explained(sheet: Datasheet) -> Text:
    return Text(
        "The Jacobian gives joint rates from the velocity of the platform joints' centre and the angular velocity "
        "times the characteristic length: the root mean square distance of the platform joints from their centre. "
        "Manipulability is the product of the singular values of its inverse. The distance to a singularity is the "
        "smallest singular value of the rods' directions alone, whatever drives them."
    )


def _distance(sheet: Datasheet) -> str:
    found = sheet.margins
    value = float(found.values[found.names.index("singularity")]) + sheet.machine.limits.singular_value
    return number(value, 4)
