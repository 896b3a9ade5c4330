"""`gough check`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gough.cli.options import Json, MachineName

if TYPE_CHECKING:
    from gough.description.describe_machine import Cell, Section

_ROUND_OFF = 1e-12
"""Numbers smaller than this are shown as zero; no file counts in such units."""


def check(machine: MachineName, as_json: Json = False) -> None:
    """Show what a machine file means, and what looks wrong in it.

    In the units of the file. All errors are listed, one sentence each; the exit code is then 2.
    Findings are numbers that are possible and yet look wrong, such as a mass off by
    orders of magnitude: with value, unit and what to look at.
    """
    from gough.errors import one_line
    from gough.loading import describe_file
    from gough.present.write import print_json, print_text

    found, doubts = describe_file(machine), _findings(machine)
    if as_json:
        print_json({**found.as_dict(), "findings": doubts})
        return
    print_text(one_line(f"{found.name}: {found.title}" if found.title else found.name))
    for section in found.sections:
        _print_section(section)
    for sentence in found.notes:
        print_text(f"\nNote: {sentence}")
    for doubt in doubts:
        print_text(f"\nLook at {doubt['look_at']}: {doubt['sentence']}")


def _findings(machine: str) -> list[dict[str, Any]]:
    """Findings on each stage, which two stages are named before."""
    from gough.loading import load_with_files
    from gough.plausibility import findings

    whole, files = load_with_files(machine)
    found = []
    for k, (stage, file) in enumerate(zip(whole.stages, files, strict=True), 1):
        before = f"stage {k}: " if len(files) > 1 else ""
        found += [{**asdict(one), "sentence": before + one.sentence} for one in findings(stage, file.units)]
    return found


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
