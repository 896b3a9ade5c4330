"""Where the machine's numbers come from, and how the datasheet was made."""

from __future__ import annotations

import gough
from gough.datasheet.model import Block, Facts, Section, Text
from gough.datasheet.sheet import Datasheet


def source(sheet: Datasheet) -> Section:
    """Source and notes of the file; version, date and command."""
    m = sheet.machine
    blocks: list[Block] = []
    if m.source:
        blocks.append(Facts([("Source", m.source)]))
    blocks += [Text(paragraph) for paragraph in m.notes.strip().split("\n\n") if paragraph]
    made = [("Computed by", f"Gough {gough.__version__}"), ("On", sheet.when.strftime("%Y-%m-%d %H:%M %Z"))]
    if sheet.command:
        made.append(("Command", sheet.command))
    made.append(
        ("Units", f"as in the machine's file: {m.units.length}, {m.units.angle}; seconds, newtons and kilograms")
    )
    blocks.append(Facts(made))
    return Section(
        key="source",
        title="Source and making",
        blocks=blocks,
        numbers={
            "source": m.source,
            "notes": m.notes,
            "version": gough.__version__,
            "date": sheet.when.isoformat(),
            "command": sheet.command,
            "written_in": [m.units.length, m.units.angle],
        },
    )
