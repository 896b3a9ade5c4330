"""Compiled Taylor models are those of `gough.regions.taylor`: operations, and directions of rods."""

import numba
import numpy as np
import pytest
from tests.regions.complements import packed
from tests.skew import SKEW

import gough
from gough.regions import _taylor, ball, box
from gough.regions._directions import Place, scratch_of, write_directions
from gough.regions._linear import linear_least
from gough.regions._struts import BoxMotion
from gough.regions._taylor import NUMBERS
from gough.regions.cells import Cells, linear_minimum, motion_of
from gough.regions.least_singular import platform_of
from gough.regions.leg_models import LegModels
from gough.regions.taylor import Model

MACHINES = ("hexel", "sinatra2009", "servo", *SKEW)


def random_models(rng, n):
    """Positive quantities (n,) over boxes, some of which may be zero in theirs."""
    curves = rng.normal(size=(n, 6, 6)) * 0.02
    half = rng.uniform(0, 1, (n, 6)) * (rng.uniform(size=(n, 6)) > 0.2)
    value, rest = rng.uniform(0.05, 2.0, n), rng.uniform(0, 1e-3, n)
    return Model(value, rng.normal(size=(n, 6)) * 0.1, curves + np.swapaxes(curves, 1, 2), rest, half)


@numba.njit
def _apply(which, f, g, least, out):
    for k in range(len(f)):
        if which == 0:
            _taylor.multiply(f[k], g[k], out[k])
        elif which == 1:
            _taylor.write_reciprocal(f[k], out[k])
        else:
            _taylor.write_root(f[k], least, out[k])


def operations(f, g, least):
    """Pairs of a number of `_apply` and the model that it should write."""
    return ((0, f * g), (1, f.reciprocal), (2, f.root_if_any(least)))


def assert_same(rows, model):
    expected = packed(model)
    known = np.isfinite(model.remainder)
    assert (np.isfinite(rows[..., 1]) == known).all()
    scale = np.abs(model.value) + model.change
    assert (np.abs(rows - expected)[known] <= 1e-11 * (1 + scale[known])[:, None]).all()
    return known


@pytest.mark.parametrize("least", [0.0, 0.2])
def test_operations_are_those_of_models(least, rng):
    f, g = random_models(rng, 300), random_models(rng, 300)
    f, g = (Model(*m.parts, f.half) for m in (f, g))
    out = np.empty((300, NUMBERS))
    with np.errstate(all="ignore"):
        for which, model in operations(f, g, least):
            _apply(which, packed(f), packed(g), least, out)
            known = assert_same(out, model)
            assert known.any()
            assert known.all() == (which != 1)


@numba.njit
def _directions(platform, region, z, motion, is_sharp, rows, W, A, is_crank):
    longest = np.empty(len(z))
    for n in range(len(z)):
        half = motion.half[n]
        for i in range(3):
            for j in range(3):
                W[i, j] = motion.W[n, i, j] * half[3 + j]
        place = Place(motion.X[n], z[n], half, W, motion.turn[n], motion.bend[n] / 2)
        longest[n] = write_directions(platform, region, place, is_sharp, scratch_of(rows), A[n], is_crank)
    return longest


def regions_of(m):
    """A box and a ball of poses, about points off the axis."""
    about = {"about": m.point_of_interest + 0.03 * m.size, "reference": m.home}
    yield box(m.home_point, [0.1 * m.size] * 3, tilt=0.2, roll=0.1, **about)
    yield ball(m.home_point, 0.1 * m.size, turn=0.2, **about)


@pytest.mark.parametrize("name", MACHINES)
def test_directions_of_rods_are_those_of_leg_models(name, rng):
    m = gough.load(name)
    platform, rows, W = platform_of(m), np.empty((21, NUMBERS)), np.empty((3, 3))
    for region in regions_of(m):
        z = region.places(60, rng)
        half = rng.uniform(0, 1, (60, 6)) * np.repeat([0.02 * m.size, 0.02], 3) * 10 ** rng.uniform(-2, 0, (60, 1))
        motion, A = motion_of(region, Cells(z, half)), np.empty((60, 6, 6, NUMBERS))
        is_strut = m.legs.rod() is None
        is_crank = None if is_strut else m.legs.joint == "angle"
        for is_sharp in (False, True) if is_strut else (False,):
            longest = _directions(platform, region.arrays, z, BoxMotion(*motion[:6]), is_sharp, rows, W, A, is_crank)
            with np.errstate(all="ignore"):
                models = LegModels(m, motion)
                u = models.rods * (1 / np.linalg.norm(models.rods.value, axis=-1, keepdims=True))
                far = np.linalg.norm(u.size, axis=-1).max(axis=1) if is_strut else np.ones(60)
                u = models.u if is_sharp or not is_strut else u
                arms = models.arms((m.b_P - m.platform_centre) / m.characteristic_length)
                moments = u.cross(arms.value)
            compared = (longest == 1.0) == is_sharp if is_strut else np.ones(60, dtype=bool)
            assert compared.any()
            for found, model in ((A[compared][:, :, :3], u), (A[compared][:, :, 3:], moments)):
                expected = packed(model)[compared]
                known = np.isfinite(expected[..., 1])
                assert (np.isfinite(found[..., 1]) == known).all()
                # Where little is left roots are by derivatives. Others may be by chords, from ends that a part of 1e-9
                # of the half widths moves; near the end of the reach its root enters.
                is_smooth = known & (expected[..., 1] < 1e-6)
                assert is_smooth.mean() > 0.1
                for which, numbers, rest in ((is_smooth, 1e-9, 1e-3), (known, 2e-6, 0.05)):
                    one, other = found[which], expected[which]
                    np.testing.assert_allclose(np.delete(one, 1, 1), np.delete(other, 1, 1), rtol=0, atol=numbers)
                    np.testing.assert_allclose(one[:, 1], other[:, 1], rtol=rest, atol=1e-10)
            if is_strut and not is_sharp:
                np.testing.assert_allclose(longest, far, rtol=1e-9)


@numba.njit
def _least(region, z, half, g):
    return np.array([linear_least(region, z[k], half[k], g[k]) for k in range(len(z))])


def test_least_linear_values_over_balls_and_boxes_are_those_of_cells(rng):
    """Lower bounds that a sampled place comes near."""
    m = gough.load("hexel")
    for region in regions_of(m):
        z = region.places(200, rng)
        half, g = rng.uniform(0, 1, (200, 6)) * region.half, rng.normal(size=(200, 6))
        found = _least(region.arrays, z, half, g * half)
        expected = linear_minimum(region, Cells(z, half), g[:, None])[:, 0]
        np.testing.assert_allclose(found, expected, atol=1e-8)
