"""The page that is served: viser's own, with a script of ours ahead of it and wider numbers."""

from __future__ import annotations

import atexit
from functools import cache
from importlib.resources import files
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from gough.viewer.viser_parts import page_file

WIDER = '[class*="NumberInput"][style*="width: 3rem"] { width: 4rem !important; }'
"""Numbers beside sliders have room for nine characters: 0.095175 m is the leg of a small machine."""


@cache
def site() -> Path:
    """A folder with the page, which goes when the process ends."""
    page = page_file().read_text("utf-8")
    script = (files("gough.viewer") / "page.js").read_text("utf-8")
    page = page.replace("<head>", f"<head><style>{WIDER}</style><script>\n{script}</script>", 1)
    folder = Path(mkdtemp(prefix="gough-view-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    (folder / "index.html").write_text(page.replace("<title>Viser<", "<title>Gough<", 1), "utf-8")
    return folder
