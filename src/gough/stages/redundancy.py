"""Redundancy resolution: twelve joint coordinates for a pose of the end platform.

The six free coordinates are the pose of the intermediate platform. The choices are

    "fixed"            as a share of the end platform's displacement from home: X_BI = exp(share log D) X_BI,home with
                       D = X_BP X_BP,home^-1, so that both stages perform parts of one screw motion
    "margin"           the largest smallest relative margin of both stages (`gough.margins`)
    "force"            the least norm of the twelve actuator forces at rest, within all limits
    "relative force"   the same with each force as a part of its actuator's limit
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, ShapeError
from gough.kinematics.inverse import inverse_kinematics
from gough.limits.margins import Margins, margins
from gough.poses import PoseLike, checked_matrices
from gough.quantity import derived, of_joints, quantity, result, transform
from gough.results import Result
from gough.stacked import StackedMachine
from gough.stages.dynamics import wrenches
from gough.stages.forces import held_forces
from gough.stages.max_margin import max_margin
from gough.stages.min_cost import min_cost
from gough.stages.search import Posture, Search
from gough.stages.share import shared
from gough.statics.capacity import known_forces

Choice: TypeAlias = Literal["fixed", "margin", "force", "relative force"]


@result
class StackedInverse(Result):
    """Joint coordinates with the postures they belong to; arrays have the leading axes of X.

    Attributes
    ----------
    machine : StackedMachine

    """

    matrix: Array = transform(
        has_platforms=True,
        doc="Poses of both platforms in the base, the intermediate one first; NaN where no posture was found.",
    )  # fmt: skip
    joints: Array = quantity(
        of_joints(), "leg", doc="Joint coordinates, the lower stage's first; NaN where a leg cannot close."
    )
    margin: Array = quantity(
        "1", is_headline=True,
        doc="Smallest relative margin of both stages; negative where a limit is violated, and then the largest that "
        "was found.",
    )  # fmt: skip
    value: Array = quantity(
        lambda of: "N" if of.choice == "force" else "1",
        doc="Value of the choice: share, smallest margin, norm of the forces or of their utilisations.",
    )  # fmt: skip
    choice: Choice = quantity("", is_listed=False, doc="What chose the postures.")
    machine: StackedMachine

    @property
    def margins(self) -> Margins:
        """All margins of both stages."""
        return margins(self.machine, self.matrix)

    @property
    @derived("", is_listed=False)
    def is_allowed(self) -> NDArray[np.bool_]:
        """Whether all limits of both stages are satisfied (...)."""
        return self.margins.is_allowed


@checks_arguments
def resolve_redundancy(
    machine: StackedMachine,
    X: PoseLike,
    choice: Choice = "fixed",
    *,
    share: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = True,
    near: PoseLike | None = None,
    progress: Progress = None,
) -> StackedInverse:
    """Joint coordinates of poses of the end platform; six of the twelve are free and follow from a choice.

    "fixed": X_BI is home displaced by a share of the screw that displaces the end platform (by definition). The
    searches evaluate some thousand postures about shares of the displacement, then improve several distinct ones
    (`gough.stages.max_margin`, `gough.stages.min_cost`). Margins have local maxima: a better posture that these starts
    miss may exist. In a batch each pose also starts from the result of the one before it.

    Parameters
    ----------
    machine : StackedMachine
    X : PoseLike, (..., 4, 4)
        Poses of the end platform in the base of the lower stage.
    choice : "fixed", "margin", "force" or "relative force"
        See `gough.stages.redundancy`. A search takes about half a second per pose, "fixed" far less.
    share : (...) array, optional
        "fixed": the lower stage's part of the displacement, 0 to 1; the machine's own `share` where not given. The
        screw of half a revolution is not unique.
    wrench : (6,) or (2, 6) array, optional
        Forces: [f, m] on the end platform, or on both, about their origins, in base axes [N, N m].
    gravity : bool or (3,) array
        Forces: as in `gough.stages.force_balance`.
    near : PoseLike, (4, 4), optional
        A further start of searches, a pose of the intermediate platform; NaN counts as none.
    progress : callable, optional
        Called with the number of poses done and their total number.

    Returns
    -------
    StackedInverse
        For an unreachable pose the margin is negative, or joints are NaN where a leg cannot close; with the choices of
        forces, poses and joints without an allowed posture are NaN.

    Raises
    ------
    InputError
        An unknown choice, a share beyond 0 to 1, a load that is not finite, or forces without a common norm.

    """
    poses = checked_matrices(X)
    if choice == "fixed":
        return _fixed(machine, poses, np.asarray(machine.share if share is None else share, dtype=float))
    start = None
    if near is not None:
        start = of_shape("near", checked_matrices(near), "(4, 4), one pose of the intermediate platform")
    start = None if start is None or not np.isfinite(start).all() else start
    cost = None if choice == "margin" else _norm(machine, choice, wrench, gravity)
    flat = poses.reshape(-1, 4, 4)
    found: list[Posture] = []
    for k, pose in enumerate(flat):
        search = Search(machine, pose, [] if start is None else [start])
        found.append(max_margin(search) if cost is None else min_cost(search, cost))
        # The next pose of a path is near this one, and so is its posture.
        if np.isfinite(found[-1].X).all():
            start = found[-1].X[0]
        if progress is not None:
            progress(k + 1, len(flat))
    shape = poses.shape[:-2]
    both = np.array([posture.X for posture in found]).reshape(*shape, 2, 4, 4)
    margin, value = (np.array([getattr(posture, key) for posture in found]) for key in ("margin", "value"))
    joints = inverse_kinematics(machine, both)
    return StackedInverse(both, joints, margin.reshape(shape), value.reshape(shape), choice, machine)


def _fixed(machine: StackedMachine, X: Array, share: Array) -> StackedInverse:
    if not ((share >= 0) & (share <= 1)).all():
        raise InputError(f"share: expected parts of the displacement from 0 to 1, got {np.array2string(share)}")
    both = shared(machine, X, share)
    value = np.broadcast_to(share, both.shape[:-3]).copy()
    joints = inverse_kinematics(machine, both)
    return StackedInverse(both, joints, margins(machine, both).smallest, value, "fixed", machine)


def _norm(
    machine: StackedMachine, choice: Choice, wrench: ArrayLike | None, gravity: bool | ArrayLike | None
) -> Callable[[Array], Array]:
    """Norm (n,) of the twelve forces at postures (n, 2, 4, 4)."""
    scale = np.ones(12)
    if choice == "relative force":
        largest = known_forces(machine)
        if largest is None:
            raise InputError(
                f"machine {machine.name!r}: give limits.actuator_force in both stages, or take the choice 'force'"
            )
        scale = largest
    if choice == "force" and len({stage.legs.joint for stage in machine.stages}) > 1:
        raise InputError(
            f"machine {machine.name!r}: forces of one stage and torques of the other have no common norm; take the "
            "choice 'relative force'"
        )

    applied = wrenches(machine.X_home, wrench)  # about the platforms' origins: the same at all poses
    if applied.shape != (12,):
        raise ShapeError.expected("wrench", "(6,) or (2, 6), one for all poses", np.asarray(wrench).shape)
    for name, numbers in (("wrench", applied), ("gravity", np.asarray(gravity, dtype=float))):
        if not np.isfinite(numbers).all():
            raise InputError(f"{name}: expected finite numbers, got {np.array2string(numbers)}")

    def norm(X: Array) -> Array:
        return np.asarray(np.linalg.norm(held_forces(machine, X, applied, gravity) / scale, axis=-1))

    return norm
