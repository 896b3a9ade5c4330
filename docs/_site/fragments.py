"""Parts of pages that are written by the build, from the code and from what commands have written."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import plotly

from _site import (
    definitions,
    drawings,
    evidence,
    key_drawings,
    leg_kinds,
    machine_keys,
    measured,
    numbers,
    pictures,
    proof_shapes,
    values,
)
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


def root_page(name: str) -> str:
    """A page of the repository's root, its links relative to the site."""
    return (ROOT / name).read_text("utf-8").replace("](docs/", "](")


def inputs() -> str:
    """What computed tables follow from: the contents of the code, of machines, and of these modules."""
    return pictures.contents(ROOT / "src" / "gough", Path(__file__).parent)


COMPUTED = {"evidence.md": evidence.table, "numbers.md": numbers.table, "values.json": values.computed}
"""Tables and numbers that take seconds; they are made again when something has changed."""
QUICK = {
    "contributing.md": partial(root_page, "CONTRIBUTING.md"),
    "changes.md": partial(root_page, "CHANGELOG.md"),
    "machine-keys.md": machine_keys.page,
    "definitions.md": definitions.page,
    "speed.md": measured.speed,
    "speed-of-modes.md": measured.modes,
    "legs.svg": leg_kinds.picture,
    "proof.svg": proof_shapes.proof,
    **{
        f"{name}.md": partial(measured.counts, name)
        for name in ("assembly_counts", "certify", "forward_counts", "viewer", "volume")
    },
}


def write_all(folder: Path) -> None:
    """Every generated part, in the folder from which pages include them; pictures are begun."""
    folder.mkdir(exist_ok=True)
    pictures.begin()
    for name, made in {**QUICK, **drawings.DRAWINGS}.items():
        write(folder / name, made())
    for name, drawing in key_drawings.DRAWINGS.items():
        write(folder / f"{name}.svg", drawing.draw())
    stamp, now = folder / "computed-from.txt", inputs()
    if not stamp.exists() or stamp.read_text("utf-8") != now:
        for name, made in COMPUTED.items():
            write(folder / name, made())
        write(stamp, now)
