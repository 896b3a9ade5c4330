"""Kernels on disk: whatever has become of the cache costs a compilation, never an answer, a traceback or a warning."""

import errno
import os
import pickle
import signal
import subprocess
import sys
import time
from hashlib import sha256

import numba
import pytest

from gough import _kernel_cache
from gough._compile import kernel
from gough._kernel_cache import UNUSED_DAYS, cache_folder

DAY = 86400.0


def twice(x):
    return 2.0 * x


def computed():
    """Twice 1.5 by a dispatcher that has compiled nothing yet, as in another process; and whether it was on disk."""
    fresh = kernel(twice)
    assert fresh(1.5) == 3.0
    assert fresh(2.5) == 5.0
    return sum(fresh.dispatcher.stats.cache_hits.values()) == 1


@pytest.fixture(scope="module", autouse=True)
def _runtime():
    """Numba's reference counting, which the first kernel of a process loads or writes, is there."""
    kernel(twice)(1.5)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "kernels"))
    _kernel_cache._remove_unused.cache_clear()
    return tmp_path / "kernels"


@pytest.fixture
def entry(folder):
    """The file of a kernel that was kept and is read back."""
    assert not computed()
    (path,) = folder.iterdir()
    assert computed()
    return path


def test_compiled_code_calls_kernels_from_disk(entry):
    fresh = kernel(twice)
    assert fresh(1.5) == 3.0
    loop = numba.njit(lambda x: fresh(x) + fresh(1.0))
    assert sum(fresh.dispatcher.stats.cache_hits.values()) == 1
    assert loop(2.5) == 7.0


def signed(payload):
    return sha256(payload).digest() + payload


DAMAGES = {
    "empty": lambda sound: b"",
    "shorter than a digest": lambda sound: sound[:20],
    "without content": lambda sound: sound[:32],
    "cut short": lambda sound: sound[:-1],
    "cut in half": lambda sound: sound[: len(sound) // 2],
    "a bit turned": lambda sound: sound[:500] + bytes([sound[500] ^ 1]) + sound[501:],
    "longer": lambda sound: sound + b"\0",
    "of another program": lambda sound: b"\x7fELF" + bytes(5000),
    "sound outside only": lambda sound: signed(b"no pickle"),
    "another object": lambda sound: signed(pickle.dumps(("not", "a", "kernel"))),
    "of a module that is gone": lambda sound: signed(b"cgone_module\nthing\n."),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_or_foreign_entry_is_compiled_again_and_replaced(entry, damage):
    entry.write_bytes(damage(entry.read_bytes()))
    assert not computed()
    content = entry.read_bytes()
    assert content == signed(content[32:])
    assert computed()
    assert list(entry.parent.iterdir()) == [entry]


ALLOCATES = """
import numpy as np
from gough._compile import kernel

@kernel
def ones(n):
    return np.ones(n)

assert ones(3).sum() == 3.0
print(sum(ones.dispatcher.stats.cache_hits.values()))
"""


@pytest.mark.parametrize(
    ("mode", "is_used"), [(0o600, True), (0o644, True), (0o664, True), (0o666, False), (0o602, False)]
)
def test_entries_that_everybody_can_write_are_not_run(entry, mode, is_used):
    entry.chmod(mode)
    assert computed() is is_used


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_entries_of_another_user_are_not_run(entry, monkeypatch):
    os.chown(entry, 65534, -1)
    assert not computed()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    os.chown(entry, 0, -1)
    assert computed()


def test_without_the_compiler_what_needs_it_is_refused():
    program = "from gough._numba import kernel_code; kernel_code(print)"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    assert done.stderr.splitlines()[-1].startswith("gough.errors.InputError: NUMBA_DISABLE_JIT is set")


def test_the_reference_counting_of_kernels_is_kept_and_replaced_where_it_is_damaged(tmp_path):
    script, folder = tmp_path / "allocates.py", tmp_path / "kernels"
    script.write_text(ALLOCATES)

    def hits():
        run = [sys.executable, script]
        environment = {**os.environ, "GOUGH_CACHE_DIR": str(folder)}
        return int(subprocess.run(run, env=environment, check=True, capture_output=True, text=True).stdout)

    assert hits() == 0
    (runtime,) = folder.glob("numba.runtime.*")
    (ones,) = set(folder.iterdir()) - {runtime}
    assert hits() == 1
    ones.unlink()
    assert hits() == 0, "compiled with what was read"
    sound = runtime.read_bytes()
    for damage in ("a bit turned", "another object"):
        runtime.write_bytes(DAMAGES[damage](sound))
        assert hits() == 1
        content = runtime.read_bytes()
        assert content == signed(content[32:]) != DAMAGES[damage](sound)


def test_what_is_no_file_is_neither_waited_for_nor_replaced(entry):
    entry.unlink()
    os.mkfifo(entry)
    assert not computed()
    assert computed(), "a file now"
    entry.unlink()
    entry.mkdir()
    assert not computed()
    assert list(entry.parent.iterdir()) == [entry]


def refuse(number):
    def refused(*_, **__):
        raise OSError(number, os.strerror(number))

    return refused


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS], ids=os.strerror)
@pytest.mark.parametrize("call", ["mkdir", "open", "replace"])
def test_a_disk_that_takes_nothing_costs_speed_only(folder, call, number, monkeypatch, capfd):
    with monkeypatch.context() as refusing:
        refusing.setattr(os, call, refuse(number))
        assert not computed()
        assert not computed()
    assert not folder.exists() or not list(folder.iterdir())
    assert capfd.readouterr() == ("", "")
    assert not computed()
    assert computed(), "once it takes files again"


def test_a_full_disk_costs_speed_only(folder, capfd):
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", folder], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("may not mount")
    try:
        assert not computed()
        assert not computed()
        assert not list(folder.iterdir())
    finally:
        subprocess.run(["umount", folder], check=True)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("place", ["/proc/nowhere", "~nobody-of-this-name/kernels", "{file}/kernels"])
def test_a_place_that_cannot_be_costs_speed_only(place, tmp_path, monkeypatch, capfd):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GOUGH_CACHE_DIR", place.format(file=tmp_path / "file"))
    monkeypatch.chdir(tmp_path)
    assert not computed()
    assert not computed()
    assert [path.name for path in tmp_path.iterdir()] == ["file"], "nothing beside where the process was started"
    assert capfd.readouterr() == ("", "")


def test_a_user_without_a_home_keeps_nothing(monkeypatch):
    import platformdirs

    monkeypatch.delenv("GOUGH_CACHE_DIR", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: _kernel_cache.Path("~/.cache/gough"))
    assert cache_folder() is None
    assert not computed()


def test_sources_that_cannot_be_read_keep_nothing(folder, monkeypatch):
    monkeypatch.setattr(_kernel_cache, "sources_digest", refuse(errno.EACCES))
    assert not computed()
    assert not folder.exists()


def test_the_users_cache_folder_is_taken_where_none_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("GOUGH_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder().name == "kernels"
    assert cache_folder().parent.name == "gough"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_killed_while_writing_leaves_nothing_that_counts(folder, monkeypatch):
    child = os.fork()
    if not child:
        monkeypatch.setattr(os, "replace", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        computed()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    (part,) = folder.iterdir()
    assert part.suffix == ".part"
    assert not computed()
    (path,) = folder.iterdir()
    assert path.suffix != ".part"
    assert computed()


def test_what_nobody_uses_goes_and_what_is_not_ours_stays(folder):
    folder.mkdir()
    unused = "_inverse.inverse_batch." + "0" * 32
    begun = f".{unused}.{'0' * 16}.part"
    ours, young = (unused, begun), ("_new.kernel." + "0" * 32, f".{unused}.{'1' * 16}.part")
    theirs = ("thesis.tex", "download.part", ".hidden.part", "a.b.c", "_inverse.inverse_batch." + "0" * 31)
    long_ago = time.time() - (UNUSED_DAYS + 1) * DAY
    for name in (*ours, *young, *theirs):
        (folder / name).write_text("")
        if name not in young:
            os.utime(folder / name, (long_ago, long_ago))
    assert not computed()
    left = {path.name for path in folder.iterdir()}
    assert left >= {*theirs, *young}
    assert not left & {*ours}


def test_an_entry_in_use_is_not_taken_for_unused(entry):
    long_ago = time.time() - (UNUSED_DAYS - 1) * DAY
    os.utime(entry, (long_ago, long_ago))
    assert computed()
    assert time.time() - entry.stat().st_mtime < DAY
