"""Solids, and the force elements that act on them.

A solid's coordinates are the pseudo-translation T* and all nine elements of R (Dumitriu, Margaritescu 2016, eqs. 1, 3),

    OM = T* + R OM0            Z = [T* | R]  (3, 4)            OM = Z (1, OM0)

where OM0 is the initial position of the point, at Z = [0 | I]. Points and directions of solids, joints and forces are
therefore all given in one frame, the inertial one, at the start.

A force f at the point with initial position OM0 is the effort X = f, Y = f OM0^T (Dumitriu 2017, eq. 13); a torque tau
is Y = [tau]x R / 2, since Y : [dtheta]x R = tau . dtheta.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, ReadOnly
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.errors import InputError, nearest
from gough.multibody._equations import ELEMENT_COLUMNS, FORCE, SPRING, TORQUE
from gough.multibody.joints import point_of, unit
from gough.poses import PoseLike, checked_matrices

GROUND = "ground"
"""Name of the solid fixed to the inertial frame."""

POINSOT_ERROR = 1e-9
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
            raise InputError(f"a solid cannot be named {GROUND!r}: the name is reserved for the ground")
        finite = np.isfinite(self.mass) and np.isfinite(self.mass_centre).all() and np.isfinite(self.inertia).all()
        if not finite or self.mass < 0:
            raise InputError(f"solid {self.name!r}: mass {self.mass} kg, mass centre and inertia must be finite, >= 0")
        largest = float(np.abs(self.inertia).max())
        if np.abs(self.inertia - self.inertia.T).max() > POINSOT_ERROR * largest:
            raise InputError(f"solid {self.name!r}: the inertia is not symmetric")
        # K_G is positive semidefinite exactly if the principal moments satisfy the triangle inequality.
        if (low := float(np.linalg.eigvalsh(self.poinsot).min())) < -POINSOT_ERROR * largest:
            raise InputError(
                f"solid {self.name!r}: no rigid body has this inertia; its largest principal moment exceeds the sum of "
                f"the others by {-2 * low:.4g} kg m2"
            )

    @classmethod
    @checks_arguments
    def from_poinsot(cls, name: str, mass: float, mass_centre: ArrayLike, poinsot: ArrayLike) -> Body:
        """Build a solid from its Poinsot matrix about the mass centre (3, 3) [kg m2]: J = tr(K) I - K."""
        K = numbers("poinsot", poinsot)
        return cls(name=name, mass=mass, mass_centre=np.asarray(mass_centre), inertia=np.trace(K) * np.eye(3) - K)

    @classmethod
    @checks_arguments
    def in_frame(cls, name: str, X: PoseLike, mass: float, mass_centre: ArrayLike, inertia: ArrayLike) -> Body:
        """Build a solid from mass centre and inertia in its own frame, at pose X at the start."""
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
        return bool(self.mass == 0 or values[0] <= POINSOT_ERROR * values[-1])

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
        """Return a copy of the solid with `part` of the largest principal value of K_G added to all three.

        This gives a thin rod or plate the regular K_G that the two-step elimination and shooting invert. Accelerations
        change by the order of `part`.
        """
        K = self.poinsot
        extra = part * float(np.linalg.eigvalsh(K)[-1])
        inertia = self.inertia + 2 * extra * np.eye(3)  # J = tr(K) I - K: K + e I gives J + 2 e I
        return Body(name=self.name, mass=self.mass, mass_centre=self.mass_centre, inertia=inertia, frame=self.frame)


def place_of(name: str, bodies: Sequence[Body]) -> int:
    """Return the index of a solid by its name; that of the ground is n."""
    return named_place(name, [*(body.name for body in bodies), GROUND], "solid")


def named_place(name: str, names: list[str], what: str) -> int:
    """Return the index of a name in a list; `InputError` for an unknown one."""
    if name not in names:
        raise InputError(f"unknown {what} {name!r}, expected {', '.join(map(repr, names))}.{nearest(name, names)}")
    return names.index(name)


Magnitude = float | Callable[[float], float]
"""A number, or a function of time [s]."""


@checks_arguments
@dataclass(frozen=True, eq=False)
class ForceElement(ABC):
    """A force element on the solid `on`, with the opposite force on the solid `against`."""

    code: ClassVar[int]

    on: str
    against: str = field(default=GROUND, kw_only=True)
    carried_by: str = field(default=GROUND, kw_only=True)
    """Solid to which the direction is fixed."""
    magnitude: Magnitude = field(default=1.0, kw_only=True)
    name: str = field(default="", kw_only=True)

    @property
    def solids(self) -> tuple[str, str, str]:
        """Names of the solid acted on, the solid acted against, and the carrier of the direction."""
        return self.on, self.against, self.carried_by

    @property
    def title(self) -> str:
        """Name in messages."""
        return self.name or f"{type(self).__name__.lower()} on {self.on}"

    @abstractmethod
    def numbers(self) -> list[Array]:
        """Return the parameters of the element, in the order of `gough.multibody._equations.ELEMENT_COLUMNS`."""

    def row(self) -> Array:
        """Return the parameters as one row of the kernel's table, padded with zeros."""
        numbers = np.concatenate([np.atleast_1d(value) for value in self.numbers()])
        return np.concatenate([numbers, np.zeros(ELEMENT_COLUMNS - len(numbers))])


@checks_arguments
@dataclass(frozen=True, eq=False)
class Force(ForceElement):
    """A force of `magnitude` [N] along `direction` (3,) at `point` (3,) [m], both at the start.

    The point is fixed to the solid `on`, the direction to the solid `carried_by`. The opposite force acts on the solid
    `against` at the current position of the point, so that the pair has no resultant moment.
    """

    code: ClassVar[int] = FORCE

    point: ArrayLike
    direction: ArrayLike

    def numbers(self) -> list[Array]:
        """See `ForceElement.numbers`."""
        where = self.title
        return [point_of(self.point, f"point of {where}"), unit(self.direction, f"direction of {where}")]


@checks_arguments
@dataclass(frozen=True, eq=False)
class Torque(ForceElement):
    """A torque of `magnitude` [N m] about `direction` (3,), which is fixed to the solid `carried_by`."""

    code: ClassVar[int] = TORQUE

    direction: ArrayLike

    def numbers(self) -> list[Array]:
        """See `ForceElement.numbers`."""
        return [np.zeros(3), unit(self.direction, f"direction of {self.title}")]


@checks_arguments
@dataclass(frozen=True, eq=False)
class Spring(ForceElement):
    """A spring and damper between `point` on the solid `on` and `anchor` on the solid `against`.

    `stiffness` [N/m], free `length` [m], `damping` [N s/m]; `magnitude` scales the force.
    """

    code: ClassVar[int] = SPRING

    point: ArrayLike
    anchor: ArrayLike
    stiffness: float = field(kw_only=True)
    length: float = field(kw_only=True)
    damping: float = field(default=0.0, kw_only=True)

    def numbers(self) -> list[Array]:
        """See `ForceElement.numbers`."""
        if not np.isfinite([self.stiffness, self.length, self.damping]).all():
            raise InputError(f"{self.title}: stiffness, length and damping must be finite")
        ends = [point_of(self.point, f"point of {self.title}"), point_of(self.anchor, f"anchor of {self.title}")]
        return [*ends, np.array([self.stiffness, self.length, self.damping])]
