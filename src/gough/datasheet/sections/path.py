"""A path for the machine: whether it can follow, how long it takes, the work of each leg."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from gough import plot
from gough.datasheet.model import Block, Card, Column, Facts, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.motion.path_report import LegWork, PathReport
from gough.present.show import jsonable, significant

FRAMES = 90
"""Instants of the animation: a megabyte on the page."""
NAMED = 3
"""Limits named that hold the motion back."""


def path(sheet: Datasheet) -> Section | None:
    """Verdict, table of the legs, the tool path and the machine moving along it; None without a path."""
    if sheet.path is None:
        return None
    found, counts = sheet.path
    sentences = found.sentences(counts)
    blocks: list[Block] = [
        Text(_verdict(found, counts), is_warning=found.is_feasible is False),
        *(Text(sentence, is_warning=True) for sentence in sentences),
        Facts(_facts(sheet, found)),
    ]
    if found.work is not None and found.history is not None:
        blocks += [_table(sheet, found.work), *_pictures(sheet, found)]
    return Section(
        key="path",
        title="Path",
        blocks=blocks,
        cards=[_card(found)],
        numbers=_numbers(sheet, found, sentences),
    )


def _source(found: PathReport) -> str:
    return PurePath(found.plan.where).name


def _verdict(found: PathReport, counts: str) -> str:
    name = _source(found)
    if found.is_feasible:
        return (
            f"The machine can follow {name}: every limit of poses is kept all along, proven over "
            f"{found.check.looked} intervals, and the motion keeps the speeds and accelerations of the legs."
        )
    if found.is_feasible is None:
        return f"Nothing speaks against {name}, but it is not proven that every limit is kept between the places seen."
    if found.motion is None:
        return f"The machine cannot follow {name}: {found.why_not}."
    return f"The machine cannot follow {name} as it is; what is broken is named by its {counts}s."


def _facts(sheet: Datasheet, found: PathReport) -> list[tuple[str, str]]:
    pairs = [("Closest limit", found.check.tightest)]
    if found.motion is None:
        return pairs
    times = ", ".join(f"{significant(value, 3)} s {what}" for what, value in found.times.items() if value > 0)
    binding = list(found.binding.items())[:NAMED]
    held = ", ".join(f"{name} ({significant(100 * part, 2)} % of the time)" for name, part in binding)
    pairs = [("Duration", f"{significant(found.motion.duration)} s: {times}"), ("Held back by", held), *pairs]
    if any(found.plan.roll):
        low, high = (sheet.show.with_unit(angle, "rad") for angle in found.plan.roll)
        pairs.append(("Roll about the tool", low if low == high else f"{low} to {high}"))
    return pairs


def _table(sheet: Datasheet, work: LegWork) -> Table:
    m, show = sheet.machine, sheet.show
    si = m.legs.joint_unit
    unit = show.unit(si)
    columns = [Column("leg", is_number=False), Column("lowest", unit), Column("highest", unit), Column("travel", unit)]
    columns += [Column("peak rate", f"{unit}/s"), Column("RMS rate", f"{unit}/s")]
    values = [work.lowest, work.highest, work.travel, work.peak_rate, work.rms_rate]
    cells = [[show.value(float(value[i]), si) for value in values] for i in range(6)]
    if m.limits.joint_speed is not None:
        columns.append(Column("of top speed", "%"))
        for i, row in enumerate(cells):
            row.append(significant(100 * float(work.peak_rate[i] / m.limits.joint_speed[i]), 3))
    if work.peak_force is not None and work.rms_power is not None:
        columns += [Column("peak force", "N" if si == "m" else "N m"), Column("RMS power", "W")]
        for i, row in enumerate(cells):
            row += [significant(float(work.peak_force[i])), significant(float(work.rms_power[i]))]
    rows = [[f"{i + 1}" + (" (hardest)" if i + 1 == work.hardest else ""), *row] for i, row in enumerate(cells)]
    return Table("What the path needs of each leg", columns, rows)


def _pictures(sheet: Datasheet, found: PathReport) -> list[Picture]:
    m, data = sheet.machine, found.history
    return [
        Picture(
            figure=plot.tool_path(m, data),  # type: ignore[arg-type]
            caption="The tool path in the base, seen from above.",
            description="A line in space; rapid moves are thin.",
            is_scene=True,
        ),
        Picture(
            figure=plot.animation(m, data, frames=FRAMES),  # type: ignore[arg-type]
            caption="The machine along the path: play it, or drag the slider. Legs are drawn without their joints.",
            description="The machine at an instant of the path beside curves of its legs over time.",
        ),
    ]


def _card(found: PathReport) -> Card:
    words = {True: "feasible", False: "not feasible", None: "not proven"}[found.is_feasible]
    if found.motion is None:
        return Card("Path", words, detail=_source(found))
    return Card(f"Path, {words}", significant(found.motion.duration, 3), "s", _source(found))


def _numbers(sheet: Datasheet, found: PathReport, sentences: list[str]) -> dict[str, Any]:
    work, si, top = found.work, sheet.machine.legs.joint_unit, sheet.machine.limits.joint_speed
    numbers: dict[str, Any] = {
        "source": _source(found),
        "feasible": found.is_feasible,
        "verdict": found.check.verdict,
        "closest_limit": found.check.tightest,
        "intervals": found.check.looked,
        "broken": sentences,
        "duration": None if found.motion is None else found.motion.duration,
    }
    if found.motion is None or work is None:
        return numbers
    return {
        **numbers,
        "times": found.times,
        "held_back_by": found.binding,
        "roll": jsonable(found.plan.roll),
        "hardest_leg": work.hardest,
        "unit": si,
        "lowest": jsonable(work.lowest),
        "highest": jsonable(work.highest),
        "travel": jsonable(work.travel),
        "peak_rate": jsonable(work.peak_rate),
        "rms_rate": jsonable(work.rms_rate),
        "of_top_speed": None if top is None else jsonable(work.peak_rate / top),
        "peak_force": None if work.peak_force is None else jsonable(work.peak_force),
        "rms_power": None if work.rms_power is None else jsonable(work.rms_power),
    }
