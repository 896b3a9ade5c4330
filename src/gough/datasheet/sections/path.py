"""A path for the machine: whether it is feasible, its duration, and what it needs of each leg."""

from __future__ import annotations

from dataclasses import replace
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


def path(sheet: Datasheet) -> Section | None:
    """Verdict, table of the legs, the tool path and the machine moving along it; None without a path."""
    if (found := sheet.path) is None:
        return None
    sentences = found.sentences()
    blocks: list[Block] = [
        Text(_verdict(found), is_warning=found.is_feasible is False),
        *(Text(sentence, is_warning=True) for sentence in sentences),
        Facts([(name.capitalize(), value) for name, value in found.facts().items() if name != "hardest leg"]),
    ]
    work: list[Field] = []
    if found.work is not None and found.is_reachable:
        low, *others = found.work.fields(sheet.machine)
        work = [Field("hardest_leg", found.work.hardest), replace(low, unit_key="unit"), *others]
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
        return Card("Path", words, detail=_source(found))
    return Card(f"Path, {words}", significant(found.duration, 3), "s", _source(found))


def _of_path(found: PathReport, sentences: list[str]) -> list[Field]:
    fields = [
        Field("source", _source(found)),
        Field("feasible", found.is_feasible),
        Field("verdict", found.check.verdict),
        Field("closest_limit", found.check.tightest),
        Field("boxes", found.check.boxes),
        Field("broken", sentences),
        *of_result(found, "duration"),
        *([Field("spindle", found.plan.spindle_record())] if found.plan.spindle else []),
    ]
    if found.work is None or not found.is_reachable:
        return fields
    return [*fields, Field("times", found.times), Field("held_back_by", found.binding), *of_result(found, "roll")]
