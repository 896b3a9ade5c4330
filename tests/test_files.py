"""Files are written whole or not at all."""

import os
from pathlib import Path

import pytest

from gough.errors import InputError
from gough.files import check_writable, write_whole


def test_a_file_is_written_and_nothing_else(tmp_path):
    path = tmp_path / "page.html"
    write_whole(path, "µm")
    assert path.read_bytes() == "µm".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_was_there_is_replaced(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    write_whole(path, "new")
    assert path.read_text() == "new"


def test_what_a_link_points_to_is_replaced_not_the_link(tmp_path):
    target, link = tmp_path / "target.html", tmp_path / "link.html"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("where", ["write_bytes", "replace"])
def test_a_stop_on_the_way_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, stop, where):
    path = tmp_path / "page.html"
    path.write_text("old")
    write_bytes = Path.write_bytes

    def half(self, content):
        write_bytes(self, content[:2])
        raise stop

    def refuse(*_):
        raise stop

    if where == "write_bytes":
        monkeypatch.setattr(Path, "write_bytes", half)
    else:
        monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises((KeyboardInterrupt, InputError)) as caught:
        write_whole(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    if isinstance(caught.value, InputError):
        assert str(caught.value) == f"cannot write {path}: No space left on device; choose another place"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "it is a folder; give a file name"),
        ("missing/page.html", "there is no folder"),
        ("fifo", "it is no regular file; give a file name"),
        ("file/page.html", "there is no folder"),
    ],
)
def test_what_cannot_be_written_is_said_before_any_work(tmp_path, name, sentence):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=sentence) as caught:
        check_writable(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_folder_the_system_keeps_is_one_sentence():
    path = Path("/proc/page.html")
    if not path.parent.is_dir():
        pytest.skip("this system has no /proc, a folder in which nobody can write")
    with pytest.raises(InputError, match=r"^cannot write /proc/page.html: "):
        write_whole(path, "text")
