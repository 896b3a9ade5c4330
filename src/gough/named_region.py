"""A region of poses as a machine file names it: numbers only, of which `gough.regions` makes the region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from gough.arrays import Array
from gough.read_only import ReadOnly

Shape = Literal["box", "ball", "cylinder", "ellipsoid"]


@dataclass(frozen=True, eq=False, kw_only=True)
class NamedRegion(ReadOnly):
    """A region that a machine file names; several of one name are a union.

    Attributes
    ----------
    name : str
    shape : str
        Of the positions: "box", "ball", "cylinder" or "ellipsoid".
    sizes : (n,) array
        Its half widths (3,), radius (1,), radius and half height (2,), or semi-axes (3,) [m].
    axis : (3,) array
        Of a cylinder, in the base.
    X : (4, 4) array
        Position of the point in the base, and orientation from which the others turn.
    about : (3,) array
        The point, in the platform frame [m].
    orientations : mapping
        Keywords of `gough.regions.box`: `tilt` and `roll`, `turn`, or `euler` and `sequence` [rad].

    """

    name: str
    shape: Shape
    sizes: Array
    X: Array
    about: Array
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    orientations: Mapping[str, Any] = field(default_factory=dict)
