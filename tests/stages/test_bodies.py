"""Bodies of the legs of two stages: differences along motions, energies, and a stage that moves alone."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough.dynamics import body_motions, kinetic_energy, mass_matrix
from gough.machine import Actuators

STEP = 1e-4
"""Of differences [s]; their error is of its square."""
DIFFERENCE = 1e-5
"""Relative error of central differences."""
ROUND_OFF = 1e-9
"""Relative."""


def assert_near(found, expected, rtol, atol=0.0):
    np.testing.assert_allclose(found, expected, rtol=0, atol=rtol * (np.abs(expected).max() + 1) + atol)


def test_velocities_and_accelerations_are_those_of_differences(state, moved):
    m, X, V, A = state
    here, ends = body_motions(m, X, V, A), [body_motions(m, moved(X, V, A, t)) for t in (-STEP, STEP)]
    assert list(here) == [f"stage {k} {part}" for k, s in enumerate(m.stages, 1) for part in s.leg_bodies]
    for part, motion in here.items():
        before, after = (end[part].mass_centre for end in ends)
        assert_near(motion.velocity, (after - before) / (2 * STEP), DIFFERENCE)
        bend = (after - 2 * motion.mass_centre + before) / STEP**2
        # Rounding of positions about the machine's size.
        assert_near(motion.acceleration, bend, 10 * DIFFERENCE, 4e-15 * m.size / STEP**2)


def test_angular_velocities_and_accelerations_are_those_of_the_frames(state, moved):
    m, X, V, A = state
    here = body_motions(m, X, V, A)
    ends = [body_motions(m, moved(X, V, A, t), V + t * A, A) for t in (-STEP, STEP)]
    for part, motion in here.items():
        R = [end[part].matrix[:, :3, :3] for end in ends]
        turn = Rotation.from_matrix(R[1] @ R[0].swapaxes(-1, -2)).as_rotvec() / (2 * STEP)
        assert_near(motion.angular_velocity, turn, DIFFERENCE)
        rate = (ends[1][part].angular_velocity - ends[0][part].angular_velocity) / (2 * STEP)
        assert_near(motion.angular_acceleration, rate, DIFFERENCE)


@pytest.mark.parametrize("drives", ["free", "held"])
def test_the_energies_of_platforms_and_bodies_make_up_the_mass_matrix(state, drives):
    m, X, V, _ = state
    m = replace(m, stages=tuple(replace(s, actuators=Actuators()) for s in m.stages))
    energy = 0.0
    for stage, pose, twist in zip(m.stages, X, V, strict=True):
        body, R = stage.platform, pose[:3, :3]
        v, w = twist[:3] + np.cross(twist[3:], R @ body.mass_centre), R.T @ twist[3:]
        energy += 0.5 * (body.mass * v @ v + w @ body.inertia @ w)
    for name, motion in body_motions(m, X, V, drives=drives).items():
        w = (motion.matrix[:, :3, :3].swapaxes(-1, -2) @ motion.angular_velocity[..., None])[..., 0]
        inertia = m.stages[int(name[6]) - 1].leg_bodies[name[8:]].inertia
        energy += 0.5 * np.sum(motion.mass[:, None] * motion.velocity**2)
        energy += 0.5 * np.einsum("li,lij,lj", w, inertia, w)
    both = V.ravel()
    assert energy == pytest.approx(0.5 * both @ mass_matrix(m, X, drives=drives) @ both, rel=ROUND_OFF)
    if drives == "free":
        assert energy == pytest.approx(float(kinetic_energy(m, X, V)), rel=ROUND_OFF)


def test_with_the_lower_stage_at_rest_they_are_those_of_the_upper_one_in_its_base(state):
    m, X, V, A = state
    V, A = V * [[0.0], [1.0]], A * [[0.0], [1.0]]
    X_BU = X[0] @ m.X_IU
    R = np.kron(np.eye(2), X_BU[:3, :3])
    found, alone = body_motions(m, X, V, A), body_motions(m.upper, np.linalg.inv(X_BU) @ X[1], V[1] @ R, A[1] @ R)
    for part, motion in alone.items():
        of_both = found[f"stage 2 {part}"]
        assert_near(of_both.matrix, X_BU @ motion.matrix, ROUND_OFF)
        for name in ("velocity", "acceleration", "angular_velocity", "angular_acceleration"):
            assert_near(getattr(of_both, name), getattr(motion, name) @ X_BU[:3, :3].T, ROUND_OFF)
    for part in m.lower.leg_bodies:
        assert_near(found[f"stage 1 {part}"].velocity, np.zeros((6, 3)), ROUND_OFF)
