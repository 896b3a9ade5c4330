"""Weights at rest: all that is known counts, by two routes; what is left out is named."""

from dataclasses import replace

import numpy as np
import pytest
from tests.poses import assert_close, displaced
from tests.skew import SKEW_OF_KIND

import gough
from gough.errors import InputError

ROUND_OFF = 1e-11
"""Relative; as for the laws of dynamics."""
STILL = np.zeros(6)


def test_statics_are_inverse_dynamics_at_rest(massive, states, rng):
    """Another route to the same: NumPy from mass centres' Jacobians here, compiled bodies' accelerations there."""
    X, _, _ = states(massive, rng, 12)
    _, F, _ = states(massive, rng, 12)
    for gravity in (True, rng.normal(size=3), rng.normal(size=(12, 3))):
        g = None if gravity is True else gravity
        expected = gough.inverse_dynamics(massive, X, STILL, STILL, F, gravity=g)
        assert_close(gough.leg_forces(massive, X, F, gravity=gravity), expected, 1e-10)


def test_weight_does_the_work_that_potential_energy_loses(massive, states, rng):
    X, V, _ = states(massive, rng, 6)
    f = gough.leg_forces(massive, X, gravity=True)
    step = 1e-6
    for k in range(len(X)):
        ends = [gough.dynamics.potential_energy(massive, displaced(X[k], s * V[k])) for s in (step, -step)]
        work = f[k] * gough.joint_rates(massive, X[k], V[k])
        assert work.sum() == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-6 * np.abs(work).max())


def test_the_thirteen_solids_hold_what_first_principles_give():
    """3 kg of platform and six times the upper part's 0.3 kg with what the lower ones lean: 8.53329 N, not 5.219 N."""
    m = gough.load("dumitriu2017")
    np.testing.assert_allclose(gough.leg_forces(m, m.home, gravity=True), 8.53329, rtol=1e-6)
    bare = replace(m, leg_bodies={})
    np.testing.assert_allclose(gough.leg_forces(bare, m.home, gravity=True), 5.219, rtol=1e-4)


def test_a_strut_pushes_the_platform_with_less_than_its_drive_by_the_weight_of_its_upper_part(massive, states, rng):
    """Along a strut: what the drive gives, less the part of the piston's weight, arrives at the platform joint."""
    if massive.legs.kind != "UPS":
        pytest.skip("struts")
    X, _, _ = states(massive, rng, 8)
    g = np.array([2.0, -1.0, -9.0])
    d = X[:, None, :3, 3] + massive.b_P @ X[:, :3, :3].swapaxes(1, 2) - massive.legs.a_B
    u = d / np.linalg.norm(d, axis=-1, keepdims=True)
    expected = gough.leg_forces(massive, X, gravity=g) + massive.leg_bodies["piston"].mass * (u @ g)
    assert_close(gough.statics.axial_forces(massive, X, STILL, gravity=g), expected, ROUND_OFF)


@pytest.mark.parametrize("name", ["sinatra2009", "hexaglide", SKEW_OF_KIND["PUS"]])
def test_slider_and_rod_balance_along_the_guide(name, states, rng):
    """F + (weights . guide) is what the rod puts on the platform: N along it, and across it the weights' moments about
    the slider over the rod's length, less that of the cross at the slider, which keeps the rod from rolling."""
    m = gough.load(name)
    X, _, _ = states(m, rng, 8)
    g = np.array([2.0, -1.0, -9.0])
    p = m.legs.driven_points(gough.inverse_kinematics(m, X))
    d = X[:, None, :3, 3] + m.b_P @ X[:, :3, :3].swapaxes(1, 2) - p
    u = d / m.legs.rod_length[:, None]
    on_rods = [
        motion for part, motion in gough.dynamics.body_motions(m, X).items() if m.legs.attached_to[part] == "foot"
    ]
    moment = sum(body.mass[:, None] * np.cross(body.mass_centre - p, g) for body in on_rods)
    first = m.joint_axis if m.joint_axis is not None else m.legs.g_B
    n = np.cross(first, np.cross(first, u))
    moment -= ((moment * u).sum(axis=-1) / (n * u).sum(axis=-1))[..., None] * n
    leaning = np.cross(moment, u) / m.legs.rod_length[:, None]
    on_platform = gough.statics.axial_forces(m, X, STILL, gravity=g)[..., None] * u + leaning
    weight = sum(body.mass for body in m.leg_bodies.values()) * (m.legs.g_B @ g)
    f = gough.leg_forces(m, X, gravity=g)
    assert_close((on_platform * m.legs.g_B).sum(axis=-1), f + weight, ROUND_OFF)


def test_legs_weigh_where_the_platform_is_not_known(massive, states, rng):
    alone = replace(massive, platform=None)
    X, _, _ = states(massive, rng, 4)
    without = gough.leg_forces(replace(massive, leg_bodies={}), X, gravity=True)
    assert_close(
        gough.leg_forces(alone, X, gravity=True) + without, gough.leg_forces(massive, X, gravity=True), ROUND_OFF
    )
    with pytest.raises(InputError, match="no masses"):
        gough.leg_forces(replace(alone, leg_bodies={}), X, gravity=True)


def test_capacities_count_what_the_machine_weighs(massive):
    """At each end of a capacity the worst actuator is at its force, the machine's own weight included."""
    m = massive
    strength = float(np.linalg.norm(m.gravity))
    worst = strength * np.linalg.norm(gough.leg_forces(m, m.home, gravity=np.eye(3)), axis=0)  # in any mounting
    most = worst.max() * np.linspace(1.5, 3.0, 6)
    r = m.X_home[:3, :3] @ m.point_of_interest
    for k, row in enumerate(gough.statics.capacity_table(m, m.home, gravity=True, actuator_force=most)):
        for sign, size, leg in ((1, row.plus, row.plus_leg), (-1, row.minus, row.minus_leg)):
            F = sign * size * np.eye(6)[k]
            F[3:] += np.cross(r, F[:3])
            used = np.abs(gough.leg_forces(m, m.home, F, gravity=True)) / most
            assert used.max() == pytest.approx(1.0, rel=1e-9)
            assert used[leg - 1] == pytest.approx(1.0, rel=1e-9)
    for row in gough.statics.payload_table(m, m.home, actuator_force=most):
        g = strength * row.gravity
        load = row.mass * np.array([*g, *np.cross(r, g)])
        used = np.abs(gough.leg_forces(m, m.home, load, gravity=g)) / most
        assert used.max() == pytest.approx(1.0, rel=1e-9)
    for motion in ("force", "moment"):
        radius = gough.statics.guaranteed_wrench(m, m.home, motion, gravity=True, actuator_force=most)
        vertices = gough.statics.wrench_envelope(m, m.home, motion, gravity=True, actuator_force=most)
        for v in vertices:
            F = np.concatenate([v, np.cross(r, v)]) if motion == "force" else np.array([0, 0, 0, *v])
            used = np.abs(gough.leg_forces(m, m.home, F, gravity=True)) / most
            assert used.max() == pytest.approx(1.0, rel=1e-6)
        taken = np.abs(gough.leg_forces(m, m.home, np.zeros(6), gravity=True)) / most
        with pytest.raises(InputError, match=f"take 200 % of the force of leg {1 + taken.argmax()}:"):
            gough.statics.wrench_envelope(m, m.home, motion, gravity=True, actuator_force=0.5 * taken.max() * most)
        from scipy.spatial import ConvexHull

        nearest = -ConvexHull(vertices).equations[:, 3].max()
        assert float(radius) == pytest.approx(nearest, rel=1e-6)
