"""Small oscillations of both platforms: masses by another machine, springs, stages that do not yield, simulation."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigh

import gough
from gough import stages
from gough.dynamics import body_motions, mass_matrix
from gough.legs import UPS
from gough.machine import Actuators
from gough.machine_parts import LegBodies, joined
from gough.statics.stiffness import platform_stiffness

ROUND_OFF = 1e-9
"""Relative."""


@pytest.fixture
def elastic(state, rng):
    """A stack whose twelve rods are springs, and poses of it."""
    m, X, *_ = state
    springs = (Actuators(stiffness=rng.uniform(1e5, 1e6, 6)) for _ in range(2))
    return replace(m, stages=tuple(replace(s, actuators=a) for s, a in zip(m.stages, springs, strict=True))), X


def as_struts(stage, X):
    """A stage whose drives are held at a pose: struts from where its driven points are, and what stays on its base.

    Of parts that turn with a rod the one at the foot is the strut's cylinder, the one at the head its piston.
    """
    q = gough.inverse_kinematics(stage, X)
    legs = UPS(a_B=stage.legs.driven_points(q), b_P=stage.b_P)
    names = {"foot": "cylinder", "head": "piston"}
    ends = {part: end for part, end in stage.legs.attached_to.items() if part in stage.leg_bodies}
    at = {name: [stage.leg_bodies[part] for part in ends if ends[part] == end] for end, name in names.items()}
    turning = {
        name: LegBodies.of([joined(leg) for leg in zip(*parts, strict=True)]) for name, parts in at.items() if parts
    }
    held = body_motions(stage, X)
    still = [
        body.seen_from(pose)
        for part, end in ends.items() if end == "carrier"
        for body, pose in zip(stage.leg_bodies[part], held[part].matrix, strict=True)
    ]  # fmt: skip
    axis = None
    if stage.joint_axis is not None:
        carriers = stage.legs.carriers(np.stack([np.zeros(6), q]))[..., :3, :3]
        axis = (carriers[1] @ np.swapaxes(carriers[0], -1, -2) @ stage.joint_axis[..., None])[..., 0]
    found = replace(stage, legs=legs, leg_kind="UPS", leg_bodies=turning, joint_axis=axis)
    return replace(found, actuators=Actuators(stiffness=stage.actuators.stiffness)), still


def test_held_masses_and_modes_are_those_of_struts_from_where_the_drives_stand(elastic):
    """What a held drive carries moves with the base of its stage, of the upper one with the intermediate platform."""
    m, X = elastic
    (lower, _), (upper, on_U) = map(as_struts, m.stages, (X[0], stages.upper_pose(m, X)))
    carried = [lower.platform, *(body.seen_from(m.X_IU) for body in on_U)]
    struts = replace(m, stages=(replace(lower, platform=joined(carried)), upper))
    M = mass_matrix(m, X, drives="held")
    expected = mass_matrix(struts, X)
    np.testing.assert_allclose(M, expected, rtol=0, atol=ROUND_OFF * np.abs(expected).max())
    found = gough.natural_frequencies(m, X).frequency
    np.testing.assert_allclose(found, gough.natural_frequencies(struts, X).frequency, rtol=1e-7)


def test_modes_solve_their_equation_and_are_of_unit_mass(elastic):
    m, X = elastic
    found, K, M = gough.natural_frequencies(m, X), platform_stiffness(m, X), mass_matrix(m, X, drives="held")
    np.testing.assert_allclose((2 * np.pi * found.frequency) ** 2, eigh(K, M, eigvals_only=True), rtol=1e-8)
    np.testing.assert_allclose(found.shape.T @ M @ found.shape, np.eye(12), rtol=0, atol=ROUND_OFF)


def test_a_stage_that_does_not_yield_leaves_the_frequencies_of_the_other(elastic):
    m, X = elastic
    rigid = Actuators(stiffness=np.full(6, 1e12))
    below = replace(m, stages=(replace(m.lower, actuators=rigid), m.upper))
    alone = gough.natural_frequencies(m.upper, stages.upper_pose(m, X))
    np.testing.assert_allclose(gough.natural_frequencies(below, X).frequency[:6], alone.frequency, rtol=1e-5)
    shares = gough.natural_frequencies(below, X).energy_shares[:6]
    np.testing.assert_allclose(shares[:, :6], 0.0, atol=1e-6)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=ROUND_OFF)
    # The other way round all of the upper stage swings on the lower legs, as one body with the intermediate platform.
    above = replace(m, stages=(m.lower, replace(m.upper, actuators=rigid)))
    locked = replace(m.lower, platform=joined([m.lower.platform, *locked_above(m, X)]))
    expected = gough.natural_frequencies(locked, X[0]).frequency
    np.testing.assert_allclose(gough.natural_frequencies(above, X).frequency[:6], expected, rtol=1e-5)


def locked_above(m, X):
    """The upper stage as one body with the intermediate platform, in its frame."""
    from gough.dynamics.bodies import locked

    return [locked(m.upper, stages.upper_pose(m, X)).seen_from(m.X_IU)]


def test_a_small_swing_in_a_simulation_has_the_period_of_the_mode():
    """Springs at the drives without weight, let go from a mode's shape: the other way after half a period."""
    m = gough.load("double-hexapod")
    m = replace(m, stages=tuple(replace(s, actuators=Actuators(stiffness=np.full(6, 2e5))) for s in m.stages))
    found, q0 = gough.natural_frequencies(m, m.X_home), gough.inverse_kinematics(m, m.X_home)
    V0 = 1e-4 * found.shape[:, 11].reshape(2, 6)

    def springs(t, X, V):
        return -2e5 * (gough.inverse_kinematics(m, X) - q0)

    half = 0.5 / found.frequency[11]
    r = gough.simulate(m, m.X_home, V0, springs, half, gravity=[0, 0, 0], times=[0, half], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(r.twist.to_numpy()[-1], -V0, rtol=0, atol=1e-4 * np.abs(V0).max())
