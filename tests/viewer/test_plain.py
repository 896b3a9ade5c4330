"""Drawing without a graphics card: coarsely in motion and without what takes long, finely at rest."""

import time
from itertools import pairwise

import pytest
from tests.viewer.conftest import until

import gough
from gough.viewer.level_of_detail import Haste
from gough.viewer.loop import Loop
from gough.viewer.parts import ACTIVE
from gough.viewer.throttle import Echo

PIXELS = """(() => {
  const canvas = document.querySelector("canvas[data-engine]");
  return canvas.getContext("webgl2").drawingBufferWidth / canvas.clientWidth;
})()"""
SMOOTHED = 'document.querySelector("canvas[data-engine]").getContext("webgl2").getContextAttributes().antialias'


@pytest.fixture
def loop():
    loop = Loop("test", lambda error: None)
    yield loop
    loop.stop()


def keep_moving(view, until_true):
    """Move the machine to and fro until a condition holds."""
    k = 0
    while not until_true() and k < 600:
        k += 1
        X = gough.frames.displaced(view.mover.machine, gough.pose([1e-4 * (k % 2), 0, 0])).as_matrix()
        view.ask("test", lambda mover, X=X: mover.to(X))
        time.sleep(0.02)
    return until_true()


def test_a_page_that_software_draws_has_no_shadows_and_draws_finely_at_rest(at_home, window):
    assert not at_home.parts.switches["shadows"]
    assert window.page.evaluate("window.goughIsPlain") is True
    assert window.page.evaluate(SMOOTHED) is False
    assert until(lambda: window.page.evaluate(PIXELS) == pytest.approx(1.5, abs=0.01))


def test_in_motion_it_draws_coarsely_without_handles_and_numbers(at_home, window):
    scene = at_home.server.scene
    parts = [scene.get_handle_by_name(name) for name in (f"{ACTIVE}/gizmo", "/stage 1/machine/number 1")]
    assert until(lambda: all(part.visible for part in parts))
    assert keep_moving(at_home, lambda: not any(part.visible for part in parts))
    assert keep_moving(at_home, lambda: window.page.evaluate(PIXELS) <= 1.01)
    assert until(lambda: all(part.visible for part in parts))
    assert until(lambda: window.page.evaluate(PIXELS) == pytest.approx(1.5, abs=0.01))
    assert window.complaints == []


def test_a_picture_has_the_pixels_of_the_window(at_home, window):
    import imageio.v3 as iio

    window.tab("File")
    with window.page.expect_download() as sent:
        window.press("Picture (PNG)")
    shown = iio.imread(sent.value.path()).shape
    camera = next(iter(at_home.server.get_clients().values())).camera
    assert shown[:2] == (camera.image_height, camera.image_width)


def test_an_echo_comes_at_once_after_a_rest(loop):
    heard = []
    echo = Echo(loop, "test", heard.append, 1e6)
    loop.post("a", lambda: echo.note("a"))
    assert until(lambda: heard == [{"a"}])


def test_an_echo_comes_once_in_a_period_and_forgets_nobody(loop):
    asked, heard = [], []
    echo = Echo(loop, "test", lambda askers: heard.append((time.monotonic(), askers)), 0.1)

    def ask():
        asked.append(str(len(asked)))
        loop.post(asked[-1], lambda asker=asked[-1]: echo.note(asker))

    def is_shown_three_times():
        ask()
        return len(heard) >= 3

    assert until(is_shown_three_times)
    assert until(lambda: sum(len(askers) for _, askers in heard) == len(asked))
    assert set().union(*(askers for _, askers in heard)) == set(asked)
    assert all(later - earlier >= 0.1 - 1e-3 for (earlier, _), (later, _) in pairwise(heard))


def test_haste_begins_with_the_second_picture_in_a_row_and_ends_after_a_rest(loop):
    told = []
    haste = Haste(loop, told.append)
    for _ in range(3):
        loop.post("note", haste.note)
        time.sleep(0.01)
    assert told == []
    haste.matters = True

    def is_in_haste():
        loop.post("note", haste.note)
        return told == [True]

    assert until(is_in_haste)
    assert until(lambda: told == [True, False])
