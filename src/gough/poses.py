"""Poses, twists and wrenches.

A pose `X_BP` is the placement of frame P in frame B: columns of `R_BP` are P's axes, `p_BP` is P's origin,

    point_B = R_BP point_P + p_BP              X_BQ = X_BP X_PQ   (read from right to left)

A twist is `[v, w]`: the velocity of the frame's origin and its angular velocity; a wrench is `[f, m]`: a force and
the moment about the frame's origin; both in base axes. Lengths in metres, angles in radians.

Every function that takes a pose takes a SciPy `RigidTransform`, an array (..., 4, 4), or anything with `as_matrix()`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from gough._linear_algebra import ORTHONORMAL_WITHIN as ORTHONORMAL_WITHIN
from gough._linear_algebra import first_not_rigid
from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.displacements import angles_of, matrices_of
from gough.errors import InputError, PoseError, ShapeError

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform


SMALL = 1e-4
"""Below this angle functions are computed by their series [rad]."""


class _HasMatrix(Protocol):
    def as_matrix(self) -> Any: ...


PoseLike = ArrayLike | _HasMatrix
"""A SciPy `RigidTransform`, or an array (..., 4, 4)."""


@checks_arguments
def pose(
    translation: ArrayLike,
    angles: ArrayLike | None = None,
    sequence: str | None = None,
    *,
    degrees: bool = False,
) -> RigidTransform:
    """Build a pose from a translation and Euler angles.

    Parameters
    ----------
    translation : (..., 3) array
        Position of the frame's origin [m].
    angles : (..., n) array, optional
        Angles about the n axes of `sequence`, in its order [rad, or degrees]; none means no rotation.
    sequence : str
        SciPy's spelling: upper case turns about the moving axes ("XYZ": R = Rx Ry Rz), lower case about the fixed
        ones ("xyz": R = Rz Ry Rx). There is no default, since the conventions in use give different poses.
    degrees : bool
        Whether `angles` are degrees.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        Of the shape to which the leading axes of both broadcast.

    Raises
    ------
    InputError
        Angles without a sequence, or a sequence that mixes upper and lower case.
    ShapeError
        A translation that does not end in three numbers, or not one angle for each axis of the sequence.

    """
    return as_transform(pose_matrix(translation, angles, sequence, degrees=degrees))


@checks_arguments
def pose_matrix(
    translation: ArrayLike,
    angles: ArrayLike | None = None,
    sequence: str | None = None,
    *,
    degrees: bool = False,
) -> Array:
    """Build a pose as `pose` does, as a (..., 4, 4) array.

    Parameters
    ----------
    translation : (..., 3) array
        Position of the frame's origin [m].
    angles : (..., n) array, optional
        About the axes of `sequence` [rad, or degrees].
    sequence : str, optional
        As for `gough.pose`.
    degrees : bool
        Whether `angles` are degrees.

    Returns
    -------
    (..., 4, 4) array
        Homogeneous matrices.

    Raises
    ------
    InputError, ShapeError
        As `gough.pose`.

    """
    position = of_shape("translation", translation, "(..., 3)")
    rotation = np.eye(3) if angles is None else rotation_matrix(angles, sequence, degrees=degrees)
    shape = common_shape("translation and angles", position.shape[:-1], rotation.shape[:-2])
    matrix = np.zeros((*shape, 4, 4))
    matrix[..., :3, :3] = rotation
    matrix[..., :3, 3] = position
    matrix[..., 3, 3] = 1.0
    return matrix


def rotation_matrix(angles: ArrayLike, sequence: str | None, *, degrees: bool = False) -> Array:
    """Return the rotation matrices (..., 3, 3) from Euler angles (..., n) about the axes of `sequence`."""
    if sequence is None:
        raise InputError('angles require a sequence, e.g. "XYZ" (moving axes) or "xyz" (fixed axes)')
    check_sequence(sequence)
    values = of_shape(f"angles for the sequence {sequence!r}", angles, f"(..., {len(sequence)})")
    return matrices_of(np.deg2rad(values) if degrees else values, sequence)


ROLL_PITCH_YAW = {
    **dict.fromkeys(("rpy", "roll"), ("roll, pitch, yaw", "xyz")),
    **dict.fromkeys(("ypr", "yaw"), ("yaw, pitch, roll", "ZYX")),
}
"""Names of the three angles, and their sequence, by the beginning of what was given for a sequence."""


def roll_pitch_yaw(name: str) -> str:
    """Return sentence on the sequence of roll, pitch and yaw; empty for a name that does not mean them."""
    letters = name.casefold().replace("_", "").replace("-", "")
    for beginning, (angles, sequence) in ROLL_PITCH_YAW.items():
        if letters.startswith(beginning):
            return f"{angles}, R = Rz(yaw) Ry(pitch) Rx(roll), are {sequence!r}"
    return ""


def check_sequence(sequence: str, how_many: str = "one to three") -> None:
    """`InputError` unless `sequence` names axes in SciPy's spelling, "three" or "one to three" of them."""
    is_one_case = set(sequence) <= set("xyz") or set(sequence) <= set("XYZ")
    repeats = any(a == b for a, b in pairwise(sequence))
    enough = len(sequence) == 3 or (how_many != "three" and 1 <= len(sequence) <= 3)
    if not is_one_case or repeats or not enough:
        meant = roll_pitch_yaw(sequence)
        raise InputError(
            f"sequence {sequence!r}: expected {how_many} of x, y, z, neighbours different, "
            f"lower case for fixed axes, upper case for moving ones{meant and '; '}{meant}"
        )


@checks_arguments
def euler_angles(X: PoseLike, sequence: str, *, degrees: bool = False) -> Array:
    """Compute Euler angles (..., 3) of poses about the three axes of `sequence`, in SciPy's notation.

    In gimbal lock (the middle angle within 1e-7 rad of where two axes line up) only the sum or difference of the outer
    angles is defined: the third is then 0, and the angles give the rotation to 1e-7 rad.

    Parameters
    ----------
    X : PoseLike, (..., 4, 4)
        Poses; NaN where a pose is NaN.
    sequence : str
        Three axes: upper case moving ("XYZ": R = Rx Ry Rz), lower case fixed ("xyz": R = Rz Ry Rx).
    degrees : bool
        Angles in degrees instead of radians.

    Returns
    -------
    (..., 3) array
        In the order of `sequence` [rad, or degrees].

    Raises
    ------
    InputError
        Not three axes of one case.

    """
    check_sequence(sequence, "three")
    angles = angles_of(checked_matrices(X)[..., :3, :3], sequence)
    return np.rad2deg(angles) if degrees else angles


def common_shape(what: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which batches broadcast; `ShapeError` about `what` where they do not."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        batches = " and ".join(map(str, shapes))
        raise ShapeError(f"{what}: batches of the shapes {batches} are not compatible") from None


def times(J: Array, values: Array, name: str = "vectors") -> Array:
    """Return matrices times vectors, broadcast; `name` is that of the vectors in the error where shapes do not fit."""
    common_shape(f"poses and {name}", J.shape[:-2], values.shape[:-1])
    with np.errstate(invalid="ignore"):  # rows of a leg at its turning point are infinite
        return np.asarray((J @ values[..., None])[..., 0])


def as_matrices(X: PoseLike) -> Array:
    """Return the pose matrices (..., 4, 4), C-contiguous and writeable; only their shape is checked."""
    to_matrix = getattr(X, "as_matrix", None)
    matrices = numbers("pose", X if to_matrix is None else to_matrix())
    if matrices.shape[-2:] != (4, 4):
        raise ShapeError.expected("pose", "(..., 4, 4)", matrices.shape)
    matrices = np.ascontiguousarray(matrices)
    # Numba types read-only arrays differently and would compile every kernel a second time for them.
    return matrices if matrices.flags.writeable else matrices.copy()


def checked_matrices(X: PoseLike) -> Array:
    """Return the pose matrices (..., 4, 4), checked to be rigid; `PoseError` names the first that is not. NaN
    passes."""
    matrices = as_matrices(X)
    bad = first_not_rigid(matrices.reshape(-1, 4, 4))
    if bad >= 0:
        raise not_a_pose(matrices, bad)
    return matrices


def one_pose(X: PoseLike | None, home: Array | None = None, name: str = "orientation") -> Array:
    """Return one checked pose of the shape of `home`, (4, 4) or (2, 4, 4) of two platforms; default: `home`."""
    matrix = home if X is None and home is not None else checked_matrices(X)  # type: ignore[arg-type]
    return of_shape(name, matrix, f"{(4, 4) if home is None else home.shape}, one pose")


@np.errstate(over="ignore", invalid="ignore")
def not_a_pose(matrices: Array, index: int) -> PoseError:
    """Return the error for the pose at `index` of the flattened batch, with its cause."""
    # `first_not_rigid` compares a sum of several departures with the tolerance: each may be well below it.
    matrix = matrices.reshape(-1, 4, 4)[index]
    R = matrix[:3, :3]
    where = f"pose {list(map(int, np.unravel_index(index, matrices.shape[:-2])))}: " if matrices.ndim > 2 else "pose: "
    if np.isinf(matrix).any():
        return PoseError(where + "the matrix holds an infinite number")
    if not np.abs(matrix[3] - (0.0, 0.0, 0.0, 1.0)).max() <= 0.1 * ORTHONORMAL_WITHIN:
        return PoseError(where + f"the last row is {matrix[3].tolist()}, expected [0, 0, 0, 1]")
    off = float(np.abs(R.T @ R - np.eye(3)).max())
    if off > 0.1 * ORTHONORMAL_WITHIN:
        return PoseError(
            where + f"the rotation part is not orthonormal: R^T R departs from the unit matrix by {off:.3g}, "
            f"allowed {ORTHONORMAL_WITHIN:g}; build it with gough.pose or scipy.spatial.transform.Rotation"
        )
    return PoseError(where + "the rotation part mirrors (its determinant is -1); a pose has determinant +1")


def as_transform(X: Array) -> RigidTransform:
    """Return the pose matrices (..., 4, 4) as SciPy's type; `PoseError` where a number is not finite."""
    from scipy.spatial.transform import RigidTransform

    finite = np.isfinite(X).all(axis=(-1, -2))
    if not finite.all():
        index = [int(i) for i in np.argwhere(~finite)[0]]
        which = f"pose {index}" if index else "pose"
        raise PoseError(f"{which}: a translation or an angle is not a finite number")
    matrices = X.copy()
    matrices[..., 3, :] = 0.0, 0.0, 0.0, 1.0  # exactly, where poses may have rounding
    return RigidTransform.from_matrix(matrices)


def inverse_matrices(X: Array) -> Array:
    """Return the inverse poses (..., 4, 4), by transposition."""
    inverse = np.zeros_like(X)
    R_t = np.swapaxes(X[..., :3, :3], -1, -2)
    inverse[..., :3, :3] = R_t
    inverse[..., :3, 3] = -(R_t @ X[..., :3, 3, None])[..., 0]
    inverse[..., 3, 3] = 1.0
    return inverse


def cross(a: Array, b: Array) -> Array:
    """Return vector products (..., 3): `numpy.cross` in a third of the time for small batches."""
    ax, ay, az, bx, by, bz = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    x = ay * bz - az * by
    found = np.empty((*x.shape, 3))
    found[..., 0], found[..., 1], found[..., 2] = x, az * bx - ax * bz, ax * by - ay * bx
    return found


def skew(vectors: ArrayLike) -> Array:
    """Return matrices [a]x (..., 3, 3) with [a]x b = a x b."""
    a = numbers("vectors", vectors)
    matrix = np.zeros((*a.shape, 3))
    matrix[..., 0, 1], matrix[..., 0, 2] = -a[..., 2], a[..., 1]
    matrix[..., 1, 0], matrix[..., 1, 2] = a[..., 2], -a[..., 0]
    matrix[..., 2, 0], matrix[..., 2, 1] = -a[..., 1], a[..., 0]
    return matrix


def left_jacobian(w: Array) -> Array:
    """Return J (..., 3, 3) of rotation vectors w (..., 3) [rad]: exp(w + dw) = exp(J dw) exp(w) to first order.

    Chirikjian 2011, section 10.8.
    """
    K, angle = skew(w), np.linalg.norm(w, axis=-1)[..., None, None]
    # J = 1 + (1 - cos a) / a^2 K + (a - sin a) / a^3 K^2. 1 - cos a = 2 sin^2(a / 2) does not cancel; a - sin a does,
    # hence the series below `SMALL`, where its next term is below rounding.
    is_small = angle < SMALL
    safe = np.where(is_small, 1.0, angle)
    first = np.where(is_small, 0.5 - angle**2 / 24.0, 2.0 * np.sin(safe / 2.0) ** 2 / safe**2)
    second = np.where(is_small, 1.0 / 6.0 - angle**2 / 120.0, (safe - np.sin(safe)) / safe**3)
    return np.asarray(np.eye(3) + first * K + second * (K @ K))


def twist_at(V: ArrayLike, arm: ArrayLike) -> Array:
    """Return the twist [v + w x r, w] at the point of a body whose arm from its origin is r (..., 3) [m], same axes."""
    twist, r = numbers("V", V), numbers("arm", arm)
    moved = twist[..., :3] + cross(twist[..., 3:], r)
    return np.concatenate([moved, np.broadcast_to(twist[..., 3:], moved.shape)], axis=-1)


def wrench_at(F: ArrayLike, arm: ArrayLike) -> Array:
    """Return the wrench [f, m - r x f] about the point of a body whose arm from its origin is r (..., 3) [m], same
    axes."""
    wrench, r = numbers("F", F), numbers("arm", arm)
    moment = wrench[..., 3:] - cross(r, wrench[..., :3])
    return np.concatenate([np.broadcast_to(wrench[..., :3], moment.shape), moment], axis=-1)
