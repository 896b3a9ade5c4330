"""The output of every command with poses, joints or times is an input of every command that takes them.

All writers, readers and formats; the numbers that a reader gets are those in the file, which the test reads by itself.
"""

from __future__ import annotations

import csv
import json
from contextlib import suppress
from itertools import cycle, product

import numpy as np
import pytest
import xarray

import gough
from gough.cli import joint_input, main, pose_input

MACHINE = "hexel"
DIGITS = 1e-14
"""Part of a number beyond the fifteen digits of CSV."""
SIZE = {"": 1.0, "s": 1.0, "mm": 1e-3, "deg": np.pi / 180}
MATRIX = [f"m{row}{column}" for row in range(4) for column in range(4)]
LEGS = [f"q{k}" for k in range(1, 7)]
POSE = {"x", "y", "z", "qx", "qy", "qz", "qw"}
DYNAMICS = ("dynamics", MACHINE, "--payload", "1", "--centre", "0,0,0")

WRITERS = {
    "inverse": ("inverse", MACHINE, "--csv", "poses.csv"),
    "travel": ("travel", MACHINE, "--along", "z", "--csv", "poses.csv"),
    "nearest": ("nearest", MACHINE, "--csv", "poses.csv"),
    "forward": ("forward", MACHINE, "--csv", "legs.csv"),
    "path": ("path", MACHINE, "poses.csv"),
    "follow": ("follow", MACHINE, "poses.csv", "--rate", "1", "--fade", "1"),
    "playback": ("playback", MACHINE, "legs.csv"),
    "dynamics": (*DYNAMICS, "--samples", "9", "--motion", "poses.csv"),
}
READERS = {
    "travel": (("travel", MACHINE, "--csv"), "pose"),
    "nearest": (("nearest", MACHINE, "--csv"), "pose"),
    "inverse": (("inverse", MACHINE, "--csv"), "pose"),
    "margins": (("margins", MACHINE, "--csv"), "pose"),
    "forward": (("forward", MACHINE, "--csv"), "joints"),
    "path": (("path", MACHINE), "pose"),
    "follow": (("follow", MACHINE), "time pose"),
    "playback": (("playback", MACHINE), "time joints"),
    "dynamics": ((*DYNAMICS, "--samples", "5", "--motion"), "time pose"),
}
HAS = {name: {"time", "pose", "joints"} for name in WRITERS}
HAS |= {"inverse": {"time", "joints"}, **{key: {"time", "pose"} for key in ("travel", "nearest", "forward")}}
FORMATS = ("csv", "json", "nc")


class ReadError(Exception):
    """Stops a command once it has its table."""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Folder with the answer of every writer in every format."""
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        m, time = gough.load(MACHINE), np.arange(10.0)
        q = gough.inverse_kinematics(m, _poses(m, time))
        _write("poses.csv", ["time", "x", "y", "z"], np.column_stack([time, _poses(m, time)[:, :3, 3] * 1e3]))
        _write("legs.csv", ["time", *LEGS], np.column_stack([time, q * 1e3]))
        for (name, words), ending in product(WRITERS.items(), FORMATS):
            assert main([*words, "-o", f"{name}.{ending}"]) == 0, (name, ending)
    return folder


def _poses(m, time):
    X = np.tile(m.X_home, (len(time), 1, 1))
    X[:, 0, 3] += 0.004 * np.sin(time)
    X[:, 2, 3] += 0.003 * np.cos(1.3 * time)
    return X


def _write(file, names, rows):
    with open(file, "w", newline="") as target:
        csv.writer(target).writerows([names, *rows.tolist()])


def contents(file):
    """Columns of a file in SI, by their names, read without Gough."""
    ending = file.suffix[1:]
    if ending == "csv":
        with file.open(newline="") as source:
            titles, *rows = list(csv.reader(source))
        return _in_si({title: np.array([_number(row[k]) for row in rows]) for k, title in enumerate(titles)})
    if ending == "json":
        return _of_json(json.loads(file.read_text()))
    with xarray.open_dataset(file, engine="scipy", decode_times=False) as data:
        if "pose" not in data and "joint" not in data:
            return _in_si({name: data[name].to_numpy() for name in data.variables if data[name].dtype.kind == "f"})
        found = {"time": data["time"].to_numpy()}
        found |= dict(zip(MATRIX, data["pose"].to_numpy().reshape(-1, 16).T, strict=True))
        return found | dict(zip(LEGS, data["joint"].to_numpy().T, strict=True))


def _of_json(document):
    assert (document["units"]["length"], document["units"]["angle"]) == ("mm", "deg")
    pose = next((document[key] for key in ("pose", "end") if "position" in document.get(key, {})), document)
    columns = {"time_s": document.get("time")}
    if "position" in pose:
        columns |= dict(zip(("x_mm", "y_mm", "z_mm"), np.transpose(pose["position"]), strict=True))
        columns |= dict(zip(("qx", "qy", "qz", "qw"), np.transpose(pose["quaternion"]), strict=True))
    legs = next((document[key] for key in ("joints", "joint") if key in document), None)
    if legs is not None:
        columns |= {f"{name}_mm": column for name, column in zip(LEGS, np.transpose(legs), strict=True)}
    return _in_si(columns)


def _number(text):
    with suppress(ValueError):
        return float(text)
    return np.nan


def _in_si(columns):
    parts = {title: title.partition("_") for title in columns}
    return {
        name: np.asarray(columns[title], dtype=float) * SIZE[unit]
        for title, (name, _, unit) in parts.items()
        if name in {"time", *POSE, *LEGS} and unit in SIZE
    }


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_gets_the_numbers_that_a_writer_wrote(written, monkeypatch, capsys, writer, reader, ending):
    words, takes = READERS[reader]
    tables = []

    def recorded(source, *rest, **how):
        tables.append(original(source, *rest, **how))
        raise ReadError

    original = pose_input.read_table
    for module in (pose_input, joint_input):
        monkeypatch.setattr(module, "read_table", recorded)
    file = written / f"{writer}.{ending}"
    lacking = set(takes.split()) - HAS[writer]
    if lacking:
        assert main([*words, str(file)]) == 2
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert ("q1" if "joints" in lacking else "missing x" if "pose" in lacking else "time") in told.lower()
        return
    with pytest.raises(ReadError):
        main([*words, str(file)])
    (table,), expected = tables, contents(file)
    wanted = LEGS if "joints" in takes else MATRIX if "m00" in expected else POSE
    for name in {*wanted, *({"time"} & set(takes.split()))}:
        np.testing.assert_array_equal(table.columns[name], expected[name], name)


@pytest.mark.parametrize("writer", WRITERS)
def test_all_formats_hold_the_same_numbers(written, writer):
    first, *others = (contents(written / f"{writer}.{ending}") for ending in ("csv", "json", "nc"))
    for other in others:
        for name in set(first) & set(other):
            np.testing.assert_allclose(other[name], first[name], rtol=DIGITS, atol=DIGITS, err_msg=name)
        assert set(first) & set(other) >= {"time"}


@pytest.mark.parametrize(("reader", "ending", "writer"), [
    (reader, ending, writer)
    for (reader, writer), ending in zip(product(READERS, WRITERS), cycle(FORMATS))
    if set(READERS[reader][1].split()) <= HAS[writer]
])  # fmt: skip
def test_the_reader_answers(written, capsys, reader, writer, ending):
    assert main([*READERS[reader][0], str(written / f"{writer}.{ending}")]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("ending", FORMATS)
def test_around_in_circles_nothing_changes(written, monkeypatch, tmp_path, ending):
    """Legs of a motion's poses, and poses of these legs: the poses of the motion."""
    monkeypatch.chdir(tmp_path)
    assert main(["inverse", MACHINE, "--csv", str(written / f"follow.{ending}"), "-o", f"legs.{ending}"]) == 0
    assert main(["playback", MACHINE, f"legs.{ending}", "-o", f"poses.{ending}"]) == 0
    found, expected = (
        pose_input.read_timed_poses(str(file), pose_input.Orientation(), gough.load(MACHINE).units)
        for file in (tmp_path / f"poses.{ending}", written / f"follow.{ending}")
    )
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=0, atol=1e-12)
