"""Conventions of makers and controllers for poses as three translations and three angles.

A convention defines in which order rotations by three angles about x, y and z are composed. Small angles mean the same
in all of them, larger ones do not: at (10, 10, 10) deg PI's and Symetrie's rotations are 3.0 deg apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, nearest
from gough.frames.pivots import turned_about
from gough.poses import PoseLike, as_transform, checked_matrices, euler_angles, pose_matrix, roll_pitch_yaw

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform


@dataclass(frozen=True)
class Convention:
    """A convention for rotations as three angles.

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
        Index of the maker's angle for each axis of `sequence`.
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
            "V. De Sapio, Sandia National Laboratories report (1998), code of the appendices (its prose says Z-Y-Z)",
        ),
    )
}
"""The presets by name."""


class ControllerNumbers(NamedTuple):
    """A pose as a controller shows it: translation (..., 3) [m] and three angles (..., 3)."""

    translation: Array
    angles: Array


def convention(name: str) -> Convention:
    """Return the preset of that name, in any case; `InputError` lists the known ones."""
    found = CONVENTIONS.get(name.lower())
    if found is None:
        meant = roll_pitch_yaw(name)
        hint = f" A sequence of axes: {meant}." if meant else nearest(name, CONVENTIONS)
        raise InputError(f"no convention {name!r}: expected one of {', '.join(CONVENTIONS)}.{hint}")
    return found


@checks_arguments
def from_convention(
    name: str,
    translation: ArrayLike,
    angles: ArrayLike,
    *,
    degrees: bool = True,
    pivot: ArrayLike | None = None,
) -> RigidTransform:
    """Convert the numbers of a controller to a pose.

    Parameters
    ----------
    name : str
        One of `gough.frames.CONVENTIONS`: "pi", "symetrie", "linuxcnc", "rubin", "hexel".
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

    Raises
    ------
    InputError
        No convention has this name; the message lists them.
    ShapeError
        Translation or angles do not end in three numbers.

    """
    preset = convention(name)
    given = of_shape(f"angles of the convention {name!r}", angles, "(..., 3)")
    matrix = pose_matrix(translation, given[..., preset.order], preset.sequence, degrees=degrees)
    return as_transform(matrix if pivot is None else turned_about(matrix, pivot))


@checks_arguments
def to_convention(name: str, X: PoseLike, *, degrees: bool = True, pivot: ArrayLike | None = None) -> ControllerNumbers:
    """Convert a pose X to the numbers of a controller: the inverse of `from_convention`.

    In gimbal lock (the middle angle at 90 deg) only the sum or difference of the outer angles is defined: the third is
    then 0, and the numbers give the rotation to 1e-7 rad, without a warning.

    Parameters
    ----------
    name : str
        One of `gough.frames.CONVENTIONS`.
    X : PoseLike, (..., 4, 4)
        Poses of the moving frame; those of NaN give NaN.
    degrees : bool
        Angles in degrees; False gives radians.
    pivot : (..., 3) array, optional
        Point about which the rotation turns [m], see `gough.frames.about_pivot`; without one, the frame's origin.

    Returns
    -------
    ControllerNumbers
        `translation` (..., 3) [m] and `angles` (..., 3) in the order the maker gives them [degrees, or rad].

    Raises
    ------
    InputError
        No convention has this name; the message lists them.

    """
    preset = convention(name)
    matrix = checked_matrices(X)
    ordered = euler_angles(matrix, preset.sequence, degrees=degrees)
    if pivot is not None:
        matrix = turned_about(matrix, pivot, back=True)
    # `order` takes the maker's angles to those of the sequence: assigning through it is the inverse permutation.
    angles = np.empty_like(ordered)
    angles[..., preset.order] = ordered
    return ControllerNumbers(matrix[..., :3, 3].copy(), angles)
