"""Forward kinematics by increments, as De Sapio's animator does it, with the exact path_report beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError, ShapeError
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import jacobian
from gough.kinematics.solver import ForwardSolver
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, euler_angles, pose_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class IncrementalMotion:
    """Poses along n increments of the legs, the start included.

    Attributes
    ----------
    matrix : (n + 1, 4, 4) array
        Poses by increments.
    angles : (n + 1, 3) array
        Their Euler angles, in the order of `sequence` [rad].
    sequence : str
    joint_error : (n + 1, 6) array
        Wanted joint coordinates less those of the poses [m or rad].
    exact : (n + 1, 4, 4) array
        Poses that have the wanted joint coordinates; NaN where there is none.

    """

    matrix: Array
    angles: Array
    sequence: str
    joint_error: Array
    exact: Array

    @property
    def position_error(self) -> Array:
        """Distance (n + 1,) of the platform's origin from where it exactly is [m]."""
        return np.asarray(np.linalg.norm(self.matrix[:, :3, 3] - self.exact[:, :3, 3], axis=1))

    @property
    def rotation_error(self) -> Array:
        """Angle (n + 1,) of the turn from the exact orientation [rad]."""
        turn = np.swapaxes(self.exact[:, :3, :3], -1, -2) @ self.matrix[:, :3, :3]
        twice_sine = np.stack([turn[:, i, j] - turn[:, j, i] for i, j in ((2, 1), (0, 2), (1, 0))], axis=-1)
        return np.asarray(np.arctan2(np.linalg.norm(twice_sine, axis=1), np.trace(turn, axis1=1, axis2=2) - 1.0))


@checks_arguments
def incremental_forward(
    machine: Machine, start: PoseLike, displacement: ArrayLike, *, increments: int = 50, sequence: str = "YXZ"
) -> IncrementalMotion:
    """From a pose and displacements of the legs to the poses along the path, by the Jacobian of each last pose.

    De Sapio (1998), Forward Kinematics and appendix D: position and Euler angles p go on by

        p_(k+1) = p_k + J(p_k)^-1 (wanted joint coordinates at k + 1 - those of the inverse kinematics at p_k)

    so that errors do not add up, but one step's error, of second order in the increment, remains at the end. The exact
    poses beside it are of `gough.ForwardSolver`.

    Parameters
    ----------
    machine : Machine
    start : PoseLike, (4, 4)
    displacement : (6,) array
        Total of each leg [m, or rad for cranks].
    increments : int
        The appendix takes 50.
    sequence : str
        Moving axes of the Euler angles; the appendix's are R = Ry(b) Rx(a) Rz(c).

    Returns
    -------
    IncrementalMotion
        Its poses are NaN from where a leg cannot close.

    Raises
    ------
    InputError
        No increments, or a sequence of fixed axes.

    """
    X, total = checked_matrices(start), np.asarray(displacement, dtype=float)
    if X.shape != (4, 4) or total.shape != (6,):
        raise ShapeError.expected(
            "start and displacement", "(4, 4) and (6,)", X.shape if total.shape == (6,) else total.shape
        )
    if increments < 1 or not sequence.isupper():
        raise InputError(
            f"increments: {increments} and sequence: {sequence!r}; expected at least 1 and moving axes, XYZ"
        )
    first = inverse_kinematics(machine, X)
    wanted = first + np.linspace(0.0, 1.0, increments + 1)[:, None] * total
    p = np.append(X[:3, 3], euler_angles(X, sequence))
    found = [p]
    for q in wanted[1:]:
        X = pose_matrix(p[:3], p[3:], sequence)
        J = jacobian(machine, X)
        J[:, 3:] = J[:, 3:] @ _angular_velocity_per_rates(p[3:], sequence)
        p = p + np.linalg.solve(J, q - inverse_kinematics(machine, X))
        found.append(p)
    poses = pose_matrix(np.array(found)[:, :3], np.array(found)[:, 3:], sequence)
    exact = ForwardSolver(machine, start).follow(wanted).matrix
    return IncrementalMotion(
        poses, np.array(found)[:, 3:], sequence, wanted - inverse_kinematics(machine, poses), exact
    )


def _angular_velocity_per_rates(angles: Array, sequence: str) -> Array:
    """Matrix E (3, 3): the angular velocity in the fixed axes is E times the rates of angles about moving axes."""
    R, columns = np.eye(3), []
    for axis, angle in zip(sequence, angles, strict=True):
        columns.append(R[:, "XYZ".index(axis)])
        R = R @ pose_matrix(np.zeros(3), [angle], axis)[:3, :3]
    return np.stack(columns, axis=1)
