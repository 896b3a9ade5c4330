"""Velocity envelope: against the published directions, brute force, and its own geometry."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.poses import poses_near_home

import gough
from gough.limits.velocity_envelope import jacobian_at

REFERENCE = json.loads((Path(__file__).parent.parent / "references" / "hexel.json").read_text())
SAME = 1e-9  # relative; the reference rounds its directions to doubles


def test_top_speeds_of_hexel_match_the_report():
    m = gough.load("hexel")
    e = gough.velocity_envelope(m, gough.pose([0, 0, 0.8]))
    speed = e.speed(np.array(REFERENCE["velocity_direction"])) * 1e3
    np.testing.assert_allclose(speed, REFERENCE["velocity_max"], rtol=SAME)


def envelope(machine, rng, count=1):
    X = poses_near_home(machine, rng, (count,), way=0.02)
    return X, gough.velocity_envelope(machine, X, joint_speed=rng.uniform(0.5, 2.0, 6))


def test_at_the_top_speed_one_joint_is_at_its_limit_and_none_is_past_it(machine, rng):
    _, e = envelope(machine, rng, 5)
    for motion in ("translation", "rotation", "mixed"):
        d = rng.normal(size=(5, 6))
        d[:, 3 * (motion == "translation") : 3 if motion == "rotation" else 6] *= motion == "mixed"
        if motion == "rotation":
            d[:, 3:] = rng.normal(size=(5, 3))
        if motion == "translation":
            d[:, :3], d[:, 3:] = rng.normal(size=(5, 3)), 0.0
        length = np.linalg.norm(d[:, :3], axis=1) if motion != "rotation" else np.linalg.norm(d[:, 3:], axis=1)
        V = d / length[:, None] * e.speed(d)[:, None]
        used = np.abs((e.J_qV @ V[..., None])[..., 0]) / e.joint_speed
        np.testing.assert_allclose(used.max(axis=1), 1.0, rtol=1e-12)
        np.testing.assert_array_equal(e.limiting_leg(d), 1 + np.argmax(used, axis=1))


@pytest.mark.parametrize("motion", ["translation", "rotation"])
def test_guaranteed_speed_is_the_least_over_all_directions(machine, rng, motion):
    _, e = envelope(machine, rng)
    d = rng.normal(size=(20000, 3))
    six = np.concatenate([d, 0 * d] if motion == "translation" else [0 * d, d], axis=1)
    least = e.speed(six).min()
    assert e.guaranteed(motion) <= least
    assert least == pytest.approx(float(e.guaranteed(motion)[0]), rel=2e-3)  # 20000 directions lie about 1 deg apart


@pytest.mark.parametrize("motion", ["translation", "rotation"])
def test_vertices_are_where_three_joints_are_at_their_limits_and_the_hull_is_the_envelope(machine, rng, motion):
    X, _ = envelope(machine, rng)
    e = gough.velocity_envelope(machine, X[0], joint_speed=rng.uniform(0.5, 2.0, 6))
    v = e.vertices(motion)
    rows = e.J_qV[:, :3] if motion == "translation" else e.J_qV[:, 3:]
    used = np.abs(v @ rows.T) / e.joint_speed
    assert (used <= 1 + 1e-9).all()
    assert ((used > 1 - 1e-9).sum(axis=1) >= 3).all()
    # No vertex is missing: the farthest point along any direction is one of them.
    from scipy.optimize import linprog

    planes = np.concatenate([rows, -rows])
    for c in rng.normal(size=(20, 3)):
        best = linprog(-c, A_ub=planes, b_ub=np.tile(e.joint_speed, 2), bounds=[(None, None)] * 3)
        assert (v @ c).max() == pytest.approx(-best.fun, rel=1e-7)


def test_twist_vertices_are_the_64_corners_of_the_joint_speeds(machine, rng):
    X, _ = envelope(machine, rng)
    e = gough.velocity_envelope(machine, X[0], joint_speed=0.3)
    v = e.vertices("twist")
    assert v.shape == (64, 6)
    np.testing.assert_allclose(np.abs(v @ e.J_qV.T), 0.3, rtol=1e-9)


def test_the_twist_is_that_of_the_named_point(machine):
    """Rotating about a point moves the joints as the same rotation of the origin with the velocity it then has."""
    p, w = np.array([0.1, -0.2, 0.05]), np.array([0.2, -0.1, 0.3])
    X = machine.X_home
    at_point = jacobian_at(machine, X, p) @ [*np.zeros(3), *w]
    r = X[:3, :3] @ p
    at_origin = gough.jacobian(machine, X) @ [*-np.cross(w, r), *w]
    np.testing.assert_allclose(at_point, at_origin, rtol=1e-12)


def test_the_guaranteed_speed_of_any_mix_is_the_least_over_all_mixes(machine, rng):
    _, e = envelope(machine, rng)
    length = machine.characteristic_length
    d = rng.normal(size=(200_000, 6))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    d[:, 3:] /= length
    least = (e.joint_speed / np.abs(d @ e.J_qV[0].T)).min(axis=1).min()
    found = float(e.guaranteed("twist", length=length)[0])
    assert found <= least
    assert least == pytest.approx(found, rel=0.15)  # directions of six dimensions lie far apart
    worst = np.argmax(np.linalg.norm(e.J_qV[0] / ([1.0] * 3 + [length] * 3), axis=1) / e.joint_speed)
    row = e.J_qV[0][worst] / ([1.0] * 3 + [length] * 3)
    row = row / np.linalg.norm(row) / ([1.0] * 3 + [length] * 3)
    assert (e.joint_speed / np.abs(e.J_qV[0] @ row)).min() == pytest.approx(found, rel=1e-12)
    with pytest.raises(gough.errors.InputError, match="weight above zero"):
        e.guaranteed("twist")


def test_joint_rates_of_a_twist_are_those_of_the_point(machine):
    e = gough.velocity_envelope(machine, machine.home, joint_speed=1.0)
    V = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6])
    r = machine.X_home[:3, :3] @ machine.point_of_interest
    at_origin = [*(V[:3] - np.cross(V[3:], r)), *V[3:]]
    np.testing.assert_allclose(e.joint_rates(V), gough.joint_rates(machine, machine.home, at_origin), rtol=1e-10)
