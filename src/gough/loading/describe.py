"""Contents of a machine file as `gough check` shows them: one machine, or the whole and each stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gough.description.describe_machine import Cell, Description, Section, describe
from gough.description.schema import MachineFile
from gough.loading.load import load_with_files
from gough.poses import euler_angles
from gough.stacked import StackedMachine

NAMES = ("lower", "upper")


def describe_file(machine: str | Path) -> Description:
    """As `describe_machine.describe`, for a built-in name or a path; raises what `gough.load` raises."""
    found, files = load_with_files(machine)
    return _describe_stack(found, files) if isinstance(found, StackedMachine) else describe(found, files[0])


def _describe_stack(machine: StackedMachine, files: Sequence[MachineFile]) -> Description:
    """The whole, then each stage by itself, from the values of `load_with_files`."""
    parts = [describe(stage, file) for stage, file in zip(machine.stages, files, strict=True)]
    sections = [_whole(machine), _frames(machine)]
    notes = []
    for k, part in enumerate(parts, 1):
        sections += (
            replace(section, title=f"Stage {k}: {section.title[0].lower()}{section.title[1:]}")
            for section in part.sections
        )
        notes += [f"stage {k}: {note}" for note in part.notes]
    pull, other = machine.lower.gravity, machine.upper.gravity
    if files[1].gravity is not None and (pull != other).any():
        notes.append("stage 2 gives a gravity of its own; the whole machine takes that of stage 1")
    return Description(machine.name, machine.title, tuple(sections), tuple(notes))


def _whole(machine: StackedMachine) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (f"stage {k}, {name}", f"{stage.name}, {stage.leg_kind} legs")
        for k, (name, stage) in enumerate(zip(NAMES, machine.stages, strict=True), 1)
    ]
    rows += [
        ("joint coordinates", f"{machine.n}, those of the lower stage first"),
        ("units of mount and poses", f"{machine.units.length}, {machine.units.angle}"),
        ("source", machine.source or "not given"),
    ]
    return Section("Machine of two stages", ("what", "value"), tuple(rows))


def _frames(machine: StackedMachine) -> Section:
    units = machine.units
    rows: list[tuple[Cell, ...]] = []
    for name, X in (
        ("intermediate platform at home, in the base", machine.lower.X_home),
        ("upper base in the intermediate platform", machine.X_IU),
        ("end platform at home, in the base", machine.X_home[1]),
    ):
        angles = euler_angles(X, "XYZ") / units.radians + 0.0  # turns -0 into 0
        rows.append((name, *map(float, X[:3, 3] / units.metres), *map(float, angles), "XYZ"))
    columns = [f"{axis} [{units.length}]" for axis in "xyz"] + [f"angle {n} [{units.angle}]" for n in (1, 2, 3)]
    return Section("Frames of the whole", ("frame", *columns, "sequence"), tuple(rows))
