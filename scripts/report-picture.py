"""Take the picture of the README: the top of hexel's datasheet, in headless Chromium.

scripts/report-picture.py [MACHINE] [FILE]
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import gough
from gough.datasheet.build import build
from gough.datasheet.sheet import Datasheet

WIDTH, HEIGHT = 1200, 1115
FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]
DEFAULT = Path(__file__).parent.parent / "docs" / "images" / "report-hexel.png"


def main(name: str = "hexel", target: str = str(DEFAULT)) -> None:
    """Build the page, open it, wait for its figures, take the picture."""
    html = build(Datasheet(gough.load(name), f"gough report {name}")).html()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / f"{name}.html"
        page_file.write_text(html, "utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(page_file.as_uri())
        page.wait_for_selector("html[data-figures]", state="attached", timeout=120_000)
        page.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
