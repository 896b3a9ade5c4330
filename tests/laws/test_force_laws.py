"""Laws of speeds, stiffness, forces and accuracy on every built-in machine: symmetries, and brute force."""

from dataclasses import fields, replace

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.machine import Body

ROUND_OFF = 1e-9
"""Relative; rounding of a few hundred operations times the conditioning of the worst built-in machine."""
POINTS_OF_BASE = ("a_B", "c_B")
DIRECTIONS = ("g_B", "n_B", "branch")
"""What has no length in metres."""
REGULAR = [info.name for info in gough.machines(stages=1) if info.name != "singular-home"]
REGULAR += SKEW


@pytest.fixture(params=REGULAR, scope="module")
def known(request):
    """Every built-in machine with speeds, stiffnesses, forces, resolution and a mass, different for each leg."""
    m = gough.load(request.param)
    six = np.linspace(1.0, 2.0, 6)
    actuators = replace(
        m.actuators, stiffness=1e6 * six, axial_rigidity=None, base_joint_stiffness=3e6 * six, resolution=1e-6 * six
    )
    limits = replace(m.limits, joint_speed=0.1 * six, actuator_force=500 * six[::-1])
    body = Body(mass=0.5, mass_centre=np.array([0.01, 0.02, 0.03]), inertia=np.eye(3))
    return replace(m, actuators=actuators, limits=limits, platform=body)


def answers(m, X):
    """Everything that no choice of frame and no order of the legs may change."""
    K = gough.statics.principal_stiffness(gough.stiffness(m, X))
    e = gough.velocity_envelope(m, X)
    r = gough.accuracy.resolution(m, X)
    return {
        "stiffness": np.concatenate([K.translation, K.rotation]),
        "speeds": np.array([f(motion) for f in (e.guaranteed, e.fastest) for motion in ("translation", "rotation")]),
        "resolution": np.array([r.worst_translation, r.worst_rotation]),
        "loads": np.array([gough.statics.guaranteed_wrench(m, X, motion) for motion in ("force", "moment")]),
        "payloads": np.array([row.mass for row in gough.statics.payload_table(m, X)]),
        "errors": np.linalg.norm(gough.accuracy.parameter_sensitivity(m, X)[:3]),
    }


def assert_same(found, expected, factors=None):
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value * (factors or {}).get(name, 1.0), rtol=ROUND_OFF, err_msg=name)


def with_vectors(m, changed, **others):
    legs = {f.name: changed(f.name, getattr(m.legs, f.name)) for f in fields(m.legs)}
    return replace(m, legs=replace(m.legs, **legs), **others)


def test_moving_the_whole_world_changes_nothing(known):
    D = gough.pose_matrix(np.array([0.3, -0.2, 0.5]) * known.size, [0.7, -1.1, 2.0], "XYZ")
    R, t = D[:3, :3], D[:3, 3]

    def moved(name, value):
        return value @ R.T + (t if name in POINTS_OF_BASE else 0.0) if name.endswith("_B") else value

    axes = None if known.joint_axis is None else known.joint_axis @ R.T
    there = with_vectors(known, moved, X_home=D @ known.X_home, gravity=R @ known.gravity, joint_axis=axes)
    assert_same(answers(there, there.X_home), answers(known, known.X_home))
    turn = np.kron(np.eye(2), R)
    K = turn @ gough.stiffness(known, known.X_home) @ turn.T
    np.testing.assert_allclose(gough.stiffness(there, there.X_home), K, rtol=0, atol=ROUND_OFF * np.abs(K).max())


@pytest.mark.parametrize("k", [1e-3, 20.0])
def test_scaling_all_lengths_scales_as_the_units_say(known, k):
    X = known.X_home.copy()
    X[:3, 3] *= k
    lengths = known.legs.joint == "length"
    limits = replace(known.limits, joint_speed=known.limits.joint_speed * (k if lengths else 1.0))
    step = known.actuators.resolution * (k if lengths else 1.0)
    body = replace(known.platform, mass_centre=k * known.platform.mass_centre)
    bodies = {name: replace(part, mass_centre=k * part.mass_centre) for name, part in known.leg_bodies.items()}
    larger = with_vectors(
        known,
        lambda name, value: value if name in DIRECTIONS else k * value,
        X_home=X,
        point_of_interest=k * known.point_of_interest,
        limits=limits,
        actuators=replace(known.actuators, resolution=step),
        platform=body,
        leg_bodies=bodies,
    )
    per_torque = 1.0 if lengths else 1 / k  # a torque moves a longer crank with less force
    factors = {
        "stiffness": np.repeat([1.0, k * k], 3),
        "speeds": np.array([k, 1.0, k, 1.0]),
        "resolution": np.array([k, 1.0]),
        "loads": per_torque * np.array([1.0, k]),
    }
    if not lengths:  # the machine's weight does not change with the cranks' force
        larger, known = (replace(m, platform=None, leg_bodies={}) for m in (larger, known))
        factors["payloads"] = per_torque
    assert_same(answers(larger, X), answers(known, known.X_home), factors)


def test_relabelling_the_legs_changes_nothing(known, rng):
    order = rng.permutation(6)
    limits = replace(
        known.limits,
        joint_speed=known.limits.joint_speed[order],
        actuator_force=known.limits.actuator_force[order],
    )
    a = known.actuators
    each = ("stiffness", "base_joint_stiffness", "resolution")
    actuators = replace(a, platform_joint_stiffness=None, **{name: getattr(a, name)[order] for name in each})
    same = replace(known, actuators=replace(a, platform_joint_stiffness=None))
    axes = None if known.joint_axis is None else known.joint_axis[order]
    bodies = {part: [six[i] for i in order] for part, six in known.leg_bodies.items()}
    m = with_vectors(same, lambda name, value: value[order], limits=limits, actuators=actuators, joint_axis=axes)
    m = replace(m, leg_bodies=bodies)
    assert_same(answers(m, m.X_home), answers(same, same.X_home))
    legs = [row.leg for row in gough.statics.payload_table(same, same.X_home)]
    assert [1 + int(order[row.leg - 1]) for row in gough.statics.payload_table(m, m.X_home)][-1] == legs[-1]


def test_stiffness_is_symmetric_and_positive(known):
    K = gough.stiffness(known, known.X_home)
    np.testing.assert_allclose(K, K.T, rtol=0, atol=1e-12 * np.abs(K).max())
    assert np.linalg.eigvalsh(K).min() > 0


def test_every_mounting_is_as_good_as_its_worst_direction_by_brute_force(known, rng):
    """Of 4000 directions of gravity none allows less than "any mounting" says, and some allow hardly more."""
    upright, hanging, side, anyhow = gough.statics.payload_table(known, known.X_home)
    g = rng.normal(size=(4000, 3))
    strength = np.linalg.norm(known.gravity)
    g *= strength / np.linalg.norm(g, axis=1, keepdims=True)
    least = gough.payload(known, known.X_home, gravity=g).factor
    assert least.min() >= anyhow.mass * (1 - ROUND_OFF)
    assert least.min() <= anyhow.mass * 1.02 + ROUND_OFF
    assert anyhow.mass <= side.mass * (1 + ROUND_OFF)
    for row in (upright, hanging, side, anyhow):
        same = gough.payload(known, known.X_home, gravity=strength * row.gravity)
        assert float(same.factor) == pytest.approx(row.mass, rel=ROUND_OFF)
        assert row.mass == 0 or int(same.leg) == row.leg
