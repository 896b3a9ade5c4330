"""`gough check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer import Argument, Option

from gough.cli.command import MACHINE

if TYPE_CHECKING:
    from gough.description.describe_machine import Cell, Section

_ROUND_OFF = 1e-12
"""Numbers smaller than this are shown as zero; no file counts in such units."""


def check(machine: str = Argument(help=MACHINE), as_json: bool = Option(False, "--json", help="Print JSON.")) -> None:
    """Say what a machine file means, or what is wrong with it.

    In the units of the file. All problems are listed, one sentence each;
    the exit code is then 2.
    """
    from gough.description.describe import describe_file
    from gough.present.write import print_json

    found = describe_file(machine)
    if as_json:
        print_json(found.as_dict())
        return
    print(f"{found.name}: {found.title}" if found.title else found.name)
    for section in found.sections:
        _print_section(section)
    for sentence in found.notes:
        print(f"\nNote: {sentence}")


def _print_section(section: Section) -> None:
    from gough.present.write import print_table

    columns = list(zip(*section.rows, strict=True))
    numeric = [k for k, cells in enumerate(columns) if not any(isinstance(cell, str) for cell in cells)]
    print(f"\n{section.title}")
    print_table(section.columns, [[_text(cell) for cell in row] for row in section.rows], numeric=numeric)


def _text(cell: Cell) -> str:
    from gough.present.show import plain

    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, tuple):
        return "; ".join(map(_text, cell))
    return plain(cell if abs(cell) > _ROUND_OFF else 0.0, 8)
