"""Static force balance of two stages: actuator forces due to wrenches and to the weight of each stage."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.kinematics.rates import jacobian
from gough.poses import PoseLike, common_shape
from gough.quantity import WRENCH, derived, drive_force, quantity, result
from gough.results import Result
from gough.stacked import StackedMachine
from gough.stages.dynamics import forces_of, wrenches
from gough.stages.equations import lower_weight, upper_weight
from gough.stages.frames import both_poses, transposed_times
from gough.statics.capacity import known_forces
from gough.statics.capacity import leg_forces as leg_forces_of_stage


@result
class ForceBalance(Result):
    """Actuator forces at rest, by their cause; (..., 12) each, the lower stage's first [N, or N m of cranks]."""

    of_wrench: Array = quantity(
        drive_force, "leg", is_headline=True,
        doc="Due to the wrenches applied: both stages carry the one on the end platform.",
    )  # fmt: skip
    of_upper_weight: Array = quantity(
        drive_force, "leg", doc="Due to the weight of the end platform and the upper legs."
    )
    of_lower_weight: Array = quantity(
        drive_force, "leg",
        doc="Due to the weight of the intermediate platform and the lower legs; zero in the upper stage.",
    )  # fmt: skip
    passed_on: Array = quantity(
        WRENCH, "wrench", frame="base",
        doc="Wrench [f, m] of the upper stage on the intermediate platform, about its origin.",
    )  # fmt: skip
    largest: Array | None = quantity(
        drive_force, "leg", doc="Limits of the actuator forces, where both files have them."
    )
    machine: StackedMachine

    @property
    @derived(drive_force, "leg")
    def forces(self) -> Array:
        """Total (..., 12); positive drives the joint coordinate up. NaN at a singular pose."""
        return self.of_wrench + self.of_upper_weight + self.of_lower_weight

    @property
    @derived("1", "leg")
    def used(self) -> Array | None:
        """Utilisation of each actuator's limit (..., 12); None where a file has none."""
        return None if self.largest is None else np.abs(self.forces) / self.largest


@checks_arguments
def force_balance(
    machine: StackedMachine, X: PoseLike, wrench: ArrayLike | None = None, *, gravity: bool | ArrayLike | None = True
) -> ForceBalance:
    """Actuator forces that hold both stages at rest against their weights and wrenches, by cause.

    Virtual work over all bodies: J_qV^T f = -F - (power of weight per V) for the twists V of both platforms
    (Tsai 1999 for one stage).

    Parameters
    ----------
    machine : StackedMachine
    X : PoseLike, (..., 2, 4, 4)
        Poses of both platforms in the base.
    wrench : (6,) or (..., 2, 6) array, optional
        [f, m] on the end platform, or on both, about their origins, in base axes [N, N m].
    gravity : bool or (..., 3) array
        Whether platforms and legs have weight: True for the lower stage's gravity, or the acceleration itself [m/s2].
        All parts of the legs count, as in `gough.leg_forces`.

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
    applied = wrenches(poses, wrench)
    common_shape("poses and wrenches", poses.shape[:-3], applied.shape[:-1])
    above, below = _weights(machine, poses, gravity)
    of_wrench, upper, lower = (forces_of(machine, poses, part) for part in (-applied, above, below))
    # The upper legs' forces as a wrench on the intermediate platform, and the upper weight that its base carries.
    upper_only = (of_wrench + upper) * np.repeat([0.0, 1.0], 6)
    passed_on = transposed_times(jacobian(machine, poses), upper_only)[..., :6] - above[..., :6]
    return ForceBalance(of_wrench, upper, lower, passed_on, known_forces(machine), machine)


@leg_forces_of_stage.register(StackedMachine)
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


def held_forces(machine: StackedMachine, X: Array, applied: Array, gravity: bool | ArrayLike | None) -> Array:
    """The forces (..., 12) of `force_balance` alone, for wrenches (..., 12) on both platforms."""
    above, below = _weights(machine, X, gravity)
    return forces_of(machine, X, above + below - applied)


def _weights(machine: StackedMachine, X: Array, gravity: bool | ArrayLike | None) -> tuple[Array, Array]:
    """Wrenches on both platforms (..., 12) that hold the upper and the lower stage's weight."""
    if gravity is False:
        return np.zeros(12), np.zeros(12)
    g = machine.free_fall(gravity)
    return upper_weight(machine, X, g), lower_weight(machine, X, g)
