"""The sections of a machine of two stages: of both together, then of each stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from gough.datasheet.model import Section
from gough.datasheet.sections.capacity import capacity
from gough.datasheet.sections.conditioning import conditioning
from gough.datasheet.sections.corners import corners
from gough.datasheet.sections.drives import drives
from gough.datasheet.sections.dynamics import dynamics
from gough.datasheet.sections.geometry import geometry
from gough.datasheet.sections.legs import legs
from gough.datasheet.sections.linear_map import linear_map
from gough.datasheet.sections.margins import margins
from gough.datasheet.sections.masses import masses
from gough.datasheet.sections.resolution import resolution
from gough.datasheet.sections.source import source
from gough.datasheet.sections.speeds import speeds
from gough.datasheet.sections.stiffness import stiffness
from gough.datasheet.sections.travel import travel
from gough.datasheet.sections.vibration_modes import vibration_modes
from gough.datasheet.sheet import Datasheet
from gough.datasheet.two_stages.sheet import StackedSheet
from gough.datasheet.two_stages.together import forces, machine, redundancy, workspace

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
    """Names of the sections, and functions that make them."""
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
    return source(sheet, more, "{}, {}; each stage in those of its file")
