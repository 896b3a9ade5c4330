"""Playback: from histories of the legs to the platform's motion; by increments as De Sapio's animator does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, ShapeError
from gough.kinematics.certificate import certify_pose
from gough.kinematics.forward import Status
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import jacobian
from gough.kinematics.solver import ForwardSolver
from gough.machine import Machine
from gough.poses import PoseLike, euler_angles, one_pose, pose_matrix
from gough.results import Quantities, Result

if TYPE_CHECKING:
    import xarray


CHUNK = 4096
"""Samples between two reports of progress."""


@checks_arguments
def playback(
    machine: Machine,
    time: ArrayLike,
    joints: ArrayLike,
    *,
    start: PoseLike | None = None,
    progress: Progress = None,
) -> xarray.Dataset:
    """The platform's motion under histories of the legs, with the evidence for every sample.

    Each pose goes on from the last good one (`gough.ForwardSolver`): it is the one the machine is in if its legs go
    straight from sample to sample. A sample that leads through a singularity is flagged, its pose is one of another
    assembly mode, and the next samples go on from the last good pose before it.

    Parameters
    ----------
    machine : Machine
    time : (k,) array
        Increasing [s].
    joints : (k, 6) array
        Joint coordinates [m, or rad for cranks]; NaN where a sample is missing.
    start : PoseLike, optional
        Where the platform is at first, roughly; home if none is given.
    progress : callable, optional
        Called with how many samples are done and how many there are.

    Returns
    -------
    xarray.Dataset
        Over `time` [s]: pose (NaN where none was found), joint as given, residual [m], iterations, status (see
        `gough.kinematics.Status`), certified with the proven error_position [m] and error_rotation [rad] (NaN where
        not), mode_change.

    """
    t, q = _checked(time, joints)
    solver = ForwardSolver(machine, start)
    parts = []
    for first in range(0, len(q), CHUNK):
        parts.append(solver.follow(q[first : first + CHUNK]))
        if progress is not None:
            progress(min(first + CHUNK, len(q)), len(q))
    X, residual, steps, status = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("matrix", "residual", "iterations", "status")
    )
    return _dataset(machine, t, q, X, {"residual": residual, "iterations": steps, "status": status})


def _checked(time: ArrayLike, joints: ArrayLike) -> tuple[Array, Array]:
    t, q = np.asarray(time, dtype=float), np.ascontiguousarray(joints, dtype=float)
    if t.ndim != 1 or len(t) == 0:
        raise ShapeError.expected("time", "(k,) with at least one sample", t.shape)
    of_shape("joints", q, f"({len(t)}, 6)")
    back = np.flatnonzero(~(np.diff(t) > 0))
    if len(back):
        k = int(back[0])
        raise InputError(f"time: {t[k + 1]:g} s comes after {t[k]:g} s (sample {k + 2}); times must increase")
    return t, q


def _dataset(machine: Machine, t: Array, q: Array, X: Array, evidence: dict[str, NDArray[Any]]) -> xarray.Dataset:
    import xarray

    status = evidence["status"]
    proof = certify_pose(machine, q, X)
    words = " ".join(state.name.lower() for state in Status)
    return xarray.Dataset(
        {
            "pose": (("time", "row", "column"), X, {"units": "1, m", "long_name": "platform in the base"}),
            "joint": (("time", "leg"), q, {"units": machine.legs.joint_unit}),
            "residual": ("time", evidence["residual"], {"units": "m"}),
            "iterations": ("time", evidence["iterations"]),
            "status": ("time", status, {"flag_values": [int(s) for s in Status], "flag_meanings": words}),
            "certified": ("time", proof.proven),
            "error_position": ("time", np.where(proof.proven, proof.position_error, np.nan), {"units": "m"}),
            "error_rotation": ("time", np.where(proof.proven, proof.rotation_error, np.nan), {"units": "rad"}),
            "mode_change": ("time", status == Status.OTHER_MODE),
        },
        coords={"time": ("time", t, {"units": "s"}), "leg": np.arange(1, 7)},
        attrs={"machine": machine.name},
    )


@dataclass(frozen=True, eq=False)
class IncrementalMotion(Result):
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
    machine : Machine

    """

    QUANTITIES: ClassVar[Quantities] = {
        "matrix": ("1, m", "row", "column"),
        "angles": ("rad", "angle"),
        "joint_error": ("q", "leg"),
        "exact": ("1, m", "row", "column"),
        "position_error": "m",
        "rotation_error": "rad",
    }
    HEADLINES: ClassVar[tuple[str, ...]] = ("position_error", "rotation_error")

    matrix: Array
    angles: Array
    sequence: str
    joint_error: Array
    exact: Array
    machine: Machine

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
    X, total = one_pose(start, name="start"), of_shape("displacement", displacement, "(6,)")
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
        poses, np.array(found)[:, 3:], sequence, wanted - inverse_kinematics(machine, poses), exact, machine
    )


def _angular_velocity_per_rates(angles: Array, sequence: str) -> Array:
    """Matrix E (3, 3): the angular velocity in the fixed axes is E times the rates of angles about moving axes."""
    R, columns = np.eye(3), []
    for axis, angle in zip(sequence, angles, strict=True):
        columns.append(R[:, "XYZ".index(axis)])
        R = R @ pose_matrix(np.zeros(3), [angle], axis)[:3, :3]
    return np.stack(columns, axis=1)
