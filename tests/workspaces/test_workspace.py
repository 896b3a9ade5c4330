"""Workspace: the published grids within their step, closed forms, several intervals, and symmetries."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.crossings import flat_machine, kept
from tests.independent import machines
from tests.skew import SKEW, SKEW_OF_KIND
from tests.thorough import thorough

import gough
from gough.limits.interval_search import reach_box
from gough.workspaces.quadrature import over_grid

REFERENCE = json.loads((Path(__file__).parent.parent / "references" / "hexel.json").read_text())
LOWER_STEP, UPPER_STEP = 0.005, 0.010  # m, of the published program
GRID = (np.arange(49) - 24) * 0.025


def test_hexels_envelopes_agree_with_the_report_within_its_step_everywhere():
    """The report's z points down: its lower envelope (longest leg) is the largest z, its upper one the smallest."""
    w = gough.workspace(gough.load("hexel"), x=GRID, y=GRID)
    lower, upper = np.array(REFERENCE["lower"]) / 1e3, np.array(REFERENCE["upper"]) / 1e3
    has = w.count > 0
    assert (w.count <= 1).all()
    # A column the report finds empty may hold an interval shorter than both its steps, and no other.
    assert (has | (lower < upper)).all()
    thin = has & (lower < upper)
    assert (w.height[thin] < LOWER_STEP + UPPER_STEP).all()
    assert ((w.upper - lower)[has] >= 0).all()
    assert ((w.upper - lower)[has] < LOWER_STEP).all()
    assert ((upper - w.lower)[has] >= 0).all()
    assert ((upper - w.lower)[has] < UPPER_STEP).all()


def test_the_ends_are_on_the_limit_that_is_named():
    m = gough.load("hexel")
    w = gough.workspace(m, samples=15)
    i, j = np.nonzero(w.count)
    for side, z in ((0, w.lower), (1, w.upper)):
        X = gough.pose_matrix(np.stack([w.x[i], w.y[j], z[i, j]], axis=1))
        g = gough.margins(m, X)
        at = g.values[np.arange(len(i)), w.binding[i, j, 0, side]]
        assert np.abs(at).max() < 1e-12
        assert g.relative.min() > -1e-12


OFTEN = {SKEW_OF_KIND["RUS"]: 25}
"""Columns where cranks go on from -180 degrees as 180: a pose far outside a limit is next to an allowed one."""


@pytest.mark.parametrize("name", [*thorough("hexel"), *SKEW])
def test_columns_agree_with_a_fine_grid_of_margins(name):
    m = gough.load(name)
    w = gough.workspace(m, samples=OFTEN.get(name, 9))
    assert w.count.any()
    z = np.linspace(np.nanmin(w.lower) - 0.05 * m.size, np.nanmax(w.upper) + 0.05 * m.size, 400)
    points = np.stack(np.meshgrid(w.x, w.y, z, indexing="ij"), axis=-1)
    X = gough.pose_matrix(points - m.X_home[:3, :3] @ m.point_of_interest)
    X[..., :3, :3] = m.X_home[:3, :3]
    allowed = gough.margins(m, X).is_allowed
    inside = np.zeros_like(allowed)
    for k in range(w.ends.shape[2]):
        with np.errstate(invalid="ignore"):
            inside |= (z >= w.ends[:, :, k, :1]) & (z <= w.ends[:, :, k, 1:])
    np.testing.assert_array_equal(allowed, inside)


def test_a_column_through_a_void_has_two_intervals():
    """A strut that must not be shorter than 0.5 m keeps the point out of a ball about its base joint."""
    angle = np.deg2rad([0, 60, 120, 180, 240, 300])
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    m = gough.from_points(
        ring * 0.3,
        np.roll(ring, 1, axis=0) * [[0.1, 0.1, 1]] * np.linspace(0.8, 1.2, 6)[:, None],
        home=gough.pose([0, 0, 0.7]),
        joint_min=0.45,
        joint_max=1.0,
    )
    w = gough.workspace(m, x=[-0.1, 0.0, 0.1], y=[0.0, 0.05], z=(-1.2, 1.2))
    # Above and below the base the legs fit; det J has another sign below, so only margins without it show both.
    X = gough.pose_matrix([0, 0, -0.7])
    assert (gough.margins(m, X).values[:12] >= 0).all()
    assert w.count[1, 0] >= 1
    s = gough.workspace(m, x=[0.0], y=[0.0], z=(-1.2, 1.2), ignore=("singularity",))
    assert s.count[0, 0] == 2
    assert s.ends[0, 0, 0, 1] < -0.2
    assert s.ends[0, 0, 1, 0] > 0.2


def test_volume_of_a_known_body():
    """Six long struts from one far ring: the tool's box is all that binds, and a box has a known volume."""
    m = gough.from_points(
        _ring(0.5, (10, 110, 130, 230, 250, 350)),
        _ring(0.2, (50, 70, 170, 190, 290, 310)),
        home=gough.pose([0, 0, 1.0]),
        joint_max=3.0,
        limits={"box": {"x_min": -0.1, "x_max": 0.2, "y_min": -0.1, "y_max": 0.1, "z_min": 0.9, "z_max": 1.1}},
    )
    w = gough.workspace(m, samples=11)
    assert w.volume == pytest.approx(0.3 * 0.2 * 0.2, rel=1e-9)
    assert w.volume_error < 1e-12


def _ring(radius, degrees):
    angle = np.deg2rad(degrees)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], axis=1)


@pytest.mark.parametrize("seed", [None, *thorough(0, 1, 2)])
def test_the_volume_error_covers_a_scan_where_columns_cross_the_singular_surface_twice(seed, rng):
    """Strokes and the sign of the determinant, from the joint points, at one place drawn in each cell of a grid."""
    m = gough.load(machines.TWO_CROSSINGS) if seed is None else flat_machine(np.random.default_rng(seed))
    found, cells = gough.workspace(m), 80
    low, high = reach_box(m, np.eye(3))
    feet = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(cells, -1, 3)
    allowed = 0
    for slab in feet:
        places = low + (high - low) * (slab + rng.uniform(size=slab.shape)) / cells - m.point_of_interest
        poses = np.concatenate([m.X_home[None, :3, 3], places])
        strokes, same = kept(m, np.broadcast_to(np.eye(3), (len(poses), 3, 3)), poses)
        allowed += int((strokes & same)[1:].sum())
    whole = float(np.prod(high - low))
    drawn = (
        4 * whole * np.sqrt(6 * cells**2) / 2 / cells**3
    )  # four standard errors of about as many cells on the boundary
    assert drawn < 0.01 * found.volume * 2
    assert abs(found.volume - whole * allowed / cells**3) < found.volume_error + drawn


@pytest.mark.parametrize("name", [*thorough(SKEW[2], SKEW[0]), SKEW[1]])
def test_the_volume_error_shrinks_and_covers_the_truth(name):
    """Of `jugglebot` 17 columns happen to give what 33 do: one difference alone takes the error for a quarter."""
    m = gough.load(name)
    coarse, fine, finest = (gough.workspace(m, samples=n) for n in (17, 33, 65))
    assert fine.volume_error < coarse.volume_error < 0.05 * finest.volume
    assert abs(coarse.volume - finest.volume) < coarse.volume_error
    assert abs(fine.volume - finest.volume) < fine.volume_error


COVERED = {"ellipsoid": 0.98, "cone": 0.98, "cylinder": 0.9, "prism": 0.9, "block": 0.75}
"""Part of the draws whose error is larger than what is off: walls along the grid make it a standard error only."""
BODIES = {
    "ellipsoid": (lambda x, y: np.sqrt(np.maximum(1 - x**2 - y**2, 0)), 2 * np.pi / 3),
    "cone": (lambda x, y: np.maximum(1 - np.hypot(x, y), 0), np.pi / 3),
    "cylinder": (lambda x, y: 1.0 * (x**2 + y**2 < 1), np.pi),
    "block": (lambda x, y: 1.0 * ((abs(x) < 1) & (abs(y) < 1)), 4.0),
    "prism": (lambda x, y: 1.0 * (abs(x) + abs(y) < 1), 2.0),
}


@pytest.mark.parametrize("name", BODIES)
def test_the_error_of_columns_covers_the_truth_however_a_body_lies_between_them(name, rng):
    """Widths and places are drawn; at the median the error is no more than 30 times what is off."""
    body, exact = BODIES[name]
    places, parts = np.linspace(-1.3, 1.3, 21), []
    for _ in range(200):
        (x0, y0), (wide, deep) = rng.uniform(-0.1, 0.1, 2), rng.uniform(0.8, 1.15, 2)
        x, y = (places - x0) / wide, (places - y0) / deep
        found = over_grid(places, places, body(x[:, None], y))
        parts.append(abs(found.value - exact * wide * deep) / found.error)
    assert np.mean(np.array(parts) < 1) >= COVERED[name]
    assert np.median(parts) > 1 / 30


@pytest.mark.parametrize(("name", "level"), [*thorough(("rotopod", 4)), ("dumitriu2017", 4)])
def test_the_error_of_the_share_of_orientations_covers_the_truth(name, level):
    """Of both the last change alone is less than what is off."""
    m = gough.load(name)
    found, fine = (gough.workspaces.orientation_workspace(m, level=k) for k in (level, 6))
    assert abs(found.share - fine.share) < found.share_error < 0.2 * fine.share


def test_workspace_turns_with_the_world():
    m = gough.load("hexel")
    R = gough.pose_matrix([0, 0, 0], [0, 0, np.pi / 2], "XYZ")
    turned = gough.from_points(m.legs.a_B @ R[:3, :3].T, m.b_P, home=R @ m.X_home, joint_max=0.97)
    plain = gough.from_points(m.legs.a_B, m.b_P, home=m.home, joint_max=0.97)
    grid = np.linspace(-0.4, 0.4, 9)
    a = gough.workspace(plain, x=grid, y=grid, z=(0.4, 1.3))
    b = gough.workspace(turned, x=grid, y=grid, z=(0.4, 1.3))
    np.testing.assert_allclose(b.upper, a.upper[:, ::-1].T, atol=1e-9)
