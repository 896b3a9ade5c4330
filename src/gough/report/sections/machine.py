"""The machine at home: figure and warnings."""

from __future__ import annotations

import numpy as np

from gough import plot
from gough.report.datasheet import Datasheet
from gough.report.model import Block, Card, Picture, Section, Text
from gough.report.show import article


def machine(sheet: Datasheet) -> Section:
    """The drawing, and what is wrong with home if anything is."""
    m, show = sheet.machine, sheet.show
    blocks: list[Block] = []
    frames = "B base, P platform" + ("" if np.allclose(m.X_PT, np.eye(4)) else ", T tool")
    broken = sheet.margins.sentences()
    if broken:
        blocks.append(
            Text(f"Home itself is not allowed: {'; '.join(broken)}. Travel from home is zero.", is_warning=True)
        )
    blocks.append(
        Picture(
            figure=plot.machine(m),
            caption=f"Drawn to scale at home, upright as gravity has it. Frames: x red, y green, z blue; {frames}. "
            "Turn it, and point at joints and legs for their values.",
            description=f"The machine at home: base plate, platform and six {m.legs.title} legs, numbered 1 to 6.",
            is_scene=True,
        )
    )
    return Section(
        key="machine",
        title="The machine at home",
        blocks=blocks,
        cards=[
            Card("Legs", f"6 {m.legs.kind}", detail=f"each {article(m.legs.title)}"),
            Card("Size", show.short(m.size, "m"), show.unit("m"), "between the farthest joints at home"),
        ],
        numbers={
            "legs": m.legs.kind,
            "size": show.plain(m.size, "m"),
            "home_allowed": bool(sheet.margins.is_allowed),
            "home_problems": broken,
        },
    )
