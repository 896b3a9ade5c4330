"""One motion, every function that states extremes of motions: the same extremes, and brute force."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline
from tests.skew import SKEW

import gough
from gough import motion
from gough.motion.recorded import RecordedMotion, fit_motion

STATED = 1e-6
"""Between functions: the tolerance of 1e-7 that is stated, with some reserve."""
BRUTE = 2e-4
"""Of 100,000 times, and of rates by differences between them."""
TIMES = 100_001


@pytest.mark.parametrize("name", SKEW)
def test_path_dynamics_and_follow_state_the_same_extremes(name, rng):
    m = gough.load(name)
    m = m if m.platform is not None else m.with_payload(2.0, [0.0, 0.0, 0.1 * m.size], np.eye(3))
    t = np.arange(0, 2.001, 0.05)
    x = np.sin(np.outer(t, [3.0, 7.0, 11.0, 5.0, 9.0, 13.0])) * (2e-3 * np.array([m.size] * 3 + [1.0] * 3))
    fade = np.minimum(np.minimum(t, 2 - t), 0.5)[:, None]
    shifts = gough.pose(x[:, :3] * fade, x[:, 3:] * fade, "XYZ")
    X = gough.frames.displaced(m, shifts).as_matrix()
    of_path = motion.path_report(motion.programs.motion_through_poses(m, t, X), samples=11).work
    attrs = gough.dynamics.motion_forces(m, gough.dynamics.SplineMotion(t, X), np.array([0.0, 2.0])).attrs
    follow = fit_motion(m, RecordedMotion(t, shifts), reserve=0.0, rate=20.0, keeps_speeds=False)
    assert follow.gain.max() == pytest.approx(1.0), "nothing is scaled down"
    # The fitted motion has splines of its own, of the point of interest: it is compared with its own dynamics.
    own = gough.dynamics.motion_forces(m, follow.motion, np.array([0.0, 2.0])).attrs
    quantities = {"rate": "speed", "acceleration": "acceleration", "force": "force"}
    for key, quantity in quantities.items():
        np.testing.assert_allclose(getattr(of_path, f"peak_{key}"), attrs[f"peak_{quantity}"], rtol=STATED)
        of_follow = follow.extremes[key if key == "force" else f"joint_{key}"].peak
        np.testing.assert_allclose(of_follow, own[f"peak_{quantity}"], rtol=STATED)
    np.testing.assert_allclose(of_path.rms_power, attrs["rms_power"], rtol=STATED)
    np.testing.assert_allclose(follow.extremes["power"].rms, own["rms_power"], rtol=STATED)
    # Brute force from splines of SciPy and joint coordinates alone.
    dense = np.linspace(0, 2, TIMES)
    Y = np.tile(np.eye(4), (TIMES, 1, 1))
    Y[:, :3, 3] = CubicSpline(t, X[:, :3, 3])(dense)
    Y[:, :3, :3] = RotationSpline(t, Rotation.from_matrix(X[:, :3, :3]))(dense).as_matrix()
    q = gough.inverse_kinematics(m, Y)
    np.testing.assert_allclose(of_path.travel, np.abs(np.diff(q, axis=0)).sum(axis=0), rtol=BRUTE)
    rate = np.diff(q, axis=0) / dense[1]
    np.testing.assert_allclose(of_path.peak_rate, np.abs(rate).max(axis=0), rtol=BRUTE)
    np.testing.assert_allclose(of_path.lowest, q.min(axis=0), rtol=BRUTE)
    np.testing.assert_allclose(of_path.highest, q.max(axis=0), rtol=BRUTE)
