"""The datasheet in a few lines, for the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from gough.limits.travel import TravelRow
from gough.report.build import Report
from gough.report.model import Section
from gough.report.sections.legs import joint_name
from gough.report.sections.travel import si_unit


def summary(report: Report) -> RenderableType:
    """Home, travel with the limits that end it, tightest margin, conditioning."""
    m = report.sheet.machine
    heading = f"[bold]{escape(m.title or m.name)}[/bold]\n{m.name}, six {m.legs.kind} legs ({m.legs.title})"
    return Group(heading, "", _travel(report), "", _facts(report))


def _travel(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("travel")
    for name in ("minus", "plus"):
        table.add_column(name, justify="right")
    for name in ("unit", "ended by (minus)", "ended by (plus)"):
        table.add_column(name)
    for row in report.sheet.travel:
        table.add_row(*_cells(report, row))
    return table


def _cells(report: Report, row: TravelRow) -> list[str]:
    show, si = report.sheet.show, si_unit(row)
    values = [show.value(value, si, sign=True).replace("−", "-") for value in (row.minus, row.plus)]
    return [row.axis, *values, show.unit(si), row.minus_words, row.plus_words]


def _facts(report: Report) -> Table:
    show, m = report.sheet.show, report.sheet.machine
    q = ", ".join(show.value(float(v), m.legs.joint_unit) for v in report.sheet.q)
    grid = Table.grid(padding=(0, 2))
    grid.add_row(
        f"{joint_name(report.sheet)} at home".capitalize(), f"{q} {show.unit(m.legs.joint_unit)}".replace("−", "-")
    )
    for k, sentence in enumerate(report.sheet.margins.sentences()):
        grid.add_row("" if k else "[bold]Home is not allowed[/bold]", escape(sentence))
    grid.add_row("Tightest limit at home", report.sheet.margins.sentence())
    if report.sheet.margins.is_singular:
        grid.add_row("Singular", report.sheet.margins.singular_sentence())
    numbers = _section(report, "conditioning").numbers
    condition = numbers["condition_number"]
    grid.add_row("Condition number", "home is singular" if condition is None else f"{condition:.4g}")
    return grid


def _section(report: Report, key: str) -> Section:
    return next(section for section in report.sections if section.key == key)
