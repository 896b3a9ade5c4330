"""Source of the machine's data, and version, date and command of the datasheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gough
from gough.datasheet.model import Block, Facts, Section, Text, facts, for_people
from gough.datasheet.sheet import Sheet
from gough.present.answer import Field

IN_FILE = "as in the machine's file: {}, {}; seconds, newtons and kilograms"


def source(sheet: Sheet[Any], more: Sequence[tuple[str, str]] = (), units: str = IN_FILE) -> Section:
    """Source and notes of the file; version, date, command and units; `more` facts after the source."""
    m = sheet.machine
    fields = [
        Field("source", m.source, head="Source" if m.source else "",
            doc="Where the numbers of the machine file come from."),
        Field("notes", m.notes, doc="What a reader of the numbers must know."),
        Field("version", gough.__version__, doc="Version of Gough."),
        for_people("Computed by", f"Gough {gough.__version__}", "version"),
        Field("date", sheet.when.isoformat(), doc="When the datasheet was made."),
        for_people("On", sheet.when.strftime("%Y-%m-%d %H:%M %Z"), "date"),
        Field("command", sheet.command, head="Command" if sheet.command else "", doc="The command that made it."),
        Field("written_in", [m.units.length, m.units.angle],
            doc="Units of length and angle of the machine's file, in which the page is written."),
        for_people("Units", units.format(m.units.length, m.units.angle), "written_in"),
    ]  # fmt: skip
    shown = facts(sheet.show, fields)
    pairs = [*shown.pairs[:1], *more, *shown.pairs[1:]]
    keys = {**shown.keys, **{name: ("command",) for name, _ in more}}
    notes: list[Block] = [Text(paragraph) for paragraph in m.notes.strip().split("\n\n") if paragraph]
    return Section("source", "Source and making", [*notes, Facts(pairs, keys)], fields=fields)
