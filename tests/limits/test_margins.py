"""Margins against the limits written out once more in plain NumPy, leg by leg."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.description.build import from_document
from gough.description.geometry import rod_directions
from gough.limits.table import limit_table
from gough.machine import PlateAngle
from gough.stages.frames import stacked_poses

HEXAGON = np.deg2rad([250, 290, 10, 50, 130, 170])
INNER = np.deg2rad([220, 320, 340, 80, 100, 200])


def strut_machine(**limits):
    """A small machine with every kind of limit."""
    base = np.stack([0.2 * np.cos(HEXAGON), 0.2 * np.sin(HEXAGON), 0 * HEXAGON], axis=1)
    platform = np.stack([0.12 * np.cos(INNER), 0.12 * np.sin(INNER), 0 * INNER], axis=1)
    return gough.from_points(
        base,
        platform,
        home=gough.pose([0, 0, 0.3]),
        joint_min=0.25,
        joint_max=0.4,
        limits={
            "base_cone": {"half_angle": 0.5},
            "platform_cone": {"half_angle": 0.6},
            "leg_radius": 0.01,
            "base_plate_angle": 0.7,
            "platform_plate_angle": 0.6,
            "box": {"x_min": -0.1, "x_max": 0.1, "z_max": 0.35},
            "radius": 0.08,
            "tilt": 0.4,
            "rotation": 0.3,
            "singular_value": 0.05,
            **limits,
        },
        tool={"translation": [0, 0, 0.05], "angles": [0, 0, 0], "sequence": "XYZ"},
    )


def random_poses(machine, rng, count, shift, turn):
    return gough.pose_matrix(
        machine.X_home[:3, 3] + rng.uniform(-shift, shift, (count, 3)),
        rng.uniform(-turn, turn, (count, 3)),
        "XYZ",
    ) @ np.block([[machine.X_home[:3, :3], np.zeros((3, 1))], [np.zeros((1, 3)), 1.0]])


def named(g, name):
    return g.values[..., g.names.index(name)]


def test_legs_that_share_a_joint_have_no_clearance_limit():
    m = gough.load("hexel")
    document = {
        "name": "thick",
        "base": {"points": m.legs.a_B.tolist()},
        "platform": {"points": m.b_P[::2].tolist(), "of_leg": [1, 1, 2, 2, 3, 3]},
        "home": {"translation": [0, 0, 0.8]},
        "limits": {"leg_radius": 0.02},
    }
    thick = from_document(document, "test")
    assert limit_table(thick).unchecked_pairs == ((1, 2), (3, 4), (5, 6))
    assert sum("clearance" in name for name in gough.margins(thick, thick.home).names) == 12


def test_leg_that_cannot_close_has_a_negative_reach_and_no_travel():
    m = gough.load("sinatra2009")
    X = gough.pose_matrix(m.X_home[:3, 3] + [0.9, 0, 0])
    g = gough.margins(m, X)
    q = gough.inverse_kinematics(m, X)
    open_legs = np.isnan(q)
    assert open_legs.any()
    for i in range(6):
        assert (named(g, f"leg {i + 1} reach") < 0) == open_legs[i]
    assert not g.is_allowed
    assert "cannot close" in g.sentence()
    assert "reach" in g.binding


def test_a_pose_is_tight_beside_and_beyond_its_limit_but_not_far_inside():
    m = gough.load("hexel")
    end = float(gough.travel(m, [0, 0, 1, 0, 0, 0]).distance)
    z = m.X_home[2, 3] + end + np.array([-0.9 * end, -1e-4, 1e-4])
    np.testing.assert_array_equal(gough.margins(m, gough.pose(np.outer(z, [0, 0, 1]))).is_tight, [False, True, True])


@pytest.mark.parametrize("name", SKEW)
def test_plates_and_tilt_of_any_direction_are_angles(name, rng):
    """Files have plates across z only; from Python they may have any normal in their body."""
    m = gough.load(name)
    base, platform = (n / np.linalg.norm(n) for n in rng.normal(size=(2, 3)))
    least = {"base": 0.2 + 0.01 * np.arange(6), "platform": 0.3 - 0.01 * np.arange(6)}
    plates = [PlateAngle(normal=n, minimum=least[side]) for n, side in ((base, "base"), (platform, "platform"))]
    limits = replace(m.limits, base_plate=plates[0], platform_plate=plates[1], tilt=2.0)
    m = replace(m, limits=limits)
    X = m.X_home @ gough.pose_matrix(0.02 * m.size * rng.normal(size=(5, 3)), 0.1 * rng.normal(size=(5, 3)), "XYZ")
    g = gough.margins(m, X)
    u = np.stack([rod_directions(m.legs, pose, gough.inverse_kinematics(m, pose)) for pose in X])
    for i in range(6):
        for side, normal in (("base", base), ("platform", X[:, :3, :3] @ platform)):
            rise = np.arcsin(np.sum(u[:, i] * normal, axis=-1)) - least[side][i]
            np.testing.assert_allclose(named(g, f"leg {i + 1} {side} plate angle"), rise, rtol=0, atol=1e-9)
    axis, at_home = (X @ m.X_PT)[:, :3, 2], (m.X_home @ m.X_PT)[:3, 2]
    np.testing.assert_allclose(named(g, "tool tilt"), 2.0 - np.arccos(axis @ at_home), rtol=0, atol=1e-7)


@pytest.fixture
def _decides(monkeypatch):
    """Few poses too go to the kernel that only decides."""
    monkeypatch.setattr(sys.modules["gough.limits.margins"], "DECIDED_FROM", 0)


@pytest.mark.usefixtures("_decides")
@pytest.mark.parametrize("name", [*SKEW, "hexel", "sinatra2009", "servo", "dehaeze", "jugglebot", "pitch-circle", ""])
def test_is_allowed_is_what_the_margins_say(name, rng):
    """Far off limits, on one to rounding, and at NaN; "" has every kind of limit."""
    m = gough.load(name) if name else strut_machine()
    count = 600
    size = np.repeat([0.01, 0.1, 1.0], count // 3)[:, None, None]
    poses = random_poses(m, rng, count, m.size, 0.6)
    X = m.X_home + size * (poses - m.X_home)
    X[:, :3, :3] = Rotation.from_matrix(X[:, :3, :3]).as_matrix()
    directions = rng.normal(size=(12, 6)) / [*[1] * 3, *[m.size] * 3]
    ends = gough.travel(m, directions, gough.nearest_pose(m, m.X_home).matrix).matrix
    X = np.concatenate([X, ends, np.full((1, 4, 4), np.nan)])
    allowed = gough.limits.is_allowed(m, X)
    np.testing.assert_array_equal(allowed, gough.margins(m, X).is_allowed)
    assert allowed.any()
    assert not allowed.all()
    assert gough.limits.is_allowed(m, X.reshape(-1, 1, 4, 4)).shape == (len(X), 1)
    assert bool(gough.limits.is_allowed(m, X[-1])) is False


@pytest.mark.usefixtures("_decides")
@pytest.mark.parametrize(
    "only",
    [
        {"joint_min": 0.25},
        {"joint_max": 0.31},
        {"base_cone": {"half_angle": 0.3}},
        {"platform_cone": {"half_angle": 0.4}},
        {"leg_radius": 0.01},
        {"base_plate_angle": 0.9},
        {"platform_plate_angle": 0.6},
        {"box": {"x_min": -0.05}},
        {"box": {"z_max": 0.35}},
        {"radius": 0.08},
        {"tilt": 0.4},
        {"rotation": 0.3},
        {"singular_value": 0.2},
        {},
    ],
    ids=lambda only: "".join(only) or "singularity",
)
def test_is_allowed_sees_each_limit_alone(only, rng):
    """A machine that has one limit besides the singularity: poses that break nothing else are refused."""
    given = {key: only.get(key) for key in ("joint_min", "joint_max")}
    limits = {key: value for key, value in only.items() if key not in given}
    m = strut_machine()
    m = gough.from_points(m.legs.a_B, m.b_P, home=m.home, limits=limits, **given)
    X = random_poses(m, rng, 600, 0.15, 0.8 if only else 2.0)
    g = gough.margins(m, X)
    np.testing.assert_array_equal(gough.limits.is_allowed(m, X), g.is_allowed)
    alone = ~g.is_allowed & ((g.values[:, -1] > 0) | (not only or "singular_value" in only))
    assert alone.any()
    assert g.is_allowed.any()


def test_is_allowed_of_both_stages(rng):
    m = gough.load(SKEW_STACK)
    X = np.stack([random_poses(stage, rng, 500, 0.2 * stage.size, 0.2) for stage in (m.lower, m.upper)], axis=1)
    X = stacked_poses(m, X[:, 0], X[:, 1])
    allowed = gough.limits.is_allowed(m, X)
    np.testing.assert_array_equal(allowed, gough.margins(m, X).is_allowed)
    assert allowed.any()
    assert not allowed.all()
