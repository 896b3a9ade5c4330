"""Figures of machines of two stages: what is drawn where, in the file's units."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW_STACK

import gough
from gough import plot, stages
from gough.errors import ShapeError
from gough.machine import Actuators, DisplayUnits
from gough.plot.machine_figures import drawn_points

MM = DisplayUnits(length="mm", metres=1e-3)
HALF_MICROMETRE = 5e-7
"""Figures keep single precision."""


@pytest.fixture(scope="module")
def double():
    return gough.load("double-hexapod")


def test_the_machine_is_drawn_with_both_stages_in_one_base(double):
    figure = plot.machine(double)
    tags = [tag.text for tag in figure.layout.scene.annotations]
    assert tags == [f"<b>{leg}</b>" for leg in range(1, 13)]
    points = drawn_points(figure.data)
    for stage, X in zip(double.stages, double.X_home, strict=True):  # their joints are balls about them
        joints = stage.b_P @ X[:3, :3].T + X[:3, 3]
        away = np.linalg.norm(points - joints[:, None], axis=-1).min(axis=1)
        assert away.max() < 0.02 * stage.size
        assert np.ptp(away) < HALF_MICROMETRE
    labels = {word for trace in figure.data if trace.type == "mesh3d" for word in trace.text or ()}
    where = next(word for word in labels if word.startswith("stage 2, platform joint 1"))
    assert "(" in where
    axes = [trace for trace in figure.data if trace.type == "scatter3d" and trace.mode == "lines+text"]
    assert len(axes) == 9
    names = {word for trace in axes for word in trace.text if word}
    assert names == {"<b>B</b>", "<b>I</b>", "<b>P</b>"}


def test_the_upper_stage_stands_where_the_intermediate_platform_carries_it(double):
    """Its drawing is that of the upper machine, moved: the last tag is between leg 12's joints."""
    found = stages.resolve_redundancy(double, double.X_home[1] @ gough.pose_matrix([0.1, 0, 0.1], [0.2, 0, 0], "XYZ"))
    millimetres = replace(double, units=MM)
    tag = plot.machine(millimetres, found.matrix).layout.scene.annotations[11]
    X_BU = found.matrix[0] @ double.X_IU
    foot, head = double.upper.legs.rest()[5], double.upper.b_P[5]
    foot_B = X_BU[:3, :3] @ foot + X_BU[:3, 3]
    head_B = found.matrix[1, :3, :3] @ head + found.matrix[1, :3, 3]
    np.testing.assert_allclose([tag.x, tag.y, tag.z], 1e3 * (0.6 * foot_B + 0.4 * head_B), atol=1e3 * HALF_MICROMETRE)
    with pytest.raises(ShapeError, match="one pose of each platform"):
        plot.machine(double, np.tile(double.X_home, (2, 1, 1, 1)))


def test_the_gain_is_drawn_to_scale_about_home(double):
    gain = stages.workspace_gain(double, samples=9)
    figure = plot.workspace_gain(replace(double, units=MM), gain)
    assert [trace.name for trace in figure.data] == [
        "both stages", "lower stage alone", "upper stage alone", "home",
    ]  # fmt: skip
    assert figure.layout.yaxis.scaleanchor == "x"
    assert figure.layout.xaxis.title.text == "x [mm]"
    both, lower = (np.array([figure.data[k].x, figure.data[k].y], dtype=float) for k in (0, 1))
    home = 1e3 * double.X_home[1, [0, 2], 3]
    x, intervals = gain.sections[0].x, gain.sections[0].ends[:, 0]
    inside = np.isfinite(intervals[:, 0, 0])
    assert np.nanmax(lower[1]) == pytest.approx(home[1] + 1e3 * np.nanmax(intervals), abs=1e-6)
    assert np.nanmax(lower[0]) == pytest.approx(home[0] + 1e3 * x[inside].max(), abs=1e-6)
    assert np.nanmax(both[0]) > np.nanmax(lower[0])


def test_the_workspace_is_drawn_with_the_limits_of_both_stages():
    """Mounted askew: its seams and its mesh lie on the boundary, each limit in a colour of its own."""
    m = replace(gough.load(SKEW_STACK), share=0.53)
    found = gough.workspace(m, samples=7)
    figure = plot.workspace(m, result=found.mesh())
    *walls, home = figure.data
    assert {trace.name[:7] for trace in walls} == {"stage 1", "stage 2"}
    assert len({trace.color for trace in walls}) == len(walls)
    np.testing.assert_allclose([home.x[0], home.y[0], home.z[0]], m.home_point / m.units.metres, rtol=1e-12)
    points = m.units.metres * drawn_points(walls)
    R = np.broadcast_to(m.end_home[:3, :3], (len(points), 3, 3))
    margins = gough.margins(m, gough.limits.interval_search.poses_at(m, R, points))
    off = np.abs(margins.smallest)
    assert np.quantile(off, 0.8) < 1e-5, "corners of triangles, those on seams too, are on the boundary"
    low, high = (np.array(corner) for corner in (points.min(axis=0), points.max(axis=0)))
    assert ((low - 1e-9 < m.home_point) & (m.home_point < high + 1e-9)).all()


def test_forces_of_twelve_legs_are_drawn_with_their_stages(double):
    forces = gough.leg_forces(double, double.X_home, [0, 0, -100, 0, 0, 0])
    figure = plot.leg_forces(double, forces)
    np.testing.assert_array_equal(figure.data[0].y, forces)
    assert list(figure.data[0].x) == [f"leg {k}" for k in range(1, 13)]
    assert [note.text for note in figure.layout.annotations] == ["lower stage", "upper stage"]
    strong = [
        replace(s, limits=replace(s.limits, actuator_force=np.full(6, 50.0 * k)))
        for k, s in enumerate(double.stages, 1)
    ]
    _, above, _ = plot.leg_forces(replace(double, stages=tuple(strong)), forces).data
    np.testing.assert_array_equal(above.y, np.repeat([50.0, 100.0], 6))
    mixed = plot.leg_forces(stages.stack(double.lower, gough.load("servo")), np.ones(12))
    assert mixed.layout.yaxis.title.text == "actuator force [N below, N m above]"
    with pytest.raises(ShapeError, match=r"\(12,\)"):
        plot.leg_forces(double, forces[:6])


def test_the_stiffness_of_the_end_platform_is_drawn_about_its_point_of_interest():
    m = gough.load(SKEW_STACK)
    m = replace(m, stages=tuple(replace(s, actuators=Actuators(stiffness=np.full(6, 1e6))) for s in m.stages))
    figure = plot.stiffness(m, wrench=[0, 0, -100, 0, 0, 0])
    principal = gough.statics.principal_stiffness(gough.stiffness(m, m.X_home, point=m.point_of_interest))
    told = [tag.text for tag in figure.layout.scene.annotations]
    assert [float(text.split()[0]) for text in told[:3]] == pytest.approx(principal.translation / 1e6, rel=1e-3)
    ball = next(trace for trace in figure.data if trace.type == "mesh3d" and trace.opacity == 0.25)
    points = drawn_points([ball])
    np.testing.assert_allclose((points.max(axis=0) + points.min(axis=0)) / 2, m.home_point / m.units.metres, rtol=1e-3)
