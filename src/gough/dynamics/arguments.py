"""Arguments of the dynamics functions: wrenches, forces over time, and batches for the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.numbers import given_point, of_shape, six
from gough.errors import InputError
from gough.poses import PoseLike, checked_matrices, common_shape, wrench_at
from gough.workers import PARALLEL_FROM, run_batch


def refuse_point_alone(wrench: object, point: object) -> None:
    """`InputError` for a point without a wrench that acts there."""
    if wrench is None and point is not None:
        raise InputError("point: a wrench acts there, so give the wrench as well")


def wrench_at_origin(X: Array, wrench: ArrayLike | None, point: ArrayLike | None) -> Array:
    """The applied wrench (..., 6) about the platform's origin, given about a point of the platform (in its frame)."""
    refuse_point_alone(wrench, point)
    if wrench is None:
        return np.zeros(6)
    F = six("wrench", wrench)
    if point is None:
        return F
    p = of_shape("point", point, "(..., 3)")
    common_shape("poses, wrench and point", X.shape[:-2], F.shape[:-1], p.shape[:-1])
    arm = (X[..., :3, :3] @ p[..., None])[..., 0]
    return wrench_at(F, -arm)


ForceOf = Callable[[float, Array, Array], ArrayLike]
"""Six numbers from time [s], pose (4, 4) and twist (6,): forces or a wrench."""
Drives: TypeAlias = Literal["free", "held"]
"""Whether the drives move, or are held so that the legs yield along their length only."""


class Batch:
    """Poses and the vectors that belong to them, broadcast against one another and flattened.

    For a machine of stages, `stage_shape` is that of the poses of all platforms, (..., 2, 4, 4); vectors of all
    platforms are concatenated: twists (..., 12).
    """

    def __init__(self, X: PoseLike, stage_shape: tuple[int, ...] = (), **beside: Array) -> None:
        self.X, each = checked_matrices(X), (*stage_shape, 4, 4)
        shapes = [values.shape[:-1] for values in beside.values()]
        self.shape = common_shape(f"poses, {', '.join(beside)}", self.X.shape[: -len(each)], *shapes)
        self.flat = np.broadcast_to(self.X, (*self.shape, *each)).copy().reshape(-1, *each)
        self.beside = [
            np.broadcast_to(values, (*self.shape, values.shape[-1])).copy().reshape(-1, values.shape[-1])
            for values in beside.values()
        ]

    def run(self, kernel: Callable[..., None], *outputs: tuple[int, ...]) -> list[Array]:
        """Outputs of `kernel`, of the given trailing shapes; it is called with slices of the batch and the outputs."""
        found = [np.empty((len(self.flat), *shape)) for shape in outputs]
        arrays = [self.flat, *self.beside, *found]
        if len(self.flat) < PARALLEL_FROM:  # small batches: handing out slices costs more than the kernel
            kernel(*arrays)
        else:
            run_batch(lambda s: kernel(*(array[s] for array in arrays)), len(self.flat))
        return [values.reshape((*self.shape, *shape)) for values, shape in zip(found, outputs, strict=True)]


class AppliedWrench:
    """Applied wrench over time, about the platform's origin."""

    def __init__(
        self, stage_shape: tuple[int, ...], wrench: ArrayLike | ForceOf | None, point: ArrayLike | None
    ) -> None:
        refuse_point_alone(wrench, point)
        self.shape = (*stage_shape, 6)
        self.given = function_of("wrench", np.zeros(6) if wrench is None else wrench, (6,), self.shape)
        self.point = None if point is None else given_point(point, np.zeros(3))
        self.is_constant = not callable(wrench) and point is None

    def __call__(self, t: float, X: Array, V: Array) -> Array:
        """Wrench (6,) about the platform's origin; of stages (2, 6)."""
        # One wrench for two stages acts on the end platform.
        given = self.given(t, X, V).reshape(-1, 6)
        F = np.zeros(self.shape).reshape(-1, 6)
        F[-len(given) :] = given
        if self.point is not None:
            F[-1] = wrench_at(F[-1], -(X.reshape(-1, 4, 4)[-1, :3, :3] @ self.point))
        return F.reshape(self.shape)


def function_of(
    name: str, given: ArrayLike | ForceOf, *shapes: tuple[int, ...]
) -> Callable[[float, Array, Array], Array]:
    """Function of time, pose and twist whose values have one of the shapes: the given one, or a constant."""
    if callable(given):
        function = given
        return lambda t, X, V: _checked(name, function(t, X, V), shapes)
    constant = _checked(name, given, shapes)
    return lambda t, X, V: constant


def _checked(name: str, values: ArrayLike, shapes: tuple[tuple[int, ...], ...]) -> Array:
    return of_shape(name, values, " or ".join(map(str, dict.fromkeys(shapes)))).copy()
