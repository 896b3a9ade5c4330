"""Data of drives and struts in the machine's file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.arrays import Array
from gough.datasheet.model import Section
from gough.datasheet.sheet import Datasheet
from gough.present.answer import Field
from gough.present.show import Show, fitting, same_for_all
from gough.present.units import readable
from gough.quantity import LEGS

DIGITS = 6


def drives(sheet: Datasheet) -> Section | None:
    """One row for each known quantity; six columns if legs differ, else one."""
    rows = [(name, values, unit) for name, values, unit in _quantities(sheet) if values is not None]
    if not rows:
        return None
    names, units = [name for name, *_ in rows], [unit for *_, unit in rows]
    values = np.array([np.broadcast_to(values, 6) for _, values, _ in rows])
    alike = all(same_for_all(row) for row in values)
    # Screws are shown by their lead, which files give.
    for_people = [
        (name, of_legs, _for_people(sheet.show, of_legs, unit))
        for name, of_legs, unit in zip(names, values, units, strict=True)
        if unit != "rad/m"
    ]
    shown = [unit for *_, unit in for_people]
    columns = [
        Field(
            "{}.values",
            [_as_given(sheet.show, of_legs[k], unit) for _, of_legs, unit in for_people],
            shown,
            head="each leg" if alike else f"leg {leg}",
            shown=shown,
        )
        for k, leg in enumerate(LEGS[:1] if alike else LEGS)
    ]
    table = sheet.show.table("quantity", [name for name, *_ in for_people], columns, "As given in the machine's file")
    keys = [name.replace(" ", "_") for name in names]
    return Section(
        key="drives",
        title="Drives and struts",
        blocks=[replace(table, numeric=range(1, 1 + len(columns)))],
        fields=[
            Field(
                "{}.values",
                values,
                [unit.replace("²", "2") for unit in units],
                keys,
                doc="The machine file's, leg by leg.",
            ),
        ],
        is_folded=True,
    )


def _for_people(show: Show, values: Array, unit: str) -> str:
    """The file's unit, for small lengths and angles one that fits."""
    if unit == "rad/rad":
        return "1"
    return fitting(show.machine, values, unit) if unit in ("m", "rad") else readable(show.machine.units, unit)


def _as_given(show: Show, value: float, unit: str) -> str:
    """A number without its unit and without trailing zeros."""
    # Large numbers have a power of ten: only zeros at the end of the mantissa are removed.
    mantissa, times, power = show.value(value, unit, DIGITS).partition("×")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + times + power


def _quantities(sheet: Datasheet) -> list[tuple[str, Array | None, str]]:
    """Name, values of the legs and SI unit."""
    limits, a = sheet.machine.limits, sheet.machine.actuators
    joint, is_length = sheet.machine.legs.joint_unit, sheet.machine.legs.joint == "length"
    force, rate = ("N", "s/m") if is_length else ("N m", "s/rad")
    lead = None if a.transmission is None or not is_length else 2 * np.pi / a.transmission
    return [
        ("top speed", limits.joint_speed, f"{joint}/s"),
        ("top acceleration", limits.joint_acceleration, f"{joint}/s2"),
        ("largest force" if is_length else "largest torque", limits.actuator_force, force),
        ("resolution", a.resolution, joint),
        ("axial stiffness", a.stiffness, "N/m"),
        ("axial rigidity E A", a.axial_rigidity, "N"),
        ("base joint stiffness", a.base_joint_stiffness, "N/m"),
        ("platform joint stiffness", a.platform_joint_stiffness, "N/m"),
        ("viscous friction", a.viscous_friction, f"{force} {rate}"),
        ("Coulomb friction", a.coulomb_friction, force),
        ("rotor inertia", a.rotor_inertia, "kg m²"),
        ("screw lead", lead, "m"),
        ("transmission" if is_length else "gear ratio", a.transmission, "rad/m" if is_length else "rad/rad"),
        ("leg radius", limits.leg_radius, "m"),
    ]
