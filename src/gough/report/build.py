"""From a datasheet's sections to the finished report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gough.report.datasheet import Datasheet
from gough.report.html import page
from gough.report.model import Section
from gough.report.sections import SECTIONS


@dataclass(frozen=True, eq=False)
class Report:
    """A finished datasheet.

    Attributes
    ----------
    sheet : Datasheet
        What Gough's functions reported.
    sections : tuple of Section
        Those for which the machine has data, in the order of the page.

    """

    sheet: Datasheet
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


def build(sheet: Datasheet, progress: Callable[[str], None] = lambda what: None) -> Report:
    """Work through all sections; `progress` is called with what comes next."""
    sections = []
    for what, section in SECTIONS:
        progress(what)
        found = section(sheet)
        if found is not None:
            sections.append(found)
    return Report(sheet, tuple(sections))
