"""Sections of two stages: both together, and the tables of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from gough import plot, stages
from gough.datasheet.model import Block, Card, Picture, Section, Text, facts, for_people, warnings
from gough.datasheet.sections.accuracy import resolution
from gough.datasheet.sections.geometry import drives, geometry, masses
from gough.datasheet.sections.kinematics import conditioning, linear_map, speeds
from gough.datasheet.sections.machine import cards_of_legs, legs, margins, of_legs, tightest_card
from gough.datasheet.sections.motion import dynamics
from gough.datasheet.sections.source import source
from gough.datasheet.sections.statics import capacity, stiffness, vibration_modes
from gough.datasheet.sections.travel import corners, travel
from gough.datasheet.sheet import Datasheet, StackedSheet
from gough.machine import Machine
from gough.present.answer import Field, of_result
from gough.present.show import number
from gough.present.units import force_unit, volume_unit
from gough.quantity import TWELVE_LEGS, WRENCH
from gough.stages.redundancy import StackedInverse

CHOICES = {
    "fixed": "half of the displacement each",
    "margin": "widest margins",
    "force": "least force",
}


def machine(sheet: StackedSheet) -> Section:
    """Return the drawing, and home's margins."""
    m, show = sheet.machine, sheet.show
    lower, upper = m.stages
    broken = sheet.margins.sentences()
    refused = f"Home itself is not allowed: {'; '.join(broken)}" if broken else ""
    picture = Picture(
        plot.machine(m),
        "Drawn to scale at home, upright as gravity has it: the lower stage, the intermediate platform, the upper "
        "stage with legs 7 to 12. Frames: B base, I intermediate platform, P end platform.",
        "The machine at home: base plate, six legs, intermediate platform, six legs, end platform.",
        is_scene=True,
    )
    return Section(
        key="machine",
        title="The machine at home",
        blocks=[*warnings(sheet.margins.singular_sentence(), refused), picture],
        cards=[
            Card("Legs", "12", detail=f"{upper.leg_kind} on {lower.leg_kind}", of=("legs",)),
            Card("Size", show.short(m.size, "m"), show.unit("m"), "between the farthest joints at home", of=("size",)),
            replace(tightest_card(sheet), of=("leg_margin", "home_margin")),
            *_of_stages(sheet),
        ],
        fields=[
            Field("legs", [stage.leg_kind for stage in m.stages],
                doc="Kind of the legs (of the stages), as the machine's file names it: UPS, UCU, SPS or UPU "
                "extending strut, PUS or PSS slider, RUS or RSS crank."),
            Field("size", m.size, "m",
                doc="Largest distance between any two of the twelve (of two stages: 24) joint points p(q), t "
                "+ R b at home."),
            Field("home_margin", float(sheet.margins.smallest),
                doc="Smallest relative margin at home (see margins), of both stages."),
            Field("leg_margin", float(of_legs(sheet.margins).smallest),
                doc="Smallest of those to limits of legs and joints."),
            *(field for k, stage in enumerate(m.stages, 1) for field in _ranges(stage, f"stage_{k}.")),
            Field("home_problems", broken, doc="Every limit that home breaks, in words."),
        ],
    )  # fmt: skip


def _ranges(stage: Machine, head: str) -> list[Field]:
    """Strokes of a stage, and half-angles of its joints."""
    limits, unit = stage.limits, stage.legs.joint_unit
    cones = {"base": limits.base_cone, "platform": limits.platform_cone}
    return [
        Field(f"{head}lowest", limits.joint_min, unit,
            doc="Lowest joint coordinates of the stage's legs that are allowed; null without limit."),
        Field(f"{head}highest", limits.joint_max, unit,
            doc="Highest joint coordinates of the stage's legs that are allowed; null without limit."),
        *(Field(f"{head}{side}_joint_allowed", cone.half_angle, "rad",
            doc="Half-angles of the cones of the stage's base joints (platform joints).")
            for side, cone in cones.items() if cone),
    ]  # fmt: skip


def _of_stages(sheet: StackedSheet) -> list[Card]:
    """Strokes and joints of both stages where they are the same, else the strokes of each."""
    lower, upper = (
        [
            replace(card, of=tuple(f"stage_{k}.{key.replace('.', '_')}" for key in card.of))
            for card in cards_of_legs(stage)
        ]
        for k, stage in enumerate(sheet.stages, 1)
    )
    if [replace(card, of=()) for card in lower] == [replace(card, of=()) for card in upper]:
        return [replace(card, detail=f"{card.detail}, both stages") for card in lower]
    named = (("lower stage", lower), ("upper stage", upper))
    return [replace(card, detail=f"{card.detail}, {name}") for name, cards in named for card in cards[:1]]


def workspace(sheet: StackedSheet) -> Section | None:
    """Return the workspace of both together and of each alone."""
    gain, show = sheet.gain, sheet.show
    if gain is None:
        return None
    unit = volume_unit(gain.both.volume)
    named = (
        (
            "lower stage alone",
            gain.lower,
            "Volume of the positions connected with home if the lower stage alone moves.",
        ),
        ("upper stage alone", gain.upper, "The same if the upper stage alone moves."),
        ("both together", gain.both, "The same if both move, the intermediate platform with home's orientation."),
    )
    fields = [
        *(Field(name.replace(" ", "_"), part.volume, "m3", head=name, shown=unit, digits=3, doc=doc)
            for name, part, doc in named),
        *of_result(gain, "volume_error"),
        *of_result(gain, "gain"),
        for_people("gain over the larger one", f"{show.value(gain.gain, '', 3)} times", "gain"),
    ]  # fmt: skip
    words = (
        "Where the end platform's point of interest can go at home's orientation, without parts that no path leads "
        "to from home. Both together reach every sum of what each reaches alone: the intermediate platform keeps "
        "home's orientation too, so that with its turns there is still more. The ends of all columns are found by "
        f"root finding on every limit; the volumes, from {len(gain.both.x)} x {len(gain.both.y)} columns, are "
        f"right to about {show.with_unit(gain.volume_error, unit, 2)}."
    )
    picture = Picture(
        plot.workspace_gain(sheet.machine, gain),
        "Section through home, across y. Curves that lie on one another are dashed.",
        "Outlines of three workspaces in section: each stage alone, and the larger one of both together.",
    )
    volume, _, name = show.uncertain(gain.both.volume, gain.volume_error, unit).rpartition(" ")
    cards = [
        Card("Workspace", volume, name, "of both stages, at home's orientation", of=("both_together", "volume_error")),
        Card(
            "Workspace gain", f"{show.value(gain.gain, '', 3)} ×", detail="that of the larger stage alone", of=("gain",)
        ),
    ]
    blocks: list[Block] = [Text(words), facts(show, fields), picture]
    return Section("workspace", "Workspace gain", blocks, cards, fields)


def redundancy(sheet: StackedSheet) -> Section:
    """Return postures at home by the choice of the free coordinates."""
    names = list(sheet.choices)
    fields = _choices(sheet, names, list(sheet.choices.values()))
    words = (
        "Twelve legs hold six coordinates of the end platform: six are free, those of the intermediate platform. This "
        "is what choices make of them with the end platform at home. Margins are parts of each limit's scale."
    )
    shown = [CHOICES[name] for name in names]
    table = sheet.show.table("choice", shown, fields, "Postures with the end platform at home")
    return Section("redundancy", "The free coordinates", [Text(words), table], fields=fields)


def _choices(sheet: StackedSheet, names: Sequence[str], found: Sequence[StackedInverse]) -> list[Field]:
    m, home = sheet.machine, sheet.machine.lower.X_home[:3, 3]
    moved = [float(np.linalg.norm(each.matrix[0, :3, 3] - home)) for each in found]
    fields = [
        Field("{}.margin", [float(each.margin) for each in found], "", names, head="smallest margin", digits=3,
            doc="Smallest relative margin of both stages with the end platform at home and the six free "
            "coordinates chosen so."),
        for_people("of", [each.margins.binding_words for each in found]),
        Field("{}.intermediate_moved", moved, "m", names, head="intermediate platform moved",
            doc="Distance of the intermediate platform's origin from home."),
    ]  # fmt: skip
    if "force" not in names:
        return fields
    norms = [float(np.linalg.norm(stages.force_balance(m, each.matrix).forces)) for each in found]
    return [*fields, Field("{}.force_norm", norms, force_unit(m.lower), names, head="norm of forces",
        doc="Root of the sum of squares of the twelve actuator forces at rest.")]  # fmt: skip


def forces(sheet: StackedSheet) -> Section | None:
    """Return the force balance over the twelve actuators at home."""
    balance = sheet.balance
    if balance is None:
        return None
    units = [force_unit(stage) for stage in sheet.machine.stages for _ in range(6)]
    shown = [
        Field("forces", balance.forces, units, head="holds",
            doc="What the twelve actuators hold at home, lower stage first."),
        Field("of_upper_weight", balance.of_upper_weight, units, head="end platform, upper legs",
            doc="The part of it for the end platform and the upper legs."),
        Field("of_lower_weight", balance.of_lower_weight, units, head="intermediate platform, lower legs",
            doc="The part of it for the intermediate platform and the lower legs."),
    ]  # fmt: skip
    if balance.used is not None:
        shown.append(Field("used", balance.used, head="used", shown="%", digits=3,
            doc="Part of what each actuator can give that home takes: |actuator_force| over allowed, where "
            "the file (both files of two stages) says what it can."))  # fmt: skip
    passed = ", ".join(number(float(f), 3) for f in balance.passed_on[:3])
    words = (
        "What the actuators hold at rest at home, legs with their own weight; positive drives "
        f"the joint coordinate up. The upper stage puts a force of ({passed}) N on the intermediate platform."
    )
    picture = Picture(
        plot.force_balance(sheet.machine, balance),
        "Actuator forces at home by what they hold: the lower legs carry both stages.",
        "Stacked bars of the twelve actuator forces of the table.",
    )
    table = sheet.show.table("leg", TWELVE_LEGS, shown, "Force balance over the twelve actuators")
    return Section(
        key="forces",
        title="Force balance at home",
        blocks=[Text(words), *warnings(sheet.excess_force), picture, table],
        fields=[*shown, Field("passed_on", balance.passed_on, WRENCH,
            doc="Wrench of the upper stage on the intermediate platform, about its origin.")],
    )  # fmt: skip


TOGETHER: tuple[tuple[str, Callable[[StackedSheet], Section | None]], ...] = (
    ("machine at home", machine),
    ("travel", travel),
    ("range of motion", corners),
    ("workspace gain", workspace),
    ("free coordinates", redundancy),
    ("speeds", speeds),
    ("resolution", resolution),
    ("stiffness", stiffness),
    ("natural frequencies", vibration_modes),
    ("force balance", forces),
    ("load capacity", capacity),
    ("forces in motion", dynamics),
    ("conditioning", conditioning),
    ("linear map", linear_map),
)
OF_EACH: tuple[tuple[str, Callable[[Datasheet], Section | None]], ...] = (
    ("travel", travel),
    ("margins", margins),
    ("legs", legs),
    ("geometry", geometry),
    ("drives", drives),
    ("masses", masses),
)
NAMES = ("Lower stage", "Upper stage")


def sections_of_stack(sheet: StackedSheet) -> list[tuple[str, Callable[[], Section | None]]]:
    """Return names of the sections, and functions that make them."""
    of_each = [
        (f"{name.lower()}: {title}", partial(_of_stage, section, stage, k, name))
        for k, (name, stage) in enumerate(zip(NAMES, sheet.stages, strict=True), 1)
        for title, section in OF_EACH
    ]
    return [
        *((title, partial(section, sheet)) for title, section in TOGETHER),
        *of_each,
        ("source", partial(_source, sheet)),
    ]


def _of_stage(section: Callable[[Datasheet], Section | None], stage: Datasheet, k: int, name: str) -> Section | None:
    """A section of stage k, with the stage in its title and key, and without cards."""
    made = section(stage)
    if made is None:
        return None
    title = f"{name}: {made.title[0].lower()}{made.title[1:]}"
    return replace(made, key=f"stage_{k}_{made.key}", title=title, cards=())


def _source(sheet: StackedSheet) -> Section:
    m = sheet.machine
    more = [(f"{name}'s own datasheet", f"gough report {m.name}:{k}") for k, name in enumerate(NAMES, 1)]
    return source(sheet, more, "{}, {}; each stage in the units of its file")
