"""Figures that the machine's source prints beside Gough's, and the source of the datasheet itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

import gough
from gough.arrays import Array
from gough.datasheet.model import Block, Facts, Section, Text, facts, for_people
from gough.datasheet.sheet import Datasheet, Sheet
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
"""Gough's value, in SI, of a published figure of this name (without its unit)."""

KEYS = {"published": ("{}.published",), "Gough": ("{}.ours",), "largest difference": ("{}.largest_difference",)}
"""Keys of the columns of the table."""


@dataclass(frozen=True, eq=False)
class _Figure:
    """One published figure, with its numbers and Gough's in its unit where the two are the same quantity, else None."""

    key: str
    name: str
    unit: str
    printed: Any
    theirs: Array | None = None
    ours: Array | None = None

    @property
    def largest_difference(self) -> float | None:
        """Between both, if there are both."""
        return None if self.ours is None or self.theirs is None else float(np.abs(self.ours - self.theirs).max())


def published(sheet: Datasheet) -> Section | None:
    """Return one row for each published figure."""
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
    keys = [figure.key for figure in figures]
    off = [figure.largest_difference for figure in figures]
    return Section(
        key="published",
        title="Published figures",
        blocks=[Text(words), Table(header, rows, range(2, len(header)), caption, KEYS)],
        fields=[
            Field("{}.published", [_plain(figure.printed) for figure in figures], labels=keys,
                doc="The figure that the source prints, in the unit that its name says."),
            Field("{}.ours", [figure.ours for figure in figures], labels=keys,
                doc="Gough's value of it; null where it computes no such figure."),
            Field("{}.largest_difference", off, labels=keys,
                doc="Largest |published - ours| of the figures under this name; null where there are not both."),
        ],
        is_folded=True,
    )  # fmt: skip


def _figure(sheet: Datasheet, key: str, printed: Any) -> _Figure:
    match = _UNIT.match(key)
    name, unit = (match["name"], match["unit"]) if match else (key, "")
    ours, theirs = _ours(sheet, name, unit), _numeric(printed)
    # One number is compared with all of ours, such as one length of six legs.
    if ours is None or theirs is None or theirs.size not in (1, ours.size):
        return _Figure(key, name, unit, printed)
    return _Figure(key, name, unit, printed, theirs, ours)


def _ours(sheet: Datasheet, name: str, unit: str) -> Array | None:
    """Gough's value in the published unit, or None where it has none."""
    size = LENGTH.get(unit, ANGLE.get(unit, 1.0))
    if _JOINTS.match(name):
        return np.asarray(sheet.q / size)
    try:
        return np.asarray(OURS[name](sheet) / size, dtype=float) if name in OURS else None
    except InputError:  # the machine lacks the data, such as stiffnesses
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
    """Name, unit and printed value; ours to as many decimals, and the largest difference."""
    unit = figure.unit.replace("_per_", "/").replace("_", " ")
    cells = [figure.name.replace("_", " "), unit, _printed(figure.printed)]
    if figure.ours is None or figure.theirs is None or figure.largest_difference is None:
        return [*cells, NOTHING, NOTHING]
    digits, values = max(_decimals(v) for v in figure.theirs), np.atleast_1d(figure.ours)
    if figure.theirs.size == 1 and same_for_all(values.round(digits)):
        values = values[:1]
    return [*cells, ", ".join(number(float(v), digits) for v in values), significant(figure.largest_difference, 2)]


def _decimals(value: float) -> int:
    """Decimals to which a printed number is compared: its own; three of whole numbers, twelve of powers of ten."""
    text = repr(float(value))
    return 12 if "e" in text else len(text.partition(".")[2]) if not float(value).is_integer() else 3


def _printed(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(f"({_printed(v)})" if isinstance(v, list) else _printed(v) for v in value)
    return str(value).replace("-", "−") if isinstance(value, int | float) else str(value)


def _plain(value: Any) -> Any:
    """A value of a machine file as JSON can hold it: a date or a number that is not finite becomes text."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    is_plain = isinstance(value, str | bool | int) or (isinstance(value, float) and isfinite(value))
    return value if is_plain else str(value)


IN_FILE = "as in the machine's file: {}, {}; seconds, newtons and kilograms"


def source(sheet: Sheet[Any], more: Sequence[tuple[str, str]] = (), units: str = IN_FILE) -> Section:
    """Return the source and notes of the file; version, date, command and units; `more` facts after the source."""
    m = sheet.machine
    fields = [
        Field("source", m.source, head="Source" if m.source else "",
            doc="Where the numbers of the machine file come from."),
        Field("notes", m.notes, doc="What a reader of the numbers must know."),
        Field("version", gough.__version__, doc="Version of Gough."),
        for_people("Computed by", f"Gough {gough.__version__}", "version"),
        Field("date", sheet.when.isoformat(), doc="When the datasheet was made."),
        for_people("On", sheet.when.strftime("%Y-%m-%d %H:%M %Z"), "date"),
        Field("command", sheet.command, head="Command" if sheet.command else "", doc="The command that made it."),
        Field("written_in", [m.units.length, m.units.angle],
            doc="Units of length and angle of the machine's file, in which the page is written."),
        for_people("Units", units.format(m.units.length, m.units.angle), "written_in"),
    ]  # fmt: skip
    shown = facts(sheet.show, fields)
    pairs = [*shown.pairs[:1], *more, *shown.pairs[1:]]
    keys = {**shown.keys, **{name: ("command",) for name, _ in more}}
    notes: list[Block] = [Text(paragraph) for paragraph in m.notes.strip().split("\n\n") if paragraph]
    return Section("source", "Source", [*notes, Facts(pairs, keys)], fields=fields)
