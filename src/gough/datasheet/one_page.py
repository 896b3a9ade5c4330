"""The datasheet on one sheet of A4: key figures, the machine, its workspace, and the main tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import plotly.graph_objects as go

from gough.datasheet.html import filled
from gough.datasheet.model import Picture, Section, Text
from gough.machine import Machine
from gough.present.answer import Table
from gough.stacked import StackedMachine

SUMMARIZED = (
    "machine at home", "path", "travel", "proven region", "workspace", "workspace gain", "legs", "margins", "speeds",
    "resolution", "stiffness", "natural frequencies", "load capacity", "free coordinates", "force balance",
)  # fmt: skip
"""Names, in `gough.datasheet.sections.SECTIONS`, of the sections from which the sheet is made."""
DRAWN = {"machine": "At home, to scale.", "workspace": "Workspace at home's orientation."}
"""Keys of the sections whose first figure it shows, and the caption."""
BESIDE = {"speeds": 4, "capacity": 3, "redundancy": 4, "resolution": 4, "stiffness": 3}
"""Number of columns by key of section: the first tables of the first two of these sections, cut to so many columns, are
side by side."""
STIFFNESS = "Principal stiffnesses at home"
"""Caption of their table, whose axes are cut off."""
MOST_CARDS = 16
HALF_HEIGHT = 420
"""Height of the figures [pixels]."""
Shown = TypeVar("Shown", Picture, Table)


def summary_page(machine: Machine | StackedMachine, sections: Sequence[Section], made: str = "") -> str:
    """The summary as a page."""
    pictures = [_half(picture, words) for key, words in DRAWN.items() for _, picture in _first(sections, key, Picture)]
    tables = list(_first(sections, "travel", Table))
    beside = [(of, _narrow(table, n)) for key, n in BESIDE.items() for of, table in _first(sections, key, Table)][:2]
    beside = [(of, replace(table, caption=STIFFNESS) if of.key == "stiffness" else table) for of, table in beside]
    cards = [(section, card) for section in sections for card in section.cards][:MOST_CARDS]
    texts = [block for section in sections for block in section.shown if isinstance(block, Text)]
    warnings = [text for text in texts if text.is_warning]
    return filled(
        "summary.html",
        machine,
        pictures,
        made,
        cards=cards,
        warnings=warnings[:1],
        pictures=pictures,
        tables=tables,
        beside=beside,
    )


def _narrow(table: Table, columns: int) -> Table:
    """The first columns of a table."""
    return replace(table, header=table.header[:columns], rows=[row[:columns] for row in table.rows])


def _half(picture: Picture, caption: str) -> Picture:
    """A picture of half the width, with another caption; the given one stays as it is."""
    # A copy, because the figure of the whole page keeps its height.
    figure = go.Figure(picture.figure).update_layout(height=HALF_HEIGHT)
    return replace(picture, figure=figure, caption=caption, is_half=True)


def _first(sections: Sequence[Section], key: str, kind: type[Shown]) -> Iterator[tuple[Section, Shown]]:
    """The section of a key, with its first figure or table; nothing if it is missing."""
    for section in sections:
        if section.key == key:
            yield from [(section, block) for block in section.shown if isinstance(block, kind)][:1]
