"""Figures that the machine's source prints, beside ours where the two compare."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gough
from gough.description.units import ANGLE, LENGTH
from gough.report.datasheet import Datasheet
from gough.report.model import Column, Section, Table, Text
from gough.report.show import NOTHING, jsonable, number, same_for_all, significant

Array = NDArray[np.float64]

_UNIT = re.compile(r"^(?P<name>.+?)_(?P<unit>(?:mm|um|nm|cm|in|ft|m|deg|rad|mrad|N|kN|kg)(?:_per_s2?)?)$")
_JOINTS = re.compile(r"^home_(leg_)?(lengths?|sliders?|displacements?|angles?|joints?)$")
OURS: dict[str, Callable[[Datasheet], Any]] = {
    "home_height": lambda sheet: sheet.machine.X_home[2, 3],
    "det_J_at_home": lambda sheet: np.linalg.det(gough.jacobian(sheet.machine, sheet.machine.X_home)),
}
"""What Gough says, in SI, to a published figure of this name (without its unit)."""


def published(sheet: Datasheet) -> Section | None:
    """One row for each published figure."""
    if not sheet.machine.published:
        return None
    rows, numbers, any_compares = [], {}, False
    for key, printed in sheet.machine.published.items():
        name, unit = _name_and_unit(key)
        ours = _ours(sheet, name, unit)
        any_compares |= ours is not None
        rows.append([name.replace("_", " "), unit.replace("_per_", "/"), _printed(printed), *_compared(printed, ours)])
        numbers[key] = {"published": printed, "ours": None if ours is None else jsonable(ours)}
    columns = [Column("figure", is_number=False), Column("unit", is_number=False), Column("published")]
    words = "As the machine's source prints them"
    if any_compares:
        columns += [Column("Gough"), Column("largest difference")]
        words += ", with Gough's own where the two are the same quantity"
    rows = [row[: len(columns)] for row in rows]
    return Section(
        key="published",
        title="Published figures",
        blocks=[Text(f"{words}."), Table("Published and computed" if any_compares else "Published", columns, rows)],
        numbers=numbers,
    )


def _name_and_unit(key: str) -> tuple[str, str]:
    match = _UNIT.match(key)
    return (match["name"], match["unit"]) if match else (key, "")


def _ours(sheet: Datasheet, name: str, unit: str) -> Array | None:
    """Gough's figure in the published unit, or None where none compares."""
    size = LENGTH.get(unit, ANGLE.get(unit, 1.0))
    if _JOINTS.match(name):
        return np.asarray(sheet.q / size)
    found = OURS.get(name)
    return None if found is None else np.asarray(found(sheet) / size, dtype=float)


def _compared(printed: Any, ours: Array | None) -> list[str]:
    """Ours to the digits of the source and the largest difference."""
    if ours is None:
        return [NOTHING, NOTHING]
    theirs = np.atleast_1d(np.asarray(printed, dtype=float))
    digits = max(_decimals(v) for v in theirs)
    values = np.atleast_1d(ours)
    if values.size == 6 and same_for_all(values.round(digits)):
        values = values[:1] if theirs.size == 1 else values
    return [
        ", ".join(number(float(v), digits) for v in values),
        significant(float(np.abs(np.atleast_1d(ours) - theirs).max()), 2),
    ]


def _decimals(value: float) -> int:
    text = repr(float(value))
    return 12 if "e" in text else len(text.partition(".")[2]) if not float(value).is_integer() else 3


def _printed(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(f"({_printed(v)})" if isinstance(v, list) else _printed(v) for v in value)
    return str(value).replace("-", "−") if isinstance(value, int | float) else str(value)
