"""Which files the page opens: by path, by link, by view, by a machine file that names another; and which it refuses."""

import os
import time

import pytest
from tests.viewer.conftest import until

import gough
from gough.description.parse import only_files
from gough.viewer.access import MOST_BYTES, OUTSIDE, Fence
from gough.viewer.saved_view import SavedView

pytest.importorskip("viser", reason="viser is not installed")
from tests.viewer.test_frames import connected, exact

SOON = 10
"""A refusal that reads what it refuses takes longer: a pipe has no end, a file of 1 GB takes minutes [s]."""
CAMERA = {"wxyz": [1.0, 0, 0, 0], "position": [3.0, 0, 0], "look_at": [0.0, 0, 0], "up_direction": [0.0, 0, 1]}
CAMERA |= {"image_height": 400, "image_width": 400, "fov": 1.0, "near": 0.1, "far": 9.0}
STACK = 'name = "two"\n[[stages]]\nmachine = "{}"\n[[stages]]\nmachine = "hexel"\n'


@pytest.fixture
def places(tmp_path):
    """A folder in the fence, one beside it that is not, and what may lead from one into the other."""
    inside, outside = tmp_path / "inside", tmp_path / "inside-not"
    inside.mkdir()
    outside.mkdir()
    (outside / "there.toml").write_text("name = 3")
    (inside / "mine.toml").write_text("name = 3")
    (inside / "link.toml").symlink_to(outside / "there.toml")
    (inside / "folder").symlink_to(outside)
    (inside / "loop.toml").symlink_to(inside / "loop.toml")
    (inside / "dangling.toml").symlink_to(outside / "not-there.toml")
    return inside, outside


def outside_of(places):
    inside, outside = places
    names = [outside / "there.toml", outside / "not-there.toml", inside / "link.toml", inside / "folder" / "there.toml"]
    names += [
        inside / ".." / outside.name / "there.toml",
        inside / "folder" / "not-there.toml",
        inside / "dangling.toml",
    ]
    names += [outside, "/etc/passwd", "/etc/not-there", "/proc/self/environ", "/dev/zero", "/", inside.parent, "a\0b"]
    return names


def test_all_files_outside_are_refused_in_the_same_words(places):
    fence = Fence([places[0]])
    for name in outside_of(places):
        with pytest.raises(gough.errors.InputError) as told:
            fence.check(name)
        assert str(told.value) == OUTSIDE, name


def test_files_below_a_folder_or_named_are_opened(places):
    inside, outside = places
    fence = Fence([inside], [outside / "there.toml"])
    for name in (inside / "mine.toml", inside / "not-there.toml", outside / "there.toml", inside / "link.toml"):
        fence.check(name)
    with pytest.raises(gough.errors.InputError, match="only in the folder"):
        fence.check(outside / "other.toml")
    fence.add(outside)
    fence.check(outside / "other.toml")
    fence = Fence([inside / "folder"])  # a folder that was named by a link to it
    fence.check(outside / "there.toml")


def test_what_is_no_file_or_too_large_is_refused_at_once(places):
    inside = places[0]
    os.mkfifo(inside / "pipe.toml")
    os.mkfifo(inside / "pipe.csv")
    for name, size in (("large.toml", 1 << 30), ("large.csv", 1 << 30), ("just.csv", MOST_BYTES[""])):
        with (inside / name).open("wb") as file:
            file.truncate(size)
    fence, begin = Fence([inside, "/dev"]), time.monotonic()
    for name, words in (
        (inside / "pipe.toml", "is a pipe, socket or device, expected a regular file"),
        (inside / "pipe.csv", "is a pipe, socket or device"),
        ("/dev/zero", "is a pipe, socket or device"),
        (inside, "is a directory, expected a file"),
        (inside / "large.toml", "holds 1074 MB, at most 2 MB are read of .toml files here"),
        (inside / "large.csv", "holds 1074 MB, at most 100 MB are read of such files here"),
    ):
        with pytest.raises(gough.errors.InputError, match=words):
            fence.check(name)
    fence.check(inside / "just.csv")
    assert time.monotonic() - begin < SOON


def test_a_machine_file_leads_nowhere_else(places):
    inside, outside = places
    for name in outside_of(places)[:-1]:
        if str(name).endswith(".toml"):
            (inside / "stack.toml").write_text(STACK.format(name))
            with only_files(Fence([inside]).check), pytest.raises(gough.errors.MachineFileError) as told:
                gough.load(inside / "stack.toml")
            assert [problem for problem in told.value.problems if OUTSIDE in problem] == told.value.problems
    (inside / "stack.toml").write_text(STACK.format("hexel"))
    with only_files(Fence([inside]).check):
        assert len(gough.load(inside / "stack.toml").stages) == 2
    with pytest.raises(gough.errors.MachineFileError, match="name"):  # and nothing of that stays
        gough.load(outside / "there.toml")


def test_every_entrance_of_the_page_is_fenced(view, tmp_path_factory):
    """The fixture's fence is about pytest's own folder."""
    outside, words = tmp_path_factory.getbasetemp().parent / "not-there.toml", []
    saved = SavedView(str(outside), [])
    for entrance in (
        lambda: view.open(str(outside)),
        lambda: view.open(f"{outside}:1"),
        lambda: view.open("/etc/passwd"),
        lambda: view.open_clip(outside, lambda *_: None),
        lambda: view.open_clip(outside.with_suffix(".csv"), lambda *_: None),
        lambda: view.restore(saved),
    ):
        with pytest.raises(gough.errors.InputError) as told:
            entrance()
        words.append(str(told.value))
    assert set(words) == {OUTSIDE}
    assert (view.state.source, view.stage.machine.name, view.state.clip) == ("hexel", "hexel", None)


@pytest.mark.parametrize(
    "name", ["..", ".", "", "a/../..", "..\\..\\x.toml", "/etc/passwd", "x\0.toml", "n" * 999 + ".toml"]
)
def test_an_upload_stays_in_its_folder_whatever_its_name(view, name):
    files = view.files
    path = files._kept(name, b"name = 3")
    assert os.path.realpath(path.parent) == os.path.realpath(files.folder)
    assert path.read_bytes() == b"name = 3"
    assert path.suffix == (".toml" if name.endswith(".toml") else "")
    view.fence.check(path)


def test_what_would_hold_the_page_up_is_refused_by_its_own_messages(view, tmp_path):
    """As a browser sends them: a path is typed, the button is pressed."""
    from gough.viewer.server import token_of

    os.mkfifo(tmp_path / "pipe.toml")
    with (tmp_path / "large.toml").open("wb") as file:
        file.truncate(1 << 30)
    files, token = view.files, token_of(view.server).partition("=")[2]
    with connected(view.server, token) as link:
        link.send(exact("ViewerCameraMessage", **CAMERA))  # with which viser takes it for a window
        for name, words in (("pipe.toml", "is a pipe"), ("large.toml", "holds 1074 MB"), ("/dev/zero", OUTSIDE[:40])):
            sent = time.monotonic()
            for box, value in ((files._path, str(tmp_path / name)), (files._open, True)):
                link.send(exact("GuiUpdateMessage", uuid=box._impl.uuid, updates={"value": value}))
            assert until(lambda words=words: words in files._error.content)
            assert time.monotonic() - sent < SOON
    assert view.stage.machine.name == "hexel"
