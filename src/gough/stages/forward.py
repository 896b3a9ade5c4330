"""Forward kinematics of two stages: poses of both platforms from twelve joint coordinates, by two methods.

Stage by stage: the forward kinematics of each stage in turn. As one system: Newton's method on all twelve
leg equations at once, for both poses in the base, with the 12 x 12 Jacobian. They agree to rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import displaced
from gough.errors import InputError
from gough.kinematics import forward as of_stage
from gough.kinematics.certificate import Certificate
from gough.kinematics.forward import ForwardSolution
from gough.kinematics.forward import forward_kinematics as forward_kinematics_of_stage
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import jacobian
from gough.poses import PoseLike
from gough.quantity import derived, quantity, result, transform
from gough.results import Result
from gough.stacked import StackedMachine
from gough.stages.frames import both_poses, stacked_poses, twelve, upper_pose

SMALL = 1e-14
"""Largest Newton step that counts as rounding, as a part of the machine's size."""
STEPS = 50
"""Most Newton steps."""
HALVINGS = 12
"""Most halvings of a Newton step in backtracking."""


@result(slots=True)
class StackedSolution(ForwardSolution):
    """Poses of both platforms (..., 2, 4, 4) with their evidence; the intermediate platform comes first.

    Attributes
    ----------
    stages : (ForwardSolution, ForwardSolution)
        Solution of each stage, with its certificate.

    """

    stages: tuple[ForwardSolution, ForwardSolution]

    @property
    def certificate(self) -> Certificate:
        """Each stage has its own."""
        raise InputError("of two stages each has its own certificate: .stages[0].certificate, .stages[1].certificate")

    @property
    @derived("", is_listed=False)
    def certified(self) -> NDArray[np.bool_]:
        """Whether the poses of both stages are proven solutions for their joint coordinates."""
        return self.stages[0].certified & self.stages[1].certified


@forward_kinematics_of_stage.register(StackedMachine)
@checks_arguments
def forward_kinematics(
    machine: StackedMachine, q: ArrayLike, *, near: PoseLike | None = None, throw: bool = True
) -> StackedSolution:
    """Poses of both platforms with joint coordinates q (..., 12), stage by stage, see `gough.forward_kinematics`."""
    joints = twelve("joint coordinates", q)
    start = _start(machine, near, joints.shape[:-1])
    starts = start[..., 0, :, :], upper_pose(machine, start)
    lower, upper = (
        of_stage.forward_kinematics(stage, part, near=begin, throw=throw)
        for stage, part, begin in zip(machine.stages, (joints[..., :6], joints[..., 6:]), starts, strict=True)
    )
    return StackedSolution(
        stacked_poses(machine, lower.matrix, upper.matrix),
        np.maximum(lower.residual, upper.residual),
        lower.iterations + upper.iterations,
        np.maximum(lower.status, upper.status),
        machine,
        joints,
        (lower, upper),
    )


@result
class SystemSolution(Result):
    """Poses of both platforms (..., 2, 4, 4), largest residual of a joint coordinate, number of Newton steps, and
    whether the poses satisfy all leg equations to rounding (...); NaN poses where they do not."""

    matrix: Array = transform(has_platforms=True, doc="Poses of both platforms; NaN where not converged.")
    residual: Array = quantity("m or rad", is_headline=True, doc="Largest residual of a joint coordinate.")
    iterations: NDArray[np.int64] = quantity("1", doc="Newton steps taken.")
    converged: NDArray[np.bool_] = quantity(
        "", is_headline=True, doc="Whether the poses satisfy all leg equations to rounding."
    )
    machine: StackedMachine


@checks_arguments
def forward_as_one_system(machine: StackedMachine, q: ArrayLike, *, near: PoseLike | None = None) -> SystemSolution:
    """Poses of both platforms with joint coordinates q, by Newton's method on all twelve leg equations at once.

    The steps are halved until the residual falls (Deuflhard 2004, section 2.1). For comparison with
    `gough.forward_kinematics`: it only promises that the poses satisfy the equations.

    Parameters
    ----------
    machine : StackedMachine
    q : (..., 12) array
        Joint coordinates [m, or rad for cranks], the lower stage's first.
    near : PoseLike, (..., 2, 4, 4), optional
        Poses of both platforms to start from; home where none are given.

    Returns
    -------
    SystemSolution
        NaN poses where `converged` is false: at a singular pose, without descent, or after 50 steps.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is no pose.

    """
    joints = twelve("joint coordinates", q)
    shape = joints.shape[:-1]
    X = np.broadcast_to(_start(machine, near, shape), (*shape, 2, 4, 4)).copy()
    residual, steps, converged = np.empty(shape), np.empty(shape, np.int64), np.empty(shape, bool)
    for k in np.ndindex(shape):
        X[k], residual[k], steps[k], converged[k] = _newton(machine, joints[k], X[k])
    X[~converged] = np.nan
    return SystemSolution(X, residual, steps, converged, machine)


def _start(machine: StackedMachine, near: PoseLike | None, shape: tuple[int, ...]) -> Array:
    """Initial poses of both platforms, one pair (2, 4, 4) or one pair for each of the joint coordinates."""
    return of_shape(
        "near",
        machine.X_home if near is None else both_poses(near),
        f"(2, 4, 4), or {(*shape, 2, 4, 4)}: one pair for each q",
    )


def _newton(machine: StackedMachine, q: Array, X: Array) -> tuple[Array, float, int, bool]:
    """Newton's method with backtracking for both poses (2, 4, 4): the norm of the residuals decreases in every step."""
    gap = q - inverse_kinematics(machine, X)  # NaN where a leg cannot close
    for step in range(STEPS):
        J = jacobian(machine, X)
        # A step from a Jacobian that is singular to rounding has no correct digits.
        if not np.isfinite(J).all() or np.linalg.cond(J) > 1 / SMALL:
            break
        move = np.asarray(np.linalg.solve(J, gap), dtype=float).reshape(2, 6)
        if np.abs(move).max() < SMALL * max(machine.size, 1.0):
            return X, float(np.abs(gap).max()), step, True
        # Backtracking; NaN residuals, where a leg cannot close, never count as descent.
        part = 1.0
        for _ in range(HALVINGS):
            tried = displaced(X, part * move)
            left = q - inverse_kinematics(machine, tried)
            if np.linalg.norm(left) < np.linalg.norm(gap):
                break
            part *= 0.5
        else:  # no descent: rounding of a solution, or none
            is_rounding = bool(np.abs(gap).max() < 64 * np.finfo(float).eps * max(machine.size, 1.0))
            return X, float(np.abs(gap).max()), step, is_rounding
        X, gap = tried, left
    return X, float(np.abs(gap).max()), STEPS, False
