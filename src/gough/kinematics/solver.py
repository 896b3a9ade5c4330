"""Forward kinematics for control loops: one machine, prepared once, with its last pose as state."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.kinematics._equations import prepare_legs
from gough.kinematics._forward import (
    CENTRE,
    PERIOD,
    RESIDUAL,
    SIZE,
    STEPS,
    Arrays,
    new_state,
    next_pose,
    next_poses,
)
from gough.kinematics.forward import ForwardSolution, Status
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices
from gough.present.show import Show
from gough.results import ShowsFacts


class ForwardSolver(ShowsFacts):
    """Forward kinematics of one machine, each call continuing from the pose of the one before.

    A call with joint coordinates q gives the pose reached by linear joint-space interpolation from the last pose to q,
    with the status NEAR. If a singularity lies in between, the status is OTHER_MODE and `matrix` a pose of another
    assembly mode that fits q; if none fits, NOT_CONVERGED, and `matrix` is undefined. In both cases the last pose
    stays, and the next call starts from it. Calls allocate nothing.

    Parameters
    ----------
    machine : Machine
    start : PoseLike, optional
        Present pose of the machine; default: home.

    Examples
    --------
    >>> import gough
    >>> m = gough.load("hexel")
    >>> solver = gough.ForwardSolver(m)
    >>> solver(gough.inverse_kinematics(m, gough.pose([0, 0, 0.71])))
    <Status.NEAR: 0>
    >>> round(float(solver.matrix[2, 3]), 9)
    0.71

    """

    @checks_arguments
    def __init__(self, machine: Machine, start: PoseLike | None = None) -> None:
        self.machine = machine
        self._state = new_state()
        self._arrays = self._state.arrays()
        self._numbers, self._last = self._state.numbers, self._state.last
        self.matrix: Array = self._state.X
        """Pose (4, 4) of the last call, which the next call overwrites."""
        self._code, _, centre, self._numbers[SIZE], self._numbers[PERIOD] = machine.forward_model
        self._numbers[CENTRE : CENTRE + 3] = centre
        self.reset(start)

    @checks_arguments
    def reset(self, start: PoseLike | None = None) -> None:
        """Set the last pose (4, 4), by default home. Raises `PoseError` for a matrix that is not a pose."""
        X = of_shape("start", checked_matrices(self.machine.X_home if start is None else start), "(4, 4)")
        self._last[:] = X
        self.matrix[:] = X
        # The pivot order at the start serves all poses after it; residuals show where it does not.
        m = self.machine
        prepare_legs(m.legs.code, m.table, m.platform_centre, X, self._state.order, self._state.T)

    def __call__(self, q: ArrayLike) -> Status:
        """Status of the pose at joint coordinates q (6,) [m or rad], which is then in `matrix`."""
        joints = of_shape("joint coordinates", q, "(6,)")
        return _STATUS[next_pose(self._code, self._arrays, joints)]

    @property
    def last(self) -> Array:
        """The pose (4, 4) from which the next call starts, a copy."""
        return self._last.copy()

    @property
    def residual(self) -> float:
        """Largest leg error of the last call's pose [m]."""
        return float(self._numbers[RESIDUAL])

    @property
    def iterations(self) -> int:
        """Newton steps of the last call."""
        return int(self._numbers[STEPS])

    def facts(self) -> dict[str, str]:
        """Return the machine's name, the last pose, and the Newton steps of the last call."""
        last = Show(self.machine).point(self._last[:3, 3])
        return {"machine": self.machine.name, "last pose": f"at {last}", "Newton steps": str(self.iterations)}

    @property
    def state(self) -> tuple[int, Arrays]:
        """First arguments of `gough.kinematics.solver.next_pose`, for the user's own compiled loops."""
        return self._code, self._arrays

    def follow(self, q: ArrayLike) -> ForwardSolution:
        """Compute the poses along joint coordinates q (n, 6) [m or rad] of a recorded or commanded motion, each
        continuing the last NEAR one. NaN, with `Status.NOT_CONVERGED`, where none was found."""
        joints = np.ascontiguousarray(of_shape("joint coordinates", q, "(n, 6)"))
        n = len(joints)
        X, residual = np.empty((n, 4, 4)), np.empty(n)
        steps, status = np.empty(n, np.int64), np.empty(n, np.int64)
        next_poses(*self.state, joints, X, residual, steps, status)
        X[status == Status.NOT_CONVERGED] = np.nan
        return ForwardSolution(X, residual, steps, status, self.machine, joints)


_STATUS = tuple(Status)

__all__ = ["ForwardSolver", "next_pose"]
