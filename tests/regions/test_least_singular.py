"""Bounds of least singular values over boxes: Schur complements of polynomial matrices, and machines at the limit."""

from dataclasses import replace

import numpy as np
import pytest
from tests.regions.complements import complement_of
from tests.skew import SKEW

import gough
from gough.limits.table import limit_table
from gough.regions import box
from gough.regions.cells import Cells, motion_of
from gough.regions.least_singular import singular_bounds
from gough.regions.taylor import Model

PLACES = 300
S = np.array([2.0, 1.5, 1.2, 1.0, 0.8, 0.02])
"""Singular values: one is small."""


def polynomial(rng, size, gradients, curves, rotated=True):
    """Matrices A + sum x_k A_k + sum x_j x_k A_jk / 2 over one box, with places (n, 6) and matrices there."""
    U, V = (np.linalg.qr(rng.normal(size=(6, 6)))[0] if rotated else np.eye(6) for _ in range(2))
    turned = [
        np.moveaxis(U @ np.moveaxis(part, (0, 1), (-2, -1)) @ V.T, (-2, -1), (0, 1)) for part in (gradients, curves)
    ]
    value, half = (U * S) @ V.T, size * np.ones((1, 6))
    A = Model(value[None], turned[0][None], turned[1][None], np.zeros((1, 6, 6)), half)
    x = half * rng.uniform(-1, 1, (PLACES, 6))
    x[::2] = half * np.sign(x[::2])
    at = value + np.einsum("ijk,nk->nij", turned[0], x) + np.einsum("ijkl,nk,nl->nij", turned[1], x, x) / 2
    return A, x, at


def random_slopes(rng, curved=1.0):
    curves = curved * rng.normal(size=(6, 6, 6, 6))
    return rng.normal(size=(6, 6, 6)), curves + np.swapaxes(curves, 2, 3)


def complement_at(found, A):
    """The Schur complement of matrices (n, 6, 6), in the axes of one decomposition."""
    B = found.U @ A @ found.V.T
    return B[:, 5, 5] - np.einsum("ni,nij,nj->n", B[:, 5, :5], np.linalg.inv(B[:, :5, :5]), B[:, :5, 5])


def left_over(found, x, A):
    s = found.s
    quadratic = s.value[0] + x @ s.gradient[0] + np.einsum("nj,jk,nk->n", x, s.hessian[0], x) / 2
    return np.abs(complement_at(found, A) - quadratic).max()


@pytest.mark.parametrize(("size", "near"), [(1e-4, 0.95), (3e-3, 0.8), (0.02, 0.2)])
def test_complements_stay_within_their_models_and_least_singular_values_above_what_follows(size, near):
    rng, closest = np.random.default_rng(0), []
    for _ in range(20):
        A, x, at = polynomial(rng, size, *random_slopes(rng))
        found = complement_of(A)
        assert left_over(found, x, at) <= found.s.remainder[0]
        sigma, s = np.linalg.svd(at, compute_uv=False)[:, -1], complement_at(found, at)
        for k in np.flatnonzero(s > 0):
            least = found.least(s[k])
            assert least <= sigma[k]
            closest.append(least / sigma[k])
        assert found.near <= sigma.min()
    assert np.median(closest) > near


def test_complements_of_matrices_that_change_along_one_coordinate_leave_what_their_rest_says():
    """With entries that add up: what is of third order by D, and by entries that bend, is all of the remainder."""
    rng, size, parts = np.random.default_rng(0), 1e-3, []
    for bends in (False, True):
        gradients, curves = np.zeros((6, 6, 6)), np.zeros((6, 6, 6, 6))
        gradients[:, :, 0] = rng.uniform(0.5, 1, (6, 6))
        if bends:
            gradients[:5, :5], gradients[5, 5] = 0.0, 0.0
            curves[:, :, 0, 0] = rng.uniform(0.5, 1, (6, 6)) * (np.arange(6) == 5)[:, None]
            curves[:5, 5, 0, 0], curves[5, 5] = rng.uniform(0.5, 1, 5), 0.0
        A, x, at = polynomial(rng, size, gradients, curves, rotated=False)
        found = complement_of(A)
        parts.append(left_over(found, x, at) / found.s.remainder[0])
    assert max(parts) <= 1
    assert min(parts) > 0.9


def test_what_matrices_leave_is_left_of_complements(rng):
    """At its worst, along the singular vectors: all of it."""
    A, _, _ = polynomial(rng, 0.0, *random_slopes(rng))
    A = replace(A, remainder=1e-6 * rng.uniform(0.5, 1, (1, 6, 6)))
    found = complement_of(A)
    worst = np.sign(np.outer(found.U[5], found.V[5])) * A.remainder
    off = left_over(found, np.zeros((1, 6)), A.value + worst)
    assert 0.99 * found.s.remainder[0] < off <= found.s.remainder[0]


def test_what_matrices_leave_lowers_their_least_singular_values(rng):
    """Without a complement too: the bound is below the worst matrix, and near it where little is left."""
    for rest in (1e-8, 1e-4, 5e-4):
        A, _, _ = polynomial(rng, 0.0, *random_slopes(rng))
        A = replace(A, remainder=rest * rng.uniform(0.5, 1, (1, 6, 6)))
        found = complement_of(A)
        worst = A.value - np.sign(np.outer(found.U[5], found.V[5])) * A.remainder
        sigma = np.linalg.svd(worst, compute_uv=False).min()
        assert 0 < found.near <= sigma
    assert found.near < 0.95 * S[-1]


@pytest.mark.parametrize("is_row", [False, True])
def test_a_large_row_or_column_beside_s_makes_singular_values_smaller(is_row):
    gradients = np.zeros((6, 6, 6))
    gradients[5, :5, 0] = 1.0
    gradients = gradients if is_row else np.swapaxes(gradients, 0, 1)
    A, _, at = polynomial(np.random.default_rng(0), 3.0, gradients, np.zeros((6, 6, 6, 6)), rotated=False)
    found, sigma = complement_of(A), np.linalg.svd(at, compute_uv=False)[:, -1]
    least = found.least(complement_at(found, at).min())
    assert 0.4 * sigma.min() < least <= sigma.min()


def test_complements_of_symmetric_parts_show_singular_values_above_a_bound():
    """Where they are above zero, every singular value is above the bound; and they are nearly where these are."""
    rng, missed = np.random.default_rng(0), []
    for _ in range(20):
        A, x, at = polynomial(rng, 1e-3, *random_slopes(rng))
        sigma = np.linalg.svd(at, compute_uv=False)[:, -1]
        for t in np.array([0.5, 0.9, 1.0]) * sigma.min():
            s = complement_of(A, t).s
            shown = s.value[0] + x @ s.gradient[0] + np.einsum("nj,jk,nk->n", x, s.hessian[0], x) / 2 - s.remainder[0]
            assert (sigma[shown > 0] > t).all()
            missed.append(np.max(sigma - t - shown))
    assert np.median(missed) < 0.1 * S[-1]


def test_matrices_that_may_be_singular_in_two_ways_are_not_known():
    rng = np.random.default_rng(0)
    A, _, _ = polynomial(rng, 0.3, *random_slopes(rng))
    found = complement_of(A)
    assert np.isinf(found.s.remainder).all()
    assert found.near == 0


@pytest.mark.parametrize("name", SKEW)
def test_over_small_boxes_nothing_is_lost_to_first_order(name, rng):
    """A bound that the least singular value comes near at a corner of the box is shown with one box, where no other
    singular value is as small."""
    m = gough.load(name)
    half = rng.uniform(0.5e-3, 1e-3, 6) * np.repeat([0.1 * m.size, 1.0], 3)
    region = box(m.home_point, 9 * half[:3], turn=0.1, about=m.point_of_interest, reference=m.home)
    cell = Cells(region.centre[None], half[None])
    corners = region.centre + half * np.sign(rng.normal(size=(2000, 6)))
    sigma = np.abs(gough.margins(m, region.poses(corners)).values[:, -1] + m.limits.singular_value)
    at = np.abs(gough.margins(m, m.home).values[-1] + m.limits.singular_value)
    fall = at - sigma.min()
    for part, is_shown in ((1.1, True), (0.999, False)):
        bound = float(at - part * fall)
        found = singular_bounds(m, region, cell, motion_of(region, cell), bound, np.ones(6))
        assert (found.least.lower[0] >= 0) == is_shown
        assert found.margins[0] + bound <= sigma.min()
    assert found.least.loss.shape == (1, 6)


@pytest.mark.parametrize("name", ["hexel", "jugglebot", SKEW[0]])
def test_struts_that_become_much_longer_have_directions_all_the_same(name):
    """Along one line: singular values are those of directions, whatever the lengths."""
    m = gough.load(name)
    region = box(m.home_point, [0.0, 0.0, 0.25 * m.size], about=m.point_of_interest, reference=m.home)
    z = region.centre + region.half * np.linspace(-1, 1, 101)[:, None]
    sigma = np.abs(gough.margins(m, region.poses(z)).values[:, -1] + m.limits.singular_value).min()
    cell, shown = Cells(region.centre[None], region.half[None]), []
    for part in np.linspace(0.0, 1.3, 27):
        bound = part * float(sigma)
        found = singular_bounds(m, region, cell, motion_of(region, cell), bound, np.ones(6))
        assert found.margins[0] + bound <= sigma
        shown.append(part * (found.least.lower[0] >= 0))
    assert 0.3 < max(shown) <= 1.0


@pytest.mark.parametrize("part", [0.0, 0.8])
@pytest.mark.parametrize("name", ["jugglebot", "hexaglide", *SKEW[1:]])
def test_regions_that_reach_a_singularity_are_decided_to_a_thousandth(name, part):
    """Without other limits than reach, of positions, with a bound that is a part of what home has."""
    m = gough.load(name)
    sigma = abs(gough.margins(m, m.home).values[-1] + m.limits.singular_value)
    m = replace(m, limits=replace(m.limits, singular_value=part * sigma))
    others = tuple(c.name for c in limit_table(m).columns if c.name != "singularity" and "reach" not in c.name)
    region = box(m.home_point, [0.1 * m.size] * 3, about=m.point_of_interest, reference=m.home)
    found = gough.largest_region(m, region, ignore=others, rtol=1e-3)
    assert found.refuted <= found.scale * (1 + 2e-3)
