"""The datasheet of a machine: its sections computed, in several processes, and written."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from gough.checks.arguments import checks_arguments
from gough.datasheet.model import Section
from gough.datasheet.pages import PDF, SUMMARIZED, page, printed, summary_page
from gough.datasheet.sections import SECTIONS
from gough.datasheet.sections.stacks import sections_of_stack
from gough.datasheet.sheet import Datasheet, StackedSheet, sheet_of_stack
from gough.errors import InputError
from gough.files import write_whole
from gough.machine import DisplayUnits, Machine
from gough.motion.report import PathReport
from gough.present.answer import Field
from gough.present.fields import with_units
from gough.present.results import html_table
from gough.present.show import counted
from gough.present.write import as_json
from gough.results import OneLine
from gough.stacked import StackedMachine, by_machine
from gough.workers import idle_cores, new_pool, on_this_thread, run_job

Common = TypeVar("Common")
Chunk = TypeVar("Chunk")
Made = TypeVar("Made")

Begin = Callable[[int, int], object]
"""Called with the number of the chunk that this process computes or waits for, and the number of those done."""


def side_by_side(
    function: Callable[[Common, Chunk], Made], common: Common, chunks: Sequence[Chunk], processes: int, begin: Begin
) -> list[Made]:
    """Yield results of `function(common, chunk)` in the order of the chunks, by `processes` processes, this one
    included.

    Chunks are begun in their order. Those of a process that dies are computed by this one. An exception from `begin` or
    the function ends the work.
    """
    if (others := min(processes, len(chunks)) - 1) < 1:
        found = []
        for k, chunk in enumerate(chunks):
            begin(k, k)
            found.append(function(common, chunk))
        return found
    pool, threads = new_pool(others, function, common), ThreadPoolExecutor(others)
    waiting, made = deque(range(len(chunks))), dict[int, Made]()

    def following() -> Iterator[int]:
        """Take chunk after chunk until none waits."""
        for _ in chunks:
            with suppress(IndexError):
                yield waiting.popleft()

    def lend() -> None:
        """Let a process compute chunks, until none waits or it dies."""
        with suppress(BrokenExecutor):
            for k in following():
                made[k] = pool.submit(run_job, chunks[k]).result()

    def compute(k: int) -> None:
        begin(k, len(made))
        made[k] = function(common, chunks[k])

    try:
        lent = [threads.submit(lend) for _ in range(others)]
        with on_this_thread():
            for k in following():
                compute(k)
            for future in lent:
                begin(next((k for k in range(len(chunks)) if k not in made), 0), min(len(made), len(chunks) - 1))
                future.result()
            for k in sorted(set(range(len(chunks))) - made.keys()):
                compute(k)
    finally:
        waiting.clear()
        pool.shutdown(wait=False, kill_workers=True)
        threads.shutdown(wait=False)
    return [made[k] for k in range(len(chunks))]


FIRST = "workspace"
"""Section that is begun first: the compilation of its kernels takes longest."""
Progress = Callable[[str, int, int], object]
"""Called with the section that is computed, the number of sections done, and the number of all."""


@dataclass(frozen=True, eq=False)
class Report(OneLine):
    """A finished datasheet.

    Attributes
    ----------
    sheet : Datasheet or StackedSheet
        Results of Gough's functions for the machine at home.
    sections : tuple of Section
        Those for which the machine has data, in the order of the page.
    is_summary : bool
        Whether the page is one sheet of A4.

    """

    sheet: Datasheet | StackedSheet
    sections: tuple[Section, ...]
    is_summary: bool = False

    def __str__(self) -> str:
        return f"Datasheet of {self.sheet.machine.name}: {counted(len(self.sections), 'section')}"

    def _repr_html_(self) -> str:
        # No `Result`: its figures are those of the results in `sheet`, each with axes of its own.
        cards = (card for section in self.sections for card in section.cards)
        rows = [(card.label, f"{card.value} {card.unit}".rstrip(), card.detail) for card in cards]
        return html_table(str(self), ("", "", ""), rows)

    def html(self) -> str:
        """Return the page as self-contained HTML."""
        made = ("Made with Gough", self.sheet.when.strftime("%Y-%m-%d"), self.sheet.command)
        write = summary_page if self.is_summary else page
        return write(self.sheet.machine, self.sections, ", ".join(filter(None, made)))

    def write(self, file: str | Path) -> None:
        """Write the page to a file, completely or not at all: HTML, or a PDF if the name ends in .pdf.

        Raises
        ------
        InputError
            It cannot be written, or there is no browser that prints it.

        """
        target = Path(file)
        write_whole(target, printed(self.html()) if target.suffix.lower() == PDF else self.html())

    def numbers(self, units: DisplayUnits | None = None) -> dict[str, Any]:
        """Return the numbers of all sections, by their keys, with units and frames; in SI, or in other units such
        as the units of the machine's file, `machine.units`."""
        m = self.sheet.machine
        found = {"name": m.name, "title": m.title, **with_units(m, self.fields, units or DisplayUnits())}
        return {key: as_json(value) for key, value in found.items()}

    @property
    def fields(self) -> list[Field]:
        """The fields of all sections, with the section in front of the key."""
        return [replace(each, key=f"{section.key}.{each.key}") for section in self.sections for each in section.fields]


@checks_arguments
def report(
    machine: Machine | StackedMachine,
    *,
    path: PathReport | None = None,
    summary: bool = False,
    command: str = "",
    processes: int | None = None,
    progress: Progress = lambda name, done, total: None,
) -> Report:
    """Build the datasheet of a machine: tables, figures and numbers of every analysis at home.

    Parameters
    ----------
    machine : Machine or StackedMachine
        For a stack, the datasheet has sections on both together, and the tables of each.
    path : PathReport, optional
        A path for a section of its own, from `gough.motion.path_report`; for machines of one stage only.
    summary : bool
        Whether to make one page with the key figures, the machine, its workspace and its travel, which prints on one
        sheet of A4, instead of all.
    command : str
        The command that makes the datasheet, for its last section.
    processes : int, optional
        Number of processes that compute the sections, this one included; by default as many as there are cores on
        Linux, elsewhere, and in a process of a pool or a cluster, one. The page does not depend on it.
    progress : callable
        Called with the section that is computed, the number of sections done, and the number of all; may raise to stop.

    Returns
    -------
    Report
        `.write(file)` writes one HTML page that needs no network; `.numbers()` has the numbers in SI. Sections without
        data are omitted.

    Raises
    ------
    InputError
        For a path on a machine of two stages; for less than one process.

    """
    sheet = sheet_of(machine, command, path=path)
    return build(sheet, progress, is_summary=summary, processes=idle_cores() if processes is None else processes)


@by_machine
def sheet_of(machine: Machine, command: str = "", *, path: PathReport | None = None) -> Datasheet | StackedSheet:
    """Return the results of a machine for its datasheet."""
    return Datasheet(machine, command, path=path)


sheet_of.register(StackedMachine)(sheet_of_stack)


def build(
    sheet: Datasheet | StackedSheet,
    progress: Progress = lambda name, done, total: None,
    *,
    is_summary: bool = False,
    processes: int = 1,
) -> Report:
    """Return all sections of a datasheet, or the sections of its summary; see `report`."""
    if processes < 1:
        raise InputError(f"processes {processes}: expected at least 1")
    names = [name for name, _ in _makers(sheet) if not is_summary or name in SUMMARIZED]
    begun = sorted(names, key=lambda name: name != FIRST)
    parts = side_by_side(_computed, sheet, begun, processes, lambda k, done: progress(begun[k], done, len(begun)))
    made = dict(zip(begun, parts, strict=True))
    # Results that sections computed in other processes are kept, so that a later summary needs no second computation.
    for _, known in parts:
        vars(sheet).update(known)
    sections = (made[name][0] for name in names)
    return Report(sheet, _joined(section for section in sections if section is not None), is_summary)


def _joined(parts: Iterable[Section]) -> tuple[Section, ...]:
    """Sections, of which those with the same key become one."""
    found: dict[str, Section] = {}
    for part in parts:
        known = found.get(part.key)
        if known is not None:
            blocks, fields = [*known.blocks, *part.blocks], [*known.fields, *part.fields]
            part = replace(known, blocks=blocks, fields=fields)
        found[part.key] = part
    return tuple(found.values())


def _makers(sheet: Datasheet | StackedSheet) -> list[tuple[str, Callable[[], Section | None]]]:
    """Names of the sections and functions that make them, in the order of the page."""
    if isinstance(sheet, StackedSheet):
        return sections_of_stack(sheet)
    return [(name, partial(section, sheet)) for name, section in SECTIONS]


def _computed(sheet: Datasheet | StackedSheet, name: str) -> tuple[Section | None, dict[str, Any]]:
    """A section, and the results that its computation added to the sheet."""
    # Cached properties are entries of the instance's dictionary once they are computed.
    before = set(vars(sheet))
    section = dict(_makers(sheet))[name]()
    return section, {key: value for key, value in vars(sheet).items() if key not in before}
