"""The viewer's page in headless Chromium, and the viewer behind it."""

import time

import numpy as np
import pytest

import gough

PATIENCE = 60_000
"""Before a page that does not answer fails the test [ms]; software rendering is slow."""
HARMLESS = (
    "log: ",
    "info: ",
    "THREE.Clock: This module has been deprecated",
    "GPU stall due to ReadPixels",
    "KHR_parallel_shader_compile extension not supported",
)
"""What viser's page says wherever it runs, and Chromium's advice about reading pictures back."""
WINDOW = {"width": 1060, "height": 640}
CANVAS = {"x": 303, "y": 190, "width": 380, "height": 440}
"""Where the page draws the machine, below what notifications cover."""

LATE = """(() => {
  const Channel = MessageChannel;
  window.MessageChannel = function () {
    const channel = new Channel(), post = channel.port2.postMessage.bind(channel.port2);
    channel.port2.postMessage = (...words) => setTimeout(() => post(...words), 120);
    return channel;
  };
})();"""
"""Lets React put off by some frames what it does after it has changed the scene: it may, though it seldom does."""

READ_SLIDERS = """[...document.querySelectorAll("input[inputmode=decimal]")].map((box) => {
  let row = box;
  while (row && !row.querySelector("label")) row = row.parentElement;
  return [row?.querySelector("label").textContent, box.value];
})"""


class Window:
    """The page in one window of the browser, what it said and what it asked for."""

    def __init__(self, browser, address, script=""):
        self.heard, self.asked = [], []
        self.page = browser.new_page(viewport=WINDOW)
        self.page.set_default_timeout(PATIENCE)
        self.page.add_init_script(script)
        self.page.on("console", lambda message: self.heard.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.heard.append(f"page error: {error}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)
        self.page.wait_for_selector("canvas")
        self.see("Nearest limit")

    def until(self, condition):
        """Wait until a condition holds, and say whether it does."""
        return until(condition)

    def see(self, words):
        """Wait until words are to be read on the page."""
        self.page.get_by_text(words).first.wait_for()

    def row(self, label):
        """The row of the panel with this label."""
        return self.page.locator(f'xpath=//label[text()="{label}"]/ancestor::div[div[2]][1]')

    def type(self, label, value):
        """Type a number beside a slider; again if the page, slowly drawn, has put the old one back meanwhile."""
        row = self.row(label).locator("input[inputmode=decimal]")
        for _ in range(10):
            box = row.element_handle()
            box.focus()
            box.select_text()
            self.page.keyboard.insert_text(str(value))
            self.page.keyboard.press("Enter")
            self.page.wait_for_timeout(150)
            if float(row.input_value() or "nan") == float(value):
                return

    def values(self):
        """All numbers beside sliders, by label."""
        return {label: float(text or "nan") for label, text in self.texts().items()}

    def texts(self):
        """The same as they are written."""
        return dict(self.page.evaluate(READ_SLIDERS))

    def press(self, label):
        """Press a button."""
        self.page.get_by_role("button", name=label, exact=True).click()

    def tick(self, label):
        """Tick a box, or take the tick away."""
        self.page.get_by_label(label, exact=True).click()

    def choose(self, label, option):
        """Choose in a list."""
        self.page.get_by_label(label, exact=True).first.click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def write(self, label, text):
        """Write a text."""
        self.row(label).locator("input, textarea").first.fill(str(text))

    def tab(self, label):
        """Turn to a tab."""
        self.page.get_by_role("tab", name=label, exact=True).click()

    def picture(self):
        """What the canvas shows, (height, width, 3) of 0 to 255."""
        import imageio.v3 as iio

        return iio.imread(self.page.screenshot(clip=CANVAS), extension=".png")[..., :3].astype(int)

    @property
    def complaints(self):
        """What it said beyond what it always says."""
        return [line for line in self.heard if not any(word in line for word in HARMLESS)]


def until(condition, patience=PATIENCE / 1000):
    """Wait until a condition holds, and say whether it does."""
    end = time.monotonic() + patience
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    """The viewer of hexel, in this process."""
    pytest.importorskip("viser", reason="viser is not installed")
    from gough.cli.clip_input import read_clip
    from gough.viewer.access import Fence
    from gough.viewer.server import start_server, stop_server
    from gough.viewer.view import View

    server = start_server()
    view = View(server, gough.load("hexel"), read_clip=read_clip, fence=Fence([tmp_path_factory.getbasetemp()]))
    view.store.put(shadows=False)  # which software rendering draws several times slower
    yield view
    view.stop()
    stop_server(server)


@pytest.fixture(scope="module")
def open_window(browser, view):
    """Open the page in one more window."""
    from gough.viewer.server import address

    return lambda query="", script="": Window(browser, address(view.server, query=query), script)


@pytest.fixture(scope="module")
def window(open_window):
    """The page, tidying up as late as it may."""
    return open_window(script=LATE)


@pytest.fixture
def at_home(view, window):
    """The viewer with its machine at home, and its page showing that: all it was sent before has arrived."""
    window.tab("Move")
    aside = view.stage.machine.X_home.copy()
    aside[0, 3] += 0.00123
    for X, shown in ((aside, 1.23), (view.stage.machine.X_home, 0.0)):
        view.move("test", lambda stage, X=X: stage.assembled(X))
        assert until(lambda shown=shown: abs(window.values().get("x [mm]", np.inf) - shown) < 1e-6)
    return view
