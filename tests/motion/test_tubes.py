"""Tubes: uncertainties that change along a path, and ellipsoids of covariances, proven and refuted."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough import motion
from gough.displacements import rotation_vectors
from gough.motion.path_models import PathModels
from gough.motion.tube import Tube
from gough.motion.uncertainty import Uncertainty
from gough.regions.requested import RegionLimits

ROOM = 1e-3
"""Between a path and a wall above it [m]."""
LEVEL = 0.95
QUANTILE = chi2.ppf(LEVEL, 6)


def walled():
    """A path along x under a wall."""
    m = gough.load("hexel")
    X = np.stack([gough.frames.displaced(m, gough.pose([x, 0, 0])).as_matrix() for x in (0, 0.02)])
    box = m.limits.box.copy()
    box[2, 1] = (m.X_home @ m.X_PT)[2, 3] + ROOM
    return replace(m, limits=replace(m.limits, box=box)), motion.via(X)


def some_path(m, rng, size):
    D = gough.pose_matrix(size * m.size * rng.normal(size=(4, 3)), size * rng.normal(size=(4, 3)), "XYZ")
    return motion.path_about_pivot(m, motion.Spline(D))


def some_covariance(m, rng, size):
    """Of displacements that hang together, some much larger than others."""
    A = size * rng.normal(size=(6, 6)) * 10 ** rng.uniform(-1.5, 0, 6) * [*[m.size] * 3, 1, 1, 1]
    A = A.T @ np.linalg.qr(rng.normal(size=(6, 6)))[0]
    return A @ A.T


@pytest.mark.parametrize("name", [SKEW[2], *thorough(*SKEW[:2])])
def test_a_constant_uncertainty_is_the_same_however_it_is_given(name, rng):
    m = gough.load(name)
    path, radii = some_path(m, rng, 0.06), (2e-3 * m.size, 2e-3)
    table = np.column_stack([path.span, [radii, radii]])
    ways = radii, table, lambda X: np.tile(radii, (len(X), 1))
    one, *others = (motion.check_path(m, path, uncertainty=each) for each in ways)
    assert others[0].sentence() == one.sentence()
    for other in others:
        assert other.verdict == one.verdict
        assert other.uncertainty == pytest.approx(radii)
        found = [[(part.start, part.end) for part in each.broken] for each in (one, other)]
        np.testing.assert_allclose(*found, atol=1e-3 * path.span[1])


def test_a_growing_uncertainty_is_broken_from_where_it_reaches_the_wall():
    m, path = walled()
    begin, end = path.span
    growing = [[begin, 0.0, 0.0], [(begin + end) / 2, 0.5 * ROOM, 0.0], [end, 1.5 * ROOM, 0.0]]
    found = motion.check_path(m, path, uncertainty=growing)
    (stretch,) = found.broken
    assert (stretch.start - begin) / (end - begin) == pytest.approx(0.75, abs=0.01)
    assert stretch.end == end
    assert -0.5 * ROOM <= stretch.worst < -0.2 * ROOM
    growing[-1][1] = 0.99 * ROOM
    assert motion.check_path(m, path, uncertainty=growing).is_proven


@pytest.mark.parametrize(("part", "verdict"), [(0.99, "proven"), (1.01, "refuted")])
def test_an_ellipsoid_is_proven_as_such(part, verdict):
    """Ten times as wide along the wall as towards it: balls about it would be broken."""
    m, path = walled()
    towards = part * ROOM / np.sqrt(QUANTILE)
    C = np.diag([10 * towards, 10 * towards, towards, 1e-5, 1e-5, 1e-5]) ** 2
    found = motion.check_path(m, path, uncertainty=C, confidence=LEVEL)
    assert found.verdict == verdict
    assert found.uncertainty[0] == pytest.approx(10 * part * ROOM)
    assert motion.check_path(m, path, uncertainty=found.uncertainty).verdict == "refuted"
    if verdict == "proven":
        assert "within 95 % of its errors, at most 9.9 mm" in found.sentence()
        return
    (stretch,) = found.broken
    assert stretch.limits[0] == "tool z max"
    assert (stretch.start, stretch.end) == path.span
    z = stretch.pose[:3, 3] - path(stretch.at)[0][:3, 3]
    assert z @ np.linalg.solve(C[:3, :3], z) <= QUANTILE * (1 + 1e-9)
    assert stretch.worst == pytest.approx(ROOM * (1 - part), rel=1e-3)


@pytest.mark.parametrize("name", SKEW)
def test_as_many_draws_are_in_an_ellipsoid_as_its_level_says_and_all_of_these_are_covered(name, rng):
    m = gough.load(name)
    path, C = some_path(m, rng, 0.06), [some_covariance(m, rng, 4e-3) for _ in range(2)]
    known = Uncertainty.of(lambda X: np.linspace(*C, len(X)), path, LEVEL)
    tube, at = Tube(RegionLimits.of(m), known), np.array([rng.uniform(*path.span)])
    X, near = path(at)[0], known.over(at, at)
    part = (at[0] - path.span[0]) / (path.span[1] - path.span[0])
    here = (1 - part) * C[0] + part * C[1] if len(known.s) == 65 else near.ends[0, 0] / QUANTILE
    z = rng.multivariate_normal(np.zeros(6), here, size=10_000)
    inside = np.einsum("ni,ij,nj->n", z, np.linalg.inv(here), z) <= QUANTILE
    assert inside.mean() == pytest.approx(LEVEL, abs=4 * np.sqrt(LEVEL * (1 - LEVEL) / 10_000))
    bounds = tube.bounds(PathModels.at(X), near)
    values = gough.margins(m, tube.displaced(np.repeat(X, inside.sum(), axis=0), z[inside])).values
    assert (np.where(np.isnan(values), np.inf, values) >= bounds.lower).all()
    slopes = rng.normal(size=(1, 40, 6)) / [*[m.size] * 3, 1, 1, 1]
    farthest = near.support(slopes)[0]
    along = z[inside] @ slopes[0].T
    assert (along <= farthest * (1 + 1e-9)).all()
    assert (along.max(axis=0) > 0.6 * farthest).all()
    assert -np.sum(near.lowest(slopes) * slopes, axis=-1) == pytest.approx(farthest[None], rel=1e-6)


@pytest.mark.parametrize("name", [SKEW[0], *thorough(*SKEW[1:])])
def test_tubes_of_covariances_are_kept_where_proven_and_broken_at_poses_in_them(name, rng):
    m = gough.load(name)
    path, C = some_path(m, rng, 0.08), [some_covariance(m, rng, 2e-3) for _ in range(2)]
    how = {"uncertainty": lambda X: np.linspace(*C, len(X)), "confidence": LEVEL}
    found, known = motion.check_path(m, path, **how), Uncertainty.of(how["uncertainty"], path, LEVEL)
    tube, s = Tube(RegionLimits.of(m), known), rng.uniform(*path.span, 3000)
    M = known.over(s, s).ends[:, 0]
    y = rng.normal(size=(len(s), 6, 1))
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    allowed = gough.limits.is_allowed(m, tube.displaced(path(s)[0], (np.linalg.cholesky(M) @ y)[..., 0]))
    covered = [(part.start <= s) & (s <= part.end) for part in (*found.broken, *found.undecided)]
    assert (allowed | np.any([s < -np.inf, *covered], axis=0)).all()
    assert sum(part.end - part.start for part in found.undecided) <= 0.05 * path.span[1]
    for part in found.broken:
        margins, X, at = gough.margins(m, part.pose), path(part.at)[0], np.array([part.at])
        assert margins.values[margins.names.index(part.limits[0])] == pytest.approx(part.worst, abs=1e-15)
        assert part.worst < 0
        turn = rotation_vectors(part.pose[:3, :3] @ X[:3, :3].T)
        z = np.append((part.pose - X)[:3, :3] @ m.point_of_interest + (part.pose - X)[:3, 3], turn)
        assert z @ np.linalg.solve(known.over(at, at).ends[0, 0], z) <= 1 + 1e-9


@pytest.mark.parametrize("kind", ["balls", "ellipsoids"])
def test_sets_of_a_part_of_a_path_hold_those_of_its_places_and_displacements_are_in_all_of_them(kind, rng):
    m, path = walled()
    C = np.stack([some_covariance(m, rng, size) for size in (1e-3, 3e-3)])
    tables = {"balls": np.column_stack([path.span, [[1e-3, 3e-2], [4e-3, 1e-2]]])}
    known = Uncertainty.of(tables.get(kind, lambda X: np.linspace(*C, len(X))), path, LEVEL)
    low, high = (np.array([part * path.span[1]]) for part in (0.1, 0.8))
    near, slopes = known.over(low, high), rng.normal(size=(1, 50, 6)) / [*[m.size] * 3, 1, 1, 1]
    z = near.lowest(slopes)[0]
    for s in np.linspace(low, high, 9):
        here = known.over(s, s)
        assert (here.support(slopes) <= near.support(slopes) * (1 + 1e-9)).all()
        assert (here.half <= near.half * (1 + 1e-9)).all()
        assert (here.outer <= near.outer * (1 + 1e-9)).all()
        if kind == "ellipsoids":
            assert (np.sum(z * np.linalg.solve(here.ends[0, 0], z.T).T, axis=1) <= 1 + 1e-6).all()
        else:
            sizes = np.linalg.norm(z.reshape(-1, 2, 3), axis=-1)
            assert (sizes <= here.outer * (1 + 1e-9)).all()
