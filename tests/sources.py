"""Sources of the package and of its tests as syntax trees, each parsed and walked once in a process."""

import ast
import gc
from functools import cache
from pathlib import Path

import gough

PACKAGE = Path(gough.__file__).parent
TESTS = Path(__file__).parent


@cache
def trees(folder):
    """By path, all of a folder.

    They stay: the garbage collector, which would look at them all again and again, takes three quarters of the time.
    """
    gc.disable()
    try:
        return {path: ast.parse(path.read_text("utf-8")) for path in sorted(folder.rglob("*.py"))}
    finally:
        gc.freeze()
        gc.enable()


@cache
def every_node(folder):
    """By path, the nodes of each tree."""
    return {path: list(ast.walk(tree)) for path, tree in trees(folder).items()}


def nodes(path):
    """Those of a file, of the package or of a test's own."""
    known = every_node(PACKAGE) if path.is_relative_to(PACKAGE) else {}
    return known[path] if path in known else list(ast.walk(ast.parse(path.read_text("utf-8"))))
