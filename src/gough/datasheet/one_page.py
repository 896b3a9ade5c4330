"""The datasheet on one sheet of paper: key figures, the machine, its workspace, and the tables that customers read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from string import Template
from typing import TypeVar

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

import gough
from gough.datasheet.html import asset, block_html, card_html, figures_json, lead
from gough.datasheet.model import Picture, Section, Text
from gough.machine import Machine
from gough.present.answer import Table
from gough.stacked import StackedMachine

SUMMARIZED = (
    "machine at home", "path", "travel", "proven region", "workspace", "workspace gain", "legs", "margins", "speeds",
    "resolution", "stiffness", "natural frequencies", "load capacity", "free coordinates", "force balance",
)  # fmt: skip
"""Sections, by what is being computed, from which the sheet is made."""
DRAWN = {"machine": "At home, to scale.", "workspace": "Workspace at home's orientation."}
"""Sections whose first figure it shows, and what is said below it."""
BESIDE = {"speeds": 4, "capacity": 3, "redundancy": 4, "resolution": 4, "stiffness": 3}
"""Sections of whose first tables it shows two beside one another, below that of the travel, and how many columns."""
MOST_CARDS = 16
HALF_HEIGHT = 420
"""Of its figures [pixels]."""
Shown = TypeVar("Shown", Picture, Table)


def summary_page(machine: Machine | StackedMachine, sections: Sequence[Section], made: str = "") -> str:
    """The whole page, to be printed on one sheet of A4; every text is escaped."""
    pictures = [_half(picture, words) for key, words in DRAWN.items() for picture in _first(sections, key, Picture)]
    tables = [("travel", table) for table in _first(sections, "travel", Table)]
    beside = [(key, _narrow(table, n)) for key, n in BESIDE.items() for table in _first(sections, key, Table)][:2]
    cards = [(section.key, card) for section in sections for card in section.cards][:MOST_CARDS]
    warnings = [
        block for section in sections for block in section.shown if isinstance(block, Text) and block.is_warning
    ]
    return Template(asset("summary.html")).substitute(
        version=escape(gough.__version__),
        title=escape(machine.title or machine.name),
        lead=escape(lead(machine)),
        style=f"{asset('page.css')}\n{asset('summary.css')}",
        cards="\n".join(card_html(key, card) for key, card in cards),
        warnings="\n".join(block_html(block, "machine", pictures) for block in warnings[:1]),
        pictures="\n".join(block_html(picture, "machine", pictures) for picture in pictures),
        tables="\n".join(block_html(table, key, pictures) for key, table in tables),
        beside="\n".join(f"<div>{block_html(table, key, pictures)}</div>" for key, table in beside),
        footer=escape(made),
        plotly=get_plotlyjs(),
        figures=figures_json(pictures),
        script=asset("page.js"),
    )


def _narrow(table: Table, columns: int) -> Table:
    """The first columns of a table."""
    return replace(table, header=table.header[:columns], rows=[row[:columns] for row in table.rows])


def _half(picture: Picture, caption: str) -> Picture:
    """A figure that has half the width."""
    figure = go.Figure(picture.figure).update_layout(height=HALF_HEIGHT)
    return replace(picture, figure=figure, caption=caption, is_half=True)


def _first(sections: Sequence[Section], key: str, kind: type[Shown]) -> Iterator[Shown]:
    """The first figure, or the first table, of a section that is there."""
    for section in sections:
        if section.key == key:
            yield from [block for block in section.shown if isinstance(block, kind)][:1]
