"""Parts of a section of the datasheet: fields with SI units, and the text, tables and figures that show them.

The JSON output follows from the fields; cells of tables, facts and cards are written by `gough.present.show.Show`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import plotly.graph_objects as go
from plotly.io import from_json

from gough.machine import DisplayUnits
from gough.present.answer import Field, Table, sentence
from gough.present.fields import document
from gough.present.show import Show
from gough.present.write import as_json


@dataclass(frozen=True)
class Text:
    """One paragraph; `is_warning` sets it apart."""

    words: str
    is_warning: bool = False


def warnings(*words: str) -> list[Text]:
    """Return a warning of each sentence, given without its stop; nothing of empty ones."""
    return [Text(sentence(each), is_warning=True) for each in words if each]


@dataclass(frozen=True)
class Facts:
    """Pairs of a name and a value, and the keys of the numbers in each, by name."""

    pairs: Sequence[tuple[str, str]]
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def facts(show: Show, fields: Iterable[Field]) -> Facts:
    """Return the fields with a head, as pairs whose names begin with a capital."""
    shown = [replace(each, head=each.head[:1].upper() + each.head[1:]) for each in fields]
    return Facts(show.pairs(shown), {each.head: each.shows for each in shown})


def for_people(head: str, words: str | Sequence[str], *keys: str) -> Field:
    """Return the numbers of some keys in words, or those of each row, that JSON leaves out; not shown without a
    head."""
    return Field("", words, head=head, is_json=False, of=keys)


@dataclass(frozen=True)
class Picture:
    """A figure, its caption, and its description for screen readers.

    Two with `is_half` share a row on a wide screen. A three-dimensional scene is lower on a narrow one and has a button
    that turns the camera about the vertical, along the orbit of `gough.plot._scene.turn_button`, which its layout must
    have.
    """

    figure: go.Figure
    caption: str
    description: str
    is_half: bool = False
    is_scene: bool = False

    @cached_property
    def json(self) -> str:
        """The figure as JSON, which a page contains."""
        return str(self.figure.to_json())

    # Sections come from other processes as pickles: the page is written from the JSON of the process that drew.
    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "figure": None, "json": self.json}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, figure=from_json(state["json"]))


@dataclass(frozen=True, eq=False)
class Folded:
    """Details behind a title, which a click opens; on paper they are open."""

    title: str
    blocks: Sequence[Text | Facts | Table | Picture]


@dataclass(frozen=True)
class Card:
    """One key figure for the head of the page; a wide one has the width of two. `of` are the keys of its numbers."""

    label: str
    value: str
    unit: str = ""
    detail: str = ""
    is_wide: bool = False
    of: tuple[str, ...] = ()


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
        Its key figures, for the head of the page.
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
        """The fields for the JSON output, in SI."""
        # The display units by default are metres and radians.
        found: dict[str, Any] = as_json(document(self.fields, DisplayUnits()))
        return found

    @cached_property
    def declared(self) -> dict[str, Field]:
        """The fields of the JSON output by key, of all labels and rows together."""
        return {each.key: each for each in self.fields if each.is_json}

    def definition(self, keys: Iterable[str]) -> str:
        """Return definitions of the numbers of keys, as far as it has them."""
        return " ".join(self.declared[key].doc for key in keys if key in self.declared)

    @property
    def shown(self) -> Iterator[Text | Facts | Table | Picture]:
        """All blocks, with those inside folds."""
        for block in self.blocks:
            yield from block.blocks if isinstance(block, Folded) else (block,)
