"""Pictures of what a browser shows, taken by the build: the top of a datasheet, and the viewer in three situations."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import gough
from _site.gallery import FLAGS, PATIENCE
from gough.datasheet.build import build
from gough.datasheet.sheet import Datasheet
from gough.viewer.server import address, start_server, stop_server
from gough.viewer.view import View

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "docs" / "_generated"
RUNNING: list[subprocess.Popen[bytes]] = []
SHEET = {"width": 1200, "height": 1600}
WINDOW = {"width": 1280, "height": 800}


@contextmanager
def browser_page(size: dict[str, int]) -> Iterator[Page]:
    """A page of headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport=size)
        page.set_default_timeout(PATIENCE)
        yield page
        browser.close()


def report(name: str, target: Path) -> None:
    """The top of a machine's datasheet, down to the end of its first figure."""
    with tempfile.TemporaryDirectory() as folder, browser_page(SHEET) as page:
        file = Path(folder) / f"{name}.html"
        file.write_text(build(Datasheet(gough.load(name), f"gough report {name}")).html(), "utf-8")
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-figures]", state="attached")
        bottom = page.evaluate("document.querySelector('.js-plotly-plot').getBoundingClientRect().bottom")
        page.screenshot(path=target, clip={"x": 0, "y": 0, "width": SHEET["width"], "height": bottom})


def viewer(name: str, act: Callable[[View, Page], None], target: Path) -> None:
    """The viewer with a machine, as a graphics card draws it, after something was done on its page."""
    server = start_server()
    view = View(server, gough.load(name), name)
    with browser_page(WINDOW) as page:
        page.goto(address(server))
        page.get_by_text("Nearest limit").wait_for()
        page.wait_for_timeout(5000)  # until the page has found that software draws, and the shadows are off
        view.store.put(shadows=True)
        act(view, page)
        page.mouse.move(WINDOW["width"] / 2, WINDOW["height"] - 20)
        page.wait_for_timeout(3000)  # what stands still is drawn anew, with smooth lines
        page.screenshot(path=target)
    view.stop()
    stop_server(server)


def refuse(view: View, page: Page) -> None:
    """A pose beyond the limits."""
    X = gough.frames.displaced(
        view.stage.machine, gough.pose([0.06, 0.05, 0.02], [8, -14, 6], "XYZ", degrees=True)
    ).as_matrix()
    view.move("picture", lambda stage: stage.to(X))
    time.sleep(1.0)
    wanted = X.copy()
    wanted[:3, 3] += [0.16, 0.02, 0.3]
    view.move("picture", lambda stage: stage.to(wanted))
    page.get_by_text("Nearest allowed pose:").wait_for()


def overlay(view: View, page: Page) -> None:
    """Workspace and velocity envelope."""
    page.get_by_role("tab", name="Overlays", exact=True).click()
    for label in ("workspace", "velocity envelope"):
        page.get_by_label(label, exact=True).click()
    while not {"workspace", "velocity"} <= view.state.results.keys():
        time.sleep(0.1)


def play(view: View, page: Page) -> None:
    """A motion, on its way."""
    page.get_by_role("tab", name="Play", exact=True).click()
    page.get_by_label("motion", exact=True).first.click()
    page.get_by_role("option", name="along and about every axis").click()
    while view.state.clip is None:
        time.sleep(0.1)
    page.wait_for_timeout(1000)
    view.store.update("play", lambda state: state.at_time(7.0))


PICTURES: dict[str, Callable[[Path], None]] = {
    "report-hexel.png": lambda target: report("hexel", target),
    "view-hexel.png": lambda target: viewer("hexel", refuse, target),
    "view-overlays.png": lambda target: viewer("hexel", overlay, target),
    "view-playback.png": lambda target: viewer("pitch-circle", play, target),
}


def contents(*folders: Path) -> str:
    """Digest of the sources in folders: what follows from them is made again when it changes."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def take_all(folder: Path = GENERATED) -> None:
    """Every picture, where the code has changed since it was taken."""
    stamp = folder / "pictures-of.txt"
    now = contents(ROOT / "src" / "gough") + hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    missing = [name for name in PICTURES if not (folder / name).exists()]
    if not missing and stamp.exists() and stamp.read_text("utf-8") == now:
        return
    for name, take in PICTURES.items():
        take(folder / name)
    stamp.write_text(now, "utf-8")


def begin() -> None:
    """Take them in another process, while the gallery runs."""
    command = [sys.executable, "-c", "from _site import pictures; pictures.take_all()"]
    RUNNING.append(subprocess.Popen(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}))


def wait() -> None:
    """Until all are taken."""
    while RUNNING:
        if RUNNING.pop().wait():
            raise RuntimeError("the pictures of the viewer and of the datasheet could not be taken: see above")
