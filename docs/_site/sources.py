"""Scripts of the gallery: the numbered examples by topic, and one for every built-in machine."""

from __future__ import annotations

import ast
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import gough

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
TARGET = ROOT / "build" / "gallery"
GALLERY = ROOT / "docs" / "gallery"
SECTIONS = {
    "0": ("first-steps", "First steps"),
    "1": ("analyses", "Analyses"),
    "2": ("multibody", "Multibody dynamics"),
    "3": ("kinematics", "Kinematics and proofs"),
    "4": ("paths", "Paths and motions"),
    "5": ("control", "Control and the viewer"),
    "7": ("papers", "Papers"),
    "8": ("exports", "Exports"),
}
"""First digit of an example's number -> folder and title of its section."""
COMPANIONS = ("data", "mechanisms", "gough_bowl.ngc")
"""Files and folders that examples read."""
HEADER = """Gallery
=======

Each card is a standalone script with its output. Figures are interactive.
"""


ORDER = ("first-steps", "analyses", "kinematics", "paths", "control", "multibody", "papers", "exports", "machines")
INTRODUCTIONS = {
    "papers": """
Figures of the documents that Gough follows, computed again, with the published values for comparison.
Differences and their causes: :doc:`papers </papers>`.
"""
}
"""Folder -> what stands above its cards."""
PAPERS = ("04_", "10_", "20_", "21_", "22_", "7")
"""Examples that draw figures of papers; they stand together."""
SCRIPT = re.compile(r"\]\((?:\.\./)+(?:examples/(\w+)\.py|src/gough/description/machines/([\w-]+)\.toml)\)")
"""A page's link to a script or to a machine's file, as a reader of the checkout follows it."""


def folder_of(script: str) -> str:
    """Folder of the gallery's section that has an example, by the name of its file."""
    return SECTIONS["7" if script.startswith(PAPERS) else script[0]][0]


def led_to_cards(app: Sphinx, page: str, text: list[str]) -> None:
    """Turn a page's links to scripts and machine files into links to their cards, which exist in the site only, and
    links to CONTRIBUTING into links to its page. Show diagrams as text."""

    def card(found: re.Match[str]) -> str:
        script, machine = found.groups()
        return f"](/gallery/{folder_of(script)}/{script}.rst)" if script else f"](/gallery/machines/{machine}.rst)"

    linked = re.sub(r"\]\((?:\.\./)+CONTRIBUTING\.md", "](/contributing.md", SCRIPT.sub(card, text[0]))
    text[0] = linked.replace("```mermaid", "```text")


def ordered() -> list[str]:
    """Folders of sections as the gallery shows them."""
    return [str(Path("..") / TARGET.relative_to(ROOT) / folder) for folder in ORDER]


def processes() -> int | bool:
    """Examples at once."""
    count = min(2, os.cpu_count() or 1)
    return count if count > 1 else False


def titled(text: str) -> str:
    """A script whose docstring's first line is a title of reStructuredText."""
    first = ast.get_docstring(ast.parse(text))
    title, _, rest = (first or "").partition("\n")
    title = title.strip().rstrip(".")
    body = f'"""\n{title}\n{"=" * len(title)}\n\n{rest.strip()}\n"""'
    return re.sub(r'\A""".*?"""', lambda _: body, text, count=1, flags=re.DOTALL)


def write(path: Path, text: str) -> None:
    """Write what has changed only, so that an example runs again only where it has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, encoding="utf-8")


def machine_card(name: str) -> str:
    """Script that shows one built-in machine."""
    machine = gough.load(name)
    figure = "gough.plot.machine(m)"
    lines = [
        f'"""{name}: {machine.title}."""',
        "",
        "import gough",
        "",
        f'm = gough.load("{name}")',
        'print(m.title, "-", m.legs.title) if len(m.stages) == 1 else print(m.title)',
        "print(m.source)",
        "for row in gough.travel_table(m):",
        '    print(f"{row.axis:>2}: {row.minus:+.4g} ({row.minus_words}) to {row.plus:+.4g} ({row.plus_words})")',
        f'{figure}.write_html("{name}.html")',
    ]
    return "\n".join(lines) + "\n"


def prepared() -> Path:
    """The folder of scripts that the gallery is made of, up to date."""
    write(TARGET / "GALLERY_HEADER.rst", HEADER)
    wanted = set()
    for folder, title in SECTIONS.values():
        numbered = sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))
        scripts = [script for script in numbered if folder_of(script.name) == folder]
        write(TARGET / folder / "GALLERY_HEADER.rst", f"{title}\n{'-' * len(title)}\n{INTRODUCTIONS.get(folder, '')}")
        for script in scripts:
            text = script.read_text("utf-8")
            wanted.add(TARGET / folder / script.name)
            write(TARGET / folder / script.name, titled(text))
            for name in (each for each in COMPANIONS if each in text):
                copied(EXAMPLES / name, TARGET / folder / name)
    title = "Machines"
    write(TARGET / "machines" / "GALLERY_HEADER.rst", f"{title}\n{'-' * len(title)}\n")
    for machine in gough.machines():
        path = TARGET / "machines" / f"{machine.name}.py"
        wanted.add(path)
        write(path, titled(machine_card(machine.name)))
    for stale in set(TARGET.glob("*/*.py")) - wanted:
        stale.unlink()
    for page in GALLERY.glob("*/*.rst"):  # of scripts that are gone or have another name
        if page.stem != "index" and TARGET / page.parent.name / f"{page.stem}.py" not in wanted:
            page.unlink()
    return TARGET


def copied(source: Path, target: Path) -> None:
    """A file or a folder that an example reads, beside it."""
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)
