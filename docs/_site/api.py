"""API pages: blocks of public names become descriptions, and every public path of a name leads to its place."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import gough

PACKAGE = Path(gough.__file__).parent
BLOCK = re.compile(r"```\{api\}\n(.*?)```", re.DOTALL)
CLASS_OPTIONS = ("members",)


def public_names() -> Iterator[tuple[str, str]]:
    """(public path, module that defines it) of every name in the tables `__init__.pyi`."""
    for table in sorted(PACKAGE.rglob("__init__.pyi")):
        package = ".".join(table.relative_to(PACKAGE.parent).parent.parts)
        for node in ast.parse(table.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    yield f"{package}.{alias.name}", f"{package}.{node.module}"


@cache
def places() -> dict[str, str]:
    """Public path and defining path of every name -> its shortest public path, under which it is described."""
    shortest: dict[Any, str] = {}
    found = list(public_names())
    for path, _ in sorted(found, key=lambda each: each[0].count(".")):
        shortest.setdefault((resolved_home(path), path.rpartition(".")[2]), path)
    known = {}
    for path, home in found:
        name = path.rpartition(".")[2]
        place = shortest[resolved_home(path), name]
        known |= {path: place, f"{home}.{name}": place}
    return known


def resolved_home(path: str) -> str:
    """Module in which the thing of a public path is defined."""
    package, _, name = path.rpartition(".")
    thing = getattr(importlib.import_module(package), name)
    return getattr(thing, "__module__", None) or package


def described(path: str) -> str:
    """Directive of autodoc for a public path."""
    package, _, name = path.rpartition(".")
    thing = getattr(importlib.import_module(package), name)
    if inspect.isclass(thing):
        return "\n".join([f".. autoclass:: {path}", *(f"   :{option}:" for option in CLASS_OPTIONS)])
    return f".. autofunction:: {path}" if inspect.isroutine(thing) else f".. autodata:: {path}\n   :no-value:"


def _expand(app: Sphinx, docname: str, source: list[str]) -> None:
    def block(found: re.Match[str]) -> str:
        return "```{eval-rst}\n" + "\n\n".join(described(path) for path in found[1].split()) + "\n```"

    if docname.startswith("api/"):
        source[0] = BLOCK.sub(block, source[0])


def _alias(app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: nodes.TextElement) -> nodes.Node | None:
    """Links by another public path, or by the path of the definition."""
    place = places().get(node.get("reftarget", ""))
    if node.get("refdomain") != "py" or place is None:
        return None
    return env.domains["py"].resolve_xref(env, node["refdoc"], app.builder, "obj", place, node, shown)


def setup(app: Sphinx) -> dict[str, bool]:
    """Blocks are expanded as pages are read."""
    app.connect("source-read", _expand)
    app.connect("missing-reference", _alias)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
