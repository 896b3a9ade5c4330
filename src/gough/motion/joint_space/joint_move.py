"""Jerk-limited moves from pose to pose, all legs starting and stopping together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.errors import InputError
from gough.kinematics.forward import forward_kinematics
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import platform_acceleration, platform_twist
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion.motion_limits import MotionLimits, motion_limits
from gough.motion.path import States
from gough.motion.timed_path import utilisation_over_time
from gough.poses import PoseLike, one_pose

if TYPE_CHECKING:
    import xarray
    from ruckig import Trajectory


class JointMove:
    """A motion from rest to rest in strut space; made by `joint_move`.

    Attributes
    ----------
    span : (float, float)
        [s].
    start, end : (4, 4) array
    limits : MotionLimits
        What it was made to keep.

    """

    @checks_arguments
    def __init__(self, limits: MotionLimits, start: Array, end: Array, trajectory: Trajectory) -> None:
        self.limits, self.start, self.end, self._trajectory = limits, start, end, trajectory
        self.span = 0.0, float(trajectory.duration)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.span[1]:.6g} s>"

    @checks_arguments
    def joints(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """Joint coordinates (..., 6) at times (...) [s], their rates and accelerations; at rest before and after."""
        t = np.clip(numbers("time", time), *self.span)
        found = np.array([self._trajectory.at_time(float(value))[:3] for value in t.ravel()]).reshape(*t.shape, 3, 6)
        return found[..., 0, :], found[..., 1, :], found[..., 2, :]

    def __call__(self, time: ArrayLike) -> States:
        """Poses (..., 4, 4), twists (..., 6) and accelerations (..., 6) at times (...) [s], by forward kinematics.

        `NotConvergedError` where the legs cannot close: find the end pose of a move before it is made.
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
        """How much of each limit the motion takes over time, and which one binds: see `TimedPath.limit_utilisation`."""
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
    """Quickest jerk-limited move between two poses, every joint within its limits, all arriving together.

    The time-optimal profiles are Ruckig's (Berscheid and Kroeger 2021).

    Parameters
    ----------
    machine : Machine
        Its limits hold where none are given.
    start, end : PoseLike
        One pose each.
    joint_jerk : float or (6,) array
        [m/s3 or rad/s3].
    joint_speed, joint_acceleration : float or (6,) array, optional
        [m/s, m/s2 or rad/s, rad/s2].
    together : {"time", "phase"}
        Whether joints only arrive at the same time, each with its own profile, or are in proportion all the while, on a
        straight line of strut space.

    Returns
    -------
    JointMove
        A motion in time, with the limits that it keeps.

    Raises
    ------
    InputError
        A leg cannot close at one of the poses, or a limit is not above zero.

    """
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
    return JointMove(limits, X, Y, _trajectory(q, limits, together))


def _trajectory(q: Array, limits: MotionLimits, together: str) -> Trajectory:
    from ruckig import InputParameter, Result, Ruckig, Synchronization, Trajectory

    wanted, found = InputParameter(6), Trajectory(6)
    wanted.synchronization = Synchronization.Phase if together == "phase" else Synchronization.Time
    wanted.current_position, wanted.target_position = q[0].tolist(), q[1].tolist()
    wanted.max_velocity, wanted.max_acceleration, wanted.max_jerk = (
        [np.inf] * 6 if limit is None else limit.tolist() for limit in (limits.speed, limits.acceleration, limits.jerk)
    )
    result = Ruckig(6).calculate(wanted, found)
    if result not in (Result.Working, Result.Finished):
        raise InputError(f"no jerk-limited move was found ({result.name}); are limits given for every joint?")
    return found
