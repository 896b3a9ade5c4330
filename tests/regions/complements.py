"""Schur complements of matrices of Taylor models over one box, by the compiled helpers of `gough.regions`."""

from typing import NamedTuple

import numba
import numpy as np

from gough.regions._complements import least_near_centre, work_of, write_complement, write_parts
from gough.regions._split import split_of, write_difference, write_singular_vectors, write_symmetric
from gough.regions._taylor import NUMBERS
from gough.regions.least_singular import least_of
from gough.regions.taylor import Model, unpacked


class Complement(NamedTuple):
    """Singular vectors U, V (6, 6) as rows, the complement s as a model (1,), bounds (1, 3) of |D|, |x| and |y|, and a
    lower bound of the least singular value without it."""

    U: np.ndarray
    V: np.ndarray
    s: Model
    sizes: np.ndarray
    near: float

    def least(self, s):
        """Lower bound of the least singular value, from one of s."""
        return float(least_of(self.sizes, np.array([s]))[0])


def packed(model: Model) -> np.ndarray:
    """Rows (n, ..., NUMBERS) of models, the reverse of `unpacked`."""
    half = model.half.reshape(-1, *[1] * (model.value.ndim - 1), 6)
    i, j = np.triu_indices(6)
    curves = (model.hessian * half[..., None] * half[..., None, :])[..., i, j] * np.where(i == j, 0.5, 1.0)
    ends = model.value[..., None], model.remainder[..., None]
    return np.concatenate([*ends, model.gradient * half, curves], axis=-1)


@numba.njit
def _complement(A, bound, matrices, rows, square, E, s):
    split, work = split_of(square[:3], matrices), work_of(square[3:9], E, rows)
    if not write_singular_vectors(A, split):
        return split, 0.0, (1.0, 0.0, 0.0)
    top = write_difference(A, split)
    write_parts(split, work)
    near = least_near_centre(split, top, work)
    if bound > 0.0:
        write_symmetric(split, bound, work.square)
        write_parts(split, work)
    return split, near, write_complement(split, top, work, s)


def complement_of(A: Model, bound: float = 0.0) -> Complement:
    """The complement of matrices (1, 6, 6); at a bound above zero of the symmetric part of Q A, less the bound."""
    room = np.empty((2, 6, 6, NUMBERS)), np.empty((3, 6, NUMBERS)), np.empty((9, 6, 6)), np.empty((6, 12))
    s = np.empty(NUMBERS)
    split, near, sizes = _complement(packed(A)[0], bound, *room, s)
    return Complement(split.U, split.V, unpacked(s[None], A.half), np.array([sizes]), near)
