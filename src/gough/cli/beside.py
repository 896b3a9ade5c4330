"""Notes beside an answer: its poses or joints are beyond limits, or an option does not count."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import typer
from numpy.typing import NDArray

from gough.arrays import Array
from gough.cli.inputs import Inputs
from gough.description.parse import split_stage
from gough.errors import InputError
from gough.present.units import force_unit, percent, with_unit
from gough.stacked import joint_limits


def note(message: str) -> None:
    """Write a note beside the answer, on the standard error output."""
    print(f"note: {message}", file=sys.stderr)


class Notes(Inputs):
    """Writes notes on the machine of a command, its poses and joints, and on its options."""

    context: typer.Context

    def note_poses(self) -> NDArray[np.bool_]:
        """Whether the poses keep every limit (...); those that do not are noted, the first with its reason."""
        from gough.limits.margins import margins

        machine, X = self.any_machine, self.postures
        found = margins(machine, X)
        allowed = found.is_allowed
        broken = np.flatnonzero(~np.atleast_1d(allowed))
        if len(broken):
            first = margins(machine, X.reshape(-1, *machine.stage_shape, 4, 4)[broken[0]])
            why = (first.sentences() or [first.sentence()])[0]
            which = "the pose is" if allowed.ndim == 0 else _some(broken, "poses", allowed.size)
            note(f"{which} not allowed: {why}")
        return allowed

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
        rows = np.atleast_2d(q)
        with np.errstate(invalid="ignore"):
            beyond = (rows < low) | (rows > high)
        broken = np.flatnonzero(beyond.any(axis=1))
        if not len(broken):
            return
        k, i = int(broken[0]), int(np.argmax(beyond[broken[0]]))
        side, end = ("at least", low[i]) if rows[k, i] < low[i] else ("at most", high[i])
        which = "joints are" if q.ndim == 1 else _some(broken, "rows of joints", len(rows))
        at, allowed = (with_unit(machine, value, machine.legs.joint_unit) for value in (rows[k, i], end))
        note(f"{which} beyond their travel: leg {i + 1} at {at}, allowed {side} {allowed}")

    def note_forces(self, force: Array) -> None:
        """Note actuator forces (..., 6), of two stages (..., 12) [N or N m], beyond what the actuators give, as far as
        that is known."""
        stages = self.any_machine.stages
        most = joint_limits(self.any_machine, "actuator_force")
        used = np.abs(force).reshape(-1, len(most)) / most
        worst = np.nan_to_num(used).max(axis=0)
        i = int(np.argmax(worst))
        if worst[i] > 1.0:
            note(
                f"the actuators cannot hold this: leg {i + 1} needs {percent(worst[i], 3)} of its "
                f"{most[i]:.6g} {force_unit(stages[i // 6])}"
            )

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
        for option in self.context.command.params:
            source = self.context.get_parameter_source(option.name or "")
            if option.name in parameters and source is not None and source.name == "COMMANDLINE":
                raise InputError(f"{option.opts[0]} counts only with {other}: give that too, or leave it out")


def _some(broken: NDArray[np.intp], what: str, total: int) -> str:
    return f"{len(broken)} of {total} {what} (the first is number {int(broken[0]) + 1}) are"
