"""The public face is true: every name is there, documented, and known to type checkers."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import gough

ROOT = Path(gough.__file__).parents[2]
SOURCE = ast.parse(Path(gough.__file__).read_text("utf-8"))
FUNCTIONS_AND_CLASSES = [name for name in gough._HOME if callable(getattr(gough, name))]
CONSTANTS = [name for name in gough._HOME if not callable(getattr(gough, name))]


def names_for_type_checkers():
    """Name -> module, from the imports under `if TYPE_CHECKING:`."""
    block = next(node for node in SOURCE.body if isinstance(node, ast.If))
    assert isinstance(block.test, ast.Name)
    assert block.test.id == "TYPE_CHECKING"
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname: node.module for node in imports for alias in node.names}


def test_every_name_in_all_is_there():
    assert len(set(gough.__all__)) == len(gough.__all__)
    for name in gough.__all__:
        assert getattr(gough, name) is not None
    assert set(gough.__all__) == set(dir(gough))


def test_type_checkers_see_the_same_names_at_the_same_places():
    at_run_time = {name: f"gough.{home}" for name, home in gough._HOME.items()}
    at_run_time |= dict.fromkeys(gough._MODULES, "gough")
    assert names_for_type_checkers() == at_run_time


@pytest.mark.parametrize("name", FUNCTIONS_AND_CLASSES)
def test_names_are_defined_where_the_table_says(name):
    assert getattr(gough, name).__module__ == f"gough.{gough._HOME[name]}"


@pytest.mark.parametrize("name", FUNCTIONS_AND_CLASSES)
def test_functions_and_classes_have_a_docstring(name):
    thing = getattr(gough, name)
    text = inspect.getdoc(thing) if inspect.isfunction(thing) else thing.__doc__
    assert text
    assert not text.startswith(f"{name}("), "this is what dataclasses write themselves"


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_have_a_docstring_below_them(name):
    module = importlib.import_module(f"gough.{gough._HOME[name]}")
    body = ast.parse(inspect.getsource(module)).body
    place = next(
        k
        for k, node in enumerate(body)
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in ast.unparse(node).split("=")[0]
    )
    after = body[place + 1]
    assert isinstance(after, ast.Expr)
    assert isinstance(after.value, ast.Constant)
    assert isinstance(after.value.value, str)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'hexapod'"):
        _ = gough.hexapod


def test_modules_import_in_one_direction_only():
    pytest.importorskip("importlinter", reason="import-linter is in the extra 'dev'")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
