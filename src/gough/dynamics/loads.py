"""What acts on a machine while it is simulated: numbers, or functions of time, pose and twist, checked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.numbers import of_shape
from gough.dynamics.arguments import refuse_point_alone
from gough.poses import wrench_at

ForceOf = Callable[[float, Array, Array], ArrayLike]
"""Six numbers from time [s], pose (4, 4) and twist (6,): forces or a wrench."""


class Load:
    """The applied wrench, moved to the platform's origin."""

    def __init__(
        self, stage_shape: tuple[int, ...], wrench: ArrayLike | ForceOf | None, point: ArrayLike | None
    ) -> None:
        refuse_point_alone(wrench, point)
        self.shape = (*stage_shape, 6)
        self.given = function_of("wrench", np.zeros(6) if wrench is None else wrench, (6,), self.shape)
        self.point = None if point is None else of_shape("point", point, "(..., 3)")
        self.is_constant = not callable(wrench) and point is None

    def __call__(self, t: float, X: Array, V: Array) -> Array:
        """Wrench (6,) about the platform's origin; of stages (2, 6)."""
        given = self.given(t, X, V).reshape(-1, 6)
        F = np.zeros(self.shape).reshape(-1, 6)
        F[-len(given) :] = given
        if self.point is not None:
            F[-1] = wrench_at(F[-1], -(X.reshape(-1, 4, 4)[-1, :3, :3] @ self.point))
        return F.reshape(self.shape)


def function_of(
    name: str, given: ArrayLike | ForceOf, *shapes: tuple[int, ...]
) -> Callable[[float, Array, Array], Array]:
    """Numbers of one of the shapes, constant or from a function, checked."""
    if callable(given):
        function = given
        return lambda t, X, V: _checked(name, function(t, X, V), shapes)
    constant = _checked(name, given, shapes)
    return lambda t, X, V: constant


def _checked(name: str, values: ArrayLike, shapes: tuple[tuple[int, ...], ...]) -> Array:
    return of_shape(name, values, " or ".join(map(str, dict.fromkeys(shapes)))).copy()
