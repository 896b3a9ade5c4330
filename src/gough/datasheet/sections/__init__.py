"""The sections of the datasheet, in its order: functions from a `Datasheet` to a `Section`, or None where the machine
lacks the data. A new section is a function in the file of its topic and a line here.
"""

from __future__ import annotations

from collections.abc import Callable

from gough.datasheet.model import Section
from gough.datasheet.sections.accuracy import accuracy, calibration, resolution
from gough.datasheet.sections.geometry import drives, geometry, masses
from gough.datasheet.sections.kinematics import conditioning, linear_map, speeds
from gough.datasheet.sections.machine import legs, machine, margins
from gough.datasheet.sections.motion import dynamics, path
from gough.datasheet.sections.source import published, source
from gough.datasheet.sections.statics import capacity, forces, stiffness, vibration_modes
from gough.datasheet.sections.travel import corners, regions, travel
from gough.datasheet.sections.workspace import assembly, orientations, singularity, workspace
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
