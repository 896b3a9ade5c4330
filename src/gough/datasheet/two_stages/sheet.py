"""Data of the sections of two stages, each computed once."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import cached_property

import numpy as np

from gough import stages
from gough.datasheet.sheet import Datasheet, Sheet
from gough.errors import InputError
from gough.present.units import percent
from gough.stacked import StackedMachine
from gough.stages.forces import ForceBalance
from gough.stages.frames import upper_base
from gough.stages.redundancy import Choice, StackedInverse
from gough.stages.workspace_gain import WorkspaceGain
from gough.statics.capacity import excess_force


class StackedSheet(Sheet[StackedMachine]):
    """Results of a machine of two stages; `stages` are those of each."""

    def __init__(self, machine: StackedMachine, command: str = "", when: datetime | None = None) -> None:
        super().__init__(machine, command, when)
        self.shared = f" The lower stage goes {percent(machine.share, 4)} of each displacement, the upper one the rest."
        self.of_rates = " Of the twelve joint rates they are those of least norm that move the end platform."
        # Gravity is the lower stage's, in axes of the upper stage's base at home, whatever the upper one's file has.
        R_BU = upper_base(machine, machine.X_home)[:3, :3]
        of_stages = (machine.lower, replace(machine.upper, gravity=R_BU.T @ machine.gravity))
        self.stages = tuple(Datasheet(stage, command, self.when) for stage in of_stages)

    @cached_property
    def balance(self) -> ForceBalance | None:
        """Forces that hold both stages at home; None where a stage has no masses or is singular."""
        if any(stage.platform is None for stage in self.machine.stages):
            return None
        found = stages.force_balance(self.machine, self.machine.X_home)
        return found if np.isfinite(found.forces).all() else None

    @property
    def excess_force(self) -> str:
        """The actuators that cannot hold home, as a sentence without its stop; nothing if all can or it is unknown."""
        return "" if self.balance is None else excess_force(self.machine, self.balance.forces)

    @property
    def is_singular(self) -> bool:
        """Whether a stage is singular at home."""
        return any(stage.is_singular for stage in self.stages)

    @cached_property
    def gain(self) -> WorkspaceGain | None:
        """Workspace of both together and of each alone; None where no limit ends it or home is not allowed."""
        try:
            return stages.workspace_gain(self.machine)
        except InputError:
            return None

    @cached_property
    def choices(self) -> dict[Choice, StackedInverse]:
        """Postures at home by choice; the one of smallest forces only where these are known and have one unit."""
        names: list[Choice] = ["fixed", "margin"]
        if self.balance is not None and len({stage.legs.joint for stage in self.machine.stages}) == 1:
            names.append("force")
        return {name: stages.resolve_redundancy(self.machine, self.machine.X_home[1], name) for name in names}


def sheet_of_stack(machine: StackedMachine, command: str = "", *, path: object = None) -> StackedSheet:
    """See `gough.datasheet.build.sheet_of`; paths are for machines of one stage."""
    if path is not None:
        raise InputError(f"a path is for one machine, {machine.name!r} has two stages: take {machine.name}:1 or :2")
    return StackedSheet(machine, command)
