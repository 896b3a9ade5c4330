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
    broken = sheet.margins.sentences()
    if broken:
        blocks.append(Text(f"Home itself is not allowed: {'; '.join(broken)}. Travel from home is zero.", is_warning=True))
    blocks.append(
        Picture(
            figure=plot.machine(m),
            caption="Drawn to scale at home, upright as gravity has it. Frames: x red, y green, z blue; B base, P platform"
            f"{'' if np.allclose(m.X_PT, np.eye(4)) else ', T tool'}. Turn it, and point at joints and legs for their values.",
            description=f"The machine at home: base plate, platform and six {m.legs.title} legs, numbered 1 to 6.",
            height=560,
        )
    )
    size = show.with_unit(m.size, "m")
    return Section(
        key="machine",
        title="The machine at home",
        blocks=blocks,
        cards=[
            Card("Legs", m.legs.kind, f"six, each {article(m.legs.title)}"),
            Card("Size", size, "farthest two joint points at home"),
        ],
        numbers={
            "legs": m.legs.kind,
            "size": show.plain(m.size, "m"),
            "home_allowed": bool(sheet.margins.is_allowed),
            "home_problems": broken,
        },
    )
