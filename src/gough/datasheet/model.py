"""What a section of the datasheet is made of: text, facts, tables and figures. Plain values, no HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import plotly.graph_objects as go


@dataclass(frozen=True)
class Text:
    """One paragraph; `is_warning` sets it apart."""

    words: str
    is_warning: bool = False


@dataclass(frozen=True)
class Facts:
    """Pairs of what and how much."""

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Column:
    """Head of a table's column; numbers are flush right."""

    title: str
    unit: str = ""
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    """Rows of ready-made cells; the first cell of each row names the row."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Picture:
    """A figure, its caption, and its text for those who cannot see it.

    `is_half` lets two share a row on a wide screen. A scene, in three dimensions, is lower on a narrow one and has a
    button that sends the camera round: for that the figure's layout needs `scene.camera.eye` and `.up`, which
    `gough.plot._style.scene` sets.
    """

    figure: go.Figure
    caption: str
    description: str
    is_half: bool = False
    is_scene: bool = False


@dataclass(frozen=True)
class Card:
    """One key figure for the head of the page; a wide one takes the room of two."""

    label: str
    value: str
    unit: str = ""
    detail: str = ""
    is_wide: bool = False


Block: TypeAlias = Text | Facts | Table | Picture


@dataclass(frozen=True)
class Section:
    """A section of the datasheet.

    Attributes
    ----------
    key : str
        Anchor on the page and name in the JSON output.
    title : str
    blocks : sequence of Text, Facts, Table or Picture
    cards : sequence of Card
        What of it belongs on top of the page.
    numbers : dict
        The same numbers for programs, in SI.

    """

    key: str
    title: str
    blocks: Sequence[Block]
    cards: Sequence[Card] = ()
    numbers: dict[str, Any] = field(default_factory=dict)
