"""Limits of struts as quadratics: what they lack of the limits' own functions is within their rests."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.skew import SKEW

import gough
from gough.limits import _margins as layout
from gough.limits.table import limit_table
from gough.regions import box
from gough.regions._regular import Platform, regular_boxes
from gough.regions._struts import BoxMotion
from gough.regions.cells import Cells, motion_of
from gough.regions.least_singular import least_of_struts
from gough.regions.leg_limits import CARRIED, STROKES, LegLimits
from gough.regions.quadratic import least_values
from gough.regions.taylor import Model

PLACES = 400
OPTIONS = {"ftol": 1e-12, "maxiter": 300}
SHAPES = {"turn": (0.0, 0.3), "tilt": (0.0, 0.3), "euler": (0.0, 0.3), "both": (0.05, 0.2)}


def some_region(m, shape):
    shift, turn = SHAPES[shape]
    how = {
        "turn": {"turn": turn},
        "tilt": {"tilt": turn, "roll": turn / 2},
        "euler": {"euler": [turn, turn / 2, turn], "sequence": "XYZ"},
        "both": {"turn": turn},
    }
    return box(m.home_point, [shift * m.size] * 3, about=m.point_of_interest, reference=m.home, **how[shape])


def own_functions(m, own, X):
    """The functions (k, n) of limits (k,) at poses (n,)."""
    d = X[:, None, :3, 3] + m.b_P[own.legs] @ np.swapaxes(X[:, :3, :3], 1, 2) - m.legs.rest()[own.legs]
    squared, level = np.sum(d * d, axis=-1), own.level**2
    axis = np.where(np.isin(own.kinds, CARRIED)[:, None], own.axis @ np.swapaxes(X[:, :3, :3], 1, 2), own.axis)
    along = np.sum(d * axis, axis=-1) ** 2 - level * squared
    sign = np.where(own.kinds == layout.LONGEST, -1.0, 1.0)
    return np.where(np.isin(own.kinds, STROKES), sign * (squared - level), along).T


def places(m, own, region, motion, rng):
    """Displacements (k, n, 6) in the region: random, and turns about r x q and across r with shifts along r."""
    z = np.tile(region.places(PLACES, rng), (len(own.legs), 1, 1)) - region.centre
    place = motion.X[:, :3, :3] @ motion.about + motion.X[:, :3, 3]
    r = (m.b_P[own.legs] - motion.about) @ motion.X[0, :3, :3].T
    aimed = np.cross(r, place - m.legs.rest()[own.legs])
    for k in range(len(r)):
        turn, along = (v[k] / np.linalg.norm(v[k]) for v in (aimed, r))
        for row, sign in enumerate((1.0, -1.0)):
            z[k, row, 3:] = sign * turn
            z[k, row, :3] = 10 * along
            z[k, row + 2, :3] = -10 * along
            z[k, row + 2, 3:] = sign * turn
        z[k, :4] = region.moved_inside(region.centre + z[k, :4]) - region.centre
    return z


@pytest.mark.parametrize("shape", SHAPES)
def test_what_functions_of_struts_lack_is_within_their_rests_and_nearly_as_much(shape, rng):
    m = gough.load(SKEW[0])
    table = limit_table(m)
    own = LegLimits.of(m, table, np.ones(len(table.columns), dtype=bool))
    region = some_region(m, shape)
    cells = Cells(np.tile(region.centre, (len(own.legs), 1)), np.tile(region.half, (len(own.legs), 1)))
    found, lengths = own.functions(region, cells)
    reached = []
    for k, z in enumerate(places(m, own, region, motion_of(region, cells), rng)):
        one = own.chosen(np.array([k]))
        quadratic = found.value[k] + z @ found.gradient[k] + np.einsum("ni,ij,nj->n", z, found.hessian[k], z) / 2
        off = own_functions(m, one, region.poses(region.centre + z))[0] - quadratic
        reached.append(np.abs(off).max() / found.remainder[k])
    is_stroke = np.isin(own.kinds, STROKES)
    reached = np.array(reached)
    assert reached.max() <= 1
    assert reached[is_stroke].max() > 0.15
    assert reached[~is_stroke & (found.remainder < np.inf)].max() > 0.05
    assert (lengths[:, 0] > 0).all()


def test_squared_lengths_of_turned_struts_lack_no_more_than_their_rest_and_nearly_all_of_it(rng):
    """|q + exp(v) r|^2, at turns about r x q, where the third order is whole."""
    m, turn, reached = gough.load("jugglebot"), 0.1, []
    table = limit_table(m)
    own = LegLimits.of(m, table, np.ones(len(table.columns), dtype=bool))
    own = own.chosen(np.flatnonzero(own.is_stroke))
    for _ in range(4):
        about = m.point_of_interest + 0.2 * m.size * rng.normal(size=3)
        region = box(m.home_point, [0.0] * 3, turn=turn, about=about, reference=m.home)
        cells = Cells(np.tile(region.centre, (len(own.legs), 1)), np.tile(region.half, (len(own.legs), 1)))
        found, _ = own.functions(region, cells)
        r = (m.b_P[own.legs] - about) @ m.X_home[:3, :3].T
        axis = np.cross(r, m.home_point - m.legs.rest()[own.legs])
        v = turn * axis / np.linalg.norm(axis, axis=-1, keepdims=True)
        z = np.concatenate([np.zeros_like(v), v], axis=-1)
        quadratic = (
            found.value + np.sum(z * found.gradient, axis=-1) + np.einsum("ni,nij,nj->n", z, found.hessian, z) / 2
        )
        off = np.diag(own_functions(m, own, region.poses(region.centre + z))) - quadratic
        reached.append(np.abs(off) / found.remainder)
    assert np.max(reached) <= 1
    assert np.max(reached) > 0.8


@pytest.mark.parametrize("name", SKEW[:1] + ("hexel",))
def test_squares_of_boxes_about_places_outside_count_where_what_is_squared_is_positive(name, rng):
    """Boxes whose centre is not of the region: at no corner that is, a strut points away from a joint's axis."""
    m = gough.load(name)
    table = limit_table(m)
    own = LegLimits.of(m, table, np.ones(len(table.columns), dtype=bool))
    own = own.chosen(np.flatnonzero(~own.is_stroke))
    region = box(m.home_point, [2 * m.size] * 3, turn=1.0, about=m.point_of_interest, reference=m.home)
    corners, seen = np.array(list(product((-1.0, 1.0), repeat=6))), {True: 0, False: 0}
    for _ in range(20):
        half = region.half * 10 ** rng.uniform(-2, 0, 6)
        outside = 1 + 0.5 * half[0] / region.half[0]
        off = region.half * np.append(outside * rng.choice([-1, 1]), rng.uniform(-1, 1, 5))
        found, _ = own.functions(region, Cells(*(np.tile(z, (len(own.legs), 1)) for z in (region.centre + off, half))))
        z = region.centre + np.clip(off + corners * half, -region.half, region.half)
        X = region.poses(z[region.excess(z) <= 0])
        R = np.swapaxes(X[:, :3, :3], 1, 2)
        d = X[:, None, :3, 3] + m.b_P[own.legs] @ R - m.legs.rest()[own.legs]
        axis = np.where(np.isin(own.kinds, CARRIED)[:, None], own.axis @ R, own.axis)
        along = np.sum(d * axis, axis=-1).min(axis=0, initial=np.inf)
        counts = found.remainder < np.inf
        assert (along[counts] > 0).all()
        seen[True] += counts.sum()
        seen[False] += (along < 0).sum()
    assert min(seen.values()) > 0


@pytest.mark.parametrize("groups", [((0,), (1,), (2,), (3,), (4,), (5,)), ((0, 1, 2), (3, 4), (5,))])
def test_least_values_of_quadratics_are_those_of_a_solver(groups, rng):
    """Convex ones, by sequential quadratic programming over box and region: with a hundredth more than the minimum they
    are proven to be above zero, and with a little less not."""
    m = gough.load("hexel")
    region = box(m.home_point, [1.0, 0.5, 0.7], turn=1.0)
    region = type(region)(centre=region.centre, half=region.half, groups=groups)
    for _ in range(10):
        A, gradient, off = rng.normal(size=(6, 6)), 3 * rng.normal(size=6), 0.3 * region.half * rng.uniform(-1, 1, 6)
        cell, hessian = Cells((region.centre + off)[None], 0.7 * region.half[None]), A @ A.T

        def value(z, gradient=gradient, hessian=hessian):
            return gradient @ z + z @ hessian @ z / 2

        rings = [
            {"type": "ineq", "fun": lambda z, g=list(g), o=off: 1 - np.sum(((z + o)[g] / region.half[g]) ** 2)}
            for g in groups
        ]
        sides = [(-h, h) for h in cell.half[0]]
        least = minimize(value, -off, bounds=sides, constraints=rings, method="SLSQP", options=OPTIONS).fun
        for part, is_above in ((0.99999, False), (1.01, True)):
            functions = Model(np.array([-part * least]), gradient[None], hessian[None], np.zeros(1), cell.half)
            assert (least_values(region, cell, functions).lower[0] >= 0) == is_above


def test_a_concave_quadratic_is_bounded_and_cut_where_it_is_not_below_zero(rng):
    """The places below zero are at one corner: all that is left is near it."""
    m = gough.load("hexel")
    region = box(m.home_point, [1.0] * 3, euler=[1.0] * 3, sequence="XYZ")
    gradient, hessian = np.array([1.0, 2, 1, 2, 1, 2]), -0.1 * np.eye(6)
    least = 9 + 0.3  # of -f(0) at the corner -1, -1, ...
    functions = Model(np.array([least - 1e-3]), gradient[None], hessian[None], np.zeros(1), region.half[None])
    found = least_values(region, Cells(region.centre[None], region.half[None]), functions)
    assert -0.01 < found.lower[0] <= -1e-3
    corner = region.centre - region.half
    assert (np.abs(corner - found.left.centre) <= found.left.half * (1 + 1e-6)).all()
    assert (found.left.half < 0.02).all()
    z, along = np.tile(corner, (6000, 1)), np.arange(6000) % 6
    z[np.arange(6000), along] += 4e-3 * rng.uniform(0, 1, 6000)
    off = z - region.centre
    is_out = (np.abs(z - found.left.centre) > found.left.half).any(axis=1)
    value = functions.value + off @ gradient + np.sum(off @ hessian * off, axis=1) / 2
    assert (value[is_out] >= 0).all()
    assert (value < 0).any()
    assert is_out.any()


def test_functions_of_little_curvature_at_their_multipliers_are_bounded_tightly(rng):
    """Concave and nearly flat ones, in boxes far from square: M is nearly singular at the best multipliers. Bounds are
    below the corners, where such functions are smallest, and what is left holds all of these that are below zero."""
    region = box([0.0] * 3, [1.0] * 3, euler=[1.0] * 3, sequence="XYZ")
    corners = np.array(list(product((-1.0, 1.0), repeat=6)))
    for _ in range(200):
        half, V = 10 ** rng.uniform(-6, 0, 6), np.linalg.qr(rng.normal(size=(6, 6)))[0]
        hessian = -(V * 10 ** rng.uniform(-9, 0, 6)) @ V.T * 10 ** rng.uniform(-3, 3)
        gradient = rng.normal(size=6) / half * 10 ** rng.uniform(-2, 0)
        z = corners * half
        f = z @ gradient + np.sum(z @ hessian * z, axis=1) / 2
        value = -f.min() * (1 + 10 ** rng.uniform(-8, -1) * rng.choice([-1, 1]))
        functions = Model(*(np.array([x]) for x in (value, gradient, hessian, 0.0, half)))
        found = least_values(region, Cells(np.zeros((1, 6)), half[None]), functions)
        f += value
        assert found.lower[0] <= f.min() + 1e-12 * np.abs(f).max()
        is_left = (np.abs(z - found.left.centre) <= found.left.half * (1 + 1e-6) + 1e-9 * half).all(axis=1)
        assert is_left[f < -1e-12 * np.abs(f).max()].all()


def test_struts_that_turn_far_are_decided_to_a_thousandth_with_few_boxes():
    """What is left of third order is a matter of turns: where only positions are halved it takes thousands of boxes."""
    m = gough.load("hexel")
    turns = {"euler": [0.3, 0.3, 0.5], "sequence": "XYZ"}
    region = box(m.home_point, [0.16, 0.16, 0.1], about=m.point_of_interest, reference=m.home, **turns)
    found = gough.largest_region(m, region, max_boxes=1000)
    assert 0.5 < found.scale < found.refuted <= found.scale / (1 - 1e-3)


@pytest.mark.parametrize("shape", ["turn", "both"])
def test_struts_in_axes_of_the_platform_change_no_more_than_their_bound(shape, rng):
    """|C G - 1| less its linear part, entry by entry, and singular values, of random places of the region."""
    m = gough.load(SKEW[0])
    region = some_region(m, shape).scaled(0.5)
    cell = Cells(region.centre[None], region.half[None])
    motion = motion_of(region, cell)

    def rows(X):
        R, rho = X[:3, :3], (m.b_P - m.platform_centre) @ X0[:3, :3].T / m.characteristic_length
        d = (X[:3, 3] + m.b_P @ R.T - m.legs.rest()) @ R @ X0[:3, :3].T
        return np.concatenate([d, np.cross(rho, d)], axis=1)

    X0 = motion.X[0]
    C = np.linalg.inv(rows(X0))
    platform = Platform(m.table, m.platform_centre, m.characteristic_length, m.size)
    bound = regular_boxes(platform, region.arrays, BoxMotion(*motion[:6]))[2][0]
    step = 1e-4
    gradients = [
        (rows(region.poses((region.centre + e)[None])[0]) - rows(region.poses((region.centre - e)[None])[0])) / 2 / step
        for e in step * np.eye(6)
    ]
    worst, least = np.zeros((6, 6)), np.inf
    for z in region.places(PLACES, rng):
        X = region.poses(z[None])[0]
        off = C @ (rows(X) - rows(X0) - np.einsum("j,jab->ab", z - region.centre, gradients))
        worst = np.maximum(worst, np.abs(off) / (bound + 1e-8))
        least = min(least, float(gough.margins(m, X).values[-1]) + m.limits.singular_value)
    assert worst.max() <= 1
    assert worst.max() > 0.1
    sigma = least_of_struts(m, region, motion_of(region, cell))[0][0]
    assert 0.05 * least < sigma <= least


def test_boxes_with_a_singular_pose_at_a_corner_are_not_regular(rng):
    """Of positions at one orientation: rows of struts are linear there, and nothing else is in the bound."""
    m = gough.load("jugglebot")
    X0, tried = m.X_home, 0
    rho = (m.b_P - m.platform_centre) @ X0[:3, :3].T / m.characteristic_length

    def rows(g):
        return np.concatenate([g, np.cross(rho, g)], axis=1)

    at_home = rows(X0[:3, 3] + m.b_P @ X0[:3, :3].T - m.legs.rest())
    for _ in range(50):
        direction = rng.normal(size=3)
        values = np.linalg.eigvals(np.linalg.solve(at_home, rows(np.tile(direction, (6, 1)))))
        real = values[(np.abs(values.imag) < 1e-12) & (np.abs(values.real) > 1e-6)].real
        if not len(real):
            continue
        reach = np.abs(direction / real[np.argmax(np.abs(real))])
        for part, is_singular in ((1.001, True), (0.05, False)):
            region = box(X0[:3, 3], part * reach, reference=X0[:3, :3])
            cell = Cells(region.centre[None], region.half[None])
            sigma = least_of_struts(m, region, motion_of(region, cell))[0][0]
            assert (sigma == 0) == is_singular
        tried += 1
    assert tried > 10
