"""Margins of both stages together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.limits.margins import Margins
from gough.limits.margins import is_allowed as is_allowed_of
from gough.limits.margins import is_allowed as is_allowed_of_stage
from gough.limits.margins import is_inside as is_inside_of
from gough.limits.margins import is_inside as is_inside_of_stage
from gough.limits.margins import margins as margins_of_stage
from gough.limits.table import limit_table
from gough.limits.table import margin_values as margin_values_of
from gough.limits.table import margin_values as margin_values_of_stage
from gough.poses import PoseLike
from gough.quantity import result
from gough.stacked import StackedMachine
from gough.stages.frames import both_poses, own_poses


@result
class StackedMargins(Margins):
    """Signed distances to all limits of both stages, the lower stage's first, named as "stage 1 leg 3 longest".

    `stages` has the margins of each stage, at the pose of its platform in its own base.
    """

    @property
    def stages(self) -> tuple[Margins, ...]:
        """Margins of the lower and of the upper stage."""
        tables = [limit_table(stage).columns for stage in self.machine.stages]
        values = np.split(self.values, [len(tables[0])], axis=-1)
        return tuple(map(Margins, values, tables, self.machine.stages))

    @property
    def is_singular(self) -> NDArray[np.bool_]:
        """Whether a stage is singular (...)."""
        return self.stages[0].is_singular | self.stages[1].is_singular

    def singular_sentence(self) -> str:
        """See `Margins.singular_sentence`; for each stage."""
        return self.machine.by_stage(part.singular_sentence() for part in self.stages)

    def sentence(self) -> str:
        """See `Margins.sentence`; for each stage with an active limit."""
        bound = np.split(self.ties, [len(self.stages[0].columns)])
        said = (part.sentence() if ties.any() else "" for part, ties in zip(self.stages, bound, strict=True))
        return self.machine.by_stage(said) or "the pose is not a number"

    def of_stage(self, c: int) -> str:
        """See `Margins.of_stage`."""
        return f"stage {1 + (c >= len(self.stages[0].columns))}: "

    def sentence_of(self, c: int) -> str:
        """See `Margins.sentence_of`."""
        first = len(self.stages[0].columns)
        part, local = (self.stages[0], c) if c < first else (self.stages[1], c - first)
        return self.of_stage(c) + part.sentence_of(local)


@margins_of_stage.register(StackedMachine)
@checks_arguments
def margins(machine: StackedMachine, X: PoseLike) -> StackedMargins:
    """Signed distances to all limits of both stages, see `gough.margins`."""
    poses = both_poses(X)
    values = margin_values(machine, poses.reshape(-1, 2, 4, 4))
    return StackedMargins(values.reshape(*poses.shape[:-3], values.shape[-1]), limit_table(machine).columns, machine)


@margin_values_of_stage.register(StackedMachine)
def margin_values(machine: StackedMachine, matrices: Array) -> Array:
    """Margins (n, k) at poses (n, 2, 4, 4), the lower stage's first, see `gough.limits.table.margin_values`."""
    return np.concatenate(list(map(margin_values_of, machine.stages, own_poses(machine, matrices))), axis=-1)


@is_allowed_of_stage.register(StackedMachine)
@checks_arguments
def is_allowed(machine: StackedMachine, X: PoseLike) -> NDArray[np.bool_]:
    """Whether poses satisfy all limits of both stages, see `gough.limits.is_allowed`."""
    lower, upper = map(is_allowed_of, machine.stages, own_poses(machine, both_poses(X)))
    return np.asarray(lower & upper)


@is_inside_of_stage.register(StackedMachine)
def is_inside(machine: StackedMachine, matrices: Array) -> NDArray[np.bool_]:
    """Whether poses (..., 2, 4, 4) are inside the limits of both stages or on them."""
    lower, upper = map(is_inside_of, machine.stages, own_poses(machine, matrices))
    return np.asarray(lower & upper)
