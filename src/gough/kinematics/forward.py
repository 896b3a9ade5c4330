"""Forward kinematics: from joint coordinates to the platform's pose, one solution.

The pose is the one reached by linear joint-space interpolation from `near` (home, if none is given) to q. If a
singularity lies in between, it is a pose of another assembly mode, which `status` says, or none. Every pose satisfies
the leg equations to rounding.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.annotations import fitted
from gough.checks.numbers import numbers
from gough.errors import NotConvergedError, ShapeError
from gough.kinematics._forward import forward_batch
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices
from gough.present.units import in_file_units, with_unit
from gough.quantity import derived, of_joints, quantity, result, transform
from gough.results import Result
from gough.stacked import StackedMachine, by_machine
from gough.workers import PARALLEL_FROM, run_batch

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform

    from gough.kinematics.certificate import Certificate


class Status(IntEnum):
    """Outcome of forward kinematics; the values of `ForwardSolution.status`."""

    NEAR = 0
    """Converged, to the pose that continues `near` as the legs move."""
    OTHER_MODE = 1
    """Converged, but not to the pose that continues `near`: the joint path meets a singularity, or a slider or crank
    passes the turning point to its other branch."""
    NOT_CONVERGED = 2
    """No pose found; the matrix is NaN. Usually no pose has these joint values, which
    `gough.assembly_modes` proves; otherwise a closer `near` helps."""


@result(slots=True)
class ForwardSolution(Result):
    """Poses with their evidence; arrays have the leading axes of q.


    Attributes
    ----------
    machine : Machine

    """

    matrix: Array = transform(has_platforms=True, doc="Pose of the platform in the base; NaN where not converged.")
    residual: Array = quantity("m", doc="Largest error of the six leg equations at the pose.")
    iterations: NDArray[np.int64] = quantity("1", doc="Newton steps taken.")
    status: NDArray[np.int64] = quantity("1", doc="See `Status`.")
    machine: Machine | StackedMachine
    q: Array = quantity(of_joints(), "leg", doc="Joint coordinates.")

    def __str__(self) -> str:
        if np.ndim(self.status) == 0:
            return "pose found" if self.converged else "no pose found"
        return f"{int(self.converged.sum())} of {self.status.size} poses found"

    @property
    def pose(self) -> RigidTransform:
        """The poses as SciPy's type; raises where one is NaN."""
        from scipy.spatial.transform import RigidTransform

        if not np.all(self.converged):
            raise NotConvergedError("a pose that did not converge has no RigidTransform; see .converged", self.residual)
        return RigidTransform.from_matrix(self.matrix)

    @property
    @derived("")
    def converged(self) -> NDArray[np.bool_]:
        """Whether the pose satisfies the leg equations to rounding."""
        return np.asarray(self.status != Status.NOT_CONVERGED)

    @property
    @derived("", is_listed=False)
    def status_words(self) -> NDArray[np.str_]:
        """Status as text: "near", "other mode" or "not converged"."""
        return np.array([state.name.lower().replace("_", " ") for state in Status])[self.status]

    @property
    @derived("", is_listed=False)
    def is_near(self) -> NDArray[np.bool_]:
        """Whether the pose is the one that continues `near`."""
        return np.asarray(self.status == Status.NEAR)

    @property
    def certificate(self) -> Certificate:
        """Proven bounds of the poses' errors, and distances within which each is the only one; computed here."""
        from gough.kinematics.certificate import certify_pose

        assert isinstance(self.machine, Machine)
        return certify_pose(self.machine, self.q, self.matrix)

    @property
    @derived("", is_listed=False)
    def certified(self) -> NDArray[np.bool_]:
        """Whether each pose is proven to fit its joint coordinates, rounding included; not close to singularities."""
        return self.certificate.proven


@by_machine
def forward_kinematics(
    machine: Machine, q: ArrayLike, *, near: PoseLike | None = None, throw: bool = True
) -> ForwardSolution:
    """Compute the pose with joint coordinates q, continued from `near`: Newton's method on the group of rigid motions.

    The platform's path under linear joint-space interpolation from `near` to q is predicted by its first two
    derivatives and corrected by Newton's method with Chebyshev's term, each step at most half the one before (Deuflhard
    2004, section 2.1); where the prediction is too far, it is followed in parts (`gough.kinematics._forward`).

    Parameters
    ----------
    machine : Machine
    q : (..., 6) array
        Joint coordinates [m, or rad for cranks].
    near : PoseLike, optional
        One pose (of all platforms), or one for each q, at which the legs close; default: home.
    throw : bool
        Whether joint values without a solution raise; if not, their poses are NaN and `converged` is False.

    Returns
    -------
    ForwardSolution
        Within 1e-12 of the machine's size of the true pose, away from singularities (there, times the conditioning).

    Raises
    ------
    NotConvergedError
        With `throw`, when any pose did not converge.

    """
    if type(machine) is not Machine:
        machine = fitted("machine", machine, "Machine", forward_kinematics)
    if type(throw) is not bool:
        throw = fitted("throw", throw, "bool", forward_kinematics)
    joints = numbers("q", q)
    if joints.shape[-1:] != (6,):
        raise ShapeError.expected("joint coordinates", "(..., 6)", joints.shape)
    joints, leading = np.ascontiguousarray(joints), joints.shape[:-1]
    flat = joints.reshape(-1, 6)
    flat.setflags(write=False)  # a read-only view whatever q was: one array type, one compilation
    count = len(flat)
    start = machine.start if near is None else _starts(near, leading)
    X = np.empty((count, 4, 4))
    residual, steps, status = np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64)
    if count < PARALLEL_FROM:  # without slicing, which costs a single pose a good part of its time
        failed = forward_batch(machine.forward_model, flat, start, X, residual, steps, status)
    else:
        failed = _in_parts(machine, flat, start, (X, residual, steps, status))
    if throw and failed:
        raise _not_converged(machine, flat, residual, status, leading)
    return ForwardSolution(
        X.reshape(*leading, 4, 4),
        residual.reshape(leading),
        steps.reshape(leading),
        status.reshape(leading),
        machine,
        joints,
    )


def _in_parts(machine: Machine, flat: Array, start: Array, written: tuple[NDArray[Any], ...]) -> int:
    """Number of poses that were not found, where the batch is divided between the cores."""

    def solve(s: slice) -> int:
        begin = start[s] if len(start) > 1 else start  # one start serves all
        return forward_batch(machine.forward_model, flat[s], begin, *(array[s] for array in written))

    return sum(run_batch(solve, len(flat)))


def _starts(near: PoseLike, leading: tuple[int, ...]) -> Array:
    matrices = checked_matrices(near)
    if matrices.ndim == 2:
        return matrices.reshape(1, 4, 4)
    try:
        return np.broadcast_to(matrices, (*leading, 4, 4)).copy().reshape(-1, 4, 4)
    except ValueError:
        raise ShapeError.expected("near", f"(4, 4) or one pose for each of {leading}", matrices.shape) from None


def _not_converged(
    machine: Machine, flat: Array, residual: Array, status: NDArray[np.int64], leading: tuple[int, ...]
) -> NotConvergedError:
    index = int(np.flatnonzero(status == Status.NOT_CONVERGED)[0])
    where = f" {list(map(int, np.unravel_index(index, leading)))}" if leading else ""
    with np.errstate(over="ignore"):
        values = ", ".join(f"{value:.6g}" for value in in_file_units(machine, flat[index], machine.legs.joint_unit))
    missed = f"the best pose found has a leg error of {with_unit(machine, residual[index], 'm', 3)}"
    if not np.isfinite(residual[index]):
        missed = "no pose near the start has finite leg errors"
    return NotConvergedError(
        f"no pose found for the joint values{where} ({values}) {machine.displayed_joint_unit}: {missed}; "
        "probably none has them, which the search for all poses proves (gough modes, gough.assembly_modes)",
        residual,
    )


__all__ = ["ForwardSolution", "Status", "forward_kinematics"]
