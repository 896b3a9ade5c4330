"""What a section of the datasheet declares: fields with SI units, and the text, tables and figures that show them.

Numbers for programs follow from the fields; cells of tables, facts and cards are written by `gough.present.show.Show`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import plotly.graph_objects as go

from gough.machine import DisplayUnits
from gough.plot._style import of_parts, parts
from gough.present.answer import Field, Table
from gough.present.fields import document
from gough.present.show import Show
from gough.present.write import as_json


@dataclass(frozen=True)
class Text:
    """One paragraph; `is_warning` sets it apart."""

    words: str
    is_warning: bool = False


@dataclass(frozen=True)
class Facts:
    """Pairs of what and how much."""

    pairs: Sequence[tuple[str, str]]


def facts(show: Show, fields: Iterable[Field]) -> Facts:
    """The fields with a head, as pairs that begin with a capital."""
    return Facts([(what[:1].upper() + what[1:], value) for what, value in show.pairs(fields)])


@dataclass(frozen=True)
class Picture:
    """A figure, its caption, and its text for those who cannot see it.

    `is_half` lets two share a row on a wide screen. A scene, in three dimensions, is lower on a narrow one and has a
    button that sends the camera round: for that the figure's layout needs `scene.camera.eye` and `.up`, which
    `gough.plot._scene.scene` sets.
    """

    figure: go.Figure
    caption: str
    description: str
    is_half: bool = False
    is_scene: bool = False

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "figure": parts(self.figure)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, figure=of_parts(*state["figure"]))


@dataclass(frozen=True, eq=False)
class Folded:
    """Details behind a title, which a click opens, and paper."""

    title: str
    blocks: Sequence[Text | Facts | Table | Picture]


@dataclass(frozen=True)
class Card:
    """One key figure for the head of the page; a wide one takes the room of two."""

    label: str
    value: str
    unit: str = ""
    detail: str = ""
    is_wide: bool = False


Block: TypeAlias = Text | Facts | Table | Picture | Folded


@dataclass(frozen=True, eq=False)
class Section:
    """A section of the datasheet.

    Attributes
    ----------
    key : str
        Anchor on the page and name in the JSON output.
    title : str
    blocks : sequence of Text, Facts, Table, Picture or Folded
    cards : sequence of Card
        What of it belongs on top of the page.
    fields : sequence of Field
        Its numbers, in SI.
    is_folded : bool
        Whether only its title shows until it is opened.

    """

    key: str
    title: str
    blocks: Sequence[Block]
    cards: Sequence[Card] = ()
    fields: Sequence[Field] = ()
    is_folded: bool = False

    @cached_property
    def numbers(self) -> dict[str, Any]:
        """The fields for programs, in SI."""
        found: dict[str, Any] = as_json(document(self.fields, DisplayUnits()))
        return found

    @property
    def shown(self) -> Iterator[Text | Facts | Table | Picture]:
        """All blocks, those that are folded among them."""
        return unfolded(self.blocks)


def unfolded(blocks: Iterable[Block]) -> Iterator[Text | Facts | Table | Picture]:
    """Blocks without their folds."""
    for block in blocks:
        yield from block.blocks if isinstance(block, Folded) else (block,)
