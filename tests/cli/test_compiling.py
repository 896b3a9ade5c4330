"""Kernels of a report are compiled by two processes; a second one never outlives the first, and is not missed."""

import subprocess
import sys

import pytest

from gough import _kernel_cache
from gough._compile import kernel
from gough.cli import compiling

PATIENCE = 60
KERNELS = """
from gough.assembly._endgame import follow_paths
from gough.limits._intervals import intervals_batch
from gough.limits._margins import margins_batch
from gough.limits._travel import travel_batch
print([len(each.signatures) for each in (follow_paths, margins_batch, travel_batch, intervals_batch)])
"""


def twice(x):
    return 2.0 * x


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """Commands of the processes that are begun, none of which runs; an empty cache."""
    commands = []
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.setattr(compiling, "cores", lambda: 2)
    monkeypatch.setattr(compiling.atexit, "register", lambda *_: None)
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: commands.append(command))
    monkeypatch.setattr(_kernel_cache, "MISSED", [])
    return commands


def test_a_second_process_begins_once_when_a_kernel_is_not_on_disk(begun):
    compiling.compile_beside()
    assert begun == []
    for _ in range(2):
        assert kernel(twice)(1.5) == 3.0
    assert begun == [[sys.executable, "-P", "-c", compiling.PROGRAM]]
    compiling.compile_beside()
    assert kernel(twice)(1.5) == 3.0
    assert len(begun) == 1, "it was on disk"


def test_one_core_compiles_alone(begun, monkeypatch):
    monkeypatch.setattr(compiling, "cores", lambda: 1)
    compiling.compile_beside()
    assert kernel(twice)(1.5) == 3.0
    assert begun == []


def test_where_no_process_can_begin_the_first_goes_on(begun, monkeypatch):
    def refuse(*_, **__):
        raise BlockingIOError

    monkeypatch.setattr(subprocess, "Popen", refuse)
    compiling.compile_beside()
    assert kernel(twice)(1.5) == 3.0


def process(program):
    return subprocess.Popen([sys.executable, "-P", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_it_compiles_what_the_first_process_does_not_begin_with():
    with process(compiling.PROGRAM + KERNELS) as one:
        assert one.stdout.read().split() == b"[1, 0, 0, 0]".split()


def test_it_ends_with_the_first_process():
    with process(compiling.PROGRAM.replace("import gough", "import time; time.sleep(1000)")) as one:
        one.stdin.close()
        assert one.wait(PATIENCE) == 0
