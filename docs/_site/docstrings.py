"""Docstrings are plain text: what reStructuredText would take for markup is escaped, and equations keep their lines."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from sphinx.application import Sphinx

from _site.api import places

SECTION = re.compile(r"^(Parameters|Returns|Raises|Attributes|Yields|Notes|Examples|References)$")
MARKUP = re.compile(r"`([^`]*)`|([|*\\]|(?<=\w)_(?!\w))")
PROPERTIES = (property, cached_property)


def escaped(line: str, package: str) -> str:
    """The line with stars, bars and trailing underscores as they are meant; public names in backquotes are links."""

    def marked(found: re.Match[str]) -> str:
        if found[1] is None:
            return "\\" + found[2]
        name = found[1].removesuffix("()")
        place = next(
            (places()[path] for path in (name, f"{package}.{name}", f"gough.{name}") if path in places()), None
        )
        return f":py:obj:`{found[1]} <{place}>`" if place else f"``{found[1]}``"

    return MARKUP.sub(marked, line)


def plain(lines: list[str], package: str = "gough") -> list[str]:
    """Lines of a docstring as reStructuredText that shows them: indented paragraphs above the sections are code."""
    found: list[str] = []
    in_sections = False
    for k, line in enumerate(lines):
        in_sections |= bool(SECTION.match(line)) and k + 1 < len(lines) and lines[k + 1].startswith("---")
        if not in_sections and line.startswith("    "):
            if not found or not found[-1].startswith("    "):
                found += ["", "::", ""]
            found.append(line)
            continue
        if found and found[-1].startswith("    ") and not in_sections and line.strip():
            found.append("")
        found.append(line if line.startswith(">>>") else escaped(line, package))
    return found


def _process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    parts = name.split(".")
    package = ".".join(part for part in parts[:-1] if part.islower())
    lines[:] = plain(lines, package)
    if isinstance(thing, PROPERTIES):
        app.gough_property_lines = list(lines)  # type: ignore[attr-defined]


def _keep(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Properties as they are: napoleon takes what stands before a colon for their type."""
    if isinstance(thing, PROPERTIES):
        lines[:] = app.gough_property_lines  # type: ignore[attr-defined]


def setup(app: Sphinx) -> dict[str, bool]:
    """Before napoleon, which makes sections of what is left."""
    app.connect("autodoc-process-docstring", _process, priority=100)
    app.connect("autodoc-process-docstring", _keep, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
