"""Limits of the platform's resolution over regions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from gough.accuracy.accuracy import resolution, steps_given
from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point
from gough.errors import InputError
from gough.limits.quantities import Limited
from gough.limits.rods import Pose
from gough.limits.table import Column, limit_table
from gough.machine import Machine
from gough.regions.requested import RequestedLimit
from gough.regions.singularity import twists

HALF_OF_SIGNS = np.array([(1.0, *signs) for signs in product((-1.0, 1.0), repeat=5)])
"""Half of all signs: the others are their opposites, of the same lengths."""


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class ResolutionLimit(RequestedLimit):
    """The platform's largest displacement and rotation for one step of every joint stay below bounds at every pose.

    Those of `gough.accuracy.resolution`, `worst_translation` and `worst_rotation`: |J_Vq (signs . steps)| with the
    worst signs, of a platform point.

    Attributes
    ----------
    translation, rotation : float, optional
        Largest [m] and [rad]; if omitted, unlimited.
    joint_step : float or (6,) array, optional
        Smallest steps of the joints [m or rad]; default: the machine's `actuators.resolution`.
    point : (3,) array, optional
        In the platform frame [m]; default the point of interest.

    """

    translation: float = np.inf
    rotation: float = np.inf
    joint_step: ArrayLike | None = None
    point: ArrayLike | None = None

    def __post_init__(self) -> None:
        for name, bound in (("translation", self.translation), ("rotation", self.rotation)):
            if not bound > 0:
                raise InputError(f"{name} {bound:g}: expected a resolution above zero")
        given_point(self.point, np.zeros(3))
        if not self._bounds:
            raise InputError("expected translation [m] or rotation [rad], got neither")

    @property
    def _bounds(self) -> dict[str, float]:
        given = {"translation": self.translation, "rotation": self.rotation}
        return {name: bound for name, bound in given.items() if np.isfinite(bound)}

    def columns(self, machine: Machine) -> tuple[Column, ...]:
        """See `RequestedLimit.columns`."""
        steps_given(machine, self.joint_step)
        units = {"translation": "m", "rotation": "rad"}
        return tuple(
            Column(f"{name} resolution", (), units[name], bound, bound, False, f"worst step in {name}")
            for name, bound in self._bounds.items()
        )

    def margins(self, machine: Machine, X: Array) -> Array:
        """See `RequestedLimit.margins`: by `gough.accuracy.resolution`."""
        found = resolution(machine, X, joint_step=self.joint_step, point=self.point)
        return np.stack([bound - getattr(found, f"worst_{name}") for name, bound in self._bounds.items()], axis=-1)

    def quantities(self, machine: Machine, i: Ints, pose: Pose) -> Iterator[Limited]:
        """See `RequestedLimit.quantities`: one minus the relative square of each sign pattern."""
        # Columns of J_Vq: twists per rate along the rods, times u . p' + L'.
        point = given_point(self.point, machine.point_of_interest)
        rods, T = twists(limit_table(machine).arrays, pose, point)
        T = T * (rods.transmission * steps_given(machine, self.joint_step)[:, None])
        parts = {"translation": T[:3], "rotation": T[3:]}
        for place, (name, bound) in enumerate(self._bounds.items()):
            steps = parts[name] * (1 / bound)
            for signs in HALF_OF_SIGNS:
                moved = (steps * signs[:, None]).sum(1)
                yield Limited(place, 1.0 - (moved * moved).sum(0), partial(_margin, bound), 0.0)


def _margin(bound: float, v: Array) -> Array:
    return bound - bound * np.sqrt(np.maximum(1 - v, 0.0))
