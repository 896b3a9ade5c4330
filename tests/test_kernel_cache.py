"""Kernels on disk: whatever has become of the cache costs a compilation, never an answer, a traceback or a warning."""

import errno
import os
import subprocess
import sys

import pytest

from gough._compile import cache_folder, kernel


def twice(x):
    return 2.0 * x


def was_on_disk():
    """Compute twice 1.5 as another process would; whether the machine code was on disk."""
    fresh = kernel(twice)
    assert fresh(1.5) == 3.0
    assert fresh(2.5) == 5.0
    return sum(fresh.dispatcher.stats.cache_hits.values()) == 1


@pytest.fixture(autouse=True)
def _forget():
    cache_folder.cache_clear()
    yield
    cache_folder.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


@pytest.fixture
def entries(folder):
    """Files of a kernel that was kept and is read back: an index and machine code."""
    assert not was_on_disk()
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    assert was_on_disk()
    return paths


DAMAGES = {
    "empty": lambda sound: b"",
    "cut short": lambda sound: sound[:-1],
    "cut in half": lambda sound: sound[: len(sound) // 2],
    "of another program": lambda sound: b"\x7fELF" + bytes(5000),
    "of a module that is gone": lambda sound: b"cgone_module\nthing\n.",
}


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_entry_is_compiled_again_and_replaced(entries, damage, suffix):
    (path,) = (path for path in entries if path.suffix == suffix)
    path.write_bytes(damage(path.read_bytes()))
    assert not was_on_disk()
    assert was_on_disk()


@pytest.mark.parametrize(
    ("level", "mode"),
    [("root", 0o777), ("root", 0o775), ("folder", 0o777), ("folder", 0o770), ("entry", 0o666), ("entry", 0o602)],
)
def test_what_others_can_write_is_neither_read_nor_written(entries, level, mode):
    place = {"root": cache_folder().parent, "folder": cache_folder(), "entry": entries[0]}[level]
    place.chmod(mode)
    cache_folder.cache_clear()
    assert cache_folder() is None
    assert not was_on_disk()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS], ids=os.strerror)
def test_a_disk_that_takes_nothing_costs_speed_only(folder, number, monkeypatch, capfd):
    def refused(*_, **__):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as refusing:
        refusing.setattr(os, "mkdir", refused)
        assert not was_on_disk()
        assert not was_on_disk()
    assert not folder.exists()
    assert capfd.readouterr() == ("", "")


PROGRAM = """
import sys
import gough
from gough._compile import Compilation
m = gough.load("hexel")
print("ready", flush=True)
sys.stdin.readline()
print(gough.inverse_kinematics(m, m.home)[0], Compilation.count)
"""


@pytest.mark.thorough
def test_of_processes_that_need_a_kernel_at_once_one_compiles_it(folder):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = {**os.environ, "GOUGH_CACHE_DIR": str(folder)}
    both = [subprocess.Popen([sys.executable, "-W", "error", "-c", PROGRAM], env=environment, **pipes) for _ in "12"]
    assert [process.stdout.readline() for process in both] == ["ready\n"] * 2
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    printed = [process.communicate()[0].rpartition(" ") for process in both]
    assert {process.returncode for process in both} == {0}
    assert len({lengths for lengths, *_ in printed}) == 1
    assert sorted(int(count) for *_, count in printed) == [0, 1]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can make another user's files")
def test_what_another_user_owns_is_not_read(entries):
    os.chown(entries[0], 65534, 65534)
    cache_folder.cache_clear()
    assert cache_folder() is None
    assert not was_on_disk()
