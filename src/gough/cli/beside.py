"""Notes beside an answer: its poses or joints are beyond limits, or an option does not count."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

import numpy as np
import typer
from numpy.typing import NDArray

from gough.arrays import Array
from gough.cli.inputs import Inputs
from gough.description.parse import split_stage
from gough.errors import InputError
from gough.limits.ties import some_of
from gough.present.units import with_unit


def note(message: str) -> None:
    """Write a note beside the answer, on the standard error output."""
    print(f"note: {message}", file=sys.stderr)


class Notes(Inputs):
    """Writes notes on the machine of a command, its poses and joints, and on its options."""

    context: typer.Context

    def note_poses(self) -> NDArray[np.bool_]:
        """Whether the poses keep every limit (...); those that do not are noted, the first with its reason."""
        from gough.limits.margins import margins

        found = margins(self.any_machine, self.postures)
        if refusal := found.refusal():
            note(refusal)
        return found.is_allowed

    def note_stage(self) -> None:
        """Note what the loads of a single stage leave out, where the machine is one of two."""
        stage = None if Path(self.name).is_file() else split_stage(self.name)[1]
        if stage == 1:
            note("this is the lower stage alone: nothing of what the upper one weighs is counted")
        elif stage == 2:
            note("this is the upper stage alone: gravity is that of its own file, however the lower one leans")

    def note_joints(self, q: Array) -> None:
        """Note joint coordinates (6,) or (n, 6) [SI] beyond the joints' travel."""
        machine = self.machine
        low, high = machine.limits.joint_min, machine.limits.joint_max
        with np.errstate(invalid="ignore"):
            beyond = (q < low) | (q > high)
        if not beyond.any():
            return
        *row, i = np.argwhere(beyond)[0]
        value = q[(*row, i)]
        side, end = ("at least", low[i]) if value < low[i] else ("at most", high[i])
        which = some_of(np.asarray(beyond.any(axis=-1)), "joints", "rows of joints")
        at, allowed = (with_unit(machine, each, machine.legs.joint_unit) for each in (value, end))
        note(f"{which} are beyond their travel: leg {i + 1} at {at}, allowed {side} {allowed}")

    def note_forces(self, force: Array) -> None:
        """Note actuator forces (..., 6), of two stages (..., 12) [N or N m], beyond what the actuators give."""
        from gough.statics.capacity import overload

        if said := overload(self.any_machine, force):
            note(said)

    def note_speeds(self, time: Array, q: Array) -> None:
        """Note joint histories (n, 6) over times (n,) [s] whose mean speeds between samples are above the joints'."""
        machine = self.machine
        most = machine.limits.joint_speed
        if most is None or len(time) < 2:
            return
        used = np.nan_to_num(np.abs(np.diff(q, axis=0) / np.diff(time)[:, None]) / most)
        k, i = np.unravel_index(int(np.argmax(used)), used.shape)
        if used[k, i] > 1.0 + 1e-9:
            rates = (most[i] * used[k, i], most[i])
            speed, allowed = (with_unit(machine, rate, f"{machine.legs.joint_unit}/s", 4) for rate in rates)
            note(f"joints are quicker than they can: leg {i + 1} at {speed} after {time[k]:.4g} s, allowed {allowed}")

    def counts_only_with(self, other: str, *parameters: str) -> None:
        """Refuse options that were typed on this command line and count for nothing there, since `other` is not."""
        for option in self._typed(parameters):
            raise InputError(f"{option} counts only with {other}: give that too, or leave it out")

    def at_most_one(self, *groups: str) -> None:
        """Refuse options of more than one of these groups (names separated by blanks) on this command line."""
        typed = [option for group in groups for option in self._typed(group.split())[:1]]
        if len(typed) > 1:
            raise InputError(f"{typed[0]} and {typed[1]} exclude each other; give one")

    def _typed(self, parameters: Collection[str]) -> list[str]:
        """Those of the options that were typed on this command line."""
        sources = ((each, self.context.get_parameter_source(each.name or "")) for each in self.context.command.params)
        typed = (each for each, source in sources if source is not None and source.name == "COMMANDLINE")
        return [each.opts[0] for each in typed if each.name in parameters]
