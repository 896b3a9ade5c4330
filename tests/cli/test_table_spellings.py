"""One table in many spellings: bit-equal poses, whoever wrote it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.spelled_tables import spelled

import gough
from gough.cli import pose_input
from gough.errors import InputError
from gough.machine import DisplayUnits

MM_DEG = DisplayUnits(length="mm", angle="deg", metres=1e-3, radians=np.pi / 180)
ROUND_OFF = 1e-15
THREE_DECIMALS = 5e-4
ROUNDED = Path(__file__).with_name("rounded_matrices.csv")


def read(text, tmp_path, **how):
    file = tmp_path / "table.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return pose_input.read_path_table(str(file), pose_input.Orientation(**how), MM_DEG)


@pytest.mark.parametrize("seed", range(60))
def test_a_table_in_any_spelling_gives_the_same_bits(tmp_path, seed):
    rng = np.random.default_rng(seed)
    position = [("x", "y", "z"), ("tx", "ty", "tz"), ("surge", "sway", "heave")][seed % 3]
    angles = [("roll", "pitch", "yaw"), ("a", "b", "c"), ("rx", "ry", "rz")][seed // 3 % 3]
    names = (*position, *angles)
    units = {name: "mm" if name in position else "deg" for name in names}
    rows = np.concatenate([rng.uniform(-900, 900, (4, 3)), rng.uniform(-80, 80, (4, 3))], axis=1).round(4)
    how = {} if angles[0] == "roll" else {"sequence": "xyz"}
    time, X = read(spelled(rng, names, units, rows), tmp_path, **how)
    assert time is None
    plain = "x,y,z,a,b,c\n" + "\n".join(",".join(map(repr, row)) for row in rows.tolist())
    assert np.array_equal(X, read(plain, tmp_path, sequence="xyz")[1])
    expected = Rotation.from_euler("xyz", rows[:, 3:], degrees=True).as_matrix()
    assert np.allclose(X[:, :3, :3], expected, rtol=0, atol=ROUND_OFF)
    assert np.allclose(X[:, :3, 3], rows[:, :3] / 1000, rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize(
    ("convention", "names", "sequence"),
    [
        ("pi", "X,Y,Z,U,V,W", "XYZ"),
        ("Rubin", "x,y,z,u,v,w", "XYZ"),
        ("symetrie", "Tx,Ty,Tz,Rx,Ry,Rz", "xyz"),
        ("linuxcnc", "X,Y,Z,A,B,C", "xyz"),
        ("pi", "X,Y,Z,Rx,Ry,Rz", "XYZ"),
    ],
)
def test_a_convention_names_its_columns(tmp_path, convention, names, sequence):
    X = read(f"{names}\n1,2,3,10,20,30\n4,5,6,-7,8,9\n", tmp_path, convention=convention)[1]
    expected = Rotation.from_euler(sequence, [[10, 20, 30], [-7, 8, 9]], degrees=True).as_matrix()
    assert np.allclose(X[:, :3, :3], expected, rtol=0, atol=ROUND_OFF)


def test_angles_named_by_their_axes_are_put_in_the_order_of_the_sequence(tmp_path):
    X = read("x,y,z,rx,ry,rz\n0,0,0,10,20,30\n0,0,0,1,2,3\n", tmp_path, sequence="ZYX")[1]
    expected = Rotation.from_euler("ZYX", [[30, 20, 10], [3, 2, 1]], degrees=True).as_matrix()
    assert np.allclose(X[:, :3, :3], expected, rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("0,0,800\n1,0,801\n", {}),
        ("# x,y,z\n0,0,800\n1,0,801\n", {}),
        ("0 0 800\n1 0 801\n", {}),
        ("0;0;800,0\n1;0;801,0\n", {}),
        ("0,0,800,0,0,0\n1,0,801,0,0,0\n", {"convention": "pi"}),
        ("0,0,800,0,0,0,1\n1,0,801,0,0,0,1\n", {}),
        ("# time [ms], z [m], x, y\n0,0.8,0,0\n1000,0.801,1,0\n", {}),
        ("0.0,0,0,800,0,0,0,1\n1.0,1,0,801,0,0,0,1\n", {}),
    ],
)
def test_tables_without_a_header_are_read_by_their_number_of_columns(tmp_path, text, how):
    time, X = read(text, tmp_path, **how)
    assert X[:, :3, 3].tolist() == [[0, 0, 0.8], [0.001, 0, 0.801]]
    assert time is None or time.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "how", "told"),
    [
        ("0,0,800,0,0,0\n", {}, "6 columns are none of what is read here"),
        ("0,0,0,800,0,0,0\n", {"convention": "pi"}, "7 columns may be one of several things"),
        ("x,y,z,u,v,w\n0,0,0,0,0,0\n", {"convention": "symetrie"}, "angles of pi and rubin, not of symetrie"),
        ("x,y,z,rx,ry,rz\n0,0,0,0,0,0\n", {}, "mean nothing alone"),
        ("x,y,z,rx,ry,rz\n0,0,0,0,0,0\n", {"sequence": "ZXZ"}, "which sequence ZXZ has not"),
        ("x;y;z\n1,5;0;0.5\n", {}, "has a point, other numbers have decimal commas"),
        ("x,y,,z\n1,2,3,4\n", {}, "column 3 has no title"),
        ("x,foo,bar,z,z\n1,2,3,4,five\n", {}, "unknown column 'foo'"),
        ("x,foo,bar,z,z\n1,2,3,4,five\n", {}, "Unknown column 'bar'"),
        ("x,foo,bar,z,z\n1,2,3,4,five\n", {}, "Column 'z' is there twice"),
        ("x,foo,bar,z,z\n1,2,3,4,five\n", {}, "Missing y;"),
        ("x,y,z\n1,2,3\n1_0,2,x\n", {}, "'1_0' is not a number; "),
        ("x,y,z\n1,2,3\n1_0,2,x\n", {}, "'x' is not a number"),
        ("x,y,z\n\u0661,2,3\n", {}, "'\u0661' is not a number"),
    ],
)
def test_what_is_ambiguous_or_wrong_is_refused_all_at_once(tmp_path, text, how, told):
    with pytest.raises(InputError) as refusal:
        read(text, tmp_path, **how)
    message = str(refusal.value)
    assert told in message or told[0].lower() + told[1:] in message
    assert "\n" not in message


@pytest.mark.parametrize("seed", range(5))
def test_rounded_matrices_become_the_nearest_rotations(tmp_path, capsys, seed):
    rng = np.random.default_rng(seed)
    R = Rotation.random(20, random_state=rng).as_matrix()
    M = np.tile(np.eye(4), (20, 1, 1))
    M[:, :3, :3] = R.round(3)
    header = ",".join(f"m{row}{column}" for row in range(4) for column in range(4))
    X = read(f"{header}\n" + "\n".join(",".join(map(str, row)) for row in M.reshape(-1, 16)), tmp_path)[1]
    assert "rotation matrices are rounded" in capsys.readouterr().err
    assert np.allclose(X[:, :3, :3] @ np.swapaxes(X[:, :3, :3], 1, 2), np.eye(3), rtol=0, atol=10 * ROUND_OFF)
    # The nearest rotation is nearer to the table than the true one is, hence twice its distance from that at most.
    assert np.linalg.norm(X[:, :3, :3] - R, axis=(1, 2)).max() <= 2 * 3 * THREE_DECIMALS
    for mean, given in zip(X[:, :3, :3], M[:, :3, :3], strict=True):  # by SciPy: the mean of columns' directions
        best = Rotation.align_vectors(given.T, np.eye(3))[0].as_matrix()
        assert np.allclose(mean, best, rtol=0, atol=1e-12)


def test_matrices_of_a_table_that_people_have(capsys):
    X = pose_input.read_path_table(str(ROUNDED), pose_input.Orientation(), gough.load("linuxcnc").units)[1]
    assert len(X) == 2
    assert "1 of 2 rotation matrices are rounded" in capsys.readouterr().err


@pytest.mark.parametrize(
    "elements", ["1,0,0,0,0,1,0,0,0,0,1.001", "0.99,0,0,0,0,1,0,0,0,0,1", "-1,0,0,0,0,1,0,0,0,0,1"]
)
def test_matrices_that_rounding_does_not_explain_are_refused(tmp_path, elements):
    header = ",".join(f"m{row}{column}" for row in range(4) for column in range(4))
    with pytest.raises(InputError, match="row 2"):
        read(f"{header}\n{elements},0,0,0,0,1\n{elements},0,0,0,0,1\n", tmp_path)


def test_line_ends_of_old_computers_do_not_hide_the_delimiter(tmp_path):
    text = 'x,y,z,comment\r0,0,800,"a;b"\r1,0,801,"c\td"\r'
    assert read(text, tmp_path)[1][1, :3, 3].tolist() == [0.001, 0, 0.801]
