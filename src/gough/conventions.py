"""How makers and controllers write poses, and how Gough reads them.

A convention says in which order three angles about x, y and z make one rotation. Small angles mean the same
in all of them, larger ones do not: at (10, 10, 10) deg PI's and Symetrie's rotations are 3.0 deg apart.

Where controllers command displacements, these functions say of what and about what:

    about_pivot      D = [R, t + c - R c]           a body turns by R about the point c, which moves by t
    displaced        X_BP = D X_start               the same about the machine's point of interest
    platform_pose    X_BP = X_BW X_WT X_PT^-1       the tool's pose in a work frame
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.errors import InputError, ShapeError, nearest
from gough.machine import Machine
from gough.poses import PoseLike, as_transform, checked_matrices, euler_angles, inverse_matrices, pose_matrix

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Convention:
    """A way to write a rotation as three angles.

    Attributes
    ----------
    name, title : str
    formula : str
        The rotation matrix, angles named as their maker names them.
    angles : tuple of str
        The maker's names of the angles, in the order they are given.
    sequence : str
        SciPy's spelling of the rotation.
    order : tuple of int
        Which of the angles given is the first, second, third of `sequence`.
    source : str

    """

    name: str
    title: str
    formula: str
    angles: tuple[str, str, str]
    sequence: str
    order: tuple[int, int, int]
    source: str


CONVENTIONS = {
    convention.name: convention
    for convention in (
        Convention(
            "pi",
            "Physik Instrumente",
            "R = Rx(U) Ry(V) Rz(W)",
            ("U", "V", "W"),
            "XYZ",
            (0, 1, 2),
            "PI hexapod controllers: rotations about the moving axes, in the order x, y, z",
        ),
        Convention(
            "symetrie",
            "Symetrie",
            "R = Rz(Rz) Ry(Ry) Rx(Rx)",
            ("Rx", "Ry", "Rz"),
            "xyz",
            (0, 1, 2),
            "Symetrie hexapod controllers: rotations about the fixed axes, in the order x, y, z",
        ),
        Convention(
            "linuxcnc",
            "LinuxCNC genhexkins",
            "R = Rz(C) Ry(B) Rx(A)",
            ("A", "B", "C"),
            "xyz",
            (0, 1, 2),
            "LinuxCNC, genhexkins: roll, pitch and yaw",
        ),
        Convention(
            "rubin",
            "Rubin Observatory",
            "R = Rx(u) Ry(v) Rz(w)",
            ("u", "v", "w"),
            "XYZ",
            (0, 1, 2),
            "Rubin Observatory, ts_mthexapod",
        ),
        Convention(
            "hexel",
            "De Sapio's Hexel code",
            "R = Ry(b) Rx(a) Rz(c)",
            ("a", "b", "c"),
            "YXZ",
            (1, 0, 2),
            "V. De Sapio, Sandia report SAND98-8257 (1998), code of the appendices (its prose says Z-Y-Z)",
        ),
    )
}
"""The presets by name."""


def convention(name: str) -> Convention:
    """The preset of that name; `InputError` names those there are."""
    found = CONVENTIONS.get(name)
    if found is None:
        raise InputError(
            f"no convention {name!r}: expected one of {', '.join(CONVENTIONS)}.{nearest(name, CONVENTIONS)}"
        )
    return found


def from_convention(
    name: str,
    translation: ArrayLike,
    angles: ArrayLike,
    *,
    degrees: bool = True,
    pivot: ArrayLike | None = None,
) -> RigidTransform:
    """Pose that a controller means by its numbers.

    Parameters
    ----------
    name : str
        One of `gough.CONVENTIONS`: "pi", "symetrie", "linuxcnc", "rubin", "hexel".
    translation : (..., 3) array
        [m].
    angles : (..., 3) array
        In the order the maker gives them [degrees, or rad].
    degrees : bool
        Makers count in degrees; False takes radians.
    pivot : (..., 3) array, optional
        Point about which the rotation turns [m], see `about_pivot`; without one, the frame's origin.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        Of the shape to which the leading axes broadcast.

    """
    preset = convention(name)
    given = np.asarray(angles, dtype=float)
    if given.shape[-1:] != (3,):
        raise ShapeError.expected(f"angles of the convention {name!r}", "(..., 3)", given.shape)
    matrix = pose_matrix(translation, given[..., preset.order], preset.sequence, degrees=degrees)
    return as_transform(matrix if pivot is None else _turned_about(matrix, pivot))


def to_convention(
    name: str, X: PoseLike, *, degrees: bool = True, pivot: ArrayLike | None = None
) -> tuple[Array, Array]:
    """Numbers with which a controller means the pose X: the inverse of `from_convention`.

    Where the first and the third axis line up (the middle angle at 90 deg) only their sum or difference is
    known: the third angle is 0 then, the rotation is met to 1e-7 rad, and there is no warning.

    Returns
    -------
    translation : (..., 3) array
        [m].
    angles : (..., 3) array
        In the order the maker gives them [degrees, or rad].

    """
    preset = convention(name)
    matrix = checked_matrices(X)
    ordered = euler_angles(matrix, preset.sequence, degrees=degrees)
    if pivot is not None:
        matrix = _turned_about(matrix, pivot, back=True)
    angles = np.empty_like(ordered)
    angles[..., preset.order] = ordered
    return matrix[..., :3, 3].copy(), angles


def about_pivot(displacement: PoseLike, pivot: ArrayLike) -> RigidTransform:
    """Motion of a body that turns about a pivot instead of the origin: D = [R, t + c - R c].

    Parameters
    ----------
    displacement : PoseLike
        R, and the way t that the pivot goes [m].
    pivot : (..., 3) array
        The pivot c before the motion, in the frame in which the displacement is given [m].

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        D, which takes a point before the motion to the same point after it.

    """
    return as_transform(_turned_about(checked_matrices(displacement), pivot))


def displaced(
    machine: Machine, by: PoseLike, *, point: ArrayLike | None = None, start: PoseLike | None = None
) -> RigidTransform:
    """Pose of the platform after its point of interest M moved by t and the platform turned about M by R.

    Parameters
    ----------
    machine : Machine
        Its point of interest is M, its home pose the start.
    by : PoseLike
        R and t, in base axes [m].
    point : (..., 3) array, optional
        Another point than the machine's point of interest, in the platform frame [m].
    start : PoseLike, optional
        The pose before the motion; home if none is given.

    Returns
    -------
    scipy.spatial.transform.RigidTransform
        The pose X_BP = [R, M + t - R M] X_start, with M in the base frame at `start`.

    """
    D = checked_matrices(by)
    X = machine.X_home if start is None else checked_matrices(start)
    return as_transform(_turned_about(D, _point_in_base(machine, X, point)) @ X)


def displacement(
    machine: Machine, X: PoseLike, *, point: ArrayLike | None = None, start: PoseLike | None = None
) -> RigidTransform:
    """The way of the point of interest M from `start` (home) to X and the turn about it, see `displaced`."""
    begin = machine.X_home if start is None else checked_matrices(start)
    D = checked_matrices(X) @ inverse_matrices(begin)
    return as_transform(_turned_about(D, _point_in_base(machine, begin, point), back=True))


def platform_pose(
    machine: Machine, tool: PoseLike, *, work: PoseLike | None = None, X_PT: PoseLike | None = None
) -> RigidTransform:
    """Pose of the platform in the base from the pose of its tool in a work frame: X_BP = X_BW X_WT X_PT^-1.

    Parameters
    ----------
    machine : Machine
        It says where its tool is.
    tool : PoseLike
        X_WT, the tool in the work frame.
    work : PoseLike, optional
        X_BW, the work frame in the base; the base itself if none is given.
    X_PT : PoseLike, optional
        The tool in the platform; the machine's if none is given.

    """
    X_BT = checked_matrices(tool) if work is None else checked_matrices(work) @ checked_matrices(tool)
    return as_transform(X_BT @ inverse_matrices(machine.X_PT if X_PT is None else checked_matrices(X_PT)))


def tool_pose(
    machine: Machine, X: PoseLike, *, work: PoseLike | None = None, X_PT: PoseLike | None = None
) -> RigidTransform:
    """Tool in a work frame from the platform in the base: X_WT = X_BW^-1 X_BP X_PT, see `platform_pose`."""
    X_BT = checked_matrices(X) @ (machine.X_PT if X_PT is None else checked_matrices(X_PT))
    return as_transform(X_BT if work is None else inverse_matrices(checked_matrices(work)) @ X_BT)


def _point_in_base(machine: Machine, X: Array, point: ArrayLike | None) -> Array:
    """M in the base frame at the poses X, (..., 3) [m]."""
    M = machine.point_of_interest if point is None else _point("point", point)
    return np.asarray((X[..., :3, :3] @ M[..., None])[..., 0] + X[..., :3, 3])


def _turned_about(matrix: Array, pivot: ArrayLike, *, back: bool = False) -> Array:
    """[R, t] to [R, t + c - R c], or back."""
    c = _point("pivot", pivot)
    try:
        shape = np.broadcast_shapes(matrix.shape[:-2], c.shape[:-1])
    except ValueError:
        raise ShapeError.expected("pivot", f"(3,) or one for each of {matrix.shape[:-2]}", c.shape) from None
    turned = np.broadcast_to(matrix, (*shape, 4, 4)).copy()
    shift = c - (turned[..., :3, :3] @ c[..., None])[..., 0]
    turned[..., :3, 3] += -shift if back else shift
    return turned


def _point(what: str, given: ArrayLike) -> Array:
    point = np.asarray(given, dtype=float)
    if point.shape[-1:] != (3,):
        raise ShapeError.expected(what, "(..., 3)", point.shape)
    return point
