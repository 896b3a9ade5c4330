"""`python -m benchmarks.viewer [machine ... | all] [--save NOTE]`: how quick the page is, on server and in Chromium.

An update is what one wish costs the viewer's own thread: margins, the way to a limit, legs, every message to the page.
Then the page of headless Chromium is watched while the machine is moved 60 times a second: the frames it draws, each
of the machine where it then is, and those in which the words beside it are new; medians of several spells, as other
work on the computer disturbs them. Last the time from a number typed beside a slider until the page shows the leg
values of the new pose. Without a graphics card Chromium draws by software, and the page then draws plainly; `shadows`
is the same page with shadows and edges on, left out where all built-in machines are measured.
"""

from __future__ import annotations

import re
import shutil
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.table import Table

import gough
from benchmarks.saving import cells, save, words_and_note
from gough.viewer.panels.move import pose_range
from gough.viewer.server import address, start_server, stop_server
from gough.viewer.view import View

FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"]
SECONDS, SPELLS = 2.0, 7
COUNT = """(ms) => new Promise((resolve) => {
  let words = 0, frames = 0, isNew = false;
  const row = [...document.querySelectorAll("b")].find((b) => b.textContent === "Legs").parentElement.parentElement;
  const watch = new MutationObserver(() => { isNew = true; });
  watch.observe(row.parentElement, {childList: true, subtree: true, characterData: true});
  const begin = performance.now();
  const frame = () => {
    frames += 1;
    words += isNew;
    isNew = false;
    if (performance.now() - begin < ms) requestAnimationFrame(frame);
    else { watch.disconnect(); resolve([words * 1000 / ms, frames * 1000 / ms]); }
  };
  requestAnimationFrame(frame);
})"""


def update_time(view: View, refused: bool) -> float:
    """Median time of one update [s], for wishes within the limits or beyond them."""
    taken, wish = [], circle(view.stage.machine, 20.0 if refused else 1.0)

    def act(k: int) -> None:
        begin = time.perf_counter()
        view.store.set(view.state.moved(view.stage.to(wish(0.3 * k)), "benchmark"))
        view._show_picture(view.state)
        taken.append(time.perf_counter() - begin)

    for k in range(200):
        view.store.loop.post(f"benchmark {k}", lambda k=k: act(k))
        time.sleep(0.004)
    while len(taken) < 200:
        time.sleep(0.01)
    return float(np.median(taken))


def circle(machine: gough.Machine, size: float = 1.0) -> Callable[[float], np.ndarray]:
    """Poses on a circle round home which is well within the limits, or `size` times larger, by the angle [rad]."""
    radius = size * min(0.03 * machine.size, 0.4 * pose_range(machine)[:2].min())

    def pose(phase: float) -> np.ndarray:
        X = machine.X_home.copy()
        X[:2, 3] += radius * np.array([np.cos(phase), np.sin(phase)])
        return X

    return pose


def counted(view: View, page: Page) -> tuple[float, float]:
    """Frames with new words and all frames, both a second, while the machine is moved 60 times a second."""
    is_over, wish = threading.Event(), circle(view.stage.machine)

    def move() -> None:
        phase = 0.0
        while not is_over.wait(1 / 60):
            phase += 0.05
            view.move("benchmark", lambda stage, phase=phase: stage.to(wish(phase)))

    thread = threading.Thread(target=move)
    thread.start()
    page.wait_for_timeout(500)  # what it did at rest is over
    found = np.median([page.evaluate(COUNT, 1000 * SECONDS) for _ in range(SPELLS)], axis=0)
    is_over.set()
    thread.join()
    page.wait_for_timeout(1000)  # until the sliders stand still
    return float(found[0]), float(found[1])


def round_trip(page: Page) -> float:
    """Median time from typing a number until the leg values follow [s]."""
    box = page.locator("input[inputmode=decimal]").first
    legs = page.locator("b", has_text=re.compile("^Legs$")).locator("xpath=../..")
    step = 0.05 * float(page.locator("[role=slider]").first.get_attribute("aria-valuemax") or "nan")
    taken = []
    for k in range(1, 8):
        before = legs.inner_text()
        box.fill(f"{k * step:.9f}")
        begin = time.perf_counter()
        box.press("Enter")
        while legs.inner_text() == before and time.perf_counter() < begin + 5.0:
            pass
        taken.append(time.perf_counter() - begin)
    return float(np.median(taken))


def main() -> None:
    """Measure the named machines."""
    table = Table(title="viewer")
    heads = ("machine", "graphics", "update [ms]", "refused [ms]", "text [1/s]", "frames [1/s]", "round trip [ms]")
    for head in heads:
        table.add_column(head, justify="right")
    words, note = words_and_note(sys.argv[1:])
    is_all = words == ["all"]
    built_in = [known.name for known in gough.machines()]
    names = built_in if is_all else words or ["hexel", "sinatra2009", "rotopod"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name in names:
            server = start_server()
            view = View(server, gough.load(name))
            own = [1e3 * update_time(view, refused) for refused in (False, True)]
            view.move("benchmark", lambda stage: stage.home())
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(60_000)
            page.goto(address(server))
            page.locator("b", has_text=re.compile("^Legs$")).wait_for()  # a singular home has no way to a limit
            for light in ("plain",) if is_all else ("plain", "shadows"):
                view.store.put(shadows=light == "shadows")
                page.wait_for_timeout(2000)
                figures = (*own, *counted(view, page), 1e3 * round_trip(page))
                table.add_row(name, light, *(f"{figure:.3g}" for figure in figures))
                print(name, light, *(f"{figure:.3g}" for figure in figures), flush=True)
            page.close()
            view.stop()
            stop_server(server)
        browser.close()
    Console(width=120).print(table)
    if note is not None:
        save("viewer", " ".join(["python -m benchmarks.viewer", *words]), note, tables=[cells(table)])


if __name__ == "__main__":
    main()
