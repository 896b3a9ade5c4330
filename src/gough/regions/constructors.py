"""Shapes of positions times sets of orientations: box, ball, cylinder, ellipsoid, and their unions; regions
of a machine file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, ShapeError
from gough.machine import Machine
from gough.machine_parts import NamedRegion
from gough.poses import PoseLike, check_sequence, one_pose
from gough.regions.charts import CONE, ROTVEC
from gough.regions.shapes import Groups, PoseRegion, Region, RegionUnion


def orientation_coordinates(
    tilt: float | None, roll: float, turn: float | None, euler: ArrayLike | None, sequence: str | None
) -> tuple[str, Groups, Array, Array]:
    """Return the last three coordinates of a region: chart, groups, middle and half widths; arguments as of `box`."""
    if sum(each is not None for each in (tilt, turn, euler)) > 1:
        raise InputError("orientations: specify only one of tilt (a cone), turn (rotation vectors) and euler (angles)")
    if roll and tilt is None:
        raise InputError("roll: torsion requires the tilt of a cone of orientations")
    if (euler is None) != (sequence is None):
        raise InputError('euler: expected both angles and their sequence, e.g. "XYZ"')
    for name, value in (("tilt", tilt), ("roll", roll), ("turn", turn)):
        if value is not None and not 0 <= value <= np.pi:
            raise InputError(f"{name} {value:g} rad: expected an angle from 0 to pi")
    zero = np.zeros(3)
    if tilt is not None:
        return CONE, ((3, 4), (5,)), zero, np.array([tilt, tilt, roll])
    if euler is None:
        return ROTVEC, ((3, 4, 5),), zero, np.full(3, turn or 0.0)
    check_sequence(str(sequence), "three")
    angles = np.asarray(euler, dtype=float)
    if angles.shape == (3,):
        angles = np.stack([-angles, angles], axis=-1)
    if angles.shape != (3, 2):
        raise ShapeError.expected("euler", "(3,) half widths or (3, 2) lowest and highest angles", angles.shape)
    middle, half = angles.mean(axis=1), (angles[:, 1] - angles[:, 0]) / 2
    if not ((half >= 0) & (half <= np.pi)).all():
        raise InputError(f"euler {angles.tolist()} rad: expected each range from low to high, a turn at the most")
    return str(sequence), ((3,), (4,), (5,)), middle, half


BOX: Groups = ((0,), (1,), (2,))
BALL: Groups = ((0, 1, 2),)
SIZES = {"box": 3, "ball": 1, "cylinder": 2, "ellipsoid": 3}
"""Number of lengths of each shape."""


class Placed(TypedDict, total=False):
    """Keywords of all shapes, see `box`."""

    tilt: float | None
    roll: float
    turn: float | None
    euler: ArrayLike | None
    sequence: str | None
    about: ArrayLike | None
    reference: PoseLike | None
    name: str


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
    """Build a region of a box of positions along the base's axes, times orientations.

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
        The point whose position counts, in the platform frame [m]; default: its origin.
    reference : PoseLike or (3, 3) array, optional
        Orientation from which the others turn; default: the base's axes. Its position does not count.
    name : str

    Returns
    -------
    PoseRegion
        The orientations form a cone, a ball of rotation vectors or a box of angles; default: a single orientation.

    Raises
    ------
    InputError, ShapeError
        Lengths or angles out of range, arrays of another shape, or two kinds of orientations at once.

    """
    chart, groups, middle, widths = orientation_coordinates(tilt, roll, turn, euler, sequence)
    place, half = of_shape("position", position, "(3,)"), of_shape("half widths", half_widths, "(3,)")
    point = np.zeros(3) if about is None else of_shape("about", about, "(3,)")
    for what, value in (("position", place), ("half widths", half), ("about", point)):
        if not np.isfinite(value).all():
            raise InputError(f"{what} {value.tolist()}: expected finite lengths [m]")
    if not (half >= 0).all():
        raise InputError(f"region of half widths {half.tolist()} m: expected lengths of zero or more")
    return PoseRegion(
        centre=np.concatenate([place, middle]),
        half=np.concatenate([half, widths]),
        groups=BOX + groups,
        chart=chart,
        about=point,
        reference=_rotation(reference),
        name=name,
    )


@checks_arguments
def ball(
    position: ArrayLike,
    radius: float,
    **placed: Unpack[Placed],
) -> PoseRegion:
    """Build a region of a ball of positions, times orientations.

    Parameters
    ----------
    position : (3,) array
        Its centre: of the point of the platform, in the base frame [m].
    radius : float
        [m].
    **placed : orientations, point and name as in `gough.regions.box`.

    Returns
    -------
    PoseRegion
        The orientations form a cone, a ball of rotation vectors or a box of angles; default: a single orientation.

    Raises
    ------
    InputError, ShapeError
        Lengths or angles out of range, arrays of another shape, or two kinds of orientations at once.

    """
    return _grouped(box(position, np.full(3, radius), **placed), BALL)


@checks_arguments
def cylinder(
    position: ArrayLike,
    radius: float,
    half_height: float,
    axis: str | ArrayLike = "z",
    **placed: Unpack[Placed],
) -> PoseRegion:
    """Build a region of a cylinder of positions about any axis, times orientations.

    Parameters
    ----------
    position : (3,) array
        Its centre: of the point of the platform, in the base frame [m].
    radius, half_height : float
        [m].
    axis : str or (3,) array
        "x", "y" or "z", or a direction in the base, of any length.
    **placed : orientations, point and name as in `gough.regions.box`.

    Returns
    -------
    PoseRegion
        The orientations form a cone, a ball of rotation vectors or a box of angles; default: a single orientation.

    Raises
    ------
    InputError, ShapeError
        Lengths or angles out of range, arrays of another shape, or two kinds of orientations at once.

    """
    directions, along = _axes(axis)
    across = tuple(k for k in range(3) if k != along)
    half = np.full(3, radius)
    half[along] = half_height
    return replace(_grouped(box(position, half, **placed), (across, (along,))), directions=directions)


def _axes(axis: str | ArrayLike) -> tuple[Array, int]:
    """Axes of a cylinder's coordinates as columns (3, 3), and which of them is its own; the base's for x, y and z."""
    if isinstance(axis, str):
        if axis not in ("x", "y", "z"):
            raise InputError(f"axis {axis!r}: expected x, y or z, or a direction of three numbers")
        return np.eye(3), "xyz".index(axis)
    direction = of_shape("axis", axis, "x, y, z or (3,)")
    length = np.linalg.norm(direction)
    if not (np.isfinite(length) and length > 0):
        raise InputError(f"axis {direction.tolist()}: expected a direction, finite and not zero")
    n = direction / length
    # With the base's axis that is most nearly across n: the product of nearly parallel vectors loses digits.
    a = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    a /= np.linalg.norm(a)
    return np.stack([a, np.cross(n, a), n], axis=1), 2


@checks_arguments
def ellipsoid(
    position: ArrayLike,
    semi_axes: ArrayLike,
    **placed: Unpack[Placed],
) -> PoseRegion:
    """Build a region of an ellipsoid of positions along the base's axes, times orientations.

    Parameters
    ----------
    position : (3,) array
        Its centre: of the point of the platform, in the base frame [m].
    semi_axes : (3,) array
        [m].
    **placed : orientations, point and name as in `gough.regions.box`.

    Returns
    -------
    PoseRegion
        The orientations form a cone, a ball of rotation vectors or a box of angles; default: a single orientation.

    Raises
    ------
    InputError, ShapeError
        Lengths or angles out of range, arrays of another shape, or two kinds of orientations at once.

    """
    return _grouped(box(position, semi_axes, **placed), BALL)


def region_of(
    shape: str,
    position: ArrayLike,
    sizes: Sequence[float] | Array,
    axis: str | ArrayLike = "z",
    **placed: Unpack[Placed],
) -> PoseRegion:
    """Return the region of a shape of `SIZES`, with lengths in the order of its constructor's arguments."""
    if shape == "box":
        return box(position, sizes, **placed)
    if shape == "ellipsoid":
        return ellipsoid(position, sizes, **placed)
    if shape == "ball":
        return ball(position, float(sizes[0]), **placed)
    return cylinder(position, float(sizes[0]), float(sizes[1]), axis, **placed)


@checks_arguments
def union(*regions: Region, name: str = "") -> RegionUnion:
    """Build the union of regions.

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
        Without a region.

    """
    parts = tuple(chain.from_iterable(region.regions for region in regions))
    if not parts:
        raise InputError("union: expected one region or more")
    return RegionUnion(parts, name)


def _grouped(region: PoseRegion, positions: Groups) -> PoseRegion:
    """The same region with its positions bounded by other groups."""
    return replace(region, groups=positions + region.groups[len(BOX) :])


def _rotation(reference: PoseLike | None) -> Array:
    if reference is None:
        return np.eye(3)
    if isinstance(reference, np.ndarray | list | tuple) and np.shape(reference) == (3, 3):
        X = np.eye(4)
        X[:3, :3] = reference
        return one_pose(X, X, "reference")[:3, :3]
    return one_pose(reference, np.eye(4), "reference")[:3, :3]


@checks_arguments
def named_regions(machine: Machine) -> dict[str, Region]:
    """Build the regions under `[[regions]]` in the machine's file, by name; several of the same name form a union.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    dict of str to PoseRegion or RegionUnion
        Empty where the file names none.

    Raises
    ------
    InputError
        An invalid region in `machine.regions`, such as one with an angle above half a turn.

    """
    parts: dict[str, list[PoseRegion]] = {}
    for given in machine.regions:
        parts.setdefault(given.name, []).append(_region(given))
    return {name: found[0] if len(found) == 1 else union(*found, name=name) for name, found in parts.items()}


def _region(given: NamedRegion) -> PoseRegion:
    if given.shape not in SIZES:
        raise InputError(f"region {given.name!r}: shape {given.shape!r}, expected box, ball, cylinder or ellipsoid")
    turns: dict[str, Any] = {
        key: value if isinstance(value, str) else value.tolist() if value.ndim else float(value)
        for key, value in given.orientations.items()
    }
    how: dict[str, Any] = {**turns, "about": given.about, "reference": given.X, "name": given.name}
    return region_of(given.shape, given.X[:3, 3], given.sizes, given.axis, **how)
