"""The sections of the datasheet, in its order: one file each with a function from a `Datasheet` to a `Section`, or None
where the machine lacks the data. A new section is a new file and a line here.
"""

from __future__ import annotations

from collections.abc import Callable

from gough.datasheet.model import Section
from gough.datasheet.sections.accuracy import accuracy
from gough.datasheet.sections.assembly import assembly
from gough.datasheet.sections.calibration import calibration
from gough.datasheet.sections.capacity import capacity
from gough.datasheet.sections.conditioning import conditioning
from gough.datasheet.sections.corners import corners
from gough.datasheet.sections.drives import drives
from gough.datasheet.sections.dynamics import dynamics
from gough.datasheet.sections.forces import forces
from gough.datasheet.sections.geometry import geometry
from gough.datasheet.sections.legs import legs
from gough.datasheet.sections.linear_map import linear_map
from gough.datasheet.sections.machine import machine
from gough.datasheet.sections.margins import margins
from gough.datasheet.sections.masses import masses
from gough.datasheet.sections.path import path
from gough.datasheet.sections.published import published
from gough.datasheet.sections.regions import regions
from gough.datasheet.sections.resolution import resolution
from gough.datasheet.sections.singularity import singularity
from gough.datasheet.sections.source import source
from gough.datasheet.sections.speeds import speeds
from gough.datasheet.sections.stiffness import stiffness
from gough.datasheet.sections.travel import travel
from gough.datasheet.sections.vibration_modes import vibration_modes
from gough.datasheet.sections.workspace import orientations, workspace
from gough.datasheet.sheet import Datasheet

SECTIONS: tuple[tuple[str, Callable[[Datasheet], Section | None]], ...] = (
    ("machine at home", machine),
    ("path", path),
    ("travel", travel),
    ("proven region", regions),
    ("range of motion", corners),
    ("workspace", workspace),
    ("orientations", orientations),
    ("legs", legs),
    ("margins", margins),
    ("speeds", speeds),
    ("resolution", resolution),
    ("geometric errors", accuracy),
    ("stiffness", stiffness),
    ("natural frequencies", vibration_modes),
    ("static forces", forces),
    ("load capacity", capacity),
    ("forces in motion", dynamics),
    ("conditioning", conditioning),
    ("singularities", singularity),
    ("assembly modes", assembly),
    ("linear map", linear_map),
    ("geometry", geometry),
    ("drives", drives),
    ("masses", masses),
    ("calibration", calibration),
    ("published figures", published),
    ("source", source),
)
"""Name for progress and function of each section: performance first, then the data it follows from.
Sections with the same key are parts of one, which several processes compute side by side."""
