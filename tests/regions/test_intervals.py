"""Bounds over boxes against interval arithmetic of another library (Arb, by python-flint), rounding included.

Every limit of every leg kind is computed a second time from the machine's numbers, in 128 bits with proven error: at
the place of the box where the limit is nearest, which no lower bound may pass by a single rounding, and those of joints
over the whole box at once.
"""

from collections import Counter

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.limits.table import limit_table
from gough.regions import box
from gough.regions.box_limits import limits_over_cells
from gough.regions.cells import Cells
from gough.regions.requested import RegionLimits

flint = pytest.importorskip("flint")

from tests.regions.arb import Pose, arb, arbs  # noqa: E402 - it needs the library

BOXES = 112
"""Of each machine and kind of orientation coordinates: 1,008 in all."""
PRECISION = 128
"""Bits."""
SIZES = (-13, -1)
"""Powers of ten of the boxes' sizes, of the machine's: the smallest have nothing but rounding."""
ROUND_OFF = 1e-12
"""Of margins in floating point, in their scales."""
FAR = 1e-3
"""Part of the machine that rods have left of their reach where margins are so good: at its end they are roots."""
TURNS = ({"turn": 3.0}, {"tilt": 3.0, "roll": 3.0}, {"euler": [3.0] * 3, "sequence": "XYZ"})


@pytest.fixture(autouse=True)
def precision():
    before, flint.ctx.prec = flint.ctx.prec, PRECISION
    yield
    flint.ctx.prec = before


def boxes_about(m, region, rng):
    """Boxes about places near home where every leg closes, every third at the end of the rods' reach, every fifth with
    no size."""
    weight = np.repeat([m.size, 1.0], 3)
    c = region.centre + 0.05 * weight * rng.uniform(-1, 1, (2 * BOXES, 6))
    if m.legs.rod() is not None:
        c[::3] = ends_of_reach(m, region, c[::3])
    c = c[np.isfinite(gough.margins(m, region.poses(c)).values).all(axis=1)][:BOXES]
    size = 10 ** rng.uniform(*SIZES, (len(c), 1))
    return Cells(c, size * weight * rng.uniform(0, 1, c.shape) * (np.arange(len(c))[:, None] % 5 > 0))


def ends_of_reach(m, region, places):
    """The last coordinates away from the region's centre, each in its direction, at which all rods close."""
    low, high = np.zeros((len(places), 1)), np.full((len(places), 1), 100.0)
    for _ in range(64):
        middle = (low + high) / 2
        X = region.poses(region.centre + middle * (places - region.centre))
        closes = np.isfinite(gough.inverse_kinematics(m, X)).all(axis=1, keepdims=True)
        low, high = np.where(closes, middle, low), np.where(closes, high, middle)
    return region.centre + low * (places - region.centre)


def compared(names, rng):
    """Names of limits that a box's bounds are compared for, each with the function of a pose that has its margin."""
    leg, (i, j) = int(rng.integers(6)), sorted(rng.choice(6, 2, replace=False).tolist())
    joints = [name for name in names if name.startswith(f"leg {leg + 1} ")]
    tool = [name for name in names if name.startswith("tool")]
    yield from ((name, lambda pose: pose.joints(leg)) for name in rng.choice(joints, 4, replace=False))
    yield f"legs {i + 1}-{j + 1} clearance", lambda pose: pose.clearance(i, j)
    yield rng.choice(tool), lambda pose: pose.tool()
    yield "singularity", lambda pose: pose.singularity()


@pytest.mark.parametrize("name", [SKEW[2], *thorough(*SKEW[:2])])
def test_no_bound_passes_what_interval_arithmetic_proves(name):
    m, rng = gough.load(name), np.random.default_rng(0)
    names = [column.name for column in limit_table(m).columns]
    scales = np.array([column.scale for column in limit_table(m).columns])
    reaches = [k for k, each in enumerate(names) if each.endswith("reach")]
    sharper, seen = [], set()
    for turns in TURNS:
        region = box(m.X_home[:3, 3], [m.size] * 3, reference=m.home, **turns)
        cells = boxes_about(m, region, rng)
        bounds = limits_over_cells(RegionLimits.of(m), region, cells, np.ones(len(names), dtype=bool))
        values = gough.margins(m, region.poses(cells.centre)).values
        assert len(cells) == BOXES
        for k, (c, half) in enumerate(zip(*cells, strict=True)):
            over = Pose(m, region, [flint.arb(float(x), float(h)) for x, h in zip(c, half, strict=True)])
            for each, margin in compared(names, rng):
                column = names.index(each)
                lower, where = arb(bounds.lower[k, column]), (each, turns, c, half)
                if k % 5 == 1 and (values[k, reaches] > FAR * m.size).all():
                    middle = float(margin(Pose(m, region, arbs(c)))[each].mid())
                    assert abs(middle - values[k, column]) <= ROUND_OFF * max(scales[column], 1), where
                lowest = np.sign(bounds.gradient[k, column]) * half
                at = margin(Pose(m, region, [arb(x) - arb(h) for x, h in zip(c, lowest, strict=True)]))[each]
                assert not at.is_finite() or lower <= at.upper(), where
                seen.add(each)
                if each.startswith("leg ") and (whole := margin(over)[each]).is_finite():
                    assert lower <= whole.upper(), where
                    sharper.append(bool(lower > whole.lower()))
    assert seen == set(names)
    assert np.mean(sharper) > 0.5


@pytest.mark.parametrize("name", SKEW)
def test_no_singular_value_is_below_what_is_proven(name):
    """Over boxes of which a bound is proven, the matrix J^T J less its square is positive definite by Arb at places of
    the box: every pivot of its elimination is above zero, rounding included."""
    m, rng, proven = gough.load(name), np.random.default_rng(1), Counter()
    region = box(m.X_home[:3, 3], [m.size] * 3, reference=m.home, turn=3.0)
    centres = boxes_about(m, region, rng).centre[::4]
    sizes = 10 ** rng.uniform(-3, -1, (len(centres), 1)) * np.repeat([m.size, 1.0], 3)
    cells = Cells(centres, sizes * rng.uniform(0, 1, centres.shape))
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T
    for k, (c, half) in enumerate(zip(*cells, strict=True)):
        found = np.abs(gough.margins(m, region.poses(c + half * corners)).values[:, -1] + m.limits.singular_value)
        if np.isnan(found).any():
            continue
        lowest = corners[np.argmin(found)]
        for part in (0.0, 0.5, 0.9, 0.99, 1.0002):
            bound = max(part * found.min(), 1e-12)
            limits = RegionLimits.regular(m, bound)
            every = np.array([column.is_singularity for column in limits.columns])
            lower = limits_over_cells(limits, region, cells.chosen(slice(k, k + 1)), every).lower[0, -1] + bound
            if lower < bound:
                continue
            assert part < 1, "above the value at a corner"
            proven[part] += 1
            for x in (lowest, rng.uniform(-1, 1, 6)):
                place = [arb(z) + arb(h) * arb(s) for z, h, s in zip(c, half, x, strict=True)]
                pivots = Pose(m, region, place).singular_pivots(lower)
                assert all(pivot > 0 or not pivot.is_finite() for pivot in pivots), (part, k, x)
    assert min(proven[part] for part in (0.0, 0.5, 0.9)) > 5
