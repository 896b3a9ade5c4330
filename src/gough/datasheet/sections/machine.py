"""The machine at home: figure and warnings."""

from __future__ import annotations

from gough import plot
from gough.datasheet.model import Block, Card, Picture, Section, Text
from gough.datasheet.sheet import Datasheet
from gough.plot.machine_figure import frames_shown
from gough.present.show import article

FRAMES = {"B": "base", "P": "platform", "T": "tool"}


def machine(sheet: Datasheet) -> Section:
    """The drawing, and what is wrong with home if anything is."""
    m, show = sheet.machine, sheet.show
    blocks: list[Block] = []
    shown = frames_shown(m, m.X_home)
    frames = ", ".join(f"{name} {what}" for name, what in FRAMES.items() if name in shown)
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
            *([Card("Home", "not allowed", detail=f"{len(broken)} of its limits broken")] if broken else []),
            Card("Legs", f"6 {m.leg_kind}", detail=f"each {article(m.legs.title)}"),
            Card("Size", show.short(m.size, "m"), show.unit("m"), "between the farthest joints at home"),
        ],
        numbers={
            "legs": m.leg_kind,
            "size": m.size,
            "home_allowed": bool(sheet.margins.is_allowed),
            "home_problems": broken,
        },
    )
