"""The public face is true: every name of every table is there, documented, and defined where the table says.

The tables are the `__init__.pyi` files: type checkers read them, and so does the lazy loader at run time.
"""

import ast
import dataclasses
import importlib
import inspect
import itertools
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import gough

PACKAGE = Path(gough.__file__).parent
ROOT = PACKAGE.parents[1]
TOP_MOST, TOPIC_MOST = 45, 30
TABLES = sorted(PACKAGE.rglob("__init__.pyi"))


def module_of(table):
    return ".".join(table.relative_to(PACKAGE.parent).parent.parts)


def entries(table):
    """(public name, module that defines it or None for a subpackage) in a table."""
    package = module_of(table)
    for node in ast.parse(table.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                assert alias.asname == alias.name, "a re-export in a stub repeats the name"
                yield alias.name, f"{package}.{node.module}" if node.module else None


ENTRIES = [(module_of(table), *entry) for table in TABLES for entry in entries(table)]


@pytest.mark.parametrize("table", TABLES, ids=module_of)
def test_a_table_is_what_the_package_offers_and_says_each_name_once(table):
    names = [name for name, _ in entries(table)]
    package = importlib.import_module(module_of(table))
    assert len(set(names)) == len(names)
    assert set(names) == set(package.__all__) - {"__version__"}
    assert set(package.__all__) <= set(dir(package))
    own = [name for name, home in entries(table) if home is not None]  # topic modules are places, not more to learn
    most = TOP_MOST if package is gough else TOPIC_MOST
    assert len(own) <= most, (
        f"{len(own)} public names, at most {most}: a new one takes the place of one that is less used"
    )


DEFINED_IN = {"StackedMachine": "gough.stacked", "machine": "gough.plot.machine_figures"}
"""Names that come with more than their definition: with what functions do for it."""


def test_a_name_is_defined_where_the_table_says_and_documented():
    for package, name, home in ENTRIES:
        thing = getattr(importlib.import_module(package), name)
        assert thing is (importlib.import_module(f"{package}.{name}") if home is None else thing_of(home, name))
        if home is not None and callable(thing):
            assert thing.__module__ == DEFINED_IN.get(name, home), name
            text = inspect.getdoc(thing) if inspect.isfunction(thing) else thing.__doc__
            assert text, f"{home}.{name}"
            assert not text.startswith(f"{name}("), "this is what dataclasses write themselves"
        elif home is not None:
            assert documented_constant(home, name), f"{home}.{name}"


def thing_of(home, name):
    return getattr(importlib.import_module(home), name)


def documented_constant(module, name):
    """Whether a string stands below the constant's definition."""
    body = ast.parse(inspect.getsource(importlib.import_module(module))).body
    for node, after in itertools.pairwise(body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in ast.unparse(node).split("=")[0]:
            return isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
    return False


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"hexapod"):
        _ = gough.hexapod


def test_modules_import_in_one_direction_only():
    pytest.importorskip("importlinter", reason="import-linter is in the extra 'dev'")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


FILLED_STEP_BY_STEP = {
    "Drawing",
    "Guard",
    "LinkMotion",
    "Moving",
    "Record",
    "SavedView",
    "Search",
    "SpeedProfile",
    "State",
}
"""Dataclasses that are no results: what fills them goes on writing."""


def test_results_cannot_be_changed():
    """Frozen, so that what a function has answered stays its answer."""
    for info in pkgutil.walk_packages(gough.__path__, "gough."):
        if info.name.endswith("__main__"):
            continue
        for name, thing in vars(importlib.import_module(info.name)).items():
            if getattr(thing, "__module__", "") == info.name and dataclasses.is_dataclass(thing):
                is_result = name not in FILLED_STEP_BY_STEP
                assert thing.__dataclass_params__.frozen or not is_result, f"{info.name}.{name} is not frozen"
