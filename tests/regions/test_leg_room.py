"""Angles between neighbouring legs and distances of legs from a cylinder, against geometry of their own."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from tests.skew import SKEW

import gough
from gough.regions import CylinderLimit, LegAngleLimit, box
from gough.regions.box_limits import limits_over_cells
from gough.regions.cells import Cells
from gough.regions.requested import RegionLimits

NAMES = ("hexel", *SKEW)
ROUND_OFF = 1e-12
ANGLE_ERROR = 1e-9
"""Of an arc cosine of a number in double precision [rad], and of bounded least squares, in machine sizes."""


def small(m, size=0.02):
    """A region about home."""
    return box(m.X_home[:3, 3], [size * m.size] * 3, tilt=size, roll=size, reference=m.home)


def rods(m, X):
    """Driven points and rods' vectors (n, 6, 3)."""
    b = m.b_P @ np.swapaxes(X[:, :3, :3], 1, 2) + X[:, None, :3, 3]
    p = m.legs.driven_points(gough.inverse_kinematics(m, X))
    return p, b - p


def neighbouring_angles(m, X):
    """Angles (n, 6) between legs 1-2 to 6-1 [rad]."""
    d = rods(m, X)[1]
    e = np.roll(d, -1, axis=1)
    return np.arctan2(np.linalg.norm(np.cross(d, e), axis=-1), (d * e).sum(axis=-1))


def distances(m, X, start, end):
    """Distances (n, 6) of the rods from a segment [m]: by bounded least squares over both parameters."""
    found = np.empty((len(X), 6))
    for k, (feet, ways) in enumerate(zip(*rods(m, X), strict=True)):
        for i, (p, d) in enumerate(zip(feet, ways, strict=True)):
            A = np.column_stack([d, start - end])
            s = lsq_linear(A, start - p, bounds=(0, 1), tol=1e-14).x
            found[k, i] = np.linalg.norm(A @ s - (start - p))
    return found


def post(m):
    """Ends of a skew axis through the machine [m]."""
    middle = m.legs.rest().mean(axis=0)
    return middle - [0, 0, 0.1 * m.size], middle + np.array([0.03, 0.04, 0.25]) * m.size


@pytest.mark.parametrize("name", NAMES)
def test_margins_are_those_of_geometry(name):
    m = gough.load(name)
    X = small(m).sample(20)
    angles = neighbouring_angles(m, X)
    found = LegAngleLimit(least=0.1, most=2.0).margins(m, X)
    np.testing.assert_allclose(found, np.hstack([angles - 0.1, 2.0 - angles]), atol=ANGLE_ERROR)
    radius, legs = 0.01 * m.size, 0.0 if m.limits.leg_radius is None else m.limits.leg_radius
    found = CylinderLimit(start=post(m)[0], end=post(m)[1], radius=radius).margins(m, X)
    np.testing.assert_allclose(found, distances(m, X, *post(m)) - radius - legs, atol=1e-6 * m.size)


@pytest.mark.parametrize("name", NAMES)
def test_no_margin_is_below_its_bound_over_boxes_nor_kept_where_it_is_broken(name, rng):
    m = gough.load(name)
    start, end = post(m)
    radii = [part * m.size for part in (1e-3, 0.3)]
    also = [LegAngleLimit(least=0.2, most=1.0), *(CylinderLimit(start=start, end=end, radius=each) for each in radii)]
    limits, region = RegionLimits.of(m, also), small(m, 0.1)
    own = len(limits.own.columns)
    for width in (1.0, 0.2, 0.01):
        half = np.tile(width * region.half, (30, 1))
        cells = Cells(region.centre + rng.uniform(-1, 1, (30, 6)) * (region.half - half), half)
        found = limits_over_cells(limits, region, cells, np.ones(len(limits.columns), dtype=bool))
        bounds, is_broken = found.lower[:, own:], found.broken[:, own:]
        places = cells.centre[:, None] + rng.uniform(-1, 1, (30, 40, 6)) * half[:, None]
        X = region.poses(places.reshape(-1, 6))
        around = np.where(region.contains(X)[:, None], limits.margins(X)[:, own:], np.inf).reshape(30, 40, -1)
        assert not (around < bounds[:, None] - ROUND_OFF * limits.scales[own:]).any()
        assert not (is_broken[:, None] & (around > ROUND_OFF) & np.isfinite(around)).any()
    assert np.isfinite(bounds).mean() > 0.9
    assert is_broken[:, :12].any()
    assert is_broken[:, 18:].any()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["least", "most", "cylinder"])
def test_regions_are_proven_and_refuted_next_to_the_worst_pose(name, kind):
    m = gough.load(name)
    region, ignored = small(m), gough.margins(m, m.home).names
    start, end = post(m)
    make = {
        "least": lambda bound: LegAngleLimit(least=bound),
        "most": lambda bound: LegAngleLimit(most=bound),
        "cylinder": lambda bound: CylinderLimit(start=start, end=end, radius=bound),
    }[kind]
    first, sign = {"least": (0.01, 1), "most": (3.1, -1), "cylinder": (1e-4 * m.size, 1)}[kind]
    spare = make(first).margins(m, region.sample(4000)).min(axis=1)
    worst, spread = first + sign * spare.min(), sign * np.ptp(spare)
    kept, crossed = make(worst - 0.2 * spread), make(worst + 0.05 * spread)
    proof, refutation = (gough.certify_region(m, region, also=limit, ignore=ignored) for limit in (kept, crossed))
    assert [proof.verdict, refutation.verdict] == ["proven", "refuted"]
    assert crossed.margins(m, refutation.witness[None]).min() < 0
    assert region.contains(refutation.witness)


def test_limits_count_in_the_largest_region():
    m = gough.load("hexel")
    ignored, at_home = gough.margins(m, m.home).names, float(neighbouring_angles(m, m.X_home[None]).min())
    found = gough.largest_region(m, small(m), also=LegAngleLimit(least=0.9 * at_home), ignore=ignored, rtol=0.01)
    assert 0 < found.scale < found.refuted < 1.02 * found.scale
    assert neighbouring_angles(m, small(m).scaled(found.scale).sample(5000)).min() > 0.9 * at_home
