"""What compiling rests on: batches cut without gaps, and no kernel kept on disk that is older than its sources."""

import ast
import gc
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numba
import numpy as np
import pytest
from tests.skew import SKEW_STACK

import gough
from gough import _compile, _kernel_cache, _numba, batches
from gough._compile import (
    Kernel,
    inline,
    inline_norefcount,
    kernel,
    noinline,
    noinline_norefcount,
)
from gough.batches import PARALLEL_FROM, run_batch
from gough.read_only import read_only

PACKAGE = Path(_compile.__file__).parent
SUFFIXES = {path.suffix for path in PACKAGE.rglob("*") if path.is_file()}

COUNTS = [0, 1, 2, 5, PARALLEL_FROM - 1, PARALLEL_FROM, PARALLEL_FROM + 1, 3 * PARALLEL_FROM + 7]


def indices(part):
    return list(range(part.start, part.stop))


@pytest.mark.parametrize("cores", [1, 2, 3, 7])
@pytest.mark.parametrize("count", COUNTS)
def test_every_item_is_handed_out_once_and_in_order(count, cores, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    parts = run_batch(indices, count)
    assert [index for part in parts for index in part] == list(range(count))
    assert len(parts) == (1 if count < PARALLEL_FROM else cores)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1, "the cores share evenly"


def test_the_caller_says_from_when_on_sharing_pays(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert len(run_batch(indices, 10, from_count=11)) == 1
    shared = run_batch(indices, 10, from_count=10)
    assert len(shared) == 3
    assert [index for part in shared for index in part] == list(range(10))


def test_an_unknown_number_of_cores_counts_as_one(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert run_batch(indices, PARALLEL_FROM) == [list(range(PARALLEL_FROM))]


def test_parts_run_side_by_side_and_answers_keep_their_order(monkeypatch):
    """The first part waits for the second, which only another thread can have begun."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    batches._pool.cache_clear()
    second_began = threading.Event()

    def task(part):
        if part.start == 0:
            assert second_began.wait(timeout=20)
        else:
            second_began.set()
        return part.start

    try:
        assert run_batch(task, PARALLEL_FROM) == [0, PARALLEL_FROM // 2]
    finally:
        batches._pool.cache_clear()


def test_an_error_in_a_part_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    def task(part):
        if part.start:
            raise KeyError("second half")

    with pytest.raises(KeyError, match="second half"):
        run_batch(task, PARALLEL_FROM)


@pytest.fixture
def copy(tmp_path):
    """A copy of the package with no compiled code in it."""
    to = tmp_path / "src" / "gough"
    shutil.copytree(PACKAGE, to, ignore=shutil.ignore_patterns("__pycache__"))
    return to


@pytest.fixture
def digest(copy, monkeypatch):
    """The digest that kernels of the copy would be kept under, computed anew at each call."""
    monkeypatch.setattr(_kernel_cache, "__file__", str(copy / "_kernel_cache.py"))
    return _kernel_cache.sources_digest.__wrapped__


def compiled_sources():
    """Files that mark something as compiled, and those whose functions are compiled where they are chosen."""
    marks = ("@kernel", "@inline", "@noinline", "inline(")
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name != "_compile.py" and any(mark in path.read_text() for mark in marks):
            yield path
    yield from sorted(PACKAGE.glob("legs/[!_]*.py"))


@pytest.mark.parametrize("source", list(compiled_sources()), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_an_edited_source_of_compiled_code_changes_the_digest(source, copy, digest):
    edited = copy / source.relative_to(PACKAGE)
    before = digest(edited.parent)
    assert digest(edited.parent) == before
    edited.write_bytes(edited.read_bytes().replace(b"e", b"E", 1))
    assert digest(edited.parent) != before, "by its contents, at the same size"


@pytest.mark.parametrize("source", list(compiled_sources()), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_compiled_code_is_made_of_its_own_folder_and_of_the_shared_ones(source):
    """What the digest of a kernel looks at is all that can change it."""
    rooms = {"gough", *(f"gough.{name}" for name in (*_kernel_cache.SHARED, source.parent.name) if name)}
    for module in re.findall(r"^from (gough\S*) import", source.read_text(), flags=re.MULTILINE):
        room, _, name = module.rpartition(".")
        assert room in rooms or module in rooms or not name.startswith("_"), module


MOST_PARAMETERS = 8
"""Of compiled functions: more of them are arrays without labels, for which a named tuple has names."""
DECORATORS = {"kernel", "inline", "inline_norefcount", "noinline", "noinline_norefcount"}


@pytest.mark.parametrize("source", list(compiled_sources()), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_compiled_functions_take_few_parameters(source):
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.FunctionDef) and DECORATORS & {ast.unparse(mark) for mark in node.decorator_list}:
            assert len(node.args.args) <= MOST_PARAMETERS, node.name


def test_sources_without_compiled_code_do_not_cost_a_compilation(copy, digest):
    folder = copy / "kinematics"
    before = digest(folder)
    checks = [f"checks/{name}.py" for name in ("annotations", "arguments", "numbers")]
    for name in (*checks, "errors.py", "kinematics/inverse.py", "cli/app.py", "limits/_travel.py"):
        (copy / name).write_text((copy / name).read_text() + "# edited\n")
    assert digest(folder) == before


PROGRAM = """
import sys, gough
m = gough.load("hexel")
print(float(gough.inverse_kinematics(m, m.home)[0]), "numba.np.arraymath" in sys.modules)
"""


def first_leg(copy, *, compiles=True):
    """Its length in a process of its own; one that only reads machine code does without half of the compiler."""
    paths = {"PYTHONPATH": str(copy.parent), "GOUGH_CACHE_DIR": str(copy.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env={**os.environ, **paths}
    )
    length, has_compiler = done.stdout.split()
    assert (has_compiler == "True") is compiles
    return float(length)


@pytest.mark.thorough
def test_an_edited_helper_leaves_no_stale_kernel_behind(copy):
    """Struts that count their length twice: the kernel in another file must say so at the next run."""
    for folder in [copy, *copy.rglob("*/")]:
        folder.chmod(0o555)  # an installation by another user
    before = first_leg(copy)
    written = sorted((path.name, path.stat().st_mtime_ns) for path in (copy.parent / "cache").iterdir())
    assert [name.startswith("numba.runtime.") for name, _ in written] == [False, True]
    assert first_leg(copy, compiles=False) == before
    assert sorted((path.name, path.stat().st_mtime_ns) for path in (copy.parent / "cache").iterdir()) == written, "read"
    assert {path.suffix for path in copy.rglob("*") if path.is_file()} <= {*SUFFIXES, ".pyc"}, "no compiled code"
    for folder in [copy, *copy.rglob("*/")]:
        folder.chmod(0o755)
    helper = copy / "legs" / "ups.py"
    text = helper.read_text()
    assert "return sqrt(x * x + y * y + z * z)" in text
    helper.write_text(text.replace("return sqrt(x * x", "return 2 * sqrt(x * x"))
    assert first_leg(copy) == 2 * before


@pytest.mark.parametrize("decorated", [inline, inline_norefcount, noinline, noinline_norefcount])
def test_helpers_serve_kernels_and_tell_python_so(decorated):
    @decorated
    def twice(x):
        return 2.0 * x

    @kernel
    def four_times(x):
        return twice(twice(x))

    assert four_times(1.5) == 6.0
    with pytest.raises(TypeError, match="twice is for kernels only"):
        twice(1.5)
    assert twice.py_func(1.5) == 3.0


def test_no_machine_code_is_made_of_a_helper_by_itself():
    """Kernels have it in them: optimising it alone would take as long again at each level of calls."""

    @inline
    def twice(x):
        return 2.0 * x

    @kernel
    def four_times(x):
        return twice(twice(x))

    assert four_times(1.5) == 6.0
    ((_, made),) = twice.dispatcher.overloads.items()
    assert "2.000000e+00" in made.library.get_llvm_str()
    assert not made.codegen._engine.is_symbol_defined(made.fndesc.llvm_func_name)


def test_compiling_leaves_numba_and_the_garbage_collector_as_they_were():
    kind = numba.core.types.functions.BaseFunction
    before = kind.get_call_type, numba.config.OPT, gc.isenabled()

    @kernel
    def sum_of_squares(x, n, pair):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i] ** 2 + n // 2 + pair[0] * 2 + pair[1]
        return total

    x = np.arange(3.0)
    # The same operators of other types, one after another: what is remembered of one is not taken for another.
    assert sum_of_squares(x, 5, (1, 2)) == 5.0 + 3 * (2 + 4)
    assert sum_of_squares(x, 5.0, (1.5, 2)) == 5.0 + 3 * (2.0 + 5.0)
    assert sum_of_squares(np.arange(3), True, (1, 0.5)) == 5.0 + 3 * (0 + 2.5)
    with pytest.raises(numba.errors.TypingError):
        sum_of_squares(x, "5", (1, 2))
    assert (kind.get_call_type, numba.config.OPT, gc.isenabled()) == before


def test_threads_that_compile_one_after_another_leave_them_too():
    kind = numba.core.types.functions.BaseFunction
    before = kind.get_call_type, numba.config.OPT, gc.isenabled()
    waits = threading.Event()

    def compile_next():
        waits.set()
        with _numba._quick_compiler():
            pass

    next_one = threading.Thread(target=compile_next)
    with _numba._quick_compiler():
        next_one.start()
        waits.wait()
        next_one.join(0.1)  # it has come to the lock
        assert next_one.is_alive()
    next_one.join()
    assert (kind.get_call_type, numba.config.OPT, gc.isenabled()) == before


LAYOUTS = {
    "read-only": lambda a: read_only(a.copy()),
    "columns first": np.asfortranarray,
    "every other": lambda a: np.repeat(a, 2, axis=0)[::2],
    "last axis turned round": lambda a: a[..., ::-1].copy()[..., ::-1],
}


def compiled_for():
    """How many kinds of arguments each kernel of the library has been compiled for."""
    modules = [module for name, module in sys.modules.items() if name.startswith("gough.")]
    kernels = {kernel for module in modules for kernel in vars(module).values() if isinstance(kernel, Kernel)}
    return {kernel.py_func.__qualname__: len(kernel.signatures) for kernel in kernels if "dispatcher" in vars(kernel)}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["hexel", SKEW_STACK])
def test_a_kernel_is_compiled_once_however_the_arrays_lie_in_memory(name, layout):
    machine = gough.load(name)
    X = np.stack([machine.X_home] * 3)
    q = gough.inverse_kinematics(machine, X)

    def call(lay):
        poses, joints = lay(X), lay(q)
        gough.inverse_kinematics(machine, poses)
        gough.margins(machine, poses)
        gough.jacobian(machine, poses)
        gough.kinematics.inverse_jacobian(machine, poses)
        gough.forward_kinematics(machine, joints)
        gough.limits.is_allowed(machine, poses)
        gough.travel(machine, lay(np.eye(6)[:3]))
        if name == "hexel":
            gough.kinematics.certify_pose(machine, joints, poses)
            gough.assembly_modes(machine, joints[0])

    call(np.ascontiguousarray)
    before = compiled_for()
    assert before["margins_batch"] == before["forward_batch"] == 1
    call(LAYOUTS[layout])
    assert compiled_for() == before
