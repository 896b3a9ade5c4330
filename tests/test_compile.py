"""What compiling rests on: batches cut without gaps, and no kernel kept on disk that is older than its sources."""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.skew import SKEW_STACK

import gough
from gough import _compile, workers
from gough._compile import (
    Kernel,
)
from gough.arrays import read_only
from gough.workers import PARALLEL_FROM, run_batch

PACKAGE = Path(_compile.__file__).parent
SUFFIXES = {path.suffix for path in PACKAGE.rglob("*") if path.is_file()}

COUNTS = [0, 1, 2, 5, PARALLEL_FROM - 1, PARALLEL_FROM, PARALLEL_FROM + 1, 3 * PARALLEL_FROM + 7]


def indices(part):
    return list(range(part.start, part.stop))


@pytest.mark.parametrize("cores", [1, 2, 3, 7])
@pytest.mark.parametrize("count", COUNTS)
def test_every_item_is_handed_out_once_and_in_order(count, cores, monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: cores)
    parts = run_batch(indices, count)
    assert [index for part in parts for index in part] == list(range(count))
    assert len(parts) == (1 if count < PARALLEL_FROM else cores)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1, "the cores share evenly"


def test_parts_run_side_by_side_and_answers_keep_their_order(monkeypatch):
    """The first part waits for the second, which only another thread can have begun."""
    monkeypatch.setattr(workers, "cores", lambda: 2)
    second_began = threading.Event()

    def task(part):
        if part.start == 0:
            assert second_began.wait(timeout=20)
        else:
            second_began.set()
        return part.start

    assert run_batch(task, PARALLEL_FROM) == [0, PARALLEL_FROM // 2]


def test_an_error_in_a_part_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 2)

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
    """The digest of the sources of the copy."""
    monkeypatch.setattr(_compile, "_HERE", copy)
    return _compile.sources_digest


def compiled_sources():
    """Files that mark something as compiled, and those whose functions are compiled where they are chosen."""
    marks = ("@kernel", "@inline", "@noinline", "inline(")
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name != "_compile.py" and any(mark in path.read_text() for mark in marks):
            yield path
    yield from sorted(PACKAGE.glob("legs/[!_]*.py"))


@pytest.mark.parametrize("source", list(compiled_sources())[::20], ids=lambda path: str(path.relative_to(PACKAGE)))
def test_an_edited_source_of_compiled_code_changes_the_digest(source, copy, digest):
    edited = copy / source.relative_to(PACKAGE)
    before = digest()
    assert digest() == before
    edited.write_bytes(edited.read_bytes().replace(b"e", b"E", 1))
    assert digest() != before, "by its contents, at the same size"


PROGRAM = """
import gough
from gough._compile import Compilation
m = gough.load("hexel")
print(float(gough.inverse_kinematics(m, m.home)[0]), Compilation.count)
"""


def first_leg(copy, **environment):
    """Its length in a process of its own, and the number of kernels that were compiled for it."""
    paths = {"PYTHONPATH": str(copy.parent), "GOUGH_CACHE_DIR": str(copy.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **paths, **environment},
    )
    length, count = done.stdout.split()
    return float(length), int(count)


def files_in(folder):
    return sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file())


@pytest.mark.thorough
@pytest.mark.parametrize("plain", ["0", "1"])
def test_an_edited_helper_leaves_no_stale_kernel_behind(copy, plain):
    """Struts that count their length twice: the kernel in another file must say so at the next run."""
    for folder in [copy, *copy.rglob("*/")]:
        folder.chmod(0o555)  # an installation by another user
    before, compiled = first_leg(copy, GOUGH_PLAIN_NUMBA=plain)
    assert compiled == 1
    written = files_in(copy.parent / "cache")
    assert first_leg(copy, GOUGH_PLAIN_NUMBA=plain) == (before, 0)
    assert files_in(copy.parent / "cache") == written, "read"
    assert {path.suffix for path in copy.rglob("*") if path.is_file()} <= {*SUFFIXES, ".pyc"}, "no compiled code"
    for folder in [copy, *copy.rglob("*/")]:
        folder.chmod(0o755)
    helper = copy / "legs" / "ups.py"
    text = helper.read_text()
    assert "return sqrt(x * x + y * y + z * z)" in text
    helper.write_text(text.replace("return sqrt(x * x", "return 2 * sqrt(x * x"))
    assert first_leg(copy, GOUGH_PLAIN_NUMBA=plain) == (2 * before, 1)


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
    return {kernel.py_func.__qualname__: len(kernel.signatures) for kernel in kernels if kernel.signatures}


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
