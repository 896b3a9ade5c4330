"""Files are written whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gough import files
from gough.errors import InputError
from gough.files import check_writable, remove_temporary, stem_of, write_whole

SOME_USER = 12345


def test_the_name_of_a_file_of_one_stage_has_no_colon():
    assert stem_of("double-hexapod:2") == "double-hexapod-2"
    assert stem_of("hexel") == "hexel"


def test_what_a_link_points_to_is_replaced_not_the_link(tmp_path):
    target, link = tmp_path / "target.html", tmp_path / "link.html"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("where", ["fchmod", "fsync", "replace"])
def test_a_stop_on_the_way_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, stop, where):
    path = tmp_path / "page.html"
    path.write_text("old")

    def refuse(*_):
        raise stop

    monkeypatch.setattr(os, where, refuse)
    with pytest.raises((KeyboardInterrupt, InputError)) as caught:
        write_whole(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    if isinstance(caught.value, InputError):
        assert str(caught.value) == f"cannot write {path}: No space left on device; choose another location"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "it is a folder; specify a file name"),
        ("missing/page.html", "the folder"),
        ("fifo", "it is not a regular file; specify a file name"),
        ("file/page.html", "the folder"),
    ],
)
def test_what_cannot_be_written_is_said_before_any_work(tmp_path, name, sentence):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=sentence) as caught:
        check_writable(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_the_file_reaches_the_disk_before_its_name_and_the_name_before_the_answer(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace

    def noted(descriptor):
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("name"), replace(*names)))
    write_whole(tmp_path / "page.html", "text")
    assert done == ["file", "name", "folder"]


def test_a_link_planted_under_the_temporary_name_is_not_followed(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    monkeypatch.setattr("secrets.token_hex", lambda count: "0" * 2 * count)
    (tmp_path / f".page.html.{'0' * 2 * files.TOKEN}.part").symlink_to(victim)
    with pytest.raises(InputError, match="File exists"):
        write_whole(tmp_path / "page.html", "text")
    assert victim.read_text() == "mine"


def test_mode_and_owner_of_a_file_are_kept_and_new_ones_follow_the_umask(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old")
    if os.getuid() == 0:
        os.chown(old, SOME_USER, SOME_USER)
    old.chmod(0o604)
    owner = old.stat().st_uid, old.stat().st_gid
    before = os.umask(0o027)
    try:
        write_whole(old, "changed")
        write_whole(new, "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(old.stat().st_mode) == 0o604
    assert (old.stat().st_uid, old.stat().st_gid) == owner
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


def killed_while_writing(path, monkeypatch):
    """A child that dies by SIGKILL with half a file written."""
    child = os.fork()
    if not child:
        monkeypatch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), signal.SIGKILL))
        write_whole(path, "half")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_what_a_killed_process_left_goes_with_the_next_write_of_the_same_file(tmp_path, monkeypatch):
    mine, other = tmp_path / "page", tmp_path / "page.html"
    mine.write_text("old")
    killed_while_writing(mine, monkeypatch)
    killed_while_writing(mine, monkeypatch)
    killed_while_writing(other, monkeypatch)
    assert mine.read_text() == "old"
    assert len(list(tmp_path.glob(".page.*.part"))) == 2, "one of each"
    write_whole(mine, "new")
    assert mine.read_text() == "new"
    assert [path.name[:10] for path in tmp_path.glob(".*")] == [".page.html"]
    write_whole(other, "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page", "page.html"]


def test_what_another_process_is_writing_stays(tmp_path, monkeypatch):
    """The same process serves: a lock belongs to an opened file."""
    path = tmp_path / "page.html"
    fsync = os.fsync

    def overtaken(descriptor):
        monkeypatch.setattr(os, "fsync", fsync)
        write_whole(path, "quick")
        assert len(list(tmp_path.glob(".*"))) == 1, "that of the slow one"

    monkeypatch.setattr(os, "fsync", overtaken)
    write_whole(path, "slow")
    assert path.read_text() == "slow"
    assert list(tmp_path.iterdir()) == [path]


def test_whoever_ends_the_process_at_once_removes_what_it_was_writing(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_folders", set())  # others of this process stay

    def ended(_):
        assert list(tmp_path.glob(".*"))
        remove_temporary()
        assert not list(tmp_path.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", ended)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "page.html", "text")
    assert not list(tmp_path.iterdir())
    assert not files._parts


def test_temporary_folders_end_with_the_process_however_it_ends(tmp_path):
    """At a regular end, and where a signal ends it without cleanup."""
    program = (
        "import os, sys; from gough.cli.stopping import STOP; from gough.files import temporary_folder\n"
        "folder = temporary_folder('gough-view-'); (folder / 'a').write_text('a'); print(folder, flush=True)\n"
        "if sys.argv[1] != 'end': sys.exit(STOP.leave())\n"
    )
    for how, code in (("end", 0), ("stop", 130)):
        ended = subprocess.run(
            [sys.executable, "-c", program, how],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )
        assert ended.returncode == code
        assert Path(ended.stdout.strip()).parent == tmp_path
        assert not list(tmp_path.iterdir())
