"""Force elements on solids: forces, torques, springs. Gravity is a parameter of the system.

A force f at the point with initial position OM0 is the effort X = f, Y = f OM0^T (Dumitriu 2017, eq. 13); a torque tau
is Y = [tau]x R / 2, since Y : [dtheta]x R = tau . dtheta.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.multibody._force_elements import COLUMNS, FORCE, SPRING, TORQUE
from gough.multibody.bodies import GROUND
from gough.multibody.joint import point_of, unit

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
        """Parameters of the element, in the order of `gough.multibody._force_elements.COLUMNS`."""

    def row(self) -> Array:
        """Parameters as one row of the kernel's table, padded with zeros."""
        numbers = np.concatenate([np.atleast_1d(value) for value in self.numbers()])
        return np.concatenate([numbers, np.zeros(COLUMNS - len(numbers))])


@checks_arguments
@dataclass(frozen=True, eq=False)
class Force(ForceElement):
    """A force of `magnitude` [N] along `direction` (3,) at `point` (3,) [m], both given at the start.

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
