"""Forward kinematics of both stages: twelve joint coordinates to the poses of both platforms, two ways.

Stage by stage: each stage's own forward kinematics, one after the other. As one system: Newton's method on all twelve
leg equations at once, for both poses in the base, with the 12 x 12 Jacobian. They agree to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError, NotConvergedError, ShapeError
from gough.kinematics.forward import ForwardSolution
from gough.kinematics.forward import forward_kinematics as stage_forward
from gough.kinematics.inverse import inverse_kinematics as stage_inverse
from gough.poses import PoseLike
from gough.results import Quantities, Result
from gough.stacked import StackedMachine
from gough.stages.frames import both_poses, stacked_poses, twelve, upper_pose
from gough.stages.rates import joint_jacobian

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform

Array = NDArray[np.float64]
Method = Literal["stages", "system"]

SMALL = 1e-14
"""A Newton step below this part of the machine's size is rounding."""
STEPS = 50
"""Newton steps at most."""
HALVINGS = 12
"""Parts of a Newton step that are tried: down to 2^-12 of it."""


@dataclass(frozen=True, eq=False)
class StackedSolution(Result):
    """Poses of both platforms with their evidence; arrays have the leading axes of q.

    Attributes
    ----------
    matrices : (..., 2, 4, 4) array
        Poses of both platforms in the base, the intermediate one first; NaN where not converged.
    residual : (...) array
        Largest error of the twelve leg equations [m, or rad of cranks as one system].
    iterations : (...) array
        Newton steps of both stages together.
    converged : (...) array
        Whether the poses satisfy all leg equations to rounding.
    machine : StackedMachine
    q : (..., 12) array
        What was asked.
    stages : (ForwardSolution, ForwardSolution) or None
        Each stage's own answer, stage by stage only: status and certificates.

    """

    QUANTITIES: ClassVar[Quantities] = {
        "matrices": ("1, m", "stage", "row", "column"),
        "residual": "m or rad",
        "iterations": "1",
        "converged": "1",
        "q": ("m or rad", "leg_of_both"),
    }
    HEADLINES: ClassVar[tuple[str, ...]] = (
        "converged",
        "residual",
    )

    matrices: Array
    residual: Array
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]
    machine: StackedMachine
    q: Array
    stages: tuple[ForwardSolution, ForwardSolution] | None = None

    @property
    def matrix(self) -> Array:
        """Pose of the end platform in the base (..., 4, 4)."""
        return self.matrices[..., 1, :, :]

    @property
    def intermediate(self) -> Array:
        """Pose of the intermediate platform in the base (..., 4, 4)."""
        return self.matrices[..., 0, :, :]

    @property
    def pose(self) -> RigidTransform:
        """The end platform's poses as SciPy's type; raises where one is NaN."""
        from scipy.spatial.transform import RigidTransform

        if not np.all(self.converged):
            raise NotConvergedError("a pose that did not converge has no RigidTransform; see .converged", self.residual)
        return RigidTransform.from_matrix(self.matrix)


@checks_arguments
def forward_kinematics(
    machine: StackedMachine,
    q: ArrayLike,
    *,
    near: PoseLike | None = None,
    method: Method = "stages",
    throw: bool = True,
) -> StackedSolution:
    """Poses of both platforms with joint coordinates q, continued from `near`.

    Parameters
    ----------
    machine : StackedMachine
    q : (..., 12) array
        Joint coordinates [m, or rad for cranks], the lower stage's first.
    near : PoseLike, (..., 2, 4, 4), optional
        Poses of both platforms to start from; home where none are given.
    method : "stages" or "system"
        One stage after the other, with all the promises of `gough.forward_kinematics`; or Newton's method on all twelve
        equations at once, for comparison: it promises no more than that the answer fits.
    throw : bool
        Whether joint values without an answer raise; if not, their poses are NaN and `converged` is False.

    Raises
    ------
    NotConvergedError
        With `throw`, when any pose did not converge.

    """
    joints = twelve("joint coordinates", q)
    start = _start(machine, near, joints.shape[:-1])
    if method == "stages":
        return _stage_by_stage(machine, joints, start, throw)
    if method != "system":
        raise InputError(f"method: {method!r} is not known, expected 'stages' or 'system'")
    found = _as_one_system(machine, joints, start)
    if throw and not found.converged.all():
        raise NotConvergedError(
            f"machine {machine.name!r}: no poses of both platforms found for some joint values; the best miss them by "
            f"{float(np.max(found.residual)):.3g} m or rad; give a closer `near`, or take method='stages'",
            found.residual,
        )
    return found


def _start(machine: StackedMachine, near: PoseLike | None, shape: tuple[int, ...]) -> Array:
    """Poses of both platforms to start from, one pair (2, 4, 4) or one for each of the joint coordinates."""
    start = machine.X_both_home if near is None else both_poses(near)
    if start.ndim > 3 and start.shape[:-3] != shape:
        raise ShapeError.expected("near", f"(2, 4, 4), or {(*shape, 2, 4, 4)}: one pair for each q", start.shape)
    return start


def _stage_by_stage(machine: StackedMachine, q: Array, start: Array, throw: bool) -> StackedSolution:
    starts = start[..., 0, :, :], upper_pose(machine, start)
    parts = [
        stage_forward(stage, joints, near=near, throw=throw)
        for stage, joints, near in zip(machine.stages, (q[..., :6], q[..., 6:]), starts, strict=True)
    ]
    lower, upper = parts
    return StackedSolution(
        stacked_poses(machine, lower.matrix, upper.matrix),
        np.maximum(lower.residual, upper.residual),
        lower.iterations + upper.iterations,
        lower.converged & upper.converged,
        machine,
        q,
        (lower, upper),
    )


def _as_one_system(machine: StackedMachine, q: Array, start: Array) -> StackedSolution:
    shape = q.shape[:-1]
    X = np.broadcast_to(start, (*shape, 2, 4, 4)).copy()
    residual, steps, converged = np.empty(shape), np.empty(shape, np.int64), np.empty(shape, bool)
    for k in np.ndindex(shape):
        X[k], residual[k], steps[k], converged[k] = _newton(machine, q[k], X[k])
    X[~converged] = np.nan
    return StackedSolution(X, residual, steps, converged, machine, q)


def _newton(machine: StackedMachine, q: Array, X: Array) -> tuple[Array, float, int, bool]:
    """Damped Newton's method for both poses (2, 4, 4): a step is shortened until it brings the joints closer to q."""
    gap = _gap(machine, X, q)
    for step in range(STEPS):
        J = joint_jacobian(machine, X)
        if not np.isfinite(J).all() or np.linalg.cond(J) > 1 / SMALL:
            break
        move = np.asarray(np.linalg.solve(J, gap), dtype=float).reshape(2, 6)
        if np.abs(move).max() < SMALL * max(machine.size, 1.0):
            return X, float(np.abs(gap).max()), step, True
        part = 1.0
        for _ in range(HALVINGS):
            tried = _moved(X, part * move)
            left = _gap(machine, tried, q)
            if np.linalg.norm(left) < np.linalg.norm(gap):
                break
            part *= 0.5
        else:  # nothing better in reach: rounding, or no answer
            is_rounding = bool(np.abs(gap).max() < 64 * np.finfo(float).eps * max(machine.size, 1.0))
            return X, float(np.abs(gap).max()), step, is_rounding
        X, gap = tried, left
    return X, float(np.abs(gap).max()), STEPS, False


def _gap(machine: StackedMachine, X: Array, q: Array) -> Array:
    """What each of the twelve joints lacks to q; NaN where a leg cannot close."""
    return q - joints_of(machine, X)


def joints_of(machine: StackedMachine, X: Array) -> Array:
    """Joint coordinates (..., 12) of both platforms' poses (..., 2, 4, 4)."""
    lower = stage_inverse(machine.lower, X[..., 0, :, :])
    return np.concatenate([lower, stage_inverse(machine.upper, upper_pose(machine, X))], axis=-1)


def _moved(X: Array, V: Array) -> Array:
    """Poses (2, 4, 4) after moving with twists V (2, 6) for one second: along v, turned by w."""
    from scipy.spatial.transform import Rotation

    moved = X.copy()
    moved[:, :3, :3] = Rotation.from_rotvec(V[:, 3:]).as_matrix() @ X[:, :3, :3]
    moved[:, :3, 3] += V[:, :3]
    return moved
