"""Sections on what both stages do together."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough import plot, stages
from gough.datasheet.model import Block, Card, Column, Facts, Picture, Section, Table, Text
from gough.datasheet.sections.workspace import VOLUMES
from gough.datasheet.two_stages.sheet import StackedSheet, force_unit
from gough.present.show import jsonable, number, significant

CHOICES = {
    "fixed": "half of the displacement each",
    "margin": "widest margins",
    "force": "least force",
}


def machine(sheet: StackedSheet) -> Section:
    """The drawing, and home's margins."""
    m = sheet.machine
    lower, upper = m.stages
    broken = sheet.margins.sentences()
    singular = sheet.margins.singular_sentence()
    blocks: list[Block] = [Text(f"{singular[0].upper()}{singular[1:]}.", is_warning=True)] if singular else []
    if broken:
        blocks.append(Text(f"Home itself is not allowed: {'; '.join(broken)}.", is_warning=True))
    blocks.append(
        Picture(
            plot.machine(m),
            "Drawn to scale at home, upright as gravity has it: the lower stage, the intermediate platform, the upper "
            "stage with legs 7 to 12. Frames: B base, I intermediate platform, P end platform.",
            "The machine at home: base plate, six legs, intermediate platform, six legs, end platform.",
            is_scene=True,
        )
    )
    cards = [
        Card("Legs", "12", detail=f"{upper.leg_kind} on {lower.leg_kind}"),
        Card("Size", significant(m.size / m.units.metres, 3), m.units.length, "between the farthest joints at home"),
    ]
    margin = float(sheet.margins.smallest)
    numbers = {
        "legs": [stage.leg_kind for stage in m.stages],
        "size": m.size,
        "home_margin": margin,
        "home_problems": broken,
    }
    return Section("machine", "The machine at home", blocks, cards, numbers)


def workspace(sheet: StackedSheet) -> Section | None:
    """Workspace of both against each alone."""
    gain = sheet.gain
    if gain is None:
        return None
    size, unit = next(((s, name) for s, name in VOLUMES if gain.both.volume >= s), VOLUMES[-1])
    named = (("lower stage alone", gain.lower), ("upper stage alone", gain.upper), ("both together", gain.both))
    facts = [(name, f"{significant(part.volume / size, 3)} {unit}") for name, part in named]
    facts.append(("gain over the larger one", f"{gain.gain:.3g} times"))
    error = f"{significant(gain.volume_error / size, 2)} {unit}"
    blocks: list[Block] = [
        Text(
            "Where the end platform's point of interest can go at home's orientation, without parts that no path leads "
            "to from home. Both together reach every sum of what each reaches alone: the intermediate platform keeps "
            "home's orientation too, so that with its turns there is still more. The ends of all columns are found by "
            f"root finding on every limit; the volumes, from {len(gain.both.x)} x {len(gain.both.y)} columns, are "
            f"right to about {error}."
        ),
        Facts(facts),
        Picture(
            plot.workspace_gain(sheet.machine, gain),
            "Section through home, across y. Curves that lie on one another are dashed.",
            "Outlines of three workspaces in section: each stage alone, and the larger one of both together.",
        ),
    ]
    card = Card("Workspace gain", f"{gain.gain:.3g} ×", detail="that of the larger stage alone, at home's orientation")
    volumes = {name.replace(" ", "_"): part.volume for name, part in named}
    numbers = {**volumes, "volume_unit": "m3", "volume_error": gain.volume_error, "gain": gain.gain}
    return Section("workspace", "Workspace gain", blocks, [card], numbers)


def redundancy(sheet: StackedSheet) -> Section:
    """What the choices of the free coordinates make of home."""
    m, rows = sheet.machine, []
    numbers: dict[str, Any] = {}
    has_force = "force" in sheet.choices
    for name, found in sheet.choices.items():
        moved = float(np.linalg.norm(found.matrix[0, :3, 3] - m.lower.X_home[:3, 3]))
        row = [CHOICES[name], number(float(found.margin), 3), found.margins.binding_words]
        row.append(significant(moved / m.units.metres, 3))
        numbers[name] = {"margin": jsonable(found.margin), "intermediate_moved": moved}
        if has_force:
            norm = float(np.linalg.norm(stages.force_balance(m, found.matrix).forces))
            row.append(significant(norm))
            numbers[name]["force_norm"] = norm
        rows.append(row)
    columns = [Column("choice", is_number=False), Column("smallest margin"), Column("of", is_number=False)]
    columns.append(Column("intermediate platform moved", m.units.length))
    if has_force:
        columns.append(Column("norm of forces", force_unit(m.lower)))
    words = (
        "Twelve legs hold six coordinates of the end platform: six are free, those of the intermediate platform. This "
        "is what choices make of them with the end platform at home. Margins are parts of each limit's scale."
    )
    table = Table("Postures with the end platform at home", columns, rows)
    return Section("redundancy", "The free coordinates", [Text(words), table], numbers=numbers)


def forces(sheet: StackedSheet) -> Section | None:
    """Force balance over the twelve actuators at home."""
    balance = sheet.balance
    if balance is None:
        return None
    columns = [Column("leg", is_number=False), Column("holds"), Column("end platform, upper legs")]
    columns += [Column("intermediate platform, lower legs"), Column("unit", is_number=False)]
    units = [force_unit(stage) for stage in sheet.machine.stages for _ in range(6)]
    parts = [balance.forces, balance.of_upper_weight, balance.of_lower_weight]
    if balance.used is not None:
        columns.append(Column("used", "%"))
        parts.append(100 * balance.used)
    rows = [[str(i + 1), *(significant(float(part[i])) for part in parts)] for i in range(12)]
    for row, unit in zip(rows, units, strict=True):
        row.insert(4, unit)
    passed = ", ".join(number(float(f), 3) for f in balance.passed_on[:3])
    words = (
        "What the actuators hold at rest at home, legs with their own weight; positive drives "
        f"the joint coordinate up. The upper stage puts a force of ({passed}) N on the intermediate platform."
    )
    blocks: list[Block] = [
        Text(words),
        *([Text(f"{sheet.overload[0].upper()}{sheet.overload[1:]}.", is_warning=True)] if sheet.overload else []),
        Picture(
            plot.force_balance(sheet.machine, balance),
            "Actuator forces at home by what they hold: the lower legs carry both stages.",
            "Stacked bars of the twelve actuator forces of the table.",
        ),
        Table("Force balance over the twelve actuators", columns, rows),
    ]
    numbers = {
        "forces": jsonable(balance.forces),
        **({} if balance.used is None else {"used": jsonable(balance.used)}),
        "of_upper_weight": jsonable(balance.of_upper_weight),
        "of_lower_weight": jsonable(balance.of_lower_weight),
        "passed_on": jsonable(balance.passed_on),
    }
    return Section("forces", "Force balance at home", blocks, numbers=numbers)
