"""A path for the machine: whether it is feasible, its duration, and what it needs of each leg."""

from __future__ import annotations

from pathlib import PurePath

from gough import plot
from gough.datasheet.model import Block, Card, Facts, Picture, Section, Text
from gough.datasheet.sheet import Datasheet
from gough.motion.report import PathReport
from gough.present.answer import Field, of_result
from gough.present.show import significant
from gough.quantity import LEGS

FRAMES = 90
"""Instants of the animation, which then takes a megabyte."""
SHOWN = {"Closest limit": ("closest_limit",), "Duration": ("duration", "times"), "Held back by": ("held_back_by",)}
SHOWN |= {"Roll about the tool": ("roll",)}
"""Keys of the facts by name."""


def path(sheet: Datasheet) -> Section | None:
    """Verdict, table of the legs, the tool path and the machine moving along it; None without a path."""
    if (found := sheet.path) is None:
        return None
    sentences = found.sentences()
    blocks: list[Block] = [
        Text(_verdict(found), is_warning=found.is_feasible is False),
        *(Text(sentence, is_warning=True) for sentence in sentences),
        Facts([(name.capitalize(), value) for name, value in found.facts().items() if name != "hardest leg"], SHOWN),
    ]
    work: list[Field] = []
    if found.work is not None and found.is_reachable:
        work = [Field("hardest_leg", found.work.hardest,
            doc="The leg with the largest rms_power; the one with the longest travel where masses are not "
            "known."), *found.work.fields(sheet.machine)]  # fmt: skip
        legs = [f"{leg} (hardest)" if leg == str(found.work.hardest) else leg for leg in LEGS]
        blocks.append(sheet.show.table("leg", legs, work, "What the path needs of each leg"))
    if found.motion is not None:
        blocks += _pictures(sheet, found)
    fields = [*_of_path(found, sentences), *work]
    return Section(key="path", title="Path", blocks=blocks, cards=[_card(found)], fields=fields)


def _source(found: PathReport) -> str:
    return PurePath(found.plan.where).name


def _verdict(found: PathReport) -> str:
    name = _source(found)
    if found.is_feasible:
        return f"The machine can follow {name}: {found.sentence().removeprefix('feasible: ')}."
    if found.is_feasible is None:
        return f"Whether the machine can follow {name}: {found.sentence()}."
    return f"The machine cannot follow {name} as it is; what is broken is named by its {found.plan.counts}s."


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
    if found.duration is None:
        return Card("Path", words, detail=_source(found), of=("verdict",))
    return Card(f"Path, {words}", significant(found.duration, 3), "s", _source(found), of=("duration",))


def _of_path(found: PathReport, sentences: list[str]) -> list[Field]:
    fields = [
        Field("source", _source(found), doc="Name of the file."),
        Field("feasible", found.is_feasible,
            doc="Whether every limit is kept all along the path, proven; null where not proven."),
        Field("verdict", found.check.verdict, doc="The same in words."),
        Field("closest_limit", found.check.tightest,
            doc="The limit whose relative margin (see margins) is least over the path."),
        Field("boxes", found.check.boxes, doc="Intervals of the path that were bounded, or sampled."),
        Field("broken", sentences, doc="Stretches where a limit is broken: line, limit and worst margin."),
        *of_result(found, "duration"),
        *([Field("spindle", found.plan.spindle_record())] if found.plan.spindle else []),
    ]  # fmt: skip
    if found.work is None or not found.is_reachable:
        return fields
    return [*fields, Field("times", found.times,
        doc="No time is spent: there is no motion."), Field("held_back_by", found.binding,
        doc="No limit takes part: there is no time in motion."), *of_result(found, "roll")]  # fmt: skip
