"""Every loop ends: those of kernels by a count, those of Python searches by a count or by what they halve or use up."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from tests.extremes import MACHINES, SUITE
from tests.sources import PACKAGE, every_node
from tests.thorough import thorough

import gough

DECORATORS = {"kernel", "inline", "inline_norefcount", "noinline", "noinline_norefcount"}
ROOT = Path(__file__).parents[2]
PATIENCE = 300
"""For a process of extreme machines, whose watchdog counts processor time [s]."""
WHILE = {
    "dynamics/simulate.py _up_to_stop": "each pass ends earlier, in another step of the integrator",
    "dynamics/extremes.py run": "intervals are halved down to a least width, at most a number of times",
    "files.py read_bounded": "reads part after part, up to a size",
    "files.py _created": "tries again only where another process removed what it had made",
    "viewer/scheduler.py _run": "the page's thread, until it is closed",
    "viewer/scheduler.py _next": "the same thread, waiting for what is posted",
    "cli/stopping.py run_until_stopped": "waits for the command's end",
    "cli/__init__.py _open_closed_streams": "takes a file descriptor each time, up to the third",
    "cli/progress.py show_until": "the bar's thread, until the work is over",
    "checks/arguments.py _raised_in": "goes down a traceback",
    "checks/annotations.py _alternatives": "goes to the left side of a union each time",
    "workspaces/extent.py starts": "counts what it chose, up to `most`",
    "stages/stepping.py drawn_in": "doubles `step`, up to the whole distance",
    "calibration/exchange.py nearest_neighbours": "takes a row each time",
    "regions/branching.py run": "counts boxes, up to `most`, and ends where they are tiny",
    "regions/branching.py minimise": "shrinks boxes where values do not fall by a part of themselves",
    "regions/farther.py open_directions": "counts boxes, up to `most`",
    "regions/boxes.py halve_open": "counts what it evaluated, up to `most`",
    "regions/paving.py _leaves": "goes down to the halves of what is halved",
    "regions/paving.py _status": "goes down to the half that has the pose",
    "chunks.py _on_cluster": "each pass ends chunks, or finds that workers are left",
    "chunks.py results": "gives what is there",
    "chunks.py task_ends": "takes a chunk or more each time",
    "regions/largest.py _first_broken": "divides the scales between two, down to PRECISION",
    "regions/pave.py grow": "counts boxes, up to `max_boxes`",
    "regions/volume.py needed_samples": "draws eight times as many, up to LAST_PILOT",
    "regions/volume.py _worth_sampling": "doubles the boxes, up to MOST_BOXES",
    "motion/programs/reader.py _without_comments": "takes characters off a line",
    "motion/programs/reader.py _words": "goes on in a line",
    "motion/programs/joint_program.py _divided": "divides pieces, up to MOST_LINES and down to NARROWEST",
    "motion/jerk_limited.py _within_forces": "doubles `high` up to 1e4",
    "motion/heads/placement.py _held": "divides `width` down to 1e-12",
    "singularity/surface.py along": "halves lengths, of at most MOST_PIECES",
    "singularity/distance.py singular_distance": "counts boxes, up to `max_boxes`",
}
"""Why each `while` ends."""


def functions(nodes):
    return [node for node in nodes if isinstance(node, ast.FunctionDef)]


def is_compiled(function):
    return any(isinstance(decorator, ast.Name) and decorator.id in DECORATORS for decorator in function.decorator_list)


def unbounded(function):
    """Loops of a compiled function over anything but a range of whole numbers, a tuple or a constant of its module."""
    ranges = {each.arg for each in function.args.args if each.annotation and ast.unparse(each.annotation) == "range"}
    for node in ast.walk(function):
        if isinstance(node, ast.While):
            yield node.lineno, "while"
        named = node.iter.id if isinstance(getattr(node, "iter", None), ast.Name) else ""
        is_constant = named.isupper() or named in ranges
        if isinstance(node, ast.For) and not isinstance(node.iter, ast.Tuple) and not is_constant:
            call = node.iter
            names = {n.func.id for n in ast.walk(call) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
            if not isinstance(call, ast.Call) or not names <= {"range", "len", "min", "max", "abs"} | {"uint64"}:
                yield node.lineno, ast.unparse(call)


def test_kernels_count_their_steps():
    every = ((path, function) for path, nodes in every_node(PACKAGE).items() for function in functions(nodes))
    compiled = [(path, function) for path, function in every if is_compiled(function)]
    assert len(compiled) > 150
    found = {f"{path}:{line}: {what}" for path, function in compiled for line, what in unbounded(function)}
    assert not found


def test_every_while_has_a_reason_to_end():
    found = set()
    for path, nodes in every_node(PACKAGE).items():
        for function in functions(nodes) if any(isinstance(node, ast.While) for node in nodes) else ():
            within = list(ast.walk(function))
            inner = {node for part in functions(within) if part is not function for node in ast.walk(part)}
            if any(isinstance(node, ast.While) for node in within if node not in inner):
                found.add(f"{path.relative_to(PACKAGE).as_posix()} {function.name}")
    assert found == set(WHILE)


ENDLESS = {"count", "cycle"}
"""Iterators of the standard library that never end."""


def test_no_loop_runs_over_an_iterator_that_never_ends():
    every = ((path, node) for path, nodes in every_node(PACKAGE).items() for node in nodes if isinstance(node, ast.For))
    loops = ((path, node, node.iter) for path, node in every if isinstance(node.iter, ast.Call))
    endless = [(path, node) for path, node, call in loops if ast.unparse(call.func).rpartition(".")[2] in ENDLESS]
    assert [f"{path.relative_to(PACKAGE)}:{node.lineno}" for path, node in endless] == []


@pytest.mark.thorough
def test_no_public_function_runs_long_on_extreme_machines():
    assert set(SUITE) <= set(MACHINES)
    command = [sys.executable, "-m", "tests.extremes", *SUITE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    failed = [line for line in done.stdout.splitlines() if "FAILED" in line]
    assert done.returncode == 0, (failed or done.stdout.splitlines()[-1:], done.stderr[-2000:])


@pytest.mark.parametrize(
    "title", ["far tool", *thorough("tool beside everything", "singular home", "sliders singular at home")]
)
def test_travels_end_at_a_limit_or_say_that_none_does(title, tmp_path):
    path = tmp_path / "extreme.toml"
    path.write_text(MACHINES[title])
    m = gough.load(path)
    for row in gough.travel_table(m):
        assert row.minus <= 0.0 <= row.plus
        assert {row.minus_binding, row.plus_binding} <= {*gough.margins(m, m.home).names, "none"}
