"""Taylor models against the functions themselves at random places of boxes, in long doubles where rounding decides."""

import numpy as np
import pytest

from gough.regions.minorant import minorant
from gough.regions.models import Model, bounded_solution, pairs, rotation_factors, times_matrices, variables
from gough.regions.singularity import complement, inverse, symmetric_part

SIZES = (1e-9, 1e-4, 0.05, 0.4)
"""Half widths of boxes."""
COUNT, PLACES = 40, 300
N = 4

FUNCTIONS = {
    "sum and product": lambda x: (x[0] + 2.0) * (x[1] - x[2] * 3.0) - x[3] * x[3],
    "constant": lambda x: x[0] * np.array([[2.0], [-3.0]]) + np.array([[1.0], [4.0]]),
    "square root": lambda x: np.sqrt(x[0] * x[0] + x[1] + 1.5),
    "root of a part": lambda x: np.sqrt(np.maximum(x[0] + x[1], 0) if isinstance(x, np.ndarray) else x[0] + x[1]),
    "quotient": lambda x: (x[1] + 1.0) / (x[0] + 2.0) + 1.0 / (x[2] - 3.0),
    "sine and cosine": lambda x: np.sin(x[0] * 2.0 + x[1]) * np.cos(x[2]),
    "angle": lambda x: np.arctan2(np.sin(x[0] * 0.7), np.cos(x[0] * 0.7)),
    "sin(t) / t": lambda x: rotation_factors(x[0] * x[0] * 9.0 + x[1] * x[1])[0],
    "(1 - cos t) / t^2": lambda x: rotation_factors(x[0] * x[0] * 9.0 + x[1] * x[1])[1],
    "stack": lambda x: (np.stack([x[0] * x[1], np.sin(x[2])])[None] * np.stack([x[3], x[0]])[:, None]).sum(1),
    "joined": lambda x: np.concatenate([x[:2] * x[2:], x[1:2]]) - x[0],
}


def boxes(size, rng):
    """Centres and half widths (N, COUNT), places in the boxes' coordinates (N, COUNT, PLACES), and the variables."""
    centre = rng.uniform(-0.8, 0.8, (N, COUNT))
    half = size * rng.uniform(0, 1, (N, COUNT))
    x = rng.uniform(-1, 1, (N, COUNT, PLACES))
    x[..., ::3] = np.sign(x[..., ::3])
    return centre, half, x


def departures(model, x, values):
    """|f - polynomial| (..., COUNT, PLACES), in long doubles."""
    x = x.astype(np.longdouble)
    i, j, _ = pairs(model.n)
    c = model.c[..., None].astype(np.longdouble)
    extra = (slice(None),) + (None,) * (model.ndim - 1)
    linear = (c[1 : 1 + model.n] * x[extra]).sum(0)
    return np.abs(values - (c[0] + linear + (c[1 + model.n :] * (x[i] * x[j])[extra]).sum(0)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_stay_within_their_remainders(name, rng):
    f, is_tight = FUNCTIONS[name], []
    for size in SIZES:
        centre, half, x = boxes(size, rng)
        model = f(variables(centre, half))
        y = centre[..., None] + half[..., None] * x
        values = np.stack([f(y[..., k]) for k in range(PLACES)], axis=-1)
        if name == "root of a part":  # where there is one
            values = np.where((y[0] + y[1] >= 0) & (np.abs(centre.sum(0)) < 9)[:, None], values, np.nan)
        known = np.isfinite(model.r)
        off = np.where(known[..., None], departures(model, x, values), 0.0)
        # The function itself has the rounding of its evaluation, the model that of its own beside it.
        assert not (off > model.r[..., None] + 1e-14).any()
        with np.errstate(invalid="ignore", divide="ignore"):
            is_tight.append(float(np.nanmax(off / np.where(known, model.r, np.inf)[..., None])))
        assert known.mean() > 0.5
    assert max(is_tight[2:]) > 0.01 or name in ("constant", "angle")  # which are linear


def test_rounding_is_in_the_remainders(rng):
    """Sums and products of large numbers in long doubles are no farther off than the remainders over points."""
    a, b, c = rng.normal(size=(3, COUNT)) * 10.0 ** rng.uniform(-3, 6, (3, COUNT))
    x = variables(np.stack([a, b, c, a]), np.zeros((4, COUNT)))
    found = (x[0] * x[1] + x[2]) * 3.7 - x[2] * 3.7 - x[0] * (x[1] * 3.7)
    exact = np.longdouble(0.0)
    assert (np.abs(found.value - exact) <= found.r).all()
    assert (found.r <= 1e-12 * found.size).all()


def test_where_nothing_is_known_the_remainder_is_infinite(rng):
    x = variables(np.array([[0.1], [0.0]]), np.array([[0.2], [1.0]]))
    for f in (np.reciprocal(x[0]), 1.0 / x[1], np.arctan2(x[1] + 0.5, x[0])):
        assert np.isposinf(f.r).all()
    assert np.isneginf(minorant((1.0 / x[1])[None], np.zeros((2, 1)), np.ones((2, 1)), ()).lower).all()
    assert np.isfinite(x.within(-1.5, 1.5).r).all()
    assert np.isposinf(x.within(-0.5, 0.5).r[1]).all()


@pytest.mark.parametrize("groups", [(), (np.array([0, 1, 2]),), (np.array([0, 1]), np.array([2, 3]))])
def test_minorants_are_below_models_and_cut_no_place_where_these_are_negative(groups, rng):
    """Over boxes and balls; of a linear function over a ball inside of a box the bound is nearly the minimum."""
    centre, half, x = boxes(0.5, rng)
    n = N * (N + 1) // 2
    c = rng.normal(size=(1 + N + n, COUNT)) * np.append([1.0, 1, 1, 1, 1], np.full(n, 0.3))[:, None]
    f = Model(c[:, None], np.full((1, COUNT), 0.01), np.abs(c).sum(0)[None], N)
    found = minorant(f, centre, half, groups)
    y = centre[..., None] + half[..., None] * x
    inside = np.ones((COUNT, PLACES), dtype=bool)
    for group in groups:
        inside &= (y[group] ** 2).sum(0) <= 1
    i, j, _ = pairs(N)
    values = c[0][:, None] + (c[1 : 1 + N, :, None] * x).sum(0) + (c[1 + N :, :, None] * x[i] * x[j]).sum(0) - 0.01
    assert (values >= found.lower[0][:, None] - 1e-12)[inside].all()
    negative = inside & (values < 0)
    kept = ((x >= found.low[:, 0, :, None]) & (x <= found.high[:, 0, :, None])).all(0)
    assert kept[negative].all()
    slope = rng.normal(size=N)
    line = Model(np.concatenate([[0.0], slope, np.zeros(n)])[:, None, None], np.zeros((1, 1)), np.ones((1, 1)), N)
    whole = (np.arange(N),)
    assert minorant(line, np.zeros((N, 1)), np.ones((N, 1)), whole).lower[0, 0] == pytest.approx(
        -np.linalg.norm(slope), rel=0.02
    )


def matrices(size, rng, k):
    """Matrices (k, k, COUNT) of models near random regular ones, and their values (COUNT, PLACES, k, k)."""
    centre, half, x = boxes(size, rng)
    A, B, C = rng.normal(size=(k, k)), rng.normal(size=(N, k, k)), rng.normal(size=(N, k, k))

    def at(y):
        found = A[..., None] + sum(y[j] * B[j][..., None] + np.sin(y[j] * y[0]) * C[j][..., None] for j in range(N))
        return found

    y = centre[..., None] + half[..., None] * x
    values = np.stack([at(y[..., p]) for p in range(PLACES)], axis=-1)
    return at(variables(centre, half)), np.moveaxis(values, (0, 1), (2, 3)), x


@pytest.mark.parametrize("size", [1e-6, 3e-3, 0.05])
def test_inverses_and_complements_stay_within_their_models(size, rng):
    M, values, x = matrices(size, rng, 5)
    T = inverse(M)
    exact = np.moveaxis(np.linalg.inv(values), (2, 3), (0, 1))
    known = np.isfinite(T.r)
    assert (departures(T, x, exact)[known] <= (T.r * (1 + 1e-6) + 1e-9 * T.size)[known][..., None]).all()
    U, S, Vt = np.linalg.svd(np.moveaxis(M.value, -1, 0))
    D = times_matrices(U.swapaxes(1, 2), M, Vt.swapaxes(1, 2))
    s = complement(D, S)
    turned = U.swapaxes(1, 2)[:, None] @ values @ Vt.swapaxes(1, 2)[:, None]
    schur = 1 / np.linalg.inv(turned)[..., -1, -1]
    known = np.isfinite(s.r)
    assert known.mean() > (0.2 if size > 0.01 else 0.9)
    assert (departures(s, x, schur)[known] <= s.r[known][:, None] * (1 + 1e-6) + 1e-11).all()
    # Where the symmetric part's complement shows more than a bound every singular value is above it.
    bound = 0.5 * S[:, -1].min()
    P = complement(symmetric_part(D) - bound * np.eye(5)[..., None], S - bound)
    low = minorant(P[None], np.zeros((N, COUNT)), np.ones((N, COUNT)), ()).lower[0]
    least = np.linalg.svd(values, compute_uv=False)[..., -1].min(axis=1)
    assert (least[low >= 0] >= bound).all()
    assert (low >= 0).any() or size > 0.01


def test_solutions_with_m_matrices_are_bounded_and_others_unknown(rng):
    W, b = rng.uniform(0, 0.15, (50, 5, 5)), rng.uniform(0, 1, (50, 5, 2))
    W[25:] *= 3
    found, known = bounded_solution(W, b, np.ones(50, dtype=bool))
    radius = np.abs(np.linalg.eigvals(W)).max(axis=1)
    assert (known == (radius < 1)).all()
    assert known.any()
    assert not known.all()
    exact = np.linalg.solve(np.eye(5) - W, b)
    assert (found[known] >= exact[known]).all()
    np.testing.assert_allclose(found[known], exact[known], rtol=1e-6)
