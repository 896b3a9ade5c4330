"""Shapes of positions times sets of orientations: box, ball, cylinder, ellipsoid, and their unions."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError, ShapeError
from gough.poses import PoseLike, one_pose
from gough.regions.orientations import Orientations
from gough.regions.shapes import Groups, PoseRegion, Region, RegionUnion

BOX: Groups = ((0,), (1,), (2,))
BALL: Groups = ((0, 1, 2),)


@checks_arguments
def box(
    position: ArrayLike,
    half_widths: ArrayLike,
    *,
    tilt: float | None = None,
    roll: float = 0.0,
    turn: float | None = None,
    euler: ArrayLike | None = None,
    sequence: str | None = None,
    about: ArrayLike | None = None,
    reference: PoseLike | None = None,
    name: str = "",
) -> PoseRegion:
    """Box of positions along the base's axes, times orientations.

    Parameters
    ----------
    position : (3,) array
        Its centre: of the point of the platform, in the base frame [m].
    half_widths : (3,) array
        Half of each side [m].
    tilt : float, optional
        Half-angle of a cone of the platform's z axis about its direction at `reference` [rad], at most pi.
    roll : float
        Of a cone: rotation about that axis before the tilt, in both senses [rad].
    turn : float, optional
        Instead: rotation vectors up to this angle, about any axis [rad].
    euler : (3,) or (3, 2) array, optional
        Instead: half widths, or lowest and highest, of the angles of `sequence` from `reference` [rad].
    sequence : str, optional
        Of these angles, SciPy's spelling: "XYZ" about moving axes, "xyz" about fixed ones.
    about : (3,) array, optional
        The point whose position counts, in the platform frame [m]; its origin if not given.
    reference : PoseLike or (3, 3) array, optional
        Orientation from which the others turn; the base's axes if not given. Its position does not count.
    name : str

    Returns
    -------
    PoseRegion
        The orientations are those of a cone, a ball of rotation vectors or a box of angles; one alone if none is given.

    Raises
    ------
    InputError, ShapeError
        Lengths or angles out of range, arrays of another shape, or two kinds of orientations at once.

    """
    turns = Orientations(tilt=tilt, roll=roll, turn=turn, euler=euler, sequence=sequence)
    return _region(position, np.asarray(half_widths, dtype=float), BOX, turns, about, reference, name)


@checks_arguments
def ball(
    position: ArrayLike,
    radius: float,
    *,
    tilt: float | None = None,
    roll: float = 0.0,
    turn: float | None = None,
    euler: ArrayLike | None = None,
    sequence: str | None = None,
    about: ArrayLike | None = None,
    reference: PoseLike | None = None,
    name: str = "",
) -> PoseRegion:
    """Ball of positions, times orientations.

    Parameters
    ----------
    position : (3,) array
        Its centre: of the point of the platform, in the base frame [m].
    radius : float
        [m].
    tilt, roll, turn, euler, sequence, about, reference, name
        As of `gough.regions.box`.

    Returns
    -------
    PoseRegion
        The orientations are those of a cone, a ball of rotation vectors or a box of angles; one alone if none is given.

    Raises
    ------
    InputError, ShapeError
        Lengths or angles out of range, arrays of another shape, or two kinds of orientations at once.

    """
    turns = Orientations(tilt=tilt, roll=roll, turn=turn, euler=euler, sequence=sequence)
    return _region(position, np.full(3, radius), BALL, turns, about, reference, name)


@checks_arguments
def cylinder(
    position: ArrayLike,
    radius: float,
    half_height: float,
    axis: str | ArrayLike = "z",
    *,
    tilt: float | None = None,
    roll: float = 0.0,
    turn: float | None = None,
    euler: ArrayLike | None = None,
    sequence: str | None = None,
    about: ArrayLike | None = None,
    reference: PoseLike | None = None,
    name: str = "",
) -> PoseRegion:
    """Cylinder of positions about any axis, times orientations.

    Parameters
    ----------
    position : (3,) array
        Its centre: of the point of the platform, in the base frame [m].
    radius, half_height : float
        [m].
    axis : str or (3,) array
        "x", "y" or "z", or a direction in the base, of any length.
    tilt, roll, turn, euler, sequence, about, reference, name
        As of `gough.regions.box`.

    Returns
    -------
    PoseRegion
        The orientations are those of a cone, a ball of rotation vectors or a box of angles; one alone if none is given.

    Raises
    ------
    InputError, ShapeError
        Lengths or angles out of range, arrays of another shape, or two kinds of orientations at once.

    """
    turns = Orientations(tilt=tilt, roll=roll, turn=turn, euler=euler, sequence=sequence)
    directions, along = _axes(axis)
    across = tuple(k for k in range(3) if k != along)
    half, groups = np.full(3, radius), (across, (along,))
    half[along] = half_height
    return replace(_region(position, half, groups, turns, about, reference, name), directions=directions)


def _axes(axis: str | ArrayLike) -> tuple[Array, int]:
    """Axes of a cylinder's coordinates as columns (3, 3), and which is its own: the base's where it is along one."""
    if isinstance(axis, str):
        if axis not in ("x", "y", "z"):
            raise InputError(f"axis {axis!r}: expected x, y or z, or a direction of three numbers")
        return np.eye(3), "xyz".index(axis)
    direction = np.asarray(axis, dtype=float)
    if direction.shape != (3,):
        raise ShapeError.expected("axis", "x, y, z or (3,)", direction.shape)
    length = np.linalg.norm(direction)
    if not (np.isfinite(length) and length > 0):
        raise InputError(f"axis {direction.tolist()}: expected a direction, finite and not zero")
    n = direction / length
    a = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    a /= np.linalg.norm(a)
    return np.stack([a, np.cross(n, a), n], axis=1), 2


@checks_arguments
def ellipsoid(
    position: ArrayLike,
    semi_axes: ArrayLike,
    *,
    tilt: float | None = None,
    roll: float = 0.0,
    turn: float | None = None,
    euler: ArrayLike | None = None,
    sequence: str | None = None,
    about: ArrayLike | None = None,
    reference: PoseLike | None = None,
    name: str = "",
) -> PoseRegion:
    """Ellipsoid of positions along the base's axes, times orientations.

    Parameters
    ----------
    position : (3,) array
        Its centre: of the point of the platform, in the base frame [m].
    semi_axes : (3,) array
        [m].
    tilt, roll, turn, euler, sequence, about, reference, name
        As of `gough.regions.box`.

    Returns
    -------
    PoseRegion
        The orientations are those of a cone, a ball of rotation vectors or a box of angles; one alone if none is given.

    Raises
    ------
    InputError, ShapeError
        Lengths or angles out of range, arrays of another shape, or two kinds of orientations at once.

    """
    turns = Orientations(tilt=tilt, roll=roll, turn=turn, euler=euler, sequence=sequence)
    return _region(position, np.asarray(semi_axes, dtype=float), BALL, turns, about, reference, name)


@checks_arguments
def union(*regions: Region, name: str = "") -> RegionUnion:
    """Poses that are in one region or more.

    Parameters
    ----------
    regions : PoseRegion or RegionUnion
    name : str

    Returns
    -------
    RegionUnion
        Of all regions, those of unions too.

    Raises
    ------
    InputError
        No region is given.

    """
    parts = tuple(chain.from_iterable(region.regions for region in regions))
    if not parts:
        raise InputError("union: expected one region or more")
    return RegionUnion(parts, name)


def _region(
    position: ArrayLike,
    half: Array,
    groups: Groups,
    turns: Orientations,
    about: ArrayLike | None,
    reference: PoseLike | None,
    name: str,
) -> PoseRegion:
    chart, more, middle, widths = turns.coordinates()
    place, point = np.asarray(position, dtype=float), np.zeros(3) if about is None else np.asarray(about, dtype=float)
    for what, value in (("position", place), ("half widths", half), ("about", point)):
        if value.shape != (3,):
            raise ShapeError.expected(what, "(3,)", value.shape)
        if not np.isfinite(value).all():
            raise InputError(f"{what} {value.tolist()}: expected finite lengths [m]")
    if not (half >= 0).all():
        raise InputError(f"region of half widths {half.tolist()} m: expected lengths of zero or more")
    return PoseRegion(
        centre=np.concatenate([place, middle]),
        half=np.concatenate([half, widths]),
        groups=groups + more,
        chart=chart,
        about=point,
        reference=_rotation(reference),
        name=name,
    )


def _rotation(reference: PoseLike | None) -> Array:
    if reference is None:
        return np.eye(3)
    if isinstance(reference, np.ndarray | list | tuple) and np.shape(reference) == (3, 3):
        X = np.eye(4)
        X[:3, :3] = reference
        return one_pose(X, X, "reference")[:3, :3]
    return one_pose(reference, np.eye(4), "reference")[:3, :3]
