"""Figures that the machine's source prints, beside ours where the two compare."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

import gough
from gough.arrays import Array
from gough.datasheet.model import Section, Text
from gough.datasheet.sheet import Datasheet
from gough.description.units import ANGLE, LENGTH
from gough.errors import InputError
from gough.present.answer import Field, Table
from gough.present.show import NOTHING, number, same_for_all, significant

_UNIT = re.compile(
    r"^(?P<name>.+?)_(?P<unit>(?:mm|um|nm|cm|in|ft|m|deg|rad|mrad|Hz|kN|kg|N)(?:_per_(?:s2?|m|mm|rad))?(?:_and_N_m)?)$"
)
_JOINTS = re.compile(r"^(home_)?(leg_)?(lengths?|sliders?|displacements?|angles?|joints?)$")
OURS: dict[str, Callable[[Datasheet], Any]] = {
    "home_height": lambda sheet: sheet.machine.X_home[2, 3],
    "det_J_at_home": lambda sheet: np.linalg.det(gough.jacobian(sheet.machine, sheet.machine.X_home)),
    "stiffness_diagonal_at_tool": lambda sheet: np.diag(_stiffness_at_tool(sheet)),
    "stiffness_x_ry": lambda sheet: _stiffness_at_tool(sheet)[0, 4],
    "stiffness_y_rx": lambda sheet: _stiffness_at_tool(sheet)[1, 3],
}
"""What Gough says, in SI, to a published figure of this name (without its unit)."""


@dataclass(frozen=True, eq=False)
class _Figure:
    """One published figure; `ours` in its unit, or None where Gough has nothing to compare."""

    key: str
    name: str
    unit: str
    printed: Any
    ours: Array | None


def published(sheet: Datasheet) -> Section | None:
    """One row for each published figure."""
    if not sheet.machine.published:
        return None
    figures = [_figure(sheet, key, printed) for key, printed in sheet.machine.published.items()]
    header = ["figure", "unit", "published"]
    words, caption = "As the machine's source prints them.", "Published"
    if any(figure.ours is not None for figure in figures):
        header += ["Gough", "largest difference"]
        words = "As the machine's source prints them, with Gough's own where the two are the same quantity."
        caption = "Published and computed"
    rows = [_row(figure)[: len(header)] for figure in figures]
    compared = {
        figure.key: {
            "published": _plain(figure.printed),
            "ours": figure.ours,
            "largest_difference": _difference(figure),
        }
        for figure in figures
    }
    return Section(
        key="published",
        title="Published figures",
        blocks=[Text(words), Table(header, rows, range(2, len(header)), caption)],
        fields=[Field("{}", list(compared.values()), labels=list(compared))],
        is_folded=True,
    )


def _figure(sheet: Datasheet, key: str, printed: Any) -> _Figure:
    match = _UNIT.match(key)
    name, unit = (match["name"], match["unit"]) if match else (key, "")
    ours, theirs = _ours(sheet, name, unit), _numeric(printed)
    compares = ours is not None and theirs is not None and theirs.size in (1, ours.size)
    return _Figure(key, name, unit, printed, ours if compares else None)


def _ours(sheet: Datasheet, name: str, unit: str) -> Array | None:
    """Gough's figure in the published unit, or None where it has none."""
    size = LENGTH.get(unit, ANGLE.get(unit, 1.0))
    if _JOINTS.match(name):
        return np.asarray(sheet.q / size)
    try:
        return np.asarray(OURS[name](sheet) / size, dtype=float) if name in OURS else None
    except InputError:  # the machine lacks what the figure follows from
        return None


def _stiffness_at_tool(sheet: Datasheet) -> Array:
    m = sheet.machine
    return gough.stiffness(m, m.X_home, point=m.X_PT[:3, 3])


def _numeric(printed: Any) -> Array | None:
    """A published figure as finite numbers (n,), or None where it is something else."""
    try:
        values = np.atleast_1d(np.asarray(printed, dtype=float))
    except (TypeError, ValueError):
        return None
    return values if values.ndim == 1 and values.size and np.isfinite(values).all() else None


def _row(figure: _Figure) -> list[str]:
    unit = figure.unit.replace("_per_", "/").replace("_", " ")
    return [figure.name.replace("_", " "), unit, _printed(figure.printed), *_compared(figure)]


def _compared(figure: _Figure) -> list[str]:
    """Ours to the digits of the source, and the largest difference."""
    theirs = _numeric(figure.printed)
    if figure.ours is None or theirs is None:
        return [NOTHING, NOTHING]
    digits, largest = max(_decimals(v) for v in theirs), _difference(figure)
    assert largest is not None
    values = np.atleast_1d(figure.ours)
    if theirs.size == 1 and same_for_all(values.round(digits)):
        values = values[:1]
    return [", ".join(number(float(v), digits) for v in values), significant(largest, 2)]


def _difference(figure: _Figure) -> float | None:
    """The largest difference of ours from what is printed; None where there is nothing to compare."""
    theirs = _numeric(figure.printed)
    return None if figure.ours is None or theirs is None else float(np.abs(figure.ours - theirs).max())


def _decimals(value: float) -> int:
    text = repr(float(value))
    return 12 if "e" in text else len(text.partition(".")[2]) if not float(value).is_integer() else 3


def _printed(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(f"({_printed(v)})" if isinstance(v, list) else _printed(v) for v in value)
    return str(value).replace("-", "−") if isinstance(value, int | float) else str(value)


def _plain(value: Any) -> Any:
    """What a machine file says, as JSON can hold it: a date or a number that is not finite becomes text."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    is_plain = isinstance(value, str | bool | int) or (isinstance(value, float) and isfinite(value))
    return value if is_plain else str(value)
