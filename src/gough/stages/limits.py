"""Margins of both stages together, and how far each of the two is from its limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gough.checks.arguments import checks_arguments
from gough.limits.margins import Margins
from gough.limits.margins import margins as margins_of
from gough.limits.ties import in_words, listed, tied
from gough.poses import PoseLike
from gough.results import Quantities, Result
from gough.stacked import StackedMachine
from gough.stages.frames import both_poses, upper_pose

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StackedMargins(Result):
    """Signed distances to all limits of both stages: the lower stage's columns first.

    Attributes
    ----------
    stages : (Margins, Margins)
        Of the lower and of the upper stage, each at its platform's pose in its own base.

    """

    QUANTITIES: ClassVar[Quantities] = {
        "relative": ("1", "limit"),
        "values": ("m, rad or 1, of each limit", "limit"),
        "smallest": "1",
        "is_allowed": "1",
    }
    HEADLINES: ClassVar[tuple[str, ...]] = ("smallest",)

    stages: tuple[Margins, Margins]

    @property
    def values(self) -> Array:
        """Margins (..., k) in SI; NaN where a leg cannot close."""
        return np.concatenate([part.values for part in self.stages], axis=-1)

    @property
    def relative(self) -> Array:
        """Margins (..., k) as parts of each limit's scale."""
        return np.concatenate([part.relative for part in self.stages], axis=-1)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the limits, such as "stage 2 leg 3 longest"."""
        return tuple(f"stage {k} {name}" for k, part in enumerate(self.stages, 1) for name in part.names)

    @property
    def smallest(self) -> Array:
        """Smallest relative margin of both stages (...); NaN for a pose that is NaN."""
        relative = self.relative
        is_known = ~np.isnan(relative)
        least = np.where(is_known, relative, np.inf).min(axis=-1)
        return np.where(is_known.any(axis=-1), least, np.nan)

    @property
    def binding(self) -> str | NDArray[np.str_]:
        """Name of the limit with the smallest relative margin; an array of names for a batch."""
        index = np.argmin(np.where(np.isnan(self.values), np.inf, self.relative), axis=-1)
        names = np.array(self.names)[index]
        return str(names) if self.values.ndim == 1 else names

    @property
    def binding_words(self) -> str:
        """All limits of one pair of poses that bind: "singularity of stage 1 and leg 3 longest of stage 2"."""
        bound = iter(tied(self.relative))
        sets = [[name for name in part.names if next(bound)] for part in self.stages]
        return listed(f"{in_words(names)} of stage {k}" for k, names in enumerate(sets, 1) if names) or str(
            self.binding
        )

    @property
    def is_allowed(self) -> NDArray[np.bool_]:
        """Whether every limit of both stages is kept (...)."""
        return np.asarray(self.stages[0].is_allowed & self.stages[1].is_allowed)

    def sentences(self) -> list[str]:
        """One sentence for every limit that one pair of poses breaks."""
        return [f"stage {k}: {words}" for k, part in enumerate(self.stages, 1) for words in part.sentences()]


@checks_arguments
def margins(machine: StackedMachine, X: PoseLike) -> StackedMargins:
    """Signed distances of poses of both platforms (..., 2, 4, 4) to all limits of both stages, see `gough.margins`."""
    poses = both_poses(X)
    return StackedMargins(
        (margins_of(machine.lower, poses[..., 0, :, :]), margins_of(machine.upper, upper_pose(machine, poses)))
    )
