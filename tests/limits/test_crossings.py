"""Paths that cross the singular surface twice close by: no travel, column or ray leads over them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.interpolate import BPoly
from tests.crossings import KINDS, SCAN, kept, poses_along, study
from tests.independent import machines
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.limits._determinant import (
    LENGTH_OF_PATH,
    NUMBERS,
    STRAIGHT,
    TURNING,
    WHOLE,
    degree_along,
    expand,
    sign_changes,
)
from gough.limits._paths import TWIST, Path
from gough.limits._regular_step import largest_change
from gough.limits.interval_search import columns_along, limits_for_search, rays_from_home, twists_along

MICROMETRE = 1e-6


@pytest.fixture(scope="module")
def flat():
    return gough.load(machines.TWO_CROSSINGS)


def test_a_travel_ends_at_the_first_of_three_crossings(flat):
    """Roots of det [d, b x d], a cubic in z, from four of its values."""
    z = np.array([-0.3, -0.2, -0.1, 0.0])
    d = (flat.b_P + flat.X_home[:3, 3])[None] + z[:, None, None] * [0, 0, 1.0] - flat.legs.rest()
    det = np.linalg.det(np.concatenate([d, np.cross(flat.b_P[None], d)], axis=-1))
    roots = np.sort(np.roots(np.polyfit(z, det, 3)).real)
    t = gough.travel(flat, [0, 0, -1, 0, 0, 0])
    assert t.binding == "singularity"
    assert float(t.distance) == pytest.approx(-roots[-1], abs=1e-12)
    assert roots[-1] - roots[-2] < 0.01  # two crossings within a centimetre


@pytest.mark.parametrize(("count", "each"), [(4, 5), *thorough((100, 10))])
def test_no_travel_of_random_flat_machines_is_longer_than_the_first_crossing(count, each):
    found = study(count, each, np.random.default_rng(20))
    assert found.paths == count * each * len(KINDS)
    assert found.singular > 0.3 * found.paths
    assert (found.too_long, found.too_short) == (0, 0)


def scanned(m, starts, directions, ends):
    """Number of paths from positions (n, 3) along e (n, 3) on which other poses are allowed than `ends` (n, k, 2)."""
    wrong = 0
    for start, e, of_path in zip(starts, directions, ends, strict=True):
        last = np.nanmax(of_path, initial=0.0) + 0.1 * m.size
        s = np.linspace(0, last, SCAN)
        X = m.X_home.copy()
        X[:3, 3] = start - X[:3, :3] @ m.point_of_interest
        R = np.broadcast_to(X[:3, :3], (SCAN, 3, 3))
        strokes, same = kept(m, np.concatenate([m.X_home[None, :3, :3], R]),
                             np.concatenate([m.X_home[None, :3, 3], X[:3, 3] + s[:, None] * e]))  # fmt: skip
        allowed = (strokes & same)[1:]
        said = ((of_path[:, 0] - MICROMETRE < s[:, None]) & (s[:, None] < of_path[:, 1] + MICROMETRE)).any(axis=1)
        surely = ((of_path[:, 0] + MICROMETRE < s[:, None]) & (s[:, None] < of_path[:, 1] - MICROMETRE)).any(axis=1)
        wrong += bool((allowed & ~said).any() or (surely & ~allowed).any())
    return wrong


def test_columns_of_a_workspace_hold_exactly_what_a_scan_allows(flat, rng):
    feet = np.column_stack([rng.uniform(-0.2, 0.2, (80, 2)), np.full(80, -0.2)])
    found = columns_along(flat, limits_for_search(flat), flat.X_home[:3, :3], feet, 0.8)
    assert found.count.max() > 1
    assert not scanned(flat, feet, np.tile([0, 0, 1.0], (80, 1)), found.ends - feet[:, 2, None, None])


def test_rays_from_home_hold_exactly_what_a_scan_allows(flat, rng):
    e = rng.normal(size=(80, 3)) * [1, 1, 3]
    e /= np.linalg.norm(e, axis=1, keepdims=True)
    points = rays_from_home(flat, limits_for_search(flat), flat.X_home[:3, :3], e, 0.6)
    ends = ((points - flat.home_point) * e[:, None, None]).sum(axis=-1)
    assert not scanned(flat, np.tile(flat.home_point, (80, 1)), e, ends)


@pytest.mark.parametrize(("name", "is_rotation"), list(product(["hexel", SKEW[0]], [False, True])))
def test_the_determinants_form_has_its_values_and_counts_its_changes_of_sign(name, is_rotation, rng):
    """Bernstein's form against a scan; over parts of a path it changes its sign as often, or an even number more."""
    m, rows = gough.load(name), 4 * SCAN
    m = replace(m, limits=replace(m.limits, singular_value=0.0))
    arrays, length = limits_for_search(m), 3.0 if is_rotation else 5 * m.size
    degree, found = TURNING if is_rotation else STRAIGHT, 0
    s = np.linspace(0, length, rows)
    for e in rng.normal(size=(10, 3)):
        d = twists_along(e / np.linalg.norm(e), is_rotation=is_rotation)
        form = np.empty((3, TURNING + 1))
        form[NUMBERS, LENGTH_OF_PATH] = length
        path = Path(TWIST, m.X_home, m.point_of_interest, d)
        arguments = arrays, path, degree, np.eye(4), np.empty((6, 6)), form
        assert degree_along(arrays, path, form) == degree
        expand(*arguments)
        R, t = poses_along(m, d, s, euler=False)
        r = m.b_P @ np.swapaxes(R, 1, 2)
        rod = r + t[:, None] - m.legs.rest()
        det = np.linalg.det(np.concatenate([rod, np.cross(r, rod)], axis=-1)) / m.characteristic_length**9
        part = np.sin(s / 2) / (np.sin(s / 2) + np.sin((length - s) / 2)) if is_rotation else s / length
        weight = 1.0
        if is_rotation:  # the homogeneous polynomial on the chord, over that on the arc
            weight = np.linalg.norm([1 - part + part * np.cos(length / 2), part * np.sin(length / 2)], axis=0) ** degree
        there = BPoly(form[WHOLE, : degree + 1, None], [0.0, 1.0])(part)
        np.testing.assert_allclose(there, weight * det, atol=1e-12 * np.abs(form[WHOLE, : degree + 1]).max())
        for a, b in np.sort(rng.integers(0, rows, (20, 2)), axis=1):
            if b > a:
                changes = int((det[a:b] * det[a + 1 : b + 1] < 0).sum())
                counted = sign_changes(form, degree, part[a], part[b])
                assert counted >= changes
                assert (counted - changes) % 2 == 0
                found += changes
    assert found > 10


@pytest.mark.parametrize("name", SKEW)
def test_no_jacobian_changes_more_than_its_bound(name, rng):
    """Rows [u, R (b - c) x u / l] from central joints and driven points, at random poses and displacements."""
    m, largest = gough.load(name), 0.0
    arrays = limits_for_search(m)

    def rows(X):
        q = gough.inverse_kinematics(m, X)
        b = X[:3, :3] @ m.b_P.T + X[:3, 3:4]
        u = (b.T - m.legs.driven_points(q)) / np.linalg.norm(b.T - m.legs.driven_points(q), axis=1)[:, None]
        arm = (m.b_P - m.b_P.mean(axis=0)) @ X[:3, :3].T
        return np.concatenate([u, np.cross(arm, u) / m.characteristic_length], axis=1), b, m.legs.driven_points(q)

    for size in 10.0 ** rng.uniform(-4, -1, 60):
        move, turn = size * m.size * rng.uniform(), size * rng.uniform()
        e, w = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 3)))
        R, t = poses_along(m, np.concatenate([move * e, turn * w]), np.ones(1), euler=False)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = R[0], t[0]
        before, b, p = rows(m.X_home)
        arguments = arrays, m.X_home.copy(), np.vstack([p.T, b]), np.array(m.point_of_interest), move, turn
        bound = largest_change(*arguments)
        if np.isfinite(bound):
            part = np.linalg.norm(rows(X)[0] - before) / bound
            largest = max(largest, part)
    assert 0.2 < largest <= 1.0
