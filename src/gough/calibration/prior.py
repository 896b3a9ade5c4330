"""Prior of a calibration: weights of single unknowns and of rigid motions of the base and the platform.

In a known frame the joints of the base or the platform may lie elsewhere as one body, by far more than the tolerance
of a single joint. Such a rigid motion therefore has a weight of its own; the weights of single errors apply to the
rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array, Ints


@dataclass(frozen=True, eq=False)
class Prior:
    """Weights of the unknowns, of inverse standard deviations.

    Attributes
    ----------
    weight : (p,) array
        Of each unknown.
    motions : (m, p) array
        Orthonormal combinations of errors that move a part as one body.
    of_motions : (m,) array
        Their weights.

    """

    weight: Array
    motions: Array
    of_motions: Array

    def without_motions(self, x: Array) -> Array:
        """Return unknowns x (p, ...) without the motions."""
        return np.asarray(x - self.motions.T @ (self.motions @ x))

    @property
    def rows(self) -> Array:
        """Derivatives (p + m, p) of the pseudo-data, in their standard deviations: single unknowns, then motions."""
        own = self.weight[:, None] * self.without_motions(np.eye(len(self.weight)))
        return np.concatenate([own, self.of_motions[:, None] * self.motions])

    def of_errors(self, count: int) -> Array:
        """Return symmetric square root (count, count) of the information on the errors, the first `count` unknowns."""
        K = self.rows[:, :count]
        values, V = np.linalg.eigh(K.T @ K)
        return np.asarray((V * np.sqrt(values)) @ V.T)

    def held(self, weight: Array) -> Prior:
        """Return the prior with other weights of the last unknowns, of the setup."""
        errors = len(self.weight) - len(weight)
        return Prior(np.concatenate([self.weight[:errors], weight]), self.motions, self.of_motions)

    def scaled(self, factors: Sequence[float] | Array, groups: Sequence[Ints]) -> Prior:
        """Return the prior with spreads multiplied, of groups of unknowns; numbers from p on are motions."""
        every = np.concatenate([self.weight, self.of_motions])
        for group, factor in zip(groups, factors, strict=True):
            every[group] /= factor
        return Prior(every[: len(self.weight)], self.motions, every[len(self.weight) :])
