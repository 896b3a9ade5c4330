"""Rigid solids: mass, mass centre and Poinsot matrix, in the inertial frame at the start.

A solid's coordinates are the pseudo-translation T* and all nine elements of R (Dumitriu, Margaritescu 2016, eqs. 1, 3),

    OM = T* + R OM0            Z = [T* | R]  (3, 4)            OM = Z (1, OM0)

where OM0 is the initial position of the point, at Z = [0 | I]. Points and directions of solids, joints and forces are
therefore all given in one frame, the inertial one, at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, ReadOnly
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.errors import InputError, nearest
from gough.poses import PoseLike, checked_matrices

GROUND = "ground"
"""Name of the solid fixed to the inertial frame."""

ROUND_OFF = 1e-9
"""Tolerance for eigenvalues of a Poinsot matrix below zero, as a part of the largest."""


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
        J about the mass centre, in the inertial axes at the start [kg m2]. Thin rods and plates are allowed.
    frame : (4, 4) array
        Frame fixed to the solid, at the start; results give its pose. Default: inertial axes at the mass centre.

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
        # K_G is positive semidefinite exactly if the principal moments satisfy the triangle inequality.
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
        """A solid whose mass centre and inertia are given in its own frame, at pose X at the start."""
        frame = checked_matrices(X)
        R, p = frame[:3, :3], frame[:3, 3]
        J = R @ numbers("inertia", inertia) @ R.T
        centre = p + R @ numbers("mass_centre", mass_centre)
        # Rounding leaves R J R^T slightly unsymmetric.
        return cls(name=name, mass=mass, mass_centre=centre, inertia=(J + J.T) / 2, frame=frame)

    @property
    def origin(self) -> Array:
        """Origin of the solid's frame at the start (3,) [m]; results refer to this point."""
        return np.asarray(self.frame)[:3, 3]

    @property
    def poinsot(self) -> Array:
        """K_G (3, 3) [kg m2]: the integral of r r^T over the mass, K = tr(J)/2 I - J (2016, eqs. 10-11)."""
        return np.asarray(np.trace(self.inertia) / 2 * np.eye(3) - self.inertia)

    @property
    def is_singular(self) -> bool:
        """Whether K_G is singular, as that of thin rods, plates and point masses."""
        values = np.linalg.eigvalsh(self.poinsot)
        return bool(self.mass == 0 or values[0] <= ROUND_OFF * values[-1])

    @property
    def mass_matrix(self) -> Array:
        """Pseudo-inertia (4, 4), the integral of (1, OM0) (1, OM0)^T: [[m, m c^T], [m c, K_G + m c c^T]].

        With it equations (9) of 2016 read Z'' mass_matrix = [X | Y + R Lambda].
        """
        point = np.array([1.0, *self.mass_centre])
        matrix = self.mass * np.outer(point, point)
        matrix[1:, 1:] += self.poinsot
        return matrix

    @checks_arguments
    def regularised(self, part: float) -> Body:
        """Copy of the solid with `part` of the largest principal value of K_G added to all three.

        This gives a thin rod or plate the regular K_G that the two-step elimination and shooting invert. Accelerations
        change by the order of `part`.
        """
        K = self.poinsot
        extra = part * float(np.linalg.eigvalsh(K)[-1])
        inertia = self.inertia + 2 * extra * np.eye(3)  # J = tr(K) I - K: K + e I gives J + 2 e I
        return Body(name=self.name, mass=self.mass, mass_centre=self.mass_centre, inertia=inertia, frame=self.frame)


def place_of(name: str, bodies: Sequence[Body]) -> int:
    """Index of a solid by its name; that of the ground is n."""
    return named_place(name, [*(body.name for body in bodies), GROUND], "solid")


def named_place(name: str, names: list[str], what: str) -> int:
    """Index of a name in a list; `InputError` for an unknown one."""
    if name not in names:
        raise InputError(f"there is no {what} {name!r}, only {', '.join(map(repr, names))}.{nearest(name, names)}")
    return names.index(name)
