"""Solids: mass, mass centre and Poinsot matrix, given in the inertial frame at the start.

A solid's coordinates are the pseudo-translation T* and all nine elements of R (Dumitriu, Margaritescu 2016, eqs. 1, 3),

    OM = T* + R OM0            Z = [T* | R]  (3, 4)            OM = Z (1, OM0)

with OM0 where the point stood at the start, when Z = [0 | I]. Every point and direction of a solid, of a joint or of a
load is therefore given once, in the inertial frame at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.errors import InputError, nearest
from gough.poses import PoseLike, checked_matrices
from gough.read_only import ReadOnly

GROUND = "ground"
"""Name of the solid that never moves."""

ROUND_OFF = 1e-9
"""Part of the largest principal value that rounding may take from a Poinsot matrix that should be positive."""


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class Body(ReadOnly):
    """A rigid solid.

    Attributes
    ----------
    name : str
    mass : float
        [kg].
    mass_centre : (3,) array
        OG0, in the inertial frame at the start [m].
    inertia : (3, 3) array
        J about the mass centre, in the inertial axes at the start [kg m2]. Thin rods and plates are welcome.
    frame : (4, 4) array
        A frame fixed to the solid, as it is at the start: its pose is what results show. Default: inertial axes
        at the mass centre.

    """

    name: str
    mass: float
    mass_centre: Array
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    frame: Array | None = None

    def __post_init__(self) -> None:
        for key, shape in (("mass_centre", (3,)), ("inertia", (3, 3))):
            value = of_shape(f"{key} of solid {self.name!r}", np.array(getattr(self, key), dtype=float), str(shape))
            object.__setattr__(self, key, value)
        frame = np.eye(4)
        frame[:3, 3] = self.mass_centre
        object.__setattr__(self, "frame", frame if self.frame is None else np.array(self.frame, dtype=float))
        super().__post_init__()
        self._check()

    def _check(self) -> None:
        if self.name == GROUND:
            raise InputError(f"a solid cannot be named {GROUND!r}: that is the one that never moves")
        finite = np.isfinite(self.mass) and np.isfinite(self.mass_centre).all() and np.isfinite(self.inertia).all()
        if not finite or self.mass < 0:
            raise InputError(f"solid {self.name!r}: mass {self.mass} kg, mass centre and inertia must be finite, >= 0")
        largest = float(np.abs(self.inertia).max())
        if np.abs(self.inertia - self.inertia.T).max() > ROUND_OFF * largest:
            raise InputError(f"solid {self.name!r}: the inertia is not symmetric")
        if (low := float(np.linalg.eigvalsh(self.poinsot).min())) < -ROUND_OFF * largest:
            raise InputError(
                f"solid {self.name!r}: no rigid body has this inertia; its largest principal moment exceeds the sum of "
                f"the others by {-2 * low:.4g} kg m2"
            )

    @classmethod
    @checks_arguments
    def from_poinsot(cls, name: str, mass: float, mass_centre: ArrayLike, poinsot: ArrayLike) -> Body:
        """A solid from its Poinsot matrix about the mass centre (3, 3) [kg m2]: J = tr(K) I - K."""
        K = numbers("poinsot", poinsot)
        return cls(name=name, mass=mass, mass_centre=np.asarray(mass_centre), inertia=np.trace(K) * np.eye(3) - K)

    @classmethod
    @checks_arguments
    def in_frame(cls, name: str, X: PoseLike, mass: float, mass_centre: ArrayLike, inertia: ArrayLike) -> Body:
        """A solid whose mass centre and inertia are given in its own frame, which is at pose X at the start."""
        frame = checked_matrices(X)
        R, p = frame[:3, :3], frame[:3, 3]
        J = R @ numbers("inertia", inertia) @ R.T
        centre = p + R @ numbers("mass_centre", mass_centre)
        return cls(name=name, mass=mass, mass_centre=centre, inertia=(J + J.T) / 2, frame=frame)

    @property
    def origin(self) -> Array:
        """Origin of the solid's frame at the start (3,) [m]: the point its results are about."""
        return np.asarray(self.frame)[:3, 3]

    @property
    def poinsot(self) -> Array:
        """K_G (3, 3) [kg m2]: the integral of r r^T over the mass, K = tr(J)/2 I - J (2016, eqs. 10-11)."""
        return np.asarray(np.trace(self.inertia) / 2 * np.eye(3) - self.inertia)

    @property
    def is_singular(self) -> bool:
        """Whether K_G has no inverse: thin rods, plates, point masses."""
        values = np.linalg.eigvalsh(self.poinsot)
        return bool(self.mass == 0 or values[0] <= ROUND_OFF * values[-1])

    @property
    def mass_matrix(self) -> Array:
        """The integral of (1, OM0) (1, OM0)^T over the mass, (4, 4): [[m, m c^T], [m c, K_G + m c c^T]].

        Equations (9) of 2016 are then Z'' mass_matrix = [X | Y + R Lambda], one row of Z at a time.
        """
        point = np.array([1.0, *self.mass_centre])
        matrix = self.mass * np.outer(point, point)
        matrix[1:, 1:] += self.poinsot
        return matrix

    @checks_arguments
    def regularised(self, part: float) -> Body:
        """The same solid with `part` of the largest principal value of K_G added to all three.

        The two-step elimination and shooting need K_G^-1; this is how a thin rod or plate gets one. It is another
        solid: accelerations change in the order of `part`.
        """
        K = self.poinsot
        extra = part * float(np.linalg.eigvalsh(K)[-1])
        inertia = self.inertia + 2 * extra * np.eye(3)
        return Body(name=self.name, mass=self.mass, mass_centre=self.mass_centre, inertia=inertia, frame=self.frame)


def place_of(name: str, bodies: Sequence[Body]) -> int:
    """Place of a solid; the ground comes after the last one."""
    return named_place(name, [*(body.name for body in bodies), GROUND], "solid")


def named_place(name: str, names: list[str], what: str) -> int:
    """Place of a name in a list; `InputError` where it is not in it."""
    if name not in names:
        raise InputError(f"there is no {what} {name!r}, only {', '.join(map(repr, names))}.{nearest(name, names)}")
    return names.index(name)
