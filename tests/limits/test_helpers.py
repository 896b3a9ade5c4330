"""Helpers of the margins' kernels against NumPy, where machines hide wrong terms."""

import numba
import numpy as np
import pytest


def called_from_python(helper):
    """A helper of kernels in a kernel of its own."""

    @numba.njit
    def call(*given):
        return helper(*given)

    return call


def distance_by_cases(a, b, c, d):
    """Of segments ab and cd: of their lines where the feet lie on both, or else of an end from the other segment."""

    def from_point(p, a, b):
        part = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        return np.linalg.norm(p - a - part * (b - a))

    feet = np.linalg.lstsq(np.column_stack([b - a, c - d]), c - a, rcond=None)[0]
    known = [from_point(a, c, d), from_point(b, c, d), from_point(c, a, b), from_point(d, a, b)]
    if ((feet >= 0) & (feet <= 1)).all():
        known.append(np.linalg.norm(a + feet[0] * (b - a) - c - feet[1] * (d - c)))
    return min(known)


def test_distances_of_legs_that_cross_or_are_parallel(rng):
    """In every direction: legs of machines come nearest at their ends and stand upright, which hides wrong terms."""
    from gough.limits._segments import segment_distance

    distance = called_from_python(segment_distance)
    for k in range(300):
        a, b, c, d = rng.normal(size=(4, 3))
        if k % 10 == 0:
            d = c + rng.uniform(0.3, 3) * (b - a)
        rods = np.zeros((6, 6))
        rods[:, 1], rods[:, 4] = np.concatenate([a, b]), np.concatenate([c, d])
        assert distance(rods, 1, 4) == pytest.approx(distance_by_cases(a, b, c, d), abs=1e-9), k


def test_the_smallest_singular_value_has_the_sign_of_the_determinant_and_is_zero_without_rank(rng):
    from gough.limits._singular_values import smallest_singular_value

    smallest = called_from_python(smallest_singular_value)
    for k in range(40):
        A = rng.normal(size=(6, 6))
        if k % 4 == 0:
            A[rng.integers(6)] = 0.0
        M = np.concatenate([A, np.zeros((6, 6))], axis=1)
        wanted = np.sign(np.linalg.det(A)) * np.linalg.svd(A, compute_uv=False)[-1]
        assert smallest(M, np.empty((6, 6)), np.empty(6), np.empty(6)) == pytest.approx(wanted, abs=1e-12)
