"""The machine in motion: what stands where at each instant."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough import motion, plot

SINGLE = 1e-6
"""Numbers go to the page in single precision."""


@pytest.fixture(scope="module", params=["hexel", *SKEW])
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
