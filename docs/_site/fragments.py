"""Parts of pages that are written by the build, from the code and from what commands have written."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import plotly

from _site.sources import write

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "build" / "scripts"


def scripts() -> Path:
    """Folder with the site's copy of plotly.js."""
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    target = SCRIPTS / "plotly.min.js"
    if not target.exists():
        shutil.copy2(Path(plotly.__file__).parent / "package_data" / "plotly.min.js", target)
    return SCRIPTS


def contributing() -> str:
    """CONTRIBUTING as a page: its links are relative to the site, its picture is text."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").replace("```mermaid", "```text")
    return re.sub(r"\]\(docs/", "](", text)


def changes() -> str:
    """The changelog as a page."""
    return (ROOT / "CHANGELOG.md").read_text("utf-8").replace("](docs/", "](")


def write_all(folder: Path) -> None:
    """Every generated part, in the folder from which pages include them."""
    for name, text in {"contributing.md": contributing(), "changes.md": changes()}.items():
        write(folder / name, text)
