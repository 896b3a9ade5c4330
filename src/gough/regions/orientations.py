"""Sets of orientations from the keywords of regions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.errors import InputError, ShapeError
from gough.poses import check_sequence
from gough.regions.charts import CONE, ROTVEC
from gough.regions.shapes import Groups


def orientation_coordinates(
    tilt: float | None, roll: float, turn: float | None, euler: ArrayLike | None, sequence: str | None
) -> tuple[str, Groups, Array, Array]:
    """The last three coordinates of a region: chart, groups, middle and half widths; arguments as of `box`."""
    if sum(each is not None for each in (tilt, turn, euler)) > 1:
        raise InputError("orientations: give one of tilt (a cone), turn (rotation vectors) and euler (angles)")
    if roll and tilt is None:
        raise InputError("roll: the torsion of a cone of orientations; give its tilt too")
    if (euler is None) != (sequence is None):
        raise InputError('euler: a box of angles needs their sequence, e.g. "XYZ", and a sequence its angles')
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
