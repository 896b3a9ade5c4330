"""Sections as one self-contained HTML page: style, script, plotly.js and figures are all inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

import gough
from gough.datasheet.model import Block, Picture, Section
from gough.machine import Machine
from gough.present.show import article
from gough.stacked import StackedMachine

NARROW = 4
"""Largest number of columns of a table that does not spread over the whole width."""
DENSE = 7
"""Largest number of columns of a table in full size; wider ones have smaller text and gaps."""


def page(machine: Machine | StackedMachine, sections: Sequence[Section], made: str = "") -> str:
    """The datasheet as a page."""
    pictures = [block for section in sections for block in section.shown if isinstance(block, Picture)]
    return filled("page.html", machine, pictures, made, sections=sections)


def filled(
    template: str, machine: Machine | StackedMachine, pictures: Sequence[Picture], made: str, /, **parts: Any
) -> str:
    """Render a template with heading, figures, script and footer, which all pages have, and with further parts."""
    # By identity: equal figures may be on the page twice, and comparing them takes long.
    numbers = {id(picture): k for k, picture in enumerate(pictures)}
    return (
        _templates()
        .get_template(template)
        .render(
            version=gough.__version__,
            title=machine.title or machine.name,
            lead=_lead(machine),
            footer=made,
            plotly=Markup(get_plotlyjs()),
            figures=_figures_json(pictures),
            number=lambda picture: numbers[id(picture)],
            **parts,
        )
    )


def blocks() -> Any:
    """Macros of the parts of a page, such as `card(section, card)` and `block(block, section)`."""
    return _templates().get_template("blocks.html").module


@cache
def _templates() -> Environment:
    """Templates of the pages, which escape every text that is not marked as HTML."""
    found = Environment(
        loader=PackageLoader("gough.datasheet", "assets"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.tests["of_kind"] = _is_of_kind
    found.filters |= {"in_rows": _in_rows, "squares": lambda text: text.replace("/s2", "/s²")}
    found.globals |= {"NARROW": NARROW, "DENSE": DENSE, "asset": asset}
    return found


def asset(name: str) -> Markup:
    """The text of a style sheet or script, to be written as it is."""
    return Markup((resources.files("gough.datasheet") / "assets" / name).read_text("utf-8").strip())


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


def _figures_json(pictures: Sequence[Picture]) -> Markup:
    """Figures as JSON without characters that HTML reads as markup, such as the end of the script element."""
    text = "[" + ",\n".join(picture.figure.to_json() for picture in pictures) + "]"
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _is_of_kind(block: Block, name: str) -> bool:
    return type(block).__name__ == name


def _in_rows(blocks: Sequence[Block]) -> Iterator[tuple[bool, list[Block]]]:
    """Runs of blocks, and whether they are pictures of half the width, which share a row."""
    for is_half, run in groupby(blocks, lambda block: isinstance(block, Picture) and block.is_half):
        yield is_half, list(run)
