"""Input files of any size, kind and shape: read within bounds, or refused in a sentence, within seconds."""

import os
import time

import pytest

from gough import motion
from gough.cli import main
from gough.errors import InputError
from gough.files import read_bounded
from gough.loading import load
from gough.viewer.saved_view import from_file

PATIENCE = 5.0
"""CPU time within which a request is refused [s]; quadratic readers took from 24 s to hours."""
PARTS = 40_000
POINTS = [[float(k), k % 7.0, 0.0] for k in range(20_000)]
SLOW = {
    "dotted key": "name = 'm'\n" + ".".join("a" * PARTS) + " = 1\n",
    "header": "name = 'm'\n[" + " . ".join(['"a"'] * PARTS) + "]\n",
    "points": f"name = 'm'\n[base]\npoints = {POINTS}\n[platform]\npoints = {POINTS[:6]}\n",
    "points of legs": f"name = 'm'\n[base]\nof_leg = [1, 1, 2, 2, 3, 3]\npoints = {POINTS}\n[platform]\n"
    f"points = {POINTS[:6]}\n",
    "same points": f"name = 'm'\n[base]\npoints = {POINTS[:1] * 5000}\n[platform]\npoints = {POINTS[:6]}\n",
    "unknown keys": "name = 'm'\n" + "".join(f"platfrom{k} = 1\n" for k in range(20_000)),
    "long key": f"name = 'm'\n{'platform' * 100_000} = 1\n",
    "segments": "segments = [" + "{kind = 'lin'}, " * 20_000 + "]",
    "nesting": "x = " + "[" * 500_000,
    "escapes": 'name = "' + "\\n" * 400_000 + '"',
}


@pytest.mark.parametrize("read", [load, motion.programs.read_path_file])
@pytest.mark.parametrize("kind", SLOW)
def test_no_document_takes_long(tmp_path, kind, read):
    file = tmp_path / "m.toml"
    file.write_text(SLOW[kind])
    begun = time.process_time()
    with pytest.raises(InputError) as refused:
        read(file)
    assert time.process_time() - begun < PATIENCE
    assert len(str(refused.value)) < 100_000


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")
@pytest.mark.parametrize("read", [load, motion.programs.read_path_file, motion.programs.read_program, from_file])
def test_a_device_without_end_is_refused(tmp_path, read, monkeypatch):
    monkeypatch.setattr("gough.motion.programs.reader.DATA", 10**6)
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="MB, the size limit"):
        read(str(tmp_path / "zero.toml"))


@pytest.mark.parametrize("size", [0, 9, 10, 11, 2**20 + 1])
def test_exactly_the_bound_is_read(tmp_path, size):
    (tmp_path / "a").write_bytes(b"x" * size)
    if size <= 10:
        assert read_bounded(tmp_path / "a", 10) == b"x" * size
    else:
        with pytest.raises(InputError, match="a has more than"):
            read_bounded(tmp_path / "a", 10)


ODD = ["a\0b", "\ud800", "loop", "folder", "missing", "x" * 5000]


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(
    "line", [["inverse", "hexel", "--csv"], ["path", "hexel"], ["check"], ["playback", "hexel"], ["margins"]]
)
def test_odd_names_are_refused(tmp_path, monkeypatch, capsys, name, line):
    monkeypatch.chdir(tmp_path)
    _odd_files(tmp_path)
    assert main([*line, name]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def _odd_files(folder):
    (folder / "loop").symlink_to(folder / "back")
    (folder / "back").symlink_to(folder / "loop")
    (folder / "folder").mkdir()
