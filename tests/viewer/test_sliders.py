"""Sliders of every built-in machine: as long as its travel, and fine enough to be of use."""

import pytest

import gough
from gough.viewer.pose_controller import Mover

STEPS = 50


@pytest.fixture(scope="module")
def sliders():
    pytest.importorskip("viser", reason="viser is not installed")
    from gough.viewer.joint_sliders import JointSliders
    from gough.viewer.pose_sliders import PoseSliders
    from gough.viewer.server import start_server, stop_server

    server, mover = start_server(), Mover(gough.load("hexel"))
    yield [kind(server.gui, mover, lambda asker, action: None) for kind in (PoseSliders, JointSliders)]
    stop_server(server)


@pytest.mark.parametrize("name", [known.name for known in gough.machines()])
def test_sliders_have_many_steps_and_stand_within_their_ends(sliders, name):
    mover = Mover(gough.load(name).stages[-1])
    for six in sliders:
        six.new_machine(mover)
        for slider in six._sliders:
            assert (slider.max - slider.min) / slider.step >= STEPS, slider.label
            assert slider.min <= slider.value <= slider.max, slider.label
            assert slider.step == pytest.approx(10.0**-slider.precision)
