"""Pages printed to PDF by a browser of Chromium's family, where one is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from gough.errors import InputError

PDF = ".pdf"
BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge",
)  # fmt: skip
"""Names of programs that print, the first one found is taken."""
FIGURES = 20_000
"""Time for which a page may draw its figures [ms], of a clock that does not wait."""
PATIENCE = 180.0
"""Time after which printing is given up [s]."""


def check_printer() -> str:
    """Program that prints pages; `InputError` where none is installed."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise InputError("a PDF needs Chromium or Chrome, and none is installed; write a .html page and print that")
    return found


def printed(html: str) -> bytes:
    """A page as PDF; `InputError` where the browser does not print it."""
    browser = check_printer()
    with TemporaryDirectory(prefix="gough-print-", ignore_cleanup_errors=True) as folder:
        page, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        page.write_text(html, encoding="utf-8")
        options = ["--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer", "--use-angle=swiftshader"]
        options += ["--enable-unsafe-swiftshader", f"--user-data-dir={folder}/profile"]
        options += [f"--virtual-time-budget={FIGURES}", f"--print-to-pdf={target}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:  # Chromium has no sandbox for the superuser
            options.append("--no-sandbox")
        try:
            subprocess.run([browser, *options, page.as_uri()], capture_output=True, timeout=PATIENCE, check=True)
            return target.read_bytes()
        except (OSError, subprocess.SubprocessError):
            raise InputError(f"{browser} did not print the page; write a .html page and print that") from None
