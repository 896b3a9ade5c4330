"""Motions given by joint coordinates over time: jerk-limited moves, and playback of joint histories, by forward
kinematics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.displacements import axes_of, rotation_angles
from gough.errors import InputError, ShapeError
from gough.kinematics.certificate import certify_pose
from gough.kinematics.forward import Status, forward_kinematics
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import jacobian, platform_acceleration, platform_twist
from gough.kinematics.solver import ForwardSolver
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion.motion_limits import MotionLimits, motion_limits
from gough.motion.path import States
from gough.motion.timed_path import utilisation_over_time
from gough.poses import PoseLike, euler_angles, one_pose, pose_matrix
from gough.present.show import Show, plain
from gough.quantity import derived, of_joints, quantity, result, transform
from gough.results import Result, ShowsFacts

if TYPE_CHECKING:
    import xarray
    from ruckig import Trajectory

SAMPLES_PER_REPORT = 4096
"""Samples between two reports of progress."""


class JointMove(ShowsFacts):
    """A motion from rest to rest in joint space; made by `joint_move`.

    Attributes
    ----------
    span : (float, float)
        [s].
    start, end : (4, 4) array
    limits : MotionLimits
        The limits that it keeps.

    """

    @checks_arguments
    def __init__(self, limits: MotionLimits, start: Array, end: Array, trajectory: Trajectory) -> None:
        self.limits, self.start, self.end, self._trajectory = limits, start, end, trajectory
        self.span = 0.0, float(trajectory.duration)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.span[1]:.6g} s>"

    def facts(self) -> dict[str, str]:
        """Return the duration, and start and end of platform and joints."""
        machine = self.limits.machine
        show, unit, q = Show(machine), machine.legs.joint_unit, self.joints(np.array(self.span))[0]
        return {
            "machine": machine.name,
            "duration": f"{plain(self.span[1])} s",
            "platform": " to ".join(show.point(X[:3, 3]) for X in (self.start, self.end)),
            "joints": " to ".join(show.point(each, unit) for each in q),
        }

    @checks_arguments
    def joints(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """Compute joint coordinates (..., 6) at times (...) [s], their rates and accelerations; at rest before and
        after."""
        t = np.clip(numbers("time", time), *self.span)
        found = np.array([self._trajectory.at_time(float(value))[:3] for value in t.ravel()]).reshape(*t.shape, 3, 6)
        return found[..., 0, :], found[..., 1, :], found[..., 2, :]

    def __call__(self, time: ArrayLike) -> States:
        """Poses (..., 4, 4), twists (..., 6) and accelerations (..., 6) at times (...) [s], by forward kinematics.

        `NotConvergedError` where no pose is found from the start.
        """
        t = numbers("time", time)
        q, qd, qdd = self.joints(t.ravel())
        machine = self.limits.machine
        X = forward_kinematics(machine, q, near=self.start).matrix
        V = platform_twist(machine, X, qd)
        A = platform_acceleration(machine, X, V, qdd)
        return X.reshape(*t.shape, 4, 4), V.reshape(*t.shape, 6), A.reshape(*t.shape, 6)

    @checks_arguments
    def limit_utilisation(self, times: ArrayLike | None = None) -> xarray.Dataset:
        """Compute the utilisation of each limit over time, and the binding limit: see `TimedPath.limit_utilisation`."""
        return utilisation_over_time(self.limits, self, times)


@checks_arguments
def joint_move(
    machine: Machine,
    start: PoseLike,
    end: PoseLike,
    joint_jerk: ArrayLike,
    *,
    joint_speed: ArrayLike | None = None,
    joint_acceleration: ArrayLike | None = None,
    together: Literal["time", "phase"] = "time",
) -> JointMove:
    """Compute a time-optimal jerk-limited move between two poses, with all joints within their limits and arriving
    together.

    The time-optimal profiles are Ruckig's (Berscheid and Kroeger 2021).

    Parameters
    ----------
    machine : Machine
        Its limits apply where arguments are omitted.
    start, end : PoseLike
        One pose each.
    joint_jerk : float or (6,) array
        [m/s3 or rad/s3].
    joint_speed, joint_acceleration : float or (6,) array, optional
        [m/s, m/s2 or rad/s, rad/s2].
    together : {"time", "phase"}
        Whether joints only arrive at the same time, each with its own profile, or stay in proportion, on a straight
        line in joint space.

    Returns
    -------
    JointMove
        A motion in time, with the limits that it keeps.

    Raises
    ------
    InputError
        A leg cannot close at one of the poses, or a limit is not above zero.

    """
    from ruckig import InputParameter, Ruckig, Synchronization, Trajectory
    from ruckig import Result as Outcome

    X, Y = one_pose(start, name="start"), one_pose(end, name="end")
    limits = motion_limits(
        machine,
        joint_speed=joint_speed,
        joint_acceleration=joint_acceleration,
        actuator_force=np.inf,
        joint_jerk=joint_jerk,
    )
    q = inverse_kinematics(machine, np.stack([X, Y]))
    if not np.isfinite(q).all():
        pose = X if not np.isfinite(q[0]).all() else Y
        raise InputError(f"{'start' if pose is X else 'end'}: {margins(machine, pose).sentences()[0]}")
    wanted, found = InputParameter(6), Trajectory(6)
    wanted.synchronization = Synchronization.Phase if together == "phase" else Synchronization.Time
    wanted.current_position, wanted.target_position = q[0].tolist(), q[1].tolist()
    wanted.max_velocity, wanted.max_acceleration, wanted.max_jerk = (
        [np.inf] * 6 if limit is None else limit.tolist() for limit in (limits.speed, limits.acceleration, limits.jerk)
    )
    result = Ruckig(6).calculate(wanted, found)
    if result not in (Outcome.Working, Outcome.Finished):
        raise InputError(f"no jerk-limited move was found ({result.name}); check that every joint has limits")
    return JointMove(limits, X, Y, found)


@checks_arguments
def playback(
    machine: Machine,
    time: ArrayLike,
    joints: ArrayLike,
    *,
    start: PoseLike | None = None,
    progress: Progress = None,
) -> xarray.Dataset:
    """Compute the platform's motion for joint histories, with the evidence for every sample.

    Each pose is continued from the last good one (`gough.ForwardSolver`): it is the machine's pose if the joints move
    linearly from sample to sample. A sample reached through a singularity is flagged, its pose is one of another
    assembly mode, and the next samples continue from the last good pose before it.

    Parameters
    ----------
    machine : Machine
    time : (k,) array
        Increasing [s].
    joints : (k, 6) array
        Joint coordinates [m, or rad for cranks]; NaN where a sample is missing.
    start : PoseLike, optional
        Approximate first pose of the platform; default: home.
    progress : callable, optional
        Called with the number of samples done and their total.

    Returns
    -------
    xarray.Dataset
        Over `time` [s]: pose (NaN where none was found), joint as given, residual [m], iterations, status (see
        `gough.kinematics.Status`), certified with the proven error_position [m] and error_rotation [rad] (NaN where
        not), mode_change.

    """
    import xarray

    t, q = _checked(time, joints)
    # The solver keeps the last good pose between calls: chunks only serve the reports of progress.
    solver = ForwardSolver(machine, start)
    parts = []
    for first in range(0, len(q), SAMPLES_PER_REPORT):
        parts.append(solver.follow(q[first : first + SAMPLES_PER_REPORT]))
        if progress is not None:
            progress(min(first + SAMPLES_PER_REPORT, len(q)), len(q))
    X, residual, iterations, status = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("matrix", "residual", "iterations", "status")
    )
    proof = certify_pose(machine, q, X)
    words = " ".join(state.name.lower() for state in Status)
    return xarray.Dataset(
        {
            "pose": (("time", "row", "column"), X, {"units": "1, m", "long_name": "platform in the base"}),
            "joint": (("time", "leg"), q, {"units": machine.legs.joint_unit}),
            "residual": ("time", residual, {"units": "m"}),
            "iterations": ("time", iterations),
            "status": ("time", status, {"flag_values": [int(s) for s in Status], "flag_meanings": words}),
            "certified": ("time", proof.proven),
            "error_position": ("time", np.where(proof.proven, proof.position_error, np.nan), {"units": "m"}),
            "error_rotation": ("time", np.where(proof.proven, proof.rotation_error, np.nan), {"units": "rad"}),
            "mode_change": ("time", status == Status.OTHER_MODE),
        },
        coords={"time": ("time", t, {"units": "s"}), "leg": np.arange(1, 7)},
        attrs={"machine": machine.name},
    )


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


@result
class IncrementalMotion(Result):
    """Poses over n increments of the joints, the start included.

    Attributes
    ----------
    machine : Machine

    """

    matrix: Array = transform(doc="Poses by linearised increments.")
    angles: Array = quantity("rad", "angle", doc="Their Euler angles, in the order of `sequence`.")
    sequence: str = quantity("", is_listed=False, doc="Sequence of the angles.")
    joint_error: Array = quantity(
        of_joints(), "leg", doc="Commanded joint coordinates minus the coordinates at the poses."
    )
    exact: Array = transform(doc="Poses with the commanded joint coordinates; NaN where there is none.")
    machine: Machine

    @property
    @derived("m", is_headline=True)
    def position_error(self) -> Array:
        """Distance (n + 1,) of the platform's origin from its exact position [m]."""
        return np.asarray(np.linalg.norm(self.matrix[:, :3, 3] - self.exact[:, :3, 3], axis=1))

    @property
    @derived("rad", is_headline=True)
    def rotation_error(self) -> Array:
        """Angle (n + 1,) of the rotation from the exact orientation [rad]."""
        return rotation_angles(np.swapaxes(self.exact[:, :3, :3], -1, -2) @ self.matrix[:, :3, :3])


@checks_arguments
def incremental_forward(
    machine: Machine, start: PoseLike, displacement: ArrayLike, *, increments: int = 50, sequence: str = "YXZ"
) -> IncrementalMotion:
    """Solve forward kinematics by increments: one Newton step for each, with the Jacobian of the last pose.

    De Sapio (1998), Forward Kinematics and appendix D: position and Euler angles p are updated by

        p_(k+1) = p_k + J(p_k)^-1 (commanded joint coordinates at k + 1 - inverse kinematics at p_k)

    so that errors do not accumulate, but one step's error, of second order in the increment, remains at the end. The
    exact poses are those of `gough.ForwardSolver`.

    Parameters
    ----------
    machine : Machine
    start : PoseLike, (4, 4)
        Pose X_BP of the platform in the base.
    displacement : (6,) array
        Total displacement of each joint [m, or rad for cranks].
    increments : int
        50 in the appendix.
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
    commanded = inverse_kinematics(machine, X) + np.linspace(0.0, 1.0, increments + 1)[:, None] * total
    p = np.append(X[:3, 3], euler_angles(X, sequence))
    found = [p]
    for q in commanded[1:]:
        X = pose_matrix(p[:3], p[3:], sequence)
        # From the Jacobian for twists to that for rates of position and Euler angles: w = E times the angles' rates.
        J = jacobian(machine, X)
        J[:, 3:] = J[:, 3:] @ axes_of(p[3:], sequence)
        p = p + np.linalg.solve(J, q - inverse_kinematics(machine, X))
        found.append(p)
    angles = np.array(found)[:, 3:]
    poses = pose_matrix(np.array(found)[:, :3], angles, sequence)
    exact = ForwardSolver(machine, start).follow(commanded).matrix
    return IncrementalMotion(poses, angles, sequence, commanded - inverse_kinematics(machine, poses), exact, machine)
