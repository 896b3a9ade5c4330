"""Figures of machines of two stages: what is drawn where, in the file's units."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW_STACK

import gough
from gough import plot, stages
from gough.errors import ShapeError
from gough.machine import DisplayUnits
from gough.plot.machine_figure import drawn_points

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
    x, intervals = gain.lower.section
    inside = np.isfinite(intervals[:, 0, 0])
    assert np.nanmax(lower[1]) == pytest.approx(home[1] + 1e3 * np.nanmax(intervals), abs=1e-6)
    assert np.nanmax(lower[0]) == pytest.approx(home[0] + 1e3 * x[inside].max(), abs=1e-6)
    assert np.nanmax(both[0]) > np.nanmax(lower[0])


def test_the_gain_is_drawn_about_the_point_of_interest(double):
    m = gough.load(SKEW_STACK)
    mark = plot.workspace_gain(m, stages.workspace_gain(double, samples=5)).data[-1]
    assert mark.name == "home"
    at = m.home_point[[0, 2]] / m.units.metres
    np.testing.assert_allclose([mark.x[0], mark.y[0]], at, rtol=1e-12)


def test_bars_add_up_to_the_forces(double):
    balance = stages.force_balance(double, double.X_home, [10, 0, -50, 0, 0, 0])
    figure = plot.force_balance(double, balance)
    np.testing.assert_allclose(sum(np.array(trace.y) for trace in figure.data), balance.forces)
    assert figure.layout.yaxis.title.text == "actuator force [N]"
    named = [(note.text, note.x) for note in figure.layout.annotations]
    assert named == [("lower stage", 2.5), ("upper stage", 8.5)], "each above the middle of its six legs"
    strong = replace(balance, largest=np.full(12, 100.0))
    assert plot.force_balance(double, strong).data[-1].name == "largest allowed"


def test_an_outline_goes_round_a_hole_once():
    """Up one side and down the other of each run of intervals that overlap; a hole parts them and joins them again."""
    from types import SimpleNamespace

    from gough.plot.workspace_gain_figure import _outline

    whole, parted = np.array([[0.0, 4.0]]), np.array([[0.0, 1.0], [3.0, 4.0]])
    x, z = _outline(SimpleNamespace(section=(np.arange(5.0), [whole, parted, parted, whole, whole])))
    assert np.isnan(x).sum() == 2
    curves = np.split(np.column_stack([x, z]), np.flatnonzero(np.isnan(x)) + 1)[:2]
    areas = [0.5 * abs(np.sum(a[:-2, 0] * a[1:-1, 1] - a[1:-1, 0] * a[:-2, 1])) for a in curves]
    assert areas == [pytest.approx(2.5 + 1 + 2.5 + 4), pytest.approx(1.0)]
