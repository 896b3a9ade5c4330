"""A machine is one stage or more: one public function for both, one mechanism that finds what two stages do."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import gough
from gough import stages
from gough.checks.arguments import checks_arguments
from gough.errors import StagesError
from gough.machine import Machine
from gough.stacked import StackedMachine

PACKAGE = Path(gough.__file__).parent
FORKS = {"cli/inverse.py", "cli/forward.py", "description/describe.py", "description/load.py"}
"""Where the type of a machine decides: loading and describing a file, and the options of two commands."""


def trees():
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text("utf-8"))


def test_every_function_that_takes_stacks_has_its_counterpart_with_the_same_parameters():
    found = 0
    for path, tree in trees():
        for node in tree.body:
            for mark in getattr(node, "decorator_list", ()):
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "takes_stacks":
                    module = importlib.import_module(f"gough.{path[:-3].replace('/', '.')}")
                    other = importlib.import_module(mark.args[0].value)
                    one, two = (inspect.signature(getattr(m, node.name)).parameters for m in (module, other))
                    assert [(p.name, p.kind, p.default) for p in two.values()] == [
                        (p.name, p.kind, p.default) for p in one.values()
                    ], f"{path} {node.name}"
                    found += 1
    assert found >= 20


def test_only_few_places_ask_for_the_type_of_a_machine():
    forks = {
        path for path, tree in trees() for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"
        and "StackedMachine" in ast.unparse(node)
    }  # fmt: skip
    assert forks == FORKS


def test_no_public_function_of_stages_is_named_as_one_of_another_room():
    rooms = ("", "kinematics", "limits", "statics", "dynamics", "motion", "multibody")
    others = {name for room in rooms for name in dir(importlib.import_module(f"gough.{room}".rstrip(".")))}
    assert not {name for name in stages.__all__ if name in others}


def test_a_function_of_one_kind_of_machine_refuses_the_other_before_anything_is_computed():
    one, two = gough.load("hexel"), gough.load("double-hexapod")

    @checks_arguments
    def of_one(machine: Machine):
        return machine

    @checks_arguments
    def of_two(machine: StackedMachine):
        return machine

    assert of_one(one) is one
    assert of_two(two) is two
    with pytest.raises(StagesError, match="two stages, and this is for one"):
        of_one(two)
    with pytest.raises(StagesError, match="has one stage"):
        of_two(one)
