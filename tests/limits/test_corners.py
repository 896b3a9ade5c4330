"""The corners of the range of motion: on the boundary, and the regular hexagon where symmetry makes one."""

from dataclasses import replace
from functools import cache
from importlib import import_module

import numpy as np
import pytest
from tests.independent import machines
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.limits.ties import TIE
from gough.regions.corners import proof

ON_THE_LIMIT = 1e-10
HEXAGON = 1e-6  # of the radius: the azimuth of the farthest point is found that closely


@cache
def symmetric_corners(kind):
    return gough.regions.corners(symmetric_machine(), kind)


def symmetric_machine():
    base = np.deg2rad([250, 290, 10, 50, 130, 170])
    platform = np.deg2rad([220, 320, 340, 80, 100, 200])
    ring = lambda r, t: np.stack([r * np.cos(t), r * np.sin(t), 0 * t], axis=1)  # noqa: E731
    home = gough.pose([0, 0, 0.3])
    a, b = ring(0.2, base), ring(0.12, platform)
    length = np.linalg.norm(b + [0, 0, 0.3] - a, axis=1)
    return gough.from_points(a, b, home=home, joint_min=length - 0.01, joint_max=length + 0.01)


@pytest.mark.parametrize("kind", ["translation", "rotation"])
def test_corners_lie_on_the_boundary(kind):
    m, c = symmetric_machine(), symmetric_corners(kind)
    worst = gough.margins(m, c.matrix).relative.min(axis=1)
    assert np.abs(worst).max() < ON_THE_LIMIT


def test_corners_of_a_symmetric_machine_project_on_a_regular_hexagon():
    c = symmetric_corners("translation")
    assert np.ptp(c.radii) < 0.02 * c.radii.mean()
    azimuth = np.arctan2(c.points[1:7, 1], c.points[1:7, 0])
    steps = np.diff(np.unwrap(azimuth))
    np.testing.assert_allclose(steps, np.pi / 3, atol=HEXAGON)


def test_nothing_beside_the_farthest_corner_is_farther_where_limits_meet_in_edges():
    m = gough.load("jugglebot")
    c = gough.regions.corners(m, "rotation")
    far = c.points[1:7][c.radii.argmax()]
    beside = np.deg2rad(np.linspace(-0.5, 0.5, 21))
    azimuth = np.arctan2(far[1], far[0]) + beside[:, None]
    elevation = np.arctan2(far[2], np.hypot(*far[:2])) + beside
    d = np.stack(
        np.broadcast_arrays(
            np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)
        ),
        axis=-1,
    )
    radius = gough.travel(m, np.concatenate([0 * d, d], axis=-1), euler=True).distance * np.cos(elevation)
    assert radius.max() <= c.radii.max() * (1 + HEXAGON)


def lengths_by_the_kinematics_page(d):
    """Leg lengths [mm] of the built-in positioner displaced by d (..., 3) [mm], by the page's formulas."""
    theta = {
        half: np.deg2rad([270 - half, 270 + half, 30 - half, 30 + half, 150 - half, 150 + half]) for half in (12, 48)
    }
    base = 150 * np.column_stack([np.cos(theta[12]), np.sin(theta[12]), np.zeros(6)])
    platform = np.column_stack([100 * np.cos(theta[48]), 100 * np.sin(theta[48]), np.full(6, 190.0)])
    return np.linalg.norm(platform + np.asarray(d)[..., None, :] - base, axis=-1)


def test_the_strokes_alone_make_the_hexagon_of_the_kinematics_page_equilateral():
    """Sides of 41.547 mm: the farthest points from the axis, by bisection along a grid of directions."""
    c = gough.regions.corners(gough.load("pitch-circle"), "translation", strokes_only=True)
    azimuth, elevation = np.meshgrid(np.deg2rad(np.arange(0, 360, 3.0)), np.deg2rad(np.arange(-30, 30, 0.1)))
    d = np.stack([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], axis=-1)
    low, high = np.zeros(azimuth.shape), np.full(azimuth.shape, 80.0)
    for _ in range(45):
        middle = (low + high) / 2
        legs = lengths_by_the_kinematics_page(middle[..., None] * d)
        is_in = ((legs >= 195) & (legs <= 226)).all(axis=-1)
        low, high = np.where(is_in, middle, low), np.where(is_in, high, middle)
    farthest = (low * np.cos(elevation)).max()
    np.testing.assert_allclose(1e3 * c.sides, 41.547, atol=5e-4)
    assert 41.547 - 0.03 < farthest < 41.5475  # the grid's steps pass beside the tips
    at_corners = lengths_by_the_kinematics_page(1e3 * c.points)
    np.testing.assert_allclose(np.minimum(at_corners - 195, 226 - at_corners).min(axis=1), 0, atol=1e-9)


@pytest.mark.parametrize("name", SKEW)
def test_strokes_alone_end_at_strokes_of_any_machine(name):
    m = gough.load(name)
    c = gough.regions.corners(m, "translation", strokes_only=True)
    q = gough.inverse_kinematics(m, c.matrix)
    room = np.minimum(q - m.limits.joint_min, m.limits.joint_max - q).min(axis=1)
    ends = np.array([binding.endswith(("longest", "shortest", "highest", "lowest")) for binding in c.binding])
    assert ends.any()
    np.testing.assert_allclose(room[ends], 0, atol=1e-9)


def test_a_sharp_tip_of_the_range_is_found():
    """35.18 mm by another program, in a tip of a few degrees; the range reaches 32.17 mm elsewhere. The same machine
    with the zeros of its cranks turned has the same corners."""
    one, other = (
        gough.regions.corners(gough.load(path), "translation")
        for path in (machines.CRANKS_AT_180, machines.CRANKS_TURNED_ZERO)
    )
    assert one.radii.max() == pytest.approx(35.178e-3, abs=1e-6)
    np.testing.assert_allclose(one.points, other.points, atol=1e-9)


def test_of_an_interval_that_begins_between_two_scanned_azimuths_the_beginning_counts():
    """A round limit of the tool, cut off on three sides by a box: it is met from asin(3 / 8) on."""
    m = gough.load(machines.RADIUS_LIMIT)
    tool = (m.X_home @ m.X_PT)[:3, 3]
    box = np.array(m.limits.box)
    box[0], box[1] = tool[0] + np.array([-3e-3, 7.4e-3]), tool[1] + np.array([-3e-3, np.inf])
    c = gough.regions.corners(replace(m, limits=replace(m.limits, box=box)), "translation")
    assert c.azimuth == pytest.approx(np.arccos(7.4 / 8), abs=1e-6)
    assert c.radii[0] == pytest.approx(8e-3, rel=1e-8)


@pytest.mark.thorough
def test_the_farthest_tilt_is_found_where_a_maximum_is_flat():
    """Angles Rx Ry tilt by acos(cos a cos b), so that a tilt of a third of a degree reaches farthest at 45 deg, by two
    millionths, and as far with any Rz."""
    m = gough.load("rubin-camera")
    c = gough.regions.corners(m, "rotation")
    farthest = np.sqrt(2) * np.arccos(np.sqrt(np.cos(m.limits.tilt)))
    assert c.radii.max() == pytest.approx(farthest, rel=1e-12)
    assert np.mod(c.azimuth, np.pi / 3) == pytest.approx(np.mod(np.pi / 4, np.pi / 3), abs=1e-5)
    np.testing.assert_array_equal(c.points[1:7, 2], 0.0)


def heights(m, kind, azimuth, elevation):
    """Distances from the z axis that paths reach."""
    flat = np.cos(elevation)
    e = np.stack(np.broadcast_arrays(flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)), axis=-1)
    six = np.concatenate([e, 0 * e] if kind == "translation" else [0 * e, e], axis=-1)
    return gough.travel(m, six, euler=True).distance * flat


BRUTE = [
    ("hexaglide", "translation"),
    (SKEW[0], "translation"),
    (SKEW[1], "rotation"),
    (SKEW[2], "rotation"),
    (machines.CRANKS_AT_180, "translation"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "kind"), BRUTE)
def test_no_direction_reaches_farther_than_is_proven(name, kind, rng):
    """Random directions, and ever nearer ones about the best; of the half-planes every elevation."""
    m = gough.load(name)
    c = gough.regions.corners(m, kind)
    assert c.gap == 1e-9
    farthest = c.radii.max() * (1 + TIE)
    azimuth, elevation, spread = rng.uniform(0, 2 * np.pi, 3000), np.arcsin(rng.uniform(-1, 1, 3000)), 0.3
    for _ in range(12):
        reached = heights(m, kind, azimuth, elevation)
        assert reached.max() <= farthest
        best = np.argsort(-reached)[:6]
        azimuth = azimuth[best].repeat(100) + spread * rng.normal(size=600)
        elevation = np.clip(elevation[best].repeat(100) + spread * rng.normal(size=600), -1.57, 1.57)
        spread *= 0.3
    middle = np.arctan2(c.points[1:7, 2], c.radii)
    for k, half in enumerate((np.pi / 2, 1e-2, 1e-4)):
        near = np.clip(middle[:, None] + half * np.linspace(-1, 1, 801), -1.57, 1.57)
        planes = np.arctan2(c.points[1:7, 1], c.points[1:7, 0])[:, None]
        assert (heights(m, kind, planes, near).max(axis=1) <= c.radii * (1 + TIE * (k == 0) + 2e-9)).all()


@pytest.mark.parametrize("name", [SKEW[0], *thorough(SKEW[2])])
def test_the_proof_finds_a_path_that_reaches_farther(name):
    """Of a distance that is a little less than the farthest, in any direction and in half-planes."""
    m = gough.load(name)
    c = gough.regions.corners(m, "rotation")
    best = int(c.radii.argmax())
    plane = np.array([np.arctan2(c.points[1 + best, 1], c.points[1 + best, 0])])
    for planes in (None, plane):
        gap, better, _ = proof(m, "rotation", np.array([c.radii[best] * (1 - 1e-6)]), planes)
        assert gap == np.inf
        assert (heights(m, "rotation", *better.T) > c.radii[best] * (1 - 1e-6)).all()


@pytest.mark.thorough
def test_the_farthest_point_of_a_cliff_is_found(monkeypatch):
    """Rotations of a machine whose paths end at a singularity, unless they graze the stroke of leg 6 before: the
    farthest along that curve of directions, by root finding and one search in the margins of the second reader. As far
    reaches the image of it at 318.6 deg; local searches that do not follow the curve end 4e-6 before, elsewhere.
    """
    monkeypatch.setattr(
        import_module("gough.regions.corners"), "proof", lambda *_: (np.nan, np.empty((0, 2)), np.empty(0, dtype=int))
    )
    c = gough.regions.corners(gough.load("sinatra2009"), "rotation")
    assert c.radii[0] == pytest.approx(1.38486217206716, rel=2e-8)
    assert np.rad2deg(np.mod(c.azimuth, 2 * np.pi)) == pytest.approx(221.3604, abs=1e-3)
