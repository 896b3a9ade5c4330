"""The drawing of a machine is to scale and upright, whatever its legs."""

import numpy as np
import plotly.graph_objects as go
import pytest
from tests.skew import SKEW

import gough

SINGLE = 1e-6
"""Traces hold single precision, as a part of the machine's size."""


def labelled(figure, label):
    """Vertices of the solid whose label starts so, in the figure's unit."""
    for trace in figure.data:
        if isinstance(trace, go.Mesh3d) and trace.text:
            rows = [k for k, text in enumerate(trace.text) if text.startswith(label)]
            if rows:
                return np.stack([trace.x, trace.y, trace.z], axis=-1).astype(float)[rows]
    raise AssertionError(f"nothing is labelled {label}")


@pytest.fixture(scope="module", params=[*(info.name for info in gough.machines(stages=1)), *SKEW])
def drawn(request):
    machine = gough.load(request.param)
    return machine, gough.plot.machine(machine)


def test_all_axes_have_one_scale_and_the_unit_of_the_file(drawn):
    machine, figure = drawn
    scene = figure.layout.scene
    spans = [np.ptp(axis.range) for axis in (scene.xaxis, scene.yaxis, scene.zaxis)]
    ratios = [scene.aspectratio.x, scene.aspectratio.y, scene.aspectratio.z]
    assert np.divide(ratios, spans) == pytest.approx(ratios[0] / spans[0])
    assert scene.aspectmode == "manual"
    titles = [axis.title.text for axis in (scene.xaxis, scene.yaxis, scene.zaxis)]
    assert titles == [f"{axis} [{machine.units.length}]" for axis in "xyz"]


def test_platform_joints_are_drawn_where_they_are(drawn):
    machine, figure = drawn
    for i in range(6):
        points = labelled(figure, f"platform joint {i + 1}<")
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0)) * machine.units.metres
        assert middle == pytest.approx(machine.b_home[i], abs=SINGLE * machine.size)


def test_a_leg_reaches_from_its_driven_point_to_the_platform(drawn):
    machine, figure = drawn
    q = gough.inverse_kinematics(machine, machine.home)
    p_B = machine.legs.driven_points(q)
    for i in range(6):
        points = np.concatenate(
            [
                np.stack([trace.x, trace.y, trace.z], axis=-1).astype(float)[rows]
                for trace in figure.data
                if isinstance(trace, go.Mesh3d) and trace.text
                for rows in [[k for k, text in enumerate(trace.text) if text.startswith(f"leg {i + 1}:")]]
            ]
        )
        u = (machine.b_home[i] - p_B[i]) / np.linalg.norm(machine.b_home[i] - p_B[i])
        along = points * machine.units.metres @ u
        assert along.max() == pytest.approx(machine.b_home[i] @ u, abs=SINGLE * machine.size)
        assert along.min() <= p_B[i] @ u + SINGLE * machine.size


def test_up_is_against_gravity(drawn):
    machine, figure = drawn
    camera = figure.layout.scene.camera
    upward = np.array([camera.up.x, camera.up.y, camera.up.z])
    assert upward @ machine.gravity == pytest.approx(-np.linalg.norm(machine.gravity))
    eye = np.array([camera.eye.x, camera.eye.y, camera.eye.z])
    assert eye @ upward > 0


def test_a_tool_frame_of_its_own_is_drawn():
    def names(machine):
        figure = gough.plot.machine(machine)
        return {text for trace in figure.data if isinstance(trace, go.Scatter3d) for text in trace.text or ()}

    with_tool = gough.from_points(*_points(), tool={"translation": [0, 0, 0.1]})
    assert "<b>T</b>" in names(with_tool)
    assert "<b>T</b>" not in names(gough.from_points(*_points()))


def test_another_pose_moves_the_platform():
    machine = gough.load("hexel")
    X = gough.pose([0.05, 0, 0.7], [10, 0, 0], "xyz", degrees=True)
    points = labelled(gough.plot.machine(machine, X), "platform joint 3<")
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0)) / 1000
    assert middle == pytest.approx(X.apply(machine.b_P[2]), abs=SINGLE * machine.size)


def _points():
    angle = np.deg2rad([260, 280, 20, 40, 140, 160])
    circle = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    return 0.5 * circle, 0.3 * np.roll(circle, 1, axis=0) @ np.diag([-1, -1, 1])


@pytest.mark.parametrize("joints", [[0.0, 0.0], [0.5, 0.9]])
def test_a_tool_head_ends_at_its_tip(joints):
    m = gough.load("hexel-head").with_head(joints)
    tip = (m.X_home @ m.head.tip())[:3, 3] / m.units.metres
    points = [np.stack([t.x, t.y, t.z], axis=-1) for t in gough.plot.machine(m).data if t.type == "mesh3d"]
    gap = min(np.linalg.norm(vertices - tip, axis=1).min() for vertices in points)
    assert gap < 0.001 * m.size / m.units.metres
    assert any("head joint tilt" in (t.text or ()) for t in gough.plot.machine(m).data if t.type == "mesh3d")


def test_a_moving_tool_head_is_drawn_where_its_joints_are():
    m = gough.load("hexel-head")
    time = np.linspace(0, 1, 9)
    head = gough.motion.heads.HeadSpline(time, np.stack([0.5 * time, time], axis=1))
    data = gough.motion.heads.head_forces(m, gough.dynamics.SplineMotion([0, 1], [m.X_home] * 2), head, time)
    figure = gough.plot.animation(m, data)
    for frame in (figure.frames[0], figure.frames[-1]):
        joints = head(time[0] if frame is figure.frames[0] else time[-1])[0]
        tip = (m.X_home @ m.head.tip(joints))[:3, 3] / m.units.metres
        drawn = [np.stack([t.x, t.y, t.z], axis=-1) for t in frame.data if isinstance(t, go.Mesh3d)]
        gap = min(np.linalg.norm(vertices - tip, axis=1).min() for vertices in drawn)
        assert gap < 0.001 * m.size / m.units.metres
