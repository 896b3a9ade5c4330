"""Helpers of the margins' kernels against NumPy, where machines hide wrong terms."""

import numpy as np
import pytest

from gough._compile import kernel


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
    from gough.limits._margins import segment_distance

    distance = kernel(segment_distance.py_func)
    for k in range(300):
        a, b, c, d = rng.normal(size=(4, 3))
        if k % 10 == 0:
            d = c + rng.uniform(0.3, 3) * (b - a)
        rods = np.zeros((6, 6))
        rods[:, 1], rods[:, 4] = np.concatenate([a, b]), np.concatenate([c, d])
        assert distance(rods, 1, 4) == pytest.approx(distance_by_cases(a, b, c, d), abs=1e-9), k


def singular_values(A, alone):
    """Smallest singular values (n,) of matrices (n, 6, 6), together or one by one.

    As plain Python: compiling takes five seconds, and compiled they are what margins and the ends of travels are tested
    for."""
    from gough.limits._singular_values import first_singular_value, new_matrices, smallest_singular_values

    def find(A):
        matrices = new_matrices(len(A))
        matrices.A[:] = np.moveaxis(A, 0, -1)
        (first_singular_value if alone else smallest_singular_values)(matrices)
        return matrices.smallest

    parts = A[:, None] if alone else A[None]
    with np.errstate(all="ignore"):
        return np.concatenate([find(part) for part in parts])


@pytest.mark.parametrize(("together", "alone"), [(1, False), (5, False), (40, False), (40, True)])
def test_smallest_singular_values_have_the_sign_of_the_determinant_and_are_zero_without_rank(together, alone, rng):
    A = rng.normal(size=(together, 6, 6))
    A[::4, rng.integers(6)] = 0.0
    A[1::4, 2] *= 1e-9
    A[2::4] = 0.7 * np.eye(6)[rng.permutation(6)]  # six equal ones
    wanted = np.sign(np.linalg.det(A)) * np.linalg.svd(A, compute_uv=False)[:, -1]

    found = singular_values(A, alone)
    known = np.linalg.det(A) != 0
    np.testing.assert_allclose(found[known], wanted[known], rtol=1e-6, atol=1e-15)
    np.testing.assert_allclose(found[~known], 0.0, rtol=0, atol=1e-15)
    assert np.isnan(singular_values(np.full((together, 6, 6), np.nan), alone)).all()
