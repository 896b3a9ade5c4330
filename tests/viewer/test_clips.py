"""What can be played: motions of the machine, recorded ones, and what their charts and tables hold."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW, SKEW_OF_KIND

import gough
from gough.cli import main
from gough.cli.clip_input import read_clip
from gough.viewer.clips import clip_of_motion, named_clip, named_clips, quickest
from gough.viewer.panels.files import clip_csv
from gough.viewer.panels.player import quantity
from gough.viewer.scene.overlays import tool_path
from gough.viewer.stage import PoseCoordinates

ROUND_OFF = 1e-9
"""Of metres and radians of order one, through a text of twelve digits."""

TRACE = 1.5e-5
"""Rounded corners of 0.01 mm, and what the line leaves out [m]."""


@pytest.fixture(scope="module")
def sinatra():
    return gough.load("sinatra2009")


def test_a_named_motion_has_the_forces_that_motion_forces_gives(sinatra):
    clip = named_clip(sinatra, "motion vertical", "up", sinatra.X_home)
    assert clip.time[0] == 0
    half = 0.5 * np.ptp(clip.X[:, 2, 3])
    loads = gough.dynamics.motion_forces(
        sinatra, gough.dynamics.named_motion(sinatra, "vertical", half, duration=6.0), clip.time
    )
    np.testing.assert_allclose(clip.force, loads["force"], rtol=1e-4)  # half the way is seen to samples only
    np.testing.assert_allclose(clip.q, gough.inverse_kinematics(sinatra, clip.X))
    assert clip.power.shape == clip.force.shape == (len(clip.time), 6)


@pytest.mark.parametrize("name", ["rotopod", *SKEW])
def test_everything_offered_can_be_played_within_the_limits(name):
    machine = gough.load(name)
    for key, words in named_clips(machine).items():
        clip = named_clip(machine, key, words, machine.X_home)
        assert np.isfinite(clip.q).all(), key
        if not key.startswith("mode"):
            assert gough.margins(machine, clip.X).is_allowed.all(), key


def test_a_pose_between_samples_lies_between_them(sinatra):
    clip = named_clip(sinatra, "motion rotation", "", sinatra.X_home)
    t = 0.5 * (clip.time[7] + clip.time[8])
    X, a, b = clip.pose_at(t), clip.X[7], clip.X[8]
    np.testing.assert_allclose(X[:3, 3], 0.5 * (a + b)[:3, 3], atol=1e-15)
    np.testing.assert_allclose(X[:3, :3] @ X[:3, :3].T, np.eye(3), atol=1e-14)
    np.testing.assert_array_equal(clip.pose_at(-1.0)[:3, 3], clip.X[0, :3, 3])
    np.testing.assert_array_equal(clip.pose_at(99.0)[:3, 3], clip.X[-1, :3, 3])


def test_the_quickest_way_through_remembered_poses_keeps_the_legs_speed():
    machine = gough.load("hexel")
    poses = gough.frames.displaced(machine, gough.pose([[0.05, 0, 0], [0.05, 0.05, 0]])).as_matrix()
    clip = quickest(machine, poses)
    rate = np.abs(np.gradient(clip.q, clip.time, axis=0)).max()
    assert rate == pytest.approx(machine.limits.joint_speed[0], rel=0.01)
    np.testing.assert_allclose(clip.X[-1], poses[-1], atol=1e-9)


def test_a_table_that_was_taken_home_can_be_played_again(sinatra, tmp_path):
    clip = named_clip(sinatra, "tour", "tour", sinatra.X_home)
    text = clip_csv(sinatra, clip, PoseCoordinates(sinatra.point_of_interest, "pi", "base"))
    rows = [line.split(",") for line in text.splitlines()]
    legs = [k for k, title in enumerate(rows[0]) if title.startswith(("time", "q"))]
    file = tmp_path / "legs.csv"
    file.write_text("\n".join(",".join(row[k] for k in legs) for row in rows))
    again = read_clip(file, sinatra, "pi")
    np.testing.assert_allclose(again.X, clip.X, atol=ROUND_OFF)


def test_poses_over_time_and_simulated_histories_are_read(sinatra, tmp_path):
    poses = tmp_path / "poses.csv"
    poses.write_text("time,x,y,z,a,b,c\n0,0,0,0.6,0,0,0\n1,0.01,0,0.6,0,0,0.1\n")
    clip = read_clip(poses, sinatra, "pi")
    np.testing.assert_allclose(clip.X[-1, :3, 3], [0.01, 0, 0.6], atol=1e-15)
    history = tmp_path / "simulated.nc"
    data = gough.dynamics.motion_forces(
        sinatra, gough.dynamics.named_motion(sinatra, "rotation", 0.05), np.linspace(0, 1, 5)
    )
    data.attrs = {"machine": "sinatra2009"}
    data.to_netcdf(history, engine="scipy")
    clip = read_clip(history, sinatra, "pi")
    np.testing.assert_array_equal(clip.power, data["power"])
    assert clip.note == ""


def test_what_gough_path_writes_can_be_played_and_its_trace_stays_on_the_way(tmp_path):
    machine = gough.load("hexel")
    program = tmp_path / "part.ngc"
    program.write_text("G1 X10 F2400\nG3 X-10 I-10\nG0 X0\n")
    told = []
    clip = read_clip(program, machine, "pi", lambda *now: told.append(now))
    assert "Feasible: every limit is kept" in clip.note
    assert told[-1][1] == told[-1][2]
    for suffix in (".csv", ".nc"):
        legs = tmp_path / f"legs{suffix}"
        assert main(["path", "hexel", str(program), "--convention", "pi", "-o", str(legs)]) == 0
        again = read_clip(legs, machine, "pi")
        np.testing.assert_allclose(again.X, clip.X, atol=ROUND_OFF)
        np.testing.assert_allclose(again.tip, clip.tip, atol=ROUND_OFF)
    cut, rapid = (lines.segments for lines in tool_path(clip))
    radius = np.linalg.norm((cut - clip.tip[0])[..., :2], axis=-1)
    assert len(cut) > 10
    assert radius.max() == pytest.approx(0.01, abs=TRACE)
    np.testing.assert_allclose(rapid[-1, -1], clip.tip[0], atol=1e-5)


@pytest.mark.parametrize("name", ["pitch-circle", SKEW_OF_KIND["PUS"]])
def test_the_path_of_a_motion_by_formula_is_that_of_the_tool(name):
    """Over samples with forces and without: the tip is where the platform carries it."""
    machine = gough.load(name)
    for known in (machine, replace(machine, platform=None)):
        clip = named_clip(known, "circle", "a circle", known.X_home)
        expected = [X[:3, :3] @ known.X_PT[:3, 3] + X[:3, 3] for X in clip.X]
        np.testing.assert_allclose(clip.tip, expected, rtol=0, atol=ROUND_OFF)


def test_charts_show_units_of_the_file_and_say_what_they_do_not_know():
    machine = replace(gough.load("rotopod"), platform=None)
    clip = clip_of_motion(machine, "still", gough.dynamics.SplineMotion([0, 1], [machine.X_home] * 2))
    names, values, unit = quantity(machine, clip, "leg values", PoseCoordinates(np.zeros(3)))
    assert (len(names), unit) == (6, "deg")
    np.testing.assert_allclose(np.deg2rad(values), clip.q)
    assert quantity(machine, clip, "forces", PoseCoordinates(np.zeros(3))) is None
    assert clip.note.startswith("No forces:")
