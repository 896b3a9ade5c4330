"""Force balance at rest: what each of the twelve actuators holds, and for what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.kinematics.rates import jacobian, times
from gough.poses import PoseLike, common_shape
from gough.results import Quantities, Result
from gough.stacked import StackedMachine
from gough.stages.dynamics import forces_of, wrenches
from gough.stages.equations import lower_weight, upper_weight
from gough.stages.frames import both_poses
from gough.statics.capacity import known_forces


@dataclass(frozen=True, eq=False)
class ForceBalance(Result):
    """Actuator forces at rest, by what they hold; (..., 12) each, the lower stage's first [N, or N m of cranks].

    Attributes
    ----------
    of_wrench : (..., 12) array
        For the wrenches applied: both stages carry the one on the end platform.
    of_upper_weight : (..., 12) array
        For the end platform and the upper legs.
    of_lower_weight : (..., 12) array
        For the intermediate platform and the lower legs; nothing of it is in the upper stage.
    passed_on : (..., 6) array
        Wrench [f, m] that the upper stage puts on the intermediate platform, about its origin, in base axes.
    largest : (12,) array or None
        What the actuators can give, where both files say so.

    """

    QUANTITIES: ClassVar[Quantities] = {
        "of_wrench": ("N or N m", "leg_of_both"),
        "of_upper_weight": ("N or N m", "leg_of_both"),
        "of_lower_weight": ("N or N m", "leg_of_both"),
        "passed_on": ("N, N m", "wrench"),
        "largest": ("N or N m", "leg_of_both"),
    }
    HEADLINES: ClassVar[tuple[str, ...]] = ("of_wrench",)

    of_wrench: Array
    of_upper_weight: Array
    of_lower_weight: Array
    passed_on: Array
    largest: Array | None

    @property
    def forces(self) -> Array:
        """All together (..., 12); positive drives the joint coordinate up. NaN at a singular pose."""
        return self.of_wrench + self.of_upper_weight + self.of_lower_weight

    @property
    def used(self) -> Array | None:
        """Part of what each actuator can give (..., 12); None where a file does not say."""
        return None if self.largest is None else np.abs(self.forces) / self.largest


@checks_arguments
def force_balance(
    machine: StackedMachine, X: PoseLike, wrench: ArrayLike | None = None, *, gravity: bool | ArrayLike | None = True
) -> ForceBalance:
    """Actuator forces that hold both stages at rest, by what they hold: their weights, and wrenches.

    Virtual work over all bodies: J_qV^T f = -F - (what weight does per V) for both platforms' twists V.

    Parameters
    ----------
    machine : StackedMachine
    X : PoseLike, (..., 2, 4, 4)
        Poses of both platforms in the base.
    wrench : (6,) or (..., 2, 6) array, optional
        [f, m] on the end platform, or on both, about their origins, in base axes [N, N m].
    gravity : bool or (..., 3) array
        Whether platforms and legs weigh: True for the lower stage's gravity, or the acceleration itself [m/s2]. All
        parts of the legs count, as in `gough.leg_forces`.

    Returns
    -------
    ForceBalance
        Its forces (..., 12) [N, or N m of cranks] are NaN in a stage that is singular, and then in the one below.

    Raises
    ------
    InputError
        With gravity, where a stage has no masses.

    """
    poses = both_poses(X)
    load = wrenches(poses, wrench)
    common_shape("poses and wrenches", poses.shape[:-3], load.shape[:-1])
    above, below = _weights(machine, poses, gravity)
    of_wrench, upper, lower = (forces_of(machine, poses, part) for part in (-load, above, below))
    upper_only = (of_wrench + upper) * np.repeat([0.0, 1.0], 6)
    passed_on = times(np.swapaxes(jacobian(machine, poses), -1, -2), upper_only)[..., :6] - above[..., :6]
    return ForceBalance(of_wrench, upper, lower, passed_on, known_forces(machine))


@checks_arguments
def leg_forces(
    machine: StackedMachine,
    X: PoseLike,
    wrench: ArrayLike = (0, 0, 0, 0, 0, 0),
    *,
    gravity: bool | ArrayLike | None = False,
) -> Array:
    """Actuator forces (..., 12), see `gough.leg_forces`; with gravity the masses of both stages must be known."""
    return force_balance(machine, X, wrench, gravity=gravity).forces


def held_forces(machine: StackedMachine, X: Array, load: Array, gravity: bool | ArrayLike | None) -> Array:
    """The forces (..., 12) of `force_balance` alone, for wrenches (..., 12) on both platforms."""
    above, below = _weights(machine, X, gravity)
    return forces_of(machine, X, above + below - load)


def _weights(machine: StackedMachine, X: Array, gravity: bool | ArrayLike | None) -> tuple[Array, Array]:
    """What the upper and the lower stage's weights need, as wrenches on both platforms (..., 12)."""
    if gravity is False:
        return np.zeros(12), np.zeros(12)
    g = machine.free_fall(gravity)
    return upper_weight(machine, X, g), lower_weight(machine, X, g)
