"""Take the pictures of docs/viewer.md and of the README: the viewer in headless Chromium.

scripts/viewer-picture.py [FOLDER]
"""

import shutil
import sys
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import gough
from gough.viewer.panels.player import toggled
from gough.viewer.server import address, start_server, stop_server
from gough.viewer.view import View

FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]
DEFAULT = Path(__file__).parent.parent / "docs" / "images"
WINDOW = {"width": 1480, "height": 900}
PATIENCE = 180_000
"""Software draws shadows slowly [ms]."""
WARNING = "Software WebGL"
"""What the page says of a computer without a graphics card; pressed away."""


def main(folder: str = str(DEFAULT)) -> None:
    """One picture of a refused pose, one of overlays, one of a motion that plays."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, machine, act in (
            ("view-hexel", "hexel", _refuse),
            ("view-overlays", "hexel", _overlay),
            ("view-playback", "pitch-circle", _play),
        ):
            server = start_server()
            view = View(server, gough.load(machine), machine)
            page = browser.new_page(viewport=WINDOW)
            page.set_default_timeout(PATIENCE)
            page.goto(address(server))
            page.get_by_text("Nearest limit").wait_for()
            page.get_by_text(WARNING).wait_for()
            page.locator("button.mantine-Notification-closeButton").first.click()
            view.store.put(shadows=True)  # as a graphics card draws
            act(view, page)
            page.wait_for_timeout(5000)
            page.mouse.move(WINDOW["width"] / 2, WINDOW["height"] - 20)
            page.screenshot(path=Path(folder) / f"{name}.png")
            page.close()
            view.stop()
            stop_server(server)
        browser.close()


def _refuse(view: View, page: Page) -> None:
    X = gough.frames.displaced(
        view.stage.machine, gough.pose([0.06, 0.05, 0.02], [8, -14, 6], "XYZ", degrees=True)
    ).as_matrix()
    view.move("picture", lambda stage: stage.to(X))
    time.sleep(1.0)
    wanted = X.copy()
    wanted[:3, 3] += [0.16, 0.02, 0.3]
    view.move("picture", lambda stage: stage.to(wanted))
    page.get_by_text("Nearest allowed pose:").wait_for()


def _overlay(view: View, page: Page) -> None:
    page.get_by_role("tab", name="Overlays", exact=True).click()
    for label in ("workspace", "velocity envelope"):
        page.get_by_label(label, exact=True).click()
    while not {"workspace", "velocity"} <= view.state.results.keys():
        time.sleep(0.1)


def _play(view: View, page: Page) -> None:
    page.get_by_role("tab", name="Play", exact=True).click()
    page.get_by_label("motion", exact=True).first.click()
    page.get_by_role("option", name="along and about every axis").click()
    while view.state.clip is None:
        time.sleep(0.1)
    page.wait_for_timeout(1500)
    view.store.update("play", toggled)
    page.wait_for_timeout(9000)
    view.store.update("play", toggled)


if __name__ == "__main__":
    main(*sys.argv[1:])
