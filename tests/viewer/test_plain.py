"""Drawing without a graphics card: coarsely in motion and without what takes long, finely at rest."""

import threading
import time
from importlib import resources
from itertools import count, pairwise

import numpy as np
import pytest
from tests.viewer.conftest import PATIENCE, until

import gough
from gough.viewer.scene.machine import ACTIVE
from gough.viewer.scheduler import LevelOfDetail, Loop, Task, Throttle

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
    end = time.monotonic() + PATIENCE / 1000
    for k in count():
        if until_true() or time.monotonic() > end:
            break
        X = gough.frames.displaced(view.stage.machine, gough.pose([1e-4 * (k % 2), 0, 0])).as_matrix()
        view.move("test", lambda stage, X=X: stage.to(X))
        time.sleep(0.02)
    return until_true()


@pytest.mark.thorough
def test_a_page_that_software_draws_has_no_shadows_and_draws_finely_at_rest(at_home, window):
    assert not at_home.state.shadows
    assert window.page.evaluate("window.goughIsPlain") is True
    assert window.page.evaluate(SMOOTHED) is False
    assert until(lambda: window.page.evaluate(PIXELS) == pytest.approx(1.5, abs=0.01))


@pytest.mark.thorough
def test_in_motion_it_draws_coarsely_without_handles_and_numbers(at_home, window):
    scene = at_home.server.scene
    parts = [scene.get_handle_by_name(name) for name in (f"{ACTIVE}/gizmo", "/stage 1/machine/number 1")]
    assert until(lambda: all(part.visible for part in parts))
    assert keep_moving(at_home, lambda: not any(part.visible for part in parts))
    assert keep_moving(at_home, lambda: window.page.evaluate(PIXELS) <= 1.01)
    assert until(lambda: all(part.visible for part in parts))
    assert until(lambda: window.page.evaluate(PIXELS) == pytest.approx(1.5, abs=0.01))
    assert window.complaints == []


@pytest.mark.thorough
def test_a_picture_has_the_pixels_of_the_window(at_home, window):
    import imageio.v3 as iio

    window.tab("File")
    with window.page.expect_download() as sent:
        window.press("Picture (PNG)")
    shown = iio.imread(sent.value.path()).shape
    camera = next(iter(at_home.server.get_clients().values())).camera
    assert shown[:2] == (camera.image_height, camera.image_width)


def test_a_redraw_comes_at_once_after_a_rest(loop):
    shown = []
    throttle = Throttle(loop, "test", lambda: shown.append(1), 1e6)
    loop.post("a", throttle.note)
    assert until(lambda: shown == [1])


def test_redraws_come_once_in_a_period_and_the_last_after_the_last_change(loop):
    changes, shown = [], []
    throttle = Throttle(loop, "test", lambda: shown.append((time.monotonic(), len(changes))), 0.1)

    def change():
        changes.append(1)
        throttle.note()

    def is_shown_three_times():
        loop.post(f"change {time.monotonic()}", change)
        return len(shown) >= 3

    assert until(is_shown_three_times)
    assert until(lambda: shown[-1][1] == len(changes))
    assert all(later - earlier >= 0.1 - 1e-3 for (earlier, _), (later, _) in pairwise(shown))


def test_details_are_left_out_from_the_second_picture_in_a_row_until_a_rest(loop):
    told = []
    detail = LevelOfDetail(loop, told.append)
    for _ in range(3):
        loop.post("note", detail.note)
        time.sleep(0.01)
    assert told == []
    detail.matters = True

    def is_moving():
        loop.post("note", detail.note)
        return told == [True]

    assert until(is_moving)
    assert until(lambda: told == [True, False])


def test_background_work_is_done_once_for_a_key_and_cancelled_by_another(loop):
    begun, done, gate = [], [], threading.Event()
    task = Task(loop, "work", lambda key, value: done.append((key, value)))

    def work(key):
        def compute(check):
            begun.append(key)
            assert gate.wait(10)
            check()
            return key.upper()

        return compute

    task.request("a", work("a"))
    task.request("a", work("again"))
    assert until(lambda: begun == ["a"])
    task.request("b", work("b"))
    gate.set()
    assert until(lambda: done == [("b", "B")])
    assert begun == ["a", "b"]
    task.request("c", work("c"))
    task.request(None, work("none"))
    loop.post("last", lambda: begun.append("last"))
    assert until(lambda: "last" in begun)
    assert done == [("b", "B")]


def test_background_work_that_may_lag_shows_what_is_late_and_its_errors_are_results(loop):
    begun, done, gate = [], [], threading.Event()
    task = Task(loop, "work", lambda key, value: done.append((key, value)), may_lag=True)

    def late(check):
        begun.append("late")
        assert gate.wait(10)
        check()
        return "late"

    def broken(check):
        raise gough.errors.InputError("no such thing")

    task.request(1, late)
    assert until(lambda: begun == ["late"])
    task.request(2, broken)
    gate.set()
    assert until(lambda: len(done) == 2)
    assert done[0] == (1, "late")
    assert (done[1][0], str(done[1][1])) == (2, "no such thing")


FRAMES = """([count, every, limit]) => {
  // The page draws into nothing, on a clock that goes on by 20 ms a frame, and by 40 with more pixels than a limit.
  let now = 0, ticks = [];
  window.requestAnimationFrame = (tick) => ticks.push(tick);
  Object.defineProperty(document, "timeline", { value: { get currentTime() { return now; } } });
  let width = 0;
  const gl = { READ_FRAMEBUFFER: 1, COLOR_BUFFER_BIT: 2, drawingBufferWidth: 400, drawingBufferHeight: 300 };
  for (const name of ["viewport", "scissor", "clear", "bindFramebuffer", "useProgram"]) gl[name] = () => undefined;
  gl.getUniformLocation = (program, name) => name;
  gl.uniform1f = (place, value) => { width = value; };
  window.under = gl;
  const canvas = document.createElement("canvas");
  canvas.style.cssText = "display: block; width: 400px; height: 300px";
  document.body.append(canvas);
  const own = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, "width").get;
  const adapted = canvas.getContext("webgl2", { antialias: true });
  const line = {};
  const place = adapted.getUniformLocation(line, "linewidth");
  adapted.useProgram(line);
  adapted.uniform1f(place, 1.5);
  const found = [];
  for (let k = 0; k < count; k += 1) {
    const scale = own.call(canvas) / 400 / devicePixelRatio;
    now += scale > limit ? 40 : 20;
    const due = ticks;
    ticks = [];
    due.forEach((tick) => tick(now));
    if (k % every === 0) adapted.clear(2);
    adapted.useProgram(line);
    found.push([own.call(canvas) / 400 / devicePixelRatio, width]);
  }
  return found.slice(12); // without the stills with which a movement begins
}"""
UNDER = "HTMLCanvasElement.prototype.getContext = () => window.under;"
"""Below the page's script: a canvas gives the context that the test makes."""


@pytest.fixture
def motion(browser):
    """Pixels per pixel of the window and the width of lines in each of so many frames of a page, with a new picture in
    every so many, where frames with more pixels than a limit are slow."""
    script = (resources.files("gough.viewer") / "page.js").read_text("utf-8")
    page = browser.new_page()
    page.route("**/*", lambda route: route.fulfill(body="<!DOCTYPE html><body></body>", content_type="text/html"))
    page.add_init_script(f"{UNDER}\n{script}")
    page.goto("http://localhost/?plain")
    yield lambda count, every, limit: np.array(page.evaluate(FRAMES, [count, every, limit])).T
    page.close()


@pytest.mark.parametrize("every", [1, 3])
def test_where_there_is_time_a_picture_in_motion_has_the_pixels_of_the_window(motion, every):
    """However rarely the machine moves: a page with 50 frames a second has time, and 17 new pictures are no fewer."""
    scale, width = motion(200, every, 9.0)
    assert scale[-1] == pytest.approx(1.0, abs=0.01)
    assert width[-1] == 1.5


def test_where_frames_are_slow_a_picture_has_fewer_pixels_and_no_line_falls_to_dots(motion):
    scale, width = motion(200, 1, 0.0)
    assert scale[-1] == pytest.approx(0.4, abs=0.01)
    assert (width * scale >= 0.999).all()


def test_more_pixels_than_there_is_time_for_are_seldom_tried(motion):
    """A picture whose sharpness changes all the time is worse than a coarse one."""
    scale, _ = motion(600, 1, 0.7)
    assert (scale <= 0.7).mean() > 0.9
    assert np.median(scale) == pytest.approx(0.6, abs=0.01)
    assert np.count_nonzero(np.diff(scale)) <= 8
