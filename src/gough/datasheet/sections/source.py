"""Source of the machine's data, and version, date and command of the datasheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gough
from gough.datasheet.model import Block, Facts, Section, Text, for_people
from gough.datasheet.sheet import Sheet
from gough.present.answer import Field

IN_FILE = "as in the machine's file: {}, {}; seconds, newtons and kilograms"


def source(sheet: Sheet[Any], more: Sequence[tuple[str, str]] = (), units: str = IN_FILE) -> Section:
    """Source and notes of the file; version, date, command and units; `more` facts after the source."""
    m = sheet.machine
    fields = [
        Field("source", m.source, head="Source" if m.source else ""),
        Field("notes", m.notes),
        Field("version", gough.__version__),
        for_people("Computed by", f"Gough {gough.__version__}"),
        Field("date", sheet.when.isoformat()),
        for_people("On", sheet.when.strftime("%Y-%m-%d %H:%M %Z")),
        Field("command", sheet.command, head="Command" if sheet.command else ""),
        Field("written_in", [m.units.length, m.units.angle]),
        for_people("Units", units.format(m.units.length, m.units.angle)),
    ]
    facts = sheet.show.pairs(fields)
    notes: list[Block] = [Text(paragraph) for paragraph in m.notes.strip().split("\n\n") if paragraph]
    return Section("source", "Source and making", [*notes, Facts([*facts[:1], *more, *facts[1:]])], fields=fields)
