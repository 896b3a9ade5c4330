"""Paths that cross the singular surface twice close by: no travel, column or ray leads over them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.crossings import SCAN, kept, poses_along, study
from tests.independent import machines
from tests.independent.machine_file import read
from tests.independent.margins import margins as independent_margins
from tests.independent.product import built_in
from tests.independent.travel import turned_all
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.limits._paths import EULER, TWIST, Path
from gough.limits._singular_changes import COLUMN, new_jet, put_jet, second_order
from gough.limits.interval_search import columns_along, find_intervals, limits_for_search, rays_from_home
from gough.machine_parts import Limits

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


@pytest.mark.parametrize(("paths", "each"), [(40, 1), *thorough((400, 5))])
def test_no_travel_of_random_machines_is_longer_or_shorter_than_to_the_first_limit(paths, each):
    found = study(paths, each, 20)
    assert found.paths == paths
    assert found.singular > 0.1 * found.paths
    assert (found.too_long, found.too_short) == (0, 0), str(found)


@pytest.mark.parametrize("azimuth", np.deg2rad([221.2, 221.36, 221.5]))
def test_a_travel_ends_at_a_limit_that_is_grazed_close_to_the_end_of_reach(azimuth):
    """Rotations past which the longest stroke of a slider dips below zero over a few tenths of a milliradian: the
    second reader finds the elevation at which it is touched. Steps are short there, as rods are close to their reach.
    """
    name = "sinatra2009"
    same = read(next(path for path in built_in() if path.stem == name))

    def direction(elevation):
        flat = np.cos(elevation)
        return np.array([0, 0, 0, flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])

    def room(elevation):
        """Least margin of the stroke between 1.4 and 1.55 rad, by ever closer scans, and where it is."""
        low, high = 1.4, 1.55
        for _ in range(5):
            s = np.linspace(low, high, 101)
            value = independent_margins(same, *turned_all(same, s[:, None] * direction(elevation)))["leg 6 highest"][0]
            k = int(value.argmin())
            low, high = s[max(k - 1, 0)], s[min(k + 1, 100)]
        return value[k], s[k]

    edge = brentq(lambda elevation: room(elevation)[0], *np.deg2rad([-37.6, -36.8]), xtol=1e-14)
    beside = np.logspace(-8, -5, 7)
    outside, inside = (
        gough.travel(gough.load(name), np.array([direction(edge + side * e) for e in beside]), euler=True).distance
        for side in (1, -1)
    )
    assert (outside < room(edge)[1]).all()
    assert (inside > 1.7).all()


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


def as_matrices(R, t):
    """Poses (n, 4, 4)."""
    X = np.zeros((len(t), 4, 4))
    X[:, :3, :3], X[:, :3, 3], X[:, 3, 3] = R, t, 1.0
    return X


@pytest.mark.parametrize(("name", "kind"), list(product(SKEW, [TWIST, EULER])))
@np.errstate(all="ignore")  # a leg may be out of its reach
def test_no_row_departs_from_its_tangent_by_more_than_its_bound(name, kind, rng):
    """Rows [u, R (b - c) x u / l] from central joints and driven points, about random places of random paths."""
    m, largest = gough.load(name), 0.0
    arrays, jet = limits_for_search(m), new_jet()

    def rows(d, s):
        R, t = poses_along(m, d, np.array([s]), euler=kind == EULER)
        q = gough.inverse_kinematics(m, as_matrices(R, t)[0])
        rod = m.b_P @ R[0].T + t[0] - m.legs.driven_points(q)
        u = rod / np.linalg.norm(rod, axis=1)[:, None]
        arm = (m.b_P - m.b_P.mean(axis=0)) @ R[0].T
        return np.concatenate([u, np.cross(arm, u) / m.characteristic_length], axis=1)

    for size in 10.0 ** rng.uniform(-3, -1, 40):
        v, w = rng.normal(size=(2, 3))
        d, s = (
            np.concatenate([m.size * v * rng.uniform(0, 2), w]) * (kind == TWIST) + [0, 0, 0, *w * (kind == EULER)],
            0,
        )
        d, s = d / np.linalg.norm(d[3:]), 0.1 * rng.uniform(-1, 1)
        turn, twist = put_jet(arrays, Path(kind, m.X_home, m.point_of_interest, d), s, np.eye(4), jet)
        J, rate = jet.J[:, :6].copy(), jet.J[:, 6:12].copy()
        np.testing.assert_allclose(J, rows(d, s), atol=1e-12)
        for x in size * np.array([-1.0, 1.0]):
            off = np.linalg.norm(rows(d, s + x) - J - x * rate, axis=1)
            for i in range(6):
                jet.legs[COLUMN] = np.eye(6)[i]
                bound = 0.5 * x * x * second_order(jet.legs, turn, twist, abs(x))
                if np.isfinite(bound):
                    largest = max(largest, off[i] / (bound + 1e-12))
    assert 0.1 < largest <= 1.0


@pytest.mark.parametrize("name", SKEW)
def test_all_sign_changes_of_a_path_are_intervals_ends(name, rng):
    """Intervals of a machine limited by its singularity alone, against the sign of the determinant at a scan."""
    m, changes = gough.load(name), 0
    m = replace(m, limits=Limits())
    for e in rng.normal(size=(4, 6)):
        d = e / np.linalg.norm(e[3:]) * np.repeat([m.size, 1.0], 3)
        found = find_intervals(m, limits_for_search(m), m.X_home[None], d[None], np.array([2.0]))
        s = np.linspace(0.0, 2.0, SCAN)
        R, t = poses_along(m, d, s, euler=False)
        allowed = (np.nan_to_num(gough.margins(m, as_matrices(R, t)).values, nan=-1.0) >= 0).all(axis=1)
        inside = ((found.ends[0, :, 0, None] <= s) & (s <= found.ends[0, :, 1, None])).any(axis=0)
        np.testing.assert_array_equal(inside, allowed)
        changes += int((np.diff(allowed.astype(int)) != 0).sum())
    assert changes > 2
