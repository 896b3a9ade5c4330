"""Arguments of the dynamics functions: checked, brought to one batch, laid out for the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.batches import PARALLEL_FROM, run_batch
from gough.checks.numbers import of_shape, six
from gough.errors import InputError
from gough.poses import PoseLike, checked_matrices, common_shape, wrench_at


def refuse_point_alone(wrench: object, point: object) -> None:
    """`InputError` for the point of a wrench without a wrench."""
    if wrench is None and point is not None:
        raise InputError("point: a wrench acts there, so give the wrench as well")


def wrench_at_origin(X: Array, wrench: ArrayLike | None, point: ArrayLike | None) -> Array:
    """The applied wrench (..., 6), moved from a point of the platform (in its frame) to the platform's origin."""
    refuse_point_alone(wrench, point)
    if wrench is None:
        return np.zeros(6)
    F = six("wrench", wrench)
    if point is None:
        return F
    arm = (X[..., :3, :3] @ of_shape("point", point, "(..., 3)")[..., None])[..., 0]
    common_shape("poses and wrench", arm.shape[:-1], F.shape[:-1])
    return wrench_at(F, -arm)


Drives: TypeAlias = Literal["free", "held"]
"""Whether the drives move, or hold and let the legs give along their length only."""


class Batch:
    """Poses with what belongs to each of them, broadcast against one another and flattened.

    Of a machine of stages what has `stage_shape` are the poses of all platforms, and what belongs to them is one after
    the other: twists (..., 12).
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
        """Call `kernel` with parts of the batch and of the outputs, whose trailing shapes are given."""
        found = [np.empty((len(self.flat), *shape)) for shape in outputs]
        arrays = [self.flat, *self.beside, *found]
        if len(self.flat) < PARALLEL_FROM:
            kernel(*arrays)
        else:
            run_batch(lambda s: kernel(*(array[s] for array in arrays)), len(self.flat))
        return [values.reshape((*self.shape, *shape)) for values, shape in zip(found, outputs, strict=True)]
