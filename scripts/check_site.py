"""Check a built site: `python scripts/check_site.py [build/site] [--all-figures]`.

Every link and every anchor leads somewhere in the site, no page loads anything from another host, none writes an
error to the console, none is wider than a phone, no figure stays white in the dark.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""Attributes with what a page loads; links of the kinds below are not followed by browsers."""
NOT_LOADED = {"canonical", "next", "prev", "index", "search", "alternate"}
OUTSIDE = ("http://", "https://", "//")
PATIENCE = 120_000
"""Software draws three dimensions slowly [ms]."""
PHONE = {"width": 390, "height": 844}
BROWSERS = 2
WHITE = """[...document.querySelectorAll(".figure-frame, .drawing, article img")]
  .filter((each) => getComputedStyle(each).filter === "none").length"""
"""Figures and pictures that dark mode leaves as they are."""


class Page(HTMLParser):
    """Links, anchors and what is loaded, of one page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.links, self.anchors, self.loaded = path, [], {"", "top"}, []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what it links, names and loads."""
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        relation = set(values.get("rel", "").split())
        if tag in LOADING and LOADING[tag] in values and not relation & NOT_LOADED:
            self.loaded.append(values[LOADING[tag]])


def dead_links(root: Path) -> Iterator[str]:
    """A sentence for every link, anchor or loaded file that is not there, and for every host that a page loads from."""
    pages = {path.resolve(): Page(path) for path in sorted(root.rglob("*.html")) if "_static" not in path.parts}
    for path, page in pages.items():
        for target in page.loaded:
            if target.startswith(OUTSIDE):
                yield f"{path.relative_to(root.resolve())} loads {target}"
        for link in [*page.links, *page.loaded]:
            place, anchor = urldefrag(unquote(link.partition("?")[0]) if not link.startswith("#") else unquote(link))
            if ":" in place.partition("/")[0] or place.startswith("//"):
                continue
            file = path if not place else (path.parent / place).resolve()
            if not file.exists():
                yield f"{path.relative_to(root.resolve())}: no file for {link}"
            elif anchor and file in pages and anchor not in pages[file].anchors:
                yield f"{path.relative_to(root.resolve())}: no anchor for {link}"


def console_errors(root: Path, everything: bool = False) -> Iterator[str]:
    """Sentences for console errors, requests that leave the site, pages wider than a phone and figures white at night.

    Figures that are in sight when the page opens are drawn, with `everything` all of them.
    """
    pages = [path for path in sorted(root.rglob("*.html")) if "_static" not in path.parts]
    with ProcessPoolExecutor(BROWSERS) as pool:
        parts = [pool.submit(opened, root, pages[k::BROWSERS], everything) for k in range(BROWSERS)]
        yield from sorted(line for part in parts for line in part.result())


def opened(root: Path, pages: list[Path], everything: bool) -> list[str]:
    """What is wrong with pages that one browser opens."""
    from playwright.sync_api import sync_playwright

    wrong: list[str] = []
    found: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport=PHONE)  # one for all: a new one is a new process
        page.on("console", lambda m: found.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: found.append(str(error)))
        page.on("request", lambda r: found.append(r.url) if r.url.startswith(OUTSIDE) else None)
        page.set_default_timeout(PATIENCE)
        page.emulate_media(color_scheme="dark")
        for path in pages:
            found.clear()
            page.goto(path.resolve().as_uri(), wait_until="load")
            page.evaluate(f"window.figuresDrawn ? figuresDrawn({str(everything).lower()}) : null")
            width = page.evaluate("document.documentElement.scrollWidth")
            if width > PHONE["width"] + 1:
                found.append(f"{width} pixels wide on a phone of {PHONE['width']}")
            if white := page.evaluate(WHITE):
                found.append(f"{white} figures stay white in the dark")
            wrong += [f"{path.relative_to(root)}: {text[:200]}" for text in found]
        browser.close()
    return wrong


def main() -> None:
    """Print what is wrong; exit code 1 if anything is."""
    words = [word for word in sys.argv[1:] if word != "--all-figures"]
    root = Path(words[0] if words else "build/site")
    wrong = [*dead_links(root), *console_errors(root, "--all-figures" in sys.argv)]
    print("\n".join(wrong))
    print(f"{len(list(root.rglob('*.html')))} pages, {len(wrong)} faults")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
