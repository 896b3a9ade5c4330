"""Extents, shares and means of a workspace against geometry, SciPy and sums that do not use the searches."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from tests.independent import machines
from tests.skew import SKEW
from tests.thorough import thorough

import gough

NANOMETRE = 1e-9
ROUNDING = 1e-11  # of lengths: ends where two limits meet at a narrow angle
OF_RAYS = 2e-5  # relative: climbs of turned rays


@pytest.mark.parametrize("seed", [1, *thorough(2, 3)])
def test_the_extent_of_struts_is_that_of_six_balls(seed):
    """At a fixed orientation the platform's origin stays in six balls, a convex body: SLSQP finds its extremes."""
    rng = np.random.default_rng(seed)
    angle = np.deg2rad([15, 105, 135, 225, 255, 345])
    base = np.column_stack([np.cos(angle), np.sin(angle), 0.1 * rng.normal(size=6)])
    platform = 0.5 * np.roll(base, 1, axis=0)
    X = gough.pose_matrix([0, 0, 1.0], [0.1, -0.05, 0.3], "XYZ")
    reach = np.linalg.norm(platform @ X[:3, :3].T + X[:3, 3] - base, axis=1) + rng.uniform(0.1, 0.3, 6)
    m = gough.from_points(base, platform, home=X, joint_min=0.01, joint_max=reach)
    centres = base - platform @ X[:3, :3].T
    found = gough.workspace(m, ignore=("singularity",), samples=15).extent
    for k, ends in enumerate((found.low, found.high)):
        for axis in range(3):
            e = (2 * k - 1) * np.eye(3)[axis]
            best = minimize(
                lambda p, e=e: -p @ e,
                X[:3, 3],
                constraints={"type": "ineq", "fun": lambda p: reach**2 - ((p - centres) ** 2).sum(axis=1)},
                options={"ftol": 1e-15},
            )
            assert ends[axis] == pytest.approx(best.x[axis], abs=1e-7)


@pytest.mark.parametrize(
    ("name", "axis", "low", "high"), [*thorough(("hexaglide", 0, -350, 350)), ("hexel", 1, -524.11, 524.11)]
)
def test_the_extent_is_exact_allowed_and_no_less_than_travel(name, axis, low, high):
    """References: the same machines recomputed by separate NumPy code, in mm."""
    m = gough.load(name)
    found = gough.workspace(m, samples=17).extent
    assert 1e3 * found.low[axis] == pytest.approx(low, abs=6e-3)
    assert 1e3 * found.high[axis] == pytest.approx(high, abs=6e-3)
    poses = np.tile(m.X_home, (2, 3, 1, 1))
    poses[..., :3, 3] = np.stack([found.low_positions, found.high_positions]) - m.X_home[:3, :3] @ m.point_of_interest
    assert gough.margins(m, poses).is_allowed.all()
    home = m.X_home[:3, :3] @ m.point_of_interest + m.X_home[:3, 3]
    for k, row in enumerate(gough.travel_table(m)[:3]):
        assert found.low[k] <= home[k] + row.minus + NANOMETRE
        assert found.high[k] >= home[k] + row.plus - NANOMETRE


@pytest.mark.thorough
def test_shares_are_those_of_a_cylinder_and_mirror_images_share_alike():
    m = gough.load("rubin-m2")  # nothing but a radius and two heights ends its workspace
    low, high = m.limits.box[2]
    side, lid = 2 * np.pi * m.limits.radius * (high - low), np.pi * m.limits.radius**2
    by_rays = gough.workspaces.workspace_rays(m, level=4).boundary_share  # from inside all of it is seen
    for share in (gough.workspace(m, samples=17).boundary_share, by_rays):
        for name, area in (("tool radius", side), ("tool z min", lid), ("tool z max", lid)):
            assert abs(share[name].value - area / (side + 2 * lid)) < 3 * share[name].error
            assert share[name].error < 0.03
    glide = gough.workspace(gough.load("hexaglide"), samples=17).boundary_share
    for i, j in ((1, 2), (3, 4), (5, 6)):
        for limit in ("lowest", "highest", "reach"):
            a, b = (glide[f"leg {k} {limit}"].value if f"leg {k} {limit}" in glide else 0.0 for k in (i, j))
            assert a == pytest.approx(b, abs=1e-9)


def test_the_mean_dexterity_is_that_of_a_dense_grid():
    m = gough.load("dumitriu2017")
    home = m.X_home[:3, 3]
    x, z = np.linspace(-0.7, 0.7, 351), np.linspace(0.001, 0.8, 351)
    poses = np.tile(m.X_home, (len(x) * len(z), 1, 1))
    poses[:, 0, 3], poses[:, 2, 3] = (axis.ravel() for axis in np.meshgrid(x, z))
    poses = poses[gough.margins(m, poses).is_allowed]
    mean = gough.singularity.conditioning(m, poses).dexterity.mean()
    found = gough.singularity.conditioning_map(m, y=home[1], samples=9).attrs
    assert abs(found["global_conditioning_index"] - mean) < found["global_conditioning_index_error"] + 2e-4
    assert found["global_conditioning_index_error"] < 1e-3


def allowed_in_cone(m, places, tilt, rim):
    """Whether positions (n, 3) allow tilts to all sides: margins at so many on the rim, on two rings and the middle."""
    R = m.X_home[:3, :3]
    allowed = np.ones(len(places), dtype=bool)
    for part, count in ((1.0, rim), (2 / 3, rim // 2), (1 / 3, rim // 4), (0.0, 1)):
        for angle in 2 * np.pi * np.arange(count) / count:
            axis = np.cos(angle) * R[:, 0] + np.sin(angle) * R[:, 1]
            K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]]) * part * tilt
            size = max(part * tilt, 1e-12)
            turned = (np.eye(3) + np.sin(size) / size * K + (1 - np.cos(size)) / size**2 * K @ K) @ R
            poses = np.tile(np.eye(4), (int(allowed.sum()), 1, 1))
            poses[:, :3, :3] = turned
            poses[:, :3, 3] = places[allowed] - turned @ m.point_of_interest
            allowed[allowed] = gough.margins(m, poses).is_allowed
    return allowed


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "tilt"), [("hexel", 20)])
def test_the_dexterous_part_agrees_with_margins_at_random_positions(name, tilt, rng):
    m = gough.load(name)
    part = gough.workspaces.dexterous_workspace(m, tilt=np.deg2rad(tilt), samples=13)
    ends = part.extent
    room = 0.01 * (ends.high - ends.low)
    low, high = ends.low - room, ends.high + room
    places = rng.uniform(low, high, size=(4000, 3))
    inside = allowed_in_cone(m, places, np.deg2rad(tilt), 24)
    share = inside.mean()
    volume = share * np.prod(high - low)
    error = np.sqrt(share * (1 - share) / len(places)) * np.prod(high - low)
    assert abs(part.volume - volume) < 3 * error + part.volume_error
    assert part.volume_error < 0.06 * part.volume
    assert (places[inside] >= ends.low).all()
    assert (places[inside] <= ends.high).all()
    at_ends = np.concatenate([ends.low_positions, ends.high_positions])
    towards = at_ends + 1e-6 * (at_ends.mean(axis=0) - at_ends)  # the way of a convex part: its ends are allowed
    assert allowed_in_cone(m, towards, np.deg2rad(tilt), 144).all()


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["hexel"])
def test_rays_reach_as_far_as_columns_travel_and_corners(name):
    m = gough.load(name)
    home = m.X_home[:3, :3] @ m.point_of_interest + m.X_home[:3, 3]
    rays = gough.workspaces.workspace_rays(m, level=2)
    low, high = rays.extent.low, rays.extent.high
    whole = gough.workspace(m, samples=9).extent
    np.testing.assert_allclose([low - home, high - home], [whole.low - home, whole.high - home], rtol=OF_RAYS)
    corners = gough.regions.corners(m, "translation").points
    assert (high - home >= corners.max(axis=0) * (1 - OF_RAYS)).all()
    assert (low - home <= corners.min(axis=0) * (1 - OF_RAYS)).all()
    turns = gough.workspaces.orientation_workspace(m, level=2)
    for k, row in enumerate(gough.travel_table(m)[3:]):
        assert turns.extent.low[k] <= row.minus * (1 - OF_RAYS)
        assert turns.extent.high[k] >= row.plus * (1 - OF_RAYS)
    for body, unit in ((rays, "m"), (turns, "rad")):
        assert body.extent.dataset["low"].attrs["units"] == unit
        assert_at_the_limits_named(m, body)


@pytest.mark.parametrize("name", [SKEW[0], *thorough(*SKEW[1:])])
def test_the_extents_of_rays_are_at_the_limits_that_they_name(name):
    m = gough.load(name)
    for find in (gough.workspaces.workspace_rays, gough.workspaces.orientation_workspace):
        assert_at_the_limits_named(m, find(m, level=1))


def assert_at_the_limits_named(m, body):
    """Poses built by hand at the ends keep every limit, and those named are zero there."""
    found, offset = body.extent, m.point_of_interest
    ends, held = [*found.low_positions, *found.high_positions], found.active_limits
    np.testing.assert_array_equal([end[k % 3] for k, end in enumerate(ends)], [*found.low, *found.high])
    for end, names in zip(ends, held, strict=True):
        R = Rotation.from_rotvec(end).as_matrix() @ m.X_home[:3, :3] if body.is_rotation else m.X_home[:3, :3]
        X = gough.pose(body.centre if body.is_rotation else end).as_matrix()
        X[:3, :3], X[:3, 3] = R, X[:3, 3] - R @ offset
        at = gough.margins(m, X)
        assert np.nanmin(at.relative) > -ROUNDING
        assert names
        assert {name for name, margin in zip(at.names, at.relative, strict=True) if abs(margin) < 1e-9} <= set(names)


OTHERS = ("hexel-head", "jugglebot", "linuxcnc", "nasa-msfc", "paradex", "rubin-m2", "singular-home", "tsai2000")
"""Machines with something of their own: a head, no limits, shared joints, a refused or singular home."""


@pytest.mark.parametrize("name", [*thorough(*OTHERS, SKEW[1]), SKEW[0], SKEW[2]])
def test_the_extent_holds_travel_and_corners(name):
    """Both are found from home at home's orientation; coarse columns."""
    m = gough.load(name)
    try:
        found = gough.workspace(m, samples=9).extent
    except gough.errors.InputError:
        return  # nothing ends the workspace, or home is refused
    home = m.X_home[:3, :3] @ m.point_of_interest + m.X_home[:3, 3]
    rows = gough.travel_table(m)[:3]
    reached = np.array([[row.minus for row in rows], [row.plus for row in rows]])
    points = np.vstack([gough.regions.corners(m, "translation").points, np.diag(reached[0]), np.diag(reached[1])])
    slack = 1e-8 * m.size
    assert (found.low <= home + np.nanmin(points, axis=0) + slack).all()
    assert (found.high >= home + np.nanmax(points, axis=0) - slack).all()


def test_where_home_is_singular_the_determinant_ends_no_extent():
    """Leg 1 at its longest about (50, 0, 0) mm, leg 4 at its shortest about (-50, 0, 0): 200 x = 270^2 - 340^2."""
    found = gough.workspace(gough.load("singular-home"), samples=9).extent
    assert found.low[0] == pytest.approx((0.27**2 - 0.34**2) / 0.2, abs=ROUNDING)
    assert set(found.active_limits[0]) == {"leg 4 shortest", "leg 1 longest"}


def test_of_positions_that_reach_equally_far_the_nearest_to_home_counts():
    """A round limit of the tool is reached all along lines, a side of its box all over: straight across from home."""
    m = gough.load(machines.RADIUS_LIMIT)
    tool, home = (m.X_home @ m.X_PT)[:3, 3], m.home_point
    box = np.array(m.limits.box)
    box[2] = tool[2] + np.array([-np.inf, 2e-3])
    found = gough.workspace(replace(m, limits=replace(m.limits, box=box)), samples=9).extent
    for axis in (0, 1):
        for end, sign in ((found.low_positions, -1), (found.high_positions, 1)):
            np.testing.assert_allclose(end[axis], home + sign * m.limits.radius * np.eye(3)[axis], atol=NANOMETRE)
    np.testing.assert_allclose(found.high_positions[2], home + [0.0, 0.0, 2e-3], atol=NANOMETRE)
