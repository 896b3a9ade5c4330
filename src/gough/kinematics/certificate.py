"""Certificates of poses: proven bounds of a pose's error, and of the distance within which it is unique."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, read_only
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape, six
from gough.kinematics._certificate import PROVEN, certify_batch
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices
from gough.quantity import derived, quantity, result
from gough.results import Result
from gough.workers import run_batch

REASONS = (
    "proven",
    "not proven: the pose is too far from one that fits the joint values for how much the leg equations bend there",
    "not proven: the pose is singular, or so close to it that rounding decides",
    "not proven: there is no pose, or no joint values",
)
"""By the value of `Certificate.verdict`."""


@result
class Certificate(Result):
    """Proven bounds for poses (...) and their joint coordinates, rounding included.

    Where `proven`, exactly one pose fits the joint coordinates among those that move the platform's centre by at most
    `position_radius` and turn it by at most `rotation_radius`; it is no further off than `position_error` and
    `rotation_error`. Elsewhere the errors are infinite and the radii zero.
    """

    verdict: NDArray[np.int64] = quantity("1", doc="Index into `REASONS`.")
    position_error: Array = quantity(
        "m",
        doc="Proven bound of the error of the position of the centre of the platform's joints; infinite where the "
        "pose is not proven.",
    )  # fmt: skip
    rotation_error: Array = quantity(
        "rad", doc="Proven bound of the angle of the error of the rotation; infinite where the pose is not proven."
    )
    position_radius: Array = quantity(
        "m",
        doc="Distance of the centre of the platform's joints within which it is the only pose; 0 where it is not "
        "proven.",
    )  # fmt: skip
    rotation_radius: Array = quantity("rad", doc="Angle within which it is the only pose; 0 where it is not proven.")

    def __str__(self) -> str:
        if self.verdict.ndim == 0:
            return self.sentence()
        return f"{int(self.proven.sum())} of {self.proven.size} poses are proven"

    @property
    @derived("")
    def proven(self) -> NDArray[np.bool_]:
        """Whether the pose is proven."""
        return np.asarray(self.verdict == PROVEN)

    def sentence(self) -> str:
        """Describe the verdict on a single pose in words."""
        return REASONS[int(self.verdict)]


@checks_arguments
def certify_pose(machine: Machine, q: ArrayLike, pose: PoseLike) -> Certificate:
    """Prove that a pose fits joint coordinates, with bounds of its error and of the distance within which it is unique.

    Newton's method is shown to contract a cube about the pose (Kantorovich's theorem in Krawczyk's form, as in Rump
    2010, section 13, with the exact second derivatives of the leg equations over dual quaternions); each bound includes
    the rounding of the numbers it comes from. The proof holds for all driven points p(q) and lengths of the machine
    within a few units in the last place.

    Parameters
    ----------
    machine : Machine
    q : (..., 6) array
        Joint coordinates [m, or rad for cranks].
    pose : PoseLike
        One for each q. NaN, as forward kinematics gives where it finds none, is not proven.

    Returns
    -------
    Certificate
        A pose that misses its legs, or lies too close to a singularity, is not proven.

    """
    joints = six("joint coordinates", q)
    X = of_shape("pose", checked_matrices(pose), f"{(*joints.shape[:-1], 4, 4)}, one for each q")
    leading = joints.shape[:-1]
    # A read-only view whatever q was: one array type, one compilation.
    flat = read_only(np.ascontiguousarray(joints).reshape(-1, 6))
    poses = np.ascontiguousarray(X.reshape(-1, 4, 4))
    verdict: NDArray[np.int64] = np.empty(len(flat), np.int64)
    error, alone = np.empty(len(flat)), np.empty(len(flat))
    model = machine.forward_model

    def prove(s: slice) -> None:
        certify_batch(model, flat[s], poses[s], verdict[s], error[s], alone[s])

    run_batch(prove, len(flat))
    # The dual quaternion (1, v) + eps (g0, w) turns by 2 atan |v| and shifts by 2 |g| / |e|, with |e|^2 = 1 + |v|^2 and
    # |w| <= |g| <= |w| |e|. A cube of half side r contains the balls |v|, |w| <= r and lies in those of sqrt(3) r.
    far, free = sqrt(3.0) * error.reshape(leading), alone.reshape(leading)
    return Certificate(
        verdict.reshape(leading),
        2.0 * machine.size * far * np.sqrt(1.0 + far * far),
        2.0 * far,
        2.0 * machine.size * free / np.sqrt(1.0 + free * free),
        2.0 * np.arctan(free),
    )
