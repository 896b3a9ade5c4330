"""No module depends on itself: by imports within functions, for types alone, or by names that packages load lazily."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.sources import nodes

import gough

ROOT = Path(gough.__file__).parents[1]


def modules(root):
    """Path of each module by its dotted name."""
    named = {}
    for path in (root / "gough").rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return named


def table(package, path):
    """Module that each public name of a package comes from, by its stub."""
    stub = path.with_suffix(".pyi")
    nodes = ast.parse(stub.read_text()).body if stub.is_file() else []
    tables = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return {a.name: f"{package}.{node.module or a.name}" for node in tables for a in node.names}


def chain(node):
    """Names of `a.b.c`, empty for another expression."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def dependencies(root):
    """Modules that each module imports or reaches by attributes of a package."""
    known = modules(root)
    tables = {name: table(name, path) for name, path in known.items() if path.name == "__init__.py"}

    def resolved(module, names):
        """The module that `module.a.b` leads to."""
        for name in names:
            below = f"{module}.{name}"
            following = below if below in known else tables.get(module, {}).get(name)
            if following is None:
                break
            module = following
        return module

    graph = {}
    for here, path in known.items():
        found, bound = set(), {}
        for node in nodes(path):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name in known:
                        found.add(alias.name)
                        bound[alias.asname or "gough"] = alias.name if alias.asname else "gough"
            elif isinstance(node, ast.ImportFrom) and node.module in known:
                for alias in node.names:
                    target = resolved(node.module, [alias.name])
                    found.add(target)
                    if target in tables:
                        bound[alias.asname or alias.name] = target
        for names in map(chain, nodes(path)):
            if names and names[0] in bound:
                found.add(resolved(bound[names[0]], names[1:]))
        graph[here] = found - {here}
    return graph


def cycle(graph):
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " -> ".join(error.args[1])
    return None


def test_imports_have_no_cycle():
    graph = dependencies(ROOT)
    assert len(graph) > 300
    assert "gough.kinematics.inverse" in graph["gough.export.mjcf"]
    assert cycle(graph) is None


ABOVE = {"gough.plot.notebook": "how a machine shows itself in notebooks"}
"""Modules that are called from below by their name, which imports and the contract do not show."""


def test_calls_upwards_are_the_ones_that_are_known():
    called = set()
    for path in (ROOT / "gough").rglob("*.py"):
        calls = (node for node in nodes(path) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
        upwards = (node.args[0] for node in calls if node.func.id == "function_above")
        called |= {first.value for first in upwards if isinstance(first, ast.Constant)}
    for module in called:
        assert module in ABOVE or module.rsplit(".", 1)[0] in ABOVE, module
    assert {name for name in ABOVE if any(module.startswith(name) for module in called)} == set(ABOVE)
