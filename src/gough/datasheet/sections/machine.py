"""The machine at home: figure and warnings."""

from __future__ import annotations

from gough import plot
from gough.datasheet.model import Card, Picture, Section, warnings
from gough.datasheet.sheet import Datasheet
from gough.machine import Machine
from gough.plot.machine_figure import frames_shown
from gough.present.answer import Field
from gough.present.show import article

FRAMES = {"B": "base", "P": "platform", "T": "tool"}


def machine(sheet: Datasheet) -> Section:
    """The drawing, warnings if home breaks a limit, and the payload."""
    m, show, broken = sheet.machine, sheet.show, sheet.margins.sentences()
    home = Card("Home", "not allowed", detail=f"{len(broken)} of its limits broken", of=("home_allowed",))
    shown = frames_shown(m, m.X_home)
    frames = ", ".join(f"{name} {what}" for name, what in FRAMES.items() if name in shown)
    refused = f"Home itself is not allowed: {'; '.join(broken)}. Travel from home is zero" if broken else ""
    picture = Picture(
        figure=plot.machine(m),
        caption=f"Drawn to scale at home, upright as gravity has it. Frames: x red, y green, z blue; {frames}. "
        "Turn it, and point at joints and legs for their values.",
        description=f"The machine at home: base plate, platform and six {m.legs.title} legs, numbered 1 to 6.",
        is_scene=True,
    )
    return Section(
        key="machine",
        title="The machine at home",
        blocks=[*warnings(refused), picture],
        cards=[
            *([home] if broken else []),
            Card("Legs", f"6 {m.leg_kind}", detail=f"each {article(m.legs.title)}", of=("legs",)),
            *_payload_card(sheet),
            Card("Size", show.short(m.size, "m"), show.unit("m"), "between the farthest joints at home", of=("size",)),
        ],
        fields=[
            Field("legs", m.leg_kind,
                doc="Kind of the legs (of the stages), as the machine's file names it: UPS, UCU, SPS or UPU "
                "extending strut, PUS or PSS slider, RUS or RSS crank."),
            Field("size", m.size, "m",
                doc="Largest distance between any two of the twelve (of two stages: 24) joint points p(q), t "
                "+ R b at home."),
            *_payload_fields(m),
            Field("home_allowed", sheet.is_home_allowed, doc="Whether no margin at home is negative."),
            Field("home_problems", broken, doc="Every limit that home breaks, in words."),
        ],
    )  # fmt: skip


def _payload_fields(m: Machine) -> list[Field]:
    if m.payload is None:
        return []
    return [
        Field("payload.mass", m.payload.mass, "kg",
            doc="Mass of the payload that the platform carries, where one is given."),
        Field("payload.centre", m.payload.mass_centre, "m", frame="platform",
            doc="Its mass centre, in the platform frame."),
    ]  # fmt: skip


def _payload_card(sheet: Datasheet) -> list[Card]:
    show, carried = sheet.show, sheet.machine.payload
    if carried is None:
        return []
    centre = f"centre at {show.point(carried.mass_centre, digits=3)} in the platform; counted wherever mass matters"
    return [Card("Payload carried", show.short(carried.mass, "kg"), "kg", centre, of=("payload.mass",))]
