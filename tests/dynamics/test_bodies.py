"""Positions of the legs' bodies against the file format's words, velocities and accelerations against differences."""

import numpy as np
from scipy.spatial.transform import Rotation

import gough

STEP = 1e-4
"""Of time, for central differences [s]."""
DIFFERENCE = 1e-6
"""Their error, relative to the largest velocity: the step's square over six, and rounding over the step."""
SECOND_DIFFERENCE = 1e-5
"""Of second differences, relative to the largest acceleration."""
ROUND_OFF = 1e-13


def path(X, V, A, t):
    """A motion through X at t = 0 with this twist and acceleration there, to second order."""
    moved = X.copy()
    moved[..., :3, 3] += t * V[..., :3] + 0.5 * t * t * A[..., :3]
    turn = Rotation.from_rotvec(t * V[..., 3:] + 0.5 * t * t * A[..., 3:]).as_matrix()
    moved[..., :3, :3] = turn @ X[..., :3, :3]
    return moved


def frames_by_the_words(machine, X):
    """Frames of all parts as `docs/machine-files.md` says them, written out leg by leg."""
    q = gough.inverse_kinematics(machine, X)
    b = X[:3, :3] @ machine.b_P.T + X[:3, 3:]
    legs, frames = machine.legs, {part: np.tile(np.eye(4), (6, 1, 1)) for part in machine.leg_bodies}
    for i in range(6):
        foot = legs.driven_points(q)[i]
        z = (b[:, i] - foot) / np.linalg.norm(b[:, i] - foot)
        turn = Rotation.from_rotvec(q[i] * legs.n_B[i]).as_matrix() if legs.kind == "RUS" else np.eye(3)
        y = np.cross(z, turn @ machine.joint_axis[i])
        y /= np.linalg.norm(y)
        for part, frame in frames.items():
            frame[i, :3, :3] = np.stack([np.cross(y, z), y, z], axis=-1)
            frame[i, :3, 3] = b[:, i] if part == "piston" else foot
            if part == "slider":
                frame[i, :3, :3] = np.eye(3)
            if part == "crank":
                across = legs.r_B[i] - (legs.r_B[i] @ legs.n_B[i]) * legs.n_B[i]
                x = turn @ across / np.linalg.norm(across)
                frame[i, :3, :3] = np.stack([x, np.cross(legs.n_B[i], x), legs.n_B[i]], axis=-1)
                frame[i, :3, 3] = legs.c_B[i]
    return frames


def test_frames_are_where_the_file_format_says(lopsided, rng, states):
    X, _, _ = states(lopsided, rng, 3)
    found = gough.dynamics.body_motions(lopsided, X)
    for k in range(3):
        expected = frames_by_the_words(lopsided, X[k])
        assert set(found) == set(expected) == set(lopsided.leg_bodies)
        for part, frames in expected.items():
            np.testing.assert_allclose(found[part].matrix[k], frames, rtol=0, atol=ROUND_OFF)
            centre = (
                np.einsum("ijk,ik->ij", frames[:, :3, :3], lopsided.leg_bodies[part].mass_centre) + frames[:, :3, 3]
            )
            np.testing.assert_allclose(found[part].mass_centre[k], centre, rtol=0, atol=ROUND_OFF)


def test_velocities_and_accelerations_are_those_of_differences(massive, rng, states):
    X, V, A = states(massive, rng, 8)
    here = gough.dynamics.body_motions(massive, X, V, A)
    before, after = (gough.dynamics.body_motions(massive, path(X, V, A, t)) for t in (-STEP, STEP))
    for part, motion in here.items():
        velocity = (after[part].mass_centre - before[part].mass_centre) / (2 * STEP)
        assert np.abs(motion.velocity - velocity).max() <= DIFFERENCE * np.abs(velocity).max()
        bend = (after[part].mass_centre - 2 * motion.mass_centre + before[part].mass_centre) / STEP**2
        # Rounding of positions about the machine's size.
        noise = 1e-15 * massive.size / STEP**2
        assert np.abs(motion.acceleration - bend).max() <= SECOND_DIFFERENCE * np.abs(bend).max() + noise


def test_angular_velocities_are_those_of_the_frames(lopsided, rng, states):
    X, V, A = states(lopsided, rng, 8)
    here = gough.dynamics.body_motions(lopsided, X, V, A)
    ends = [gough.dynamics.body_motions(lopsided, path(X, V, A, t)) for t in (-STEP, STEP)]
    moving = [gough.dynamics.body_motions(lopsided, path(X, V, A, t), *twist(V, A, t)) for t in (-STEP, STEP)]
    for part, motion in here.items():
        R = [end[part].matrix[..., :3, :3].reshape(-1, 3, 3) for end in ends]
        turn = Rotation.from_matrix(R[1] @ R[0].swapaxes(-1, -2)).as_rotvec() / (2 * STEP)
        rate = (moving[1][part].angular_velocity - moving[0][part].angular_velocity) / (2 * STEP)
        scale = 1 + np.abs(turn).max()
        assert np.abs(motion.angular_velocity.reshape(-1, 3) - turn).max() <= DIFFERENCE * scale
        assert np.abs(motion.angular_acceleration - rate).max() <= SECOND_DIFFERENCE * (1 + np.abs(rate).max())


def twist(V, A, t):
    """Twist and acceleration of `path` at t, to first order: what the difference of twists needs."""
    later = V + t * A
    return later, A


def test_legs_without_a_known_axis_do_not_turn_about_themselves(rng, states):
    m = gough.load("dumitriu2017")
    X, V, A = states(m, rng, 5)
    motion = gough.dynamics.body_motions(m, X, V, A)["piston"]
    along = motion.matrix[..., :3, 2]
    spin = np.sum(motion.angular_velocity * along, axis=-1)
    assert np.abs(spin).max() < ROUND_OFF * np.abs(motion.angular_velocity).max()
