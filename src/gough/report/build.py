"""From a datasheet's sections to the finished report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from gough.machine import Machine
from gough.motion.path_report import PathReport
from gough.report.datasheet import Datasheet
from gough.report.html import page
from gough.report.model import Section
from gough.report.sections import SECTIONS
from gough.report.two_stages.build import sections_of_stack
from gough.report.two_stages.sheet import StackedSheet
from gough.stacked import takes_stacks


@dataclass(frozen=True, eq=False)
class Report:
    """A finished datasheet.

    Attributes
    ----------
    sheet : Datasheet or StackedSheet
        What Gough's functions reported.
    sections : tuple of Section
        Those for which the machine has data, in the order of the page.

    """

    sheet: Datasheet | StackedSheet
    sections: tuple[Section, ...]

    def html(self) -> str:
        """The page, complete in itself."""
        made = ", ".join(["Made with Gough", self.sheet.when.strftime("%Y-%m-%d"), self.sheet.command])
        return page(self.sheet.machine, self.sections, made.rstrip(", "))

    def numbers(self) -> dict[str, Any]:
        """The same numbers for programs: one entry for each section, in SI."""
        m = self.sheet.machine
        sections = {section.key: section.numbers for section in self.sections}
        return {"name": m.name, "title": m.title, "units": "SI", **sections}


@takes_stacks("gough.report.two_stages.sheet")
def sheet_of(
    machine: Machine, command: str = "", *, path: tuple[PathReport, str] | None = None
) -> Datasheet | StackedSheet:
    """The numbers of a machine for its datasheet; of two stages: of both together, and of each."""
    return Datasheet(machine, command, path=path)


def sections_of(sheet: Datasheet | StackedSheet) -> list[tuple[str, Callable[[], Section | None]]]:
    """What is being computed for a datasheet, and the functions that do it, in the order of the page."""
    if isinstance(sheet, StackedSheet):
        return sections_of_stack(sheet)
    return [(what, partial(section, sheet)) for what, section in SECTIONS]


def build(sheet: Datasheet | StackedSheet, progress: Callable[[str], None] = lambda what: None) -> Report:
    """Work through all sections; `progress` is called with what comes next."""
    found = []
    for what, section in sections_of(sheet):
        progress(what)
        found.append(section())
    return Report(sheet, tuple(section for section in found if section is not None))
