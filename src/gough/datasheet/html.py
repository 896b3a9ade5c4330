"""Sections as one self-contained HTML page: style, script, plotly.js and figures are all inside."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import resources
from itertools import groupby
from string import Template

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

import gough
from gough.datasheet.model import Block, Card, Facts, Folded, Picture, Section, Text
from gough.machine import Machine
from gough.plot import _page
from gough.present.answer import Column, Table
from gough.present.definitions import in_words, of_section
from gough.present.show import article
from gough.stacked import StackedMachine

_ASSETS = resources.files("gough.datasheet") / "assets"
NARROW = 4
"""Largest number of columns of a table that does not spread over the whole width."""
DENSE = 7
"""Largest number of columns of a table in full size; wider ones have smaller text and gaps."""


def page(machine: Machine | StackedMachine, sections: Sequence[Section], made: str = "") -> str:
    """The whole page; every text is escaped here, and only here."""
    pictures = [block for section in sections for block in section.shown if isinstance(block, Picture)]
    return filled(
        "page.html",
        machine,
        pictures,
        made,
        style=asset("page.css"),
        cards="\n".join(card_html(section.key, card) for section in sections for card in section.cards),
        contents="\n".join(f'<li><a href="#{escape(s.key)}">{escape(s.title)}</a></li>' for s in sections),
        sections="\n".join(_section(section, pictures) for section in sections),
    )


def filled(
    template: str, machine: Machine | StackedMachine, pictures: Sequence[Picture], made: str, /, **parts: str
) -> str:
    """A template filled with the parts of all pages, heading, figures, script and footer, and with further ones."""
    return Template(asset(template)).substitute(
        version=escape(gough.__version__),
        title=escape(machine.title or machine.name),
        lead=escape(_lead(machine)),
        footer=escape(made),
        plotly=get_plotlyjs(),
        figures=_figures_json(pictures),
        script=asset("page.js"),
        **parts,
    )


def _lead(machine: Machine | StackedMachine) -> str:
    """Name and legs in a sentence."""
    lower, *upper = (article(f"{stage.legs.title} ({stage.leg_kind})") for stage in machine.stages)
    if not upper:
        carried = machine.stages[0].payload
        rest = "" if carried is None else f" It carries a payload of {carried.mass:.6g} kg."
        return f"{machine.name}: a hexapod whose legs are each {lower}.{rest}"
    legs = (
        f"each lower leg is {lower}, each upper leg {upper[0]}"
        if [lower] != upper
        else f"each of its twelve legs is {lower}"
    )
    return f"{machine.name}: a hexapod on the platform of another; {legs}."


def asset(name: str) -> str:
    """The text of a file of the page."""
    return (_ASSETS / name).read_text("utf-8").strip()


def _figures_json(pictures: Sequence[Picture]) -> str:
    """Figures as JSON without characters that HTML reads as markup, such as the end of the script element."""
    text = "[" + ",\n".join(picture.figure.to_json() for picture in pictures) + "]"
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hover(section: str, label: str) -> str:
    """The definition of a label as a tooltip; the same is under Definitions."""
    words = in_words(section, label)
    return "" if not words else f' title="{escape(words)}"'


def card_html(section: str, card: Card) -> str:
    """A card of the section with this key."""
    detail = f'<dd class="detail">{escape(card.detail)}</dd>' if card.detail else ""
    unit = f'&nbsp;<span class="unit">{escape(card.unit)}</span>' if card.unit else ""
    wide = ' class="two"' if card.is_wide else ""
    dt = f"<dt{_hover(section, card.label)}>{escape(card.label)}</dt>"
    value = escape(card.value).replace("± ", "±&nbsp;")  # lines end before it
    return f'<div{wide}>{dt}<dd class="value">{value}{unit}</dd>{detail}</div>'


def _section(section: Section, pictures: Sequence[Picture]) -> str:
    key = escape(section.key)
    heading = f'<h2 id="{key}-title">{escape(section.title)}</h2>'
    inner = f"{_blocks(section.blocks, section.key, pictures)}\n{_definitions(section)}"
    if section.is_folded:
        inner = f'<details class="folded">\n<summary>{heading}</summary>\n{inner}\n</details>'
        heading = ""
    return f'<section id="{key}" aria-labelledby="{key}-title">\n{heading}\n{inner}\n</section>'


def _blocks(blocks: Sequence[Block], section: str, pictures: Sequence[Picture]) -> str:
    """Blocks below one another; pictures of half the width in pairs."""
    parts = []
    for is_half, group in groupby(blocks, lambda block: isinstance(block, Picture) and block.is_half):
        inner = "\n".join(block_html(block, section, pictures) for block in group)
        parts.append(f'<div class="pair">\n{inner}\n</div>' if is_half else inner)
    return "\n".join(parts)


def _definitions(section: Section) -> str:
    """Definitions of the section's numbers, folded."""
    rows = of_section(section.key, section.numbers)
    if not rows:
        return ""
    pairs = "\n".join(f"<dt>{escape(row.key)}</dt><dd>{escape(row.words)}</dd>" for row in rows)
    return (
        f'<details class="definitions">\n<summary>Definitions</summary>\n<dl class="facts">\n{pairs}\n</dl>\n</details>'
    )


def block_html(block: Block, section: str, pictures: Sequence[Picture]) -> str:
    """A block of the section with this key; `pictures` are all of the page, whose order numbers the figures."""
    if isinstance(block, Text):
        role = ' class="warning" role="note"' if block.is_warning else ""
        return f"<p{role}>{escape(block.words)}</p>"
    if isinstance(block, Folded):
        inner = _blocks(block.blocks, section, pictures)
        return f'<details class="more">\n<summary>{escape(block.title)}</summary>\n{inner}\n</details>'
    if isinstance(block, Facts):
        pairs = "\n".join(
            f"<dt{_hover(section, name)}>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in block.pairs
        )
        return f'<dl class="facts">\n{pairs}\n</dl>'
    return _table(block, section) if isinstance(block, Table) else _figure(block, pictures)


def _table(block: Table, section: str) -> str:
    head = "".join(
        f'<th scope="col"{_class(c)}{_hover(section, c.title) if c.is_number else ""}>{escape(c.title)}{_unit(c)}</th>'
        for c in block.columns
    )
    body = "\n".join(_row(block.columns, row) for row in block.rows)
    caption = escape(block.caption)
    narrow = ' class="narrow"' if len(block.columns) <= NARROW else ' class="dense"' * (len(block.columns) > DENSE)
    # Focusable, so that a table wider than the window can be scrolled by keyboard.
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{caption}">\n'
        f"<table{narrow}>\n<caption><span>{caption}</span></caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>\n"
        '<p class="hint" aria-hidden="true">scroll sideways for the rest →</p>'
    )


def _figure(block: Picture, pictures: Sequence[Picture]) -> str:
    # By identity: equal figures may be on the page twice, and comparing them takes long.
    number = next(k for k, picture in enumerate(pictures) if picture is block)
    half = ' data-half="1"' if block.is_half else ""
    kind = "plot scene" if block.is_scene else "plot"
    words = escape(block.description)
    # Hidden until the script shows it: without JavaScript there is no figure to turn.
    button = '<button class="turn" type="button" aria-pressed="false" hidden>turn</button>\n' if block.is_scene else ""
    return (
        f'<figure>\n<div class="{kind}" data-figure="{number}"{half} role="img" aria-label="{words}" '
        f'style="{_heights(block.figure)}"></div>\n<img class="paper" alt="{words}">\n'
        f"{button}<figcaption>{escape(block.caption)}</figcaption>\n</figure>"
    )


def _heights(figure: go.Figure) -> str:
    """Height of a figure as a property of CSS, and that in a narrow window where it has one of its own."""
    narrow = ((figure.layout.meta or {}).get(_page.NARROW) or {}).get("height")
    return f"--height:{figure.layout.height}px" + (f";--narrow:{narrow}px" if narrow else "")


def _row(columns: Sequence[Column], cells: Sequence[str]) -> str:
    first, *others = zip(columns, cells, strict=True)
    head = f'<th scope="row"{_class(first[0])}>{escape(first[1])}</th>'
    return "<tr>" + head + "".join(f"<td{_class(column)}>{_cell(cell)}</td>" for column, cell in others) + "</tr>"


def _class(column: Column) -> str:
    return ' class="number"' if column.is_number else ""


def _cell(text: str) -> str:
    return escape(text).replace("/s2", "/s²")


def _unit(column: Column) -> str:
    return f' <span class="unit">{_cell(column.unit)}</span>' if column.unit else ""
