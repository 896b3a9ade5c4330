"""The page that is served: viser's own, with a script of ours ahead of it and wider numbers."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

WIDER = '[class*="NumberInput"][style*="width: 3rem"] { width: 4rem !important; }'
"""Numbers beside sliders have room for nine characters: 0.095175 m is the leg of a small machine."""


@cache
def site() -> Path:
    """A folder with the page, which goes when the process ends."""
    import viser

    page = (Path(viser.__file__).parent / "client" / "build" / "index.html").read_text("utf-8")
    script = (files("gough.viewer") / "page.js").read_text("utf-8")
    page = page.replace("<head>", f"<head><style>{WIDER}</style><script>\n{script}</script>", 1)
    folder = Path(mkdtemp(prefix="gough-view-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    (folder / "index.html").write_text(page.replace("<title>Viser<", "<title>Gough<", 1), "utf-8")
    return folder


@contextmanager
def served() -> Iterator[None]:
    """A viser server that is made meanwhile serves our page; it has no argument for that."""
    from viser import infra

    theirs = infra.WebsockServer

    def make(*args: Any, **options: Any) -> infra.WebsockServer:
        return theirs(*args, **(options | {"http_server_root": site()}))

    infra.WebsockServer = make  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        infra.WebsockServer = theirs  # type: ignore[misc]
