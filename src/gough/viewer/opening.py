"""Opening the page in a browser without its token in a command line, which every user of a computer can read."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Gough</title>
<meta http-equiv="refresh" content="0;url={address}"></head>
<body><a href="{address}">Open the viewer</a></body></html>
"""
NAME = "gough-view.html"


@contextmanager
def opened(address: str) -> Iterator[None]:
    """Open an address in the browser, by a page in a private folder that leads there; both go at the end."""
    with TemporaryDirectory(prefix="gough-view-", ignore_cleanup_errors=True) as folder:  # of mode 0700
        page = Path(folder) / NAME
        page.touch(mode=0o600)
        page.write_text(PAGE.format(address=escape(address)), "utf-8")
        webbrowser.open(page.as_uri())
        yield
