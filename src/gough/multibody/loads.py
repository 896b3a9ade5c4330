"""Loads: forces, torques, springs. Gravity belongs to the system.

A force f at the point that stood at OM0 is the effort X = f, Y = f OM0^T (Dumitriu 2017, eq. 13); a torque tau is
Y = [tau]x R / 2, since Y : [dtheta]x R = tau . dtheta.
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
from gough.multibody._loads import COLUMNS, FORCE, SPRING, TORQUE
from gough.multibody.bodies import GROUND
from gough.multibody.joint import point_of, unit

Magnitude = float | Callable[[float], float]
"""A number, or a function of time [s]."""


@checks_arguments
@dataclass(frozen=True, eq=False)
class Load(ABC):
    """A load on the solid `on`; the opposite acts on the solid `against`."""

    code: ClassVar[int]

    on: str
    against: str = field(default=GROUND, kw_only=True)
    carried_by: str = field(default=GROUND, kw_only=True)
    """The solid that carries the load's direction."""
    magnitude: Magnitude = field(default=1.0, kw_only=True)
    name: str = field(default="", kw_only=True)

    @property
    def solids(self) -> tuple[str, str, str]:
        """Names: acted on, acted against, carrier of the direction."""
        return self.on, self.against, self.carried_by

    @property
    def title(self) -> str:
        """Name in messages."""
        return self.name or f"{type(self).__name__.lower()} on {self.on}"

    @abstractmethod
    def numbers(self) -> list[Array]:
        """What the kernel reads of this load, one after the other."""

    def row(self) -> Array:
        """The load as the kernel reads it."""
        numbers = np.concatenate([np.atleast_1d(value) for value in self.numbers()])
        return np.concatenate([numbers, np.zeros(COLUMNS - len(numbers))])


@checks_arguments
@dataclass(frozen=True, eq=False)
class Force(Load):
    """A force of `magnitude` [N] along `direction` (3,) at `point` (3,) [m], both given at the start.

    The point moves with the solid `on`; the direction with the solid `carried_by`; the opposite force acts on the solid
    `against` where the point is, so that the pair does no work on the whole.
    """

    code: ClassVar[int] = FORCE

    point: ArrayLike
    direction: ArrayLike

    def numbers(self) -> list[Array]:
        """See `Load.numbers`."""
        where = self.title
        return [point_of(self.point, f"point of {where}"), unit(self.direction, f"direction of {where}")]


@checks_arguments
@dataclass(frozen=True, eq=False)
class Torque(Load):
    """A torque of `magnitude` [N m] about `direction` (3,), which the solid `carried_by` carries."""

    code: ClassVar[int] = TORQUE

    direction: ArrayLike

    def numbers(self) -> list[Array]:
        """See `Load.numbers`."""
        return [np.zeros(3), unit(self.direction, f"direction of {self.title}")]


@checks_arguments
@dataclass(frozen=True, eq=False)
class Spring(Load):
    """A spring with a damper between `point` on the solid `on` and `anchor` on the solid `against`.

    `stiffness` [N/m], `length` unloaded [m], `damping` [N s/m]; `magnitude` scales all of it.
    """

    code: ClassVar[int] = SPRING

    point: ArrayLike
    anchor: ArrayLike
    stiffness: float = field(kw_only=True)
    length: float = field(kw_only=True)
    damping: float = field(default=0.0, kw_only=True)

    def numbers(self) -> list[Array]:
        """See `Load.numbers`."""
        if not np.isfinite([self.stiffness, self.length, self.damping]).all():
            raise InputError(f"{self.title}: stiffness, length and damping must be finite")
        ends = [point_of(self.point, f"point of {self.title}"), point_of(self.anchor, f"anchor of {self.title}")]
        return [*ends, np.array([self.stiffness, self.length, self.damping])]
