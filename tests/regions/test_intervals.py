"""Bounds over boxes against interval arithmetic of another library (Arb, by python-flint), rounding included.

The limits of joints and cones are computed a second time from the machine's numbers, in 128 bits with proven error: at
the place of the box where the limit is nearest, which no lower bound may pass by a single rounding, and over the whole
box at once.
"""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.limits.table import limit_table
from gough.regions import box
from gough.regions.cell_bounds import bounds_of
from gough.regions.cells import Cells

flint = pytest.importorskip("flint")
BOXES = 340
"""Of each machine."""
PRECISION = 128
"""Bits."""
SIZES = (-13, -1)
"""Powers of ten of the boxes' sizes, of the machine's: the smallest have nothing but rounding."""


def arb(x):
    return flint.arb(float(x))


def norm(v):
    return sum((x * x for x in v), flint.arb(0)).sqrt()


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), flint.arb(0))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotation(r):
    """Exp of a rotation vector (Rodrigues), with series about zero: sin(x)/x and (1 - cos x)/x^2 by sinc."""
    t = norm(r) if all(x.rad() == 0 for x in r) else (dot(r, r)).nonnegative_part().sqrt()
    s, c = t.sinc(), (t / 2).sinc() ** 2 / 2
    x, y, z = r
    K = ((0, -z, y), (z, 0, -x), (-y, x, 0))
    square = [
        [dot([flint.arb(a) for a in K[i]], [flint.arb(K[k][j]) for k in range(3)]) for j in range(3)] for i in range(3)
    ]
    return [[flint.arb(i == j) + s * K[i][j] + c * square[i][j] for j in range(3)] for i in range(3)]


def turned(R, v):
    return [dot(row, [arb(x) for x in v]) for row in R]


def margins(m, i, z):
    """Lowest, highest and base cone of a leg, at coordinates z: six balls, or points."""
    Q = rotation(z[3:])
    R = [[dot(Q[i], [arb(x) for x in m.X_home[:3, j]]) for j in range(3)] for i in range(3)]
    arm = turned(R, m.b_P[i])
    if m.legs.kind != "RUS":
        d, axis = (
            [z[k] + arm[k] - arb(m.legs.a_B[i, k]) for k in range(3)],
            [arb(x) for x in m.limits.base_cone.axis[i]],
        )
    if m.legs.rod() is None:
        u, q, ends = d, norm(d), ("shortest", "longest")
    elif m.legs.kind == "RUS":
        u, q, axis, ends = crank(m, i, z, arm)
    else:
        g, ends = [arb(x) for x in m.legs.g_B[i]], ("lowest", "highest")
        along = dot(d, g)
        e = [d[k] - along * g[k] for k in range(3)]
        q = along + arb(m.legs.branch[i]) * (arb(m.legs.rod_length[i]) ** 2 - dot(e, e)).sqrt()
        u = [d[k] - q * g[k] for k in range(3)]
    angle = (dot(u, axis) / (norm(u) * norm(axis))).acos()
    return {
        f"leg {i + 1} {ends[0]}": q - arb(m.limits.joint_min[i]),
        f"leg {i + 1} {ends[1]}": arb(m.limits.joint_max[i]) - q,
        f"leg {i + 1} base cone": arb(m.limits.base_cone.half_angle[i]) - angle,
    }


def crank(m, i, z, arm):
    """Rod, angle and axis of the base cone, which the crank turns about its own axis n: the part of the arm along n
    does not move."""
    n, c, r = ([arb(x) for x in part[i]] for part in (m.legs.n_B, m.legs.c_B, m.legs.r_B))
    along = dot(r, n)
    r = [x - along * y for x, y in zip(r, n, strict=True)]
    c = [x + along * y for x, y in zip(c, n, strict=True)]
    d = [z[k] + arm[k] - c[k] for k in range(3)]
    across = cross(n, r)
    e, f, rod = dot(d, r), dot(d, across), arb(m.legs.rod_length[i])
    y = (dot(d, d) + dot(r, r) - rod * rod) / (2 * (e * e + f * f).sqrt())
    q = flint.arb.atan2(f, e) + arb(m.legs.branch[i]) * y.acos()
    if q.is_finite():
        q -= 2 * flint.arb.pi() * round(float(q.mid()) / (2 * np.pi))
    sine, cosine = q.sin(), q.cos()
    u = [d[k] - cosine * r[k] - sine * across[k] for k in range(3)]
    axis = [arb(x) for x in m.limits.base_cone.axis[i]]
    normal, held = cross(n, axis), dot(n, axis)
    turned = [held * n[k] + cosine * (axis[k] - held * n[k]) + sine * normal[k] for k in range(3)]
    return u, q, turned, ("lowest", "highest")


@pytest.fixture(autouse=True)
def precision():
    before, flint.ctx.prec = flint.ctx.prec, PRECISION
    yield
    flint.ctx.prec = before


def end_of_reach(m, region, c):
    """The last coordinates away from the centre at which all rods close; of every second one nearly the last."""
    low, high = 0.0, 100.0
    while high - low > 1e-16 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        z = region.centre + middle * (c - region.centre)
        low, high = (
            (middle, high) if np.isfinite(gough.inverse_kinematics(m, region.poses(z[None]))).all() else (low, middle)
        )
    return region.centre + low * (c - region.centre)


@pytest.mark.parametrize("name", SKEW)
def test_no_bound_passes_what_interval_arithmetic_proves(name):
    m, rng = gough.load(name), np.random.default_rng(0)
    table = limit_table(m)
    columns = [column.name for column in table.columns]
    region = box(m.X_home[:3, 3], [m.size] * 3, turn=3.0, reference=m.home)
    weight = np.repeat([m.size, 1.0], 3)
    sharper, counted = 0, 0
    for k in range(BOXES):
        c = region.centre + 0.05 * weight * rng.uniform(-1, 1, 6)
        if k % 3 == 0 and m.legs.rod() is not None:
            c = end_of_reach(m, region, c)
        half = 10 ** rng.uniform(*SIZES) * weight * rng.uniform(0, 1, 6) * (k % 5 > 0)
        if not np.isfinite(gough.margins(m, region.poses(c[None])).values).all():
            continue
        bounds = bounds_of(m, table, region, Cells(c[None], half[None]), np.ones(len(columns), dtype=bool))
        leg = int(rng.integers(6))
        over = margins(m, leg, [flint.arb(float(x), float(h)) for x, h in zip(c, half, strict=True)])
        for each in over:
            column = columns.index(each)
            corner = c - np.sign(bounds.slope[0, column]) * half
            at = margins(m, leg, [arb(x) for x in corner])[each]
            lower = bounds.lower[0, column]
            assert at.is_finite() or m.legs.rod() is not None  # where a rod cannot close nothing is said
            assert not at.is_finite() or arb(lower) <= at.upper(), (each, half)
            if over[each].is_finite() and np.isfinite(lower):
                assert arb(lower) <= over[each].upper()
                sharper += bool(arb(lower) > over[each].lower())
                counted += 1
    assert counted > BOXES
    assert sharper > counted / 2
