"""The machine in motion: what stands where at each instant."""

import re

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough import motion, plot
from gough.plot._page import page
from gough.plot.animation_figure import MARGINS, REFUSED

SINGLE = 1e-6
"""Numbers go to the page in single precision."""
EDGE = MARGINS["l"] + 2
"""Columns of pixels at the left edge that no letter reaches, the first two of the scene's among them."""


@pytest.fixture(scope="module", params=["hexel", *thorough("sinatra2009", "servo", "rotopod"), *SKEW])
def moving(request):
    m = gough.load(request.param)
    data = motion.leg_motion(m, gough.dynamics.named_motion(m, "rotation", 0.02, 1.0))
    return m, data, plot.animation(m, data, frames=5)


def test_every_frame_holds_the_machine_at_its_pose(moving):
    m, data, figure = moving
    assert len(figure.frames) == 5
    time = data["time"].to_numpy()
    steps = figure.layout.sliders[0].steps
    assert [step.args[0][0] for step in steps] == [frame.name for frame in figure.frames]
    for frame, t in zip(figure.frames, np.linspace(time[0], time[-1], 5), strict=True):
        k = int(np.argmin(np.abs(time - t)))
        X = data["pose"].to_numpy()[k]
        bars = [trace for trace in frame.data if trace.type == "mesh3d"][-2:]
        ends = np.concatenate([np.stack([b.x, b.y, b.z], axis=-1).reshape(6, 2, -1, 3).mean(axis=2) for b in bars], 1)
        joints = (m.b_P @ X[:3, :3].T + X[:3, 3]) / m.units.metres
        for leg in range(6):
            assert np.linalg.norm(ends[leg] - joints[leg], axis=1).min() < SINGLE * m.size / m.units.metres
        dot = next(trace for trace in frame.data if trace.type == "scatter3d" and trace.mode == "markers")
        assert [dot.x[0], dot.y[0], dot.z[0]] == pytest.approx((X @ m.X_PT)[:3, 3] / m.units.metres, rel=SINGLE)


def test_instants_at_which_a_leg_cannot_close_are_left_out():
    m = gough.load("servo")
    data = motion.leg_motion(m, gough.dynamics.named_motion(m, "vertical", 0.1, 1.0))
    closed = np.isfinite(data["joint"].to_numpy()).all(axis=1)
    assert not closed.all()
    figure = plot.animation(m, data)
    for frame in figure.frames:
        assert all(np.isfinite(np.asarray(trace.x)).all() for trace in frame.data if trace.type == "mesh3d")
    with pytest.raises(gough.errors.InputError, match="two instants"):
        plot.animation(m, data.isel(time=~closed))


def test_a_page_is_as_wide_as_a_phone_and_needs_no_network(moving):
    html = page(moving[2])
    assert '<meta name="viewport" content="width=device-width' in html
    assert "Plotly.relayout(plot, changes)" in html
    assert "{plot_id}" not in html
    assert not re.search(r'<(script|link|img)[^>]*(src|href)="http', html)


def test_what_is_red_on_the_tool_path_is_named(moving):
    machine, data, figure = moving
    assert "beyond a limit" not in {trace.name for trace in figure.data}
    allowed = ("time", np.arange(data.sizes["time"]) < 5)
    red = [
        trace for trace in plot.animation(machine, data.assign(allowed=allowed)).data if trace.name == "beyond a limit"
    ]
    assert [(trace.showlegend, trace.line.color) for trace in red] == [(True, REFUSED)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("width", "height", "curves"), [(844, 390, True), *thorough((390, 700, True)), (390, 844, False)]
)
def test_a_phone_shows_the_controls_and_the_whole_title_of_the_upright_axis(browser, tmp_path, width, height, curves):
    import imageio.v3 as iio

    machine, file = gough.load("rotopod"), tmp_path / "figure.html"
    data = motion.leg_motion(machine, gough.dynamics.named_motion(machine, "vertical", 1e-3))
    file.write_text(page(plot.animation(machine, data, curves=curves)), "utf-8")
    window, errors = browser.new_page(viewport={"width": width, "height": height}), []
    window.on("pageerror", lambda error: errors.append(str(error)))
    window.goto(file.as_uri())
    controls = window.get_by_text("▶ play").bounding_box()
    assert controls["y"] + controls["height"] < height
    window.wait_for_timeout(1000)  # until the scene is drawn
    shown = iio.imread(window.screenshot(), extension=".png")[: height - 150, :, :3]
    assert (shown[:, :EDGE] == 255).all()
    assert (shown < 255).any()
    for button in ("▶ play", "❚❚ stop"):
        window.get_by_text(button).click()
        window.wait_for_timeout(500)
    assert not errors, "an animation that is stopped is no error"
    window.close()
