"""The datasheet in a few lines, for the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table as RichTable

from gough.datasheet.build import Report
from gough.datasheet.sections.legs import joint_name
from gough.datasheet.sections.travel import travel_fields
from gough.datasheet.sheet import Datasheet
from gough.datasheet.two_stages.build import summary_of_stack
from gough.datasheet.two_stages.sheet import StackedSheet
from gough.present.answer import AXES
from gough.present.write import plain_text


def summary(report: Report) -> RenderableType:
    """Home, travel with the limits that end it, tightest margin, conditioning; of two stages what both do together."""
    if isinstance(report.sheet, StackedSheet):
        return summary_of_stack(report.sheet)
    m = report.sheet.machine
    heading = f"[bold]{escape(m.title or m.name)}[/bold]\n{m.name}, six {m.leg_kind} legs ({m.legs.title})"
    return Group(heading, "", _travel(report.sheet), "", _facts(report.sheet))


def _travel(sheet: Datasheet) -> RichTable:
    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    cells = sheet.show.table("travel", AXES, travel_fields(sheet))
    for k, title in enumerate(cells.header):
        table.add_column(title, justify="right" if k in (cells.numeric or ()) else "left")
    for row in cells.rows:
        table.add_row(*(plain_text(cell) for cell in row))
    return table


def _facts(sheet: Datasheet) -> RichTable:
    show, m = sheet.show, sheet.machine
    q = ", ".join(show.value(float(v), m.legs.joint_unit) for v in sheet.q)
    grid = RichTable.grid(padding=(0, 2))
    grid.add_row(f"{joint_name(sheet)} at home".capitalize(), f"{q} {show.unit(m.legs.joint_unit)}".replace("−", "-"))
    for k, sentence in enumerate(sheet.margins.sentences()):
        grid.add_row("" if k else "[bold]Home is not allowed[/bold]", escape(sentence))
    if m.payload is not None:
        grid.add_row("Payload", f"{m.payload.mass:.6g} kg at {show.point(m.payload.mass_centre)} in the platform")
    grid.add_row("Tightest limit at home", sheet.margins.sentence())
    if sheet.margins.is_singular:
        grid.add_row("Singular", sheet.margins.singular_sentence())
    if sheet.guaranteed.proof is not None:
        grid.add_row("Proven region", f"the point of interest {sheet.guaranteed.sentence()}")
    condition = f"{float(sheet.conditioning.condition_number):.4g}"
    grid.add_row("Condition number", "home is singular" if sheet.is_singular else condition)
    return grid
