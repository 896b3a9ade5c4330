"""Where the machine's numbers come from, and how the datasheet was made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gough
from gough.datasheet.model import Block, Facts, Section, Text
from gough.datasheet.sheet import Sheet
from gough.present.answer import Field

IN_FILE = "as in the machine's file: {}, {}; seconds, newtons and kilograms"


def source(sheet: Sheet[Any], more: Sequence[tuple[str, str]] = (), units: str = IN_FILE) -> Section:
    """Source and notes of the file; version, date and command; `more` facts before them."""
    m = sheet.machine
    fields = [
        Field("source", m.source, head="Source" if m.source else ""),
        Field("notes", m.notes),
        Field("version", gough.__version__),
        Field("", f"Gough {gough.__version__}", head="Computed by", is_json=False),
        Field("date", sheet.when.isoformat()),
        Field("", sheet.when.strftime("%Y-%m-%d %H:%M %Z"), head="On", is_json=False),
        Field("command", sheet.command, head="Command" if sheet.command else ""),
        Field("written_in", [m.units.length, m.units.angle]),
        Field("", units.format(m.units.length, m.units.angle), head="Units", is_json=False),
    ]
    facts = sheet.show.pairs(fields)
    notes: list[Block] = [Text(paragraph) for paragraph in m.notes.strip().split("\n\n") if paragraph]
    return Section("source", "Source and making", [*notes, Facts([*facts[:1], *more, *facts[1:]])], fields=fields)
