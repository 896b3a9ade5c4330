"""From a machine of two stages to its finished report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table as RichTable

import gough
from gough.report.datasheet import Datasheet
from gough.report.html import page
from gough.report.model import Block, Facts, Section, Text
from gough.report.sections.geometry import geometry
from gough.report.sections.legs import legs
from gough.report.sections.margins import margins
from gough.report.sections.masses import masses
from gough.report.sections.travel import travel
from gough.report.two_stages.sheet import StackedSheet, force_unit
from gough.report.two_stages.together import forces, machine, redundancy, workspace

TOGETHER: tuple[tuple[str, Callable[[StackedSheet], Section | None]], ...] = (
    ("machine at home", machine),
    ("workspace gain", workspace),
    ("free coordinates", redundancy),
    ("force balance", forces),
)
OF_EACH: tuple[tuple[str, Callable[[Datasheet], Section | None]], ...] = (
    ("travel", travel),
    ("margins", margins),
    ("legs", legs),
    ("geometry", geometry),
    ("masses", masses),
)
COUNT = len(TOGETHER) + 2 * len(OF_EACH) + 1
"""Sections that are asked for."""
NAMES = ("Lower stage", "Upper stage")


@dataclass(frozen=True, eq=False)
class StackedReport:
    """A finished datasheet of two stages: as `gough.report.build.Report`."""

    sheet: StackedSheet
    sections: tuple[Section, ...]

    def html(self) -> str:
        """The page, complete in itself."""
        made = ", ".join(["Made with Gough", self.sheet.when.strftime("%Y-%m-%d"), self.sheet.command])
        return page(self.sheet.machine, self.sections, made.rstrip(", "))

    def numbers(self) -> dict[str, Any]:
        """The same numbers for programs: one entry for each section, those of each stage under its name, in SI."""
        m = self.sheet.machine
        sections = {section.key: section.numbers for section in self.sections}
        return {"name": m.name, "title": m.title, "units": "SI", **sections}

    def summary(self) -> RenderableType:
        """The datasheet in a few lines, for the terminal."""
        sheet, m = self.sheet, self.sheet.machine
        grid = RichTable.grid(padding=(0, 2))
        for name, stage in zip(NAMES, m.stages, strict=True):
            grid.add_row(name, f"{stage.name}: six {stage.legs.kind} legs ({stage.legs.title})")
        margin = float(sheet.margins.smallest)
        grid.add_row("Tightest limit at home", f"{sheet.margins.binding_words}, {margin:.3g} of its scale")
        if sheet.gain is not None:
            grid.add_row("Workspace gain", f"{sheet.gain.gain:.3g} times the larger stage alone, at home's orientation")
        if sheet.balance is not None:
            f = sheet.balance.forces
            low, high = (
                f"{part.min():.4g} to {part.max():.4g} {force_unit(stage)}"
                for part, stage in zip((f[:6], f[6:]), m.stages, strict=True)
            )
            grid.add_row("Actuators hold at home", f"{low} in the lower stage, {high} in the upper one")
            if sheet.overload:
                grid.add_row("", sheet.overload)
        heading = f"[bold]{escape(m.title or m.name)}[/bold]\n{m.name}, two stages, twelve legs"
        return Group(heading, "", grid)


def build_stacked(sheet: StackedSheet, progress: Callable[[str], None] = lambda what: None) -> StackedReport:
    """Work through all sections; `progress` is called with what comes next."""
    found: list[Section] = []
    for what, together in TOGETHER:
        progress(what)
        found += _made(together(sheet))
    for k, (name, stage) in enumerate(zip(NAMES, sheet.stages, strict=True), 1):
        for what, section in OF_EACH:
            progress(f"{name.lower()}: {what}")
            found += [
                replace(made, key=f"stage_{k}_{made.key}", title=f"{name}: {_small(made.title)}", cards=())
                for made in _made(section(stage))
            ]
    progress("source")
    return StackedReport(sheet, (*found, _source(sheet)))


def _made(section: Section | None) -> list[Section]:
    return [] if section is None else [section]


def _small(title: str) -> str:
    return title[0].lower() + title[1:]


def _source(sheet: StackedSheet) -> Section:
    m = sheet.machine
    blocks: list[Block] = [Facts([("Source", m.source)])] if m.source else []
    blocks += [Text(paragraph) for paragraph in m.notes.strip().split("\n\n") if paragraph]
    more = [(f"{name}'s own datasheet", f"gough report {m.name}:{k}") for k, name in enumerate(NAMES, 1)]
    made = [("Computed by", f"Gough {gough.__version__}"), ("On", sheet.when.strftime("%Y-%m-%d %H:%M %Z"))]
    blocks.append(
        Facts([*more, *made, ("Units", f"{m.units.length}, {m.units.angle}; each stage in those of its file")])
    )
    numbers = {"source": m.source, "notes": m.notes, "version": gough.__version__, "date": sheet.when.isoformat()}
    return Section("source", "Source and making", blocks, numbers=numbers)
