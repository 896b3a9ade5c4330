"""Pivots, the point of interest, tool and work frames.

::

    about_pivot      D = [R, t + c - R c]           a body turns by R about the point c, which moves by t
    displaced        X_BP = D X_start               the same about the machine's point of interest
    platform_pose    X_BP = X_BW X_WT X_PT^-1       the tool's pose in a work frame
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.poses import PoseLike, as_transform, checked_matrices, common_shape, inverse_matrices
from gough.stacked import AnyMachine

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform


@checks_arguments
def about_pivot(displacement: PoseLike, pivot: ArrayLike) -> RigidTransform:
    """Compute the displacement of a body that rotates about a pivot instead of the origin: D = [R, t + c - R c] (by
    definition).

    Parameters
    ----------
    displacement : PoseLike
        R, and the displacement t of the pivot [m].
    pivot : (..., 3) array
        The pivot c before the motion, in the frame in which the displacement is given [m].

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        D, which maps points before the motion to points after it.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    return as_transform(turned_about(checked_matrices(displacement), pivot))


@checks_arguments
def displaced(
    machine: AnyMachine, by: PoseLike, *, point: ArrayLike | None = None, start: PoseLike | None = None
) -> RigidTransform:
    """Compute the platform's pose after a displacement t of its point of interest M and a rotation R about M.

    R_BP = R R_start, M' = M + t (by definition).

    Parameters
    ----------
    machine : Machine
        Its point of interest is M, its home pose the start.
    by : PoseLike
        R and t, in base axes [m].
    point : (..., 3) array, optional
        Another point than the machine's point of interest, in the platform frame [m].
    start : PoseLike, optional
        The pose before the motion; default: home.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        The pose X_BP = [R, M + t - R M] X_start, with M in the base frame at `start`.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    D = checked_matrices(by)
    X = machine.end_home if start is None else checked_matrices(start)
    return as_transform(_product(turned_about(D, _point_in_base(machine, X, point)), X))


@checks_arguments
def displacement(
    machine: AnyMachine, X: PoseLike, *, point: ArrayLike | None = None, start: PoseLike | None = None
) -> RigidTransform:
    """Compute displacement of the point of interest M and rotation from `start` (home) to X: the inverse of
    `displaced`.

    Parameters
    ----------
    machine : Machine
        Its point of interest is M, its home pose the start.
    X : PoseLike, (..., 4, 4)
        Poses after the motion.
    point : (..., 3) array, optional
        Another point than the machine's point of interest, in the platform frame [m].
    start : PoseLike, optional
        The pose before the motion; default: home.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        R and t [m], in base axes.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    begin = machine.end_home if start is None else checked_matrices(start)
    D = _product(checked_matrices(X), inverse_matrices(begin))
    return as_transform(turned_about(D, _point_in_base(machine, begin, point), back=True))


@checks_arguments
def platform_pose(
    machine: AnyMachine, tool: PoseLike, *, work: PoseLike | None = None, X_PT: PoseLike | None = None
) -> RigidTransform:
    """Compute the platform's pose in the base from the pose of its tool in a work frame: X_BP = X_BW X_WT X_PT^-1.

    W is the work frame, T the tool, B the base and P the platform (by definition of poses).

    Parameters
    ----------
    machine : Machine
        Its X_PT is the tool in the platform.
    tool : PoseLike
        X_WT, the tool in the work frame.
    work : PoseLike, optional
        X_BW, the work frame in the base; default: the base itself.
    X_PT : PoseLike, optional
        The tool in the platform; default: the machine's.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        X_BP, of the shape to which the leading axes broadcast.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    X_BT = checked_matrices(tool) if work is None else _product(checked_matrices(work), checked_matrices(tool))
    X_TP = inverse_matrices(machine.X_PT if X_PT is None else checked_matrices(X_PT))
    return as_transform(_product(X_BT, X_TP))


@checks_arguments
def tool_pose(
    machine: AnyMachine, X: PoseLike, *, work: PoseLike | None = None, X_PT: PoseLike | None = None
) -> RigidTransform:
    """Compute the tool's pose in a work frame from the platform's pose in the base: X_WT = X_BW^-1 X_BP X_PT, see
    `platform_pose`.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        X_BP, the platform in the base.
    work : PoseLike, optional
        X_BW, the work frame in the base; default: the base itself.
    X_PT : PoseLike, optional
        The tool in the platform; default: the machine's.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        X_WT, of the shape to which the leading axes broadcast.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    X_BT = _product(checked_matrices(X), machine.X_PT if X_PT is None else checked_matrices(X_PT))
    return as_transform(X_BT if work is None else _product(inverse_matrices(checked_matrices(work)), X_BT))


def _product(first: Array, second: Array) -> Array:
    """Products of poses, broadcast."""
    common_shape("poses", first.shape[:-2], second.shape[:-2])
    return np.asarray(first @ second)


def _point_in_base(machine: AnyMachine, X: Array, point: ArrayLike | None) -> Array:
    """M in the base frame at the poses X, (..., 3) [m]."""
    M = machine.point_of_interest if point is None else of_shape("point", point, "(..., 3)")
    common_shape("pose and point", X.shape[:-2], M.shape[:-1])
    return np.asarray((X[..., :3, :3] @ M[..., None])[..., 0] + X[..., :3, 3])


def turned_about(matrix: Array, pivot: ArrayLike, *, back: bool = False) -> Array:
    """Return [R, t + c - R c] of [R, t] with the pivot c; with `back`, [R, t] of that."""
    c = of_shape("pivot", pivot, "(..., 3)")
    shape = common_shape("pose and pivot", matrix.shape[:-2], c.shape[:-1])
    turned = np.broadcast_to(matrix, (*shape, 4, 4)).copy()  # the argument may be the caller's own array
    shift = c - (turned[..., :3, :3] @ c[..., None])[..., 0]
    turned[..., :3, 3] += -shift if back else shift
    return turned
