"""One motion, every function that states extremes of motions: the same extremes, and brute force."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough import motion
from gough.datasheet.sections.motion import dynamics, stated_motion
from gough.datasheet.sheet import Datasheet
from gough.motion.recorded import RecordedMotion, fit_motion
from gough.viewer.clips import clip_of_motion

LISTED = 2e-3
"""Between a motion and splines through 401 of its poses or forces at 401 times."""
SIMULATED = 1e-5
"""Of a simulation that follows it."""
START = 2e-2
"""Of forces that peak at the start: accelerations there follow from end conditions of splines, through other poses."""
STATED = 1e-6
"""Between functions: the tolerance of 1e-7 that is stated, with some reserve."""
BRUTE = 2e-4
"""Of 100,000 times, and of rates by differences between them."""
TIMES = 100_001


def machine_and_motion(name, end=2.0):
    """A machine of known masses without friction, and a motion from home and back: times, displacements, poses."""
    m = gough.load(name)
    m = m if m.platform is not None else m.with_payload(2.0, [0.0, 0.0, 0.1 * m.size], np.eye(3))
    m = m.without_coulomb_friction()
    t = np.arange(0, end + 1e-3, 0.05)
    x = np.sin(np.outer(t, [3.0, 7.0, 11.0, 5.0, 9.0, 13.0])) * (2e-3 * np.array([m.size] * 3 + [1.0] * 3))
    fade = np.minimum(np.minimum(t, end - t), 0.5)[:, None]
    shifts = gough.pose(x[:, :3] * fade, x[:, 3:] * fade, "XYZ")
    return m, t, shifts, gough.frames.displaced(m, shifts).as_matrix()


@pytest.mark.parametrize("name", [SKEW[0], *thorough(*SKEW[1:])])
def test_simulation_playback_and_viewer_show_the_extremes_of_dynamics(name):
    m, t, _, X = machine_and_motion(name, 0.5)
    wanted = gough.dynamics.SplineMotion(t, X)
    attrs = gough.dynamics.motion_forces(m, wanted, t[[0, -1]]).attrs
    following = gough.dynamics.ComputedTorque(m, wanted, bandwidth=60.0)
    done = gough.simulate(m, force=following, samples=3, rtol=1e-8, atol=1e-11).attrs
    for what in ("speed", "force", "power"):
        np.testing.assert_allclose(done[f"peak_{what}"], attrs[f"peak_{what}"], rtol=SIMULATED)
        np.testing.assert_allclose(done[f"rms_{what}"], attrs[f"rms_{what}"], rtol=SIMULATED)
    at = np.linspace(*wanted.span, 401)
    played = motion.joint_space.playback(m, at, gough.inverse_kinematics(m, wanted(at)[0]))
    again = gough.dynamics.motion_forces(m, gough.dynamics.SplineMotion(at, played.pose.to_numpy())).attrs
    for key, off in {
        "peak_speed": LISTED,
        "peak_acceleration": LISTED,
        "peak_force": START,
        "rms_power": LISTED,
    }.items():
        np.testing.assert_allclose(again[key], attrs[key], rtol=off)
    clip = clip_of_motion(m, "motion", wanted)
    shown = np.abs(clip.force).max(axis=0)
    assert (shown <= attrs["peak_force"] * (1 + STATED)).all()
    np.testing.assert_allclose(shown, attrs["peak_force"], rtol=LISTED)


@pytest.mark.parametrize("name", SKEW)
def test_the_datasheet_states_the_extremes_of_its_motion(name):
    sheet = Datasheet(machine_and_motion(name)[0])
    m, stated = sheet.machine, stated_motion(sheet)
    found = {field.key: field.value for field in dynamics(sheet).fields}
    dense = stated(np.linspace(*stated.span, TIMES))
    force, rate = gough.inverse_dynamics(m, *dense), gough.joint_rates(m, *dense[:2])
    np.testing.assert_allclose(found["peak_force"], np.abs(force).max(axis=0), rtol=BRUTE)
    np.testing.assert_allclose(found["rms_power"], np.sqrt(np.mean((force * rate) ** 2, axis=0)), rtol=BRUTE)
    np.testing.assert_allclose(found["peak_speed"], np.abs(rate).max(axis=0), rtol=BRUTE)


@pytest.mark.parametrize("name", SKEW)
def test_path_dynamics_and_follow_state_the_same_extremes(name):
    m, t, shifts, X = machine_and_motion(name)
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
