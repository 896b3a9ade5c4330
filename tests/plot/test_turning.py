"""Figures in space carry a button that turns them once round the vertical, in frames of its own."""

import numpy as np
import pytest
from tests.skew import SKEW, SKEW_STACK

import gough

FRAMES = 24
WRENCH = [100.0, -50.0, 200.0, 1.0, 2.0, -3.0]
FIGURES = {
    "machine": gough.plot.machine,
    "corners": lambda m: gough.plot.corners(m, "rotation"),
    "workspace": lambda m: gough.plot.workspace(m, result=gough.workspace(m, samples=5)),
    "velocity envelope": lambda m: gough.plot.velocity_envelope(m, m.home),
    "stiffness": lambda m: gough.plot.stiffness(m, m.home, wrench=WRENCH),
    "assembly modes": lambda m: gough.plot.assembly_modes(
        m, gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))
    ),
}


def turn_of(figure):
    (menu,) = (menu for menu in figure.layout.updatemenus if menu.name == "turn")
    (button,) = menu.buttons
    return menu, button


def checked(figure):
    """One round about the axis that points up, from the figure's own view and back to it, in equal steps."""
    menu, button = turn_of(figure)
    assert menu.active == -1  # else the first click would be the second
    assert button.method == "animate"
    frames, _ = button.args
    assert len(frames) == FRAMES
    scenes = [name for name in figure.layout if name.startswith("scene")]
    for name in scenes:
        camera = figure.layout[name].camera
        up, start = (np.array([each.x, each.y, each.z]) for each in (camera.up, camera.eye))
        eyes = np.array([[frame["layout"][name]["camera"]["eye"][x] for x in "xyz"] for frame in frames])
        np.testing.assert_allclose(eyes[-1], start, atol=1e-12)
        np.testing.assert_allclose(eyes @ up, start @ up, atol=1e-12)
        level = np.vstack([start, eyes]) - np.outer(np.append(start @ up, eyes @ up), up)
        before, after = level[:-1], level[1:]
        steps = np.arctan2(np.cross(before, after) @ up, (before * after).sum(axis=1))
        np.testing.assert_allclose(steps, np.deg2rad(15), atol=1e-12)
    return scenes


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_turns_about_what_points_up(name):
    assert checked(FIGURES[name](gough.load(SKEW[0])))


def test_two_stages_turn_too():
    assert checked(gough.plot.machine(gough.load(SKEW_STACK))) == ["scene"]


def test_an_animation_keeps_its_own_buttons():
    m = gough.load("hexel")
    path = gough.motion.line(m.home, gough.frames.displaced(m, gough.pose([0.05, 0, 0])))
    figure = gough.plot.animation(m, gough.motion.leg_motion(m, gough.motion.time_optimal(m, path)))
    assert checked(figure) == ["scene"]
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["▶ play", "❚❚ stop"]


def test_flat_figures_have_no_button():
    assert not gough.plot.travel(gough.load("hexel")).layout.updatemenus
