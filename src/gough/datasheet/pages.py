"""The datasheet written: as one self-contained HTML page, on one sheet of A4, as PDF, and in a few lines of text."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import plotly.graph_objects as go
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

import gough
from gough.datasheet.model import Block, Picture, Section, Text
from gough.datasheet.sections.machine import joint_name, of_legs, tightest, title
from gough.datasheet.sections.stacks import NAMES
from gough.datasheet.sheet import Datasheet, StackedSheet
from gough.errors import InputError
from gough.limits.travel import travel_fields
from gough.machine import Machine
from gough.present.answer import Table, Words, aligned
from gough.present.show import article
from gough.present.units import force_unit
from gough.quantity import AXES
from gough.stacked import StackedMachine

NARROW = 4
"""Largest number of columns of a table that does not spread over the whole width."""
DENSE = 7
"""Largest number of columns of a table in full size; wider ones have smaller text and gaps."""


def page(machine: Machine | StackedMachine, sections: Sequence[Section], made: str = "") -> str:
    """Return the datasheet as a page."""
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
    """Return macros of the parts of a page, such as `card(section, card)` and `block(block, section)`."""
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
    """Return the text of a style sheet or script, to be written as it is."""
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
    text = "[" + ",\n".join(picture.json for picture in pictures) + "]"
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _is_of_kind(block: Block, name: str) -> bool:
    return type(block).__name__ == name


def _in_rows(blocks: Sequence[Block]) -> Iterator[tuple[bool, list[Block]]]:
    """Runs of blocks, and whether they are pictures of half the width, which share a row."""
    for is_half, run in groupby(blocks, lambda block: isinstance(block, Picture) and block.is_half):
        yield is_half, list(run)


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
    """Return the summary as a page."""
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


PDF = ".pdf"
BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge",
)  # fmt: skip
"""Names of programs that print, the first one found is taken."""
FIGURES = 20_000
"""Time for which a page may draw its figures [ms], of a clock that does not wait."""
PATIENCE = 180.0
"""Time after which printing is given up [s]."""


def check_printer() -> str:
    """Return the program that prints pages; `InputError` where none is installed."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise InputError("a PDF needs Chromium or Chrome, and none is installed; write a .html page and print that")
    return found


def printed(html: str) -> bytes:
    """Return a page as PDF; `InputError` where the browser does not print it."""
    browser = check_printer()
    with TemporaryDirectory(prefix="gough-print-", ignore_cleanup_errors=True) as folder:
        page, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        page.write_text(html, encoding="utf-8")
        options = ["--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer", "--use-angle=swiftshader"]
        options += ["--enable-unsafe-swiftshader", f"--user-data-dir={folder}/profile"]
        options += [f"--virtual-time-budget={FIGURES}", f"--print-to-pdf={target}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:  # Chromium has no sandbox for the superuser
            options.append("--no-sandbox")
        try:
            subprocess.run([browser, *options, page.as_uri()], capture_output=True, timeout=PATIENCE, check=True)
            return target.read_bytes()
        except (OSError, subprocess.SubprocessError):
            raise InputError(f"{browser} did not print the page; write a .html page and print that") from None


def summary(sheet: Datasheet | StackedSheet) -> Words:
    """Return home, travel with the limits that end it, tightest margin and conditioning; for a stack, of both
    stages."""
    m = sheet.machine
    yield m.title or m.name
    if isinstance(sheet, StackedSheet):
        yield f"{m.name}, two stages, twelve legs\n"
        yield from aligned(_of_two_stages(sheet))
        return
    stage = m.stages[0]
    yield f"{m.name}, six {stage.leg_kind} legs ({stage.legs.title})\n"
    yield sheet.show.table("travel", AXES, travel_fields(sheet.travel))
    yield ""
    yield from aligned(_facts(sheet))


def _facts(sheet: Datasheet) -> Iterator[tuple[str, str]]:
    show, m, margins = sheet.show, sheet.machine, sheet.margins
    unit = m.legs.joint_unit
    yield f"{joint_name(sheet)} at home".capitalize(), f"{show.numbers(sheet.q, unit)} {show.unit(unit)}"
    for k, sentence in enumerate(margins.sentences()):
        yield "" if k else "Home is not allowed", sentence
    if m.payload is not None:
        yield "Payload", f"{m.payload.mass:.6g} kg at {show.point(m.payload.mass_centre)} in the platform"
    yield title(margins), tightest(margins)
    if margins.is_singular:
        yield "Singular", margins.singular_sentence()
    if sheet.guaranteed.proof is not None:
        yield "Proven region", f"the point of interest {sheet.guaranteed.sentence()}"
    condition = f"{float(sheet.conditioning.condition_number):.4g}"
    yield "Condition number", "home is singular" if sheet.is_singular else condition


def _of_two_stages(sheet: StackedSheet) -> Iterator[tuple[str, str]]:
    for name, stage in zip(NAMES, sheet.machine.stages, strict=True):
        yield name, f"{stage.name}: six {stage.leg_kind} legs ({stage.legs.title})"
    smallest = float(of_legs(sheet.margins).smallest)
    yield title(sheet.margins), f"{of_legs(sheet.margins).binding_words}, {smallest:.3g} of its scale"
    if sheet.gain is not None:
        yield "Workspace gain", f"{sheet.gain.gain:.3g} times the larger stage alone, at home's orientation"
    if sheet.balance is not None:
        f = sheet.balance.forces
        low, high = (
            f"{part.min():.4g} to {part.max():.4g} {force_unit(stage)}"
            for part, stage in zip((f[:6], f[6:]), sheet.machine.stages, strict=True)
        )
        yield "Actuators hold at home", f"{low} in the lower stage, {high} in the upper one"
        if sheet.excess_force:
            yield "", sheet.excess_force
