"""Travel: the end is on a limit, nothing before it breaks one, and closed forms where there are some."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.limits.interval_search import columns_along, limits_for_search

EXACT = 1e-9  # of the machine's size
ON_THE_LIMIT = 1e-12

REFERENCES = Path(__file__).parent.parent / "references"


def directions(rng, count, machine):
    d = rng.normal(size=(count, 6))
    d[:, 3:] /= machine.size
    return d


def test_travel_ends_on_its_binding_limit(machine, rng):
    t = gough.travel(machine, directions(rng, 100, machine))
    ended = np.isfinite(t.distance)
    assert ended.any()
    g = gough.margins(machine, t.matrix[ended])
    at_end = g.values[np.arange(ended.sum()), t.binding_index[ended]]
    assert np.abs(at_end).max() < ON_THE_LIMIT
    assert np.nanmin(g.relative) > -ON_THE_LIMIT


def test_no_limit_is_broken_before_the_end(machine, rng):
    d = directions(rng, 40, machine)
    t = gough.travel(machine, d)
    part = np.linspace(0, 1, 400)[:-1]
    for k in np.flatnonzero(np.isfinite(t.distance)):
        unit = d[k] / np.linalg.norm(d[k, :3])
        s = part[:, None] * t.distance[k]
        R = Rotation.from_rotvec(s * unit[3:]).as_matrix() @ machine.X_home[:3, :3]
        point = machine.X_home[:3, :3] @ machine.point_of_interest + machine.X_home[:3, 3] + s * unit[:3]
        X = gough.pose_matrix(point - R @ machine.point_of_interest)
        X[:, :3, :3] = R
        assert gough.margins(machine, X).is_allowed.all()


def test_a_limit_broken_just_before_a_leg_is_out_of_reach_ends_the_way():
    """A crank turns ever faster towards the end of its leg's reach: its own limit lies a hair's breadth before it."""
    m = gough.load("servo")
    moves = np.random.default_rng(5).normal(size=(1500, 3))
    moves /= np.linalg.norm(moves, axis=1, keepdims=True)
    t = gough.travel(m, np.concatenate([moves, np.zeros_like(moves)], axis=1))
    before = np.concatenate([-np.logspace(-9, -1, 17), [-1e-12]])
    points = m.X_home[:3, 3] + t.distance[:, None, None] * (1 + before[:, None]) * moves[:, None, :]
    assert gough.margins(m, gough.pose_matrix(points)).is_allowed.all()


def test_an_interval_ends_with_its_column_wherever_that_ends(machine):
    """Just short of a limit too: a last step beyond the column would find the limit."""
    home = machine.X_home[:3, :3] @ machine.point_of_interest + machine.X_home[:3, 3]
    up = gough.travel(machine, [0, 0, 1, 0, 0, 0]).distance
    heights = up * np.array([1e-3, 0.3, 0.9, 1 - 1e-3, 1 - 1e-6, 1 + 1e-6, 1.1])
    R, feet = machine.X_home[:3, :3], np.tile(home, (len(heights), 1))
    found = columns_along(machine, limits_for_search(machine), R, feet, heights)
    ends = found.ends[:, 0] - home[2]
    np.testing.assert_allclose(ends, np.column_stack([0 * heights, np.minimum(heights, up)]), atol=1e-12 * machine.size)
    assert ((found.binding[:, 0, 1] < 0) == (heights < up)).all()


def test_translation_of_a_strut_machine_ends_where_the_quadratic_says(rng):
    """|d + s v| = L_max is a quadratic in s for each leg; the smallest positive root ends the travel."""
    a = rng.uniform(-0.3, 0.3, (6, 3)) * [1, 1, 0.1]
    b = rng.uniform(-0.2, 0.2, (6, 3)) * [1, 1, 0.1]
    m = gough.from_points(a, b, home=gough.pose([0, 0, 0.6]), joint_max=0.9)
    for v in rng.normal(size=(30, 3)):
        v /= np.linalg.norm(v)
        d = b + [0, 0, 0.6] - a
        dv = d @ v
        s = -dv + np.sqrt(dv**2 + 0.81 - np.sum(d * d, axis=1))
        t = gough.travel(m, [*v, 0, 0, 0])
        if "longest" in t.binding:
            assert float(t.distance) == pytest.approx(s.min(), abs=EXACT * m.size)
            assert t.binding == f"leg {int(np.argmin(s)) + 1} longest"
        else:
            assert t.binding == "singularity"
            assert t.distance < s.min()


def test_hexel_reaches_the_reports_envelopes_within_their_step():
    """Along +z the longest leg ends it (stepped by 5 mm in the report), along -z the plate angle (10 mm)."""
    reference = json.loads((REFERENCES / "hexel.json").read_text())
    m = gough.load("hexel")
    for i in range(4, 45, 5):
        for j in range(4, 45, 5):
            x, y = (i - 24) * 0.025, (j - 24) * 0.025
            lower, upper = reference["lower"][i][j] / 1e3, reference["upper"][i][j] / 1e3
            start = gough.pose([x, y, (lower + upper) / 2])
            if not gough.margins(m, start).is_allowed:
                continue
            down = gough.travel(m, [0, 0, 1, 0, 0, 0], start)
            up = gough.travel(m, [0, 0, -1, 0, 0, 0], start)
            assert lower <= down.matrix[2, 3] <= lower + 0.005
            assert upper - 0.010 <= up.matrix[2, 3] <= upper


def test_a_start_outside_the_limits_goes_nowhere_and_says_why():
    m = gough.load("hexel")
    t = gough.travel(m, [0, 0, 1, 0, 0, 0], gough.pose([0, 0, 1.4]))
    assert t.distance == 0.0
    assert "longest" in t.binding


def ring(radius, degrees):
    angle = np.deg2rad(degrees)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], axis=1)


BASE, PLATFORM = ring(1.0, [250, 290, 10, 50, 130, 170]), ring(0.6, [220, 320, 340, 80, 100, 200])


def test_a_machine_without_limits_travels_for_ever():
    m = gough.from_points(BASE, PLATFORM, home=gough.pose([0, 0, 1.0]))
    t = gough.travel(m, [0, 0, 1, 0, 0, 0])
    assert np.isinf(t.distance)
    assert t.binding == "none"
    assert np.isnan(t.matrix).all()
    assert t.sentence() == "no limit ends it"


def test_a_tiny_stroke_is_found_although_the_machine_is_large():
    home = gough.pose([0, 0, 1.0])
    q = np.linalg.norm(PLATFORM + [0, 0, 1.0] - BASE, axis=1)
    m = gough.from_points(BASE, PLATFORM, home=home, joint_min=q - 1e-6, joint_max=q + 1e-6)
    t = gough.travel(m, [0, 0, 1, 0, 0, 0])
    rise = np.sqrt((q + 1e-6) ** 2 - q**2 + 1) - 1
    assert float(t.distance) == pytest.approx(rise.min(), rel=1e-7)


def test_a_singularity_of_third_order_ends_the_way_exactly_there(rng):
    # Flat plates that come to lie in one plane: three singular values vanish together, the determinant is k z^3.
    base, platform = (np.column_stack([radius * rng.normal(size=(6, 2)), np.zeros(6)]) for radius in (1.0, 0.5))
    machine = gough.from_points(base, platform, home=gough.pose([0.1, 0.0, 0.8]))
    t = gough.travel(machine, [0, 0, -1, 0, 0, 0])
    assert abs(float(t.distance) - 0.8) < EXACT * machine.size


def test_a_turn_about_a_far_tool_is_a_translation():
    usual, lever = gough.load("hexel"), 1e9
    far = replace(usual, point_of_interest=np.array([0, 0, lever]))
    # A turn about +x by s takes a platform that hangs the lever below its tool along +y by s times the lever.
    turned = gough.travel(far, np.array([[0, 0, 0, 1.0, 0, 0], [0, 0, 0, -1.0, 0, 0]]))
    moved = gough.travel(usual, np.array([[0, 1.0, 0, 0, 0, 0], [0, -1.0, 0, 0, 0, 0]]))
    np.testing.assert_allclose(turned.distance * lever, moved.distance, rtol=1e-7)
    np.testing.assert_allclose(turned.matrix[:, :3, 3], moved.matrix[:, :3, 3], atol=1e-7)


def test_along_limits_stops_at_what_comes_first_margin_box_or_trust():
    """A linear programme whose answer is known: the half-plane x + y <= 1 in a box."""
    from gough.limits.climb import along_limits

    def margins(points):
        return 1.0 - points.sum(axis=1, keepdims=True)

    box = np.array([-0.6, -0.4]), np.array([0.7, 2.0])
    for start, e, trust, end in (
        ([0.0, 0.0], [1.0, 0.2], 5.0, [0.7, 0.3]),
        ([0.3, 0.1], [-1.0, -0.5], 5.0, [-0.6, -0.4]),
        ([0.3, 0.1], [-1.0, -0.5], 0.25, [0.05, -0.15]),
        ([-0.5, 0.0], [0.0, 1.0], 5.0, [-0.6, 1.6]),
    ):
        e = np.array(e) - 1e-3 * (np.array(e) == 0)
        found = along_limits(margins, np.array(start), e, box, trust, 1e-6)
        np.testing.assert_allclose(found, end, rtol=0, atol=1e-6)


@pytest.mark.parametrize("leg", [0, 3])
def test_of_limits_that_tie_the_first_one_is_named_whatever_rounding_makes_of_them(leg):
    """Legs that reach their limits together but for rounding, of which one is shorter by a nanometre."""
    m = gough.load("hexel")
    home = m.legs.b_P.copy()
    home[leg] *= 1 - 1e-9
    other = replace(m, legs=replace(m.legs, b_P=home))
    for direction in np.concatenate([np.eye(6), -np.eye(6)]):
        one, moved = gough.travel(m, direction), gough.travel(other, direction)
        assert one.binding == moved.binding == one.binding_set[0]
        assert one.binding_set == moved.binding_set
        assert gough.margins(m, one.matrix).binding == gough.margins(other, moved.matrix).binding
