"""Machines without symmetry are the default: what is tested of several built-in machines is tested of them too.

Read from the sources, which run nothing: lists over which a test or its fixtures run, and the names that a law leads
to, through constants and functions of its file, of the helper modules that it imports and of the conftests above it.
"""

import ast
from functools import cache

from tests.sources import TESTS, trees

import gough

BUILT_IN = {info.name for info in gough.machines()}
WITHOUT = {
    "of symmetric machines": {
        "cli/test_units.py": ["test_what_is_rounding_is_shown_as_nothing"],
        "laws/test_crank_zero_laws.py": ["test_a_built_in_machine_answers_alike_wherever_its_zeros_are"],
        "laws/test_kinematic_laws.py": [
            "test_a_symmetric_machine_gives_symmetric_answers",
            "test_at_home_a_symmetric_machine_has_three_equal_pairs",
        ],
    },
    "of cranks about one axis": {
        "laws/test_crank_zero_laws.py": ["test_arms_that_point_alike_at_zero_only_keep_the_clearance_of_their_legs"],
    },
    "of what these machines' files give or leave out": {
        "architecture/test_machine_files.py": [
            "test_the_variants_of_the_sandia_report_have_what_its_analyses_need",
        ],
        "description/test_defaults.py": [
            "test_cones_without_an_axis_follow_the_legs_at_home",
            "test_travel_counts_from_home",
        ],
        "dynamics/test_dynamics_laws.py": [
            "test_a_machine_without_masses_says_what_it_needs",
            "test_a_platform_without_inertia_on_massless_legs_accelerates_to_nan",
            "test_no_forces_are_told_where_the_legs_hold_nothing",
        ],
        "laws/test_promised_nan.py": [
            "test_every_function_that_promises_infinity_or_none_has_a_row",
            "test_what_has_no_end_is_infinite_and_what_is_not_there_is_none",
        ],
    },
    "of workspaces that end where a rod is stretched": {
        "workspaces/test_slowest.py": ["test_at_the_end_of_the_reach_it_is_zero_and_some_direction_stands_still"],
    },
    "references": {
        "references/test_desapio_report.py": ["test_the_variants_go_through_the_same_analyses"],
        "references/test_inverse_golden.py": ["test_rubin_pivot_rule"],
    },
    "of what controllers write": {
        "test_conventions.py": [
            "test_gimbal_lock_is_met_with_a_zero_third_angle_and_no_warning",
            "test_numbers_come_back",
            "test_rotation_is_the_makers_formula",
        ],
    },
    "of bases whose axes are the world's": {
        "multibody/test_stacked.py": ["test_forces_of_both_stages_agree_with_virtual_work"],
    },
}
"""Tests that need none of them, and why."""


@cache
def named(path):
    """By name, what a file of tests defines, imports from helpers or has from conftests: the file and its nodes."""
    is_conftest = path.name == "conftest.py"
    above, found = path.parents[is_conftest] / "conftest.py", {}
    if (is_conftest or path.name.startswith("test_")) and above.is_relative_to(TESTS):
        found |= named(above if above.exists() else TESTS / "conftest.py")
    for node in trees(TESTS)[path].body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
            source = TESTS.joinpath(*node.module.split(".")[1:]).with_suffix(".py")
            theirs = named(source) if source.exists() else {}
            found |= {one.asname or one.name: theirs[one.name] for one in node.names if one.name in theirs}
        elif isinstance(node, ast.FunctionDef):
            found |= {name: (path, [node]) for name in (node.name, *fixture_names(node))}
        elif isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)):
                before = found[name][1] if isinstance(node, ast.AugAssign) else []
                found[name] = path, [*before, node.value]
    return found


def marks_of(node, name):
    """Decorators of a function that are called and end so."""
    calls = (mark for mark in node.decorator_list if isinstance(mark, ast.Call))
    return [mark for mark in calls if ast.unparse(mark.func).endswith(name)]


def fixture_names(node):
    """Names that a fixture is given."""
    keywords = (key for mark in marks_of(node, "fixture") for key in mark.keywords)
    return [key.value.value for key in keywords if key.arg == "name"]


def parameters(path, node):
    """Values over which a test runs by its marks, by those of its fixtures, and by theirs: each with its file. Not
    those that other parameters come with, as truths of one machine do."""
    for mark in marks_of(node, "parametrize"):
        if isinstance(mark.args[0], ast.Constant) and "," not in mark.args[0].value:
            yield path, mark.args[1]
    for mark in marks_of(node, "fixture"):
        yield from ((path, key.value) for key in mark.keywords if key.arg == "params")
    for one in node.args.args:
        where, nodes = named(path).get(one.arg, (path, []))
        if nodes and isinstance(nodes[0], ast.FunctionDef) and nodes[0] is not node:
            yield from parameters(where, nodes[0])


def machines(path, node, seen, is_through_functions):
    """Names of built-in machines that a node leads to, each once; "skew" for those without symmetry."""
    name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else None
    if name and name.startswith("SKEW"):
        return {"skew"}
    if isinstance(node, ast.Constant):
        return {node.value} & BUILT_IN
    if isinstance(node, ast.Attribute) and node.attr == "machines":
        return BUILT_IN
    if isinstance(node, ast.FunctionDef | ast.Lambda) and not is_through_functions:
        return set()
    where, nodes = named(path).get(name, (path, []))
    if name and (name, where) not in seen:
        seen.add((name, where))
        return set().union(*(machines(where, one, seen, is_through_functions) for one in nodes))
    is_table = isinstance(node, ast.Dict) and not is_through_functions
    below = [key for key in node.keys if key] if is_table else ast.iter_child_nodes(node)
    return set().union(*(machines(path, one, seen, is_through_functions) for one in below))


def every_test():
    """Path in the folder of tests, and node, of all tests."""
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in trees(TESTS)[path].body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield path, node


def is_a_law(path):
    return path.parent.name == "laws" or path.stem.endswith("_laws")


def test_tests_of_several_machines_and_all_laws_run_on_machines_without_symmetry():
    missing = set()
    for path, node in every_test():
        runs_over = [machines(where, value, set(), False) for where, value in parameters(path, node)]
        runs_over = [names for names in runs_over if len(names) > 1]
        if is_a_law(path):
            runs_over.append(machines(path, node, set(), True))
        if any(names and "skew" not in names for names in runs_over):
            missing.add((path.relative_to(TESTS).as_posix(), node.name))
    listed = {(path, name) for tests in WITHOUT.values() for path, names in tests.items() for name in names}
    assert missing == listed, missing ^ listed
