"""The sections of the datasheet, in its order. One file each: a function from a `Datasheet` to a `Section`, or None
where the machine has nothing to say there. A new section is a new file and a line here.
"""

from __future__ import annotations

from collections.abc import Callable

from gough.report.datasheet import Datasheet
from gough.report.model import Section
from gough.report.sections.accuracy import accuracy
from gough.report.sections.assembly import assembly
from gough.report.sections.capacity import capacity
from gough.report.sections.conditioning import conditioning
from gough.report.sections.corners import corners
from gough.report.sections.drives import drives
from gough.report.sections.dynamics import dynamics
from gough.report.sections.forces import forces
from gough.report.sections.geometry import geometry
from gough.report.sections.legs import legs
from gough.report.sections.linear_map import linear_map
from gough.report.sections.machine import machine
from gough.report.sections.margins import margins
from gough.report.sections.masses import masses
from gough.report.sections.modes import modes
from gough.report.sections.path import path
from gough.report.sections.published import published
from gough.report.sections.resolution import resolution
from gough.report.sections.singularity import singularity
from gough.report.sections.source import source
from gough.report.sections.speeds import speeds
from gough.report.sections.stiffness import stiffness
from gough.report.sections.travel import travel
from gough.report.sections.workspace import workspace

SECTIONS: tuple[tuple[str, Callable[[Datasheet], Section | None]], ...] = (
    ("machine at home", machine),
    ("path", path),
    ("travel", travel),
    ("range of motion", corners),
    ("workspace", workspace),
    ("margins", margins),
    ("legs", legs),
    ("conditioning", conditioning),
    ("singularities", singularity),
    ("assembly modes", assembly),
    ("linear map", linear_map),
    ("speeds", speeds),
    ("resolution", resolution),
    ("geometric errors", accuracy),
    ("stiffness", stiffness),
    ("natural frequencies", modes),
    ("static forces", forces),
    ("load capacity", capacity),
    ("forces in motion", dynamics),
    ("geometry", geometry),
    ("drives", drives),
    ("masses", masses),
    ("published figures", published),
    ("source", source),
)
"""What is being computed, and the function that does it."""
