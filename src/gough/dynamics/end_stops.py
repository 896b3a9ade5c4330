"""What ends a simulation before its time: a limit reached, a singularity near."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from gough.dynamics._states import STATE_NUMBERS, poses_batch
from gough.errors import InputError, nearest
from gough.limits.margins import limit_sentence, margins
from gough.limits.table import limit_table
from gough.machine import Machine

Array = NDArray[np.float64]

NEAR_SINGULAR = 0.01
"""Where a machine file sets no `limits.singular_value`: stop at this distance, without unit, see `gough.margins`."""
NEAR_TURNING = 1e-3
"""Part of its length at which a rod counts as at the end of its reach: its drive would have to be infinitely quick at
the very end, which no simulation passes."""
ROUND_OFF = 1e-9
"""Part of a limit's scale by which a start may be beyond it."""
SORTS = ("limits", "singularity")


class Stop:
    """A quantity that ends the simulation when it falls through zero; in the form SciPy takes."""

    terminal = True
    direction = -1.0

    def __init__(self, machine: Machine, sort: str, nearest_singularity: float) -> None:
        self.machine, self.sort = machine, sort
        columns = limit_table(machine).columns
        is_singular = np.array([column.name == "singularity" for column in columns])
        self.columns = np.flatnonzero(is_singular if sort == "singularity" else ~is_singular)
        if sort == "singularity":
            self.shift = np.array([nearest_singularity - machine.limits.singular_value])
        else:
            self.shift = np.array([NEAR_TURNING * (columns[c].quantity == "reach") for c in self.columns])

    def __call__(self, t: float, y: Array) -> float:
        """How far the state is from ending the simulation; negative beyond."""
        if not len(self.columns):
            return 1.0
        found = margins(self.machine, pose_of_state(y))
        values = (found.relative if self.sort == "limits" else found.values)[self.columns] - self.shift
        return float(np.nanmin(values)) if np.isfinite(values).any() else -1.0

    def sentence(self, y: Array) -> str:
        """Why the simulation ended at the state y."""
        found = margins(self.machine, pose_of_state(y))
        if self.sort == "singularity":
            value = float(found.values[self.columns[0]]) + self.machine.limits.singular_value
            return f"a singularity is near: smallest singular value {value:.3g}"
        binding = self.columns[int(np.nanargmin(found.relative[self.columns] - self.shift))]
        column, margin = found.columns[binding], float(found.values[binding])
        if column.quantity == "reach":
            units = self.machine.units
            way = f"{margin / units.metres:.3g} {units.length}"
            return f"a limit is reached: leg {column.legs[0]} is {way} from where it cannot close"
        return f"a limit is reached: {limit_sentence(self.machine, column, margin)}"


def pose_of_state(y: Array) -> Array:
    """Pose (4, 4) of a state."""
    X = np.empty((1, 4, 4))
    poses_batch(np.ascontiguousarray(y[None, :STATE_NUMBERS]), X)
    return X[0]


def stops_of(machine: Machine, sorts: Collection[str], nearest_singularity: float | None) -> list[Stop]:
    """The stops a caller asks for by name."""
    unknown = [sort for sort in sorts if sort not in SORTS]
    if unknown:
        hint = nearest(str(unknown[0]), SORTS)
        raise InputError(f"stop_at: {unknown[0]!r} is not known, expected {' or '.join(map(repr, SORTS))}.{hint}")
    threshold = machine.limits.singular_value or NEAR_SINGULAR if nearest_singularity is None else nearest_singularity
    return [Stop(machine, sort, threshold) for sort in sorts]


def check_start(stops: list[Stop], y: Array) -> None:
    """`InputError` where a simulation begins beyond what would end it."""
    for stop in stops:
        if stop(0.0, y) < -ROUND_OFF:
            raise InputError(
                f"at the start already {stop.sentence(y)}; choose another start, or leave {stop.sort!r} out of stop_at"
            )
